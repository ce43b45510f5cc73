"""Areas: which cells an effect covers.

Evershade prints a diagram, cells around an anchor with what happens in each; it may be turned. Odalin names a size,
"3x3", to be laid anywhere in range, or a line of so many squares in one of eight directions, and counts distance with
diagonals as one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from .grid import OFFSETS, Cell, Grid, GridError
from .grid_reach import DIAGONALS

V = TypeVar("V")


@dataclass(frozen=True)
class Diagram(Generic[V]):
    """Cells around an anchor, as offset (dx, dy) -> what happens there (a damage, an effect) (EV-AOE-01).

    The offsets are kept row-major. The anchor is offset (0, 0), and belongs to the area only if it is listed.
    """

    effects: Mapping[Cell, V]

    def __post_init__(self) -> None:
        ordered = {cell: self.effects[cell] for cell in sorted(self.effects, key=_row_major)}
        object.__setattr__(self, "effects", ordered)

    def turned(self, quarters: int) -> Diagram[V]:
        """The diagram after so many quarter turns clockwise, seen from above."""
        effects = dict(self.effects)
        for _ in range(quarters % 4):
            effects = {(-dy, dx): effect for (dx, dy), effect in effects.items()}
        return Diagram(effects)

    def rotations(self) -> list[Diagram[V]]:
        """The diagram and its turns by one, two and three quarters, without those that look like an earlier one."""
        found: list[Diagram[V]] = []
        for quarters in range(4):
            turned = self.turned(quarters)
            if turned not in found:
                found.append(turned)
        return found

    def at(self, grid: Grid, anchor: Cell) -> dict[Cell, V]:
        """The existing cells covered with the diagram's anchor on `anchor`, and what happens in each; row-major.

        Walls do not limit it (EV-RANGE-02). What lies outside the grid is left out.
        """
        x, y = anchor
        placed = {(x + dx, y + dy): effect for (dx, dy), effect in self.effects.items()}
        return {cell: effect for cell, effect in placed.items() if cell in grid}


def _row_major(cell: Cell) -> Cell:
    return (cell[1], cell[0])


def square_within(grid: Grid, source: int, low: int, high: int | None) -> int:
    """The existing cells at square distance `low`..`high` (None: no limit) from the nearest cell of `source`.

    Square distance counts diagonals as one, max(|dx|, |dy|), over missing cells and walls alike. Raises GridError for
    a negative `low` (OD-RANGE-01, OD-RANGE-02, OD-RANGE-05, OD-RANGE-07).
    """
    if low < 0:
        raise GridError(f"expected a distance of 0 squares or more, got {low}")
    source &= grid.cells
    if not source or (high is not None and high < low):
        return 0
    inner = _spread_square(grid, source, low - 1) if low else 0
    outer = grid.cells if high is None else _spread_square(grid, source, high)
    return outer & ~inner & grid.cells


def square_distance(grid: Grid, a: int, b: int) -> int | None:
    """Least square distance between the existing cells of two masks, 0 where they overlap, None if one has none.

    Serves OD-RANGE-02, OD-RANGE-05, OD-MOVE-13.
    """
    a &= grid.cells
    b &= grid.cells
    if not (a and b):
        return None
    steps = 0
    while not a & b:
        a = _spread_square(grid, a, 1)
        steps += 1
    return steps


def _spread_square(grid: Grid, mask: int, steps: int) -> int:
    # Rows and columns of the rectangle are independent, and past its size nothing grows any more.
    for _ in range(min(steps, max(grid.width, grid.height))):
        mask |= grid.shifted(mask, 1, 0) | grid.shifted(mask, -1, 0)
        mask |= grid.shifted(mask, 0, 1) | grid.shifted(mask, 0, -1)
    return mask


@dataclass(frozen=True)
class Block:
    """A rectangle of `width` x `height` squares laid with its top-left square on `corner`, partly outside if need be.

    `cells`: mask of the existing cells it covers.
    """

    corner: Cell
    width: int
    height: int
    cells: int


def blocks(grid: Grid, source: int, width: int, height: int, reach: int, visible: int) -> list[Block]:
    """Every legal place of an area of `width` x `height` squares, row-major by its top-left square.

    All its squares, existing or not, must be within square distance `reach` of `source`, and at least half of them
    among `visible`. For sides of different length both ways round are listed, the given one first at each place.
    Raises GridError for a side below 1.

    Serves OD-AREA-01, OD-AREA-03..06.
    """
    if width < 1 or height < 1:
        raise GridError(f"expected an area of at least 1 x 1 squares, got {width} x {height}")
    sources = grid.list(source)
    if not sources:
        return []
    shapes = [(width, height)] if width == height else [(width, height), (height, width)]
    # A corner farther from every source than the reach is no place, and leaves nothing to look at.
    west, east = min(x for x, _ in sources) - reach, max(x for x, _ in sources) + reach
    north, south = min(y for _, y in sources) - reach, max(y for _, y in sources) + reach
    found: list[Block] = []
    for y in range(north, south + 1):
        for x in range(west, east + 1):
            for across, down in shapes:
                squares = [(x + dx, y + dy) for dy in range(down) for dx in range(across)]
                if all(_near(square, sources, reach) for square in squares):
                    cells = grid.mask(square for square in squares if square in grid)
                    if 2 * (cells & visible).bit_count() >= len(squares):
                        found.append(Block((x, y), across, down, cells))
    return found


def _near(square: Cell, sources: list[Cell], reach: int) -> bool:
    x, y = square
    return any(max(abs(x - sx), abs(y - sy)) <= reach for sx, sy in sources)


def lines(grid: Grid, source: int, length: int) -> list[list[Cell]]:
    """Every line of `length` squares from a figure on `source`: its existing cells, nearest first.

    A line runs in one of the eight directions, and its k-th square is at square distance k from the figure. Lines are
    listed by the square of the figure they leave from, row-major, then by direction: north, east, south, west, then
    the corners from northeast clockwise. Walls do not end it, since each target on it needs vision instead; a line
    without existing cells is left out. Raises GridError for a length below 1.

    Serves OD-LINE-01..04, OD-LINE-06. For Evershade's lines see `Grid.line`.
    """
    if length < 1:
        raise GridError(f"expected a line of at least 1 square, got {length}")
    figure = grid.list(source)
    found: list[list[Cell]] = []
    for x, y in figure:
        for dx, dy in (*OFFSETS.values(), *DIAGONALS.values()):
            squares = [(x + dx * k, y + dy * k) for k in range(1, length + 1)]
            leaves = all(not _near(square, figure, k) for k, square in enumerate(squares))
            existing = [square for square in squares if square in grid]
            if leaves and existing:
                found.append(existing)
    return found
