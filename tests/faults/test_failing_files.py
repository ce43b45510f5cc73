"""The file layer refuses: full, at its size limit, read-only, locked, gone. Said plainly, nothing changed, and on."""

from __future__ import annotations

import os
import random
import resource
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from emberboard.engine.errors import JournalError
from emberboard.engine.game import Note
from emberboard.engine.journal import Applied, Entry, Meta, Snapshot
from emberboard.engine.session import Session
from emberboard.store import create, list_saves, open_journal
from emberboard.store.wal import companion
from tests.engine.small_game import ENDLESS, Miners, answer_at_random
from tests.store.journals import again, durable, on_disk, standing

NOBODY = 65534


@contextmanager
def no_more_space(session: Session) -> Iterator[None]:
    """The database may not grow: SQLite says that the disk is full."""
    db = durable(session)._db
    pages = db.execute("PRAGMA page_count").fetchone()[0]
    db.execute(f"PRAGMA max_page_count = {pages}")
    yield
    db.execute("PRAGMA max_page_count = 1000000")


@contextmanager
def files_at_their_limit(session: Session) -> Iterator[None]:
    """No file may grow beyond what the log is now: the write itself fails."""
    size = companion(durable(session).path, "wal").stat().st_size
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def held_by_another(session: Session) -> Iterator[None]:
    """Another program writes to the file."""
    other = sqlite3.connect(durable(session).path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield
    other.close()


@contextmanager
def not_writable(session: Session) -> Iterator[None]:
    """SQLite treats the database as read-only."""
    db = durable(session)._db
    db.execute("PRAGMA query_only = 1")
    yield
    db.execute("PRAGMA query_only = 0")


FAILURES = [
    (no_more_space, "the disk is full", "Free some space"),
    (files_at_their_limit, "the disk refused it", "Check the disk"),
    (held_by_another, "another program is using the file", "Close that program"),
    (not_writable, "cannot be written to", "Make both writable"),
]


def until_it_fails(session: Session, source: random.Random) -> JournalError:
    """Play until an input cannot be made durable; everything must then stand as it stood before that input."""
    for _ in range(400):
        before = standing(session)
        asked = session.question
        try:
            answer_at_random(session, source)
        except JournalError as error:
            assert standing(session) == before
            assert session.question is asked
            return error
    raise AssertionError("400 inputs went through")


@pytest.mark.parametrize(("failing", "reason", "advice"), FAILURES, ids=lambda value: getattr(value, "__name__", ""))
def test_an_input_that_cannot_be_stored_is_refused_and_can_be_made_later(
    tmp_path: Path, failing: type, reason: str, advice: str
) -> None:
    session, source = on_disk(tmp_path / "one.ember", 1, ENDLESS), random.Random(1)
    for _ in range(25):
        answer_at_random(session, source)
    for _ in range(3):
        with failing(session):
            error = until_it_fails(session, source)
            assert reason in str(error)
            assert advice in str(error)
            assert str(tmp_path / "one.ember") in str(error)
            assert "nothing was changed" in str(error)
        for _ in range(10):
            answer_at_random(session, source)
        session = again(session, clean=False)
    before = standing(session)
    session = again(session, clean=True)
    assert standing(session) == before
    session.close()


def test_the_entry_that_could_not_be_stored_has_no_number(tmp_path: Path) -> None:
    session = on_disk(tmp_path / "one.ember", 1, ENDLESS)
    entry = Entry("answer", 0, "q", "h", "careful")
    with not_writable(session), pytest.raises(JournalError):
        session.journal.append(entry)
    assert entry.id == 0
    assert session.journal.append(entry) == 1
    assert entry.id == 1
    session.journal.close()


def test_a_transaction_that_failed_half_way_is_taken_back(tmp_path: Path) -> None:
    """The one error after which SQLite leaves the transaction open: a value that is too long."""
    session = on_disk(tmp_path / "one.ember", 1, ENDLESS)
    journal = durable(session)
    small, long = Applied(0, (Note("half"),), Snapshot(0, b"{}")), Entry("answer", 0, value="x" * 900)
    longest = journal._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 500)
    for _ in range(2):
        with pytest.raises(JournalError, match="too big"):
            journal.append(long, small)
    with pytest.raises(JournalError, match="too big"):
        journal.store(Applied(0, (Note("x" * 900),), None))
    assert journal.notes(0) == ()
    journal._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
    assert journal.append(Entry("answer", 0), small) == 1
    assert journal.notes(0) == (Note("half"),)
    journal.close()


def test_undo_and_redo_that_cannot_be_stored_leave_the_head(tmp_path: Path) -> None:
    session, source = on_disk(tmp_path / "one.ember", 1, ENDLESS), random.Random(1)
    for _ in range(25):
        answer_at_random(session, source)
    session.undo(10)
    before = standing(session)
    with not_writable(session):
        with pytest.raises(JournalError):
            session.undo(1)
        with pytest.raises(JournalError):
            session.redo()
    assert standing(session) == before
    session.redo()
    session.undo(2)
    session.close()


def test_a_broken_entry_whose_failure_cannot_be_stored_is_marked_when_the_disk_is_back(tmp_path: Path) -> None:
    session, source = on_disk(tmp_path / "one.ember", 1, ENDLESS), random.Random(1)
    before = standing(session)
    real = session.journal.append

    def full_after_the_entry(operation: object, applied: object = None) -> int:
        if isinstance(operation, Entry) and operation.value == "cracked":
            return real(operation, applied)  # type: ignore[arg-type]
        raise JournalError("the disk is full")

    session.journal.append = full_after_the_entry  # type: ignore[method-assign,assignment]
    assert session.question is not None
    asked = session.question.id
    session.answer(asked, "cracked")
    assert session.trouble is not None
    assert session.trouble.entry == 1
    assert session.head == 0
    assert session.question.id == asked
    with pytest.raises(JournalError, match="the disk is full"):
        session.answer(asked, "careful")
    session.journal.append = real  # type: ignore[method-assign]
    session.answer(asked, "careful")
    assert session.trouble is None
    assert session.head == 2
    assert [entry.id for entry in session.journal.tree.path()] == [2]
    loaded = again(session, clean=False)
    assert loaded.journal.tree.entries[1].failed
    assert loaded.game.state.past == ["1: careful"]
    loaded.undo()
    assert loaded.state_hash() == before["state"]
    answer_at_random(loaded, source)
    loaded.close()


# -- opening ----------------------------------------------------------------------------------------------------


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A folder that every user may enter: pytest's own belongs to one."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@contextmanager
def without_privileges() -> Iterator[None]:
    """Permissions count for root too while this lasts."""
    if os.geteuid() == 0:
        os.seteuid(NOBODY)
        try:
            yield
        finally:
            os.seteuid(0)
    else:
        yield


def test_a_save_in_a_folder_that_cannot_be_written_is_refused(open_place: Path) -> None:
    on_disk(open_place / "one.ember").close()
    before = sorted(path.name for path in open_place.iterdir())
    open_place.chmod(0o555)
    with without_privileges():
        with pytest.raises(JournalError, match=r"cannot be written to.*Make both writable"):
            open_journal(open_place / "one.ember")
        with pytest.raises(JournalError, match=r"cannot be written to.*Make both writable"):
            create(open_place / "two.ember", Meta("miners", "1", "", {}))
        with pytest.raises(JournalError, match=r"cannot be written to.*Make both writable"):
            create(open_place / "deeper" / "two.ember", Meta("miners", "1", "", {}))
    open_place.chmod(0o755)
    assert sorted(path.name for path in open_place.iterdir()) == before
    Session.load(Miners, open_journal(open_place / "one.ember")).close()


def test_a_save_that_cannot_be_written_itself_is_refused_when_it_is_opened(open_place: Path) -> None:
    on_disk(open_place / "one.ember").close()
    (open_place / "one.ember").chmod(0o444)
    open_place.chmod(0o777)
    with without_privileges(), pytest.raises(JournalError, match=r"cannot be written to.*Make both writable"):
        open_journal(open_place / "one.ember")


def test_a_save_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match=r"There is no save at .*none\.ember"):
        open_journal(tmp_path / "none.ember")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(JournalError, match="Making the folder of"):
        create(tmp_path / "file" / "one.ember", Meta("miners", "1", "", {}))


def test_a_save_that_can_only_not_be_read_here_is_not_called_damaged(
    open_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log lies beside it, and reading it takes a file that may not be made in this folder."""
    monkeypatch.setenv("EMBERBOARD_HOME", str(open_place))
    session = on_disk(open_place / "saves" / "one.ember", 1, ENDLESS)
    for _ in range(20):
        answer_at_random(session, random.Random(1))
    files = {name: (open_place / "saves" / name).read_bytes() for name in ("one.ember", "one.ember-wal")}
    session.close()
    for name, data in files.items():
        (open_place / "saves" / name).write_bytes(data)
    (open_place / "saves").chmod(0o555)
    with without_privileges():
        (save,) = list_saves()
    (open_place / "saves").chmod(0o755)
    assert "cannot be opened" in save.damaged
    assert "pages" not in save.damaged
    (save,) = list_saves()
    assert (save.damaged, save.entries) == ("", 20)
