"""Sight from corner to corner, after Odalin.

Two cells see each other if one of the sixteen straight lines from a corner of one to a corner of the other is clear.
A line is broken as soon as it touches a barrier, be it with an end or at a corner: barriers are closed squares, walls
between cells are closed segments, and everything outside the existing cells is barrier. Read to the letter nobody
could look along a corridor, since each corner in it touches a wall; so when none of the exact lines is clear, the
same lines are tried between corners pulled inward by 1/1024 of a cell (OD-VISION-08).

All of it is whole numbers, in units of 1/1024 cell. Both directions are one computation on the same ordered pair, so
sight cannot be one-sided.

The answer to "does it see" needs the inset lines alone. A clear exact line keeps its distance from every barrier:
barriers have lattice points for corners, and a line through two lattice points at most n cells apart each way passes
any other at 1/(n * sqrt 2) or more. Pulling its ends inward moves it by at most sqrt 2 / 1024, which is less on boards
of up to 511 cells a side, so the inset line is then clear as well. Only `clearance`, which tells the two apart, looks
at the exact ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from .grid import Cell, Grid, GridError

UNIT = 1024
"""Parts of a cell. A corner is pulled inward by one part."""

LARGEST = UNIT // 2 - 1
"""The largest side of a board, in cells, for which the inset lines alone decide."""

_CORNERS: tuple[Cell, ...] = ((0, 0), (1, 0), (0, 1), (1, 1))


class Vision:
    """Who sees whom on a grid with these barriers.

    `barriers`: mask of the walls and closed doors. Missing cells and everything outside are barriers without being
    named, walls between cells are taken from the grid; nothing else stops sight (OD-VISION-02, OD-VISION-07,
    OD-VISION-11). The barriers never change: when a door opens, make another one. What was found is kept.

    Serves OD-VISION-01..11, OD-RANGE-03, OD-AREA-05, OD-AREA-06. Raises GridError for a board side above 511 cells.
    """

    def __init__(self, grid: Grid, barriers: int = 0) -> None:
        if max(grid.width, grid.height) > LARGEST:
            raise GridError(f"expected at most {LARGEST} cells a side, got {grid.width} x {grid.height}")
        self.grid = grid
        self.open = grid.cells & ~barriers
        """The cells that can be seen into: the existing ones that are no barrier."""
        self._size = grid.width * grid.height
        east = south = 0
        for first, second in grid.walls:
            if first[1] == second[1]:
                east |= grid.bit(first)
            else:
                south |= grid.bit(first)
        # Closed cells, then walls at the east of a cell, then walls at the south: one number, met by one `&`.
        everything = (1 << self._size) - 1
        self._stops = (everything & ~self.open) | east << self._size | south << 2 * self._size
        self._seen: dict[Cell, int] = {}

    def sees(self, a: int, b: int) -> bool:
        """Whether any cell of `a` sees any cell of `b`; cells in common always do (OD-VISION-05, 06, 10)."""
        if a & b & self.grid.cells:
            return True
        targets = self.grid.list(b & self.open)
        return any(self._clear(cell, target) for cell in self.grid.list(a & self.open) for target in targets)

    def visible(self, cell: Cell) -> int:
        """All cells seen from `cell`, itself included; barriers are never seen (OD-VISION-04, OD-AREA-06).

        Raises GridError outside the rectangle.
        """
        found = self._seen.get(cell)
        if found is None:
            bit = self.grid.bit(cell)
            found = bit & self.grid.cells
            if bit & self.open:
                for target in self.grid.list(self.open ^ bit):
                    if self._clear(cell, target):
                        found |= self.grid.bit(target)
            self._seen[cell] = found
        return found

    def visible_from(self, mask: int) -> int:
        """All cells seen from any cell of `mask`: what a figure of several cells sees (OD-VISION-06)."""
        found = 0
        for cell in self.grid.list(mask & self.grid.cells):
            found |= self.visible(cell)
        return found

    def clearance(self, a: Cell, b: Cell) -> str | None:
        """By which kind of line `a` sees `b`: "exact", "inset" when only that is clear, None when it does not see it.

        A cell sees itself exactly (OD-VISION-03, OD-VISION-08, OD-VISION-10). Raises GridError outside the rectangle.
        """
        if not self.sees(self.grid.bit(a), self.grid.bit(b)):
            return None
        if a == b or any(self._exactly_clear(_line(a, b, 0, which)) for which in range(16)):
            return "exact"
        return "inset"

    def _clear(self, a: Cell, b: Cell) -> bool:
        """Whether an inset line between two different cells is clear."""
        (ax, ay), (bx, by) = (a, b) if (a[1], a[0]) < (b[1], b[0]) else (b, a)
        width = self.grid.width
        # An inset line stays within the rectangle spanned by its two cells, so it can be drawn at the top left of the
        # board once and for all; the stops are moved under it.
        stops = self._stops >> ay * width + min(ax, bx)
        return any(not stops & _inset_line(width, self._size, bx - ax, by - ay, which) for which in range(16))

    def _exactly_clear(self, line: _Line) -> bool:
        grid = self.grid
        above: tuple[int, int] | None = None
        for row, west, east in _rows(line):
            for column in range(west, east + 1):
                if (column, row) not in grid or not grid.bit((column, row)) & self.open:
                    return False
            if any(grid.wall_between((column, row), (column + 1, row)) for column in range(west, east)):
                return False
            for column in _common(above, west, east):
                if grid.wall_between((column, row - 1), (column, row)):
                    return False
            above = west, east
        return True


_Line = tuple[int, int, int, int]
"""A closed segment from (x0, y0) to (x1, y1), in parts of a cell, with y0 <= y1."""


def _line(a: Cell, b: Cell, inward: int, which: int) -> _Line:
    """One of the sixteen lines from a corner of `a` to a corner of `b`, both pulled `inward` by so many parts."""
    far = UNIT - 2 * inward
    (ax, ay), (bx, by) = (
        (x * UNIT + inward + cx * far, y * UNIT + inward + cy * far)
        for (x, y), (cx, cy) in ((a, _CORNERS[which // 4]), (b, _CORNERS[which % 4]))
    )
    return (ax, ay, bx, by) if ay <= by else (bx, by, ax, ay)


@lru_cache(maxsize=1 << 17)
def _inset_line(width: int, size: int, dx: int, dy: int, which: int) -> int:
    """What an inset line touches, for two cells `dx`, `dy` apart (dy >= 0), drawn at the top left of the board.

    Laid out as `Vision._stops` is, for a board of `width` columns and `size` cells.
    """
    line = _line((max(0, -dx), 0), (max(0, dx), dy), 1, which)
    cells = walls_east = walls_south = 0
    above: tuple[int, int] | None = None
    for row, west, east in _rows(line):
        start = row * width + west
        cells |= (2 << east - west) - 1 << start
        walls_east |= (1 << east - west) - 1 << start
        common = _common(above, west, east)
        walls_south |= (1 << len(common)) - 1 << (row - 1) * width + common.start if common else 0
        above = west, east
    return cells | walls_east << size | walls_south << 2 * size


def _rows(line: _Line) -> Iterator[tuple[int, int, int]]:
    """The cells whose closed square a line touches: for each row, top down, the row and its first and last column.

    Borders follow from it. Between two neighbouring cells of one row the line touches their border, since it passes
    from one to the other within the closed row; and it touches the border below a cell exactly if it touches the cell
    and the one below, since it leaves a row only once.
    """
    x0, y0, x1, y1 = line
    length = y1 - y0
    first, last = -(-y0 // UNIT) - 1, y1 // UNIT
    if not length:
        west, east = -(-min(x0, x1) // UNIT) - 1, max(x0, x1) // UNIT
        for row in range(first, last + 1):
            yield row, west, east
        return
    # The column where the line is at a height, times `length`, so that it stays whole.
    slope = x1 - x0
    cell = UNIT * length
    here = x0 * length
    for row in range(first, last + 1):
        there = x0 * length + slope * (min((row + 1) * UNIT, y1) - y0)
        low, high = (here, there) if slope > 0 else (there, here)
        yield row, -(-low // cell) - 1, high // cell
        here = there


def _common(above: tuple[int, int] | None, west: int, east: int) -> range:
    """The columns that a line touches in a row, `west`..`east`, and in the row above it."""
    return range(0) if above is None else range(max(above[0], west), min(above[1], east) + 1)
