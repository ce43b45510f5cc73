"""The inputs so far in words, and those that can be corrected, newest first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from emberboard.engine.journal import Entry
from emberboard.engine.question import Json, Path, Question, cell_key
from emberboard.engine.session import Session, describe

_SHOWN = 9
Asked = Mapping[int, Question]
"""The questions that entries answered, as far as they are known."""


@dataclass(frozen=True)
class Choice:
    """An entry that can be corrected: what it said, and what it was about."""

    entry: Entry
    value: str
    about: str


def choices(session: Session, asked: Asked) -> list[Choice]:
    """The last answers on the path to the head, newest first."""
    path = [entry for entry in session.journal.tree.path() if entry.kind == "answer" and not entry.failed]
    found = []
    for entry in reversed(path[-_SHOWN:]):
        notes = session.news() if entry.id == session.head else session.journal.notes(entry.id) or ()
        about = asked[entry.id].prompt if entry.id in asked else " ".join(note.text for note in notes[:2])
        found.append(Choice(entry, value_words(entry.value, asked.get(entry.id), dice=bool(entry.dice)), about))
    return found


def value_words(value: Json, question: Question | None = None, *, dice: bool = False) -> str:
    """An answer in words: `12 9 3 / 4` for dice, `7,5 7,4` for a way, labels where its question is known."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        if value and all(isinstance(part, (list, tuple)) for part in value):
            if isinstance(question, Path) or (question is None and not dice):
                return " ".join(cell_key((part[0], part[1])) for part in value)
            return " / ".join(" ".join("?" if face is None else str(face) for face in part) for part in value)
        return ", ".join(value_words(part, question) for part in value) or "none"
    options = getattr(question, "options", ())
    return next((option.label for option in options if option.id == value and option.label), str(value))


def entry_words(entry: Entry, question: Question | None) -> str:
    """An input in words, for what was undone or done again."""
    if entry.kind == "answer":
        return value_words(entry.value, question, dice=bool(entry.dice))
    if entry.kind == "take" and question is not None:
        return next((offer.label for offer in question.offers if offer.id == entry.value), describe(entry))
    return describe(entry)
