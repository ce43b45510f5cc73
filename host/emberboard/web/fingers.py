"""Fingers at the virtual hardware: what a page does there goes through pins, frames and firmware.

All that touches the virtual table happens in one worker thread, one thing after the other, and nothing else of the
host runs there. Pages drag figures; where they wish, virtual hands put the figures where the light asks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from emberboard.engine.errors import Refused
from emberboard.engine.question import Cell
from emberboard.table.controller import TableController
from emberboard.table.figures import FLICKER_MS, footprint
from emberboard.table.hardware import AnyInput, Key
from emberboard.table.mending_hands import Move, covering, moves_for
from emberboard.virtual.firmware_process import FirmwareError
from emberboard.virtual.table import VirtualTable
from emberboard.web.messages import Finger, Lamps

TAP_S = (FLICKER_MS + 60) / 1000
WAND_S = 0.3
PATIENCE_S = 3.0
"""So long hands wait until something that they did is felt, before they try again."""
T = TypeVar("T")


class Fingers:
    """All fingers of all pages. `run` helps with the figures; call `close` at the end."""

    def __init__(self, virtual: VirtualTable) -> None:
        self.virtual = virtual
        self.help = True
        self.stands: dict[str, Cell] = {}
        self.sizes: dict[str, int] = {}
        self.magnets: set[Cell] = set()
        self.tokens: set[str] = set()
        self.off: set[str] = set()
        self._held: dict[str, str] = {}
        self._seen: dict[Cell, tuple[int, int, int]] = {}
        self._worker = ThreadPoolExecutor(1, "virtual hardware")
        self._felt: list[tuple[Callable[[AnyInput], bool], asyncio.Future[None]]] = []
        self._wake = asyncio.Event()

    async def _do(self, act: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._worker, act)

    def feel(self, one: AnyInput) -> None:
        """The table felt something."""
        for wanted, future in self._felt:
            if not future.done() and wanted(one):
                future.set_result(None)

    def look(self) -> None:
        """The table shows something else: hands look whether they are needed."""
        self._wake.set()

    async def _until_felt(self, wanted: Callable[[AnyInput], bool]) -> bool:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (wanted, future)
        self._felt.append(entry)
        try:
            await asyncio.wait_for(future, PATIENCE_S)
        except TimeoutError:
            return False
        finally:
            self._felt.remove(entry)
        return True

    # -- what pages do ------------------------------------------------------------------------------------------------

    async def point(self, one: Finger, page: str) -> None:
        """Do what a page's finger does. Raises Refused with words."""
        try:
            await self._point(one, page)
        except FirmwareError as error:
            raise Refused(str(error)) from error
        except KeyError:
            raise Refused(f"There is no {one.name or one.cell} at this table.") from None

    async def _point(self, one: Finger, page: str) -> None:
        name, virtual = one.name, self.virtual
        match one.what:
            case "touch" | "lift" | "tap":
                if one.cell is None:
                    raise Refused("Which tile? `cell` is missing.")
                await {"touch": self._touch, "lift": self._lift, "tap": self._tap}[one.what](one.cell, page)
            case "press" | "release":
                await self._do(lambda: (virtual.press if one.what == "press" else virtual.release)(name))
            case "tag":
                await self._do(lambda: virtual.present_tag(name))
                self.tokens.add(name)
            case "untag":
                await self._do(lambda: virtual.take_tag(name))
                self.tokens.discard(name)
            case "unplug":
                await self._do(lambda: virtual.unplug(name))
                self.off.add(name)
            case "replug":
                await self._do(lambda: virtual.replug(name))
                self.off.discard(name)
            case "restart":
                await self._do(lambda: virtual.unplug(name))
                await self._do(lambda: virtual.replug(name))
            case "miss":
                await self._do(lambda: virtual.readers["bag"].fault(miss=2))
            case "break":
                await self._do(lambda: virtual.break_sensors(name))

    async def _touch(self, cell: Cell, page: str) -> None:
        who = self._held.pop(page, "")
        if who:
            await self._put(who, cell)
        else:
            await self._magnet(cell, True)

    async def _lift(self, cell: Cell, page: str) -> None:
        who = covering(cell, self.stands, self.sizes)
        if who:
            await self._take_up(who)
            self._held[page] = who
        else:
            await self._magnet(cell, False)

    async def _tap(self, cell: Cell, page: str) -> None:
        who = covering(cell, self.stands, self.sizes)
        if who:
            await self._tap_figure(who)
        else:
            await self._magnet(cell, True)
            await asyncio.sleep(WAND_S)
            await self._magnet(cell, False)

    async def _tap_figure(self, who: str) -> None:
        at = self.stands[who]
        await self._take_up(who)
        await asyncio.sleep(TAP_S)
        await self._put(who, at)

    async def _magnet(self, cell: Cell, there: bool) -> None:
        (self.magnets.add if there else self.magnets.discard)(cell)
        await self._do(lambda: (self.virtual.touch if there else self.virtual.lift)(cell))

    async def _take_up(self, who: str) -> None:
        at = self.stands.pop(who, None)
        if at is not None:
            for cell in footprint(at, self.sizes.get(who, 1)):
                await self._magnet(cell, False)

    async def _put(self, who: str, at: Cell) -> None:
        self.stands[who] = at
        for cell in footprint(at, self.sizes.get(who, 1)):
            await self._magnet(cell, True)

    async def key(self, name: str, felt: Callable[[AnyInput], bool]) -> None:
        """Press a key until the table felt it, and let go."""
        await self._do(lambda: self.virtual.press(name))
        await self._until_felt(felt)
        await self._do(lambda: self.virtual.release(name))

    def drop(self, page: str) -> None:
        """A page is gone: what it had in hand is put where the light asks, if hands help."""
        self._held.pop(page, None)

    async def clear(self) -> None:
        """Take everything off the table: another fight comes."""
        self.stands, self._held = {}, {}
        for cell in sorted(self.magnets):
            await self._magnet(cell, False)

    # -- helping hands ------------------------------------------------------------------------------------------------

    async def run(self, table: TableController, told: Callable[[str], None]) -> None:
        """Do what the light asks as long as `help` is on; `told` hears what went wrong. Ends when it is cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                await self._help(table)
            except FirmwareError as error:
                told(str(error))

    async def _help(self, table: TableController) -> None:
        self.sizes.update({one.id: one.size for one in table.scene.figures})
        while self.help and not self._held and table.phase in ("mending", "bag"):
            before = (table.phase, table.step)
            if table.phase == "bag":
                await self.key("OK", lambda one: isinstance(one, Key) and one.name == "OK")
            elif table.step is not None:
                for move in moves_for(table.step, self.stands, self.sizes):
                    await self._move(move)
            await self._until_other(table, before)

    async def _move(self, move: Move) -> None:
        match move.kind:
            case "take up":
                await self._take_up(move.figure)
            case "put" if move.at is not None:
                await self._put(move.figure, move.at)
            case "tap":
                await self._tap_figure(move.figure)
            case _:
                await self.key("No", lambda one: isinstance(one, Key) and one.name == "No")

    async def _until_other(self, table: TableController, before: tuple[object, object]) -> None:
        def other() -> bool:
            return (table.phase, table.step) != before

        if other():
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                while not other():
                    await self._wake.wait()
                    self._wake.clear()
        self._wake.set()

    # -- what pages see -----------------------------------------------------------------------------------------------

    async def lamps(self, *, whole: bool) -> Lamps:
        """The lights as they are now: `whole`, or what changed since the last time."""
        seen = await self._do(self.virtual.read_lights)
        before = {} if whole else self._seen
        changed = [(x, y, *colour) for (x, y), colour in seen.items() if before.get((x, y)) != colour]
        self._seen = seen
        buttons = await self._do(self.virtual.read_seats)
        rail = await self._do(self.virtual.read_rail)
        return Lamps(
            tiles=[(one[0], one[1], one[2], one[3], one[4]) for one in changed],
            buttons=sorted(buttons),
            rail=[(red, green, blue) for red, green, blue in rail],
            magnets=sorted(self.magnets),
            tokens=sorted(self.tokens),
            off=sorted(self.off),
        )

    def close(self) -> None:
        """End the worker; the virtual table is closed by who made it."""
        self._worker.shutdown(wait=True, cancel_futures=True)
