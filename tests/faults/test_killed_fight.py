"""SIGKILL at every input of a whole fight: the table comes back to the same question with the same state."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.killed_play import Order, Point, run

GAME, POLICY = "emberboard.games.evershade.game:Evershade", "tests.games.evershade_play:play_one"
FIGHT = {"scenario": "outlaws-of-bear-peak", "seats": {"ann": ["malah"], "ben": ["chiri", "isme"]}}


@pytest.mark.slow
@pytest.mark.parametrize("points", [("before", "between"), ("after",)], ids="-".join)
def test_a_whole_fight_killed_at_every_input(tmp_path: Path, points: tuple[Point, ...]) -> None:
    report = run(Order(GAME, POLICY, str(tmp_path), seed=11, setup=FIGHT, points=points))
    assert report.wrong == []
    assert report.over
    assert report.inputs > 100
    assert report.kills == report.loads == len(points) * report.inputs + 1
