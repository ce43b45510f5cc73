"""The folder of saves: names, the list, what to go on with, deleting."""

from __future__ import annotations

import os
import random
import tempfile
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import platformdirs
import pytest

from emberboard.engine.errors import JournalError
from emberboard.engine.journal import Meta
from emberboard.engine.question import Json
from emberboard.engine.session import Session
from emberboard.store import (
    create,
    delete,
    folder,
    home,
    latest_open,
    list_saves,
    new_path,
    open_journal,
    recover,
    sqlite_journal,
)
from emberboard.store.saves import trash
from emberboard.store.wal import companion
from tests.engine.small_game import ENDLESS, Miners, answer_at_random, play_out
from tests.faults.test_failing_files import without_privileges
from tests.store.journals import durable, on_disk

DAY = date(2026, 11, 30)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EMBERBOARD_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "saves"


class Clock:
    """The store's clock, set by hand."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 20, tzinfo=UTC)

    def time_ns(self) -> int:
        return int(self.now.timestamp()) * 1_000_000_000


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(sqlite_journal, "time", clock)
    return clock


def played(name: str, inputs: int = 0, setup: dict[str, Json] | None = None, seed: int = 1) -> Session:
    session, source = on_disk(folder() / name, seed, setup or {**ENDLESS, "scenario": name}), random.Random(seed)
    for _ in range(inputs):
        answer_at_random(session, source)
    return session


def test_the_home_is_the_users_data_folder_or_what_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert home() == tmp_path / "home"
    assert folder() == tmp_path / "home" / "saves"
    monkeypatch.setenv("EMBERBOARD_HOME", "~/games")
    assert home() == Path("~/games").expanduser()
    monkeypatch.delenv("EMBERBOARD_HOME")
    assert home() == platformdirs.user_data_path("emberboard")


@pytest.mark.parametrize(
    ("scenario", "name"),
    [
        ("Outlaws of Bear Peak", "2026-11-30-outlaws-of-bear-peak-1.ember"),
        ("  Sprühregen & «Zwielicht»! ", "2026-11-30-spruhregen-zwielicht-1.ember"),
        ("../../etc/passwd", "2026-11-30-etc-passwd-1.ember"),
        ("", "2026-11-30-game-1.ember"),
        ("x" * 300, f"2026-11-30-{'x' * 60}-1.ember"),
    ],
)
def test_a_new_save_is_named_by_day_and_scenario(scenario: str, name: str) -> None:
    assert new_path(scenario, DAY) == folder() / name


def test_names_do_not_collide_and_default_to_today() -> None:
    names = []
    for _ in range(3):
        path = new_path("Bear Peak", DAY)
        create(path, Meta("miners", "1", "", {})).close()
        names.append(path.name)
    assert names == [f"2026-11-30-bear-peak-{number}.ember" for number in (1, 2, 3)]
    before = date.today()
    named = date.fromisoformat(new_path("Bear Peak").name[:10])
    assert before <= named <= before + timedelta(days=1)


def test_no_folder_and_an_empty_one_list_nothing(place: Path) -> None:
    assert list_saves() == []
    assert latest_open() is None
    assert not place.exists()
    place.mkdir(parents=True)
    assert list_saves() == []


def test_the_list_shows_each_save_last_played_first(clock: Clock) -> None:
    first = played("first.ember")
    clock.now += timedelta(hours=1)
    second = played("second.ember", 12)
    clock.now += timedelta(hours=1)
    answer_at_random(first, random.Random(1))
    first.undo()
    first.close()
    lines, head = [note.text for note in second.log], second.head
    second.close()

    one, two = list_saves()
    assert (one.path.name, two.path.name) == ("first.ember", "second.ember")
    assert one.last_played == datetime(2026, 11, 30, 22, tzinfo=UTC)
    assert two.last_played == datetime(2026, 11, 30, 21, tzinfo=UTC)
    assert (one.entries, one.head, one.log) == (0, 0, ())
    assert (two.entries, two.head) == (12, head)
    assert (two.game, two.scenario, two.setup) == ("miners", "second.ember", {**ENDLESS, "scenario": "second.ember"})
    assert len(lines) >= 3
    assert two.log == tuple(lines[-3:])
    assert list_saves(lines=1)[1].log == tuple(lines[-1:])
    assert list_saves(lines=0)[1].log == ()
    assert list_saves(lines=99)[1].log == tuple(lines)
    assert not (one.finished or two.finished or one.damaged or two.damaged)


def test_a_finished_game_is_known_as_such_and_undone_it_is_open_again() -> None:
    session = on_disk(folder() / "one.ember", 1, {"oil": 2})
    play_out(session, 1)
    assert session.question is None
    session.close()
    assert [save.finished for save in list_saves()] == [True]
    assert latest_open() is None
    session = Session.load(Miners, open_journal(folder() / "one.ember"))
    session.undo()
    session.close()
    assert [save.finished for save in list_saves()] == [False]
    assert latest_open() == list_saves()[0]


def test_the_save_to_go_on_with_is_the_last_played_open_whole_one(clock: Clock) -> None:
    played("old.ember", 5).close()
    clock.now += timedelta(days=1)
    played("wanted.ember", 5).close()
    clock.now += timedelta(days=1)
    over = on_disk(folder() / "over.ember", 1, {"oil": 1})
    play_out(over, 1)
    over.close()
    clock.now += timedelta(days=1)
    played("broken.ember", 5).close()
    data = bytearray((folder() / "broken.ember").read_bytes())
    data[40] ^= 0xFF
    (folder() / "broken.ember").write_bytes(data[:-4096])
    found = latest_open()
    assert found is not None
    assert found.path.name == "wanted.ember"
    assert {save.path.name: bool(save.damaged) for save in list_saves()} == {
        "old.ember": False,
        "wanted.ember": False,
        "over.ember": False,
        "broken.ember": True,
    }


def test_a_save_that_is_being_played_is_listed_as_it_stands() -> None:
    session = played("one.ember", 7)
    before = sorted(path.name for path in folder().iterdir())
    for inputs in range(8, 12):
        answer_at_random(session, random.Random(inputs))
        (save,) = list_saves()
        assert (save.entries, save.damaged) == (inputs, "")
    assert sorted(path.name for path in folder().iterdir()) == before
    session.close()


def test_a_save_whose_host_was_killed_is_listed_whole_and_unchanged() -> None:
    session = played("one.ember", 30)
    copy = {path.name: path.read_bytes() for path in folder().iterdir() if path.suffix != ".ember-lock"}
    session.close()
    for name, data in copy.items():
        if not name.endswith(("-lock", "-shm")):
            (folder() / name).write_bytes(data)
    log = companion(folder() / "one.ember", "wal").read_bytes()
    (save,) = list_saves()
    assert save.entries == 30
    assert companion(folder() / "one.ember", "wal").read_bytes() == log


@pytest.mark.parametrize("content", [b"", b"no save at all", b"SQLite format 3\0" + bytes(5000)])
def test_a_file_that_is_no_save_is_listed_as_damaged(content: bytes) -> None:
    played("good.ember", 3).close()
    (folder() / "bad.ember").write_bytes(content)
    os.utime(folder() / "bad.ember", (0, 0))
    good, bad = list_saves()
    assert (good.path.name, good.damaged) == ("good.ember", "")
    assert bad.damaged
    assert (bad.game, bad.entries, bad.log, bad.finished) == ("", 0, (), False)
    assert bad.last_played == datetime(1970, 1, 1, tzinfo=UTC)


def test_the_damaged_file_that_a_recovery_keeps_is_not_in_the_list() -> None:
    played("one.ember", 20).close()
    path = folder() / "one.ember"
    path.write_bytes(path.read_bytes()[:-4096])
    recover(path)
    assert (folder() / "one.damaged-1.ember").exists()
    assert [(save.path, save.damaged) for save in list_saves()] == [(path, "")]


def test_saves_in_a_folder_that_cannot_be_written_are_listed(tmp_path: Path, place: Path) -> None:
    played("one.ember", 6).close()
    place.chmod(0o555)
    ours = [above for above in tmp_path.parents if above.is_relative_to(tempfile.gettempdir())][:-1]
    for above in (*ours, tmp_path, place.parent):
        above.chmod(0o755)
    with without_privileges():
        (save,) = list_saves()
    place.chmod(0o755)
    assert (save.entries, save.damaged) == (6, "")


# -- deleting ---------------------------------------------------------------------------------------------------


def test_deleting_moves_to_the_trash_first_and_from_there_for_good() -> None:
    for expected in ("one.ember", "one-1.ember", "one-2.ember"):
        played("one.ember", 3).close()
        kept = delete(folder() / "one.ember")
        assert kept == trash() / expected
        assert list_saves() == []
        open_journal(kept).close()
    assert delete(trash() / "one-1.ember") is None
    assert sorted(path.name for path in trash().iterdir()) == ["one-2.ember", "one.ember"]


def test_a_killed_save_is_moved_with_its_log() -> None:
    session = played("one.ember", 30)
    files = {path.name: path.read_bytes() for path in folder().iterdir()}
    session.close()
    for name in ("one.ember", "one.ember-wal"):
        (folder() / name).write_bytes(files[name])
    kept = delete(folder() / "one.ember")
    assert kept is not None
    assert [path.name for path in folder().iterdir()] == ["trash"]
    journal = open_journal(kept)
    assert len(journal.operations()) == 30
    journal.close()


def test_a_save_that_is_open_is_not_deleted() -> None:
    session = played("one.ember", 3)
    with pytest.raises(JournalError, match="open in another process"):
        delete(folder() / "one.ember")
    assert durable(session).path.exists()
    session.close()


def test_deleting_what_is_not_there_is_refused() -> None:
    with pytest.raises(JournalError, match="There is no save at"):
        delete(folder() / "none.ember")
