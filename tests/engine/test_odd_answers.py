"""Answers that only a broken client sends are refused in words, not by an error of the language."""

from __future__ import annotations

import pytest

from emberboard.engine.dice import DiceWanted
from emberboard.engine.errors import Refused
from emberboard.engine.question import Draw, Json, Option, Path, Place, Question, Roll, Who, accept

WHO = Who("group", ("north",))


@pytest.mark.parametrize(
    ("question", "value"),
    [
        (Draw(prompt="?", who=WHO, pile="bag", contents={"gold": 1}), {"gold": 1}),
        (Draw(prompt="?", who=WHO, pile="bag", contents={"gold": 1}), ["gold"]),
        (Roll(prompt="?", who=WHO, dice=(DiceWanted("ann", "d6", 1),)), [[1.0]]),
        (Roll(prompt="?", who=WHO, dice=(DiceWanted("ann", "d6", 1),)), [[True]]),
        (Roll(prompt="?", who=WHO, dice=(DiceWanted("ann", "d6", 1),)), [[{"face": 1}]]),
        (
            Path(prompt="?", who=WHO, figure="f", start=(0, 0), steps={"0,0": [(1, 0)]}, stops=[(1, 0)], limit=1),
            [[1.9, 0]],
        ),
        (
            Path(prompt="?", who=WHO, figure="f", start=(0, 0), steps={"0,0": [(1, 0)]}, stops=[(1, 0)], limit=1),
            [[True, 0]],
        ),
        (Place(prompt="?", who=WHO, options=(Option("1,0", at=(1, 0)),)), {"at": [1, 0]}),
    ],
)
def test_values_of_a_wrong_kind_are_refused(question: Question, value: Json) -> None:
    with pytest.raises(Refused):
        accept(question, value)
