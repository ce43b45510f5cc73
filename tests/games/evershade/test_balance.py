"""How often the simple policy wins "Outlaws of Bear Peak": tense with 2, 3, 4 and 5 Characters.

The policy is frozen; only the pack was balanced against it. 1,000 fights for each number are the soak's; a sample runs
with every test, with bounds as wide as its size demands.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from emberboard.engine.session import Session
from emberboard.games.evershade import policy
from emberboard.games.evershade.game import Evershade

CHARACTERS = ["malah", "chiri", "doran", "isme", "oswin"]
LOW, HIGH = 35, 75
"""Percent of fights won that the pack is balanced for."""
MOST_INPUTS = 6000


def fight(characters: int, seed: int) -> Session:
    """One whole fight by the policy, one seat a Character."""
    seats = {name: [name] for name in CHARACTERS[:characters]}
    session = Session.new(
        Evershade, {"scenario": "outlaws-of-bear-peak", "seats": seats}, rng=random.Random(1000 * characters + seed)
    )
    inputs = 0
    while session.question is not None and inputs < MOST_INPUTS:
        policy.answer(session)
        assert session.trouble is None, session.trouble.report
        inputs += 1
    assert session.question is None, "the fight did not end"
    return session


def won(characters: int, fights: int) -> tuple[int, float]:
    """Fights won, and the mean number of Rounds."""
    ended = [fight(characters, seed).game.state for seed in range(fights)]
    return sum(state.result == "victory" for state in ended), sum(state.combat.round for state in ended) / fights


@pytest.mark.slow
@pytest.mark.parametrize("characters", [2, 3, 4, 5])
def test_a_sample_of_fights_is_neither_lost_nor_won_beforehand(characters: int, show: Callable[[str], None]) -> None:
    wins, rounds = won(characters, 40)
    show(f"Bear Peak, {characters} Characters: {wins} of 40 won, {rounds:.1f} Rounds")
    assert 6 <= wins <= 36


@pytest.mark.soak
@pytest.mark.parametrize("characters", [2, 3, 4, 5])
def test_a_thousand_fights_are_won_as_often_as_the_pack_is_balanced_for(
    characters: int, show: Callable[[str], None]
) -> None:
    wins, rounds = won(characters, 1000)
    show(f"Bear Peak, {characters} Characters: {wins} of 1000 won, {rounds:.1f} Rounds")
    assert 10 * LOW <= wins <= 10 * HIGH
