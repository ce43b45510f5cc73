"""The conformance suite on small games: it must hold here before it is asked of the real ones, and fail on bad ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import pytest

from emberboard.engine.game import Game
from emberboard.engine.journal import ROOT
from emberboard.engine.question import Ask, Json, Number, Question, Roll
from emberboard.engine.scene import Scene
from emberboard.engine.session import Session
from emberboard.engine.timing import Proc
from tests.engine.small_game import Miners
from tests.engine.toys.one_of_each import Toy
from tests.engine.toys.playground import Playground, card, confirm, dice, did, game_with, opened, pick, top_pick
from tests.games import conformance
from tests.games.conformance import Conformance, Contender


class SoundMiners(Miners):
    """Without the way to dig that breaks on purpose."""

    ways = ("careful", "bold")


def more_gold(game: Game[Any], rng: random.Random) -> dict[str, Json]:
    """An adjustment that the game allows."""
    return {"gold": min(99, game.state.gold + rng.randint(0, 1))}


class TestMiners(Conformance):
    contender: ClassVar[Contender] = Contender(
        SoundMiners, ({}, {"oil": 30, "wanted": 40}), scopes=("round",), adjust=more_gold, bound=800
    )
    contender_path: ClassVar[str] = "tests.games.test_small_games:TestMiners"


def all_of(*procedures: str) -> dict[str, Json]:
    """A setup that runs these procedures one after the other, for one hero."""
    takes_hero = ("fight", "walk")
    return {"agenda": [{"procedure": p, "args": {"hero": "ann"} if p in takes_hero else {}} for p in procedures]}


class TestOneOfEach(Conformance):
    contender: ClassVar[Contender] = Contender(
        Toy,
        (
            all_of("fight", "eat", "vote", "walk", "draw_two", "rounds", "pair"),
            all_of("pair", "rounds", "vote", "walk"),
        ),
        scopes=("fight",),
        bound=200,
    )
    contender_path: ClassVar[str] = "tests.games.test_small_games:TestOneOfEach"


# -- games that must not pass -----------------------------------------------------------------------------------


def unsteady(game: Playground) -> Proc[None]:
    names = {f"name {number}" for number in range(12)}
    yield Ask(pick, "which", list(names))


class TestUnsteady:
    """Not a Conformance: its game differs from hash seed to hash seed."""

    contender = Contender(game_with(main=unsteady), ({},))

    def test_an_order_that_depends_on_the_hash_seed_is_found(self) -> None:
        path = "tests.games.test_small_games:TestUnsteady"
        assert conformance.replayed(path, "0:3", "1") == conformance.replayed(path, "0:3", "1")
        assert conformance.replayed(path, "0:3", "1") != conformance.replayed(path, "0:3", "2")


def test_a_game_without_end_is_found() -> None:
    def main(game: Playground) -> Proc[None]:
        while True:
            yield Ask(confirm, "again")

    with pytest.raises(AssertionError, match="not over after 30 inputs; asked is 'again"):
        list(Contender(game_with(main=main), ({},), bound=30).play(1))


def test_rules_that_break_are_found_with_their_report() -> None:
    def main(game: Playground) -> Proc[None]:
        yield Ask(confirm, "sure")
        raise KeyError("lost")

    with pytest.raises(AssertionError, match=r"sure: (True|False)\nTraceback(?s:.*)KeyError: 'lost'"):
        list(Contender(game_with(main=main), ({},)).play(1))


@pytest.mark.parametrize(
    "words", ["Which of None?", "Move <Hero object at 0x1f>", "Traceback (most recent call last)", " "]
)
def test_words_that_are_none_are_found(words: str) -> None:
    def odd(game: Playground) -> Question:
        return Number(prompt=words, who=game.group(), low=0, high=1)

    def main(game: Playground) -> Proc[None]:
        yield Ask(odd)

    with pytest.raises(AssertionError, match=r"shown to players|a question without words"):
        conformance.can_be_shown(opened(main=main))


def test_a_log_line_that_leaks_is_found() -> None:
    def main(game: Playground) -> Proc[None]:
        game.note(f"{None} was hit")
        yield Ask(confirm, "sure")

    with pytest.raises(AssertionError, match="None was hit"):
        conformance.can_be_shown(opened(main=main))


def test_a_space_off_the_table_is_found() -> None:
    class Cramped(Toy):
        def scene(self, question: Question | None) -> Scene:
            return Scene(2, 3)

    session = Session.new(Cramped, all_of("eat"))
    with pytest.raises(AssertionError, match="off the table"):
        conformance.can_be_shown(session)


class Forgetful(Playground):
    """Keeps something that counts outside of its state."""

    name = "forgetful"
    asked: ClassVar[list[int]] = []

    def adjust(self, change: Mapping[str, Json]) -> str:
        return "anything goes"


def forgetful(game: Playground) -> Proc[None]:
    Forgetful.asked.append(1)
    did(game, f"time {len(Forgetful.asked)}")
    yield Ask(top_pick, "a", ["x", "y"])
    yield Ask(dice, "b", 2)
    yield Ask(card, "deck")


Forgetful.procedures = {"main": forgetful}


@pytest.fixture
def played() -> Session:
    """A session of the forgetful game with two answers given."""
    session = Session.new(Forgetful, {"piles": {"deck": ["a", "b"]}}, rng=random.Random(1))
    assert session.question is not None
    session.answer(session.question.id, "x")
    session.roll(session.question.id)
    return session


@pytest.mark.parametrize(
    "look",
    [
        lambda session: conformance.undo_and_redo_is_the_identity(session, 2),
        lambda session: conformance.save_and_load_is_the_identity(session, derived=False),
    ],
)
def test_what_is_kept_outside_of_the_state_is_found(played: Session, look: Callable[[Session], object]) -> None:
    with pytest.raises(AssertionError, match="the state differs"):
        look(played)


def test_an_illegal_input_that_is_accepted_is_found(played: Session) -> None:
    played.undo(2)
    assert played.head == ROOT
    with pytest.raises(pytest.fail.Exception, match="an adjustment that is none was accepted"):
        conformance.refuses_what_is_illegal(played)


def test_the_illegal_answers_are_many_for_every_kind() -> None:
    session, kinds = (
        Session.new(Toy, all_of("fight", "eat", "vote", "walk", "draw_two", "pair"), rng=random.Random(3)),
        {},
    )
    rng = random.Random(4)
    while session.question is not None:
        kinds[type(session.question).__name__] = len(conformance.illegal_answers(session.question))
        conformance.refuses_what_is_illegal(session)
        Contender(Toy, ({},)).step(session, rng)
    assert set(kinds) == {"Roll", "Choose", "Path", "Draw", "Order", "Place", "Number"}
    assert min(kinds.values()) >= 4
    roll = Roll(prompt="?", who=session.game.group(), dice=())
    assert conformance.illegal_answers(roll)
