"""Lines of the log: the words, the numbers that explain themselves, what was weighed and dropped."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.text import Text

from emberboard.cli.signs import Signs
from emberboard.cli.styles import NUMBERS, QUIET
from emberboard.engine.game import Note


def note_lines(note: Note, width: int, signs: Signs, *, old: bool = False, rules: bool = False) -> list[Text]:
    """One note. `old` ones are shown quietly and without their numbers; `rules` adds the ids behind the words."""
    words = note.text + (f" ({', '.join(note.rules)})" if rules and note.rules else "")
    if note.seat:
        words = f"[for {note.seat}] {words}"
    lines = _wrapped(words, width, f" {signs.dot} ", QUIET if old else "")
    if old:
        return lines
    for number in note.numbers:
        if number.contributions:
            lines += _wrapped(number.words(), width, "     ", NUMBERS)
    if note.detail:
        lines += _wrapped("; ".join(note.detail), width, "     ", NUMBERS)
    return lines


def _wrapped(words: str, width: int, first: str, style: str) -> list[Text]:
    rest = " " * len(first)
    return [Text(line, style) for line in textwrap.wrap(words, width, initial_indent=first, subsequent_indent=rest)]


def log_lines(log: Sequence[Note], news: int, width: int, height: int, signs: Signs) -> list[Text]:
    """The last `news` notes, then as many older ones above them as `height` allows, quietly.

    Where the news are too long, the numbers of the first ones go, then the first ones themselves; `?` and `l` have all.
    """
    recent = [note_lines(note, width, signs) for note in log[len(log) - news :]]
    for index, note in enumerate(log[len(log) - news :]):
        if sum(map(len, recent)) <= height:
            break
        recent[index] = _wrapped(note.text, width, f" {signs.dot} ", "")
    lines = [line for part in recent for line in part]
    if len(lines) > height:
        cut = len(lines) - height + 1
        return [Text(f" {signs.dot} {cut} more line(s) above: l shows the whole log", QUIET), *lines[cut:]]
    older: list[Text] = []
    for note in reversed(log[: len(log) - news]):
        more = note_lines(note, width, signs, old=True)
        if len(older) + len(more) > min(3, height - len(lines)):
            break
        older = more + older
    return older + lines
