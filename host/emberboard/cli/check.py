"""`emberboard check FILE...`: run worked examples and tell every difference in words."""

from __future__ import annotations

from pathlib import Path

import msgspec
import typer
from rich.console import Console

from emberboard.engine.catalogue import load_catalogue
from emberboard.engine.errors import ContentError
from emberboard.engine.example_file import Example, load_examples
from emberboard.engine.example_run import ExampleResult, Games, RuleIds, run_example
from emberboard.games import registry

FAILED, UNREADABLE = 1, 2


def run_check(
    files: list[Path], *, json: bool = False, games: Games | None = None, rule_ids: RuleIds | None = None
) -> int:
    """Run the examples of `files`, print what came of them, and return the exit status.

    Without `games` those of the package, with their catalogues, are used.
    """
    unreadable, examples = _read(files)
    if games is None:
        games = registry.playable()
        rule_ids = {name: frozenset(load_catalogue(registry.folder(name)).rules) for name in games}
    results = [run_example(example, games, rule_ids) for example in examples]
    for error in unreadable:
        typer.echo(str(error), err=True)
    if json:
        typer.echo(msgspec.json.format(msgspec.json.encode(results), indent=2).decode())
    else:
        _print(results)
    if unreadable:
        return UNREADABLE
    return 0 if all(result.passed for result in results) else FAILED


def _read(files: list[Path]) -> tuple[list[ContentError], list[Example]]:
    unreadable: list[ContentError] = []
    examples: list[Example] = []
    for file in files:
        try:
            examples += load_examples(file)
        except ContentError as error:
            unreadable.append(error)
    return unreadable, examples


def _print(results: list[ExampleResult]) -> None:
    out = Console(highlight=False, soft_wrap=True)
    for result in results:
        out.print(f"{'passed' if result.passed else 'FAILED'}  {result.id}  {result.title}", markup=False)
        if result.failure is not None:
            out.print(result.failure.words(), markup=False)
    failed = sum(not result.passed for result in results)
    out.print(f"{len(results)} worked example(s), {failed} failed", markup=False)
