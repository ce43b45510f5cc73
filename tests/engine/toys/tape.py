"""A tape of a whole session: every question with its offers, every input, every line of the log, in order."""

from __future__ import annotations

from typing import Any

from emberboard.engine.question import GO_ON, Choose, Confirm, Draw, Json, Order, Place, Question, Roll, Window
from emberboard.engine.session import Session


class Tape:
    """Plays a session and writes down what happens.

    `? ` a question, its seats, what can be answered, and after a bar its offers; `> ` an input; `- ` a log line.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.lines: list[str] = [f"- {note.text}" for note in session.log]
        self._ask()

    def answer(self, *values: Json, seat: str = "") -> Tape:
        """Answer what is asked, and then what is asked next, ..."""
        for value in values:
            pending = self._pending()
            self.lines.append(f"> {seat + ': ' if seat else ''}{_plain(value)}")
            self.session.answer(pending.id, value, seat=seat)
            self._after()
        return self

    def dice(self, *faces: int | str) -> Tape:
        """Key in the dice that the pending roll wants, in their order."""
        pending = self._pending()
        assert isinstance(pending, Roll), f"no dice are wanted: {describe(pending)}"
        rest, rows = list(faces), []
        for wanted in pending.dice:
            rows.append(rest[: wanted.count])
            rest = rest[wanted.count :]
        assert not rest, f"{describe(pending)}: {rest} too many"
        return self.answer(rows)

    def go_on(self, seat: str = "") -> Tape:
        """Close the pending window."""
        return self.answer(GO_ON, seat=seat)

    def take(self, offer: str, seat: str = "") -> Tape:
        """Take an offer."""
        self.lines.append(f"> take {offer}")
        self.session.take(self._pending().id, offer, seat=seat)
        self._after()
        return self

    def since(self, mark: int = 0) -> list[str]:
        """The lines from `mark` on."""
        return self.lines[mark:]

    @property
    def mark(self) -> int:
        """Where the tape is now."""
        return len(self.lines)

    @property
    def log(self) -> list[str]:
        """The log alone."""
        return [line[2:] for line in self.lines if line.startswith("- ")]

    def _pending(self) -> Question:
        assert self.session.question is not None, "nothing is asked"
        return self.session.question

    def _after(self) -> None:
        assert self.session.trouble is None, self.session.trouble.report
        self.lines.extend(f"- {note.text}" for note in self.session.news())
        self._ask()

    def _ask(self) -> None:
        if self.session.question is not None:
            self.lines.append(f"? {describe(self.session.question)}")


def describe(question: Question) -> str:
    """A question in one line."""
    seats = "group" if question.who.mode == "group" else " ".join(question.who.seats)
    offers = ", ".join(f"{offer.id} ({offer.seat})" for offer in question.offers)
    body = _body(question)
    who = "" if isinstance(question, Window) else f" [{seats}]"
    return f"{question.name}{who}{': ' + body if body else ''}{' | ' + offers if offers else ''}"


def _body(question: Question) -> str:
    match question:
        case Choose() | Order() | Place():
            named = isinstance(question, Order)
            return ", ".join(option.label if named else option.id for option in question.options)
        case Roll():
            return " + ".join(f"{wanted.count} {wanted.key}" for wanted in question.dice)
        case Draw():
            return ", ".join(f"{count} {name}" for name, count in question.contents.items())
        case Confirm():
            return "yes or no"
        case _:
            return ""


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(_plain(one) for one in value) or "none"
    return str(value)
