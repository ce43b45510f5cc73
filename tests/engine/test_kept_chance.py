"""Chance is kept: dice and draws of an undone branch are not rolled or drawn anew (DESIGN section 2)."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emberboard.engine.errors import Refused
from emberboard.engine.piles import Pile
from emberboard.engine.question import Ask
from emberboard.engine.session import UNDONE, Session
from emberboard.engine.timing import Proc
from tests.engine.toys.brawl import new_brawl, play_some
from tests.engine.toys.playground import (
    Playground,
    answer,
    asked,
    card,
    dice,
    did,
    log,
    opened,
    pick,
    reloaded,
    trace,
)


class Loaded(random.Random):
    """Dice that always show the face named last in the list given; `thrown` counts how many were rolled."""

    def __init__(self, *shows: Any) -> None:
        super().__init__(0)
        self.shows, self.thrown = list(shows), 0

    def choice(self, seq: Any) -> Any:
        self.thrown += 1
        return self.shows.pop(0) if self.shows else seq[-1]


def rolls(game: Playground) -> Proc[None]:
    """Choose what to roll; roll it; again."""
    while True:
        what = yield Ask(pick, "what", ["2d6", "1d6", "3d6", "2d8", "other 2d6", "draw", "round over"])
        if what == "draw":
            did(game, game.state.piles["bag"].take((yield Ask(card, "bag"))))
        elif what == "round over":
            game.then("main")
            return
        else:
            count, kind = what.removeprefix("other ").split("d")
            faces = yield Ask(dice, what, int(count), f"d{kind}")
            did(game, f"{what}: {faces[0]}")


def table(*shows: Any) -> Session:
    session = opened(main=rolls, setup={"piles": {"bag": ["red", "blue", "white"]}})
    session.rng = Loaded(*shows)
    return session


def roll(session: Session, what: str) -> Any:
    """Choose it and let the program roll; what came."""
    answer(session, what)
    assert session.question is not None
    return session.roll(session.question.id)


# -- dice -------------------------------------------------------------------------------------------------------


def test_the_same_question_after_undo_has_the_same_result() -> None:
    session = table(1, 2)
    assert roll(session, "2d6") == [[1, 2]]
    session.undo()
    assert session.question is not None
    assert session.roll(session.question.id) == [[1, 2]]
    assert session.journal.tree.path()[-1].source == "kept"
    assert trace(session) == ["2d6: [1, 2]"]


def test_the_same_question_reached_by_another_way_has_the_same_result() -> None:
    session = table(1, 2, 3)
    roll(session, "2d6")
    session.undo(2)
    answer(session, "round over")
    assert roll(session, "2d6") == [[1, 2]]


def test_keyed_dice_do_not_replace_what_the_dice_showed() -> None:
    """A player who takes back a roll and keys in better dice gets what lay on the table."""
    session = table(1, 2)
    roll(session, "2d6")
    session.undo()
    answer(session, [[6, 6]])
    assert trace(session) == ["2d6: [1, 2]"]


def test_another_question_first_consumes_kept_faces_of_its_kind_in_order_and_rolls_only_the_rest() -> None:
    session = table(1, 2, 3, 4, 6)
    roll(session, "2d6")
    roll(session, "2d8")
    session.undo(4)
    answer(session, "3d6")
    assert session.question is not None
    session.answer(session.question.id, [[5, 5, 5]], source="physical")
    assert trace(session) == ["3d6: [1, 2, 5]"], "two faces were kept, the third is the one rolled now"
    assert roll(session, "2d8") == [[3, 4]], "dice of another kind were not touched"


def test_faces_are_consumed_in_the_order_in_which_they_were_rolled() -> None:
    session = table(1, 2, 3, 4)
    roll(session, "2d6")
    roll(session, "other 2d6")
    session.undo(4)
    assert [roll(session, "1d6") for _ in range(4)] == [[[1]], [[2]], [[3]], [[4]]]
    session.rng = Loaded(5)
    assert roll(session, "1d6") == [[5]], "then nothing is kept and one is rolled"


def test_faces_keep_their_order_when_they_are_taken_back_one_by_one() -> None:
    session = table(1, 2, 3, 4)
    roll(session, "2d6")
    roll(session, "other 2d6")
    session.undo()
    session.undo(3)
    assert [roll(session, "1d6") for _ in range(4)] == [[[1]], [[2]], [[3]], [[4]]]


def test_a_consumed_result_does_not_come_twice() -> None:
    session = table(1, 2)
    roll(session, "2d6")
    session.undo(2)
    assert roll(session, "1d6") == [[1]]
    session.rng = Loaded(6)
    assert roll(session, "2d6") == [[2, 6]], "its first face is spent, so it is not the old result"


def test_a_result_given_again_is_given_once_even_when_an_equal_question_was_half_consumed() -> None:
    session = table(1, 2, 3, 4)
    roll(session, "2d6")
    roll(session, "2d6")
    session.undo(4)
    assert roll(session, "1d6") == [[1]]
    seen = [roll(session, "2d6")[0] for _ in range(2)]
    assert sorted(seen[0] + seen[1])[:3] == [2, 3, 4], "every kept face came, and each once"


def test_undoing_the_other_branch_too_gives_the_faces_back_in_order() -> None:
    session = table(1, 2)
    roll(session, "2d6")
    session.undo(2)
    roll(session, "1d6")
    session.undo(2)
    assert [roll(session, "1d6"), roll(session, "1d6")] == [[[1]], [[2]]]


def test_redo_takes_what_was_kept_with_it() -> None:
    session = table(1, 2, 5, 6)
    roll(session, "2d6")
    session.undo()
    session.redo()
    assert session.chance.kept == []
    assert roll(session, "2d6") == [[5, 6]]


def test_what_is_kept_survives_a_reload() -> None:
    session = table(1, 2)
    roll(session, "2d6")
    session.undo(2)
    again = reloaded(session)
    again.rng = Loaded(6, 6, 6)
    assert roll(again, "3d6") == [[1, 2, 6]]


def test_impossible_dice_are_refused_although_the_kept_ones_would_count() -> None:
    session = table(1, 2)
    roll(session, "2d6")
    session.undo()
    with pytest.raises(Refused, match="a d6 of north cannot show 7"):
        answer(session, [[7, 7]])


# -- draws ------------------------------------------------------------------------------------------------------


def test_a_drawn_token_stays_drawn() -> None:
    session = table("blue", "red")
    assert roll(session, "draw") == "blue"
    session.undo(2)
    answer(session, "draw")
    answer(session, "white")
    assert trace(session) == ["blue"]


def test_drawn_tokens_come_again_in_their_order_and_from_another_question_too() -> None:
    session = table("blue", "red")
    roll(session, "draw")
    roll(session, "draw")
    session.undo(4)
    session.game.state.piles["bag"] = Pile.of("bag", ["red", "blue", "white", "black"])
    session._runner.refresh()
    assert [roll(session, "draw"), roll(session, "draw")] == ["blue", "red"]


def test_a_drawn_token_that_is_no_longer_in_the_pile_does_not_come() -> None:
    session = table("blue", "red")
    roll(session, "draw")
    session.undo(2)
    session.game.state.piles["bag"] = Pile.of("bag", ["red", "white"])
    session._runner.refresh()
    assert roll(session, "draw") == "red"


# -- marks ------------------------------------------------------------------------------------------------------


def test_an_undo_past_a_revelation_is_marked_in_the_log_and_a_reload_knows_it() -> None:
    session = table(1, 2)
    roll(session, "2d6")
    answer(session, "round over")
    session.undo()
    assert UNDONE not in log(session), "a decision alone reveals nothing"
    session.undo()
    assert log(session) == [UNDONE]
    assert log(reloaded(session)) == [UNDONE]
    answer(session, [[1, 2]])
    assert UNDONE in log(session), "the mark stays when play goes on"


def test_an_undone_draw_is_a_revelation_too() -> None:
    session = table("blue")
    roll(session, "draw")
    session.undo(2)
    assert log(session) == [UNDONE]


# -- at random --------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), depth=st.integers(1, 20))
def test_the_same_decisions_after_undo_meet_the_same_chance(seed: int, depth: int) -> None:
    """However often a group takes back and plays the same again, it sees no other dice."""
    session = new_brawl(seed)
    played = play_some(session, random.Random(seed), 20)
    hash_before, path = session.state_hash(), session.journal.tree.path()
    depth = min(depth, played)
    session.undo(depth)
    session.rng = random.Random(seed + 1)
    for entry in path[-depth:]:
        question = session.question
        assert question is not None
        match entry.kind:
            case "answer" if entry.chance:
                session.roll(question.id)
            case "answer":
                session.answer(question.id, entry.value, seat=entry.seat)
            case "take":
                session.take(question.id, entry.value)
            case "pass":
                session.pass_ahead(entry.seat, entry.value)
            case "adjust":
                session.adjust(entry.value)
    assert session.state_hash() == hash_before
    assert asked(session) == asked(reloaded(session))
