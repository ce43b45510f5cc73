"""What a figure reaches by cost, its single steps, and the cost of a given path."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emberboard.engine.grid import Cell, Grid, GridError
from emberboard.engine.grid_reach import Terrain, costs_along, next_steps, reach

from .grid_boards import row_major, some
from .grid_terrains import Ground, grounds, grounds_and_start


def costs_of(found) -> dict[Cell, int]:
    return {cell: cost for cost, mask in found.layers.items() for cell in found.grid.list(mask)}


# -- against the rules, cell by cell -----------------------------------------------------------------------------------


@given(grounds_and_start())
def test_single_steps_are_those_of_the_rules(drawn):
    ground, _ = drawn
    terrain = ground.terrain()
    for anchor in ground.board.rectangle:
        if ground.fits(anchor):
            for first in (True, False):
                assert terrain.steps_from(anchor, first=first) == ground.steps(anchor, first)


@given(grounds_and_start(), st.one_of(st.none(), st.integers(-1, 12)))
@settings(max_examples=200)
def test_reach_is_what_dijkstra_finds(drawn, limit):
    ground, start = drawn
    terrain = ground.terrain()
    found = reach(terrain, terrain.grid.bit(start), limit)
    expected = {
        anchor: cost for anchor, cost in ground.dijkstra(start).items() if limit is None or cost <= limit
    }
    assert costs_of(found) == expected
    assert list(found.layers) == sorted(set(expected.values()))
    assert terrain.grid.list(found.stops) == row_major(anchor for anchor in expected if ground.may_stop(anchor))
    for anchor in ground.board.rectangle:
        assert found.cost(anchor) == expected.get(anchor)
    assert terrain.grid.list(found.within(3)) == row_major(a for a, cost in expected.items() if cost <= 3)


@given(grounds(diagonal=False, size=1), st.one_of(st.none(), st.integers(0, 9)))
def test_the_search_for_plain_steps_agrees_too(ground, limit):
    ground = replace(ground, sticky=frozenset())
    terrain = ground.terrain()
    for start in row_major(ground.board.cells)[:3]:
        expected = {a: c for a, c in ground.dijkstra(start).items() if limit is None or c <= limit}
        found = reach(terrain, terrain.grid.bit(start), limit)
        assert costs_of(found) == expected
        assert terrain.grid.list(found.stops) == row_major(a for a in expected if ground.may_stop(a))


@given(grounds(), st.data())
def test_several_starts_are_searched_from_together(ground, data):
    terrain = ground.terrain()
    starts = some(data.draw, [cell for cell in ground.board.rectangle if ground.fits(cell)])
    best: dict[Cell, int] = {}
    for start in starts:
        for anchor, cost in ground.dijkstra(start).items():
            best[anchor] = min(cost, best.get(anchor, cost))
    # With the surcharge on the first step only, a start walked over from another is no first step: left out here.
    if not ground.sticky_once:
        assert costs_of(reach(terrain, terrain.grid.mask(starts))) == best


@given(grounds_and_start(side=6), st.integers(0, 5), st.booleans())
def test_next_steps_are_those_that_can_still_end_somewhere(drawn, budget, first):
    ground, start = drawn
    expected = {}
    for anchor, cost in ground.steps(start, first):
        onward = ground.dijkstra(anchor, first=False)
        if any(cost + more <= budget and ground.may_stop(end) for end, more in onward.items()):
            expected[anchor] = cost
    found = next_steps(ground.terrain(), start, budget, first=first)
    assert list(found.items()) == [(anchor, expected[anchor]) for anchor in row_major(expected)]


@given(grounds_and_start(), st.data())
def test_the_cost_of_a_path_is_the_sum_of_its_steps(drawn, data):
    ground, here = drawn
    path, spent = [here], [0]
    for index in range(6):
        steps = ground.steps(here, first=index == 0)
        if not steps:
            break
        here, cost = data.draw(st.sampled_from(steps))
        path.append(here)
        spent.append(spent[-1] + cost)
    assert costs_along(ground.terrain(), path) == spent


# -- what must hold of any terrain -------------------------------------------------------------------------------------


@given(grounds_and_start(), st.data())
def test_more_in_the_way_never_brings_anything_nearer(drawn, data):
    ground, start = drawn
    rectangle = ground.board.rectangle
    worse = replace(
        ground,
        blocked=ground.blocked.union(some(data.draw, rectangle)),
        costly=ground.costly.union(some(data.draw, rectangle)),
        barriers=ground.barriers.union(some(data.draw, rectangle, 3)),
        sticky=ground.sticky.union(some(data.draw, rectangle)),
    )
    terrain, hindered = ground.terrain(), worse.terrain()
    before = costs_of(reach(terrain, terrain.grid.bit(start)))
    after = costs_of(reach(hindered, terrain.grid.bit(start)))
    assert all(anchor in before and before[anchor] <= cost for anchor, cost in after.items())


@given(grounds_and_start(size=2))
def test_a_large_figure_goes_only_where_each_of_its_cells_could_go(drawn):
    ground, start = drawn
    large = ground.terrain()
    grid = large.grid
    # What a large figure stands on need not be free, and is left behind bit by bit: a small one must enter it.
    own = grid.footprint(start, large.size)
    small = replace(large, size=1, blocked=large.blocked & ~own, barriers=large.barriers & ~own)
    reached = reach(large, grid.bit(start)).within(10**6)
    for dx, dy in large.body:
        alone = reach(small, grid.bit((start[0] + dx, start[1] + dy))).within(10**6)
        assert not grid.shifted(reached, dx, dy) & ~alone


@given(grounds_and_start(diagonal=True))
def test_diagonals_only_add(drawn):
    ground, start = drawn
    with_corners = ground.terrain()
    sides_only = replace(with_corners, diagonal=False)
    bit = with_corners.grid.bit(start)
    more, fewer = costs_of(reach(with_corners, bit)), costs_of(reach(sides_only, bit))
    assert all(anchor in more and more[anchor] <= cost for anchor, cost in fewer.items())


# -- by hand, from the catalogue ---------------------------------------------------------------------------------------


def odalin(width: int, height: int, **masks) -> Terrain:
    grid = Grid(width, height, walls=masks.pop("walls", ()))
    numbers = {"size", "sticky_once"}
    fields = {name: value if name in numbers else grid.mask(value) for name, value in masks.items()}
    return Terrain(grid, diagonal=True, **fields)


def test_move_along_sides_and_passing_friends():
    """EV-ACT-04, EV-ACT-06, EV-ACT-07."""
    grid = Grid(4, 2)
    terrain = Terrain(grid, no_stop=grid.bit((1, 0)), blocked=grid.bit((0, 1)))
    assert grid.list(reach(terrain, grid.bit((0, 0)), 2).stops) == [(0, 0), (2, 0), (1, 1)]
    assert next_steps(terrain, (0, 0), 2) == {(1, 0): 1}
    assert next_steps(terrain, (0, 0), 1) == {}


def test_a_diagonal_step_past_a_wall_corner_is_refused_past_an_obstacle_it_is_not():
    """OD-EX-D04, OD-DIAG-01, OD-DIAG-02, OD-FLY-06."""
    assert costs_along(odalin(4, 4, blocked=[(1, 0)]), [(0, 0), (1, 1)]) == [0, 1]
    for corner in ((1, 0), (0, 1)):
        with pytest.raises(GridError, match=r"from \(0, 0\), got \(1, 1\)"):
            costs_along(odalin(4, 4, barriers=[corner]), [(0, 0), (1, 1)])
    assert costs_along(odalin(4, 4, barriers=[(1, 0)]), [(0, 0), (0, 1), (1, 1)]) == [0, 1, 2]


@pytest.mark.parametrize(
    "wall", [((0, 0), (1, 0)), ((0, 0), (0, 1)), ((1, 0), (1, 1)), ((0, 1), (1, 1))]
)
def test_a_border_wall_that_touches_the_point_refuses_the_diagonal_step(wall):
    """OD-DIAG-01."""
    assert (1, 1) not in dict(odalin(2, 2, walls=[wall]).steps_from((0, 0)))
    assert (1, 1) in dict(odalin(3, 2, walls=[((1, 0), (2, 0))]).steps_from((0, 0)))


def test_surcharges_add_up():
    """OD-MOVE-05, OD-MOVE-06, OD-MOVE-08, OD-DIAG-03, OD-EX-B09, OD-TERRAIN-05."""
    assert costs_along(odalin(4, 1, sticky=[(0, 0)]), [(0, 0), (1, 0), (2, 0)]) == [0, 2, 3]
    assert costs_along(odalin(4, 1, sticky=[(0, 0), (1, 0)]), [(0, 0), (1, 0), (2, 0)]) == [0, 2, 4]
    assert costs_along(odalin(4, 1, sticky=[(0, 0)], costly=[(1, 0)]), [(0, 0), (1, 0)]) == [0, 3]
    assert costs_along(odalin(2, 2, costly_corners=[(1, 0)]), [(0, 0), (1, 1)]) == [0, 2]
    both = odalin(2, 2, costly_corners=[(1, 0), (0, 1)])
    assert costs_along(both, [(0, 0), (1, 1)]) == [0, 2]
    everything = odalin(2, 2, sticky=[(0, 0)], costly=[(1, 1)], costly_corners=[(0, 1)])
    assert costs_along(everything, [(0, 0), (1, 1)]) == [0, 4]
    assert reach(odalin(4, 1, sticky=[(0, 0)], costly=[(1, 0)]), 1, 2).stops == 1


def test_a_step_onto_a_friend_needs_points_to_go_on():
    """OD-MOVE-03, OD-MOVE-18: the surcharge for leaving the friend's square counts."""
    assert next_steps(odalin(3, 1, no_stop=[(1, 0)]), (0, 0), 2) == {(1, 0): 1}
    assert next_steps(odalin(3, 1, no_stop=[(1, 0)]), (0, 0), 1) == {}
    assert next_steps(odalin(3, 1, no_stop=[(1, 0)], sticky=[(1, 0)]), (0, 0), 2) == {}
    assert next_steps(odalin(3, 1, no_stop=[(1, 0)], sticky=[(1, 0)]), (0, 0), 3) == {(1, 0): 1}


def test_a_flyer_pays_the_surcharge_once():
    """OD-FLY-04, OD-FLY-05."""
    path = [(0, 0), (1, 0), (2, 0), (3, 0)]
    flying = odalin(4, 1, sticky=[(0, 0), (1, 0)], sticky_once=True)
    assert costs_along(flying, path) == [0, 2, 3, 4]
    assert costs_of(reach(flying, 1)) == {(0, 0): 0, (1, 0): 2, (2, 0): 3, (3, 0): 4}
    assert next_steps(flying, (1, 0), 1, first=False) == {(0, 0): 1, (2, 0): 1}
    assert next_steps(flying, (1, 0), 1) == {}


def test_a_large_figure_does_not_squeeze():
    """OD-MOVE-16: no gap one square wide; no diagonal step past a wall that it would clip."""
    gap = odalin(5, 3, size=2, barriers=[(2, 0), (2, 2)])
    assert gap.grid.list(reach(gap, gap.grid.bit((0, 0))).stops) == [(0, 0), (0, 1)]
    clip = odalin(4, 4, size=2, barriers=[(2, 0)])
    assert (1, 1) not in dict(clip.steps_from((0, 0)))
    free = odalin(4, 4, size=2, blocked=[(2, 0)])
    assert (1, 1) in dict(free.steps_from((0, 0)))


def test_a_large_figure_pays_once_for_what_it_newly_covers():
    """OD-MOVE-16: costly cells already under it are free, two new ones cost once, flanks it covers are not clipped."""
    terrain = odalin(4, 4, size=2, costly=[(0, 0), (2, 0), (2, 1)], costly_corners=[(1, 0), (0, 1)])
    prices = dict(terrain.steps_from((0, 0)))
    assert prices == {(1, 0): 2, (0, 1): 1, (1, 1): 2}
    clipped = odalin(4, 4, size=2, costly_corners=[(2, 0)])
    assert dict(clipped.steps_from((0, 0))) == {(1, 0): 1, (0, 1): 1, (1, 1): 2}


def test_a_large_enemy_moves_as_a_block_and_no_part_of_it_crosses_a_wall():
    """EX-LARGE-MOVE, EV-ENEMY-05, EV-BORDER-02."""
    terrain = Terrain(Grid(4, 2), size=2)
    assert terrain.steps_from((0, 0)) == [((1, 0), 1)]
    walled = Terrain(Grid(4, 2, walls=[((1, 1), (2, 1))]), size=2)
    assert walled.steps_from((0, 0)) == []


# -- refusals ----------------------------------------------------------------------------------------------------------


def test_what_makes_no_sense_is_refused():
    terrain = Terrain(Grid(3, 3), size=2)
    with pytest.raises(GridError, match="3 x 3"):
        Terrain(Grid(3, 3), size=3)
    with pytest.raises(GridError, match=r"\(2, 2\)"):
        terrain.steps_from((2, 2))
    with pytest.raises(GridError, match=r"\(2, 0\)"):
        next_steps(terrain, (2, 0), 3)
    with pytest.raises(GridError, match="empty"):
        costs_along(terrain, [])
    with pytest.raises(GridError, match=r"\(0, 0\), got \(0, 0\)"):
        costs_along(terrain, [(0, 0), (0, 0)])
    with pytest.raises(GridError, match=r"\(5, 5\)"):
        reach(terrain, 1).cost((5, 5))


def test_a_start_off_the_grid_reaches_nothing():
    grid = Grid(3, 3, missing=[(2, 2)])
    assert reach(Terrain(grid, size=2), grid.bit((1, 1))).layers == {}
    assert reach(Terrain(grid), 0).stops == 0


def test_ground_and_terrain_have_the_same_fields():
    """The oracle must not silently lack something that the terrain knows."""
    assert set(Ground.__dataclass_fields__) - {"board"} == set(Terrain.__dataclass_fields__) - {"grid"}
