"""The journal is a tree with a head: undo and redo of any depth, new branches, snapshots (DESIGN section 2)."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emberboard.engine.errors import Refused
from emberboard.engine.question import Ask
from emberboard.engine.session import Session
from emberboard.engine.timing import Proc
from tests.engine.toys.brawl import BRAWL, new_brawl, picture, play_one, play_some, try_move
from tests.engine.toys.playground import (
    Playground,
    answer,
    asked,
    confirm,
    copied,
    did,
    log,
    opened,
    pick,
    reloaded,
    trace,
)

SEEDS = st.integers(0, 10_000)


def steps(game: Playground, n: int = 0) -> Proc[None]:
    """One way to choose in each step of the outer queue, and a word for the log before and after."""
    game.note(f"step {n}")
    way = yield Ask(pick, f"way {n}", ["left", "right"])
    did(game, f"{n} {way}")
    game.note(f"went {way}")
    sure = yield Ask(confirm, f"sure {n}")
    did(game, f"{n} sure {sure}")
    game.note(f"step {n} done")
    game.then("main", n=n + 1)


def walked(*ways: str) -> Session:
    session = opened(main=steps)
    for way in ways:
        answer(session, way)
        answer(session, True)
    return session


# -- undo, redo -------------------------------------------------------------------------------------------------


def test_undo_takes_back_the_last_entry_and_redo_brings_it_again() -> None:
    session = walked("left")
    before = picture(session)
    undone = session.undo()
    assert ([entry.value for entry in undone], asked(session), trace(session)) == ([True], "sure 0", ["0 left"])
    assert session.redo().value is True
    assert picture(session) == before


def test_undo_of_any_depth_passes_boundaries() -> None:
    session = walked("left", "right", "left")
    undone = session.undo(5)
    assert [entry.value for entry in undone] == [True, "left", True, "right", True]
    assert (asked(session), trace(session), log(session)) == ("sure 0", ["0 left"], ["step 0", "went left"])
    for _ in range(5):
        session.redo()
    assert trace(session) == trace(walked("left", "right", "left"))


def test_there_is_a_first_entry_and_a_last_one() -> None:
    session = walked("left")
    with pytest.raises(Refused, match="there is nothing to redo"):
        session.redo()
    with pytest.raises(Refused, match="at most 2 can be undone"):
        session.undo(3)
    with pytest.raises(Refused, match="at most 2 can be undone"):
        session.undo(0)
    session.undo(2)
    with pytest.raises(Refused, match="there is nothing to undo"):
        session.undo()


def test_the_head_is_journalled_a_reload_stands_where_the_undo_left() -> None:
    session = walked("left", "right", "left")
    session.undo(3)
    again = reloaded(session)
    assert picture(again) == picture(session)
    assert log(again) == log(session)
    again.redo()
    session.redo()
    assert picture(again) == picture(session)


def test_undo_a_decision_passes_the_dice_that_followed_it() -> None:
    rng = random.Random(3)
    session = new_brawl(3)
    while not (session.journal.tree.path() and session.journal.tree.path()[-1].dice):
        play_one(session, rng)
    undone = session.undo_decision()
    assert [bool(entry.chance) for entry in undone] == [True] * (len(undone) - 1) + [False]
    assert len(undone) > 1
    with pytest.raises(Refused, match="no decision has been made yet"):
        opened(main=steps).undo_decision()


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, depth=st.integers(1, 25))
def test_undo_then_redo_is_identity(seed: int, depth: int) -> None:
    rng = random.Random(seed)
    session = new_brawl(seed)
    played = play_some(session, rng, 25)
    before = picture(session)
    depth = min(depth, played)
    session.undo(depth)
    assert session.head < before[2]
    for _ in range(depth):
        session.redo()
    assert picture(session) == before


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS)
def test_after_any_undos_redos_and_branches_state_is_what_the_path_alone_gives(seed: int) -> None:
    """However the head came here: the same as a replay of the path from the start, without snapshots or branches."""
    rng = random.Random(seed)
    session = new_brawl(seed)
    for _ in range(30):
        try_move(session, rng)
    straight = Session.new(BRAWL, {}, rng=random.Random(0))
    for entry in session.journal.tree.path():
        straight._append(type(entry)(entry.kind, straight.head, "", entry.hash, entry.value, entry.seat))
        straight._begin(straight.head)
        straight._feed(entry)
        straight._finish()
    assert straight.state_hash() == session.state_hash()
    assert [note.text for note in straight.log] == [
        note.text for note in session.log if not note.text.startswith("Undone past")
    ]
    if session.question is None:
        assert straight.question is None
    else:
        assert straight.question is not None and straight.question.hash == session.question.hash


@settings(max_examples=25, deadline=None)
@given(seed=SEEDS)
def test_a_reload_gives_the_same_table_at_any_input(seed: int) -> None:
    rng = random.Random(seed)
    session = new_brawl(seed)
    for _ in range(25):
        try_move(session, rng)
        again = Session.load(BRAWL, copied(session), rng=random.Random(0))
        assert picture(again) == picture(session)
        assert [note.text for note in again.log] == [note.text for note in session.log]
        assert again.chance.kept == session.chance.kept


# -- branches and snapshots -------------------------------------------------------------------------------------


def test_a_new_answer_after_undo_begins_a_branch_and_the_old_one_stays_in_the_journal() -> None:
    session = walked("left", "left")
    session.undo(2)
    answer(session, "right")
    assert trace(session) == ["0 left", "0 sure True", "1 right"]
    with pytest.raises(Refused, match="there is nothing to redo"):
        session.redo()
    assert [entry.value for entry in session.journal.tree.entries.values()] == ["left", True, "left", True, "right"]
    session.undo()
    assert session.redo().value == "right", "redo leads along the branch left last"


def test_a_snapshot_of_an_abandoned_branch_does_not_poison_the_new_one() -> None:
    session = walked("left", "left", "left")
    session.undo(6)
    for _ in range(3):
        answer(session, "right")
        answer(session, True)
    for table in (session, reloaded(session)):
        assert [line for line in trace(table) if "sure" not in line] == ["0 right", "1 right", "2 right"]
        table.undo(2)
        assert [line for line in trace(table) if "sure" not in line] == ["0 right", "1 right"]


def test_a_reload_begins_at_the_last_boundary_and_replays_only_what_came_after() -> None:
    session = walked(*["left"] * 20)
    answer(session, "right")
    again = reloaded(session)
    assert (again._tail, again.longest_tail) == (1, 0)
    assert session.longest_tail == 1
    assert picture(again) == picture(session)


def test_what_was_logged_before_a_boundary_is_still_in_the_log_after_undo_and_reload() -> None:
    """The entry's application wrote lines on both sides of a boundary; going back to it must not lose the first."""
    session = walked("left", "left")
    lines = log(session)
    answer(session, "right")
    session.undo()
    assert log(session) == lines
    answer(session, "left")
    session.undo()
    again = reloaded(session)
    assert log(again) == lines
    answer(again, "left")
    assert log(reloaded(again)) == [*lines, "went left"]


def test_procedures_left_behind_by_an_undo_do_not_touch_the_state_that_came_after() -> None:
    """A procedure that puts a marker back when it is left must not do so in the state that replaced its own."""

    def main(game: Playground) -> Proc[None]:
        game.state.numbers["active"] = 1
        try:
            yield Ask(confirm, "first")
            did(game, "first")
            yield Ask(confirm, "second")
        finally:
            game.state.numbers["active"] = 0
            did(game, "left")

    session = opened(main=main)
    before = picture(session)
    answer(session, True)
    session.undo()
    assert picture(session) == before
    assert session.game.state.numbers == {"active": 1}


def test_a_loaded_table_goes_on_where_another_left_it() -> None:
    rng = random.Random(5)
    session = new_brawl(5)
    play_some(session, rng, 8)
    again = reloaded(session)
    play_some(again, rng, 8)
    once_more = reloaded(again)
    assert picture(once_more) == picture(again)
    once_more.undo(10)
    session.undo(2)
    assert picture(once_more) == picture(session)


def test_an_entry_says_what_was_asked_and_where_the_answer_came_from() -> None:
    session = opened(main=steps)
    question: Any = session.question
    session.answer(question.id, "left", seat="east", source="physical")
    entry = session.journal.tree.entries[1]
    assert (entry.kind, entry.parent, entry.question, entry.hash) == ("answer", 0, question.id, question.hash)
    assert (entry.value, entry.seat, entry.source, entry.id) == ("left", "east", "physical", 1)
    assert session.journal.meta.rules_version == "1"
