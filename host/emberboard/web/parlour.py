"""The parlour: one table, the fight that is open on it, the pages around it.

It lives in one asyncio loop, with the table itself (DESIGN section 3). Whatever changes anything calls `changed`; each
page is then sent what is true by the time that it can take it, so a slow phone never has to catch up.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from emberboard.engine.errors import EmberboardError, Refused
from emberboard.engine.game import Note
from emberboard.engine.session import Session
from emberboard.games.desk import GameDesk
from emberboard.link.bus_events import BoardState
from emberboard.link.wire import WireError
from emberboard.play.new_fight import begin_fight
from emberboard.play.opening import Agree, open_save
from emberboard.table.hardware import AnyInput, Tick
from emberboard.table.power_scale import PowerScale
from emberboard.table.roles import Theme, load_theme
from emberboard.table.wired_table import WiredTable
from emberboard.table.works import Works
from emberboard.virtual.table import VirtualTable
from emberboard.web.fingers import Fingers
from emberboard.web.helping_hands import HelpingHands
from emberboard.web.messages import Hall, Lamps, Log, View, You
from emberboard.web.seating import Seating, Visitor
from emberboard.web.view import fight_view, log_for

Lines = list[tuple[str, Note]]
"""A log as `Session.log_lines` gives it."""
LAMPS_S = 0.1
"""Between two looks at the virtual hardware, while any page watches it."""
BARE_S = 5.0
TRACE = 400
"""So many inputs of the table are remembered for a dispute."""


class OpenFight(msgspec.Struct):
    """A fight in progress: its session, how its game shows itself, where it is saved, the table that plays it."""

    session: Session
    desk: GameDesk
    path: Path
    table: WiredTable
    helping: asyncio.Task[None] | None


class Page:
    """A connected page. `wake` is set when there is something new for it; `lamps` holds what it has not got yet."""

    def __init__(self, who: Visitor) -> None:
        self.who = who
        self.wake = asyncio.Event()
        self.sent: list[tuple[str, str]] = []
        self.number = -1
        self.watches = False
        self.lit: dict[tuple[int, int], tuple[int, int, int]] = {}
        self.lamps: Lamps | None = None


class Parlour:
    """`works` is the table's hardware, `tags` gives the kind of each token's tag, None where draws are keyed in.

    `join` is the address that other devices go to, `theme` what the tiles' roles look like, on boards and page.
    """

    def __init__(
        self, works: Works, tags: Mapping[str, str] | None, join: str = "", theme: Theme | None = None
    ) -> None:
        self.works, self.tags, self.join, self.theme = works, tags, join, theme or load_theme()
        self.fingers = Fingers(works) if isinstance(works, VirtualTable) else None
        self.seating = Seating()
        self.fight: OpenFight | None = None
        self.pages: list[Page] = []
        self._troubles: dict[str, str] = {}
        self.trace: deque[tuple[int, str]] = deque(maxlen=TRACE)
        self._number = 0
        self._shown: tuple[int, msgspec.Raw, Lines] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._lamps: asyncio.Task[None] | None = None
        self._seen: Lamps | None = None

    # -- what is shown ------------------------------------------------------------------------------------------------

    def changed(self) -> None:
        """Something is another now: every page gets it."""
        self._number += 1
        for page in self.pages:
            page.wake.set()
        if self.fingers is not None:
            self.fingers.wake.set()

    def view(self, page: Page) -> View | None:
        """What is new for a page, or None."""
        if page.number == self._number:
            return None
        page.number = self._number
        mine = self.seating.of(page.who)
        you = You(self.seating.role(page.who), mine)
        fight = self.fight
        log = Log(0, ())
        if fight is not None:
            shown, lines = self._picture(fight)
            log = log_for(lines, mine, page.sent)
        else:
            shown = None
            page.sent.clear()
        return View(number=self._number, you=you, hall=self._hall(page), fight=shown, log=log)

    def _hall(self, page: Page) -> Hall:
        boards = self.works.file.boards
        return Hall(
            hardware="real" if self.fingers is None else "virtual",
            hands=self.fingers is not None and self.fingers.help,
            columns=boards.columns,
            rows=boards.rows,
            places=tuple(self.works.file.places),
            trust=self.seating.trust,
            join=self.join if page.who.table else "",
            trouble=self.trouble,
            tags=dict(self.tags or {}) if self.fingers is not None else {},
        )

    def _picture(self, one: OpenFight) -> tuple[msgspec.Raw, Lines]:
        """The fight's picture and its log, made once for all pages."""
        if self._shown is None or self._shown[0] != self._number:
            here = [page.who for page in self.pages]
            seen = fight_view(one.session, one.desk, one.table.controller, self.seating, here, one.path.stem)
            self._shown = (self._number, msgspec.Raw(msgspec.json.encode(seen)), one.session.log_lines())
        return self._shown[1:]

    # -- pages --------------------------------------------------------------------------------------------------------

    def enter(self, who: Visitor) -> Page:
        """A page is connected."""
        page = Page(who)
        self.pages.append(page)
        self.changed()
        return page

    def depart(self, page: Page) -> None:
        """It is not any more; its seats stay its own."""
        self.pages.remove(page)
        # A page that came back before its old connection was found dead keeps what it has in hand.
        if self.fingers is not None and all(one.who != page.who for one in self.pages):
            self.fingers.drop(page.who.page)
        self._watch_lamps()
        self.changed()

    def watch(self, page: Page, on: bool) -> None:
        """Whether a page wants the virtual hardware's lamps."""
        page.watches = on and self.fingers is not None
        page.lit, page.lamps = {}, self._seen if page.watches else None
        self._watch_lamps()

    def lamps(self, page: Page) -> Lamps | None:
        """The lamps that a page has not got yet: the newest only, and of the tiles those that changed."""
        seen, page.lamps = page.lamps, None
        if seen is None:
            return None
        now = {(x, y): (red, green, blue) for x, y, red, green, blue in seen.tiles}
        changed = [(*cell, *colour) for cell, colour in now.items() if page.lit.get(cell) != colour]
        page.lit = now
        return msgspec.structs.replace(seen, tiles=changed)

    def _watch_lamps(self) -> None:
        wanted = any(page.watches for page in self.pages)
        if wanted and self._lamps is None:
            self._lamps = asyncio.create_task(self._look_at_lamps())
        elif not wanted and self._lamps is not None:
            self._lamps.cancel()
            self._lamps = None

    async def _look_at_lamps(self) -> None:
        assert self.fingers is not None
        while True:
            bag = None if self.fight is None else self.fight.table.controller.bag
            try:
                seen = await self.fingers.lamps(() if bag is None else bag.inside)
            except Refused as error:
                self._told("lamps", str(error))
            else:
                self._told("lamps", "")
                if seen != self._seen:
                    self._seen = seen
                    for page in self.pages:
                        if page.watches:
                            page.lamps = seen
                            page.wake.set()
            await asyncio.sleep(LAMPS_S)

    # -- fights -------------------------------------------------------------------------------------------------------

    async def begin(self, desk: GameDesk, scenario: str, held: Mapping[str, list[str]]) -> None:
        """A new fight in a new save; only when it is there, the one before is closed. Raises EmberboardError."""
        session, path = begin_fight(desk, scenario, held)
        await self._change_to(session, desk, path)

    async def go_on(self, path: Path, agree: Agree) -> None:
        """Take up a save; only when it is there, the fight before is closed. Raises EmberboardError."""
        session, desk = open_save(path, agree)
        await self._change_to(session, desk, path)

    async def _change_to(self, session: Session, desk: GameDesk, path: Path) -> None:
        try:
            await self.close_fight()
            await self._bus_ready()
        except EmberboardError:
            session.close()
            raise
        except WireError as error:
            session.close()
            raise Refused(f"{error} The fight is kept: open it again.") from error
        await self._lay(session, desk, path)

    async def _lay(self, session: Session, desk: GameDesk, path: Path) -> None:
        works = self.works
        table = WiredTable(
            session,
            works.wire,
            works.registry,
            works.devices,
            works,
            pixels=works.file.rail.pixels,
            tags=self.tags,
            theme=self.theme,
            power=PowerScale.of(works.file, self.theme),
            on_input=self._felt,
        )
        self.seating.lay(session.game.seats())
        helping = None
        if self.fingers is not None:
            helping = asyncio.create_task(HelpingHands(self.fingers, table.controller).run(self._hands_told))
        self.fight = OpenFight(session, desk, path, table, helping)
        table.start()
        table.attach(asyncio.get_running_loop(), self._bus_lost)
        self.changed()

    async def close_fight(self) -> None:
        """Close the fight that is open; it is safe in its save. Raises JournalError when that cannot be finished."""
        fight, self.fight = self.fight, None
        if fight is None:
            return
        fight.table.detach()
        fight.table.show_tiles({})
        if fight.helping is not None:
            fight.helping.cancel()
            with suppress(asyncio.CancelledError):
                await fight.helping
        self.changed()
        fight.session.close()

    def submit(self, one: AnyInput) -> None:
        """An input from a page. Raises Refused with the table's words when it is refused."""
        refused = self.playing().table.submit(one)
        if refused:
            raise Refused(refused)

    def playing(self) -> OpenFight:
        """The fight that is open. Raises Refused when there is none."""
        if self.fight is None:
            raise Refused("No fight is open: choose one first.")
        return self.fight

    def _felt(self, one: AnyInput) -> None:
        if not isinstance(one, Tick):
            self.trace.append((one.at, sensed(one)))
        if self.fingers is not None:
            self.fingers.feel(one)
        self.changed()

    @property
    def trouble(self) -> str:
        """What is wrong with the table's hardware, in words; empty when all is well."""
        return " ".join(filter(None, self._troubles.values()))

    def _told(self, source: str, words: str) -> None:
        if words != self._troubles.get(source, ""):
            self._troubles[source] = words
            self.changed()

    def _hands_told(self, words: str) -> None:
        self._told("hands", words)

    # -- the bus ------------------------------------------------------------------------------------------------------

    def _bus_lost(self, error: WireError) -> None:
        self._told("bus", "The bus to the boards stopped. It is started again; play goes on.")
        task = asyncio.create_task(self._bus_again())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _bus_again(self) -> None:
        try:
            wire = await asyncio.to_thread(self.works.restart_bus)
        except WireError as error:
            self._told("bus", str(error))
            return
        if self.fight is not None:
            self.fight.table.reconnect(wire)
            self.fight.table.attach(asyncio.get_running_loop(), self._bus_lost)
        self._told("bus", "")

    async def _bus_ready(self) -> None:
        """Before a fight: the bus runs, and tells the new table how things stand. Raises Refused."""
        if self._tasks:
            await asyncio.wait(self._tasks)
        # Keys and tokens that nobody waited for say nothing to the next fight; which devices are lost does.
        self.works.devices.drain()
        for event in self.works.devices.standing():
            self.works.devices.put(event)
        try:
            self.works.wire.tell()
        except WireError:  # it ended while no fight was open
            try:
                await asyncio.to_thread(self.works.restart_bus)
            except WireError as error:
                raise Refused(str(error)) from error
        if self.fingers is not None:
            await self.fingers.clear()
            await self._bare()

    async def _bare(self) -> None:
        """Wait until the boards told that the virtual table is bare: a lift is told only when it has lasted."""
        wire = self.works.wire

        def felt() -> int:
            wire.tell()
            wire.statistics()  # answered after that
            return sum(one.mask for one in wire.events() if isinstance(one, BoardState))

        # Not by a timeout: a thread that is left behind would take the events of the table that comes.
        until = asyncio.get_running_loop().time() + BARE_S
        while await asyncio.to_thread(felt) and asyncio.get_running_loop().time() < until:
            await asyncio.sleep(LAMPS_S)
        wire.tell()

    async def close(self) -> None:
        """Close the fight and end everything."""
        for page in self.pages:
            page.watches = False
        self._watch_lamps()
        try:
            await self.close_fight()
        finally:
            if self.fingers is not None:
                self.fingers.close()
            self.works.close()


def sensed(one: AnyInput) -> str:
    """An input in words for the trace: its kind and what it says."""
    plain = msgspec.to_builtins(one)
    plain.pop("at", None)
    kind = plain.pop("type", type(one).__name__)
    said = " ".join(f"{name} {value}" for name, value in plain.items() if value not in ("", None, False))
    return f"{kind} {said}".strip()
