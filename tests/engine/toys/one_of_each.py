"""A game with a procedure for each kind of question, small enough to know every answer by heart."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from emberboard.engine.dice import DiceWanted
from emberboard.engine.errors import ContentError, Refused
from emberboard.engine.game import Game
from emberboard.engine.piles import Pile
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
    cell_key,
)
from emberboard.engine.scene import Scene
from emberboard.engine.state import Ledger, Step
from emberboard.engine.stats import Add, Contribution, Floor, Stat, Subtract
from emberboard.engine.timing import Proc

RULES = ("TO-ROLL-01", "TO-ARMOR-01", "TO-ARMOR-02")
DAMAGE = Stat("damage", (Add("base"), Subtract("armor"), Floor()))


class Hero(msgspec.Struct, omit_defaults=True):
    id: str
    hp: int = 5
    at: tuple[int, int] = (0, 0)
    tags: list[str] = []


class State(msgspec.Struct):
    ledger: Ledger
    heroes: list[Hero]
    bag: Pile
    lucky: bool = False
    round: int = 0
    rolled: list[list[int]] = []
    chosen: Json = None


def seat(name: str) -> Who:
    return Who("one", (name,))


def wanted_roll(game: Toy, hero: str, count: int) -> Question:
    offers = (Offer("lucky", hero, "Be lucky", "be_lucky", {"hero": hero}),) if not game.state.lucky else ()
    dice = (DiceWanted(hero, "d6", count), DiceWanted(hero, "d6", 1, "fate"), DiceWanted("foe", "d6", 1))
    return Roll(prompt="Roll!", who=seat(hero), dice=dice, about=(hero,), offers=offers)


def fight(game: Toy, hero: str, dice: int = 2) -> Proc[None]:
    rows = yield Ask(wanted_roll, hero, dice)
    game.state.rolled = rows
    number = DAMAGE.evaluate(
        [
            Contribution("base", "Foe", "TO-ROLL-01", rows[2][0]),
            Contribution("armor", "Shield", "TO-ARMOR-01", 2),
        ],
        subject=hero,
    )
    game.hero(hero).hp -= number.value
    game.note(f"{hero} loses {number.value} HP", "TO-ROLL-01", numbers=[number])


def be_lucky(game: Toy, hero: str) -> Proc[None]:
    game.state.lucky = True
    return
    yield


def which(game: Toy, most: int) -> Question:
    options = (Option("a", "Apple"), Option("b", "Bread", at=(2, 3)), Option("c", "Cake"), Option("c2", "Cake"))
    return Choose(name="food", prompt="Eat what?", who=game.group(), options=options, most=most, rules=("TO-ROLL-01",))


def eat(game: Toy, most: int = 1) -> Proc[None]:
    game.state.chosen = yield Ask(which, most)


def vote_of(game: Toy) -> Question:
    return Choose(prompt="Up?", who=Who("each", game.seats()), options=(Option("up"), Option("down")))


def vote(game: Toy) -> Proc[None]:
    game.state.chosen = yield Ask(vote_of)


def walk_of(game: Toy, hero: str) -> Question:
    start = game.hero(hero).at
    cells = [(1, 0), (2, 0)]
    steps = {cell_key(start): [cells[0]], cell_key(cells[0]): [cells[1]]}
    suggested = {cell_key(cells[1]): cells}
    return Path(
        prompt="Walk", who=seat(hero), figure=hero, start=start, steps=steps, stops=cells, limit=2, suggested=suggested
    )


def walk(game: Toy, hero: str) -> Proc[None]:
    cells = yield Ask(walk_of, hero)
    game.hero(hero).at = tuple(cells[-1])


def bag_of(game: Toy) -> Draw:
    return game.state.bag.question(game.group(), "Draw one")


def draw_two(game: Toy) -> Proc[None]:
    for _ in range(2):
        token = yield Ask(bag_of)
        game.state.bag.take(token)
        game.hero("ann").tags.append(token)


def sure(game: Toy) -> Question:
    return Confirm(prompt="Sure?", who=game.group(), default=True)


def window_of(game: Toy) -> Question:
    offers = () if game.state.lucky else (Offer("lucky", "bob", "Be lucky", "be_lucky", {"hero": "bob"}),)
    return Window(prompt="Anyone?", who=Who("any", game.seats()), offers=offers)


def rounds(game: Toy, default: bool = True) -> Proc[None]:
    for _ in range(4):
        yield Ask(sure)
        yield Ask(window_of)
        yield Ask(wanted_roll, "ann", 1)
        game.state.round += 1
    yield Ask(which, 1)


def pair(game: Toy) -> Proc[None]:
    order = yield Ask(order_of)
    where = yield Ask(where_of)
    many = yield Ask(many_of)
    game.state.chosen = [order, where, many]


def order_of(game: Toy) -> Question:
    return Order(prompt="Order", who=game.group(), options=(Option("x", "Ex"), Option("y", "Why")))


def where_of(game: Toy) -> Question:
    options = (Option("1,1", at=(1, 1)), Option("1,2", at=(1, 2)))
    return Place(prompt="Where", who=game.group(), options=options, top=True)


def many_of(game: Toy) -> Question:
    return Number(prompt="How many", who=game.group(), low=1, high=3)


def broken(game: Toy) -> Proc[None]:
    yield Ask(sure)
    raise KeyError("lost")


def not_now(game: Toy) -> Proc[None]:
    raise Refused("not while the moon is up")
    yield


class Toy(Game[State]):
    name = "toy"
    rules_version = "1"
    state_type = State
    procedures = {
        name.__name__: name for name in (fight, be_lucky, eat, vote, walk, draw_two, rounds, pair, broken, not_now)
    }

    @classmethod
    def open(cls, setup: Mapping[str, Json]) -> Toy:
        game = cls()
        heroes = setup.get("heroes") or {"ann": {}, "bob": {}}
        for hero, fields in heroes.items():
            for field in fields:
                if field not in ("hp", "tags", "at"):
                    raise ContentError(f"a hero has no {field}", field=f"heroes.{hero}.{field}")
        found = [msgspec.convert({"id": hero, **fields}, Hero) for hero, fields in heroes.items()]
        agenda = [Step(step["procedure"], step.get("args", {})) for step in setup.get("agenda", [])]
        game.state = State(Ledger(agenda), found, Pile.of("bag", ["black", "white", "white"]))
        game.state.lucky = bool((setup.get("flags") or {}).get("lucky"))
        return game

    def hero(self, name: str) -> Hero:
        return next(hero for hero in self.state.heroes if hero.id == name)

    def seats(self) -> tuple[str, ...]:
        return tuple(hero.id for hero in self.state.heroes)

    def scene(self, question: Question | None) -> Scene:
        return Scene(3, 4)

    def summary(self) -> dict[str, Json]:
        return {"round": self.state.round}

    def adjust(self, change: Mapping[str, Json]) -> str:
        if set(change) != {"round"}:
            raise Refused("only the round can be set")
        self.state.round = change["round"]
        return "round set"
