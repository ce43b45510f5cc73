"""An answer in the making: what keys, buttons and figures mean for one pending question, up to a whole answer.

One draft a kind of question (`choosing.py`, `walking.py`, `dice_station.py`, `seats.py`, `bag_phase.py`); this is what
they share: numbers from the keypad, offers after the answers, seats. Numbered on the page: first the answers, then the
offers, from 1. A draft changes nothing but itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from emberboard.engine.question import Cell, Json, Offer, Question
from emberboard.table.figures import Happening
from emberboard.table.hardware import Key, SeatButton, SeatLight


class Answer(msgspec.Struct, frozen=True):
    """A whole answer, for the session to check."""

    value: Json
    seat: str = ""


class Take(msgspec.Struct, frozen=True):
    """An offer is taken."""

    offer: str
    seat: str


class ByProgram(msgspec.Struct, frozen=True):
    """The program is to roll or to draw."""


class Changed(msgspec.Struct, frozen=True):
    """The draft took it in; nothing is answered yet."""

    words: str = ""


class Nothing(msgspec.Struct, frozen=True):
    """It means nothing here, or cannot be; `words` say why, `cell` is where."""

    words: str
    cell: Cell | None = None


Outcome = Answer | Take | ByProgram | Changed | Nothing


class Numbered(msgspec.Struct, frozen=True):
    """A line of the page that the keypad can name: its number, words, and the option or offer behind it."""

    number: int
    label: str
    option: str = ""
    offer: str = ""


class Setting(msgspec.Struct, frozen=True):
    """What a draft may know beside its question: who still answers, who holds, where figures stand, their names.

    `occupied` are the cells under all figures but the question's own, `stands` where the state has each.
    """

    waiting: tuple[str, ...] = ()
    holding: tuple[str, ...] = ()
    occupied: frozenset[Cell] = frozenset()
    stands: Mapping[str, Cell] = {}
    names: Mapping[str, str] = {}


class Draft:
    """An answer in the making to one question."""

    def __init__(self, question: Question, setting: Setting) -> None:
        self.asked, self.setting = question, setting
        self.offer: Offer | None = None
        self.passed: set[str] = set()
        self._tens = 0

    # -- what it shows ------------------------------------------------------------------------------------------------

    @property
    def loose(self) -> str:
        """The figure that may be off its place while this is answered; empty for none."""
        return ""

    def lines(self) -> Sequence[tuple[str, str]]:
        """The answers that have a number: id and words."""
        return ()

    def numbered(self) -> list[Numbered]:
        """All that the keypad can name, in order."""
        answers = [Numbered(n, words, option=name) for n, (name, words) in enumerate(self.lines(), 1)]
        offers = [Numbered(n, one.label, offer=one.id) for n, one in enumerate(self.asked.offers, len(answers) + 1)]
        return answers + offers

    def marks(self) -> Mapping[str, Iterable[Cell]]:
        """Cells by role that the draft adds to the scene's."""
        return {}

    def echo(self) -> tuple[str, ...]:
        """What was taken in so far, in short words."""
        return (f"offer: {self.offer.label}",) if self.offer is not None else self.said()

    def said(self) -> tuple[str, ...]:
        """The echo of the answer itself."""
        return ()

    def seat_lights(self) -> dict[str, SeatLight]:
        """What each seat's buttons show."""
        lights: dict[str, SeatLight] = {}
        for seat in self.setting.waiting or self.asked.who.seats:
            lights[seat] = "asked"
        for one in self.asked.offers:
            lights[one.seat] = "passed" if one.seat in self.passed else "offer"
        if self.offer is not None:
            lights[self.offer.seat] = "chosen"
        return lights

    # -- what it takes in ---------------------------------------------------------------------------------------------

    def key(self, key: Key) -> Outcome:
        """A key of the dice station, Undo and Help apart (those are the table's)."""
        if key.name == "+10":
            self._tens += 10
            return Changed(f"+{self._tens}")
        tens, self._tens = self._tens, 0
        if key.name.isdecimal():
            return self.number(int(key.name) + tens)
        match key.name:
            case "OK":
                return self._take_offer() if self.offer is not None else self.ok()
            case "No":
                return self.no()
            case "Roll":
                return self.roll()
        return self.face(key.name)

    def number(self, n: int) -> Outcome:
        """A number from the keypad: an answer or an offer by its number."""
        line = next((line for line in self.numbered() if line.number == n), None)
        if line is None:
            most = len(self.numbered())
            return Nothing(f"There is no {n} here; " + (f"1 to {most} are." if most else "nothing is numbered."))
        if line.offer:
            self.offer = next(one for one in self.asked.offers if one.id == line.offer)
            return Changed(f"{self.offer.label}: OK takes it.")
        self.offer = None
        return self.pick(line.option)

    def pick(self, option: str) -> Outcome:
        """An answer was named by its number."""
        return Nothing("That is no answer here.")

    def ok(self) -> Outcome:
        """OK without an offer chosen."""
        return Nothing("There is nothing to confirm yet.")

    def no(self) -> Outcome:
        """No: what was chosen so far is dropped."""
        return Changed("Dropped.") if self.undo() else Nothing("There is nothing to refuse here.")

    def roll(self) -> Outcome:
        """Roll: of chance questions the program's part."""
        return Nothing("No dice are wanted now.")

    def face(self, name: str) -> Outcome:
        """A key that names a face of coloured dice."""
        return Nothing(f"{name} means nothing here.")

    def seat(self, button: SeatButton) -> Outcome:
        """Yes or No at a seat: its offers first; without any Yes is OK and No is No, of a seat that is asked."""
        own = [one for one in self.asked.offers if one.seat == button.seat]
        if own:
            return self._offer_by_seat(own, button)
        if button.seat in (self.setting.waiting or self.asked.who.seats):
            return self.seat_says(button)
        return Nothing(f"{button.seat} is not asked now.")

    def seat_says(self, button: SeatButton) -> Outcome:
        """Yes or No of a seat that is asked and has no offer."""
        if button.yes:
            return self._take_offer() if self.offer is not None else self.ok()
        return self.no()

    def figure(self, happening: Happening) -> Outcome:
        """A figure or the wand. What is merely lifted is waited for."""
        if happening.kind == "lifted":
            return Changed()
        return Nothing("That means nothing now.", happening.cell)

    def token(self, kind: str) -> Outcome:
        """A token of this kind was shown to the reader."""
        return Nothing(f"No token is to be drawn now; put the {kind} one back.")

    def undo(self) -> bool:
        """Take back the last thing taken in; whether there was any."""
        self._tens = 0
        had, self.offer = self.offer is not None, None
        return had

    def mended(self) -> None:
        """Figures were mended by light: all are where the scene has them again."""

    def speaker(self) -> str:
        """For whom the keypad speaks: the table, or the seat whose turn it is where each answers for itself."""
        return self.setting.waiting[0] if self.asked.who.mode == "each" and self.setting.waiting else ""

    def _take_offer(self) -> Outcome:
        assert self.offer is not None
        return Take(self.offer.id, self.offer.seat)

    def _offer_by_seat(self, own: list[Offer], button: SeatButton) -> Outcome:
        if not button.yes:
            self.passed.add(button.seat)
            if self.offer in own:
                self.offer = None
            return self.all_passed() or Changed(f"{button.seat} lets it go by.")
        self.passed.discard(button.seat)
        if len(own) == 1:
            return Take(own[0].id, button.seat)
        here = own.index(self.offer) if self.offer in own else -1
        self.offer = own[(here + 1) % len(own)]
        return Changed(f"{self.offer.label}: OK takes it, Yes shows the next.")

    def all_passed(self) -> Outcome | None:
        """What it means that a seat let its offers go by; None for nothing."""
        return None
