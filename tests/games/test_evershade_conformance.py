"""The conformance suite on Lands of Evershade: the shipped fight with two to five Characters, seats with several."""

from __future__ import annotations

import random
from typing import Any, ClassVar

from emberboard.engine.game import Game
from emberboard.engine.players import random_input
from emberboard.engine.question import Json
from emberboard.engine.session import Session
from emberboard.games.evershade import policy
from emberboard.games.evershade.game import Evershade
from tests.games.conformance import Conformance, Contender


def fight(**seats: list[str]) -> dict[str, Json]:
    """The shipped scenario with these Characters at these seats."""
    return {"scenario": "outlaws-of-bear-peak", "seats": seats}


SCOPES = ("round", "activation")


def anything(session: Session, rng: random.Random) -> str:
    """Whatever is legal."""
    return random_input(session, rng, scopes=SCOPES)


def mostly_sensible(session: Session, rng: random.Random) -> str:
    """The simple player policy, so that fights last and are won too, and every fifth input whatever is legal."""
    pending = session.question
    if pending is None or rng.random() < 0.2 or session.holding() or pending.who.mode == "each":
        return anything(session, rng)
    policy.answer(session)
    return f"the policy answers {pending.name}"


def hp_agreed(game: Game[Any], rng: random.Random) -> dict[str, Json] | None:
    """The HP of one Character who stands, set by agreement."""
    standing = [(name, member) for name, member in game.state.members.items() if member.hp > 0]
    if not standing:
        return None
    name, member = rng.choice(standing)
    return {"who": name, "hp": rng.randint(1, member.hp_max)}


class TestEvershade(Conformance):
    contender: ClassVar[Contender] = Contender(
        Evershade,
        (
            fight(east=["malah"], south=["chiri"], west=["doran"]),
            fight(east=["malah", "isme"]),
            fight(east=["oswin"], west=["isme", "malah", "doran"]),
            fight(north=["malah"], east=["chiri"], south=["doran"], west=["isme"], door=["oswin"]),
        ),
        policies=(anything, mostly_sensible),
        adjust=hp_agreed,
        bound=4000,
    )
    contender_path: ClassVar[str] = "tests.games.test_evershade_conformance:TestEvershade"
