"""What if: an answer tried out on a fork. The journal and the state stay, and chance is never passed."""

from __future__ import annotations

import random

import pytest

from emberboard.engine.errors import Refused, Stale
from emberboard.engine.players import random_answer
from emberboard.engine.question import Path, cell_key
from emberboard.engine.session import Session
from emberboard.engine.what_if import what_if, what_if_taken
from emberboard.games.evershade import policy
from emberboard.games.evershade.game import Evershade
from tests.games.evershade_play import play_to


def fight(seed: int = 0) -> Session:
    setup = {"scenario": "outlaws-of-bear-peak", "seats": {"a": ["malah", "isme"], "b": ["chiri"]}}
    return Session.new(Evershade, setup, rng=random.Random(seed))


def standing(session: Session) -> tuple[str, int, int, str, int]:
    """What a preview may not touch."""
    assert session.question is not None
    operations = sum(1 for _ in session.journal.operations())
    return session.state_hash(), session.head, operations, session.question.id, len(session.log)


def test_no_preview_touches_the_journal_and_each_says_what_then_comes() -> None:
    session, rng, tried = fight(), random.Random(1), 0
    for _ in range(60):
        asked = session.question
        if asked is None:
            break
        if asked.chance:
            policy.answer(session)
            continue
        value = random_answer(asked, rng)
        before = standing(session)
        seen = what_if(session, value)
        assert standing(session) == before
        session.answer(asked.id, value)
        after = session.question
        assert seen.prompt == (after.prompt if after is not None else "")
        assert seen.scene == session.game.scene(after)
        assert seen.news == session.news()
        assert seen.options == tuple(getattr(after, "options", ()))
        if after is not None:
            assert list(seen.odds) == session.game.odds(after)
        tried += 1
    assert tried > 20


def test_a_preview_stops_at_dice_and_shows_their_odds() -> None:
    session = fight()
    asked = play_to(session, lambda question: question.name == "before_roll")
    seen = what_if(session, "go on")
    assert asked.name == "before_roll" and seen.chance
    assert seen.odds and seen.odds_table
    assert not any("rolls" in note.text for note in seen.news)


def test_dice_and_illegal_answers_are_refused_in_words() -> None:
    session = fight()
    play_to(session, lambda question: question.chance)
    with pytest.raises(Refused, match="ask for the odds"):
        what_if(session, [[1]])
    play_to(session, lambda question: question.name == "action")
    before = standing(session)
    with pytest.raises(Refused, match="not among the legal answers"):
        what_if(session, "fly")
    with pytest.raises(Refused, match="not for nobody"):
        what_if(session, "move", "nobody")
    with pytest.raises(Refused, match="not offered now"):
        what_if_taken(session, "a wish")
    assert standing(session) == before


def test_when_nothing_is_asked_nothing_can_be_tried() -> None:
    session = fight()
    while session.question is not None:
        policy.answer(session)
    with pytest.raises(Stale):
        what_if(session, "move")


def test_an_offer_can_be_tried_too() -> None:
    session = fight()
    asked = play_to(session, lambda question: any(one.procedure == "use_boon" for one in question.offers))
    offer = next(one for one in asked.offers if one.procedure == "use_boon")
    before = standing(session)
    seen = what_if_taken(session, offer.id)
    assert standing(session) == before
    assert seen.prompt != asked.prompt and offer.id not in [one.id for one in seen.offers]
    assert any("uses the Boon" in note.text for note in seen.news)


def test_a_walk_says_who_threatens_its_end_and_what_can_be_done_there() -> None:
    session, threatened, possible = fight(), 0, 0
    while not (threatened and possible) and session.question is not None:
        asked = session.question
        if isinstance(asked, Path):
            ends = [what_if(session, cell_key(stop)) for stop in asked.stops if stop != asked.start]
            assert all(seen.threats for seen in ends), "Arrow Rain reaches everywhere"
            threatened += len({tuple(one.id for one in seen.threats if one.near) for seen in ends}) > 1
            possible += len({tuple(option.id for option in seen.options) for seen in ends}) > 1
        policy.answer(session)
    assert threatened and possible
