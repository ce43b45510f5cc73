"""`x`: the last dice and answers, numbered, newest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.text import Text

from emberboard.engine.journal import Entry
from emberboard.engine.session import Session

_SHOWN = 9


@dataclass(frozen=True)
class Choice:
    """An entry that can be corrected: what it said, and what it was about."""

    entry: Entry
    value: str
    about: str


def choices(session: Session, prompts: Mapping[int, str]) -> list[Choice]:
    """The last answers on the path to the head, newest first. `prompts` are the questions that are still known."""
    path = [entry for entry in session.journal.tree.path() if entry.kind == "answer" and not entry.failed]
    found = []
    for entry in reversed(path[-_SHOWN:]):
        notes = session.news() if entry.id == session.head else session.journal.notes(entry.id) or ()
        about = prompts.get(entry.id) or " ".join(note.text for note in notes[:2])
        found.append(Choice(entry, value_words(entry), about))
    return found


def value_words(entry: Entry) -> str:
    """The value of an answer in words."""
    value = entry.value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        parts = [
            (" " if entry.dice else ",").join(map(str, part)) if isinstance(part, list) else str(part) for part in value
        ]
        return (" / " if entry.dice else " ").join(parts) or "none"
    return str(value)


def choice_lines(found: Sequence[Choice], width: int) -> list[Text]:
    """The list to choose from."""
    lines = []
    for number, choice in enumerate(found, 1):
        line = Text(f" {number:>3}  ", "bold bright_cyan")
        line.append(choice.value, "bold")
        if choice.about:
            line.append(f"   {choice.about}", "bright_black")
        line.truncate(width, overflow="ellipsis")
        lines.append(line)
    return lines
