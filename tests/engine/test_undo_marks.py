"""Undoing past dice is marked in the log, the mark is there after a reload, and a correction leaves none."""

from __future__ import annotations

from emberboard.engine.journal import MemoryJournal
from emberboard.engine.session import UNDONE, Session
from tests.engine.small_game import ENDLESS, Miners, opened


def rolled() -> Session:
    """A session that stands behind a roll: how, swing, share."""
    session = opened(1, ENDLESS)
    for value in ("careful", [[5], [2]], 1, "careful"):
        assert session.question is not None
        session.answer(session.question.id, value)
    return session


def texts(session: Session) -> list[str]:
    return [note.text for note in session.log]


def again(session: Session) -> Session:
    """Load the same operations anew, without what was derived from them."""
    journal = MemoryJournal(session.journal.meta)
    for one in session.journal.operations():
        journal.append(one)
    return Session.load(Miners, journal)


def test_an_undo_past_dice_is_marked_where_it_led_to() -> None:
    session = rolled()
    session.undo(2)
    assert UNDONE not in texts(session)
    session.undo(1)
    assert texts(session) == [UNDONE]
    assert [note.text for note in session.news()] == [UNDONE]
    session.redo()
    assert texts(session) == [UNDONE, "Round 1: careful, 1 hit(s)."]
    session.undo()
    assert texts(session) == [UNDONE, UNDONE]
    assert texts(again(session)) == [UNDONE, UNDONE]


def test_going_forward_is_not_marked() -> None:
    session = rolled()
    session.undo(4)
    assert texts(session) == [UNDONE]
    session.redo()
    session.redo()
    assert texts(session).count(UNDONE) == 1


def test_a_corrected_roll_is_not_an_undo() -> None:
    session = rolled()
    session.correct(2, [[6], [2]])
    assert session.journal.operations()[-1].corrects == 0  # type: ignore[union-attr]
    assert UNDONE not in texts(session)
    assert texts(session) == texts(again(session)) == ["Round 1: careful, 1 hit(s)."]


def test_the_log_of_an_entry_with_a_boundary_in_it_is_whole_after_two_reloads() -> None:
    """The share ends the first round and begins the second: a reload plays only the part behind the boundary."""
    session = opened(1, {**ENDLESS, "wanted": 10_000})
    for value in ("careful", [[5], [2]]):
        assert session.question is not None
        session.answer(session.question.id, value)
    before = texts(session)
    for _ in range(3):
        session.flush()
        session = Session.load(Miners, session.journal)
        session.answer(session.question.id, 1) if session.head == 2 else session.undo()  # type: ignore[union-attr]
        assert [text for text in texts(session) if text != UNDONE] == before
