"""Runs procedures: keeps the stack of live generators, asks their questions, sends them the answers.

The stack holds the procedure of the outer queue and, above it, the interrupts taken from offers. When an interrupt
is finished the question below is built anew, because the interrupt may have changed what is legal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from emberboard.engine.errors import ProcedureError, Refused
from emberboard.engine.game import Game
from emberboard.engine.question import GO_ON, Ask, Json, Question, Settled, Window, accept
from emberboard.engine.timing import Ended, Flow, Proc


class Frame:
    """One live generator and the builder it waits on; `given` holds the hidden answers of an `each` question so far."""

    def __init__(self, procedure: Proc[Any]) -> None:
        self.procedure = procedure
        self.ask: Ask | None = None
        self.given: dict[str, Json] = {}


class Runner:
    """Drives one game from question to question.

    `at_boundary` is called whenever no procedure is alive and the outer queue is about to be taken up.
    """

    def __init__(self, game: Game[Any], at_boundary: Callable[[], None]) -> None:
        self.game = game
        self.at_boundary = at_boundary
        self.stack: list[Frame] = []
        self.question: Question | None = None

    def proceed(self) -> None:
        """From a boundary: take up the outer queue until a question is asked or the game is over."""
        while not self.stack:
            self.game.flow = Flow()
            self.at_boundary()
            if self.game.over() or not self.game.state.ledger.agenda:
                self.question = None
                return
            step = self.game.state.ledger.agenda.pop(0)
            self.stack.append(Frame(self.game.begin(step.procedure, step.args)))
            self._resume(None)

    def feed(self, value: Json, seat: str = "") -> None:
        """Send the accepted answer to the pending question and run on to the next one."""
        question = self._pending()
        frame = self.stack[-1]
        if question.who.mode == "each":
            frame.given[seat] = value
            self._rebuild()
        else:
            self._resume(value)
        self.proceed()

    def interrupt(self, procedure: str, args: Mapping[str, Json]) -> None:
        """Run a taken offer's procedure now, nested, then ask the pending question anew."""
        self._pending()
        self.stack.append(Frame(self.game.call(procedure, args)))
        self._resume(None)
        self.proceed()

    def refresh(self) -> None:
        """Build the pending question anew (the state was changed from outside: an adjustment, a seat's word)."""
        if self.stack:
            self._rebuild()
            self.proceed()

    def abandon(self) -> None:
        """Close every live procedure while the state it belongs to is still in place.

        Left to the garbage collector, a `finally` of theirs would run on the state that comes after.
        """
        left, self.stack, self.question = self.stack, [], None
        for frame in reversed(left):
            with suppress(Exception):  # whatever it says now concerns a state that is given up
                frame.procedure.close()

    def _pending(self) -> Question:
        if self.question is None:
            raise Refused("no question is pending")
        return self.question

    def _rebuild(self) -> None:
        settled = self._build()
        if settled is not None:
            self._resume(settled.value)

    def _build(self) -> Settled | None:
        frame = self.stack[-1]
        if frame.ask is None:
            raise ProcedureError("a procedure waits without having asked")
        built = frame.ask.build(self.game, *frame.ask.args)
        if isinstance(built, Settled):
            return built
        question = built
        question.name = question.name or frame.ask.build.__name__
        standing = self.game.standing_offers(question)
        if standing:
            known = {offer.id for offer in question.offers}
            question.offers = (*question.offers, *(offer for offer in standing if offer.id not in known))
        if isinstance(question, Window) and not self._wanted(question):
            return Settled(GO_ON)
        if question.who.mode == "each" and frame.given:
            frame.given = {seat: value for seat, value in frame.given.items() if _stands(question, seat, value)}
            waiting = [seat for seat in question.who.seats if seat not in frame.given]
            if not waiting:
                return Settled({seat: frame.given[seat] for seat in question.who.seats})
            question.note = f"still to answer: {', '.join(waiting)}"
        self.question = question
        return None

    def _wanted(self, window: Window) -> bool:
        ledger = self.game.state.ledger
        return any(offer.seat not in ledger.passed for offer in window.offers)

    def _resume(self, value: Json) -> None:
        """Send `value` to the top frame and go on until a question stands or the stack is empty."""
        self.question = None
        thrown: Ended | None = None
        while self.stack:
            frame = self.stack[-1]
            try:
                if thrown is not None:
                    ended, thrown = thrown, None
                    asked = frame.procedure.throw(ended)
                else:
                    asked = frame.procedure.send(value)
            except StopIteration:
                self.stack.pop()
                if not self.stack:
                    return
                settled = self._build()
                if settled is None:
                    return
                value = settled.value
                continue
            except Ended as ended:
                self.stack.pop()
                if not self.stack:
                    raise ProcedureError(f"nobody owns this end: {ended}") from ended
                thrown = ended
                continue
            if not isinstance(asked, Ask):
                raise ProcedureError(f"a procedure yielded {type(asked).__name__}; only Ask is answered")
            frame.ask, frame.given = asked, {}
            settled = self._build()
            if settled is None:
                return
            value = settled.value


def _stands(question: Question, seat: str, value: Json) -> bool:
    """Whether a hidden answer given before still counts, now that the question was built anew."""
    if seat not in question.who.seats:
        return False
    try:
        accept(question, value)
    except Refused:
        return False
    return True
