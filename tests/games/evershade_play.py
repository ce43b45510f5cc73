"""The simple player policy of Lands of Evershade as the harnesses want it: one input, chance from a given source."""

from __future__ import annotations

import random

from emberboard.engine.session import Session
from emberboard.games.evershade import policy


def play_one(session: Session, source: random.Random) -> None:
    """One input by the policy; dice and draws come from `source`."""
    session.rng = source
    policy.answer(session)
