"""All best paths by criteria, against every simple path there is."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emberboard.engine.grid import Cell, Grid, GridError
from emberboard.engine.grid_paths import POINTS, SQUARES, Criterion, Weight, best_paths
from emberboard.engine.grid_reach import Terrain, costs_along, reach

from .grid_boards import row_major, some
from .grid_terrains import Ground, grounds_and_start


def all_paths(ground: Ground, start: Cell, goal: set[Cell], budget: int | None):
    """Every path without a repeated anchor to a goal where the figure may stop, and what it spends."""
    stack = [([start], 0)]
    while stack:
        path, spent = stack.pop()
        if path[-1] in goal and ground.may_stop(path[-1]):
            yield path, spent
        for after, cost in ground.steps(path[-1], first=len(path) == 1):
            if after not in path and (budget is None or spent + cost <= budget):
                stack.append(([*path, after], spent + cost))


def judged(ground: Ground, path: list[Cell], spent: int, criteria, cells_of) -> tuple[int, ...]:
    """What the criteria come to along a path, step by step and cell by cell."""
    totals = []
    for criterion in criteria:
        total = criterion.point * spent
        for here, there in pairwise(path):
            total += criterion.step
            step = (there[0] - here[0], there[1] - here[1])
            for weight in criterion.weights:
                marked = cells_of(weight.mask)
                for counted, cells in (
                    (weight.entering, ground.entered(here, step)),
                    (weight.clipping, ground.clipped(here, step)),
                ):
                    hits = sum(cell in marked for cell in cells)
                    if counted and hits:
                        total += weight.value * (hits if weight.each else 1)
        totals.append(total)
    return tuple(totals)


def criteria_lists(draw, grid: Grid, rectangle: list[Cell]) -> list[Criterion]:
    def criterion() -> Criterion:
        weights = tuple(
            Weight(
                grid.mask(some(draw, rectangle, 1)),
                draw(st.sampled_from((0, 1, 2, 1000))),
                entering=draw(st.booleans()),
                clipping=draw(st.booleans()),
                each=draw(st.booleans()),
            )
            for _ in range(draw(st.integers(0, 2)))
        )
        return Criterion(draw(st.integers(0, 2)), draw(st.integers(0, 2)), weights)

    found = [criterion() for _ in range(draw(st.integers(0, 2)))]
    found.insert(draw(st.integers(0, len(found))), draw(st.sampled_from((SQUARES, POINTS))))
    return found


@given(grounds_and_start(side=3), st.data())
@settings(max_examples=150)
def test_best_paths_are_the_best_of_all_simple_paths(drawn, data):
    ground, start = drawn
    terrain = ground.terrain()
    grid = terrain.grid
    goal = set(some(data.draw, ground.board.rectangle, 1))
    budget = data.draw(st.one_of(st.none(), st.integers(0, 8)))
    criteria = criteria_lists(data.draw, grid, ground.board.rectangle)

    found = best_paths(terrain, start, grid.mask(goal), criteria, budget)

    rated = [
        (judged(ground, path, spent, criteria, grid.list), path)
        for path, spent in all_paths(ground, start, goal, budget)
    ]
    if not rated:
        assert found is None
        return
    least = min(costs for costs, _ in rated)
    best = [path for costs, path in rated if costs == least]
    best.sort(key=lambda path: [(y, x) for x, y in path])
    assert found is not None
    assert found.costs == least
    assert list(found) == best
    assert found.count == len(best)
    assert found.first(2) == best[:2]
    anchors = {anchor for path in best for anchor in path}
    assert grid.list(found.anchors) == row_major(anchors)
    assert grid.list(found.cells) == row_major({cell for anchor in anchors for cell in ground.body(anchor)})
    assert grid.list(found.ends) == row_major({path[-1] for path in best})


@given(grounds_and_start(side=9), st.data())
def test_fewest_points_are_those_of_reach(drawn, data):
    ground, start = drawn
    terrain = ground.terrain()
    goal = data.draw(st.sampled_from(ground.board.rectangle))
    found = best_paths(terrain, start, terrain.grid.bit(goal), [POINTS])
    expected = reach(terrain, terrain.grid.bit(start)).cost(goal) if ground.may_stop(goal) else None
    if found is None:
        assert expected is None
    else:
        assert found.costs == (expected,)
        for path in found.first(3):
            assert costs_along(terrain, path)[-1] == expected


# -- by hand, from the catalogue ---------------------------------------------------------------------------------------


def test_squares_count_but_the_path_must_be_affordable():
    """OD-VMOVE-03: a path of two squares costs 4 points, one of three squares 3; with 3 points it is the longer one."""
    grid = Grid(3, 3)
    terrain = Terrain(
        grid, diagonal=True, blocked=grid.bit((1, 0)), costly=grid.bit((1, 1)), sticky=grid.bit((1, 1))
    )
    goal = grid.bit((2, 1))
    rich = best_paths(terrain, (0, 0), goal, [SQUARES], 4)
    assert (rich.costs, list(rich)) == ((2,), [[(0, 0), (1, 1), (2, 1)]])
    poor = best_paths(terrain, (0, 0), goal, [SQUARES], 3)
    assert (poor.costs, list(poor)) == ((3,), [[(0, 0), (0, 1), (1, 2), (2, 1)]])
    assert best_paths(terrain, (0, 0), goal, [SQUARES], 2) is None
    assert best_paths(terrain, (0, 0), goal, [POINTS, SQUARES]).costs == (3, 3)


def test_traps_before_damage_and_both_only_among_the_shortest():
    """OD-VMOVE-04, OD-VMOVE-05, OD-VMOVE-06."""
    grid = Grid(4, 3, missing=[(1, 1), (2, 1)])
    terrain = Terrain(grid)
    goal = grid.bit((3, 1))
    trap = Criterion(weights=(Weight(grid.bit((1, 0)), 1, clipping=True, each=True),))
    fire = Criterion(weights=(Weight(grid.mask([(1, 2), (2, 2)]), 1, clipping=True),))
    found = best_paths(terrain, (0, 1), goal, [SQUARES, trap, fire])
    assert found.costs == (5, 0, 2)
    assert list(found) == [[(0, 1), (0, 2), (1, 2), (2, 2), (3, 2), (3, 1)]]
    corridor = Grid(3, 1)
    walks_in = Criterion(weights=(Weight(corridor.bit((1, 0))),))
    assert best_paths(Terrain(corridor), (0, 0), corridor.bit((2, 0)), [SQUARES, walks_in]).costs == (2, 1)


def test_terrain_counts_once_a_step_traps_each():
    """OD-DIAG-05, OD-DIAG-06: spikes on both flanks and on the square: 2; traps on both flanks: both go off."""
    grid = Grid(2, 2)
    terrain = Terrain(grid, diagonal=True)
    spikes = Weight(grid.mask([(1, 0), (0, 1), (1, 1)]), clipping=True)
    traps = Weight(grid.mask([(1, 0), (0, 1)]), clipping=True, each=True)
    found = best_paths(
        terrain, (0, 0), grid.bit((1, 1)), [SQUARES, Criterion(weights=(spikes,)), Criterion(weights=(traps,))]
    )
    assert found.costs == (1, 2, 2)


def test_all_shortest_ways_are_offered_row_major():
    """OD-VMOVE-13, EV-EMOVE-06: the players choose; the start in the goal is a way of no steps."""
    grid = Grid(3, 2)
    found = best_paths(Terrain(grid), (0, 0), grid.bit((2, 1)), [SQUARES])
    assert list(found) == [
        [(0, 0), (1, 0), (2, 0), (2, 1)],
        [(0, 0), (1, 0), (1, 1), (2, 1)],
        [(0, 0), (0, 1), (1, 1), (2, 1)],
    ]
    assert found.count == 3
    assert list(best_paths(Terrain(grid), (1, 1), grid.cells, [SQUARES])) == [[(1, 1)]]


def test_very_many_and_very_long_paths_are_no_trouble():
    grid = Grid(20, 20)
    found = best_paths(Terrain(grid), (0, 0), grid.bit((19, 19)), [SQUARES])
    assert found.count == 35345263800
    assert found.first(1) == [[(x, 0) for x in range(20)] + [(19, y) for y in range(1, 20)]]
    assert found.cells == grid.cells
    long = Grid(2000, 1)
    assert best_paths(Terrain(long), (0, 0), long.bit((1999, 0)), [SQUARES]).costs == (1999,)
    assert len(best_paths(Terrain(long), (0, 0), long.bit((1999, 0)), [SQUARES]).first(1)[0]) == 2000


# -- refusals ----------------------------------------------------------------------------------------------------------


def test_what_makes_no_sense_is_refused():
    grid = Grid(3, 3)
    with pytest.raises(GridError, match="counts steps or points"):
        best_paths(Terrain(grid), (0, 0), 2, [Criterion(weights=(Weight(4),))])
    with pytest.raises(GridError, match=r"\(3, 0\)"):
        best_paths(Terrain(grid, size=2), (2, 0), 2, [SQUARES])
    with pytest.raises(GridError, match="-1"):
        Weight(1, -1)
    with pytest.raises(GridError, match="-2"):
        Criterion(step=-2)
    with pytest.raises(GridError, match="-3"):
        Criterion(point=-3)
