"""Whole Evershade fights for hands to play: the session, the simple policy's decisions, tags for the bag."""

from __future__ import annotations

import random

from emberboard.engine.question import Json, Offer
from emberboard.engine.session import Session
from emberboard.games import registry
from emberboard.games.desk import desk_of
from emberboard.games.evershade import policy
from tests.table.world import World

SEATS: dict[str, list[str]] = {"Ada": ["malah"], "Ben": ["chiri"], "Cleo": ["oswin"]}
SCENARIO = "outlaws-of-bear-peak"
TAGS = {f"04{n:06X}": kind for n, kind in enumerate(["white"] * 8 + ["black"] * 8 + ["dual"] * 3)}


def fight(seed: int) -> Session:
    """A new fight in memory."""
    setup = desk_of("evershade").setup(SCENARIO, SEATS)
    return Session.new(registry.game_class("evershade"), setup, rng=random.Random(seed))


def decide(session: Session) -> tuple[Offer | None, Json]:
    """What the simple player policy wants."""
    question = session.question
    assert question is not None
    offer = policy.wanted_offer(session.game, question)
    return offer, None if offer is not None else policy.decide(session.game, question)


def world(seed: int) -> World:
    """A table at which this fight is set up."""
    made = World(fight(seed), TAGS)
    made.set_up()
    return made
