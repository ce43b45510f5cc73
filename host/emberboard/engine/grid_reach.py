"""What a figure can reach on a grid, and for how much.

Both games move figures cell by cell, and differ in what a step costs: Evershade counts spaces over sides,
Odalin counts Movement Points over sides and corners, with surcharges. `Terrain` says what stands in the way
of one figure, as masks; its `steps` are the single steps that follow, and everything else here and in
`grid_paths` is built on them. A figure of 2 x 2 cells is named by its anchor, the top-left cell.

The search is Dial's: step costs are small whole numbers, so the frontier of each cost is one mask, and a
whole frontier moves at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from .grid import OFFSETS, Cell, Grid, GridError

DIAGONALS: dict[str, Cell] = {
    "northeast": (1, -1),
    "southeast": (1, 1),
    "southwest": (-1, 1),
    "northwest": (-1, -1),
}
"""What one step across a corner adds to (x, y)."""


class StepRule(NamedTuple):
    """One kind of single step: every anchor it may start from at one price.

    `offset` is what it adds to the anchor, `cost` its price in Movement Points (or spaces), `origins` the mask of
    the anchors it may start from.
    """

    offset: Cell
    cost: int
    origins: int


@dataclass(frozen=True)
class Terrain:
    """The grid as one figure finds it when it moves. The fields from `blocked` to `costly_corners` are masks of cells.

    - `blocked`: cannot be entered (enemies, obstacles, Blocked spaces, spaces that would kill). The figure's own
      cells do not belong here; what it stands on at the start need not be free.
    - `no_stop`: may be entered, but not stopped on (figures of the own side).
    - `costly`: 1 more to enter, once a step (Rubble).
    - `sticky`: 1 more to leave, once a step (cells adjacent to an enemy). With `sticky_once` only the first step
      of a move pays it (flying).
    - `barriers`: walls and closed doors; not entered, and no diagonal step passes their corners. Missing cells and
      walls between cells are barriers without being named.
    - `costly_corners`: 1 more when a diagonal step passes their corner, once a step (Rubble).
    - `diagonal`: whether steps across corners are allowed.
    - `size`: 1 or 2; the figure covers `size` x `size` cells.

    Serves EV-BORDER-02, EV-ACT-04..07, EV-EMOVE-01..05, EV-ENEMY-05, OD-MOVE-01..08, OD-MOVE-14, OD-MOVE-16,
    OD-DIAG-01..03, OD-DIAG-06, OD-DIAG-07, OD-FLY-01..06. Raises GridError for another size.
    """

    grid: Grid
    blocked: int = 0
    no_stop: int = 0
    costly: int = 0
    sticky: int = 0
    barriers: int = 0
    costly_corners: int = 0
    sticky_once: bool = False
    diagonal: bool = False
    size: int = 1

    def __post_init__(self) -> None:
        if self.size not in (1, 2):
            raise GridError(f"expected a figure of 1 x 1 or 2 x 2 cells, got {self.size} x {self.size}")

    @cached_property
    def enterable(self) -> int:
        """The cells that may be entered."""
        return self.grid.cells & ~self.blocked & ~self.barriers

    @cached_property
    def body(self) -> tuple[Cell, ...]:
        """The cells of the figure as offsets from its anchor, row-major."""
        return tuple((dx, dy) for dy in range(self.size) for dx in range(self.size))

    @cached_property
    def stoppable(self) -> int:
        """The anchors on which the figure may stop, as far as `no_stop` says."""
        return self.grid.cells & ~self.anchors_touching(self.no_stop)

    @cached_property
    def directions(self) -> tuple[Cell, ...]:
        """The offsets of the single steps: north, east, south, west, then the corners from northeast
        clockwise.
        """
        corners = DIAGONALS.values() if self.diagonal else ()
        return (*OFFSETS.values(), *corners)

    @cached_property
    def steps(self) -> tuple[StepRule, ...]:
        """Every single step, by direction, then cost; the directions in the order of `directions`."""
        return tuple(self._priced(self.sticky))

    @cached_property
    def later_steps(self) -> tuple[StepRule, ...]:
        """`steps` as they are after the first one: the same unless `sticky_once` is set (OD-FLY-04)."""
        return tuple(self._priced(0)) if self.sticky_once else self.steps

    def anchors_touching(self, mask: int) -> int:
        """The anchors at which the figure would cover a cell of `mask`; they may be anywhere in the
        rectangle.
        """
        if self.size == 1:
            return mask
        found = 0
        for dx, dy in self.body:
            found |= self.grid.shifted(mask, -dx, -dy)
        return found

    def entered(self, direction: Cell) -> tuple[Cell, ...]:
        """The cells newly covered by a step, as offsets from the anchor before it, row-major (OD-MOVE-16, EV-
        ENEMY-05).
        """
        dx, dy = direction
        after = [(x + dx, y + dy) for x, y in self.body]
        return tuple(cell for cell in after if cell not in self.body)

    def clipped(self, direction: Cell) -> tuple[Cell, ...]:
        """The cells whose corner a diagonal step passes, as offsets from the anchor before it, row-major.

        They are the flanking cells that the figure covers neither before nor after; none for a step over a
        side (OD-DIAG-06, OD-MOVE-16).
        """
        dx, dy = direction
        after = [(x + dx, y + dy) for x, y in self.body]
        # Over a side, both "flanks" are cells that the figure covers before or after, so nothing is left of them.
        flanks = [flank for x, y in self.body for flank in ((x + dx, y), (x, y + dy))]
        free = [flank for flank in flanks if flank not in self.body and flank not in after]
        return tuple(sorted(free, key=lambda cell: (cell[1], cell[0])))

    def origins(self, direction: Cell) -> int:
        """The anchors from which a step in `direction` is legal, whatever it costs."""
        grid = self.grid
        dx, dy = direction
        single = self._corner_free(direction) if dx and dy else grid.exits(_SIDES[direction])
        legal = grid.shifted(grid.anchors(self.size, grid.cells), -dx, -dy)
        for x, y in self.body:
            legal &= grid.shifted(single, -x, -y)
        for x, y in self.entered(direction):
            legal &= grid.shifted(self.enterable, -x, -y)
        return legal

    def _corner_free(self, direction: Cell) -> int:
        """The cells from which a diagonal step of one cell passes no barrier.

        The point passed is the middle of a block of 2 x 2 cells; a wall touches it exactly if it is one of
        the four borders inside that block, and a missing cell is outside every room, hence behind a wall
        (OD-DIAG-01, OD-VISION-07).
        """
        grid = self.grid
        dx, dy = direction
        corner_cells = grid.shifted(grid.anchors(2, grid.cells), max(0, -dx), max(0, -dy))
        first_flank = grid.shifted(self.barriers, -dx, 0)
        second_flank = grid.shifted(self.barriers, 0, -dy)
        return corner_cells & ~first_flank & ~second_flank

    def _priced(self, sticky: int) -> Iterator[StepRule]:
        grid = self.grid
        leaving = self.anchors_touching(sticky)
        for direction in self.directions:
            legal = self.origins(direction)
            entering = clipping = 0
            for x, y in self.entered(direction):
                entering |= grid.shifted(self.costly, -x, -y)
            for x, y in self.clipped(direction):
                clipping |= grid.shifted(self.costly_corners, -x, -y)
            by_cost: dict[int, int] = {}
            for leave in (0, 1):
                for enter in (0, 1):
                    for clip in (0, 1):
                        part = legal
                        part &= leaving if leave else ~leaving
                        part &= entering if enter else ~entering
                        part &= clipping if clip else ~clipping
                        cost = 1 + leave + enter + clip
                        by_cost[cost] = by_cost.get(cost, 0) | part
            for cost, origins in sorted(by_cost.items()):
                if origins:
                    yield StepRule(direction, cost, origins)

    def steps_from(self, anchor: Cell, *, first: bool = True) -> list[tuple[Cell, int]]:
        """The legal single steps from `anchor` as (anchor after it, cost), in the order of `directions`.

        `first`: whether the move starts here, which matters only with `sticky_once`. Raises GridError if the
        figure does not fit the grid at `anchor`.
        """
        self.grid.footprint(anchor, self.size)
        bit = self.grid.bit(anchor)
        x, y = anchor
        rules = self.steps if first else self.later_steps
        return [((x + rule.offset[0], y + rule.offset[1]), rule.cost) for rule in rules if rule.origins & bit]


_SIDES: dict[Cell, str] = {offset: side for side, offset in OFFSETS.items()}


@dataclass(frozen=True)
class Reach:
    """What `reach` found. `layers`: cost -> mask of the anchors whose cheapest way costs exactly that,
    ascending.

    `stops`: the reached anchors on which the figure may stop; a start is one of them (cost 0) unless
    `no_stop` forbids it.
    """

    grid: Grid
    layers: Mapping[int, int]
    stops: int

    def within(self, budget: int) -> int:
        """The anchors reached for at most `budget`."""
        found = 0
        for cost, mask in self.layers.items():
            if cost <= budget:
                found |= mask
        return found

    def cost(self, anchor: Cell) -> int | None:
        """The least cost of reaching `anchor`, None if it is not reached. Raises GridError outside the
        rectangle.
        """
        bit = self.grid.bit(anchor)
        for cost, mask in self.layers.items():
            if mask & bit:
                return cost
        return None


def reach(terrain: Terrain, start: int, limit: int | None = None) -> Reach:
    """Everything a figure can reach from the anchors `start` for at most `limit` (None: no limit), exactly.

    Several anchors in `start` are searched from together, each at cost 0: from a goal this gives the distance to
    it. Anchors at which the figure does not fit the grid are left out.

    A flyer pays for Rubble only where it lands (OD-FLY-07): search without `costly`, and let it stop on Rubble at
    one more than the cost found.

    Serves EV-ACT-04..07, EV-EMOVE-06, OD-MOVE-01..08, OD-VMOVE-01, OD-FLY-04.
    """
    grid = terrain.grid
    source = start & grid.anchors(terrain.size, grid.cells)
    if terrain.size == 1 and not terrain.diagonal and not terrain.sticky:
        layers, reached = _plain_layers(terrain, source, limit)
    else:
        layers, reached = _dial_layers(terrain, source, limit)
    return Reach(grid, layers, reached & terrain.stoppable)


def _plain_layers(terrain: Terrain, source: int, limit: int | None) -> tuple[dict[int, int], int]:
    """The search for one cell over sides where only entering costs: the layers, and all that is in them.

    The price of a step then belongs to the cell entered, so the first frontier that touches a cell also has its
    cheapest way, and two frontiers, of the next cost and the one after, are all there is to keep.
    """
    # `Grid.step` written out: this loop runs at every question.
    north, east, south, west = (terrain.grid.exits(side) for side in OFFSETS)
    width, cells = terrain.grid.width, terrain.grid.cells
    # Without a wall between two rows nothing has to be held back there: what leaves the board is not wanted.
    open_rows = south == cells & (cells >> width)
    costly = terrain.costly
    reachable = terrain.enterable | source
    wanted = reachable ^ source
    layers: dict[int, int] = {}
    frontier, after = source, 0
    cost = 0
    while (frontier or after) and (limit is None or cost <= limit):
        if frontier:
            layers[cost] = frontier
            if open_rows:
                found = (
                    (frontier & east) << 1 | (frontier & west) >> 1 | frontier << width | frontier >> width
                ) & wanted
            else:
                found = (
                    (frontier & east) << 1
                    | (frontier & west) >> 1
                    | (frontier & south) << width
                    | (frontier & north) >> width
                ) & wanted
            wanted ^= found
            dear = found & costly
            frontier, after = after | (found ^ dear), dear
        else:
            frontier, after = after, 0
        cost += 1
    # What is still in the two frontiers was found, but lies beyond the limit.
    return layers, reachable ^ wanted ^ frontier ^ after


def _dial_layers(terrain: Terrain, source: int, limit: int | None) -> tuple[dict[int, int], int]:
    """The search in general: the layers, and all that is in them.

    One frontier waits for each of the costs that a step from the present one can lead to.
    """
    width = terrain.grid.width
    first = [(dy * width + dx, cost, origins) for (dx, dy), cost, origins in terrain.steps]
    later = [(dy * width + dx, cost, origins) for (dx, dy), cost, origins in terrain.later_steps]
    waiting = [source] + [0] * max((cost for _, cost, _ in first), default=0)
    layers: dict[int, int] = {}
    settled = 0
    cost = 0
    while any(waiting) and (limit is None or cost <= limit):
        frontier = waiting.pop(0) & ~settled
        waiting.append(0)
        if frontier:
            layers[cost] = frontier
            settled |= frontier
            # Every step costs something, so the anchors of cost 0 are the starts and nothing else.
            for move, price, origins in later if cost else first:
                leaving = frontier & origins
                if leaving:
                    waiting[price - 1] |= leaving << move if move > 0 else leaving >> -move
        cost += 1
    return layers, settled


def next_steps(terrain: Terrain, at: Cell, budget: int, *, first: bool = True) -> dict[Cell, int]:
    """The single steps open to a figure at anchor `at` with `budget` left, as anchor after it -> cost,
    row-major.

    A step onto an anchor where it may not stop is open only if what is left brings it on to one where it may.
    `first`: whether the move starts here, which matters only with `sticky_once`. Raises GridError if the
    figure does not fit the grid at `at`.

    Serves EV-ACT-07, EV-EMOVE-05, OD-MOVE-03, OD-MOVE-18.
    """
    onward = terrain if not terrain.sticky_once else replace(terrain, sticky=0, sticky_once=False)
    found: dict[Cell, int] = {}
    for anchor, cost in terrain.steps_from(at, first=first):
        left = budget - cost
        if left >= 0 and reach(onward, terrain.grid.bit(anchor), left).stops:
            found[anchor] = cost
    return {anchor: found[anchor] for anchor in sorted(found, key=lambda cell: (cell[1], cell[0]))}


def costs_along(terrain: Terrain, path: Sequence[Cell]) -> list[int]:
    """What a figure has spent on arriving at each anchor of `path`, whose first one is the start (0).

    Raises GridError if the path is empty or one of its steps is not legal, naming the step. Whether it may
    stop at the end is not asked.

    Serves EV-ACT-04..06, OD-MOVE-02, OD-MOVE-08.
    """
    if not path:
        raise GridError("expected a path of at least its start, got an empty one")
    spent = [0]
    for index, (here, there) in enumerate(pairwise(path)):
        prices = dict(terrain.steps_from(here, first=index == 0))
        if there not in prices:
            raise GridError(f"expected a legal step from {here}, got {there}")
        spent.append(spent[-1] + prices[there])
    return spent
