"""Diagrams, square distance, laid areas and lines."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emberboard.engine.grid import Cell, Grid, GridError
from emberboard.engine.grid_area import Block, Diagram, blocks, lines, square_distance, square_within

from .grid_boards import CORNERS, SIDES, boards, row_major, some

OFFSETS = st.tuples(st.integers(-3, 3), st.integers(-3, 3))
DIAGRAMS = st.dictionaries(OFFSETS, st.integers(0, 5), max_size=8)


def apart(a: Cell, b: Cell) -> int:
    return max(abs(a[0] - b[0]), abs(a[1] - b[1]))


# -- diagrams ----------------------------------------------------------------------------------------------------------


@given(boards(), DIAGRAMS, OFFSETS)
def test_a_diagram_covers_what_exists_around_its_anchor(board, effects, anchor):
    placed = Diagram(effects).at(board.grid(), anchor)
    expected = {
        (x, y): effects[x - anchor[0], y - anchor[1]]
        for x, y in row_major(board.cells)
        if (x - anchor[0], y - anchor[1]) in effects
    }
    assert list(placed.items()) == list(expected.items())


@given(DIAGRAMS)
def test_turns_keep_effects_and_distance_and_four_are_none(effects):
    diagram = Diagram(effects)
    once = diagram.turned(1)
    assert {(-y, x): value for (x, y), value in effects.items()} == once.effects
    assert list(once.effects) == row_major(once.effects)
    assert once.turned(3) == diagram == diagram.turned(4)
    assert diagram.turned(-1) == diagram.turned(3)
    turns = diagram.rotations()
    assert turns[0] == diagram
    assert all(turns.count(turned) == 1 for turned in turns)
    assert all(diagram.turned(quarters) in turns for quarters in range(4))


def test_a_quarter_turn_is_clockwise():
    """With y down, what lay to the north then lies to the east."""
    assert Diagram({(0, -1): "flame"}).turned(1) == Diagram({(1, 0): "flame"})
    line = Diagram({(0, 0): 3, (0, 1): 2, (0, 2): 4})
    assert [list(turn.effects.items()) for turn in line.rotations()] == [
        [((0, 0), 3), ((0, 1), 2), ((0, 2), 4)],
        [((-2, 0), 4), ((-1, 0), 2), ((0, 0), 3)],
        [((0, -2), 4), ((0, -1), 2), ((0, 0), 3)],
        [((0, 0), 3), ((1, 0), 2), ((2, 0), 4)],
    ]
    assert len(Diagram({(-1, 0): 1, (1, 0): 1}).rotations()) == 2


def test_example_d34_diagrams():
    """EV-EX-D34, EV-AOE-01, EV-ENEMY-05: the fireball and the line on Ada; the highest value under the Ogre."""
    grid = Grid(6, 5)
    ogre = grid.list(grid.footprint((3, 3), 2))
    fireball = Diagram({(0, 0): 4, (1, 0): 2, (-1, 0): 2, (0, 1): 2, (0, -1): 2}).at(grid, (3, 2))
    assert fireball == {(3, 1): 2, (2, 2): 2, (3, 2): 4, (4, 2): 2, (3, 3): 2}
    lava = Diagram({(0, 0): 3, (0, 1): 2, (0, 2): 4}).at(grid, (3, 2))
    assert max(lava[cell] for cell in ogre if cell in lava) == 4
    assert list(Diagram({(0, 0): 3, (0, 1): 2, (0, 2): 4}).at(grid, (0, 4))) == [(0, 4)]


# -- square distance ---------------------------------------------------------------------------------------------------


@given(boards(), st.data(), st.integers(0, 9), st.one_of(st.none(), st.integers(-1, 9)))
def test_square_distance_counts_diagonals_as_one(board, data, low, high):
    grid = board.grid()
    a, b = (some(data.draw, row_major(board.cells)) for _ in range(2))
    expected = min((apart(x, y) for x, y in product(a, b)), default=None)
    assert square_distance(grid, grid.mask(a), grid.mask(b)) == expected
    assert square_distance(grid, grid.mask(b), grid.mask(a)) == expected
    band = [
        cell for cell in board.cells
        if a and low <= min(apart(cell, other) for other in a)
        and (high is None or min(apart(cell, other) for other in a) <= high)
    ]
    assert grid.list(square_within(grid, grid.mask(a), low, high)) == row_major(band)


def test_distance_from_the_catalogue():
    """OD-RANGE-02, OD-RANGE-05, OD-MOVE-13."""
    grid = Grid(6, 4, walls=[((0, 0), (1, 0))])
    assert square_distance(grid, grid.bit((0, 0)), grid.bit((3, 2))) == 3
    assert square_distance(grid, grid.footprint((3, 0), 2), grid.bit((0, 0))) == 3
    assert grid.list(square_within(grid, grid.bit((0, 0)), 1, 1)) == [(1, 0), (0, 1), (1, 1)]


# -- areas and lines ---------------------------------------------------------------------------------------------------


@given(boards(side=6), st.data(), st.integers(1, 3), st.integers(1, 3), st.integers(0, 4))
def test_blocks_are_all_legal_places(board, data, width, height, reach):
    grid = board.grid()
    source = some(data.draw, row_major(board.cells), 3)
    visible = some(data.draw, row_major(board.cells), 1)
    expected = []
    for y, x in product(range(-9, 16), repeat=2):
        for across, down in dict.fromkeys(((width, height), (height, width))):
            squares = [(x + dx, y + dy) for dx in range(across) for dy in range(down)]
            near = all(any(apart(square, cell) <= reach for cell in source) for square in squares)
            seen = sum(square in visible for square in squares)
            if near and seen >= len(squares) / 2:
                covered = grid.mask(square for square in squares if square in board.cells)
                expected.append(Block((x, y), across, down, covered))
    assert blocks(grid, grid.mask(source), width, height, reach, grid.mask(visible)) == expected


def test_areas_from_the_catalogue():
    """OD-AREA-01, OD-AREA-04, OD-AREA-05, OD-EX-D09."""
    grid = Grid(12, 12)
    hero, everything = grid.bit((3, 3)), grid.cells
    places = blocks(grid, hero, 3, 3, 3, everything)
    assert all(place.cells.bit_count() == 9 for place in places)
    assert (4, 3) in [place.corner for place in places]
    assert (5, 3) not in [place.corner for place in places]
    area = grid.mask([(5, 5), (6, 5), (5, 6), (6, 6)])
    seen = grid.mask([(6, 5), (5, 6)])
    assert Block((5, 5), 2, 2, area) in blocks(grid, hero, 2, 2, 3, seen)
    assert Block((5, 5), 2, 2, area) not in blocks(grid, hero, 2, 2, 3, grid.bit((6, 5)))
    assert blocks(grid, 0, 2, 2, 3, everything) == []


@given(boards(side=7, missing=4), st.data(), st.integers(1, 5))
def test_lines_keep_their_distance(board, data, length):
    """OD-LINE-01, OD-LINE-02, OD-LINE-03."""
    grid = board.grid()
    size = data.draw(st.sampled_from((1, 2)))
    anchors = grid.list(grid.anchors(size, grid.cells)) or row_major(board.cells)
    x, y = data.draw(st.sampled_from(anchors))
    figure = [cell for cell in ((x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)) if cell in board.cells]
    figure = figure if size == 2 and grid.anchors(2, grid.cells) & grid.bit((x, y)) else [(x, y)]
    expected = []
    for cx, cy in row_major(figure):
        for dx, dy in (*SIDES.values(), *CORNERS):
            squares = [(cx + dx * k, cy + dy * k) for k in range(1, length + 1)]
            if all(min(apart(square, cell) for cell in figure) == k for k, square in enumerate(squares, 1)):
                expected.append([square for square in squares if square in board.cells])
    assert lines(grid, grid.mask(figure), length) == [line for line in expected if line]


def test_lines_from_the_catalogue():
    """OD-LINE-01, OD-LINE-02, OD-LINE-03."""
    grid = Grid(8, 8)
    corner = lines(grid, grid.bit((0, 0)), 3)
    assert [(1, 0), (2, 0), (3, 0)] in corner
    assert len(corner) == 3
    assert [(k, k) for k in range(1, 6)] in lines(grid, grid.bit((0, 0)), 5)
    large = lines(grid, grid.footprint((0, 0), 2), 3)
    assert [(2, 0), (3, 0), (4, 0)] in large
    assert [(1, 0), (2, 0), (3, 0)] not in large


def test_what_makes_no_sense_is_refused():
    grid = Grid(3, 3)
    with pytest.raises(GridError, match="-1"):
        square_within(grid, 1, -1, 2)
    with pytest.raises(GridError, match="0 x 2"):
        blocks(grid, 1, 0, 2, 3, 1)
    with pytest.raises(GridError, match="got 0"):
        lines(grid, 1, 0)
