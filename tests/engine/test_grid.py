"""The board itself: cells, borders, range, lines, floods, footprints."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emberboard.engine.grid import Grid, GridError

from .grid_boards import SIDES, Board, boards, row_major, some


@st.composite
def board_and_cells(draw: st.DrawFn) -> tuple[Board, list, list]:
    board = draw(boards())
    return board, some(draw, board.rectangle), some(draw, board.rectangle, 1)


# -- against the plain board -------------------------------------------------------------------------------------------


@given(board_and_cells())
def test_masks_and_cells_are_the_same_thing_twice(drawn):
    board, cells, _ = drawn
    grid = board.grid()
    assert grid.list(grid.mask(cells)) == row_major(cells)
    assert grid.mask(cells) == sum(1 << (y * board.width + x) for x, y in cells)
    assert grid.list(grid.cells) == row_major(board.cells)
    assert [cell for cell in board.rectangle if cell in grid] == row_major(board.cells)
    assert {frozenset(wall) for wall in grid.walls} == board.walls
    assert grid.walls == tuple(sorted(grid.walls, key=lambda wall: (wall[0][1], wall[0][0], wall[1][1], wall[1][0])))
    assert Grid(board.width, board.height, missing=set(board.rectangle) - board.cells, walls=grid.walls) == grid


@given(boards())
def test_neighbours_walls_and_sides(board):
    grid = board.grid()
    for cell in board.cells:
        assert grid.neighbours(cell) == board.beside(cell, walls=True)
        assert grid.adjacent(cell) == board.beside(cell, walls=False)
        x, y = cell
        assert grid.walled_sides(cell) == tuple(
            side for side, (dx, dy) in SIDES.items() if frozenset((cell, (x + dx, y + dy))) in board.walls
        )
        for side, (dx, dy) in SIDES.items():
            assert bool(grid.exits(side) & grid.bit(cell)) == ((x + dx, y + dy) in board.beside(cell, walls=True))
    for a, b in product(board.rectangle, repeat=2):
        assert grid.wall_between(a, b) == (frozenset((a, b)) in board.walls)


@given(board_and_cells())
def test_step_and_spread_are_all_neighbours(drawn):
    board, cells, _ = drawn
    grid = board.grid()
    inside = [cell for cell in cells if cell in board.cells]
    for walls, step in ((True, grid.step), (False, grid.spread)):
        expected = {other for cell in inside for other in board.beside(cell, walls)}
        assert grid.list(step(grid.mask(cells))) == row_major(expected)


@given(board_and_cells(), st.booleans(), st.one_of(st.none(), st.integers(0, 8)))
def test_layers_are_a_flood(drawn, walls, limit):
    board, source, through = drawn
    grid = board.grid()
    steps = board.flood(set(source), walls, frozenset(through))
    expected: dict[int, list] = {}
    for cell, distance in steps.items():
        if limit is None or distance <= limit:
            expected.setdefault(distance, []).append(cell)
    layers = grid.layers(grid.mask(source), through=grid.mask(through), limit=limit, walls=walls)
    assert [grid.list(layer) for layer in layers] == [row_major(expected[d]) for d in range(len(expected))]
    everywhere = board.flood(set(source), walls)
    reached = grid.layers(grid.mask(source), walls=walls)
    assert {cell: d for d, layer in enumerate(reached) for cell in grid.list(layer)} == everywhere


@given(board_and_cells(), st.booleans())
def test_distance_is_the_shortest_flood_and_symmetric(drawn, walls):
    board, a, b = drawn
    grid = board.grid()
    steps = board.flood(set(a), walls)
    expected = min((steps[cell] for cell in b if cell in steps), default=None)
    assert grid.distance(grid.mask(a), grid.mask(b), walls=walls) == expected
    assert grid.distance(grid.mask(b), grid.mask(a), walls=walls) == expected


@given(board_and_cells(), st.booleans(), st.integers(0, 6), st.one_of(st.none(), st.integers(-1, 6)))
def test_within_is_a_band_of_the_flood(drawn, walls, low, high):
    board, source, _ = drawn
    grid = board.grid()
    steps = board.flood(set(source), walls)
    expected = [cell for cell, d in steps.items() if low <= d and (high is None or d <= high)]
    assert grid.list(grid.within(grid.mask(source), low, high, walls=walls)) == row_major(expected)


@given(boards(missing=4, walls=4), st.one_of(st.none(), st.integers(0, 4)))
def test_line_walks_straight_until_stopped(board, limit):
    grid = board.grid()
    for cell in board.cells:
        arms = grid.line(cell, limit)
        assert list(arms) == list(SIDES)
        for side, (dx, dy) in SIDES.items():
            expected, here = [], cell
            while limit is None or len(expected) < limit:
                there = (here[0] + dx, here[1] + dy)
                if there not in board.beside(here, walls=True):
                    break
                expected.append(there)
                here = there
            assert arms[side] == expected


@given(board_and_cells())
def test_anchors_are_where_a_whole_figure_fits(drawn):
    board, _, free = drawn
    grid = board.grid()
    fits = {1: [], 2: []}
    for x, y in board.rectangle:
        if (x, y) in board.cells and (x, y) in free:
            fits[1].append((x, y))
        body = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)]
        inside = [frozenset((a, b)) for a in body for b in body]
        if all(cell in board.cells and cell in free for cell in body) and not board.walls.intersection(inside):
            fits[2].append((x, y))
    for size in (1, 2):
        anchors = grid.list(grid.anchors(size, grid.mask(free)))
        assert anchors == fits[size]
        for anchor in anchors:
            assert not grid.footprint(anchor, size) & ~grid.mask(free)


@given(board_and_cells(), st.integers(-10, 10), st.integers(-10, 10))
def test_shifted_moves_cells_and_drops_what_leaves(drawn, dx, dy):
    board, cells, _ = drawn
    grid = board.grid()
    moved = [(x + dx, y + dy) for x, y in cells if 0 <= x + dx < board.width and 0 <= y + dy < board.height]
    assert grid.list(grid.shifted(grid.mask(cells), dx, dy)) == moved


@given(board_and_cells())
def test_more_obstacles_and_walls_never_bring_anything_closer(drawn):
    board, source, through = drawn
    grid, start = board.grid(), board.grid().mask(source)
    free = grid.layers(start)
    fewer = grid.layers(start, through=grid.mask(through))
    wall_free = Grid(board.width, board.height, missing=set(board.rectangle) - board.cells)
    reached_free = reached_fewer = reached_open = 0
    for d in range(max(len(free), len(fewer))):
        reached_free |= free[d] if d < len(free) else 0
        reached_fewer |= fewer[d] if d < len(fewer) else 0
        reached_open |= wall_free.within(start, d, d)
        assert not reached_fewer & ~reached_free
        assert not reached_free & ~reached_open


# -- by hand, from the catalogue ---------------------------------------------------------------------------------------


def test_range_one_is_four_cells_and_range_two_twelve():
    """EV-RANGE-04, EX-RANGE: on an open grid; EV-RANGE-03: R2+ is all the rest."""
    grid = Grid(9, 9)
    source = grid.bit((4, 4))
    assert grid.within(source, 1, 1).bit_count() == 4
    assert grid.within(source, 1, 2).bit_count() == 12
    assert grid.within(source, 2, None).bit_count() == 81 - 1 - 4
    assert grid.list(grid.within(source, 1, 1)) == [(4, 3), (3, 4), (5, 4), (4, 5)]
    assert grid.distance(source, grid.bit((5, 5))) == 2


def test_line_on_seven_by_seven_has_twelve_cells():
    """EX-LINE, EV-RANGE-06."""
    arms = Grid(7, 7).line((3, 3))
    assert [len(arm) for arm in arms.values()] == [3, 3, 3, 3]
    assert arms["north"] == [(3, 2), (3, 1), (3, 0)]
    assert Grid(7, 7).line((3, 3), limit=2)["west"] == [(2, 3), (1, 3)]


def test_line_ends_at_an_impassable_border():
    """EV-RANGE-06: a border after the second space to the east leaves two."""
    grid = Grid(7, 1, walls=[((2, 0), (3, 0))])
    assert grid.line((0, 0))["east"] == [(1, 0), (2, 0)]


def test_example_d29_line_and_range_at_walls():
    """EV-EX-D29 steps 16 and 17; EV-BORDER-04, EV-BORDER-05: walls do not count for range."""
    grid = Grid(6, 5, walls=[((2, 2), (2, 1)), ((2, 2), (3, 2)), ((4, 2), (5, 2))])
    ada = grid.bit((2, 2))
    arms = grid.line((2, 2))
    assert arms == {"north": [], "east": [], "south": [(2, 3), (2, 4)], "west": [(1, 2), (0, 2)]}
    assert [grid.within(ada, low, high).bit_count() for low, high in ((1, 1), (1, 2), (2, None))] == [4, 12, 25]
    assert grid.walled_sides((2, 2)) == ("north", "east")
    assert grid.walled_sides((4, 2)) == ("east",)
    assert grid.distance(ada, grid.bit((3, 2))) == 1
    assert grid.distance(ada, grid.bit((3, 2)), walls=True) == 3


def test_connected_means_over_a_passable_side():
    """EV-SPACE-02."""
    grid = Grid(2, 2, walls=[((0, 0), (1, 0))])
    assert grid.neighbours((0, 0)) == [(0, 1)]
    assert grid.adjacent((0, 0)) == [(1, 0), (0, 1)]
    assert grid.step(grid.bit((0, 0))) == grid.bit((0, 1))


def test_a_large_figure_needs_its_four_cells_in_one_piece():
    """EX-LARGE-MOVE, EV-ENEMY-05."""
    grid = Grid(3, 2)
    assert grid.list(grid.footprint((0, 0), 2)) == [(0, 0), (1, 0), (0, 1), (1, 1)]
    assert grid.list(grid.footprint((1, 0), 2)) == [(1, 0), (2, 0), (1, 1), (2, 1)]
    assert grid.list(grid.anchors(2, grid.cells)) == [(0, 0), (1, 0)]
    split = Grid(3, 2, walls=[((1, 1), (2, 1))])
    assert split.list(split.anchors(2, split.cells)) == [(0, 0)]


# -- refusals ----------------------------------------------------------------------------------------------------------


def test_a_wall_at_the_edge_of_the_board_is_no_border():
    assert Grid(2, 2, walls=[((1, 0), (2, 0)), ((0, -1), (0, 0))]) == Grid(2, 2)
    assert hash(Grid(2, 2)) == hash(Grid(2, 2))
    assert Grid(2, 2) != Grid(2, 2, walls=[((0, 0), (1, 0))])
    assert Grid(2, 2) != Grid(2, 2, missing=[(0, 0)])
    assert Grid(4, 1) != Grid(1, 4)


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (lambda: Grid(0, 3), "0 x 3"),
        (lambda: Grid(2, 2, missing=[(2, 0)]), r"\(2, 0\)"),
        (lambda: Grid(3, 3, walls=[((0, 0), (1, 1))]), r"\(0, 0\) and \(1, 1\)"),
        (lambda: Grid(3, 3, walls=[((0, 0), (2, 0))]), r"\(0, 0\) and \(2, 0\)"),
        (lambda: Grid(3, 3, walls=[((1, 1), (1, 1))]), r"\(1, 1\) and \(1, 1\)"),
        (lambda: Grid(3, 3, walls=[((3, 0), (4, 0))]), r"\(3, 0\) and \(4, 0\)"),
        (lambda: Grid(3, 3).bit((0, 3)), r"\(0, 3\)"),
        (lambda: Grid(3, 3).bit((-1, 0)), r"\(-1, 0\)"),
        (lambda: Grid(3, 3).mask([(0, 0), (3, 0)]), r"\(3, 0\)"),
        (lambda: Grid(2, 2).list(16), "4 bits"),
        (lambda: Grid(2, 2).list(-1), "4 bits"),
        (lambda: Grid(2, 2, missing=[(1, 1)]).neighbours((1, 1)), r"missing cell \(1, 1\)"),
        (lambda: Grid(2, 2, missing=[(1, 1)]).adjacent((1, 1)), r"missing cell \(1, 1\)"),
        (lambda: Grid(2, 2, missing=[(1, 1)]).walled_sides((1, 1)), r"missing cell \(1, 1\)"),
        (lambda: Grid(2, 2, missing=[(1, 1)]).line((1, 1)), r"missing cell \(1, 1\)"),
        (lambda: Grid(2, 2).wall_between((0, 0), (0, 2)), r"\(0, 2\)"),
        (lambda: Grid(2, 2).within(1, -1, 2), "-1"),
        (lambda: Grid(2, 2).exits("up"), "'up'"),
        (lambda: Grid(2, 2).footprint((1, 0), 2), r"\(2, 0\)"),
        (lambda: Grid(2, 2, missing=[(1, 1)]).footprint((0, 0), 2), r"\(1, 1\)"),
        (lambda: Grid(3, 3).footprint((0, 0), 3), "3 x 3"),
        (lambda: Grid(3, 3).anchors(0, 1), "0 x 0"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(make, names):
    with pytest.raises(GridError, match=names):
        make()


def test_only_existing_cells_are_in_a_grid():
    grid = Grid(2, 2, missing=[(0, 1)])
    assert (0, 0) in grid
    assert (0, 1) not in grid
    assert (2, 0) not in grid
    assert (-1, 0) not in grid
    assert "at" not in grid
    assert (0, 0, 0) not in grid
    walled = Grid(2, 2, missing=[(0, 1)], walls=[((0, 0), (1, 0)), ((1, 0), (1, 1))])
    assert repr(walled) == "<Grid 2 x 2, 1 missing, 2 walls>"
