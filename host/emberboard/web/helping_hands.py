"""Virtual hands that put the figures where the light asks, at a table that nobody can reach.

They go by what players see and nothing else: the step that the table shows. What they do is felt through the sensors
like anybody's hands, and they keep to the pauses by which the table tells figures apart.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from emberboard.engine.errors import Refused
from emberboard.engine.question import Cell
from emberboard.table.controller import TableController
from emberboard.table.figures import SLIDE_MS, footprint
from emberboard.table.hardware import AnyInput, Key
from emberboard.table.mending import LEAVE_MS, Step
from emberboard.table.mending_hands import Move, moves_for
from emberboard.virtual.firmware_process import FirmwareError
from emberboard.web.fingers import PATIENCE_S, Fingers

ASTRAY = 4
"""So often the table takes one figure for another before hands begin anew."""
SURE_S = 0.03
"""What hands wait beyond a time that the table goes by."""


def _is(name: str) -> Callable[[AnyInput], bool]:
    return lambda one: isinstance(one, Key) and one.name == name


class HelpingHands:
    """Hands at one table, as long as `fingers.help` is on and no page has a figure in hand."""

    def __init__(self, fingers: Fingers, table: TableController) -> None:
        self.fingers, self.table = fingers, table
        self._landed: dict[Cell, float] = {}
        self._boxed_at = -LEAVE_MS / 1000
        self._waited: Step | None = None
        self._astray = 0

    async def run(self, told: Callable[[str], None]) -> None:
        """Help until cancelled; `told` hears what went wrong, and an empty word when it is well again."""
        while True:
            await self.fingers.wake.wait()
            self.fingers.wake.clear()
            self.fingers.know(self.table.scene)
            try:
                await self._help()
            except (FirmwareError, Refused) as error:
                told(str(error))
            else:
                told("")

    def _wanted(self) -> bool:
        return self.fingers.help and not self.fingers.busy and self.table.phase in ("mending", "bag")

    async def _help(self) -> None:
        while self._wanted():
            before = (self.table.phase, self.table.step, self.table.task)
            async with self.fingers.still:
                if self.table.phase == "bag":
                    await self._bag()
                elif self.table.step is not None:
                    await self._mend(self.table.step)
            await self._until_other(before)
        if self.table.phase == "open":
            self._astray = 0

    async def _bag(self) -> None:
        """Show the reader one token that is to go in or to come out; OK where there is none."""
        bag, task = self.table.bag, self.table.task
        if bag is None or task is None:
            return
        inside = bag.inside
        fits = [tag for tag, kind in bag.tags.items() if kind in (task.take_out if tag in inside else task.put_in)]
        if fits:
            await self.fingers.show(fits[0])
        else:
            await self.fingers.key("OK", _is("OK"))

    async def _mend(self, step: Step) -> None:
        moves = moves_for(step, self.fingers.stands, self.fingers.sizes)
        if step.to and self.fingers.stands.get(step.figure) == step.to[0]:
            moves = self._not_felt(step)
        self._astray += Move("press") in moves
        if self._astray == ASTRAY:
            self._astray = 0
            await self._take_all_off()
            return
        if step.kind == "clear" and not moves:
            await self.fingers.clear_tile(step.start[0])
        if step.kind in ("put", "move", "park"):
            # What left the game may still be what lands somewhere: it is carried to the box first.
            await self._pause(self._boxed_at + LEAVE_MS / 1000)
        for move in moves:
            await self._move(move)
        if step.kind in ("take", "identify"):
            self._boxed_at = asyncio.get_running_loop().time()

    async def _take_all_off(self) -> None:
        """Table and hands do not agree who is who: lay all figures out anew."""
        for who in sorted(self.fingers.stands):
            await self.fingers.take_up(who, felt=True)
        self._boxed_at = asyncio.get_running_loop().time()

    def _not_felt(self, step: Step) -> list[Move]:
        """It was done, and the table has not felt it: a board is slow or away. Wait first, then put it down anew."""
        if self._waited != step:
            self._waited = step
            return []
        self._waited = None
        return [Move("take up", step.figure), Move("put", step.figure, step.to[0])]

    async def _move(self, move: Move) -> None:
        match move.kind:
            case "take up":
                await self._unlike_a_slide(move.figure)
                await self.fingers.take_up(move.figure, felt=True)
            case "put" if move.at is not None:
                await self.fingers.put(move.figure, move.at, felt=True)
                now = asyncio.get_running_loop().time()
                self._landed.update(dict.fromkeys(footprint(move.at, self.fingers.sizes.get(move.figure, 1)), now))
            case "tap":
                await self._unlike_a_slide(move.figure)
                await self.fingers.tap(move.figure)
            case _:
                await self.fingers.key("No", _is("No"))

    async def _unlike_a_slide(self, who: str) -> None:
        """Not at once beside what just landed: that would look like one figure slid from tile to tile."""
        at = self.fingers.stands.get(who)
        if at is None:
            return
        mine = footprint(at, self.fingers.sizes.get(who, 1))
        near = [when for cell, when in self._landed.items() if cell not in mine and _beside(cell, mine)]
        await self._pause(max(near, default=-SLIDE_MS) + SLIDE_MS / 1000)

    async def _pause(self, until: float) -> None:
        left = until + SURE_S - asyncio.get_running_loop().time()
        if left > 0:
            await asyncio.sleep(left)

    async def _until_other(self, before: tuple[object, object, object]) -> None:
        """Wait until the table shows something else, or (something was not felt) long enough to try again."""

        def other() -> bool:
            return (self.table.phase, self.table.step, self.table.task) != before

        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                while not other() and self._wanted():
                    await self.fingers.wake.wait()
                    self.fingers.wake.clear()
        self.fingers.wake.set()


def _beside(cell: Cell, cells: list[Cell]) -> bool:
    return any(abs(cell[0] - x) <= 1 and abs(cell[1] - y) <= 1 for x, y in cells)
