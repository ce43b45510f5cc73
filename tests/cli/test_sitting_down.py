"""Sitting down to a save and getting up again: what is closed, what is offered, what is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from emberboard.cli import play as playing
from emberboard.cli.terminal import Left
from emberboard.engine.errors import Diverged, JournalError
from emberboard.engine.session import Session
from emberboard.store.sqlite_journal import SqliteJournal, open_journal
from tests.cli.sittings import ScriptedTerminal, open_fight
from tests.cli.test_real_terminal import run


@pytest.fixture
def save(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fight that has begun."""
    monkeypatch.setenv("EMBERBOARD_HOME", str(tmp_path))
    path = tmp_path / "saves" / "fight.ember"
    open_fight(path).close()
    return path


def sit_down(save: Path, *typed: str) -> str:
    """Sit down, type, and get up; all that was on the last screen."""
    terminal = ScriptedTerminal(typed)
    with pytest.raises(Left):
        playing._sit_down(terminal, save, "", 0, 1)
    open_journal(save).close()
    return " ".join(terminal.shown.split())


def test_getting_up_gives_the_save_back(save: Path) -> None:
    assert "On with the fight, where you stopped." in sit_down(save)
    assert "Which Character acts?" in sit_down(save, "white")


def test_when_older_inputs_no_longer_fit_the_save_is_opened_again(save: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_longer_fits(session: Session) -> None:
        raise Diverged("Entry 1 no longer fits", boundary=0, lost=["answer white"])

    monkeypatch.setattr(Session, "undo_decision", no_longer_fits)
    assert playing._sit_down(ScriptedTerminal(["white", "1", "u"]), save, "", 0, 1) == save
    open_journal(save).close()


def test_a_lost_input_after_a_power_cut_is_told(save: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SqliteJournal, "torn", True, raising=False)
    monkeypatch.setattr(SqliteJournal, "__setattr__", _all_but_torn)
    assert "The power went while an input was being stored" in sit_down(save)


def _all_but_torn(journal: SqliteJournal, name: str, value: object) -> None:
    if name != "torn":
        object.__setattr__(journal, name, value)


def test_a_disk_that_is_full_when_one_leaves(save: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(journal: SqliteJournal, applied: object) -> None:
        raise JournalError("Writing to fight.ember failed: the disk is full.")

    monkeypatch.setattr(SqliteJournal, "store", full)
    shown = sit_down(save, "white")
    assert "!! Writing to fight.ember failed: the disk is full. What was entered before is safe." in shown


def test_the_list_of_saves(save: Path) -> None:
    open_fight(save.with_name("other.ember")).close()
    terminal = ScriptedTerminal(["9", "2"])
    chosen = playing._which_save(terminal)
    shown = " ".join(terminal.shown.split())
    assert "There is an unfinished fight: 1 other" in shown and "Others: 2 fight" in shown
    assert "!! '9'? Expected a number from 1 to 2, n or q." in shown
    assert chosen == save
    assert playing._which_save(ScriptedTerminal(["n"])) is None
    assert playing._which_save(ScriptedTerminal([""])) == save.with_name("other.ember")
    with pytest.raises(Left):
        playing._which_save(ScriptedTerminal(["q"]))


def test_json_without_autoplay_is_refused(tmp_path: Path) -> None:
    done = run(tmp_path, "play", "--json")
    assert done.returncode == 2 and "--json goes with --autoplay" in done.stderr


def test_a_home_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    done = run(tmp_path / "file", "play", "--autoplay", "--new", "--players", "1", "--seed", "1")
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert "Making the folder of" in done.stderr and "Traceback" not in done.stderr
