"""Random players: every kind of question, only legal answers, and every legal one within reach."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from emberboard.engine.dice import DiceWanted
from emberboard.engine.errors import ProcedureError
from emberboard.engine.players import random_answer, random_input
from emberboard.engine.question import (
    Ask,
    Choose,
    Confirm,
    Draw,
    Json,
    Number,
    Offer,
    Option,
    Order,
    Path,
    Place,
    Question,
    Roll,
    Who,
    Window,
    accept,
)
from emberboard.engine.timing import Proc, come_due
from tests.engine.toys.playground import Playground, answer, asked, did, opened

WHO = Who("group", ("north", "east"))
ABC = tuple(Option(name) for name in "abc")
WALK = Path(
    prompt="?",
    who=WHO,
    figure="f",
    start=(0, 0),
    steps={"0,0": [(1, 0), (0, 1)], "1,0": [(2, 0), (0, 0)], "0,1": [(0, 0)], "2,0": [(1, 0)]},
    stops=[(2, 0)],
    limit=3,
)


@pytest.mark.parametrize(
    ("question", "every"),
    [
        (Choose(prompt="?", who=WHO, options=ABC), {"a", "b", "c"}),
        (Choose(prompt="?", who=WHO, options=ABC, least=0, most=1), {(), ("a",), ("b",), ("c",)}),
        (
            Choose(prompt="?", who=WHO, options=ABC, least=2, most=9),
            {("a", "b"), ("a", "c"), ("b", "c"), ("a", "b", "c")},
        ),
        (Order(prompt="?", who=WHO, options=ABC[:2]), {("a", "b"), ("b", "a")}),
        (Place(prompt="?", who=WHO, options=ABC[:2]), {"a", "b"}),
        (WALK, {((1, 0), (2, 0))}),
        (Number(prompt="?", who=WHO, low=2, high=4), {2, 3, 4}),
        (Confirm(prompt="?", who=WHO), {True, False}),
        (Window(prompt="?", who=WHO), {"go on"}),
        (Draw(prompt="?", who=WHO, pile="p", contents={"x": 1, "y": 2, "z": 0}), {"x", "y"}),
        (
            Roll(prompt="?", who=WHO, dice=(DiceWanted("n", "d2", 1), DiceWanted("n", "d2", 1, faces=("hit",)))),
            {((1,), ("hit",)), ((2,), ("hit",))},
        ),
    ],
)
def test_every_answer_is_legal_and_every_legal_answer_comes(question: Question, every: set[Json]) -> None:
    rng = random.Random(3)
    assert {frozen(accept(question, random_answer(question, rng))) for _ in range(300)} == every


def frozen(value: Json) -> Json:
    return tuple(map(frozen, value)) if isinstance(value, (list, tuple)) else value


def test_walks_vary_and_may_take_the_suggestion() -> None:
    grid = {f"{x},{y}": [(x + 1, y), (x, y + 1)] for x in range(4) for y in range(4)}
    stops = [(x, y) for x in range(4) for y in range(4) if x + y <= 3]
    walk = Path(
        prompt="?",
        who=WHO,
        figure="f",
        start=(0, 0),
        steps=grid,
        stops=stops,
        limit=3,
        suggested={"1,1": [(1, 0), (1, 1)]},
    )
    rng = random.Random(5)
    walks = {frozen(accept(walk, random_answer(walk, rng))) for _ in range(400)}
    assert len(walks) >= 12
    assert ((1, 0), (1, 1)) in walks


@pytest.mark.parametrize(
    "question",
    [
        Choose(prompt="?", who=WHO, options=()),
        Choose(prompt="?", who=WHO, options=ABC, least=4, most=5),
        Place(prompt="?", who=WHO, options=()),
        Path(prompt="?", who=WHO, figure="f", start=(0, 0), steps={}, stops=[(5, 5)], limit=3),
    ],
)
def test_a_question_without_a_legal_answer_is_a_fault_of_the_rules(question: Question) -> None:
    with pytest.raises(ProcedureError, match=r"'\?'"):
        random_answer(question, random.Random(1))


def watch(seats: tuple[str, ...]) -> Callable[[Playground], Question]:
    def watching(game: Playground) -> Question:
        return Window(prompt="w", who=Who("any", seats), offers=(Offer("o", seats[0], "o", "noted"),))

    return watching


def noted(game: Playground) -> Proc[None]:
    did(game, "noted")
    yield from ()


def test_inputs_take_offers_pass_hold_and_go_on() -> None:
    def main(game: Playground) -> Proc[None]:
        for number in range(200):
            yield Ask(watch(("north", "east")))
            did(game, str(number))
            yield from come_due(game, "round")

    session, rng = opened(main=main, noted=noted), random.Random(2)
    said = []
    while session.question is not None:
        said.append(random_input(session, rng, scopes=("round",)))
        assert session.trouble is None
    kinds = {entry.kind for entry in session.journal.tree.entries.values()}
    assert kinds == {"answer", "take", "pass", "hold"}
    assert any("takes o" in line for line in said)
    with pytest.raises(ProcedureError, match="the game is over"):
        random_input(session, rng)


def test_a_seat_that_holds_does_not_keep_windows_of_others_open() -> None:
    def main(game: Playground) -> Proc[None]:
        yield Ask(watch(("east",)))
        did(game, "first")
        yield Ask(watch(("north", "east")))
        did(game, "second")

    session = opened(main=main, noted=noted)
    session.hold("north")
    assert session.holding() == ()
    answer(session, "go on")
    assert session.game.state.trace == ["first"]
    assert session.holding() == ("north",)
    answer(session, "go on", "north")
    assert session.game.state.trace == ["first", "second"]
    assert asked(session) == "nothing"


def test_who_is_waited_for() -> None:
    def vote(game: Playground) -> Question:
        return Confirm(prompt="?", who=Who("each", ("north", "east")))

    def main(game: Playground) -> Proc[None]:
        yield Ask(vote)

    session = opened(main=main)
    assert session.waiting() == ("north", "east")
    answer(session, True, "north")
    assert session.waiting() == ("east",)
    random_input(session, random.Random(1))
    assert session.waiting() == ()
