"""`?`: why things are as they are. The numbers of the last log lines step by step, and the rules behind them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from rich.text import Text

from emberboard.cli.styles import NUMBERS, QUIET
from emberboard.engine.catalogue import Catalogue, load_catalogue
from emberboard.engine.errors import Refused
from emberboard.engine.example_file import nearest
from emberboard.engine.game import Note
from emberboard.engine.question import Question
from emberboard.engine.stats import Explained


@lru_cache(maxsize=4)
def catalogue_in(folder: Path) -> Catalogue:
    """A game's catalogue; reading it takes a moment, so it is read once."""
    return load_catalogue(folder)


def rule_lines(catalogue: Catalogue, rule: str, width: int, *, whole: bool = True) -> list[Text]:
    """One rule's text; `whole` adds what shows it and our ruling. Raises Refused for an id that does not exist."""
    found = catalogue.rules.get(rule.upper())
    if found is None:
        raise Refused(f"there is no rule {rule}; {nearest(rule.upper(), catalogue.rules)}")
    lines = [Text(f"{found.id}  ({found.section})", "bold cyan"), *_words(found.rule, width)]
    if whole:
        lines += _words(f"Shown by: {found.check}", width, QUIET)
        if found.ruling:
            lines += _words(f"Ruling: {found.ruling}", width)
    return lines


def _words(words: str, width: int, style: str = "", indent: str = "  ") -> list[Text]:
    return [Text(line, style) for line in textwrap.wrap(words, width, initial_indent=indent, subsequent_indent=indent)]


def number_lines(number: Explained, width: int) -> list[Text]:
    """A number, each contribution with its rule, and what each step made of it."""
    about = f" of {number.subject}" if number.subject else ""
    lines = [Text(f"  {number.stat}{about} is {number.value}", "bold")]
    for part in number.contributions:
        lines += _words(f"{part.delta:+d}  {part.source}  ({part.rule}, {part.step})", width, NUMBERS, "     ")
    steps = [f"{line.step} {line.before} -> {line.after}" for line in number.trace if line.before != line.after]
    if len(steps) > 1:
        lines += _words("in order: " + ", ".join(steps), width, QUIET, "     ")
    return lines


def why_lines(question: Question | None, notes: Sequence[Note], catalogue: Catalogue, width: int) -> list[Text]:
    """The last log lines with their numbers, then each rule behind them and behind the question once."""
    lines: list[Text] = []
    ids: dict[str, None] = {}
    for note in notes:
        lines += _words(note.text, width, "bold", "")
        for number in note.numbers:
            lines += number_lines(number, width)
        if note.detail:
            lines += _words("; ".join(note.detail), width, NUMBERS)
        ids |= dict.fromkeys(_rules_of(note))
    if question is not None:
        lines += _words(f"Asked now: {question.prompt}", width, "bold", "")
        if question.note:
            lines += _words(question.note, width, NUMBERS)
        ids |= dict.fromkeys(question.rules)
        for offer in question.offers:
            ids |= dict.fromkeys(offer.rules)
    if ids:
        lines.append(Text(""))
    for rule in ids:
        if rule in catalogue.rules:
            lines += rule_lines(catalogue, rule, width, whole=False)
    lines.append(Text("? with an id, such as ? EV-COVER-01, shows a rule in full.", QUIET))
    return lines


def _rules_of(note: Note) -> Iterable[str]:
    yield from note.rules
    for number in note.numbers:
        for part in number.contributions:
            yield part.rule
