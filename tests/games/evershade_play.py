"""The simple player policy of Lands of Evershade as the harnesses want it: one input, chance from a given source."""

from __future__ import annotations

import random
from collections.abc import Callable

from emberboard.engine.question import Question
from emberboard.engine.session import Session
from emberboard.games.evershade import policy


def play_one(session: Session, source: random.Random) -> None:
    """One input by the policy; dice and draws come from `source`."""
    session.rng = source
    policy.answer(session)


def play_to(session: Session, wanted: Callable[[Question], bool]) -> Question:
    """Play by the policy until such a question is asked."""
    while session.question is not None:
        if wanted(session.question):
            return session.question
        policy.answer(session)
    raise AssertionError("the fight was over first")
