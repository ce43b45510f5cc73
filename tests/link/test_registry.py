"""Which board lies where: cells and tiles, the file, learning by two touches."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emberboard.link.registry import Place, PlaceLearner, Registry, RegistryError

A, B, C = "a" * 16, "b" * 16, "c" * 16
HERE = '{"row": 0, "column": 0, "rotation": %d}'


@given(st.integers(0, 5), st.integers(0, 5), st.integers(0, 3), st.integers(0, 35))
def test_cell_and_tile_are_each_others_way_back(row: int, column: int, rotation: int, tile: int) -> None:
    place = Place(row, column, rotation)
    cell = place.cell(tile)
    assert (cell[0] // 6, cell[1] // 6) == (row, column)
    assert place.tile(cell) == tile


@pytest.mark.parametrize(("rotation", "cell"), [(0, (0, 0)), (1, (0, 5)), (2, (5, 5)), (3, (5, 0))])
def test_a_quarter_turn_clockwise_takes_tile_0_to_the_north_east(rotation: int, cell: tuple[int, int]) -> None:
    assert Place(0, 0, rotation).cell(0) == cell


def test_the_file_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "boards.json"
    registry = Registry.load(path)
    registry.put(A, Place(0, 1, 3))
    registry.put(B, Place(0, 0, 0))
    number = registry.next_session()
    registry.save(path)
    again = Registry.load(path)
    assert again == registry
    assert again.next_session() != number
    assert again.tile((3, 8)) == (A, Place(0, 1, 3).tile((3, 8)))
    assert again.tile((6, 0)) is None and again.cell(C, 0) is None


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{", "not JSON"),
        ("[]", "'boards' is missing"),
        (f'{{"boards": {{"{A}": {{"row": 0}}}}}}', f"board {A}: row, column and rotation are due"),
        (f'{{"boards": {{"{A}": {HERE % 4}}}}}', "a rotation of 0..3"),
        (f'{{"boards": {{"{A}": {HERE % 0}, "{B}": {HERE % 1}}}}}', "same place"),
    ],
)
def test_a_spoilt_file_says_what_to_do(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "boards.json"
    path.write_text(text)
    with pytest.raises(RegistryError, match=what) as caught:
        Registry.load(path)
    assert str(path) in str(caught.value)


@given(st.permutations([A, B, C]), st.lists(st.integers(0, 3), min_size=3, max_size=3))
def test_places_and_rotations_are_learnt_by_touch(order: list[str], turns: list[int]) -> None:
    """The hands touch what lies at the north-west and north-east in truth; what is learnt is the truth."""
    spots = [(0, 0), (0, 1), (1, 0)]
    truth = {uid: Place(*spot, turn) for uid, spot, turn in zip(order, spots, turns)}
    registry = Registry()
    learner = PlaceLearner(registry, [A, B, C], spots)
    for uid, (row, column) in zip(order, spots):
        for corner in ((6 * row, 6 * column), (6 * row, 6 * column + 5)):
            tile = truth[uid].tile(corner)
            assert learner.lit[uid] >> tile & 1
            assert learner.touch(uid, tile) == ""
    assert learner.done
    assert registry.places == truth


def test_a_wrong_touch_is_said_and_the_place_begun_again() -> None:
    registry = Registry()
    learner = PlaceLearner(registry, [A, B], [(0, 0), (0, 1)])
    assert learner.asked == "Board in row 1, column 1: touch its lit tile at the NORTH-WEST."
    assert learner.touch(A, 7) == "That tile is not lit."
    assert learner.touch(A, 0) == ""
    assert learner.asked.endswith("NORTH-EAST.")
    assert learner.touch(A, 0).startswith("That was the first")
    assert "once more" in learner.touch(A, 35)
    assert learner.touch(A, 0) == learner.touch(A, 5) == ""
    assert registry.places == {A: Place(0, 0, 0)}
    assert learner.lit == {B: (1 << 0) + (1 << 5) + (1 << 30) + (1 << 35)}
