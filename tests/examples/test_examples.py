"""Every worked example that is shipped runs and passes; what it proves goes into the evidence under its own id."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from emberboard.engine.catalogue import load_catalogue
from emberboard.engine.errors import ContentError
from emberboard.engine.example_file import Example, load_examples
from emberboard.engine.example_run import run_example
from emberboard.games import registry


def example_files() -> list[Path]:
    """The example files of all games."""
    return [path for name in registry.names() for path in sorted((registry.folder(name) / "examples").glob("*.yaml"))]


def shipped() -> list[tuple[Path, list[Example] | ContentError]]:
    """Each file with its examples, or with why it cannot be read."""
    found: list[tuple[Path, list[Example] | ContentError]] = []
    for path in example_files():
        try:
            found.append((path, load_examples(path)))
        except ContentError as error:
            found.append((path, error))
    return found


SHIPPED = shipped()
EXAMPLES = [example for _, examples in SHIPPED if isinstance(examples, list) for example in examples]


@pytest.fixture(scope="module")
def rule_ids() -> dict[str, frozenset[str]]:
    """The ids of every game's catalogue."""
    return {name: frozenset(load_catalogue(registry.folder(name)).rules) for name in registry.names()}


@pytest.mark.parametrize(
    "example",
    [pytest.param(one, id=one.id, marks=pytest.mark.rules(*one.rules, by=one.id)) for one in EXAMPLES],
)
def test_example(example: Example, rule_ids: dict[str, frozenset[str]]) -> None:
    result = run_example(example, registry.playable(), rule_ids)
    if result.failure is not None:
        pytest.fail(result.failure.words(), pytrace=False)


def test_every_example_file_can_be_read() -> None:
    unreadable = [str(error) for _, error in SHIPPED if isinstance(error, ContentError)]
    assert not unreadable


def test_example_ids_are_unique() -> None:
    counts = Counter(example.id for example in EXAMPLES)
    assert [name for name, count in counts.items() if count > 1] == []
