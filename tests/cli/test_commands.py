"""The commands around a fight: autoplay, replay, saves, scenarios, content check, version."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from emberboard.cli.main import app
from emberboard.cli.saves_commands import copied
from emberboard.engine.errors import Diverged, Refused
from emberboard.engine.journal import Entry
from emberboard.games.evershade.packs import packs_folder
from emberboard.play.opening import find_save, open_save
from emberboard.store.sqlite_journal import open_journal
from tests.cli.sittings import open_fight
from tests.cli.test_real_terminal import run


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files of this test only."""
    monkeypatch.setenv("EMBERBOARD_HOME", str(tmp_path))
    return tmp_path


def emberboard(*args: str) -> Result:
    return CliRunner().invoke(app, list(args))


def autoplay(*args: str) -> dict[str, object]:
    done = emberboard("play", "--autoplay", "--json", *args)
    assert done.exit_code == 0, done.output
    (line,) = done.stdout.splitlines()
    outcome = json.loads(line)
    assert isinstance(outcome, dict)
    return outcome


def test_a_fight_plays_itself(home: Path) -> None:
    outcome = autoplay("--seed", "7", "--players", "2")
    assert outcome["result"] in ("victory", "defeat")
    assert outcome["players"] == 2 and outcome["seed"] == 7
    assert isinstance(outcome["rounds"], int) and outcome["rounds"] >= 1
    assert isinstance(outcome["inputs"], int) and outcome["inputs"] > 20
    assert re.fullmatch(r"[0-9a-f]{64}", str(outcome["state_hash"]))
    assert not list(home.glob("saves/*")), "it is played in memory"
    assert outcome == autoplay("--seed", "7", "--players", "2")
    assert outcome["state_hash"] != autoplay("--seed", "8", "--players", "2")["state_hash"]


def test_one_player_holds_two_characters() -> None:
    done = emberboard("play", "--autoplay", "--seed", "1", "--players", "1")
    assert re.search(r"Round 1: Malah \d+ HP, Chiri \d+ HP; \d+ Enemy", done.stdout)
    assert autoplay("--seed", "1", "--players", "1")["players"] == 1


@pytest.mark.slow
def test_the_same_fight_under_another_hash_seed(home: Path) -> None:
    args = ("play", "--autoplay", "--seed", "3", "--players", "3", "--json")
    outcomes = {run(home, *args, PYTHONHASHSEED=seed).stdout for seed in ("1", "2")}
    assert len(outcomes) == 1 and '"state_hash"' in outcomes.pop()


def test_the_summary_for_people() -> None:
    done = emberboard("play", "--autoplay", "--seed", "7", "--players", "2")
    assert done.exit_code == 0
    assert "Round 1: Malah" in done.stdout
    assert re.search(r"Result: (victory|defeat) after \d+ Round\(s\)\n\d+ inputs, \d+ rolls, \d+ draws", done.stdout)


def test_a_kept_fight_is_replayed(home: Path) -> None:
    outcome = autoplay("--seed", "7", "--players", "2", "--new")
    save = str(outcome["save"])
    done = emberboard("replay", save)
    assert done.exit_code == 0
    assert f"state {outcome['state_hash']}" in done.stdout
    assert "The fight is over." in done.stdout and "= +" in done.stdout
    assert f"{outcome['inputs']}: " in done.stdout
    assert "None" not in done.stdout and "<" not in done.stdout

    part = emberboard("replay", save[:12], "--to", "3")
    assert "3: " in part.stdout and "4: " not in part.stdout and "Asked now: " in part.stdout
    too_far = emberboard("replay", save, "--to", "99999")
    assert isinstance(too_far.exception, Refused) and "this save has" in str(too_far.exception)


def test_a_replay_changes_nothing(home: Path) -> None:
    outcome = autoplay("--seed", "7", "--players", "2", "--new")
    path = find_save(str(outcome["save"]))
    before = path.read_bytes()
    emberboard("replay", str(path))
    assert path.read_bytes() == before


def test_a_saved_fight_is_played_to_its_end(home: Path) -> None:
    session = open_fight(home / "saves" / "begun.ember", 5)
    for _ in range(10):
        question = session.question
        assert question is not None
        if question.chance:
            session.roll(question.id)
        else:
            break
    session.close()
    outcome = autoplay("--resume", "begun", "--seed", "5")
    assert outcome["result"] in ("victory", "defeat") and outcome["save"] == "begun"
    (listed,) = json.loads(emberboard("saves", "--json").stdout)
    assert listed["finished"] and listed["name"] == "begun"


def test_saves_are_listed(home: Path) -> None:
    assert "There are no saves in" in emberboard("saves").stdout
    open_fight(home / "saves" / "tuesday.ember").close()
    (home / "saves" / "torn.ember").write_bytes(b"no save at all")
    shown = emberboard("saves").stdout
    assert re.search(r"tuesday  unfinished, 0 step\(s\), Ada, Ben, Cleo; last played \d{4}-", shown)
    assert "torn  damaged" in shown
    found = {save["name"]: save for save in json.loads(emberboard("saves", "--json").stdout)}
    assert found["tuesday"]["entries"] == 0 and found["tuesday"]["damaged"] == ""
    assert found["torn"]["damaged"] and found["tuesday"]["setup"]["seats"] == {
        "Ada": ["malah"],
        "Ben": ["chiri"],
        "Cleo": ["oswin"],
    }


def test_a_save_is_found_by_the_beginning_of_its_name(home: Path) -> None:
    for name in ("tuesday-1", "tuesday-2"):
        open_fight(home / "saves" / f"{name}.ember").close()
    assert find_save("tuesday-2").stem == "tuesday-2"
    with pytest.raises(Refused, match="may mean tuesday-1, tuesday-2"):
        find_save("tue")
    with pytest.raises(Refused, match="there is no save 'wednesday'"):
        find_save("wednesday")


def test_inputs_that_no_longer_fit_are_given_up_by_agreement_only(home: Path) -> None:
    path = home / "saves" / "old.ember"
    session = open_fight(path)
    question = session.question
    assert question is not None
    session.answer(question.id, "white")
    session.close()
    journal = open_journal(path)
    journal.append(Entry("answer", journal.tree.head, "2-0", "0" * 16, "malah", "Ada"))
    journal.close()

    with pytest.raises(Diverged):
        open_save(path)
    asked: list[tuple[str, list[str]]] = []

    def agree(words: str, lost: list[str]) -> bool:
        asked.append((words, lost))
        return len(asked) > 1

    with pytest.raises(Diverged):
        open_save(path, agree)
    assert asked[0][1][-1] == "Ada: answer malah" and "Go on from there?" in asked[0][0]
    again, _ = open_save(path, agree)
    assert again.question is not None
    again.close()


def test_a_copy_for_a_replay_holds_the_same_operations(home: Path) -> None:
    path = home / "saves" / "fight.ember"
    session = open_fight(path)
    for value in ("white", "malah"):
        assert session.question is not None
        session.answer(session.question.id, value)
    session.undo(1)
    copy = copied(session.journal)
    assert copy.tree.head == session.head and len(copy.tree.entries) == 2
    assert copied(session.journal, 0).tree.head == 0
    session.close()


def test_scenarios() -> None:
    shown = emberboard("scenarios").stdout
    assert shown.startswith("outlaws-of-bear-peak  Outlaws of Bear Peak (evershade, pack bear-peak, 1 to 5 Characters)")


def test_an_unknown_scenario_is_told(home: Path) -> None:
    done = run(home, "play", "--autoplay", "--scenario", "dragons")
    assert done.returncode == 1
    assert done.stderr == "there is no scenario 'dragons'; there are outlaws-of-bear-peak\n"


def test_content_check(tmp_path: Path) -> None:
    done = emberboard("content", "check", "bear-peak")
    assert done.exit_code == 0 and "1 scenario(s), 1 Sheet(s), 4 Enemies" in done.stdout

    pack = tmp_path / "my-pack"
    shutil.copytree(packs_folder() / "bear-peak", pack)
    enemies = pack / "enemies.yaml"
    enemies.write_text(enemies.read_text().replace("  difficulty: 8\n", "  difficulty: very\n", 1))
    done = emberboard("content", "check", str(pack))
    line = enemies.read_text().splitlines().index("  difficulty: very") + 1
    assert done.exit_code == 1
    assert done.stderr.startswith(f"{enemies}:{line}: enemies.0.difficulty: ")

    done = emberboard("content", "check", "no-such-pack")
    assert done.exit_code == 1 and "there is no pack 'no-such-pack'; packs: bear-peak" in done.stderr


def test_version() -> None:
    assert re.fullmatch(r"emberboard \d+\.\d+\.\d+\n", emberboard("--version").stdout)


def test_what_breaks_inside_is_no_traceback(home: Path) -> None:
    broken = home / "sitecustomize.py"
    broken.write_text(
        "import emberboard.cli.content_commands as commands\n"
        "def breaks():\n    raise KeyError('a fault of ours')\n"
        "commands.scenarios = breaks\n"
    )
    done = run(home, "scenarios", PYTHONPATH=os.pathsep.join([str(home), os.environ.get("PYTHONPATH", "")]))
    assert done.returncode == 1
    assert done.stderr.startswith("Something broke that should not have: KeyError: 'a fault of ours'.")
    assert "Traceback" not in done.stderr
    (report,) = (home / "saves" / "reports").iterdir()
    assert "Traceback" in report.read_text()
