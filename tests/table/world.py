"""A table without hardware: figures that truly stand somewhere, tiles that sense them, and what was shown.

The truth is kept here and nowhere else; the table learns of it only by typed inputs. Figures are 1 x 1 or larger.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from emberboard.engine.question import Cell, Json
from emberboard.engine.session import Session
from emberboard.table.controller import DOUBLE_MS, TableController
from emberboard.table.figures import footprint
from emberboard.table.hardware import (
    AnyInput,
    Click,
    Hardware,
    Key,
    RailPicture,
    SeatButton,
    SeatLight,
    TagShown,
    Tick,
    TileGain,
    TileLoss,
    TilesDark,
    TilesSensed,
)

PRESS_MS = DOUBLE_MS + 10
"""Between two presses."""


class Shown:
    """Lights, seats and rail that remember every picture they were given."""

    def __init__(self) -> None:
        self.pictures: list[Any] = []

    def show(self, picture: Any) -> None:
        self.pictures.append(picture)

    @property
    def now(self) -> Any:
        return self.pictures[-1]


class World:
    """The room: a table, its controller, the figures, a wand, the clock."""

    def __init__(self, session: Session, tags: Mapping[str, str] | None = None) -> None:
        self.ms = 1000
        self.lights, self.seats, self.rail = Shown(), Shown(), Shown()
        self.stands: dict[str, Cell | None] = {}
        self.sizes: dict[str, int] = {}
        self.things: set[Cell] = set()
        self.dark: set[Cell] = set()
        self.inputs = 0
        hardware = Hardware(self.lights, self.seats, self.rail)
        self.table = TableController(session, hardware, clock=lambda: self.ms, tags=tags)
        self.session = session
        self.table.start()

    # -- what stands where --------------------------------------------------------------------------------------------

    def set_up(self) -> None:
        """Put every figure of the scene on the table, one after the other, as the light asks."""
        for one in self.table.scene.figures:
            self.sizes[one.id] = one.size
        for _ in self.table.scene.figures:
            step = self.table.view().step
            assert step is not None and step.kind == "put", step
            self.put(step.figure, step.to[0])
            self.wait(300)

    def covered(self, but: str = "") -> dict[Cell, str]:
        """Which figure truly covers which cell."""
        return {
            cell: who
            for who, at in self.stands.items()
            if at is not None and who != but
            for cell in footprint(at, self.sizes.get(who, 1))
        }

    def free(self, at: Cell, who: str = "") -> bool:
        """Whether the figure could be put there: on the board, on nothing else."""
        scene = self.table.scene
        taken = {*self.covered(but=who), *self.things, *((x, y) for x, y in scene.missing)}
        cells = footprint(at, self.sizes.get(who, 1))
        return all(0 <= x < scene.width and 0 <= y < scene.height and (x, y) not in taken for x, y in cells)

    # -- time and inputs ----------------------------------------------------------------------------------------------

    def give(self, one: AnyInput) -> None:
        self.inputs += 1
        self.table.take(one)

    def wait(self, ms: int) -> None:
        """Let time go by, with a tick whenever the table wants one."""
        end = self.ms + ms
        while True:
            due = self.table.due()
            if due is None or due > end:
                break
            self.ms = max(self.ms, due)
            self.give(Tick(at=self.ms))
        self.ms = end

    def key(self, name: str, *, long: bool = False) -> str:
        """Press a key; what the table says to it."""
        self.wait(PRESS_MS)
        self.give(Key(at=self.ms, name=name, long=long))
        return self.table.notice

    def keys(self, *names: str) -> str:
        for name in names:
            self.key(name)
        return self.table.notice

    def number(self, n: int) -> str:
        """Key in a number."""
        while n > 10:
            self.key("+10")
            n -= 10
        return self.key(str(n))

    def button(self, seat: str, yes: bool) -> str:
        self.wait(PRESS_MS)
        self.give(SeatButton(at=self.ms, seat=seat, yes=yes))
        return self.table.notice

    def tag(self, tag: str) -> str:
        self.wait(PRESS_MS)
        self.give(TagShown(at=self.ms, tag=tag))
        return self.table.notice

    def click(self, question: str, value: Json = None, *, offer: str = "", seat: str = "") -> str:
        self.give(Click(at=self.ms, question=question, value=value, offer=offer, seat=seat))
        return self.table.notice

    # -- tiles --------------------------------------------------------------------------------------------------------

    def edge(self, cell: Cell, gain: bool) -> None:
        """What a tile tells, if it can."""
        if cell not in self.dark:
            self.give(TileGain(at=self.ms, cell=cell) if gain else TileLoss(at=self.ms, cell=cell))

    def lift(self, who: str, gap: int = 10) -> None:
        at = self.stands[who]
        assert at is not None, who
        self.stands[who] = None
        for cell in footprint(at, self.sizes.get(who, 1)):
            self.wait(gap)
            self.edge(cell, False)

    def put(self, who: str, at: Cell, gap: int = 10) -> None:
        assert self.free(at, who), (who, at)
        self.stands[who] = at
        for cell in footprint(at, self.sizes.get(who, 1)):
            self.wait(gap)
            self.edge(cell, True)

    def move(self, who: str, to: Cell, ms: int = 300) -> None:
        """Lift and put."""
        if self.stands.get(who) is not None:
            self.lift(who)
        self.wait(ms)
        self.put(who, to)

    def slide(self, who: str, to: Cell, ms: int = 60) -> None:
        """Push a figure one cell on: the next tile senses it before its own lets go."""
        at = self.stands[who]
        assert at is not None and self.free(to, who)
        old, new = footprint(at, self.sizes.get(who, 1)), footprint(to, self.sizes.get(who, 1))
        self.stands[who] = to
        for cell in new:
            if cell not in old:
                self.edge(cell, True)
        self.wait(ms)
        for cell in old:
            if cell not in new:
                self.edge(cell, False)

    def tap(self, who: str, ms: int = 400) -> str:
        """Lift and replace."""
        at = self.stands[who]
        assert at is not None
        self.lift(who)
        self.wait(ms)
        self.put(who, at)
        return self.table.notice

    def wand(self, cell: Cell, ms: int = 500) -> str:
        """Touch an empty tile with the wand; what the table says when it is off again."""
        self.lay(cell)
        self.wait(ms)
        self.pick_up(cell)
        return self.table.notice

    def lay(self, cell: Cell) -> None:
        """Something with a magnet that is no figure is laid down."""
        self.things.add(cell)
        self.edge(cell, True)

    def pick_up(self, cell: Cell) -> None:
        self.things.discard(cell)
        self.edge(cell, False)

    def flicker(self, cell: Cell, ms: int = 60) -> None:
        """A sensor that changes its mind for a moment."""
        there = cell in self.covered() or cell in self.things
        self.edge(cell, not there)
        self.wait(ms)
        self.edge(cell, there)

    def go_dark(self, cells: set[Cell]) -> None:
        self.dark |= cells
        self.give(TilesDark(at=self.ms, cells=tuple(sorted(cells))))

    def come_back(self) -> None:
        """A board that was restarted tells what its tiles sense."""
        cells = self.dark
        self.dark = set()
        there = cells & {*self.covered(), *self.things}
        self.give(TilesSensed(at=self.ms, area=tuple(sorted(cells)), occupied=tuple(sorted(there))))

    # -- what is shown ------------------------------------------------------------------------------------------------

    @property
    def lit(self) -> Mapping[Cell, str]:
        picture: Mapping[Cell, str] = self.lights.now
        return picture

    @property
    def shown_on_rail(self) -> RailPicture:
        picture: RailPicture = self.rail.now
        return picture

    @property
    def shown_at_seats(self) -> Mapping[str, SeatLight]:
        lights: Mapping[str, SeatLight] = self.seats.now
        return lights
