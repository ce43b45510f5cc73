"""A game that asks just the questions that a test hands it, with figures on a grid that paths and places move."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import msgspec

from emberboard.engine.game import Game
from emberboard.engine.question import AnyQuestion, Ask, Json, Path, Place, Question, Settled, Who, as_cell
from emberboard.engine.scene import Figure, RowEntry, Scene
from emberboard.engine.session import Session
from emberboard.engine.state import Ledger, Step
from emberboard.engine.timing import Proc
from tests.table.world import World

SEATS = ("Ada", "Ben")
GROUP = Who("group", SEATS)
ADA = Who("one", ("Ada",))


class State(msgspec.Struct):
    ledger: Ledger
    figures: list[Figure]
    questions: list[Json]
    trigger: tuple[int, int] | None = None
    answers: list[Json] = []
    taken: list[str] = []


def build(game: Asked, number: int) -> Question | Settled:
    question: Question = msgspec.convert(game.state.questions[number], AnyQuestion)
    question.offers = tuple(offer for offer in question.offers if offer.id not in game.state.taken)
    return question


def put(game: Asked, who: str, at: tuple[int, int]) -> None:
    figures = game.state.figures
    for n, one in enumerate(figures):
        if one.id == who:
            figures[n] = msgspec.structs.replace(one, at=at)


def ask(game: Asked, number: int) -> Proc[None]:
    answer = yield Ask(build, number)
    game.state.answers.append(answer)
    question = msgspec.convert(game.state.questions[number], AnyQuestion)
    if isinstance(question, Place) and question.figure:
        put(game, question.figure, as_cell(answer))
    if isinstance(question, Path):
        for step in answer:
            put(game, question.figure, as_cell(step))
            if as_cell(step) == game.state.trigger:
                break


def offered(game: Asked, name: str) -> Proc[None]:
    game.state.taken.append(name)
    return
    yield


class Asked(Game[State]):
    name = "asked"
    rules_version = "1"
    state_type = State
    procedures = {"ask": ask, "offered": offered}

    @classmethod
    def open(cls, setup: Mapping[str, Json]) -> Asked:
        game = cls()
        figures = msgspec.convert(setup["figures"], list[Figure])
        agenda = [Step("ask", {"number": n}) for n in range(len(setup["questions"]))]
        trigger = setup.get("trigger")
        game.state = State(Ledger(agenda), figures, setup["questions"], as_cell(trigger) if trigger else None)
        return game

    def seats(self) -> tuple[str, ...]:
        return SEATS

    def scene(self, question: Question | None) -> Scene:
        roles: dict[str, Any] = {}
        if isinstance(question, Path):
            roles["reachable"] = tuple((x, y) for x, y in question.stops)
        row = tuple(RowEntry(one.id, one.name, one.side, active=n == 0) for n, one in enumerate(self.state.figures))
        terrain = {"dangerous": ((0, 9),), "fog": ((1, 9),)}
        return Scene(12, 10, terrain=terrain, roles=roles, figures=tuple(self.state.figures), row=row)

    def summary(self) -> dict[str, Json]:
        return {}


def figure(who: str, at: tuple[int, int], size: int = 1) -> Figure:
    return Figure(who, who.title(), at, "party", size)


def table_that_asks(
    *questions: Question, figures: tuple[Figure, ...] = (), tags: Mapping[str, str] | None = None, **more: Json
) -> World:
    """A table at which these questions are asked one after the other, figures set up."""
    plain = {
        "questions": [msgspec.to_builtins(one) for one in questions],
        "figures": [msgspec.to_builtins(one) for one in figures],
        **more,
    }
    world = World(Session.new(Asked, msgspec.to_builtins(plain), rng=random.Random(1)), tags)
    world.set_up()
    world.wait(50)
    return world


def answers(world: World) -> list[Json]:
    """What the game was answered so far."""
    given: list[Json] = msgspec.json.decode(msgspec.json.encode(world.session.game.state.answers))
    return given
