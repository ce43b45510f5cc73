"""All best ways of a figure to a goal, by criteria in order.

An enemy takes the way with the fewest squares, among those the one with the fewest traps, among those the one that
hurts it least; what is still tied, the players choose. So the answer here is every best path, not one of them, and
the cells any of them uses, to be lit.

The costs of the criteria are packed into one int, the first criterion in the highest digits: adding two such ints
adds every criterion, comparing them compares in order, and an ordinary Dijkstra search does the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from heapq import heappop, heappush
from itertools import islice
from operator import or_

from .grid import Cell, GridError
from .grid_reach import StepRule, Terrain


@dataclass(frozen=True)
class Weight:
    """What certain cells add to a criterion in a step.

    `mask`: the cells; `value`: what they add, 0 or more. It is added when the step newly covers one of them
    (`entering`) and when a diagonal step clips the corner of one (`clipping`), each counted for itself. Several of
    them at once, under a large figure or on both flanks, count once, as terrain does, unless `each` is set, as it
    is for traps (EV-ENEMY-05, OD-DIAG-04..06, OD-TERRAIN-13). Raises GridError for a negative value.
    """

    mask: int
    value: int = 1
    entering: bool = True
    clipping: bool = False
    each: bool = False

    def __post_init__(self) -> None:
        if self.value < 0:
            raise GridError(f"expected a weight of 0 or more, got {self.value}")


@dataclass(frozen=True)
class Criterion:
    """One thing to keep small along a path: so much for each step, for each point it costs, for certain cells.

    `Criterion(step=1)` counts squares, `Criterion(point=1)` what the steps cost by the terrain, and
    `Criterion(weights=(Weight(spikes, 1, clipping=True),))` damage. Raises GridError for negative numbers.
    """

    step: int = 0
    point: int = 0
    weights: tuple[Weight, ...] = ()

    def __post_init__(self) -> None:
        if self.step < 0 or self.point < 0:
            raise GridError(f"expected 0 or more for each step and point, got {self.step} and {self.point}")


SQUARES = Criterion(step=1)
"""Fewest squares (EV-EMOVE-06, OD-VMOVE-02)."""

POINTS = Criterion(point=1)
"""Least cost by the terrain, in Movement Points."""


@dataclass(frozen=True)
class Paths:
    """Every best path that `best_paths` found. A path is the list of the anchors stood on, start and end included.

    `costs`: what each criterion comes to, in their order. `count`: how many paths there are. `ends`: mask of the
    anchors they end on. `anchors`, `cells`: masks of the anchors on any of them, and of the cells the figure covers
    there. Iterating yields the paths, row-major by their first difference, and does no more work than is taken.
    """

    costs: tuple[int, ...]
    count: int
    ends: int
    anchors: int
    cells: int
    _start: _State = field(repr=False)
    _onward: Mapping[_State, list[_State]] = field(repr=False)
    _width: int = field(repr=False)

    def __iter__(self) -> Iterator[list[Cell]]:
        # A stack of iterators, since a path may be longer than Python recurses. Every branch ends at a goal.
        path = [self._start]
        branches = [iter(self._onward[self._start])]
        if not self._onward[self._start]:
            yield self._cells_of(path)
        while branches:
            state = next(branches[-1], None)
            if state is None:
                branches.pop()
                path.pop()
                continue
            path.append(state)
            branches.append(iter(self._onward[state]))
            if not self._onward[state]:
                yield self._cells_of(path)

    def first(self, limit: int) -> list[list[Cell]]:
        """The first `limit` paths."""
        return list(islice(self, limit))

    def _cells_of(self, path: list[_State]) -> list[Cell]:
        return [(index % self._width, index // self._width) for index, _ in path]


# An anchor's bit index, and what has been spent on the way to it, which is told apart only under a budget: a
# worse way that leaves more to spend may be the one that arrives.
_State = tuple[int, int]


@dataclass(frozen=True)
class _Edge:
    """All steps of one StepRule, with the packed costs they add: `base` always, `extras` from the anchors of a mask."""

    move: int
    points: int
    origins: int
    base: int
    extras: tuple[tuple[int, int], ...]


def best_paths(
    terrain: Terrain, start: Cell, goal: int, criteria: Sequence[Criterion], budget: int | None = None
) -> Paths | None:
    """Every best path of a figure from anchor `start` to an anchor in `goal` on which it may stop.

    Paths are compared by the first criterion, ties by the second, and so on. `budget`: only paths that cost at
    most so much by the terrain count. None if there is no path. A start in `goal` is a path without steps.

    Raises GridError if the figure does not fit the grid at `start`, or if no criterion counts steps or points:
    going in circles must cost something.

    Serves EV-EMOVE-01, EV-EMOVE-06, OD-VMOVE-02..08, OD-VMOVE-13.
    """
    if not any(criterion.step or criterion.point for criterion in criteria):
        raise GridError("expected a criterion that counts steps or points, got none")
    grid = terrain.grid
    grid.footprint(start, terrain.size)
    goal &= terrain.stoppable & grid.anchors(terrain.size, grid.cells)

    base = _packing_base(terrain, criteria, budget)
    first = [_edge(terrain, rule, criteria, base) for rule in terrain.steps]
    later = first
    if terrain.sticky_once:
        later = [_edge(terrain, rule, criteria, base) for rule in terrain.later_steps]
    source: _State = (grid.bit(start).bit_length() - 1, 0)
    best: dict[_State, int] = {source: 0}
    before: dict[_State, list[_State]] = {source: []}
    settled: set[_State] = set()
    arrived: list[_State] = []
    least: int | None = None
    queue: list[tuple[int, int, int]] = [(0, *source)]
    while queue:
        packed, index, spent = heappop(queue)
        state = (index, spent)
        if state in settled:
            continue
        if least is not None and packed > least:
            break
        settled.add(state)
        bit = 1 << index
        if bit & goal:
            least = packed
            arrived.append(state)
            continue
        for edge in first if state == source else later:
            if not edge.origins & bit:
                continue
            total = spent + edge.points
            if budget is not None and total > budget:
                continue
            after = (index + edge.move, total if budget is not None else 0)
            value = packed + edge.base
            for mask, extra in edge.extras:
                if mask & bit:
                    value += extra
            known = best.get(after)
            if known is None or value < known:
                best[after] = value
                before[after] = [state]
                heappush(queue, (value, *after))
            elif value == known:
                before[after].append(state)
    if least is None:
        return None
    return _collect(terrain, source, arrived, before, _unpacked(least, base, len(criteria)))


def _packing_base(terrain: Terrain, criteria: Sequence[Criterion], budget: int | None) -> int:
    """A number base in which no criterion of any path the search looks at carries into the next digit."""
    dearest = 1
    for criterion in criteria:
        most = criterion.step + 4 * criterion.point
        for weight in criterion.weights:
            most += weight.value * (weight.entering + weight.clipping) * (4 if weight.each else 1)
        dearest = max(dearest, most)
    # Without a budget a path never meets an anchor twice; with one it may, but each step spends a point of it.
    steps = terrain.grid.cells.bit_count() + (budget or 0) + 1
    return dearest * steps + 1


def _edge(terrain: Terrain, rule: StepRule, criteria: Sequence[Criterion], base: int) -> _Edge:
    grid = terrain.grid
    fixed = 0
    extras: list[tuple[int, int]] = []
    for place, criterion in enumerate(reversed(criteria)):
        unit: int = base**place
        fixed += unit * (criterion.step + criterion.point * rule.cost)
        for weight in criterion.weights:
            touched: list[tuple[Cell, ...]] = []
            if weight.entering:
                touched.append(terrain.entered(rule.offset))
            if weight.clipping:
                touched.append(terrain.clipped(rule.offset))
            for cells in touched:
                masks = [grid.shifted(weight.mask, -x, -y) & rule.origins for x, y in cells]
                if not weight.each:
                    masks = [reduce(or_, masks, 0)]
                extras.extend((mask, unit * weight.value) for mask in masks if mask)
    dx, dy = rule.offset
    return _Edge(dy * grid.width + dx, rule.cost, rule.origins, fixed, tuple(extras))


def _unpacked(packed: int, base: int, count: int) -> tuple[int, ...]:
    costs: list[int] = []
    for _ in range(count):
        packed, cost = divmod(packed, base)
        costs.append(cost)
    return tuple(reversed(costs))


def _collect(
    terrain: Terrain,
    source: _State,
    arrived: list[_State],
    before: dict[_State, list[_State]],
    costs: tuple[int, ...],
) -> Paths:
    """Turns the search's way back from the goal into the ways on from the start, dead ends left out."""
    width = terrain.grid.width
    onward: dict[_State, list[_State]] = {state: [] for state in arrived}
    backward = list(arrived)
    while backward:
        state = backward.pop()
        for earlier in before[state]:
            if earlier not in onward:
                onward[earlier] = []
                backward.append(earlier)
            onward[earlier].append(state)
    for following in onward.values():
        following.sort()

    anchors = 0
    for index, _ in onward:
        anchors |= 1 << index
    cells = 0
    for dx, dy in terrain.body:
        cells |= terrain.grid.shifted(anchors, dx, dy)
    ends = 0
    for index, _ in arrived:
        ends |= 1 << index
    return Paths(costs, _count(source, onward), ends, anchors, cells, source, onward, width)


def _count(source: _State, onward: dict[_State, list[_State]]) -> int:
    """How many ways lead from `source` to an end; each state is counted after all that follow it."""
    ways: dict[_State, int] = {}
    open_states = [source]
    while open_states:
        state = open_states[-1]
        waiting = [following for following in onward[state] if following not in ways]
        if waiting:
            open_states.extend(waiting)
            continue
        open_states.pop()
        ways[state] = sum(ways[following] for following in onward[state]) if onward[state] else 1
    return ways[source]
