"""A game without rules of its own: each test brings the few procedures it needs.

The state is a board of named numbers, lists and piles. `trace` is what happened, in order; it belongs to the
state, so that what a replay does twice or not at all shows in the state's hash.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from emberboard.engine.dice import DiceWanted
from emberboard.engine.errors import Refused
from emberboard.engine.game import Game
from emberboard.engine.journal import Applied, MemoryJournal, meta_of
from emberboard.engine.piles import Pile
from emberboard.engine.question import (
    GO_ON,
    Choose,
    Confirm,
    Draw,
    Json,
    Mode,
    Number,
    Offer,
    Option,
    Question,
    Roll,
    Settled,
    Who,
    Window,
)
from emberboard.engine.scene import Scene
from emberboard.engine.session import Session
from emberboard.engine.state import Ledger, Step
from emberboard.engine.timing import Proc

SEATS = ("north", "east", "south")


class Board(msgspec.Struct):
    """The playground's whole state."""

    ledger: Ledger
    trace: list[str] = []
    numbers: dict[str, int] = {}
    piles: dict[str, Pile] = {}


class Playground(Game[Board]):
    """The kernel's game interface over a Board; subclasses made by `game_with` bring procedures."""

    name = "playground"
    rules_version = "1"
    state_type = Board
    procedures = {}
    rules_of_order = ("PG-ORDER-01",)

    @classmethod
    def open(cls, setup: Mapping[str, Json]) -> Playground:
        game = cls()
        agenda = [Step(name) for name in setup.get("agenda", ["main"])]
        game.state = Board(Ledger(agenda), numbers=dict(setup.get("numbers", {})))
        for name, cards in setup.get("piles", {}).items():
            game.state.piles[name] = Pile.of(name, cards)
        return game

    def seats(self) -> tuple[str, ...]:
        return SEATS

    def scene(self, question: Question | None) -> Scene:
        return Scene(1, 1)

    def summary(self) -> dict[str, Json]:
        return {"trace": list(self.state.trace)}

    def adjust(self, change: Mapping[str, Json]) -> str:
        if set(change) != {"number", "to"}:
            raise Refused("a number can be set, nothing else")
        self.state.numbers[change["number"]] = change["to"]
        return f"{change['number']} set to {change['to']} by agreement"


PlayProc = Callable[..., Proc[Any]]


def game_with(*, version: str = "1", offers: Any = None, **procedures: PlayProc) -> type[Playground]:
    """A game of these procedures; `offers(game, question)` gives its standing offers."""
    body: dict[str, Any] = {"procedures": procedures, "rules_version": version}
    if offers is not None:
        body["standing_offers"] = offers
    return type("Play", (Playground,), body)


def opened(*, seed: int = 1, setup: dict[str, Json] | None = None, offers: Any = None, **procs: PlayProc) -> Session:
    """A session of a new game of these procedures, beginning with `main`."""
    return Session.new(game_with(offers=offers, **procs), setup or {}, rng=random.Random(seed))


def did(game: Game[Any], what: str) -> None:
    """Write into the state's trace."""
    game.state.trace.append(what)


# -- builders ---------------------------------------------------------------------------------------------------


def who(seats: str = "group", mode: Mode = "one") -> Who:
    """`north` alone, or `north east` with a mode; `group` is everybody as one."""
    return Who("group", SEATS) if seats == "group" else Who(mode, tuple(seats.split()))


def pick(game: Playground, name: str, options: Sequence[str], seats: str = "group", mode: Mode = "one") -> Choose:
    """Choose one of `options`."""
    return Choose(
        name=name, prompt=f"{name}?", who=who(seats, mode), options=tuple(Option(one) for one in options)
    )


def top_pick(game: Playground, name: str, options: Sequence[str]) -> Choose:
    """Choose one of `options`, between actions."""
    question = pick(game, name, options)
    question.top = True
    return question


def confirm(game: Playground, name: str) -> Confirm:
    """Yes or no, for the group."""
    return Confirm(name=name, prompt=f"{name}?", who=who())


def number(game: Playground, name: str, high: int) -> Number:
    """A number from 0 to `high`."""
    return Number(name=name, prompt=f"{name}?", who=who(), low=0, high=high)


def dice(game: Playground, name: str, count: int, kind: str = "d6", seats: str = "north") -> Roll:
    """So many dice."""
    return Roll(name=name, prompt=f"{name}!", who=who(seats), dice=(DiceWanted("north", kind, count),))


def card(game: Playground, pile: str) -> Draw:
    """One card of the pile."""
    return game.state.piles[pile].question(who("north"), f"draw from {pile}")


def window(game: Playground, name: str, offers: Mapping[str, str]) -> Window:
    """A window with an offer to a seat for each procedure in `offers` whose number in the state is not used up."""
    open_to = tuple(
        Offer(procedure, seat, procedure, procedure)
        for procedure, seat in offers.items()
        if game.state.numbers.get(procedure, 1) > 0
    )
    return Window(name=name, prompt=name, who=Who("any", SEATS), offers=open_to)


def settled(game: Playground, value: Json) -> Settled:
    """Nothing to ask."""
    return Settled(value)


def used(game: Playground, procedure: str) -> None:
    """One use of an offer is gone."""
    game.state.numbers[procedure] = game.state.numbers.get(procedure, 1) - 1


# -- inputs -----------------------------------------------------------------------------------------------------


def asked(session: Session) -> str:
    """The pending question's name, or `nothing`."""
    return session.question.name if session.question is not None else "nothing"


def answer(session: Session, value: Json, seat: str = "") -> None:
    """Answer what is asked now; an entry that broke the rules fails the test."""
    assert session.question is not None, "nothing is asked"
    session.answer(session.question.id, value, seat=seat)
    assert session.trouble is None, session.trouble.report


def take(session: Session, offer: str, seat: str = "") -> None:
    """Take an offer of the pending question."""
    assert session.question is not None, "nothing is asked"
    session.take(session.question.id, offer, seat=seat)
    assert session.trouble is None, session.trouble.report


def pass_window(session: Session, seat: str = "") -> None:
    """Close the pending window."""
    answer(session, GO_ON, seat)


def offers_of(session: Session) -> list[str]:
    """The ids of the offers made now."""
    return [] if session.question is None else [offer.id for offer in session.question.offers]


def trace(session: Session) -> list[str]:
    """What happened so far, by the state's own word."""
    return list(session.game.state.trace)


def log(session: Session) -> list[str]:
    """The log's lines."""
    return [note.text for note in session.log]


def reloaded(session: Session, game: type[Playground] | None = None) -> Session:
    """The same table after a restart: a new session over a journal read back from its operations alone."""
    session.flush()
    return Session.load(game or type(session.game), copied(session), rng=random.Random(99))


def copied(session: Session) -> MemoryJournal:
    """The journal as it would be read from a disk: the same operations, snapshots and notes, nothing shared."""
    old = session.journal
    assert isinstance(old, MemoryJournal)
    fresh = MemoryJournal(meta_of(session.game, old.meta.setup))
    fresh.meta = old.meta
    for operation in old.operations():
        plain = msgspec.structs.replace(operation)
        if hasattr(plain, "failed"):
            plain.failed = ""
        fresh.append(plain)
    for entry in [0, *old.tree.entries]:
        notes, snapshot = old.notes(entry), old.snapshot_at([entry])
        if notes is not None:
            fresh.store(Applied(entry, notes, snapshot))
    return fresh
