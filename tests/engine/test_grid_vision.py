"""Sight, against the rule in fractions: every line, every barrier."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emberboard.engine.grid import Cell, Grid, GridError
from emberboard.engine.grid_vision import Vision

from .grid_boards import Board, boards, row_major, some

Point = tuple[Fraction, Fraction]


def meets_box(a: Point, b: Point, low: tuple[int, int], high: tuple[int, int]) -> bool:
    """Whether the closed segment from `a` to `b` touches the closed box (which may be flat: a wall)."""
    begin, end = Fraction(0), Fraction(1)
    for axis in (0, 1):
        start, move = a[axis], b[axis] - a[axis]
        if move == 0:
            if not low[axis] <= start <= high[axis]:
                return False
            continue
        first, last = sorted(((low[axis] - start) / move, (high[axis] - start) / move))
        begin, end = max(begin, first), min(end, last)
    return begin <= end


def boxes(board: Board, barriers: set[Cell]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Everything that breaks a line: the outside, missing cells, barrier cells, walls."""
    width, height = board.width, board.height
    found = [
        ((-9, -9), (width + 9, 0)),
        ((-9, height), (width + 9, height + 9)),
        ((-9, -9), (0, height + 9)),
        ((width, -9), (width + 9, height + 9)),
    ]
    for x, y in board.rectangle:
        if (x, y) not in board.cells or (x, y) in barriers:
            found.append(((x, y), (x + 1, y + 1)))
    for wall in board.walls:
        (_, ay), (bx, by) = row_major(wall)
        found.append(((bx, by), (bx, by + 1)) if ay == by else ((bx, by), (bx + 1, by)))
    return found


def clearance(board: Board, barriers: set[Cell], a: Cell, b: Cell) -> str | None:
    """OD-VISION-01, 03, 08, 10, word for word."""
    if a == b:
        return "exact" if a in board.cells else None
    stops = boxes(board, barriers)
    for kind, inward in (("exact", Fraction(0)), ("inset", Fraction(1, 1024))):
        near, far = inward, 1 - inward
        corners = [(dx, dy) for dx in (near, far) for dy in (near, far)]
        for ax, ay in corners:
            for bx, by in corners:
                start, end = (a[0] + ax, a[1] + ay), (b[0] + bx, b[1] + by)
                if not any(meets_box(start, end, low, high) for low, high in stops):
                    return kind
    return None


@st.composite
def board_and_barriers(draw: st.DrawFn, side: int = 7) -> tuple[Board, list[Cell]]:
    board = draw(boards(side, missing=4, walls=draw(st.sampled_from((2, 3, 6)))))
    return board, some(draw, board.rectangle, draw(st.sampled_from((2, 3, 5))))


# -- against the rule --------------------------------------------------------------------------------------------------


@given(board_and_barriers(), st.data())
@settings(max_examples=250)
def test_sight_and_its_kind_are_those_of_the_rule(drawn, data):
    board, barriers = drawn
    a, b = data.draw(st.sampled_from(board.rectangle)), data.draw(st.sampled_from(board.rectangle))
    grid = board.grid()
    vision = Vision(grid, grid.mask(barriers))
    expected = clearance(board, set(barriers), a, b)
    assert vision.clearance(a, b) == expected
    assert vision.clearance(b, a) == expected
    assert vision.sees(grid.bit(a), grid.bit(b)) == (expected is not None)
    assert bool(vision.visible(a) & grid.bit(b)) == (expected is not None)


def test_inset_lines_decide_on_large_boards_too():
    """The proof in the module, tried where it is tightest: long lines with single cells right beside them."""
    random = Random(1024)
    kinds = {"exact": 0, "inset": 0, None: 0}
    for _ in range(60):
        width, height = random.randint(25, 60), random.randint(2, 40)
        board = Board(width, height, frozenset((x, y) for x in range(width) for y in range(height)), frozenset())
        a, b = (0, random.randrange(height)), (width - 1, random.randrange(height))
        barriers = set()
        for _ in range(random.randint(1, 8)):
            x = random.randint(1, width - 2)
            y = a[1] + (b[1] - a[1]) * x // (width - 1) + random.choice((-2, -1, 0, 1, 2))
            if 0 <= y < height:
                barriers.add((x, y))
        grid = board.grid()
        expected = clearance(board, barriers, a, b)
        assert Vision(grid, grid.mask(barriers)).clearance(a, b) == expected
        kinds[expected] += 1
    assert all(kinds.values())


@given(board_and_barriers(side=6))
def test_sight_is_mutual_and_whole(drawn):
    """OD-VISION-05, OD-VISION-10, OD-AREA-06."""
    board, barriers = drawn
    grid = board.grid()
    vision = Vision(grid, grid.mask(barriers))
    seen = {cell: vision.visible(cell) for cell in board.rectangle}
    for a in board.rectangle:
        for b in grid.list(seen[a]):
            assert seen[b] & grid.bit(a)
        if a in board.cells:
            assert seen[a] & grid.bit(a)
            assert not seen[a] & grid.mask(barriers) & ~grid.bit(a)
        else:
            assert not seen[a]


@given(board_and_barriers(side=6), st.data())
def test_another_barrier_never_shows_anything(drawn, data):
    board, barriers = drawn
    grid = board.grid()
    more = grid.mask(barriers + some(data.draw, board.rectangle, 3))
    fewer_seen, more_seen = Vision(grid, more), Vision(grid, grid.mask(barriers))
    for cell in board.rectangle:
        assert not fewer_seen.visible(cell) & ~more_seen.visible(cell)


@given(board_and_barriers(side=6), st.data())
def test_a_figure_sees_with_any_and_is_seen_on_any_of_its_cells(drawn, data):
    """OD-VISION-06."""
    board, barriers = drawn
    grid = board.grid()
    vision = Vision(grid, grid.mask(barriers))
    a, b = some(data.draw, board.rectangle), some(data.draw, board.rectangle)
    expected = any(vision.visible(cell) & grid.bit(other) for cell in a for other in b)
    assert vision.sees(grid.mask(a), grid.mask(b)) == expected
    assert vision.sees(grid.mask(b), grid.mask(a)) == expected
    assert vision.visible_from(grid.mask(a)) == grid.mask(
        {other for cell in a for other in grid.list(vision.visible(cell))}
    )


# -- by hand, from the catalogue ---------------------------------------------------------------------------------------


def test_a_line_that_only_touches_a_wall_corner():
    """OD-EX-D06, OD-VISION-03."""
    grid = Grid(12, 12)
    vision = Vision(grid, grid.bit((4, 4)))
    assert vision.clearance((3, 3), (5, 5)) is None
    assert vision.clearance((3, 3), (5, 4)) == "exact"
    assert vision.clearance((3, 3), (6, 5)) == "exact"
    assert vision.clearance((3, 3), (7, 7)) is None
    assert vision.clearance((5, 5), (3, 3)) is None


def test_corridor_and_pinched_diagonal():
    """OD-EX-D07, OD-VISION-08."""
    grid = Grid(3, 3)
    corridor = Vision(grid, grid.mask([(0, 0), (1, 0), (2, 0), (0, 2), (1, 2), (2, 2)]))
    assert corridor.clearance((0, 1), (2, 1)) == "inset"
    assert Vision(Grid(3, 1)).clearance((0, 0), (2, 0)) == "inset"
    for turned in (False, True):
        sides = [((x, y), (x, y + 1)) for x in range(3) for y in (0, 1)]
        walls = [tuple((y, x) if turned else (x, y) for x, y in side) for side in sides]
        assert Vision(Grid(3, 3, walls=walls)).clearance(*(((1, 0), (1, 2)) if turned else ((0, 1), (2, 1)))) == "inset"
    pinch = Vision(grid, grid.mask([(1, 0), (0, 1)]))
    assert pinch.clearance((0, 0), (1, 1)) is None
    assert pinch.clearance((0, 0), (2, 2)) is None
    assert Vision(grid, grid.mask([(0, 0), (1, 1)])).clearance((1, 0), (0, 1)) is None


def test_an_empty_room_is_seen_from_everywhere():
    """OD-VISION-01, OD-VISION-04."""
    grid = Grid(8, 5)
    vision = Vision(grid)
    assert all(vision.visible(cell) == grid.cells for cell in grid.list(grid.cells))


def test_tiles_side_by_side_see_each_other_through_an_open_door_only():
    """OD-VISION-07, OD-VISION-09."""
    border = [((2, y), (3, y)) for y in range(3)]
    closed = Grid(6, 3, walls=border)
    left = closed.mask((x, y) for x in range(3) for y in range(3))
    assert Vision(closed).visible((2, 1)) == left
    door = Grid(6, 3, walls=[wall for wall in border if wall[0] != (2, 1)])
    through = Vision(door)
    assert through.clearance((2, 1), (3, 1)) == "exact"
    assert through.sees(door.bit((0, 1)), door.bit((5, 1)))
    assert not through.sees(door.bit((2, 0)), door.bit((3, 0)))


def test_a_wall_between_cells_breaks_a_line_that_touches_its_end():
    """OD-VISION-03, OD-VISION-07: nothing gets past it along its row, the lines below its end are left."""
    grid = Grid(4, 4, walls=[((1, 1), (2, 1))])
    vision = Vision(grid)
    assert not vision.sees(grid.bit((1, 1)), grid.bit((2, 1)))
    assert not vision.sees(grid.bit((1, 1)), grid.bit((3, 1)))
    assert vision.clearance((1, 2), (2, 2)) == "exact"
    assert vision.clearance((1, 1), (2, 2)) == "exact"


def test_half_of_an_area_seen():
    """OD-EX-D09, OD-AREA-05."""
    grid = Grid(12, 12)
    area = grid.mask([(5, 5), (6, 5), (5, 6), (6, 6)])
    assert grid.list(Vision(grid, grid.bit((4, 4))).visible((3, 3)) & area) == [(6, 5), (5, 6)]


def test_what_makes_no_sense_is_refused():
    assert Vision(Grid(511, 1)).sees(1, 2)
    with pytest.raises(GridError, match="511"):
        Vision(Grid(512, 1))
    with pytest.raises(GridError, match=r"\(3, 0\)"):
        Vision(Grid(3, 3)).visible((3, 0))
    with pytest.raises(GridError, match=r"\(0, 3\)"):
        Vision(Grid(3, 3)).clearance((0, 0), (0, 3))
