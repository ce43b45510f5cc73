"""The state of the toy, and the words of its rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import msgspec

from emberboard.engine.dice import DiceWanted
from emberboard.engine.game import Game
from emberboard.engine.question import Json, Question, Who
from emberboard.engine.scene import Scene
from emberboard.engine.state import Ledger, Step
from emberboard.engine.stats import Contribution
from emberboard.engine.timing import Proc

WEAPONS: dict[str, tuple[int, tuple[str, ...]]] = {
    "Hand Weapon": (6, ("One-Handed",)),
    "Dagger": (3, ("One-Handed", "Off-hand Weapon")),
    "Great Weapon": (6, ("Two-Handed",)),
    "claws": (6, ()),
}
SIMPLE, HARD = -1, 1


class Model(msgspec.Struct):
    """A figure: a Hero of a seat, or an Adversary (LT-GEN-01)."""

    id: str
    mel: int
    health: int
    seat: str = ""
    weapons: list[str] = []
    strength_bonus: int = 0
    resistance: int = 0
    armor: int = 0
    fate: int = 0
    extra_strikes: int = 0
    spawn: int = 0
    full_health: int = 0
    conditions: list[str] = []
    activated: bool = False
    attacked: bool = False
    acted: bool = False
    place: str = "play"

    @property
    def hero(self) -> bool:
        return bool(self.seat)


class Trial(msgspec.Struct):
    """The Test being taken. It lives in the state, because offers (Focused, Fate) change it while it is asked."""

    model: str
    about: str
    characteristic: int
    critical: bool
    difficulty: list[Contribution]
    advantage: list[Contribution]
    faces: list[int] = []
    critical_face: int = 0
    passed: bool = False
    rerolled: bool = False

    @property
    def outcome(self) -> str:
        """LT-CRIT-02..04, -09: judged on the final pass or fail."""
        if self.critical and self.passed and self.critical_face == 6:
            return "critical success"
        if self.critical and not self.passed and self.critical_face == 1:
            return "critical failure"
        return "success" if self.passed else "failure"


class Tale(msgspec.Struct):
    """The whole state. `contacts` are the pairs that touch (a relation, not a distance)."""

    ledger: Ledger
    models: dict[str, Model]
    contacts: list[tuple[str, str]]
    seats: list[str]
    first_player: str
    round: int = 0
    last_round: int = 9
    test: Trial | None = None
    won: str = ""


class LastingTales(Game[Tale]):
    """The toy game."""

    name = "lasting tales in miniature"
    rules_version = "1"
    state_type = Tale
    rules_of_order = ("LT-INIT-04",)
    procedures: ClassVar[Mapping[str, Callable[..., Proc[Any]]]] = {}

    @classmethod
    def open(cls, setup: Mapping[str, Json]) -> LastingTales:
        game = cls()
        models = {str(plain["id"]): msgspec.convert(plain, Model) for plain in setup["models"]}
        for model in models.values():
            model.full_health = model.full_health or model.health
        seats = list(dict.fromkeys(model.seat for model in models.values() if model.hero))
        game.state = Tale(
            Ledger([Step(name) for name in setup.get("agenda", ["initiative_phase"])]),
            models,
            [(a, b) for a, b in setup.get("contacts", [])],
            seats,
            setup.get("first_player", seats[0]),
            last_round=setup.get("last_round", 9),
        )
        return game

    def seats(self) -> tuple[str, ...]:
        return tuple(self.state.seats)

    def scene(self, question: Question | None) -> Scene:
        return Scene(36, 36, round=self.state.round)

    def summary(self) -> dict[str, Json]:
        return {"round": self.state.round, "in play": [m.id for m in self.state.models.values() if m.place == "play"]}

    # -- words of the rules ---------------------------------------------------------------------------------

    def model(self, id: str) -> Model:
        return self.state.models[id]

    def owner(self, id: str) -> Who:
        """Who answers for a model: its player, or the First Player for what the rules leave open (LT-INIT-04)."""
        return Who("one", (self.model(id).seat or self.state.first_player,))

    def engaged_enemies(self, id: str) -> list[str]:
        """The enemies in play that touch a model (LT-MELEE-01)."""
        mine = self.model(id)
        touching = [b if a == id else a for a, b in self.state.contacts if id in (a, b)]
        return [name for name in touching if self.model(name).place == "play" and self.model(name).hero != mine.hero]

    def section(self, place: str) -> list[str]:
        """The Minions in a section of the Spawn pool (LT-SPAWN-02)."""
        return [model.id for model in self.state.models.values() if model.place == place and not model.hero]


def die(owner: str, count: int, name: str = "", sides: int = 6) -> DiceWanted:
    return DiceWanted(owner, f"d{sides}", count, name=name)
