"""Log lines as a worked example writes them: the words, and where given the rules, numbers, details and the seat.

- Rogue moves 3 toward Ada.
- says: Ada loses 2 HP.
  rules: [EV-HP-01]
  numbers: ["damage 2 = +4 Rogue (EV-ENEMY-10), -2 Cover (EV-COVER-01)"]
"""

from __future__ import annotations

from collections.abc import Sequence

from emberboard.engine.example_file import nearest
from emberboard.engine.example_match import in_words
from emberboard.engine.example_question import Mismatch
from emberboard.engine.game import Note
from emberboard.engine.question import Json

FIELDS = ("says", "rules", "numbers", "detail", "seat")


def written(note: Note) -> Json:
    """A log line as a worked example writes it; only its words where there is nothing else to it."""
    plain = {field: value for field, value in _full(note).items() if value}
    return note.text if len(plain) <= 1 else plain


def check_log(notes: Sequence[Note], spec: Json) -> None:
    """Compare the lines that an input gave with all that are expected. Raises Mismatch at the first difference."""
    if not isinstance(spec, list):
        raise Mismatch("`log` as a list of lines", in_words(spec))
    for index, expected in enumerate(spec):
        fields = expected if isinstance(expected, dict) else {"says": expected}
        unknown = next((field for field in fields if field not in FIELDS), None)
        if unknown is not None:
            raise Mismatch(f"one of {', '.join(FIELDS)}", f"{unknown!r}; {nearest(unknown, FIELDS)}", trail=(index,))
        if index >= len(notes):
            raise Mismatch(f"the line: {in_words(fields.get('says', fields))}", "no such line", trail=(index,))
        found = _full(notes[index])
        for field, value in fields.items():
            _compare(field, value, found[field], (index, field) if fields is expected else (index,))
    if len(notes) > len(spec):
        raise Mismatch(f"{len(spec)} line(s)", f"{len(notes)}; the next is: {notes[len(spec)].text}")


def _full(note: Note) -> dict[str, Json]:
    return {
        "says": note.text,
        "rules": list(note.rules),
        "numbers": [number.words() for number in note.numbers],
        "detail": list(note.detail),
        "seat": note.seat,
    }


def _compare(field: str, expected: Json, found: Json, trail: tuple[int | str, ...]) -> None:
    if not (isinstance(expected, list) and isinstance(found, list)):
        if expected != found:
            raise Mismatch(in_words(expected), in_words(found), trail=trail)
        return
    for index, one in enumerate(expected):
        other = found[index] if index < len(found) else "none"
        if one != other:
            raise Mismatch(f"{field}: {in_words(one)}", f"{field}: {other}", trail=(*trail, index))
    if len(found) > len(expected):
        raise Mismatch(f"{len(expected)} {field}", f"also {found[len(expected)]}", trail=trail)
