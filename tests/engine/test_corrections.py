"""Corrections of what was keyed, and adjustments by agreement (DESIGN section 2, The journal)."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emberboard.engine.errors import Refused
from emberboard.engine.question import Ask
from emberboard.engine.session import UNDONE, Session
from emberboard.engine.timing import Proc
from tests.engine.toys.brawl import new_brawl, play_some
from tests.engine.toys.playground import (
    Playground,
    answer,
    asked,
    confirm,
    dice,
    did,
    log,
    opened,
    pick,
    reloaded,
    take,
    top_pick,
    trace,
    used,
    window,
)


def shot(game: Playground) -> Proc[None]:
    """A shot: 4 or more on the first die hits; a hit asks for damage, a miss for an excuse; then the next shot."""
    faces = yield Ask(dice, "shot", 1)
    yield Ask(window, "after the shot", {"nudge": "east"})
    if game.state.numbers.pop("nudged", faces[0][0]) >= 4:
        damage = yield Ask(dice, "damage", 1, "d8")
        did(game, f"{faces[0][0]} hits for {damage[0][0]}")
    else:
        did(game, f"{faces[0][0]} misses: {(yield Ask(pick, 'excuse', ['wind', 'sun']))}")
    game.note("a shot")
    game.then("main")


def nudge(game: Playground) -> Proc[None]:
    used(game, "nudge")
    faces = yield Ask(dice, "nudge", 1)
    game.state.numbers["nudged"] = faces[0][0]


def range_of(*inputs: Any, nudges: int = 0) -> Session:
    session = opened(main=shot, nudge=nudge, setup={"numbers": {"nudge": nudges}})
    for value in inputs:
        answer(session, value)
    return session


# -- corrections ------------------------------------------------------------------------------------------------


def test_a_correction_plays_on_while_the_questions_stay_the_same() -> None:
    session = range_of([[4]], [[8]], [[5]], [[1]])
    result = session.correct(1, [[6]])
    assert (result.kept, result.dropped) == (3, ())
    assert trace(session) == ["6 hits for 8", "5 hits for 1"]
    corrected = session.journal.tree.path()[0]
    assert (corrected.source, corrected.corrects) == ("corrected", 1)


def test_a_correction_stops_at_the_first_question_that_changed_and_lists_what_it_dropped() -> None:
    session = range_of([[4]], [[8]], [[5]], [[1]])
    result = session.correct(3, [[2]])
    assert (result.kept, result.dropped) == (0, ("answer [1]",))
    assert (asked(session), trace(session)) == ("excuse", ["4 hits for 8"])
    result = session.correct(1, [[3]])
    assert result.dropped == ("answer [8]", "answer [2]")
    assert (asked(session), trace(session)) == ("excuse", [])


def test_a_correction_is_a_branch_the_journal_keeps_what_was_keyed_before() -> None:
    session = range_of([[4]], [[8]])
    session.correct(1, [[3]])
    assert [entry.value for entry in session.journal.tree.entries.values()] == [[[4]], [[8]], [[3]]]
    session.undo()
    answer(session, [[4]])
    assert asked(session) == "excuse", "the corrected die is what the die showed, also after an undo"


def test_a_correction_nested_in_an_offer() -> None:
    """The die mis-keyed belongs to an interrupt; the shot below it is asked anew with the corrected nudge."""
    session = range_of([[2]], nudges=1)
    take(session, "nudge", "east")
    answer(session, [[5]])
    answer(session, [[7]])
    answer(session, [[1]])
    assert trace(session) == ["2 hits for 7"]
    nudged = next(entry.id for entry in session.journal.tree.path() if entry.value == [[5]])
    same = session.correct(nudged, [[6]])
    assert (same.kept, same.dropped, trace(session)) == (2, (), ["2 hits for 7"])
    nudged = next(entry.id for entry in session.journal.tree.path() if entry.corrects)
    result = session.correct(nudged, [[1]])
    assert (asked(session), result.kept) == ("excuse", 0)
    assert result.dropped == ("answer [7]", "answer [1]")


def test_a_correction_drops_an_offer_that_is_no_longer_made() -> None:
    def main(game: Playground) -> Proc[None]:
        coins = yield Ask(dice, "coins", 1)
        game.state.numbers["bribe"] = 1 if coins[0][0] >= 4 else 0
        yield Ask(confirm_with_bribe)
        game.then("main")

    def confirm_with_bribe(game: Playground) -> Any:
        question = confirm(game, "go")
        question.offers = window(game, "", {"bribe": "east"}).offers
        return question

    def bribe(game: Playground) -> Proc[None]:
        used(game, "bribe")
        did(game, "bribed")
        yield from ()

    session = opened(main=main, bribe=bribe)
    answer(session, [[5]])
    take(session, "bribe")
    answer(session, True)
    result = session.correct(1, [[1]])
    assert result.dropped == ("east: take bribe", "answer True")
    assert session.trouble is None, "that it is gone is no fault of the rules"
    assert (asked(session), trace(session)) == ("go", [])


def test_a_correction_lists_what_the_rules_could_not_apply_among_the_dropped() -> None:
    def main(game: Playground) -> Proc[None]:
        first = yield Ask(pick, "first", ["good", "bad"])
        yield Ask(confirm, "second")
        if first == "bad":
            raise KeyError("content hook")
        did(game, "second")
        yield Ask(confirm, "third")
        yield Ask(confirm, "fourth")

    session = opened(main=main)
    for value in ("good", True, False):
        answer(session, value)
    result = session.correct(1, "bad")
    assert (result.kept, result.dropped) == (0, ("answer True", "answer False"))
    assert (asked(session), trace(session)) == ("second", [])
    assert session.trouble is not None and "content hook" in session.trouble.words


def test_a_correction_is_not_an_undo_past_dice_and_is_not_marked_as_one() -> None:
    session = range_of([[4]], [[8]])
    session.correct(1, [[6]])
    for table in (session, reloaded(session)):
        assert UNDONE not in log(table)


def test_a_correction_beats_the_kept_dice_and_leaves_nothing_to_come_again() -> None:
    session = range_of([[4]], [[8]], [[5]], [[1]])
    session.correct(1, [[6]])
    assert session.chance.kept == []
    session.correct(session.journal.tree.path()[0].id, [[1]])
    answer(session, "wind")
    assert session.question is not None
    assert session.roll(session.question.id) == [[5]], "the shot that was dropped is shot again: same die"


def test_only_an_answer_that_led_here_is_corrected_and_only_legally() -> None:
    session = range_of([[4]], [[8]])
    with pytest.raises(Refused, match="a d6 of north cannot show 7"):
        session.correct(1, [[7]])
    with pytest.raises(Refused, match="entry 9 is not an answer that led here"):
        session.correct(9, [[1]])
    session.undo()
    with pytest.raises(Refused, match="entry 2 is not an answer that led here"):
        session.correct(2, [[1]])
    assert (session.head, len(session.journal.tree.entries)) == (1, 2)
    taken = range_of([[2]], nudges=1)
    take(taken, "nudge")
    with pytest.raises(Refused, match="entry 2 is not an answer that led here"):
        taken.correct(2, "nudge")


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_a_correction_to_the_same_value_changes_nothing(seed: int) -> None:
    rng = random.Random(seed)
    session = new_brawl(seed)
    play_some(session, rng, 20)
    answers = [entry for entry in session.journal.tree.path() if entry.kind == "answer"]
    if not answers:
        return
    before, lines = session.state_hash(), log(session)
    entry = rng.choice(answers)
    result = session.correct(entry.id, entry.value)
    assert (session.state_hash(), log(session), result.dropped) == (before, lines, ())
    assert reloaded(session).state_hash() == before


# -- adjustments ------------------------------------------------------------------------------------------------


def camp(game: Playground) -> Proc[None]:
    deed = yield Ask(top_pick_with_song, "deed")
    did(game, f"{deed} with {game.state.numbers.get('coins', 0)} coins")
    yield Ask(confirm, "sure")
    game.then("main")


def top_pick_with_song(game: Playground, name: str) -> Any:
    coins = game.state.numbers.get("coins", 0)
    question = top_pick(game, name, ["rest", "buy"] if coins else ["rest"])
    question.offers = window(game, "", {"sing": "east"}).offers
    return question


def sing(game: Playground) -> Proc[None]:
    used(game, "sing")
    yield Ask(top_pick, "song", ["sad", "gay"])


SIX = {"number": "coins", "to": 6}


def test_an_adjustment_is_an_entry_changes_the_state_and_the_question_is_built_anew() -> None:
    session = opened(main=camp, sing=sing)
    with pytest.raises(Refused):
        answer(session, "buy")
    session.adjust(SIX, seat="north")
    assert session.journal.tree.entries[1].kind == "adjust"
    assert log(session) == ["coins set to 6 by agreement"]
    answer(session, "buy")
    assert trace(session) == ["buy with 6 coins"]
    assert trace(reloaded(session)) == ["buy with 6 coins"]
    session.undo(2)
    assert session.game.state.numbers.get("coins") is None


def test_an_adjustment_is_refused_in_the_middle_of_an_action() -> None:
    session = opened(main=camp, sing=sing)
    answer(session, "rest")
    with pytest.raises(Refused, match="adjustments are made between actions: answer the present question first"):
        session.adjust(SIX)


def test_an_adjustment_is_refused_inside_an_interrupt_even_at_a_question_that_could_be_top() -> None:
    session = opened(main=camp, sing=sing)
    take(session, "sing")
    assert session.question is not None and session.question.top
    with pytest.raises(Refused, match="adjustments are made between actions"):
        session.adjust(SIX)
    answer(session, "sad")
    session.adjust(SIX)


def test_an_adjustment_the_game_does_not_know_leaves_no_entry_and_no_change() -> None:
    session = opened(main=camp, sing=sing)
    before = session.state_hash()
    with pytest.raises(Refused, match="a number can be set, nothing else"):
        session.adjust({"moon": "full"})
    assert (session.head, session.state_hash(), session.journal.operations()) == (0, before, [])
