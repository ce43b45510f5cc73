"""Exporting, importing and deleting saves, and dispute capsules, from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from emberboard.cli.main import app
from emberboard.engine.errors import JournalError, Refused
from emberboard.games.evershade import policy
from emberboard.play.opening import open_save
from emberboard.store.saves import list_saves, trash
from tests.cli.sittings import open_fight


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files of this test only; commands run in a folder of their own."""
    monkeypatch.setenv("EMBERBOARD_HOME", str(tmp_path))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path


def emberboard(*args: str, typed: str = "") -> Result:
    return CliRunner().invoke(app, list(args), input=typed)


def test_a_fight_goes_out_while_it_is_played_and_comes_in(home: Path) -> None:
    session = open_fight(home / "saves" / "tuesday.ember", 5)
    done = emberboard("export", "tues")
    state = session.state_hash()
    session.close()
    assert done.exit_code == 0, done.output
    assert (home / "here" / "tuesday.ember").is_file() and "Written to" in done.stdout
    again = emberboard("export", "tuesday")
    assert isinstance(again.exception, JournalError) and "already. Move it away" in str(again.exception)

    done = emberboard("import", "tuesday.ember")
    assert done.exit_code == 0 and "Taken in as tuesday-1: Ada, Ben, Cleo; 0 step(s)" in done.stdout
    taken, _ = open_save(home / "saves" / "tuesday-1.ember")
    assert taken.state_hash() == state
    taken.close()


def test_a_file_that_is_none_is_refused_in_words(home: Path) -> None:
    Path("note.ember").write_text("dear diary")
    done = emberboard("import", "note.ember")
    assert isinstance(done.exception, Refused)
    assert "note.ember is no save of Emberboard" in str(done.exception)
    assert not (home / "saves").exists()


def test_deleting_asks_again_and_can_be_taken_back(home: Path) -> None:
    open_fight(home / "saves" / "tuesday.ember").close()
    kept = emberboard("delete", "tuesday", typed="n\n")
    assert kept.exit_code == 1 and "Ada, Ben, Cleo" in kept.stdout and "Kept." in kept.stdout
    assert len(list_saves()) == 1
    gone = emberboard("delete", "tuesday", typed="y\n")
    assert gone.exit_code == 0 and "Delete it? [y/N]" in gone.stdout
    assert list_saves() == []
    back = emberboard("import", str(trash() / "tuesday.ember"))
    assert back.exit_code == 0
    assert [save.path.stem for save in list_saves()] == ["tuesday"]
    for_good = emberboard("delete", str(trash() / "tuesday.ember"), typed="y\n")
    assert "for good? It cannot be had back" in for_good.stdout
    assert list(trash().iterdir()) == []
    assert emberboard("delete", "tuesday", "--yes").exit_code == 0
    assert list_saves() == []


def test_without_an_answer_nothing_is_deleted(home: Path) -> None:
    open_fight(home / "saves" / "tuesday.ember").close()
    assert emberboard("delete", "tuesday").exit_code == 1
    assert len(list_saves()) == 1


def test_a_capsule_of_a_fight_that_is_open_passes_the_check(home: Path) -> None:
    session = open_fight(home / "saves" / "tuesday.ember", 5)
    for _ in range(9):
        policy.answer(session)
    done = emberboard("capsule", "tuesday")
    assert done.exit_code == 0, done.output
    assert "`emberboard check tuesday-at-9.yaml` runs it" in done.stdout
    earlier = emberboard("capsule", "tuesday", "--at", "4", "--back", "2", "--out", "four.yaml")
    assert earlier.exit_code == 0, earlier.output
    session.close()
    checked = emberboard("check", "tuesday-at-9.yaml", "four.yaml")
    assert checked.exit_code == 0, checked.output
    assert "2 worked example(s), 0 failed" in checked.stdout
    assert str(home) not in Path("tuesday-at-9.yaml").read_text()

    text = Path("four.yaml").read_text()
    Path("four.yaml").write_text(text.replace("- {state: ", "- {state: 0"))
    wrong = emberboard("check", "four.yaml")
    assert wrong.exit_code == 1 and f"four.yaml:{text[: text.index('- {state: ')].count(chr(10)) + 1}" in wrong.stdout


def test_a_capsule_overwrites_nothing_and_knows_its_bounds(home: Path) -> None:
    open_fight(home / "saves" / "tuesday.ember").close()
    Path("mine.yaml").write_text("mine")
    for args, words in (
        (("--out", "mine.yaml"), "There is a file mine.yaml already. Move it away, or name another with --out."),
        (("--at", "1"), "this save has 0 inputs, so --at is 0 to 0"),
        (("--out", "no/where.yaml"), "no/where.yaml could not be written"),
    ):
        done = emberboard("capsule", "tuesday", *args)
        assert words in str(done.exception)
    assert Path("mine.yaml").read_text() == "mine"
