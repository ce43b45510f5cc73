"""Bytes that changed or are gone: the save opens whole, or it says what is lost and gives back the rest."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emberboard.engine.errors import JournalError
from emberboard.engine.journal import Entry, MemoryJournal, Operation, meta_of
from emberboard.engine.session import Session, describe
from emberboard.store import DamagedJournal, open_journal, recover
from emberboard.store.contents import pack
from emberboard.store.wal import companion
from tests.engine.small_game import ENDLESS, Miners, answer_at_random, operations, play_one
from tests.store.journals import durable, fast_folder, on_disk, packed

PAGE = 4096
FRAME = PAGE + 24


class Bytes:
    """A save's files, what was appended to it, and how much of that was in the database file without the log."""

    def __init__(self, database: bytes, log: bytes, appended: list[bytes], checkpointed: int) -> None:
        self.database, self.log, self.appended, self.checkpointed = database, log, appended, checkpointed

    def __repr__(self) -> str:
        return f"<a save of {len(self.database)} bytes, a log of {len(self.log)}>"

    def put(self, path: Path, *, database: bytes | None = None, log: bytes | None = None) -> None:
        """Lay the files at `path`, changed or not."""
        path.write_bytes(self.database if database is None else database)
        log = self.log if log is None else log
        if log:
            companion(path, "wal").write_bytes(log)


def stored(made: list[Operation]) -> list[bytes]:
    return packed([msgspec.structs.replace(one, failed="") if isinstance(one, Entry) else one for one in made])


def one_game(seed: int, *, closed: bool) -> Bytes:
    """A game of some pages; its save as a clean close leaves it, or as a power cut does, in the middle of the log."""
    with fast_folder() as folder:
        path = Path(folder) / "one.ember"
        session, source = on_disk(path, seed, ENDLESS), random.Random(seed)
        durable(session)._db.execute("PRAGMA wal_autocheckpoint = 100")
        for _ in range(120):
            play_one(session, source)
        appended = packed(operations(session))
        if closed:
            session.close()
            return Bytes(path.read_bytes(), b"", appended, len(appended))
        copy = Path(folder) / "copy.ember"
        shutil.copy(path, copy)
        log = companion(path, "wal").read_bytes()
        session.close()
        journal = open_journal(copy)
        checkpointed = len(journal.operations())
        journal.close()
        shutil.copy(copy, path)
        return Bytes(path.read_bytes(), log, appended, checkpointed)


@pytest.fixture(scope="module")
def at_rest() -> Bytes:
    return one_game(3, closed=True)


@pytest.fixture(scope="module")
def cut_off() -> Bytes:
    made = one_game(3, closed=False)
    assert 0 < made.checkpointed < len(made.appended) - 5
    return made


@pytest.fixture
def place() -> Iterator[Path]:
    with fast_folder() as folder:
        yield Path(folder)


def opened_or_recovered(path: Path, made: Bytes) -> DamagedJournal | None:
    """Open the save; if it is damaged, recover it. What it then holds must be a beginning of what was appended."""
    files = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    damage = None
    try:
        journal = open_journal(path)
    except DamagedJournal as error:
        damage = error
        left = {file.name: file.read_bytes() for file in path.parent.iterdir() if not file.name.endswith("-shm")}
        assert left == files
        if not error.recoverable:
            return damage
        assert recover(path) == path
        kept = path.with_name("one.damaged-1.ember")
        assert kept.read_bytes() == files[path.name]
        journal = open_journal(path)
        assert len(journal.operations()) == error.kept
        assert journal.snapshot_at([0, *(entry.id for entry in journal.tree.path())]) is not None or not error.boundary
    held = stored(list(journal.operations()))
    assert held == made.appended[: len(held)]
    session = Session.load(Miners, journal, rng=random.Random(5))
    memory = in_memory(list(journal.operations()))
    assert session.state_hash() == memory.state_hash()
    assert session.question == memory.question
    # Going on and back tells whether anything of what was lost lies in the way of new entries.
    for playing in (session, memory):
        source = random.Random(1)
        answer_at_random(playing, source)
        answer_at_random(playing, source)
        playing.undo()
    assert session.state_hash() == memory.state_hash()
    session.close()
    return damage


def in_memory(made: list[Operation]) -> Session:
    """A session in memory with the same operations, every entry of them applied from the start."""
    journal = MemoryJournal(meta_of(Miners.open(ENDLESS), ENDLESS))
    for one in made:
        journal.append(msgspec.structs.replace(one, failed="") if isinstance(one, Entry) else one)
    return Session.load(Miners, journal, rng=random.Random(5))


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_flipped_bytes_are_harmless_or_found(at_rest: Bytes, data: st.DataObject) -> None:
    changed = bytearray(at_rest.database)
    places = st.one_of(st.integers(0, len(changed) - 1), st.integers(0, 200), st.integers(2 * PAGE, 4 * PAGE))
    for at, mask in data.draw(st.lists(st.tuples(places, st.integers(1, 255)), min_size=1, max_size=3)):
        changed[at] ^= mask
    with fast_folder() as folder:
        path = Path(folder) / "one.ember"
        at_rest.put(path, database=bytes(changed))
        damage = opened_or_recovered(path, at_rest)
        if damage is None:
            journal = open_journal(path)
            assert stored(list(journal.operations()))[:-3] == at_rest.appended
            journal.close()


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_database_cut_short_is_found_and_its_beginning_kept(at_rest: Bytes, data: st.DataObject) -> None:
    size = data.draw(st.integers(0, len(at_rest.database) - 1))
    with fast_folder() as folder:
        path = Path(folder) / "one.ember"
        at_rest.put(path, database=at_rest.database[:size])
        damage = opened_or_recovered(path, at_rest)
        assert damage is not None
        assert damage.recoverable == (size >= 2 * PAGE)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_bad_page_is_found_and_what_lies_before_it_kept(at_rest: Bytes, data: st.DataObject) -> None:
    page = data.draw(st.integers(0, len(at_rest.database) // PAGE - 1))
    filled = data.draw(st.sampled_from([bytes(PAGE), b"\xff" * PAGE, random.Random(page).randbytes(PAGE)]))
    changed = at_rest.database[: page * PAGE] + filled + at_rest.database[(page + 1) * PAGE :]
    with fast_folder() as folder:
        path = Path(folder) / "one.ember"
        at_rest.put(path, database=changed)
        damage = opened_or_recovered(path, at_rest)
        assert damage is not None
        assert damage.recoverable
        if page in (0, 1):
            # The first page holds what is the same in every save, the second the setup, which stands twice.
            assert damage.kept == len(at_rest.appended)
            assert damage.lost == ()


@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_a_torn_log_leaves_a_beginning_with_all_that_was_checkpointed(cut_off: Bytes, data: st.DataObject) -> None:
    size = data.draw(st.integers(0, len(cut_off.log) - 1))
    with fast_folder() as folder:
        path = Path(folder) / "one.ember"
        cut_off.put(path, log=cut_off.log[:size])
        journal = open_journal(path)
        held = stored(list(journal.operations()))
        assert held == cut_off.appended[: len(held)]
        assert len(held) >= cut_off.checkpointed
        assert journal.torn or (size - 32) % FRAME == 0 or size < 32 + FRAME
        Session.load(Miners, journal).close()


def test_a_whole_log_holds_everything(cut_off: Bytes, place: Path) -> None:
    cut_off.put(place / "one.ember")
    journal = open_journal(place / "one.ember")
    assert stored(list(journal.operations())) == cut_off.appended
    assert not journal.torn
    journal.close()


@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_flipped_bytes_in_the_log_never_lose_more_than_the_last_operation_in_silence(
    cut_off: Bytes, data: st.DataObject
) -> None:
    changed = bytearray(cut_off.log)
    at = data.draw(st.one_of(st.integers(0, len(changed) - 1), st.integers(0, 31)))
    changed[at] ^= data.draw(st.integers(1, 255))
    with fast_folder() as folder:
        path = Path(folder) / "one.ember"
        cut_off.put(path, log=bytes(changed))
        damage = opened_or_recovered(path, cut_off)
        if damage is not None:
            assert damage.kept >= cut_off.checkpointed
            assert damage.lost
        else:
            journal = open_journal(path)
            # opened_or_recovered made two inputs and an undo.
            assert len(journal.operations()) - 3 >= len(cut_off.appended) - 1
            journal.close()


@pytest.mark.parametrize(
    ("at", "becomes"), [(18, 233), (19, 0), (0, 0), (16, 7), (21, 1), (47, 9), (59, 2), (68, 0), (60, 1)]
)
def test_a_bad_header_costs_nothing(at_rest: Bytes, place: Path, at: int, becomes: int) -> None:
    changed = bytearray(at_rest.database)
    changed[at] = becomes
    at_rest.put(place / "one.ember", database=bytes(changed))
    damage = opened_or_recovered(place / "one.ember", at_rest)
    assert damage is not None
    assert (damage.kept, damage.lost) == (len(at_rest.appended), ())


def test_a_schema_that_is_no_text_any_more_costs_nothing(at_rest: Bytes, place: Path) -> None:
    changed = bytearray(at_rest.database)
    changed[changed.index(b"CREATE TABLE snapshot") + 8] = 0xF6
    at_rest.put(place / "one.ember", database=bytes(changed))
    damage = opened_or_recovered(place / "one.ember", at_rest)
    assert damage is not None
    assert (damage.kept, damage.lost) == (len(at_rest.appended), ())


def test_an_end_that_vanished_from_a_page_is_found_though_the_chain_is_whole(at_rest: Bytes, place: Path) -> None:
    """The last row of the last page of operations is no longer counted: what is left is a good chain."""
    changed = bytearray(at_rest.database)
    root = 2 * PAGE
    assert changed[root] == 5
    leaf = (int.from_bytes(changed[root + 8 : root + 12], "big") - 1) * PAGE
    assert changed[leaf] == 13
    count = int.from_bytes(changed[leaf + 3 : leaf + 5], "big")
    changed[leaf + 3 : leaf + 5] = (count - 1).to_bytes(2, "big")
    at_rest.put(place / "one.ember", database=bytes(changed))
    damage = opened_or_recovered(place / "one.ember", at_rest)
    assert damage is not None
    assert damage.kept == len(at_rest.appended) - 1


# -- what is said -----------------------------------------------------------------------------------------------


def with_rows(made: Bytes, path: Path, *statements: str) -> None:
    """The save with rows changed behind its back."""
    made.put(path)
    db = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        db.execute(statement)
    db.close()


def test_a_changed_row_is_named_and_what_would_be_lost_is_listed_in_words(at_rest: Bytes, place: Path) -> None:
    path = place / "one.ember"
    with_rows(at_rest, path, "UPDATE operation SET body = replace(body, 'careful', 'Careful') WHERE number = 110")
    last = [msgspec.json.decode(body) for body in at_rest.appended[109:]]
    with pytest.raises(DamagedJournal, match=r"operation \d+ is damaged or missing") as caught:
        with_rows(at_rest, path, "UPDATE operation SET body = CAST(body || ' ' AS BLOB) WHERE number = 110")
        open_journal(path)
    damage = caught.value
    assert damage.kept == 109
    assert len(damage.lost) == len(at_rest.appended) - 109
    for packed_one, words in zip(last, damage.lost):
        if "entry" in packed_one:
            assert describe(msgspec.convert(packed_one["entry"], Entry)) in words
        else:
            assert "going " in words
    text = str(damage)
    assert str(path) in text
    assert "109 operation(s) are good" in text
    assert f"and {len(damage.lost) - 5} more" in text
    assert "Recover it" in text


@pytest.mark.parametrize(
    ("statement", "kept"),
    [
        ("DELETE FROM operation WHERE number = 50", 49),
        ("UPDATE operation SET made = made + 1 WHERE number = 50", 49),
        ("UPDATE operation SET crc = crc + 1 WHERE number = 50", 49),
        ("UPDATE operation SET body = (SELECT body FROM operation WHERE number = 49) WHERE number = 50", 49),
        ("UPDATE operation SET body = NULL WHERE number = 1", 0),
        ("UPDATE operation SET number = -3 WHERE number = 1", 0),
    ],
)
def test_rows_changed_missing_or_doubled_break_the_chain(
    at_rest: Bytes, place: Path, statement: str, kept: int
) -> None:
    with_rows(at_rest, place / "one.ember", statement)
    damage = opened_or_recovered(place / "one.ember", at_rest)
    assert damage is not None
    assert damage.kept == kept


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE meta SET body = 'x'",
        "DELETE FROM meta",
        "DELETE FROM operation WHERE number = 0",
        "UPDATE snapshot SET body = 'x' WHERE entry = 0",
        "UPDATE snapshot SET crc = 0 WHERE entry = 0",
        "UPDATE note SET body = CAST('{}' AS BLOB)",
        "PRAGMA application_id = 7",
        "PRAGMA user_version = 7",
        "DROP TABLE note",
    ],
)
def test_damage_beside_the_operations_is_found_and_costs_no_input(
    at_rest: Bytes, place: Path, statement: str
) -> None:
    with_rows(at_rest, place / "one.ember", statement)
    damage = opened_or_recovered(place / "one.ember", at_rest)
    assert damage is not None
    assert damage.kept == len(at_rest.appended)
    assert damage.lost == ()
    assert f"All {damage.kept} operation(s) are good" in str(damage)


def test_the_boundary_that_is_offered_is_the_last_whose_state_is_stored(at_rest: Bytes, place: Path) -> None:
    path = place / "one.ember"
    with_rows(at_rest, path, "DELETE FROM operation WHERE number = 100")
    with pytest.raises(DamagedJournal) as caught:
        open_journal(path)
    recover(path)
    journal = open_journal(path)
    walked = [entry.id for entry in journal.tree.path()]
    assert caught.value.boundary in [0, *walked]
    at_boundary = journal.snapshot_at([0, *walked])
    assert at_boundary is not None
    assert at_boundary.entry == caught.value.boundary > 0
    session = Session.load_at(Miners, journal, caught.value.boundary)
    assert session.head == caught.value.boundary
    assert session.question is not None
    assert session.question.name == "how"
    session.close()


def test_a_state_stored_for_a_lost_entry_is_not_taken_for_that_of_the_new_entry_with_its_number(place: Path) -> None:
    path = place / "one.ember"
    session = on_disk(path, 1, ENDLESS)
    rope = next(offer.id for offer in session.question.offers)  # type: ignore[union-attr]
    session.take(session.question.id, rope)  # type: ignore[union-attr]
    for value in ("careful", [[6], [1]], 1):
        session.answer(session.question.id, value)  # type: ignore[union-attr]
    session.close()
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT entry FROM snapshot").fetchall() == [(0,), (4,)]
        db.execute("UPDATE operation SET crc = 0 WHERE number = 1")
    db.close()
    recover(path)
    session = Session.load(Miners, open_journal(path))
    for value in ("careful", [[6], [1]], 1, "bold", True):
        session.answer(session.question.id, value)  # type: ignore[union-attr]
        if session.head == 4:
            expected = session.state_hash()
    session.undo()
    assert session.head == 4
    assert session.state_hash() == expected
    session.close()


def test_each_recovery_keeps_the_damaged_file_under_a_name_of_its_own(at_rest: Bytes, place: Path) -> None:
    path = place / "one.ember"
    for number in (1, 2, 3):
        with_rows(at_rest, path, f"DELETE FROM operation WHERE number = {60 + number}")
        broken = path.read_bytes()
        recover(path)
        assert path.with_name(f"one.damaged-{number}.ember").read_bytes() == broken
        path.unlink()


def test_the_log_of_a_damaged_save_is_kept_with_it(cut_off: Bytes, place: Path) -> None:
    path = place / "one.ember"
    log = bytearray(cut_off.log)
    log[20] ^= 1
    cut_off.put(path, log=bytes(log))
    recover(path)
    assert companion(path.with_name("one.damaged-1.ember"), "wal").read_bytes() == log
    assert not companion(path, "wal").exists()


@pytest.mark.parametrize("content", [b"", b"not a save", b"x" * 20_000, b"SQLite format 3\0" + b"y" * 9000])
def test_a_file_that_is_no_save_is_refused_and_left_alone(place: Path, content: bytes) -> None:
    path = place / "one.ember"
    path.write_bytes(content)
    with pytest.raises(DamagedJournal, match="begin a new game") as caught:
        open_journal(path)
    assert not caught.value.recoverable
    with pytest.raises(JournalError, match=r"Nothing of .* can be read"):
        recover(path)
    assert [file.name for file in place.iterdir()] == ["one.ember"]
    assert path.read_bytes() == content


def test_another_programs_database_is_refused(place: Path) -> None:
    path = place / "one.ember"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE other (a)")
    db.close()
    with pytest.raises(DamagedJournal, match="does not name it a save"):
        open_journal(path)


def test_a_stored_state_that_goes_bad_while_the_save_is_open_is_found(place: Path) -> None:
    session, source = on_disk(place / "one.ember", 1, ENDLESS), random.Random(1)
    for _ in range(30):
        answer_at_random(session, source)
    durable(session)._db.execute("UPDATE snapshot SET crc = crc + 1")
    with pytest.raises(JournalError, match="damaged while it was open"):
        session.undo()
    session.journal.close()


def test_packing_keeps_every_kind_of_operation(at_rest: Bytes) -> None:
    kinds = {key for body in at_rest.appended for key in msgspec.json.decode(body)}
    assert kinds == {"entry", "move"}
    assert pack(Entry("answer", 0, value=False)) == b'{"entry":{"kind":"answer","parent":0,"value":false}}'
