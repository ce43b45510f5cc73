"""Whole Evershade fights by hands: careful ones and clumsy ones. The table is never silently wrong, and finds back."""

from __future__ import annotations

import os
import random

import pytest

from emberboard.engine.session import Session
from tests.table.clumsy import ClumsyHands
from tests.table.fights import TAGS, decide, world
from tests.table.hands import Hands, Wrong

SOAK = int(os.environ.get("EMBERBOARD_TABLE_FIGHTS", "100"))


def replayed_hash(session: Session) -> str:
    """The state when the journal is played again from the start."""
    again = Session.load(type(session.game), session.journal)
    return again.state_hash()


def clumsy_fight(seed: int, clumsy: float) -> ClumsyHands:
    hands = ClumsyHands(world(seed), random.Random(seed), decide, TAGS, clumsy)
    hands.play()
    return hands


def test_a_fight_by_careful_hands() -> None:
    hands = Hands(world(3), random.Random(3), decide, TAGS)
    hands.play()
    session = hands.world.session
    assert session.game.summary()["result"] in ("victory", "defeat")
    assert hands.noes == 0, "the table never claimed what was not so"
    assert {entry.source for entry in session.journal.tree.path()} == {"physical"}
    assert replayed_hash(session) == session.state_hash()


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "clumsy"), [(24, 0.15), (30, 0.25), (6002, 0.4)])
def test_fights_by_clumsy_hands(seed: int, clumsy: float) -> None:
    hands = clumsy_fight(seed, clumsy)
    assert hands.world.session.game.summary()["result"] in ("victory", "defeat")
    assert sum(hands.done.values()) > 20, hands.done
    assert replayed_hash(hands.world.session) == hands.world.session.state_hash()


@pytest.mark.soak
def test_many_fights_by_clumsy_hands() -> None:
    done: dict[str, int] = {}
    for seed in range(SOAK):
        try:
            hands = clumsy_fight(1000 + seed, random.Random(seed).choice((0.05, 0.15, 0.4)))
        except Wrong as wrong:
            pytest.fail(f"seed {1000 + seed}: {wrong}")
        for name, count in hands.done.items():
            done[name] = done.get(name, 0) + count
    print(f"{SOAK} fights, accidents: {done}")
    if SOAK >= 100:
        assert len(done) == len(set(ClumsyHands.ACCIDENTS)), "every kind of accident happened"


def test_the_same_seed_is_the_same_fight() -> None:
    first, second = clumsy_fight(9, 0.2), clumsy_fight(9, 0.2)
    assert first.world.session.state_hash() == second.world.session.state_hash()
    assert first.world.lights.pictures == second.world.lights.pictures


def test_hands_notice_a_table_that_is_wrong() -> None:
    """The check of the hands can fail: figures that changed places unfelt are found by it."""
    hands = Hands(world(5), random.Random(5), decide, TAGS)
    hands.mend()
    stands = hands.world.stands
    stands["malah"], stands["goon:A"] = stands["goon:A"], stands["malah"]
    with pytest.raises(Wrong, match="silently wrong"):
        hands.check()
