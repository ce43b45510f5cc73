"""The evidence plugin, run over small suites: only passing tests prove, partial runs merge, full runs must agree."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

ROOT = Path(__file__).parents[2]
RULES = """\
rules:
- {id: TO-ROLL-01, section: Rolls, rule: Dice are rolled., check: They are.}
- {id: TO-ROLL-02, section: Rolls, rule: Ones are bad., check: They are.}
- {id: TO-CAMP-01, section: Camp, rule: Sleep., check: They do.}
"""
SUITE = """
import pytest

@pytest.mark.rules("TO-ROLL-01", "TO-ROLL-02")
def test_good():
    pass

@pytest.mark.rules("TO-ROLL-02", by="EX-1")
def test_example():
    pass
"""


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """A project with a toy catalogue, the plugin, and one test file."""
    folder = pytester.mkdir("toy")
    (folder / "rules.yaml").write_text(RULES, encoding="utf-8")
    (folder / "open_rules.yaml").write_text("areas: [ROLL]\nbeyond: campaign\n", encoding="utf-8")
    pytester.makeini(
        f"""
        [pytest]
        testpaths = checks
        addopts = -p tests.evidence
        pythonpath = {ROOT}
        evidence_games = toy
        evidence_dir = out
        evidence_unproven = unproven.txt
        """
    )
    pytester.syspathinsert(ROOT)
    pytester.mkdir("checks")
    rewrite(pytester, SUITE)
    unproven(pytester, "")
    return pytester


def rewrite(suite: pytest.Pytester, text: str, name: str = "test_one.py") -> None:
    (suite.path / "checks" / name).write_text(text, encoding="utf-8")


def unproven(suite: pytest.Pytester, text: str) -> None:
    (suite.path / "unproven.txt").write_text(text, encoding="utf-8")


def evidence(suite: pytest.Pytester) -> dict[str, list[str]]:
    found: dict[str, list[str]] = msgspec.json.decode((suite.path / "out" / "toy.json").read_bytes())
    return found


def run(suite: pytest.Pytester, *args: str) -> pytest.RunResult:
    return suite.runpytest_subprocess(*args, timeout=60)


def test_passing_tests_and_examples_are_written_down(suite: pytest.Pytester) -> None:
    assert run(suite).ret == 0
    good = "checks/test_one.py::test_good"
    assert evidence(suite) == {"TO-ROLL-01": [good], "TO-ROLL-02": ["EX-1", good]}


def test_workers_are_merged(suite: pytest.Pytester) -> None:
    more = (
        "import pytest\n\n@pytest.mark.parametrize('n', range(6))\n@pytest.mark.rules('TO-ROLL-01')\ndef test_m(n):\n"
    )
    rewrite(suite, more + "    assert n != 3\n", "test_two.py")
    result = run(suite, "-n", "2")
    assert result.ret == 1
    names = [f"checks/test_two.py::test_m[{n}]" for n in (0, 1, 2, 4, 5)]
    assert evidence(suite)["TO-ROLL-01"] == ["checks/test_one.py::test_good", *names]


@pytest.mark.parametrize(
    "ending",
    [
        "assert False",
        "pytest.skip('not today')",
        "pytest.xfail('known')",
    ],
)
def test_a_test_that_no_longer_passes_loses_its_proof(suite: pytest.Pytester, ending: str) -> None:
    run(suite)
    rewrite(suite, SUITE.replace("pass", ending, 1))
    run(suite, "checks/test_one.py")
    assert evidence(suite) == {"TO-ROLL-02": ["EX-1"]}


def test_a_test_whose_clean_up_fails_proves_nothing(suite: pytest.Pytester) -> None:
    fixture = "\n@pytest.fixture(autouse=True)\ndef late():\n    yield\n    assert False\n"
    rewrite(suite, SUITE + fixture)
    run(suite)
    assert evidence(suite) == {}


def test_a_partial_run_keeps_the_rest_and_a_full_run_begins_anew(suite: pytest.Pytester) -> None:
    other = "import pytest\n\n@pytest.mark.rules('TO-CAMP-01')\ndef test_camp():\n    pass\n"
    rewrite(suite, other, "test_two.py")
    run(suite, "checks/test_one.py")
    run(suite, "checks/test_two.py")
    assert set(evidence(suite)) == {"TO-ROLL-01", "TO-ROLL-02", "TO-CAMP-01"}
    (suite.path / "checks" / "test_two.py").unlink()
    run(suite, "checks/test_one.py")
    assert "TO-CAMP-01" in evidence(suite)
    run(suite)
    assert "TO-CAMP-01" not in evidence(suite)


def test_an_unknown_rule_fails_the_test(suite: pytest.Pytester) -> None:
    rewrite(suite, SUITE.replace("TO-ROLL-01", "TO-ROL-01"))
    result = run(suite, "checks/test_one.py")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*test_good cites toy has no rule TO-ROL-01; nearest: TO-ROLL-01*"])
    assert evidence(suite) == {"TO-ROLL-02": ["EX-1"]}


def test_a_full_run_fails_when_a_rule_in_scope_has_no_proof(suite: pytest.Pytester) -> None:
    rewrite(suite, SUITE.replace('"TO-ROLL-01", ', ""))
    result = run(suite)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*1 of 2 rules in scope are proven*", "*in scope and without a proof: TO-ROLL-01*"])
    assert run(suite, "checks").ret == 0, "only a full run is held to the whole catalogue"
    assert run(suite, "-k", "good").ret == 0
    assert run(suite, "-m", "not soak").ret == 1
    unproven(suite, "# still to come\nTO-ROLL-01\n")
    assert run(suite).ret == 0
    assert run(suite, "-n", "2").ret == 0


def test_the_list_of_unproven_rules_must_shrink(suite: pytest.Pytester) -> None:
    unproven(suite, "# still to come\nTO-ROLL-02\nTO-CAMP-01\n")
    result = run(suite)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["proven, so take it off*TO-ROLL-02*", "*not a rule in scope: TO-CAMP-01*"])
    assert run(suite, "--shrink-unproven").ret == 0
    assert (suite.path / "unproven.txt").read_text(encoding="utf-8") == "# still to come\n"
    assert run(suite).ret == 0


def test_shrinking_never_adds(suite: pytest.Pytester) -> None:
    rewrite(suite, SUITE.replace('"TO-ROLL-01", ', ""))
    assert run(suite, "--shrink-unproven").ret == 1
    assert (suite.path / "unproven.txt").read_text(encoding="utf-8") == ""


def test_damaged_evidence_is_begun_anew(suite: pytest.Pytester) -> None:
    run(suite)
    (suite.path / "out" / "toy.json").write_text("{", encoding="utf-8")
    result = run(suite, "checks/test_one.py")
    result.stdout.fnmatch_lines(["*begun anew, because*holds no evidence*"])
    assert set(evidence(suite)) == {"TO-ROLL-01", "TO-ROLL-02"}
