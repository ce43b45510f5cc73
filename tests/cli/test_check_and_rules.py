"""The commands that run worked examples and show what proves each rule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from emberboard.cli.check import run_check
from emberboard.cli.main import app
from emberboard.cli.rules import show_rules
from tests.engine.toys.one_of_each import RULES, Toy

GOOD = "id: EX-1\ngame: toy\ntitle: Apples [red]\nscript: [{start: eat}, {answer: Apple}]\nexpect: {chosen: a}\n"
BAD = GOOD.replace("EX-1", "EX-2").replace("chosen: a", "chosen: b")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A file that passes, one that fails, and one that cannot be read."""
    texts = {"good": GOOD, "bad": BAD, "broken": "id: X\ngame: toy\nscript:\n- anwser: a\n"}
    for name, text in texts.items():
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    return {name: tmp_path / f"{name}.yaml" for name in texts}


def check(files: list[Path], **options: Any) -> int:
    return run_check(files, games={"toy": Toy}, rule_ids={"toy": RULES}, **options)


def test_what_passes(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert check([files["good"]]) == 0
    assert capsys.readouterr().out == "passed  EX-1  Apples [red]\n1 worked example(s), 0 failed\n"


def test_a_difference_is_readable(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert check([files["good"], files["bad"]]) == 1
    out = capsys.readouterr().out
    assert f"FAILED  EX-2  Apples [red]\n{files['bad']}:5: expect: " in out
    assert "  expected: chosen: b\n  found:    chosen: a\n" in out
    assert "2 worked example(s), 1 failed" in out


def test_results_as_json(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert check([files["good"], files["bad"]], json=True) == 1
    good, bad = json.loads(capsys.readouterr().out)
    assert (good["id"], good["passed"], good["failure"]) == ("EX-1", True, None)
    assert (bad["passed"], bad["failure"]["expected"]) == (False, "chosen: b")


def test_a_file_that_cannot_be_read(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert check([files["broken"], files["good"]]) == 2
    said = capsys.readouterr()
    assert said.err == f"{files['broken']}:4: anwser: there is no such step; nearest: answer\n"
    assert "passed  EX-1" in said.out


def test_check_as_a_command(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["check", str(tmp_path / "none.yaml")])
    assert result.exit_code == 2
    assert "none.yaml: cannot be read" in result.output


def test_rules_as_json_are_a_list_of_objects(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evidence = tmp_path / "evershade.json"
    evidence.write_text('{"EV-ROLL-05": ["EV-EX-D02", "tests/x.py::test_x"]}', encoding="utf-8")
    assert show_rules("evershade", json=True, evidence=evidence) == 0
    said = capsys.readouterr()
    rows = {row["id"]: row for row in json.loads(said.out)}
    assert len(rows) == 397
    assert set(rows["EV-ROLL-05"]) == {"id", "section", "rule", "proven", "by", "open"}
    assert (rows["EV-ROLL-05"]["proven"], rows["EV-ROLL-05"]["by"]) == (True, ["EV-EX-D02", "tests/x.py::test_x"])
    assert (rows["EV-ROLL-04"]["proven"], rows["EV-ROLL-04"]["by"], rows["EV-ROLL-04"]["open"]) == (False, [], None)
    assert rows["EV-CAMP-01"]["open"] == "campaign"
    assert said.err == ""


def test_rules_as_a_table_with_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evidence = tmp_path / "evershade.json"
    evidence.write_text('{"EV-ROLL-05": ["EV-EX-D02"], "EV-CAMP-01": ["t"]}', encoding="utf-8")
    assert show_rules("evershade", evidence=evidence) == 0
    counts = capsys.readouterr().out.splitlines()[-1]
    assert counts == (
        "397 rules: 251 in scope, 1 of them proven, 250 not; 146 open until later, 1 of them proven already"
    )


def test_rules_say_when_nothing_was_written_yet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert show_rules("evershade", evidence=tmp_path / "none.json") == 0
    assert "No evidence has been written yet" in capsys.readouterr().out
    assert show_rules("evershade", json=True, evidence=tmp_path / "none.json") == 0
    said = capsys.readouterr()
    assert "run `make test`" in said.err
    assert not any(row["proven"] for row in json.loads(said.out))


def test_rules_of_a_game_that_is_not_there() -> None:
    result = CliRunner().invoke(app, ["rules", "evershad"])
    assert result.exit_code == 2
    assert "there is no game 'evershad'; nearest: evershade" in result.output


def test_damaged_evidence_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "evershade.json").write_text("{", encoding="utf-8")
    assert show_rules("evershade", evidence=tmp_path / "evershade.json") == 2
    assert "holds no evidence" in capsys.readouterr().err
