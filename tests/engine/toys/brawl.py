"""A brawl: a few rounds that use everything the kernel has, for tests that play at random.

Each round is a step of the outer queue: draw who is next, choose a target, a window for two reactions, dice, a
secret vote of the seats, what was triggered, and what comes due at the end of the round.
"""

from __future__ import annotations

import random
from typing import Any

from emberboard.engine.errors import Refused
from emberboard.engine.piles import Pile
from emberboard.engine.question import (
    GO_ON,
    Ask,
    Choose,
    Confirm,
    Draw,
    Json,
    Number,
    Order,
    Question,
    Roll,
    Window,
)
from emberboard.engine.session import Session
from emberboard.engine.timing import Proc, caused, come_due, due, end, scope, trigger
from tests.engine.toys.playground import (
    Playground,
    card,
    confirm,
    dice,
    did,
    game_with,
    number,
    pick,
    top_pick,
    used,
    window,
)

ROUNDS = 3
REACTIONS = {"duck": "east", "shove": "south"}


def main(game: Playground) -> Proc[None]:
    game.state.piles["bag"] = Pile.of("bag", ["ash", "birch", "wolf", "wolf"])
    game.state.numbers |= {"duck": 2, "shove": 1}
    for n in range(ROUNDS):
        game.later("brawl_round", n=n)
    game.note("the brawl begins")
    yield from ()


def brawl_round(game: Playground, n: int) -> Proc[None]:
    game.note(f"round {n} begins")
    outcome = yield from scope(game, "round", "", fights(game), lambda: come_due(game, "round"))
    did(game, f"round {n}: {outcome.reason if outcome else 'played out'}")
    game.note(f"round {n} ends")


def fights(game: Playground) -> Proc[None]:
    drawn = yield Ask(card, "bag")
    game.state.piles["bag"].take(drawn)
    did(game, f"{drawn} is drawn")
    if (yield Ask(top_pick, "deed", ["hit", "rest", "leave"])) == "leave":
        end(game, "round", reason="left")
    yield from caused(game, hits(game, drawn))
    votes = yield Ask(pick, "vote", ["again", "stop"], "north east south", "each")
    did(game, " ".join(votes.values()))
    if game.state.piles["bag"].size < 2:
        game.state.piles["bag"].shuffle_in(["wolf", "ash"])


def hits(game: Playground, drawn: str) -> Proc[None]:
    yield Ask(window, "before the blow", REACTIONS)
    faces = yield Ask(dice, f"{drawn} hits", 2)
    did(game, f"{drawn} rolls {faces}")
    game.note(f"{drawn} rolls {sum(faces[0])}")
    if faces[0][0] == 6:
        trigger(game, "echo", source="ring", batch="six", label="ring", by="ring")
        trigger(game, "echo", source="cap", batch="six", label="cap", by="cap")
    if faces[0][1] == 1:
        due(game, "round", "", "bleed", drawn=drawn)


def echo(game: Playground, by: str) -> Proc[None]:
    strength = yield Ask(number, f"how strong is the {by}", 3)
    did(game, f"{by} {strength}")
    if strength == 3:
        trigger(game, "echo", source="ring", by="ring")


def bleed(game: Playground, drawn: str) -> Proc[None]:
    faces = yield Ask(dice, "bleeding", 1, "d8")
    did(game, f"{drawn} bleeds {faces[0][0]}")


def duck(game: Playground) -> Proc[None]:
    used(game, "duck")
    faces = yield Ask(dice, "ducks", 1)
    did(game, f"ducks {faces[0][0]}")


def shove(game: Playground) -> Proc[None]:
    used(game, "shove")
    if (yield Ask(confirm, "out of the door")):
        did(game, "shoved out")
        end(game, "round", reason="shoved")


BRAWL = game_with(
    main=main, brawl_round=brawl_round, echo=echo, bleed=bleed, duck=duck, shove=shove
)


def new_brawl(seed: int = 1) -> Session:
    """A brawl at its first question."""
    return Session.new(BRAWL, {}, rng=random.Random(seed))


def legal_answer(question: Question, rng: random.Random) -> Json:
    """Some legal decision."""
    match question:
        case Choose() | Order():
            ids = [option.id for option in question.options]
            if isinstance(question, Order):
                return rng.sample(ids, len(ids))
            return rng.choice(ids) if question.single else rng.sample(ids, question.most)
        case Number():
            return rng.randint(question.low, question.high)
        case Confirm():
            return rng.choice([True, False])
        case Window():
            return GO_ON
    raise AssertionError(f"no answer to {question}")


def play_one(session: Session, rng: random.Random) -> bool:
    """Make some legal input, of any kind; whether one was made."""
    question: Any = session.question
    if question is None:
        return False
    roll = rng.random()
    if question.offers and roll < 0.4:
        session.take(question.id, rng.choice(question.offers).id)
    elif roll < 0.05:
        session.pass_ahead(rng.choice(session.game.seats()), rng.choice(["round", ""]))
    elif question.top and roll < 0.15:
        session.adjust({"number": "coins", "to": rng.randint(0, 9)})
    elif isinstance(question, Roll | Draw):
        session.roll(question.id)
    elif question.who.mode == "each":
        given = session._runner.stack[-1].given
        seat = rng.choice([seat for seat in question.who.seats if seat not in given])
        session.answer(question.id, legal_answer(question, rng), seat=seat)
    else:
        session.answer(question.id, legal_answer(question, rng))
    assert session.trouble is None, session.trouble.report
    return True


def play_some(session: Session, rng: random.Random, count: int) -> int:
    """Up to `count` legal inputs; how many there were."""
    return sum(play_one(session, rng) for _ in range(count))


def picture(session: Session) -> tuple[Any, ...]:
    """All that the players can tell one position from another by: state, question, log."""
    return session.state_hash(), session.question, session.head


def try_move(session: Session, rng: random.Random) -> None:
    """Undo some, redo one, or play one."""
    kind = rng.randrange(4)
    try:
        if kind == 0:
            session.undo(rng.randint(1, 6))
        elif kind == 1:
            session.redo()
        elif not play_one(session, rng):
            session.undo(3)
    except Refused:
        play_one(session, rng)
