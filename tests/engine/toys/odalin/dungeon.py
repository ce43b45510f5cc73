"""The state of the toy, the cards, and the words of its rules: squares, distance, who is where."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

import msgspec

from emberboard.engine.game import Game
from emberboard.engine.piles import Pile
from emberboard.engine.question import Cell, Json, Option, Question, Who, cell_key
from emberboard.engine.scene import Scene
from emberboard.engine.state import Ledger, Step
from emberboard.engine.timing import Proc


class VillainCard(msgspec.Struct, frozen=True):
    """OD-VILLAIN-17: favourite target (and the tie-breaker in parentheses), movement, range, damage, Corruption."""

    favourite: str
    move: int
    range: int
    damage: int
    ties: str = ""
    corruption: int = 0


VILLAIN_CARDS = {
    "Lunge": VillainCard("closest", 3, 1, 6),
    "Grasp": VillainCard("most corruption", 3, 1, 2, corruption=2),
    "Hex": VillainCard("closest", 0, 3, 1, ties="more corruption", corruption=1),
    "Rampage": VillainCard("closest", 4, 1, 5),
}


class HeroCard(msgspec.Struct, frozen=True):
    """The bottom half of an action card: when it may be used as an Instant, and whether it is an Ability as well."""

    window: str
    ability: bool = False


HERO_CARDS = {
    "Sidestep": HeroCard("start of turn"),
    "Brace": HeroCard("before roll"),
    "Second Look": HeroCard("after roll"),
    "Mend": HeroCard("", ability=True),
    "Spark": HeroCard("", ability=True),
}
"""OD-INSTANT-04..06, -08: a Start of turn, a Before Roll, an After Roll, and two without a printed window."""

WINDOWS = {
    "start of turn": ("start of turn", "before roll", ""),
    "before roll": ("before roll", ""),
    "after roll": ("after roll", ""),
    "after the attack": ("",),
    "end of turn": ("",),
}
"""Which printed windows are open at each moment: a Before Roll Instant is legal from the start of the turn on."""


class Hero(msgspec.Struct):
    """A hero of a seat. `tainted` of its three Action Point tokens are turned (OD-TAINT)."""

    id: str
    seat: str
    at: Cell | None
    hp: int = 20
    max_hp: int = 20
    ap: int = 3
    tainted: int = 0
    corruption: int = 0
    soul: int = 0
    guard: int = 0
    green: int = 2
    pool: int = 4
    damage: int = 4
    order: int = 1
    hand: list[str] = []
    items: list[str] = []
    state: str = "in play"


class Villain(msgspec.Struct):
    """A villain, or a Demon Lord out of control, whose figure covers 2 x 2 squares."""

    id: str
    at: Cell
    hp: int = 20
    defence: int = 2
    chaos: int = 0
    order: int = 0
    size: int = 1
    deck: Pile = msgspec.field(default_factory=lambda: Pile("deck"))
    demon_of: str = ""


class Turn(msgspec.Struct):
    """The turn being played. It lives in the state, because Instants and redirections change it."""

    owner: str
    acting: bool = False
    attacked: bool = False
    card: str = ""
    target: str = ""
    hits: int = 0
    extra_green: int = 0


class Dungeon(msgspec.Struct):
    """The whole state."""

    ledger: Ledger
    heroes: dict[str, Hero]
    villains: dict[str, Villain]
    track: list[str]
    width: int = 8
    height: int = 8
    round: int = 1
    power: int = 0
    acted: list[str] = []
    turn: Turn | None = None


class Odalin(Game[Dungeon]):
    """The toy game."""

    name = "odalin in miniature"
    rules_version = "1"
    state_type = Dungeon
    procedures: ClassVar[Mapping[str, Callable[..., Proc[Any]]]] = {}
    rules_of_order = ("OD-TRIG-03", "OD-BLAST-07")

    @classmethod
    def open(cls, setup: Mapping[str, Json]) -> Odalin:
        game = cls()
        villains = {}
        for plain in setup["villains"]:
            cards = plain.get("cards", ["Lunge"])
            villain = msgspec.convert({key: value for key, value in plain.items() if key != "cards"}, Villain)
            villain.deck = Pile.of(f"{villain.id}'s deck", cards)
            villains[villain.id] = villain
        heroes = {str(plain["id"]): msgspec.convert(plain, Hero) for plain in setup["heroes"]}
        agenda = [Step("next_turn")] if setup.get("begin", True) else []
        game.state = Dungeon(Ledger(agenda), heroes, villains, list(setup["track"]))
        return game

    def seats(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(hero.seat for hero in self.state.heroes.values()))

    def scene(self, question: Question | None) -> Scene:
        return Scene(self.state.width, self.state.height, round=self.state.round)

    def summary(self) -> dict[str, Json]:
        return {"round": self.state.round, "track": list(self.state.track), "power": self.state.power}

    # -- words of the rules ---------------------------------------------------------------------------------

    @property
    def turn(self) -> Turn:
        assert self.state.turn is not None, "no turn is being played"
        return self.state.turn

    def hero(self, id: str) -> Hero:
        return self.state.heroes[id]

    def villain(self, id: str) -> Villain:
        return self.state.villains[id]

    def in_play(self) -> list[Hero]:
        """The heroes on the board: neither defeated nor lost (OD-FAV-12, OD-INSTANT-16)."""
        return [hero for hero in self.state.heroes.values() if hero.state == "in play"]

    def player(self, hero: str) -> Who:
        return Who("one", (self.hero(hero).seat,))

    def squares(self, id: str) -> list[Cell]:
        """The squares that a combatant covers."""
        if id in self.state.heroes:
            at = self.hero(id).at
            return [] if at is None else [at]
        return list(covered(self.villain(id).at, self.villain(id).size))

    def distance(self, a: list[Cell], b: list[Cell]) -> int:
        """OD-RANGE-02: diagonals count 1, smallest value over the squares of both."""
        return min(max(abs(ax - bx), abs(ay - by)) for ax, ay in a for bx, by in b)

    def occupied(self, *but: str) -> list[Cell]:
        """The squares under figures other than those named."""
        figures = [hero.id for hero in self.in_play()] + list(self.state.villains)
        return [cell for figure in figures if figure not in but for cell in self.squares(figure)]

    def floor(self) -> list[Cell]:
        return [(x, y) for y in range(self.state.height) for x in range(self.state.width)]

    def fits(self, at: Cell, size: int, blocked: list[Cell]) -> bool:
        """Whether a figure may stand with its top-left square here."""
        floor = self.floor()
        return all(cell in floor and cell not in blocked for cell in covered(at, size))

    def steps_from(self, at: Cell, size: int, blocked: list[Cell], limit: int) -> dict[Cell, int]:
        """Every square that can be stood on within `limit` steps, with the fewest steps to it."""
        found = {at: 0}
        frontier = [at]
        for steps in range(1, limit + 1):
            frontier = [
                (x + dx, y + dy)
                for x, y in frontier
                for dy in (-1, 0, 1)
                for dx in (-1, 0, 1)
                if (x + dx, y + dy) not in found and self.fits((x + dx, y + dy), size, blocked)
            ]
            frontier = list(dict.fromkeys(frontier))
            found |= dict.fromkeys(frontier, steps)
        return found


def covered(at: Cell, size: int) -> Iterator[Cell]:
    """The squares under a figure of `size` x `size` whose top-left square is `at`."""
    for dy in range(size):
        for dx in range(size):
            yield (at[0] + dx, at[1] + dy)


def cells(options: list[Cell]) -> tuple[Option, ...]:
    """Squares as the options of a question."""
    return tuple(Option(cell_key(cell), at=cell) for cell in options)
