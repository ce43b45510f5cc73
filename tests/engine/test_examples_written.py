"""What is written as a worked example is read as the same; `log`, `state` and `snapshot` check what they say."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emberboard.engine.content import line_of, read_yaml
from emberboard.engine.errors import ContentError
from emberboard.engine.example_file import load_examples
from emberboard.engine.example_run import ExampleResult, run_file
from emberboard.engine.example_write import as_yaml, changes
from emberboard.engine.question import Json
from tests.engine.small_game import Miners, OtherMiners
from tests.store.journals import fast_folder

TEXTS = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        [
            "yes",
            "No",
            "~",
            "null",
            "1",
            "1e3",
            "0x1",
            "1:30",
            "12,9",
            "- x",
            "a: b",
            "#x",
            "{x}",
            "a\n  b\n",
            "\n",
            " x",
            "<<",
            "=",
        ]
    ),
)
PLAIN = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**12), 10**12), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(TEXTS, inner, max_size=5)),
    max_leaves=25,
)


@settings(deadline=None, max_examples=60)
@given(st.dictionaries(TEXTS, PLAIN, max_size=6))
def test_plain_data_is_read_as_it_was_written(document: dict[str, Json]) -> None:
    with fast_folder() as folder:
        path = Path(folder) / "one.yaml"
        path.write_text(as_yaml(document), encoding="utf-8", newline="")
        assert read_yaml(path) == document


def test_each_line_of_a_text_or_list_can_be_pointed_at(tmp_path: Path) -> None:
    document = {"a": ["long" * 20, "words" * 20], "b": {"c": [1] * 200}, "notes": "one\n  two\n"}
    path = tmp_path / "one.yaml"
    path.write_text(as_yaml(document))
    assert [line_of(path, trail) for trail in (("a", 1), ("b", "c", 150), ("notes",))] == [3, 5, 6]
    assert path.read_text().count("\n") == 8


def test_changes_are_paths_and_what_is_expected_there() -> None:
    before = {"a": 1, "b": {"c": [1, 2], "d": 4}, "e": {"f": 1}, "g": [{"h": 1}, {"h": 2}], "i": {}}
    after = {
        "a": 1,
        "b": {"c": [1, 2, 3], "d": None},
        "g": [{"h": 1}, {"h": 9}],
        "i": {"k": {"l": 1, "m": {}}},
        "e": {},
    }
    assert dict(changes(before, after)) == {
        "b.c": [1, 2, 3],
        "b.d": "absent",
        "e.f": "absent",
        "g.1.h": 9,
        "i.k.l": 1,
        "i.k.m": {},
    }
    assert list(changes(after, after)) == []


BEGUN = """
id: MI-1
game: miners
setup: {oil: 5}
script:
  - answer: careful
  - roll: {ann: {d6: 5}, ben: {d12: 2}}
  - log:
"""


@pytest.fixture
def run(tmp_path: Path) -> Any:
    def runner(text: str, game: Any = Miners) -> ExampleResult:
        path = tmp_path / "one.yaml"
        path.write_text(dedent(text).lstrip(), encoding="utf-8")
        (result,) = run_file(path, {"miners": game})
        return result

    return runner


@pytest.mark.parametrize(
    "line",
    [
        "'Round 1: careful, 1 hit(s).'",
        "{says: 'Round 1: careful, 1 hit(s).'}",
        "{rules: [MINE-01], detail: ['[[5], [2]]'], numbers: [], seat: ''}",
    ],
)
def test_a_log_line_as_it_is_written(line: str, run: Any) -> None:
    result = run(f"{BEGUN}      - {line}\n")
    assert result.passed, result.failure


@pytest.mark.parametrize(
    ("line", "expected", "found"),
    [
        ("- Round 1", "Round 1", "Round 1: careful, 1 hit(s)."),
        ("- {rules: [MINE-02]}", "rules: MINE-02", "rules: MINE-01"),
        ("- {rules: [MINE-01, MINE-02]}", "rules: MINE-02", "rules: none"),
        ("- {rules: []}", "0 rules", "also MINE-01"),
        ("- {rules: MINE-01}", "MINE-01", '["MINE-01"]'),
        ("- {numbers: [gold 3]}", "numbers: gold 3", "numbers: none"),
        ("- {seat: ann}", "ann", ""),
        ("- {word: x}", "one of says, rules, numbers, detail, seat", "'word'; known:"),
        ("[]", "0 line(s)", "1; the next is: Round 1: careful"),
        ("what", "`log` as a list of lines", "what"),
        ("- {}\n      - more", "the line: more", "no such line"),
    ],
)
def test_a_log_line_that_differs(line: str, expected: str, found: str, run: Any) -> None:
    result = run(f"{BEGUN}      {line}\n")
    assert result.failure is not None
    assert result.failure.expected == expected
    assert result.failure.found.startswith(found)
    assert result.failure.place.endswith(f":{9 if 'more' in line else 8 if line.startswith('-') else 7}")


def test_the_hash_of_the_state(run: Any) -> None:
    failure = run("{id: X, game: miners, script: [{state: abc}]}").failure
    assert failure is not None
    hashed = failure.found.split(":")[0]
    assert len(hashed) == 64 and "no step above looks at" in failure.found
    assert run(f"{{id: X, game: miners, script: [{{state: {hashed}}}]}}").passed


SNAPSHOT = """
    id: X
    game: miners
    versions: {rules: "1"}
    setup: {oil: 5}
    snapshot:
      ledger: {agenda: [{procedure: dig, args: {number: 7}}]}
      bag: {name: bag, segments: []}
      oil: 1
      wanted: 9
      ropes: {ann: 0, ben: 0}
    script:
    - note: the last drop
    - answer: careful
    - roll: {ann: {d6: 1}, ben: {d12: 2}}
    - ask: nothing
    - log: ['Round 7: careful, 0 hit(s).']
"""


def test_a_whole_state_to_begin_from(run: Any) -> None:
    result = run(SNAPSHOT)
    assert result.passed, result.failure.words()


def test_a_state_of_older_rules_is_migrated_first(run: Any) -> None:
    assert run(SNAPSHOT, OtherMiners).passed
    failure = run(SNAPSHOT.replace('"1"', '"0"')).failure
    assert "a state of rules version 0 cannot be read by version 1" in failure.found
    assert failure.versions == "written with rules 0; run by rules 1"


@pytest.mark.parametrize(
    ("old", "new", "step", "line"),
    [
        ("oil: 1", "oil: one", "snapshot.oil", 8),
        ("wanted: 9", "note: 9", "snapshot", 5),
        ("number: 7", "letter: 7", "setup", 5),
    ],
)
def test_a_state_that_cannot_be_is_told_with_its_line(old: str, new: str, step: str, line: int, run: Any) -> None:
    failure = run(SNAPSHOT.replace(old, new)).failure
    assert failure is not None
    assert failure.step == step
    assert failure.place.endswith(f":{line}")


def test_a_failure_says_under_which_note_it_stands(run: Any) -> None:
    failure = run(SNAPSHOT.replace("Round 7", "Round 8")).failure
    assert failure is not None
    assert "  at:       the last drop\n" in failure.words()


@pytest.mark.parametrize(
    ("text", "words"),
    [("snapshot: 7", "snapshot: expected a mapping"), ("versions: 7", "versions: expected a mapping")],
)
def test_other_shapes_are_refused_by_name(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "one.yaml"
    path.write_text(f"id: X\ngame: miners\n{text}\nscript: [{{ask: nothing}}]\n")
    with pytest.raises(ContentError, match=rf"one\.yaml:3: {words}"):
        load_examples(path)
