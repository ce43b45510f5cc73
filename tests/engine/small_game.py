"""A small real game: two seats in a mine. Dice, a bag, choices, hidden votes, offers; a boundary between rounds.

Each round the group chooses how to dig, rolls for it, may draw a find from the bag, and votes whether to stay. The game
is over when the gold suffices, the lamp is out, or all want to leave. For the store's tests: everything that an entry
can hold comes up within a few dozen inputs.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from emberboard.engine.dice import DiceWanted
from emberboard.engine.errors import Refused
from emberboard.engine.game import Game
from emberboard.engine.journal import Entry, Move, Operation
from emberboard.engine.piles import Pile
from emberboard.engine.question import (
    GO_ON,
    Ask,
    Choose,
    Confirm,
    Draw,
    Json,
    Number,
    Offer,
    Option,
    Order,
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

SEATS = ("ann", "ben")
FINDS = ["gold"] * 4 + ["bats"] * 3 + ["gem"]
ENDLESS: dict[str, Json] = {"oil": 10_000, "wanted": 10_000, "bound": True}
"""A setup whose game is not over for hundreds of inputs."""


class Mine(msgspec.Struct):
    """The whole state. `oil` is what the lamp still burns for, in rounds; `past` what happened, round by round."""

    ledger: Ledger
    bag: Pile
    oil: int
    wanted: int
    gold: int = 0
    ropes: dict[str, int] = {}
    past: list[str] = []
    bound: bool = False
    left: bool = False


class Miners(Game[Mine]):
    """The rules. `setup`, all optional: `oil`, `wanted`, `bound` (nobody may leave), `scenario` for its name."""

    name = "miners"
    rules_version = "1"
    state_type = Mine
    ways: tuple[str, ...] = ("careful", "bold", "cracked")

    @classmethod
    def open(cls, setup: Mapping[str, Json]) -> Miners:
        game = cls()
        agenda = [Step("dig", {"number": 1})]
        bag = Pile.of("bag", FINDS)
        game.state = Mine(Ledger(agenda), bag, setup.get("oil", 12), setup.get("wanted", 9))
        game.state.ropes = dict.fromkeys(SEATS, 2)
        game.state.bound = setup.get("bound", False)
        return game

    def seats(self) -> tuple[str, ...]:
        return SEATS

    def scene(self, question: Question | None) -> Scene:
        return Scene(1, 1)

    def summary(self) -> dict[str, Json]:
        return {"gold": self.state.gold, "oil": self.state.oil}

    def over(self) -> bool:
        return self.state.left or self.state.oil <= 0 or self.state.gold >= self.state.wanted

    def adjust(self, change: Mapping[str, Json]) -> str:
        if set(change) != {"gold"} or not 0 <= change["gold"] <= 99:
            raise Refused("only the gold can be set, from 0 to 99")
        self.state.gold = change["gold"]
        return f"gold set to {change['gold']} by agreement"

    def standing_offers(self, question: Question) -> Sequence[Offer]:
        if isinstance(question, (Choose, Confirm)) and question.name in ("how", "deep"):
            return [
                Offer(f"rope-{seat}", seat, "Lower a rope: one more gold", "rope", {"seat": seat})
                for seat in SEATS
                if self.state.ropes[seat]
            ]
        return ()


def how(game: Miners) -> Choose:
    options = tuple(Option(way) for way in game.ways)
    return Choose(name="how", prompt="How do you dig?", who=game.group(), options=options, top=True)


def deep(game: Miners) -> Confirm:
    return Confirm(name="deep", prompt="Deeper?", who=Who("any", SEATS))


def swing(game: Miners, count: int) -> Roll:
    dice = (DiceWanted("ann", "d6", count), DiceWanted("ben", "d12", 1))
    return Roll(name="swing", prompt="Swing!", who=Who("group", SEATS), dice=dice)


def find(game: Miners) -> Draw:
    return game.state.bag.question(game.group(), "Reach into the bag")


def stay(game: Miners) -> Confirm:
    return Confirm(name="stay", prompt="Stay?", who=Who("each", SEATS))


def share(game: Miners, most: int) -> Number:
    return Number(name="share", prompt="How much do you carry?", who=Who("one", ("ben",)), low=0, high=most)


def pack(game: Miners, things: list[str]) -> Order:
    options = tuple(Option(thing) for thing in things)
    return Order(name="pack", prompt="In which order?", who=Who("one", ("ann",)), options=options)


def last_word(game: Miners) -> Question | Settled:
    offers = tuple(
        Offer(f"rope-{seat}", seat, "Lower a rope", "rope", {"seat": seat}) for seat in SEATS if game.state.ropes[seat]
    )
    return Window(name="bats", prompt="Bats!", who=Who("any", SEATS), offers=offers) if offers else Settled(GO_ON)


def dig(game: Miners, number: int) -> Proc[None]:
    state = game.state
    way = yield Ask(how)
    state.past.append(f"{number}: {way}")
    if way == "cracked":
        raise RuntimeError("the shaft was never drawn on the map")
    count = 1
    if way == "bold" and (yield Ask(deep)):
        count = 3
    faces = yield Ask(swing, count)
    hits = sum(face >= 4 for face in faces[0]) + (faces[1][0] >= 9)
    game.note(f"Round {number}: {way}, {hits} hit(s).", "MINE-01", detail=(str(faces),))
    if hits:
        state.gold += yield Ask(share, hits)
    if hits > 1 and state.bag.size:
        card = yield Ask(find)
        state.bag.take(card)
        game.note(f"Found {card}.", seat="ann")
        if card == "bats":
            yield Ask(last_word)
            state.oil -= 1
        else:
            order = yield Ask(pack, ["lamp", card])
            state.gold += 1 + (order[0] == "gem")
    state.oil -= 1
    if number % 3 == 0:
        votes = yield Ask(stay)
        state.left = not state.bound and not any(votes.values())
    game.later("dig", number=number + 1)


def rope(game: Miners, seat: str) -> Proc[None]:
    game.state.ropes[seat] -= 1
    game.state.gold += 1
    game.note(f"{seat} lowers a rope.")
    yield from ()


Miners.procedures = {"dig": dig, "rope": rope}


class OtherMiners(Miners):
    """The same game after its rules were changed: there is one more way to dig."""

    rules_version = "2"
    ways = (*Miners.ways, "sly")

    def migrate(self, version: str, state: Json) -> Json:
        return state


# -- playing ----------------------------------------------------------------------------------------------------


def opened(seed: int = 1, setup: dict[str, Json] | None = None, **how_made: Any) -> Session:
    """A new session of the game whose dice follow from `seed`."""
    return Session.new(Miners, setup or {}, rng=random.Random(seed), **how_made)


def play_one(session: Session, source: random.Random) -> None:
    """One legal input at random: mostly an answer, now and then an offer, an undo, a redo or an adjustment."""
    pending = session.question
    assert pending is not None
    walked = [entry for entry in session.journal.tree.path() if not entry.failed]
    odd = source.random()
    if odd < 0.06 and walked:
        session.undo(source.randint(1, min(len(walked), 5)))
    elif odd < 0.09 and session.head in session.journal.tree.forward:
        session.redo()
    elif odd < 0.12 and pending.top:
        session.adjust({"gold": session.game.state.gold})
    elif odd < 0.24 and pending.offers:
        session.take(pending.id, source.choice(pending.offers).id)
    else:
        answer_at_random(session, source)


def answer_at_random(session: Session, source: random.Random) -> None:
    """Answer the pending question legally at random, never with the broken way to dig."""
    pending = session.question
    seat = ""
    value: Json
    match pending:
        case Choose():
            value = source.choice([option.id for option in pending.options if option.id != "cracked"])
        case Order():
            value = [option.id for option in pending.options]
            source.shuffle(value)
        case Confirm():
            value = source.random() < 0.7
            if pending.who.mode == "each":
                seat = waiting(pending)[0]
        case Number():
            value = source.randint(pending.low, pending.high)
        case Window():
            value = GO_ON
        case Roll() | Draw():
            session.roll(pending.id)
            return
        case _:
            raise AssertionError(f"no answer to {pending}")
    session.answer(pending.id, value, seat=seat)


def waiting(pending: Question) -> list[str]:
    """The seats that have not answered an `each` question yet."""
    said = pending.note.removeprefix("still to answer: ")
    return [seat for seat in pending.who.seats if not pending.note or seat in said]


def play_out(session: Session, seed: int, most: int = 200) -> int:
    """Play until the game is over, at most `most` inputs; how many there were."""
    source = random.Random(seed)
    for count in range(most):
        if session.question is None:
            return count
        play_one(session, source)
    return most


def operations(session: Session) -> list[Operation]:
    """The session's operations as they were made: without the marks of failed entries, for comparing journals."""
    return [
        msgspec.structs.replace(one, failed="") if isinstance(one, Entry) else one
        for one in session.journal.operations()
    ]


def moves(session: Session) -> int:
    """How many undos and redos the journal holds."""
    return sum(isinstance(one, Move) for one in session.journal.operations())
