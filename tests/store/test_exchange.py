"""Saves that travel: exported while they are open, taken in under a free name, hostile files kept out."""

from __future__ import annotations

import random
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from emberboard.engine.errors import JournalError, Refused
from emberboard.engine.journal import Entry, Meta, Move
from emberboard.engine.session import Session
from emberboard.store import (
    contents,
    copy_of,
    create,
    exchange,
    export_bytes,
    export_file,
    folder,
    import_bytes,
    import_file,
    list_saves,
    open_journal,
    save_named,
)
from emberboard.store.contents import Contents, packed
from tests.engine.small_game import Miners, answer_at_random
from tests.store.journals import durable, played, standing

GAMES = ("miners",)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EMBERBOARD_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "saves"


def everything(session: Session) -> dict[str, Any]:
    """What must be the same after the journey: state, question, log, head, the whole tree, and when it was made."""
    journal = durable(session)
    return {**standing(session), "made": [journal.made(number) for number in range(len(journal.operations()) + 1)]}


def loaded(path: Path) -> Session:
    return Session.load(Miners, open_journal(path))


# -- there and back -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_a_save_that_is_open_travels_whole(seed: int, place: Path) -> None:
    session = played(place / "one.ember", seed, 60)
    # Played randomly, with undos: the tree has branches.
    assert len(session.journal.tree.entries) > len(session.journal.tree.path())
    data = export_bytes(place / "one.ember")
    at_export = everything(session)
    answer_at_random(session, random.Random(seed))
    session.close()

    path = import_bytes(data, "one.ember", GAMES)
    assert path == place / "one-1.ember"
    taken = loaded(path)
    assert everything(taken) == at_export
    taken.close()


def test_the_exported_file_is_one_file_and_a_save(tmp_path: Path, place: Path) -> None:
    session = played(place / "one.ember", 1, 40)
    before = sorted(path.name for path in place.iterdir())
    out = tmp_path / "out"
    out.mkdir()
    written = export_file(place / "one.ember", out)
    assert [path.name for path in out.iterdir()] == ["one.ember"]
    assert sorted(path.name for path in place.iterdir()) == before
    assert export_file(place / "one.ember", out / "mine.ember") == out / "mine.ember"
    told = everything(session)
    session.close()
    opened = loaded(written)
    assert everything(opened) == told
    opened.close()


def test_an_export_overwrites_nothing(tmp_path: Path, place: Path) -> None:
    played(place / "one.ember", 1, 3).close()
    (tmp_path / "there.ember").write_bytes(b"mine")
    with pytest.raises(JournalError, match=r"There is a file .*there\.ember already\. Move it away"):
        export_file(place / "one.ember", tmp_path / "there.ember")
    assert (tmp_path / "there.ember").read_bytes() == b"mine"
    with pytest.raises(JournalError, match="nothing was changed"):
        export_file(place / "one.ember", tmp_path / "no" / "folder.ember")


def test_what_is_no_whole_save_is_not_exported(place: Path) -> None:
    with pytest.raises(JournalError, match="There is no save at"):
        export_bytes(place / "none.ember")
    played(place / "one.ember", 1, 40).close()
    (place / "one.ember").write_bytes((place / "one.ember").read_bytes()[:-4096])
    with pytest.raises(JournalError, match=r"is damaged: .*recover it; then try again"):
        export_bytes(place / "one.ember")


def test_a_file_finds_a_free_name_each_time(tmp_path: Path, place: Path) -> None:
    played(tmp_path / "Our game (final)!.ember", 1, 5).close()
    names = [import_file(tmp_path / "Our game (final)!.ember", GAMES).name for _ in range(3)]
    assert names == ["our-game-final.ember", "our-game-final-1.ember", "our-game-final-2.ember"]
    assert {save.path.name: save.damaged for save in list_saves()} == dict.fromkeys(names, "")
    assert sorted(path.name for path in place.iterdir()) == sorted(names)


@pytest.mark.parametrize(
    ("name", "stem"),
    [("../../evil.ember", "evil"), ("/etc/passwd", "passwd"), ("one.damaged-1.ember", "one-damaged-1"), ("", "game")],
)
def test_a_name_from_elsewhere_stays_in_the_folder_and_in_the_list(name: str, stem: str, place: Path) -> None:
    played(place / "x.ember", 1, 3).close()
    path = import_bytes(export_bytes(place / "x.ember"), name, GAMES)
    assert path == place / f"{stem}.ember"
    assert path in [save.path for save in list_saves()]


def test_saves_are_found_by_their_exact_names_only(place: Path, tmp_path: Path) -> None:
    played(place / "one.ember", 1, 3).close()
    played(tmp_path / "outside.ember", 1, 3).close()
    assert save_named("one") == place / "one.ember"
    for name in ("on", "one.ember", "../../outside", str(tmp_path / "outside"), ""):
        with pytest.raises(JournalError, match="There is no save"):
            save_named(name)


def test_a_copy_in_memory_is_the_same_game_and_takes_no_lock(place: Path) -> None:
    session = played(place / "one.ember", 3, 50)
    copy = Session.load(Miners, copy_of(place / "one.ember"))
    assert (copy.state_hash(), copy.question, copy.log) == (session.state_hash(), session.question, session.log)
    answer_at_random(copy, random.Random(1))
    session.close()
    again = loaded(place / "one.ember")
    assert again.head != copy.head
    again.close()


# -- what is kept out -------------------------------------------------------------------------------------------------


def refused(data: bytes, words: str, place: Path, games: tuple[str, ...] = GAMES) -> None:
    """The import says so, and the folder holds what it held."""
    before = sorted(place.iterdir()) if place.is_dir() else []
    with pytest.raises(Refused, match=words):
        import_bytes(data, "evil.ember", games)
    assert (sorted(place.iterdir()) if place.is_dir() else []) == before


@pytest.fixture
def good(tmp_path: Path) -> bytes:
    session = played(tmp_path / "good.ember", 2, 40)
    data = export_bytes(tmp_path / "good.ember")
    session.close()
    return data


def changed(data: bytes, *statements: str) -> bytes:
    """The exported file after these statements."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        db.deserialize(data)
        for statement in statements:
            db.execute(statement)
        return db.serialize()


@pytest.mark.parametrize("data", [b"", b"no save", b"\x89PNG" + bytes(9000), b"SQLite format 3\0", bytes(5000)])
def test_other_files_are_refused(data: bytes, place: Path) -> None:
    refused(data, "is no save of Emberboard: it is another kind of file. Choose a file", place)


def test_databases_of_other_programs_are_refused(place: Path) -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        db.execute("CREATE TABLE photo (body BLOB)")
        other = db.serialize()
        refused(other, "its header names another program", place)
        db.execute(f"PRAGMA application_id = {contents.APPLICATION_ID}")
        refused(db.serialize(), "it holds other tables", place)


def test_games_that_are_not_here_are_refused(good: bytes, place: Path) -> None:
    refused(
        good, "a save of 'miners', and this Emberboard plays chess, evershade. Update it", place, ("evershade", "chess")
    )


def test_a_file_past_the_bound_is_not_even_read(tmp_path: Path, good: bytes, place: Path) -> None:
    big = tmp_path / "big.ember"
    with big.open("wb") as file:
        file.write(good)
        file.truncate(exchange.MOST_BYTES + 1)
    with pytest.raises(Refused, match=r"big\.ember is larger than 64 MiB, and no save is"):
        import_file(big, GAMES)
    refused(good + bytes(exchange.MOST_BYTES), "larger than 64 MiB", place)
    with pytest.raises(Refused, match="There is no file"):
        import_file(tmp_path, GAMES)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON operation BEGIN DELETE FROM meta; END",
        "CREATE VIEW v AS SELECT * FROM meta",
        "CREATE INDEX i ON operation (made)",
        "CREATE TABLE more (body)",
        "ALTER TABLE note ADD COLUMN more",
        "DROP TABLE snapshot",
        "CREATE VIRTUAL TABLE f USING fts5(body)",
    ],
)
def test_other_tables_triggers_and_views_are_refused(statement: str, good: bytes, place: Path) -> None:
    refused(changed(good, statement), "it holds other tables than a save does", place)


def test_an_endless_view_in_the_place_of_a_table_is_never_run(good: bytes, place: Path) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n)"
    view = f"CREATE VIEW operation AS {endless} SELECT i AS number, 0 AS made, x'7b7d' AS body, 0 AS crc FROM n"
    refused(changed(good, "DROP TABLE operation", view), "it holds other tables", place)


def test_a_newer_format_is_told(good: bytes, place: Path) -> None:
    refused(changed(good, "PRAGMA user_version = 9"), r"newer Emberboard \(save format 9", place)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE operation SET body = x'7b7d' WHERE number = 3", "operation 3 is damaged or missing"),
        ("DELETE FROM operation WHERE number = 5", "operation 5 is damaged or missing"),
        ("UPDATE operation SET made = made + 1 WHERE number = 4", "operation 4 is damaged"),
        ("DELETE FROM meta", "one of the two copies of its setup"),
        ("UPDATE note SET crc = 0 WHERE entry = (SELECT max(entry) FROM note)", "the log of entry .* is damaged"),
        ("UPDATE snapshot SET body = 'x' WHERE entry = 0", "the stored state of entry 0 is damaged"),
    ],
)
def test_changed_rows_are_refused(statement: str, words: str, good: bytes, place: Path) -> None:
    refused(changed(good, statement), f"damaged, or was changed after its export: .*{words}.*Export it anew", place)


def test_every_cut_and_a_flipped_byte_in_each_page_is_refused(good: bytes, place: Path) -> None:
    for end in range(600, len(good), 4096):
        refused(good[:end], r"evil\.ember", place)
    source = random.Random(1)
    whole = import_bytes(good, "whole.ember", GAMES)
    taken = loaded(whole)
    expected = everything(taken)
    taken.close()
    for page in range(0, len(good), 4096):
        data = bytearray(good)
        data[page + source.randrange(100, 4096)] ^= 0x41
        try:
            path = import_bytes(bytes(data), "flipped.ember", GAMES)
        except Refused:
            continue
        # A byte in unused space: then nothing is lost.
        taken = loaded(path)
        assert everything(taken) == expected
        taken.close()


def forged(change: Callable[[Contents], None]) -> bytes:
    """A save whose checksums are right and whose rows are not."""
    made = Contents()
    made.start(Meta("miners", "1", "", {}), 1_000)
    change(made)
    return contents.serialize(made)


def _entry(identity: int, parent: int, **more: Any) -> Callable[[Contents], None]:
    return lambda made: made.add(packed(Entry("answer", parent, value="bold", id=identity, **more)), 2_000)


def _huge(made: Contents) -> None:
    made.snapshots[0] = zlib.compress(bytes(exchange._MOST_STATE + 1))


def _nested(made: Contents) -> None:
    body = b'{"entry":{"kind":"answer","parent":0,"id":1,"value":' + b"[" * 1_500 + b"]" * 1_500 + b"}}"
    made.rows.append(contents.Row(1, 2_000, body, contents.chain(1, 2_000, body, made.crc)))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_entry(1, 1), "operation 1 names an entry that is not there"),
        (_entry(1, 7), "operation 1 names an entry"),
        (_entry(5, 0), "operation 1 names an entry"),
        (_entry(1, 0, corrects=3), "operation 1 names an entry"),
        (_entry(1, 0, failed="so"), "operation 1 names an entry"),
        (lambda made: made.add(packed(Move(3)), 2_000), "operation 1 names an entry"),
        (lambda made: made.add(packed(contents.Failure(1, "no")), 2_000), "operation 1 names an entry"),
        (lambda made: made.add(packed(Move(0)), 1 << 62), "at an impossible time"),
        (lambda made: made.add(packed(Move(0)), -1), "at an impossible time"),
        (lambda made: made.snapshots.update({0: b"no zlib"}), "cannot be understood"),
        (lambda made: made.snapshots.update({0: zlib.compress(b"no json")}), "cannot be understood"),
        (lambda made: made.derived.update({0: b"[1]"}), "cannot be understood"),
        (
            lambda made: made.derived.update({0: b'{"notes":[{"text":"\\u001b[2J"}]}'}),
            "characters that cannot be shown",
        ),
        (_entry(1, 0, seat="\x9b2J"), "characters that cannot be shown"),
        (_huge, "cannot be understood"),
        (_nested, "nested beyond all reason"),
    ],
)
def test_forged_rows_are_refused(change: Callable[[Contents], None], words: str, place: Path) -> None:
    refused(forged(change), words, place)


def test_a_forged_file_that_is_sound_is_taken_as_what_it_means(place: Path) -> None:
    def with_more(made: Contents) -> None:
        body = b'{ "entry":{"kind":"answer","parent":0,"id":1,"value":"\\\\u001b","more":1}}'
        made.rows.append(contents.Row(1, 2_000, body, contents.chain(1, 2_000, body, made.crc)))

    path = import_bytes(forged(with_more), "one.ember", GAMES)
    with closing(sqlite3.connect(path)) as db:
        (body,) = db.execute("SELECT body FROM operation WHERE number = 1").fetchone()
    assert body == contents.pack(Entry("answer", 0, value="\\u001b", id=1))


def test_a_folder_that_cannot_hold_it_is_told_and_nothing_is_left(
    good: bytes, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, made: Contents) -> None:
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(contents, "write", full)
    with pytest.raises(JournalError, match="the disk is full"):
        import_bytes(good, "one.ember", GAMES)
    assert list(place.iterdir()) == []


def test_a_name_that_is_taken_in_the_same_moment_is_not_overwritten(
    good: bytes, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(place / "one.ember", Meta("miners", "1", "", {})).close()
    before = (place / "one.ember").read_bytes()
    monkeypatch.setattr(exchange, "imported_path", lambda name: folder() / name)
    with pytest.raises(JournalError, match="took the name one at this moment"):
        import_bytes(good, "one.ember", GAMES)
    assert (place / "one.ember").read_bytes() == before
