"""The state of a game of Lands of Evershade: plain structs, ids instead of references, everything JSON can carry."""

from __future__ import annotations

from typing import Literal

import msgspec

from emberboard.engine.question import Cell
from emberboard.engine.state import Ledger
from emberboard.engine.stats import Contribution

Side = Literal["light", "dark"]
FATE_TOTAL = 10
"""Fate tokens in all (EV-FATE-02)."""
BOON_SLOTS = 4
"""Slots that Boons and Terror share (EV-TERROR-01)."""
CONDITION_SLOTS = 3


class Slot(msgspec.Struct):
    """A card on the Hotbar and the side that is up."""

    card: str
    side: Side = "light"


class Lasting(msgspec.Struct, frozen=True):
    """An effect with an end: so much `armor` on somebody until the end of an activation, a round, the Combat."""

    on: str
    stat: str
    amount: int
    until: str
    source: str
    rule: str


class Member(msgspec.Struct):
    """A Party Member: a Character, or a Companion (no Fate, no Conditions; `holder` is its Character)."""

    id: str
    name: str
    seat: str
    kind: Literal["character", "companion"] = "character"
    holder: str = ""
    colour: str = ""
    race: str = ""
    profession: str = ""
    attributes: dict[str, int] = {}
    div: str = "D4"
    mob: int = 5
    hp: int = 10
    hp_max: int = 10
    fate: int = 0
    terror: int = 0
    terror_effects: int = 0
    boons: list[str] = []
    conditions: list[str] = []
    keywords: list[str] = []
    equipment: list[str] = []
    pouch: list[str] = []
    hotbar: list[Slot] = []
    at: Cell | None = None
    status: Literal["standing", "knocked out", "eliminated", "dead", "out"] = "standing"
    token_at: Cell | None = None
    activation_token: str = ""
    acted: bool = False
    space: str = ""
    armor: int = 0


class Model(msgspec.Struct):
    """One model of an Enemy; `at` is its top-left space."""

    letter: str
    at: Cell
    hp: int
    hp_start: int


class Enemy(msgspec.Struct):
    """An Enemy card in the row with its models by letter, its Activation deck (top first) and what lies on it.

    The last `face_up` cards of the deck lie face up: they were used (EV-ENEMY-06).
    """

    id: str
    card: str
    up: bool = True
    models: dict[str, Model] = {}
    deck: list[str] = []
    face_up: int = 0
    revealed: str = ""
    activation_token: str = ""
    acted: bool = False
    markers: int = 0
    token_at: Cell | None = None


class EffectToken(msgspec.Struct, frozen=True):
    """An Effect token: its owner (a Character, or `enemies`), icon, what it lies on, the effect it marks.

    `on` is `card:ID` of the source card, `enemy:ID`, `member:ID` or `space:x,y`.
    """

    owner: str
    icon: str
    on: str
    effect: str
    armor: int = 0
    difficulty: int = 0
    damage: int = 0


class Turn(msgspec.Struct):
    """The present Activation of a Character or an Enemy; `walked` is the way of the last movement of who acts now."""

    who: str
    side: Literal["character", "enemy"]
    actions_left: int = 0
    actions_taken: int = 0
    used: list[str] = []
    in_action: bool = False
    card: str = ""
    model: str = ""
    redirect: str = ""
    letters: list[str] = []
    walked: list[Cell] = []


class Attack(msgspec.Struct):
    """The attack that is being resolved against Party Members: what was prevented for whom, and with which Reaction.

    `area` are the spaces that it covers, where it covers any.
    """

    attacker: str
    difficulty: int
    keywords: list[str] = []
    targets: list[str] = []
    target: str = ""
    prevented: dict[str, int] = {}
    reacted: dict[str, str] = {}
    area: list[Cell] = []


class SupportDice(msgspec.Struct, frozen=True):
    """Dice that a Supporter adds to a Roll."""

    by: str
    dice: int
    source: str


class Face(msgspec.Struct):
    """One D12 on the table: who rolled it, the natural face, and what effects added to its value."""

    by: str
    natural: int
    raised: int = 0

    @property
    def value(self) -> int:
        return self.natural + self.raised


class RollInHand(msgspec.Struct):
    """A Roll in progress: what was gathered, what was rolled."""

    performer: str
    attribute: str
    difficulty: int
    kind: str = "exploration"
    source: str = ""
    against: list[str] = []
    support: bool = True
    rolled: bool = False
    parts: list[Contribution] = []
    difficulty_parts: list[Contribution] = []
    supporters: list[SupportDice] = []
    div: list[str] = []
    dice: int = 0
    faces: list[Face] = []
    div_faces: list[int] = []
    boons: list[str] = []
    items: list[str] = []
    targets: list[str] = []
    by_enemy: bool = False
    needs: list[int] = []


class LastRoll(msgspec.Struct):
    """What the last finished Roll came to."""

    performer: str
    dice: int
    difficulty: int
    faces: dict[str, list[int]]
    per_die: list[int]
    successes: int
    outcome: str
    div: int = 0
    breakdown: dict[str, int] = {}
    support_dice: int = 0
    failed: bool = False
    targets: dict[str, int] = {}


class LastDamage(msgspec.Struct):
    """What the last damage came to: dealt before armor, the armor used, whether there was Cover, HP lost."""

    target: str
    dealt: int
    armor: int
    lost: int
    cover: bool = False
    prevented: int = 0


class Combat(msgspec.Struct):
    """A Combat in progress."""

    scenario: str = ""
    round: int = 0
    survived: int = 0
    running: bool = False
    drawing_over: bool = False
    bag: dict[str, int] = {}
    supply: dict[str, int] = {}
    drawn: list[str] = []
    used_as: list[str] = []
    from_supply: list[str] = []
    row: list[str] = []
    turn: Turn | None = None
    attack: Attack | None = None
    tokens: list[EffectToken] = []
    spaces: dict[str, str] = {}
    lasting: list[Lasting] = []
    sheet_cards: dict[str, Side] = {}
    result: str = ""
    order: list[str] = []


class State(msgspec.Struct):
    """Everything that a game of Lands of Evershade remembers."""

    ledger: Ledger = msgspec.field(default_factory=Ledger)
    mode: Literal["exploration", "combat"] = "exploration"
    sheet: str = ""
    members: dict[str, Member] = {}
    enemies: dict[str, Enemy] = {}
    combat: Combat = msgspec.field(default_factory=Combat)
    marked: list[str] = []
    rolls: list[RollInHand] = []
    last_roll: LastRoll | None = None
    last_damage: LastDamage | None = None
    last_div: int = 0
    entries: list[int] = []
    supply: dict[str, int] = {}
    placed: dict[str, int] = {}
    in_use: list[str] = []
    keep_light: list[str] = []
    targeted: list[str] = []
    flags: dict[str, bool] = {}
    partner: bool = False
    companions_count: bool = False
    result: str = ""
