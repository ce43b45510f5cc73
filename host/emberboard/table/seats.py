"""The seats' Yes and No: confirmations, and windows that exist only for offers. DESIGN sections 2 and 3.

At a window Yes takes a seat's only offer, or shows its offers one after the other; No lets them go by. When every seat
that has an offer said No, the window closes; OK or No at the dice station closes it for all.
"""

from __future__ import annotations

from emberboard.engine.question import GO_ON, Confirm, Window
from emberboard.table.draft import Answer, Changed, Draft, Nothing, Outcome, Setting
from emberboard.table.hardware import SeatButton


class Confirming(Draft):
    """Confirm: Yes or No of a seat that is asked, OK or No at the keypad. Its offers are on the keypad."""

    def __init__(self, question: Confirm, setting: Setting) -> None:
        super().__init__(question, setting)
        self.question = question

    def ok(self) -> Outcome:
        return Answer(True, self.speaker())

    def no(self) -> Outcome:
        if self.undo():
            return Changed("Dropped.")
        return Answer(False, self.speaker())

    def seat(self, button: SeatButton) -> Outcome:
        if button.seat not in (self.setting.waiting or self.asked.who.seats):
            return super().seat(button)
        return Answer(button.yes, button.seat)


class Opening(Draft):
    """Window: offers are taken or let go by; one entry closes it."""

    def __init__(self, question: Window, setting: Setting) -> None:
        super().__init__(question, setting)
        self.question = question

    def ok(self) -> Outcome:
        return Answer(GO_ON)

    def no(self) -> Outcome:
        if self.undo():
            return Changed("Dropped.")
        return Answer(GO_ON)

    def seat(self, button: SeatButton) -> Outcome:
        if button.seat in self.setting.holding and not button.yes:
            return Answer(GO_ON, button.seat)
        if any(one.seat == button.seat for one in self.question.offers):
            return super().seat(button)
        return Nothing(f"{button.seat} has nothing to offer here.")

    def all_passed(self) -> Outcome | None:
        open_seats = {one.seat for one in self.question.offers} - self.passed
        return None if open_seats or self.setting.holding else Answer(GO_ON)
