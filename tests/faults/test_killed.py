"""SIGKILL at every input of a game: nothing acknowledged is lost, nothing half-done is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.small_game import ENDLESS
from tests.faults.killed_play import Order, Point, run

GAME, POLICY = "tests.engine.small_game:Miners", "tests.engine.small_game:play_one"


@pytest.mark.parametrize("points", [("before", "between"), ("after",)], ids="-".join)
def test_killed_at_every_input_it_stands_where_an_undisturbed_game_stands(
    tmp_path: Path, points: tuple[Point, ...]
) -> None:
    order = Order(GAME, POLICY, str(tmp_path), seed=3, setup=ENDLESS, most=90, points=points)
    report = run(order)
    assert report.wrong == []
    assert report.inputs >= 90
    assert report.kills == report.loads == len(points) * report.inputs + 1


def test_a_whole_short_game_killed_at_every_input_ends_as_it_would_have(tmp_path: Path) -> None:
    report = run(Order(GAME, POLICY, str(tmp_path), seed=4, points=("before", "between")))
    assert report.wrong == []
    assert report.over


def test_killed_while_it_plays_on_it_holds_at_least_what_was_acknowledged(tmp_path: Path) -> None:
    counts = tuple(range(1, 120, 6))
    report = run(Order(GAME, POLICY, str(tmp_path), seed=5, setup=ENDLESS, most=120, straight=counts))
    assert report.wrong == []
    assert report.kills == len(counts)
