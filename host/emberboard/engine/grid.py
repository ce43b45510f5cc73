"""Square grids as bitboards.

A set of cells is a Python int, one bit a cell: bit index = y * width + x, (0, 0) top left, x to the right, y
down. Such an int is called a *mask* here. Python's ints are as long as they need to be, so a 6 x 5 sheet and
a 36 x 36 table are the same code, and a step of a whole region is a handful of shifts.

This file holds the board itself: which cells exist, which borders between them cannot be passed, and what
follows from that alone (neighbours, range, straight lines, floods, footprints). What figures can reach is
`grid_reach`, by which way `grid_paths`, areas are `grid_area`, sight is `grid_vision`.

Every listing of cells is row-major (y, then x) unless its docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

Cell: TypeAlias = tuple[int, int]
"""A cell as (x, y)."""

Wall: TypeAlias = tuple[Cell, Cell]
"""An impassable border, named by the two cells on its sides."""

# `Grid.list` hides the builtin in the annotations of the class body, so these stand in for it there.
Cells: TypeAlias = list[Cell]
Masks: TypeAlias = list[int]

DIRECTIONS: tuple[str, ...] = ("north", "east", "south", "west")
"""The four sides of a cell, in the order every answer about sides is given in."""

OFFSETS: dict[str, Cell] = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}
"""What one step to a side adds to (x, y)."""


class GridError(ValueError):
    """A question that makes no sense on this grid; the message says what was expected and what came."""


class Grid:
    """A board of `width` x `height` square cells, some of which may be missing, with impassable borders
    between some of them.

    A grid never changes; two grids with the same size, cells and walls are equal. Masks given to its methods
    may hold bits of missing cells: they are left out of every answer.

    Serves EV-SPACE-02, EV-BORDER-02, EV-BORDER-05, EV-RANGE-01..06, EV-COVER-02 and, for room tiles,
    OD-VISION-07.
    """

    def __init__(
        self, width: int, height: int, *, missing: Iterable[Cell] = (), walls: Iterable[Wall] = ()
    ) -> None:
        """`missing`: cells of the rectangle that do not exist. `walls`: pairs of cells (either order) whose
        border is impassable.

        A wall with one of its cells outside the rectangle is the edge of the board and is ignored. Raises
        GridError for a size below 1, a missing cell outside the rectangle, and a wall that is not between
        orthogonal neighbours or lies outside.
        """
        if width < 1 or height < 1:
            raise GridError(f"a grid is at least 1 x 1 cells, not {width} x {height}")
        self.width = width
        self.height = height
        self._size = width * height
        self._all = (1 << self._size) - 1
        self._cell_at: tuple[Cell, ...] = tuple((x, y) for y in range(height) for x in range(width))
        self._neighbours: dict[Cell, Cells] = {}
        first_column = sum(1 << (y * width) for y in range(height))
        self._not_first_column = self._all ^ first_column
        self._not_last_column = self._all ^ (first_column << (width - 1))

        self.cells: int = self._all
        for cell in missing:
            self.cells &= ~self.bit(cell)

        # One bit for each border, kept at its western or northern cell.
        self._wall_east = 0
        self._wall_south = 0
        for wall in walls:
            self._add_wall(wall)

        cells = self.cells
        self._go_east = cells & (cells >> 1) & self._not_last_column & ~self._wall_east
        self._go_south = cells & (cells >> width) & ~self._wall_south
        self._go_west = self._go_east << 1
        self._go_north = self._go_south << width
        self._exits = dict(zip(DIRECTIONS, (self._go_north, self._go_east, self._go_south, self._go_west)))

    def _add_wall(self, wall: Wall) -> None:
        (ax, ay), (bx, by) = first, second = wall
        if abs(ax - bx) + abs(ay - by) != 1:
            raise GridError(f"expected a wall between cells with a common side, got {first} and {second}")
        inside = [self._inside(first), self._inside(second)]
        if not any(inside):
            raise GridError(
                f"expected a wall within {self.width} x {self.height} cells, got {first} and {second}"
            )
        if not all(inside):
            return
        corner = self.bit((min(ax, bx), min(ay, by)))
        if ay == by:
            self._wall_east |= corner
        else:
            self._wall_south |= corner

    def _inside(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self.width and 0 <= cell[1] < self.height

    def _existing(self, cell: Cell) -> int:
        bit = self.bit(cell)
        if not bit & self.cells:
            raise GridError(f"expected an existing cell, got the missing cell {cell}")
        return bit

    def _identity(self) -> tuple[int, int, int, int, int]:
        return (self.width, self.height, self.cells, self._wall_east, self._wall_south)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Grid) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        missing = (self._all ^ self.cells).bit_count()
        walls = self._wall_east.bit_count() + self._wall_south.bit_count()
        return f"<Grid {self.width} x {self.height}, {missing} missing, {walls} walls>"

    def __contains__(self, cell: object) -> bool:
        """Whether `cell` exists: inside the rectangle and not missing."""
        if not (isinstance(cell, tuple) and len(cell) == 2):
            return False
        return self._inside(cell) and bool(self.bit(cell) & self.cells)

    # -- cells and masks -------------------------------------------------------------------------------------

    def bit(self, cell: Cell) -> int:
        """The mask of one cell of the rectangle, existing or missing. Raises GridError outside the rectangle.
        """
        x, y = cell
        if not (0 <= x < self.width and 0 <= y < self.height):
            raise GridError(f"expected a cell of the grid of {self.width} x {self.height} cells, got {cell}")
        return 1 << (y * self.width + x)

    def mask(self, cells: Iterable[Cell]) -> int:
        """The mask of several cells of the rectangle. Raises GridError outside the rectangle."""
        mask = 0
        for cell in cells:
            mask |= self.bit(cell)
        return mask

    def list(self, mask: int) -> Cells:
        """The cells of a mask, row-major. Raises GridError for a mask with bits outside the rectangle."""
        if mask < 0 or mask >> self._size:
            raise GridError(
                f"expected a mask for {self.width} x {self.height} cells, {self._size} bits, got {mask:#x}"
            )
        cell_at = self._cell_at
        return [cell_at[index] for index, digit in enumerate(reversed(f"{mask:b}")) if digit == "1"]

    @property
    def walls(self) -> tuple[Wall, ...]:
        """Every impassable border, the western or northern cell first, row-major; a cell's eastern one before
        its southern one.
        """
        found: list[tuple[int, int, Wall]] = []
        for x, y in self.list(self._wall_east):
            found.append((self.bit((x, y)), 0, ((x, y), (x + 1, y))))
        for x, y in self.list(self._wall_south):
            found.append((self.bit((x, y)), 1, ((x, y), (x, y + 1))))
        return tuple(wall for _, _, wall in sorted(found))

    # -- one cell and its sides ------------------------------------------------------------------------------

    def neighbours(self, cell: Cell) -> Cells:
        """The connected cells: those across a passable side, in the order north, east, south, west
        (EV-SPACE-02, EV-BORDER-02).

        Raises GridError if `cell` does not exist.
        """
        known = self._neighbours.get(cell)
        if known is None:
            bit = self._existing(cell)
            x, y = cell
            known = [(x + dx, y + dy) for side, (dx, dy) in OFFSETS.items() if bit & self._exits[side]]
            self._neighbours[cell] = known
        return known.copy()

    def adjacent(self, cell: Cell) -> Cells:
        """The existing cells across any side, walls ignored, in the order north, east, south, west
        (EV-BORDER-04, EV-BORDER-05).

        Raises GridError if `cell` does not exist.
        """
        self._existing(cell)
        x, y = cell
        return [(x + dx, y + dy) for dx, dy in OFFSETS.values() if (x + dx, y + dy) in self]

    def wall_between(self, a: Cell, b: Cell) -> bool:
        """Whether the common side of two cells is impassable. False for cells without a common side
        (EV-BORDER-02).

        Raises GridError outside the rectangle.
        """
        self.bit(a)
        self.bit(b)
        (ax, ay), (bx, by) = a, b
        if abs(ax - bx) + abs(ay - by) != 1:
            return False
        corner = self.bit((min(ax, bx), min(ay, by)))
        return bool(corner & (self._wall_east if ay == by else self._wall_south))

    def walled_sides(self, cell: Cell) -> tuple[str, ...]:
        """The sides of `cell` with an impassable border, among "north", "east", "south", "west", in that
        order (EV-COVER-02, 03).

        The edge of the board is no such border. Raises GridError if `cell` does not exist.
        """
        self._existing(cell)
        x, y = cell
        return tuple(
            side
            for side, (dx, dy) in OFFSETS.items()
            if self._inside((x + dx, y + dy)) and self.wall_between(cell, (x + dx, y + dy))
        )

    # -- regions ---------------------------------------------------------------------------------------------

    def step(self, mask: int) -> int:
        """All cells one passable side step from `mask`. Cells of `mask` are in it only if reached from
        another (EV-SPACE-02).
        """
        return (
            (mask & self._go_east) << 1
            | (mask & self._go_west) >> 1
            | (mask & self._go_south) << self.width
            | (mask & self._go_north) >> self.width
        )

    def spread(self, mask: int) -> int:
        """All existing cells one side step from `mask`, walls ignored (EV-RANGE-01)."""
        mask &= self.cells
        return (
            (mask & self._not_last_column) << 1
            | (mask & self._not_first_column) >> 1
            | mask << self.width
            | mask >> self.width
        ) & self.cells

    def exits(self, side: str) -> int:
        """The cells from which a step to `side` ("north", "east", "south", "west") is passable (EV-SPACE-02).

        Raises GridError for another word.
        """
        if side not in self._exits:
            raise GridError(f"expected one of {', '.join(DIRECTIONS)}, got {side!r}")
        return self._exits[side]

    def shifted(self, mask: int, dx: int, dy: int) -> int:
        """`mask` moved by `dx` cells east and `dy` cells south, over walls; what leaves the rectangle is lost.

        Missing cells are kept, so that a mask of obstacles can be moved as well as one of figures.
        """
        if abs(dx) >= self.width or abs(dy) >= self.height:
            return 0
        first_column = self._all ^ self._not_first_column
        staying = first_column * ((1 << (self.width - abs(dx))) - 1)
        mask &= self._all
        if dx >= 0:
            mask = (mask & staying) << dx
        else:
            mask = (mask & (staying << -dx)) >> -dx
        return mask << dy * self.width & self._all if dy >= 0 else mask >> -dy * self.width

    def layers(
        self, source: int, *, through: int | None = None, limit: int | None = None, walls: bool = True
    ) -> Masks:
        """Breadth first from `source`: layers[d] is the mask of cells exactly d side steps away, layers[0]
        the source itself.

        `through`: the cells that may be entered (default all); the source need not be among them. `limit`:
        most steps. `walls`: whether impassable borders stop a step. No layer is empty; an empty source gives
        no layer.
        """
        reached = source & self.cells
        if not reached:
            return []
        free = self.cells if through is None else self.cells & through
        advance = self.step if walls else self.spread
        found = [reached]
        frontier = reached
        while limit is None or len(found) <= limit:
            frontier = advance(frontier) & free & ~reached
            if not frontier:
                break
            reached |= frontier
            found.append(frontier)
        return found

    # -- range -----------------------------------------------------------------------------------------------

    def distance(self, a: int, b: int, *, walls: bool = False) -> int | None:
        """Range from mask to mask: least number of side steps over existing cells, 0 where they overlap.

        Impassable borders do not count unless `walls` is set. None if no chain of cells joins the two, or one
        of them is empty (EV-RANGE-01, EV-BORDER-05, EV-ENEMY-05).
        """
        advance = self.step if walls else self.spread
        reached = frontier = a & self.cells
        target = b & self.cells
        steps = 0
        while frontier and target:
            if frontier & target:
                return steps
            frontier = advance(frontier) & ~reached
            reached |= frontier
            steps += 1
        return None

    def within(self, source: int, low: int, high: int | None, *, walls: bool = False) -> int:
        """The cells at range `low`..`high` from `source` (None: no limit): R2 is (1, 2), R2+ is (2, None).

        Impassable borders do not count unless `walls` is set. Raises GridError for a negative `low`
        (EV-RANGE-01, EV-RANGE-03, EV-RANGE-04, EV-RANGE-05).
        """
        if low < 0:
            raise GridError(f"expected a range of 0 steps or more, got {low}")
        if high is not None and high < low:
            return 0
        found = 0
        for layer in self.layers(source, limit=high, walls=walls)[low:]:
            found |= layer
        return found

    def line(self, cell: Cell, limit: int | None = None) -> dict[str, Cells]:
        """The four straight arms from `cell`, without it: connected cells north, east, south, west, nearest
        first (EV-RANGE-06).

        An arm ends at a wall, a missing cell, the edge, or after `limit` cells. Raises GridError if `cell`
        does not exist.
        """
        self._existing(cell)
        arms: dict[str, Cells] = {}
        for side, (dx, dy) in OFFSETS.items():
            arm: Cells = []
            x, y = cell
            while (limit is None or len(arm) < limit) and self.bit((x, y)) & self._exits[side]:
                x, y = x + dx, y + dy
                arm.append((x, y))
            arms[side] = arm
        return arms

    # -- figures of more than one cell -----------------------------------------------------------------------

    def footprint(self, anchor: Cell, size: int) -> int:
        """The cells under a figure of `size` x `size` cells (1 or 2) whose top-left cell is `anchor`.

        Raises GridError for another size, or when any of those cells does not exist.
        """
        self._check_size(size)
        x, y = anchor
        covered = [(x + dx, y + dy) for dy in range(size) for dx in range(size)]
        for cell in covered:
            if cell not in self:
                raise GridError(
                    f"expected cells under a {size} x {size} figure at {anchor}, but {cell} does not exist"
                )
        return self.mask(covered)

    def anchors(self, size: int, free: int) -> int:
        """All anchors (top-left cells) whose whole `size` x `size` footprint lies in `free` and has no wall
        inside it.

        Raises GridError for a size other than 1 or 2.
        """
        self._check_size(size)
        free &= self.cells
        if size == 1:
            return free
        # Both cells of a passable pair exist, so two pairs one above the other leave only `free` to be asked.
        across = self._go_east & free & (free >> 1)
        down = self._go_south & free & (free >> self.width)
        return across & (across >> self.width) & down & (down >> 1)

    @staticmethod
    def _check_size(size: int) -> None:
        if size not in (1, 2):
            raise GridError(f"a figure covers 1 x 1 or 2 x 2 cells, not {size} x {size}")
