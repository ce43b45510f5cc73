"""Random boards for the grid tests, and the same boards as plain sets, on which the oracles work cell by cell."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from hypothesis import strategies as st

from emberboard.engine.grid import Cell, Grid

SIDES = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}
CORNERS = ((1, -1), (1, 1), (-1, 1), (-1, -1))


def row_major(cells: Iterable[Cell]) -> list[Cell]:
    return sorted(cells, key=lambda cell: (cell[1], cell[0]))


@dataclass(frozen=True)
class Board:
    """A board as plain data: existing cells, and walls as unordered pairs."""

    width: int
    height: int
    cells: frozenset[Cell]
    walls: frozenset[frozenset[Cell]]

    @property
    def rectangle(self) -> list[Cell]:
        return [(x, y) for y in range(self.height) for x in range(self.width)]

    def grid(self) -> Grid:
        missing = [cell for cell in self.rectangle if cell not in self.cells]
        return Grid(self.width, self.height, missing=missing, walls=[tuple(wall) for wall in self.walls])

    def beside(self, cell: Cell, walls: bool) -> list[Cell]:
        """The existing cells over the sides of `cell`; with `walls`, only over passable ones."""
        x, y = cell
        around = [(x + dx, y + dy) for dx, dy in SIDES.values()]
        return [
            other for other in around
            if other in self.cells and not (walls and frozenset((cell, other)) in self.walls)
        ]

    def flood(self, source: set[Cell], walls: bool, through: frozenset[Cell] | None = None) -> dict[Cell, int]:
        """Steps from the nearest cell of `source`, by a queue."""
        steps = {cell: 0 for cell in source if cell in self.cells}
        queue = deque(row_major(steps))
        while queue:
            cell = queue.popleft()
            for other in self.beside(cell, walls):
                if other not in steps and (through is None or other in through):
                    steps[other] = steps[cell] + 1
                    queue.append(other)
        return steps


def some(draw: st.DrawFn, things: list, rarity: int = 2) -> list:
    """A part of `things`: each with a chance of about one in 2 ** `rarity`."""
    chosen = (1 << len(things)) - 1
    for _ in range(rarity):
        chosen &= draw(st.integers(0, (1 << len(things)) - 1))
    return [thing for index, thing in enumerate(things) if chosen >> index & 1]


@st.composite
def boards(draw: st.DrawFn, side: int = 9, missing: int = 3, walls: int = 2) -> Board:
    """Boards of up to `side` x `side` cells; `missing` and `walls` say how rare those are."""
    width = draw(st.integers(1, side))
    height = draw(st.integers(1, side))
    rectangle = [(x, y) for y in range(height) for x in range(width)]
    borders = [
        frozenset(((x, y), other))
        for x, y in rectangle
        for other in ((x + 1, y), (x, y + 1))
        if other[0] < width and other[1] < height
    ]
    gone = some(draw, rectangle, missing)
    if len(gone) == len(rectangle):
        gone = gone[1:]
    return Board(width, height, frozenset(rectangle) - frozenset(gone), frozenset(some(draw, borders, walls)))
