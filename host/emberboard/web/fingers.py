"""Fingers at the virtual hardware: what a page does there goes through pins, frames and firmware.

All that touches the virtual table happens in one worker thread, one thing after the other, and nothing else of the
host runs there. Where each figure and token truly is, is known here alone: the table has to find it out by its sensors.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TypeVar

from emberboard.engine.errors import Refused
from emberboard.engine.question import Cell
from emberboard.engine.scene import Scene
from emberboard.table.figures import FLICKER_MS, footprint
from emberboard.table.hardware import AnyInput, TagShown, TileGain, TileLoss, TilesSensed
from emberboard.table.mending_hands import covering
from emberboard.virtual.firmware_process import FirmwareError
from emberboard.virtual.table import VirtualTable
from emberboard.web.messages import Finger, Lamps

TAP_S = (FLICKER_MS + 60) / 1000
WAND_S = 0.3
"""So long the wand is laid on: longer than the table waits for the other tiles of a large base."""
PATIENCE_S = 6.0
"""So long is waited until what was done is felt."""
NOISE_S = 2.0
NOISE_SHARE = 0.3
"""Of what boards say one bit is wrong in this share, while the line is noisy."""
MISSED_POLLS = 2
T = TypeVar("T")


class Fingers:
    """All fingers of all pages. Call `close` at the end.

    `stands` is where each figure truly stands, by its top-left cell; a figure that stands nowhere and is in no page's
    hand is in the box. `still` is held by whoever moves something, so that no two hands reach for one figure.
    """

    def __init__(self, virtual: VirtualTable) -> None:
        self.virtual = virtual
        self.help = True
        self.stands: dict[str, Cell] = {}
        self.sizes: dict[str, int] = {}
        self.magnets: set[Cell] = set()
        self.tokens: set[str] = set()
        self.still = asyncio.Lock()
        self.wake = asyncio.Event()
        """Set when the table shows something else, or a hand is empty again: hands look whether they are needed."""
        self._held: dict[str, str] = {}
        self._down: dict[str, set[str]] = {}
        self._worker = ThreadPoolExecutor(1, "virtual hardware")
        self._felt: list[tuple[Callable[[AnyInput], bool], asyncio.Future[None]]] = []
        self._noise: asyncio.TimerHandle | None = None

    @property
    def busy(self) -> bool:
        """Whether some page has a figure in hand."""
        return bool(self._held)

    def know(self, scene: Scene) -> None:
        """Learn the figures of a scene and how large they are."""
        self.sizes.update({one.id: one.size for one in scene.figures})

    async def _do(self, act: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._worker, act)

    # -- what the table feels -----------------------------------------------------------------------------------------

    def feel(self, one: AnyInput) -> None:
        """The table felt something."""
        for wanted, future in self._felt:
            if not future.done() and wanted(one):
                future.set_result(None)

    async def felt(self, act: Callable[[], object], *wanted: Callable[[AnyInput], bool]) -> bool:
        """Do something; whether the table felt all that is wanted within PATIENCE_S."""
        loop = asyncio.get_running_loop()
        entries = [(one, loop.create_future()) for one in wanted]
        self._felt += entries
        try:
            await self._do(act)
            async with asyncio.timeout(PATIENCE_S):
                await asyncio.gather(*(future for _, future in entries))
        except TimeoutError:
            return False
        finally:
            for entry in entries:
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
            case "touch" | "lift" | "tap" | "bounce":
                if one.cell is None:
                    raise Refused("Which tile? `cell` is missing.")
                virtual.place_of(one.cell)
                async with self.still:
                    await self._at_tile(one.what, one.cell, name, page)
            case "box":
                self._held.pop(page, None)
                self.wake.set()
            case "press":
                await self._do(lambda: virtual.press(name))
                self._down.setdefault(name, set()).add(page)
            case "release":
                await self._release(name, page)
            case "tag":
                await self._do(lambda: virtual.present_tag(name))
                self.tokens.add(name)
            case "untag":
                await self._do(lambda: virtual.take_tag(name))
                self.tokens.discard(name)
            case "show":
                await self.show(name)
            case "unplug":
                await self._do(lambda: virtual.unplug(name))
            case "replug":
                await self._do(lambda: virtual.replug(name))
            case "restart":
                await self._do(lambda: virtual.unplug(name))
                await self._do(lambda: virtual.replug(name))
            case "break":
                await self._do(lambda: virtual.break_sensors(name))
            case "noise":
                await self._disturb()
            case "miss":
                await self._do(lambda: virtual.readers["bag"].fault(miss=MISSED_POLLS))

    # -- tiles --------------------------------------------------------------------------------------------------------

    async def _at_tile(self, what: str, cell: Cell, name: str, page: str) -> None:
        match what:
            case "lift":
                await self._lift(cell, page)
            case "touch":
                await self._touch(cell, name, page)
            case "bounce":
                await self._bounce(cell, name, page)
            case _:
                await self._tap(cell)

    def _taken_in_hand(self, name: str, page: str) -> str:
        """What is put down: the figure `name` out of the box, else what is in hand. Raises Refused, KeyError."""
        mine = self._held.get(page, "")
        if not name or name == mine:
            return mine
        if name not in self.sizes:
            raise KeyError(name)
        if name in self.stands:
            raise Refused("That figure stands on the table: lift it there.")
        if name in self._held.values():
            raise Refused("Another page has that figure in hand.")
        return name

    async def _touch(self, cell: Cell, name: str, page: str) -> None:
        who = self._taken_in_hand(name, page)
        if not who:
            await self._magnets([cell], there=True)
            return
        self._fits(who, cell)
        if self._held.get(page) == who:
            del self._held[page]
        await self.put(who, cell)
        self.wake.set()

    def _fits(self, who: str, at: Cell) -> None:
        for cell in footprint(at, self.sizes.get(who, 1)):
            if covering(cell, self.stands, self.sizes):
                raise Refused("Something stands there: put it beside.")
            try:
                self.virtual.place_of(cell)
            except KeyError:
                raise Refused("There it would stand over the table's edge.") from None

    async def _lift(self, cell: Cell, page: str) -> None:
        if page in self._held:
            raise Refused("This hand is full: put down what it has first.")
        who = covering(cell, self.stands, self.sizes)
        if who:
            self._held[page] = who
            await self.take_up(who)
        else:
            await self._magnets([cell], there=False)

    async def _tap(self, cell: Cell) -> None:
        who = covering(cell, self.stands, self.sizes)
        if who:
            await self.tap(who)
        else:
            await self._magnets([cell], there=True)
            await asyncio.sleep(WAND_S)
            await self._magnets([cell], there=False)

    async def _bounce(self, cell: Cell, name: str, page: str) -> None:
        """Put down what is in hand so that it wobbles; or knock against what stands there."""
        if name or page in self._held:
            await self._touch(cell, name, page)
        who = covering(cell, self.stands, self.sizes)
        cells = footprint(self.stands[who], self.sizes.get(who, 1)) if who else [cell]

        def wobble() -> None:
            for one in cells:
                self.virtual.bounce(one)

        await self._do(wobble)

    async def _magnets(self, cells: Sequence[Cell], *, there: bool) -> None:
        (self.magnets.update if there else self.magnets.difference_update)(cells)
        move = self.virtual.touch if there else self.virtual.lift
        await self._do(lambda: [move(cell) for cell in cells])

    async def _felt_magnets(self, cells: Sequence[Cell], *, there: bool) -> None:
        """The same, and wait until the boards that have power told of it."""
        fresh = [cell for cell in cells if (cell in self.magnets) != there]
        (self.magnets.update if there else self.magnets.difference_update)(fresh)
        move = self.virtual.touch if there else self.virtual.lift
        dark = await self._do(self.virtual.unplugged)
        live = [cell for cell in fresh if self.virtual.place_of(cell) not in dark]
        await self.felt(lambda: [move(cell) for cell in fresh], *(_tells(cell, there) for cell in live))

    async def take_up(self, who: str, *, felt: bool = False) -> None:
        """Lift a figure off the table; with `felt`, wait until the table knows."""
        at = self.stands.pop(who, None)
        if at is not None:
            cells = footprint(at, self.sizes.get(who, 1))
            await (self._felt_magnets if felt else self._magnets)(cells, there=False)

    async def put(self, who: str, at: Cell, *, felt: bool = False) -> None:
        """Put a figure down with its top-left tile at `at`."""
        self.stands[who] = at
        cells = footprint(at, self.sizes.get(who, 1))
        await (self._felt_magnets if felt else self._magnets)(cells, there=True)

    async def tap(self, who: str) -> None:
        """Lift a figure for a moment and put it back."""
        at = self.stands[who]
        await self.take_up(who, felt=True)
        await asyncio.sleep(TAP_S)
        await self.put(who, at, felt=True)

    async def clear_tile(self, cell: Cell) -> None:
        """Take away a magnet that is no figure's."""
        await self._felt_magnets([cell], there=False)

    # -- keys and tokens ----------------------------------------------------------------------------------------------

    async def key(self, name: str, felt: Callable[[AnyInput], bool]) -> None:
        """Press a key until the table felt it, and let go."""
        try:
            await self.felt(lambda: self.virtual.press(name), felt)
        finally:
            self._worker.submit(self.virtual.release, name)

    async def _release(self, name: str, page: str) -> None:
        """The key comes up when the last finger leaves it."""
        fingers = self._down.get(name, set())
        fingers.discard(page)
        if not fingers:
            self._down.pop(name, None)
            await self._do(lambda: self.virtual.release(name))

    async def show(self, tag: str) -> None:
        """Show a token to the reader until it is read, and take it away. Raises Refused when it is not."""
        if tag in self.tokens:
            raise Refused("That token lies at the reader: take it away first.")
        self.tokens.add(tag)
        try:
            read = await self.felt(
                lambda: self.virtual.present_tag(tag), lambda one: isinstance(one, TagShown) and one.tag == tag
            )
        finally:
            self.tokens.discard(tag)
            await self._do(lambda: self.virtual.take_tag(tag))
        if not read:
            raise Refused("The reader did not read that token: show it again.")

    # -- faults -------------------------------------------------------------------------------------------------------

    async def _disturb(self) -> None:
        loop = asyncio.get_running_loop()
        if self._noise is not None:
            self._noise.cancel()
        self._noise = loop.call_later(NOISE_S, self._quiet)
        await self._do(lambda: self.virtual.disturb(NOISE_SHARE))

    def _quiet(self) -> None:
        self._noise = None
        self._worker.submit(self.virtual.disturb, 0.0)

    # -- coming and going ---------------------------------------------------------------------------------------------

    def drop(self, page: str) -> None:
        """A page is gone: its figure goes into the box, or where the light asks if hands help; its keys come up."""
        if self._held.pop(page, ""):
            self.wake.set()
        for name in [key for key, fingers in self._down.items() if page in fingers]:
            self._down[name].discard(page)
            if not self._down[name]:
                del self._down[name]
                self._worker.submit(self.virtual.release, name)

    async def clear(self) -> None:
        """Take everything off the table and the reader, and all fingers off the keys: another fight comes."""
        async with self.still:
            for name in sorted(self._down):
                await self._do(partial(self.virtual.release, name))
            self._down = {}
            self.stands, self.sizes, self._held = {}, {}, {}
            for cell in sorted(self.magnets):
                # A board that just restarts has nothing on it when it is back.
                with suppress(FirmwareError):
                    await self._magnets([cell], there=False)
            for tag in sorted(self.tokens):
                await self._do(partial(self.virtual.take_tag, tag))
            self.tokens.clear()

    async def lamps(self, inside: Collection[str] = ()) -> Lamps:
        """The virtual hardware as it is now; `inside` are the tokens in the bag. Raises Refused in words."""

        def look() -> Lamps:
            virtual = self.virtual
            return Lamps(
                tiles=[(x, y, *colour) for (x, y), colour in sorted(virtual.read_lights().items())],
                buttons=sorted(virtual.read_seats()),
                rail=[(red, green, blue) for red, green, blue in virtual.read_rail()],
                off=sorted(virtual.unplugged()),
            )

        try:
            seen = await self._do(look)
        except FirmwareError as error:
            raise Refused(str(error)) from error
        seen.magnets, seen.tokens, seen.inside = sorted(self.magnets), sorted(self.tokens), sorted(inside)
        seen.stands, seen.held, seen.noise = dict(self.stands), sorted(self._held.values()), self._noise is not None
        return seen

    def close(self) -> None:
        """End the worker; the virtual table is closed by who made it."""
        if self._noise is not None:
            self._noise.cancel()
        self._worker.shutdown(wait=True, cancel_futures=True)


def _tells(cell: Cell, there: bool) -> Callable[[AnyInput], bool]:
    """Whether an input says that a magnet came to a tile, or (not `there`) that it is gone."""

    def told(one: AnyInput) -> bool:
        if isinstance(one, TilesSensed):
            return cell in one.area and (cell in one.occupied) == there
        return isinstance(one, TileGain if there else TileLoss) and one.cell == cell

    return told
