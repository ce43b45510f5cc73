"""The save's file: what is written when, who may open it, which versions are read."""

from __future__ import annotations

import fcntl
import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from emberboard.engine.errors import JournalError
from emberboard.engine.game import Note
from emberboard.engine.journal import Applied, Entry, Failure, Meta, Move, Snapshot
from emberboard.engine.session import Session
from emberboard.store import SqliteJournal, contents, create, open_journal, sqlite_journal
from emberboard.store.wal import companion
from tests.engine.small_game import ENDLESS, Miners, answer_at_random
from tests.store.journals import durable, on_disk, standing

META = Meta("miners", "1", "7", {"scenario": "The Old Shaft"})


def query(path: Path, statement: str) -> list[Any]:
    db = sqlite3.connect(path)
    try:
        return db.execute(statement).fetchall()
    finally:
        db.close()


def statements(journal: SqliteJournal) -> list[str]:
    """The first words of the statements that the journal runs from now on."""
    said: list[str] = []
    journal._db.set_trace_callback(lambda text: said.append(text.split(" (")[0]))
    return said


def test_the_file_is_marked_and_set_to_lose_nothing(tmp_path: Path) -> None:
    journal = create(tmp_path / "one.ember", META)
    assert journal._db.execute("PRAGMA synchronous").fetchone() == (2,)
    assert journal._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    journal.close()
    head = (tmp_path / "one.ember").read_bytes()[:72]
    assert head[68:72] == b"EMBR"
    assert int.from_bytes(head[60:64], "big") == contents.SCHEMA


def test_an_operation_is_one_commit_and_what_was_derived_before_rides_along(tmp_path: Path) -> None:
    journal = create(tmp_path / "one.ember", META)
    said = statements(journal)
    journal.append(Entry("answer", 0, value="careful"))
    assert said == ["INSERT INTO operation VALUES"]
    said.clear()
    journal.append(Entry("answer", 1, value="bold"), Applied(1, (), None))
    assert said == ["INSERT INTO operation VALUES"]
    said.clear()
    journal.append(Move(1), Applied(2, (Note("two"),), Snapshot(2, b"{}")))
    assert said == [
        "BEGIN IMMEDIATE",
        "INSERT OR REPLACE INTO note VALUES",
        "INSERT OR REPLACE INTO snapshot VALUES",
        "INSERT INTO operation VALUES",
        "COMMIT",
    ]
    said.clear()
    journal.append(Failure(1, "no"), Applied(2, (Note("two"),), None))
    assert said == ["INSERT INTO operation VALUES"]
    journal.close()


def test_operations_are_numbered_from_one_and_entries_too(tmp_path: Path) -> None:
    journal = create(tmp_path / "one.ember", META)
    first, second = Entry("answer", 0), Entry("answer", 0)
    assert [journal.append(one) for one in (first, Move(0), second, Failure(2, "no"))] == [1, 2, 3, 4]
    assert (first.id, second.id) == (1, 2)
    assert second.failed == "no"
    assert journal.tree.head == 0
    assert journal.operations()[2] is second is journal.tree.entries[2]
    journal.close()
    loaded = open_journal(journal.path)
    assert loaded.meta == META
    assert loaded.tree.head == 0
    assert list(loaded.operations()) == [first, Move(0), second, Failure(2, "no")]
    assert loaded.operations()[2] is loaded.tree.entries[2]
    assert loaded.append(Entry("answer", 0)) == 5
    assert loaded.tree.head == 3
    loaded.close()


def test_notes_snapshots_and_their_absence_come_back(tmp_path: Path) -> None:
    journal = create(tmp_path / "one.ember", META)
    for parent in range(3):
        journal.append(Entry("answer", parent))
    notes = (Note("dug", ("MINE-01",), detail=("x",), seat="ann"),)
    journal.store(Applied(0, (), Snapshot(0, b'{"gold":0}')))
    journal.store(Applied(2, notes, Snapshot(2, b'{"gold":2}'), over=True))
    for _ in range(2):
        assert journal.notes(0) == ()
        assert journal.notes(1) is None
        assert journal.notes(2) == notes
        assert journal.snapshot_at([0, 1, 2, 3]) == Snapshot(2, b'{"gold":2}')
        assert journal.snapshot_at([0, 1]) == Snapshot(0, b'{"gold":0}')
        assert journal.snapshot_at([1, 3]) is None
        journal.close()
        journal = open_journal(journal.path)
    journal.store(Applied(2, (), Snapshot(2, b'{"gold":3}')))
    assert journal.notes(2) == ()
    assert journal.snapshot_at([2]) == Snapshot(2, b'{"gold":3}')
    journal.close()


def test_a_clean_close_leaves_one_file(tmp_path: Path) -> None:
    session = on_disk(tmp_path / "one.ember")
    for _ in range(20):
        answer_at_random(session, random.Random(1))
    assert companion(tmp_path / "one.ember", "wal").stat().st_size > 0
    session.close()
    session.close()
    assert [path.name for path in tmp_path.iterdir()] == ["one.ember"]


def test_the_operations_can_be_queried(tmp_path: Path) -> None:
    journal = create(tmp_path / "one.ember", META)
    journal.append(Entry("answer", 0, "0-abc", "abc", "bold", "ann"))
    journal.append(Move(0))
    journal.close()
    assert query(journal.path, "SELECT entry, kind, question, seat FROM operation WHERE number > 0") == [
        (1, "answer", "0-abc", "ann"),
        (None, None, None, None),
    ]


def test_when_an_operation_was_made_is_the_stores_own_column(tmp_path: Path) -> None:
    begin = time.time_ns() // 1_000_000
    journal = create(tmp_path / "one.ember", META)
    journal.append(Entry("answer", 0))
    end = time.time_ns() // 1_000_000
    assert begin <= journal.made(0) <= journal.made(1) <= end
    made = journal.made(1)
    journal.close()
    assert query(journal.path, "SELECT made FROM operation WHERE number = 1") == [(made,)]
    assert b"made" not in query(journal.path, "SELECT body FROM operation WHERE number = 1")[0][0]
    journal = open_journal(journal.path)
    assert journal.made(1) == made
    journal.close()


# -- one writer -------------------------------------------------------------------------------------------------

HOLDER = """
import sys
from pathlib import Path
from emberboard.store import open_journal
journal = open_journal(Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.read()
"""


def test_a_second_process_is_refused_until_the_first_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "one.ember"
    on_disk(path).close()
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdin is not None
    assert holder.stdout.readline() == "open\n"
    with pytest.raises(JournalError, match=rf"open in another process \(number {holder.pid}\)\. Close the game there"):
        open_journal(path)
    holder.kill()
    holder.wait()
    holder.stdin.close()
    holder.stdout.close()
    open_journal(path).close()
    assert [file.name for file in tmp_path.iterdir()] == ["one.ember"]


def test_a_second_journal_of_this_process_is_refused_too(tmp_path: Path) -> None:
    session = on_disk(tmp_path / "one.ember")
    with pytest.raises(JournalError, match="open in another process"):
        open_journal(tmp_path / "one.ember")
    before = standing(session)
    answer_at_random(session, random.Random(1))
    assert standing(session) != before
    session.close()


def test_a_lock_file_that_was_removed_between_opening_and_locking_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What happens when the holder closes at that very moment: the lock would be on a file that nobody sees."""
    path = tmp_path / "one.ember"
    on_disk(path).close()
    real, removed = fcntl.flock, []

    def remove_first(descriptor: int, how: int) -> None:
        if not removed:
            removed.append(descriptor)
            (tmp_path / "one.ember-lock").unlink()
        real(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", remove_first)
    journal = open_journal(path)
    assert removed
    assert (tmp_path / "one.ember-lock").exists()
    with pytest.raises(JournalError, match="open in another process"):
        open_journal(path)
    journal.close()


def test_an_existing_save_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "one.ember"
    on_disk(path).close()
    before = path.read_bytes()
    with pytest.raises(JournalError, match=r"There is a save at .* already"):
        create(path, META)
    assert path.read_bytes() == before
    open_journal(path).close()


def test_what_an_interrupted_creation_left_behind_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "one.ember"
    session = on_disk(path, 1, ENDLESS)
    for _ in range(30):
        answer_at_random(session, random.Random(1))
    stale = companion(path, "wal").read_bytes()
    session.close()
    path.unlink()
    companion(path, "wal").write_bytes(stale)
    (tmp_path / ".one.ember.draft").write_bytes(b"half a")
    companion(tmp_path / ".one.ember.draft", "wal").write_bytes(stale)
    journal = create(path, META)
    assert list(journal.operations()) == []
    journal.close()
    assert list(open_and_close(path)) == []
    assert [file.name for file in tmp_path.iterdir()] == ["one.ember"]


def open_and_close(path: Path) -> list[Any]:
    journal = open_journal(path)
    held = list(journal.operations())
    journal.close()
    return held


# -- versions ---------------------------------------------------------------------------------------------------


def test_a_save_of_a_newer_program_is_refused_plainly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "one.ember"
    with monkeypatch.context() as newer:
        newer.setattr(contents, "SCHEMA", 9)
        create(path, META).close()
    before = path.read_bytes()
    with pytest.raises(JournalError, match=r"newer Emberboard \(save format 9; this one reads up to 1\)\. Update"):
        open_journal(path)
    assert path.read_bytes() == before


def next_version(plain: dict[str, Any]) -> dict[str, Any]:
    """A pretended next version, in which every seat is written in capitals and the setup names its table."""
    for packed in plain["operations"]:
        if "seat" in packed.get("entry", {}):
            packed["entry"]["seat"] = packed["entry"]["seat"].upper()
    plain["meta"]["setup"]["table"] = 1
    return plain


def test_an_older_save_is_migrated_step_by_step_and_keeps_what_it_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "one.ember"
    session = on_disk(path, 1, ENDLESS)
    for _ in range(20):
        answer_at_random(session, random.Random(1))
    state, seats = session.state_hash(), [entry.seat for entry in session.journal.tree.path()]
    made = [durable(session).made(number) for number in range(21)]
    session.close()
    for module in (contents, sqlite_journal):
        monkeypatch.setattr(module, "SCHEMA", 3)
    with pytest.raises(JournalError, match="no way from it to 3"):
        open_journal(path)
    monkeypatch.setattr(sqlite_journal, "MIGRATIONS", {1: next_version, 2: lambda plain: plain})
    journal = open_journal(path)
    assert [entry.seat for entry in journal.tree.path()] == [seat.upper() for seat in seats]
    assert any(seats)
    assert journal.meta.setup["table"] == 1
    assert [journal.made(number) for number in range(21)] == made
    loaded = Session.load(Miners, journal)
    assert loaded.state_hash() == state
    answer_at_random(loaded, random.Random(1))
    loaded.close()
    assert query(path, "PRAGMA user_version") == [(3,)]
    assert len(open_and_close(path)) == 21


def test_the_tagged_form_of_each_operation() -> None:
    told = {"kind": "take", "parent": 3, "question": "3-a", "hash": "a", "value": "rope", "seat": "ann", "id": 4}
    packed = contents.pack(Entry("take", 3, "3-a", "a", "rope", "ann", id=4))
    assert packed == msgspec.json.encode({"entry": told})
    assert contents.pack(Entry("answer", 0, value=False)) == b'{"entry":{"kind":"answer","parent":0,"value":false}}'
    assert contents.pack(Move(0)) == b'{"move":{"to":0}}'
    assert contents.pack(Failure(4, "no")) == b'{"failure":{"entry":4,"reason":"no"}}'
