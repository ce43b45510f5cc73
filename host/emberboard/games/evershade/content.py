"""The schema of a pack: cards, Items, Enemies, Sheets, scenarios and ready-made Characters as data.

A pack is a folder with YAML files; every section is a list of structs with an `id`. What an effect does is a list of
small structs, told apart by `do`; amounts are whole numbers or formulas (engine/formula.py). The names that a formula
may read: successes, div, characters (the Character Number), prevented, and the user's str, agi, int, cha.
"""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from emberboard.engine.formula import Amount
from emberboard.engine.question import Cell, Json

Attribute = Literal["STR", "AGI", "INT", "CHA"]
ATTRIBUTES: tuple[Attribute, ...] = ("STR", "AGI", "INT", "CHA")
DIV_STEPS = ("D4", "D6", "D8", "D10", "D12", "D12+D4", "D20", "D20+D6")
"""The steps of a rising DIV (EV-DIV-02)."""
BasicBoon = Literal["+1 STR", "+1 AGI", "+1 INT", "+1 CHA", "+1 D4 DIV"]
GreaterBoon = Literal["+3 STR", "+3 AGI", "+3 INT", "+3 CHA", "+1 D12 DIV", "-1 Roll Difficulty"]
BASIC_BOONS: tuple[BasicBoon, ...] = get_args(BasicBoon)
GREATER_BOONS: tuple[GreaterBoon, ...] = get_args(GreaterBoon)
"""The kinds of Boon (EV-BOON-01)."""
ATTRIBUTE_RANGE = (1, 6)
"""The least and the most that an Attribute of a Character may be (EV-ATT-02)."""
CARD_TYPES = tuple(
    f"{kind} {form}" for kind in ("Offensive", "Defensive", "Support") for form in ("Action", "Reaction")
)


class Strict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Content: a field with an unknown name is an error, not silence."""


# -- targets and Rolls ------------------------------------------------------------------------------------------------


class Targets(Strict, frozen=True):
    """Who may be chosen (EV-CARD-10): a kind, how many, at which range (`low`..`high`, None: no limit)."""

    kind: Literal["CH", "PM", "EN", "Self", "Minion", "Elite", "Boss", "All", "Knocked Out", "Space"] = "EN"
    count: int | Literal["all"] = 1
    low: int = 0
    high: int | None = 1
    in_line: bool = False
    not_activated: bool = False
    or_self: bool = False


class Modifier(Strict, frozen=True):
    """A change of dice or Difficulty, with the conditions for it (EV-MOD): keywords, or something like `marked H`."""

    id: str = ""
    dice: int = 0
    difficulty: int = 0
    any_of: tuple[str, ...] = ()
    condition: str = ""


class RollSpec(Strict, frozen=True):
    """A Roll as printed: Attribute(s) to choose from, Difficulty (a number, or the Enemy's), DIV, modifiers."""

    attribute: Attribute | tuple[Attribute, ...]
    difficulty: int | Literal["enemy"] = "enemy"
    div: bool = False
    modifiers: tuple[Modifier, ...] = ()
    who: tuple[str, ...] = ()

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        return (self.attribute,) if isinstance(self.attribute, str) else self.attribute


# -- effects ----------------------------------------------------------------------------------------------------------

Of = Literal["targets", "self", "attacker"]
Until = Literal["activation", "round", "combat", "refresh"]


class Effect(Strict, frozen=True, tag_field="do"):
    """One effect of a card, Item, Enemy or space."""


class Damage(Effect, frozen=True, tag="damage"):
    """Deal damage: `types` for Weakness and Resistance, `ignore_armor` a number or all of it (EV-ARMOR-03)."""

    amount: Amount = "successes"
    of: Of = "targets"
    types: tuple[str, ...] = ()
    ignore_armor: int | Literal["all"] = 0


class Prevent(Effect, frozen=True, tag="prevent"):
    """Prevent damage of the attack that is answered (EV-EATT-04)."""

    amount: Amount | Literal["all"]


class LoseHP(Effect, frozen=True, tag="lose_hp"):
    """HP lost, not damage: armor does nothing (EV-ARMOR-04)."""

    amount: Amount
    of: Of = "self"


class Heal(Effect, frozen=True, tag="heal"):
    amount: Amount
    of: Of = "self"


class GainArmor(Effect, frozen=True, tag="armor"):
    """More armor for a while; `extra` is added when the user has the keyword `with_keyword`."""

    amount: int
    of: Of = "self"
    until: Until = "activation"
    with_keyword: str = ""
    extra: int = 0


class BecomeTarget(Effect, frozen=True, tag="become_target"):
    """The user becomes the target of the present Enemy Activation (EV-TARGET-10)."""


class SupportRoll(Effect, frozen=True, tag="support"):
    """Support the present Roll with dice of one's own (EV-SUPP-07)."""

    dice: int


class AddDice(Effect, frozen=True, tag="add_dice"):
    """More dice for the performer in the present Roll."""

    dice: int


class RaiseDice(Effect, frozen=True, tag="raise_dice"):
    """Add to the value of each D12 of the present Roll; the natural faces stay what they are (EV-ROLL-07)."""

    by: int


class Push(Effect, frozen=True, tag="push"):
    spaces: Amount
    of: Of = "targets"


class Pull(Effect, frozen=True, tag="pull"):
    spaces: Amount
    of: Of = "targets"


class MoveSelf(Effect, frozen=True, tag="move"):
    """The user moves up to so many spaces (no Action is spent)."""

    spaces: Amount


class ActivateOther(Effect, frozen=True, tag="activate_other"):
    """White token from the supply on the target, who is activated; own Activation ends (EV-BAG-12, EV-ACT-08)."""


class GainFate(Effect, frozen=True, tag="fate"):
    amount: Amount
    of: Of = "self"


class GainTerror(Effect, frozen=True, tag="terror"):
    amount: Amount
    of: Of = "targets"


class RemoveTerror(Effect, frozen=True, tag="remove_terror"):
    """Discard Terror, as far as there is some (EV-TERROR-01)."""

    amount: Amount
    of: Of = "self"


class GainBoon(Effect, frozen=True, tag="boon"):
    """Gain a Boon of a named kind, or of a basic kind of one's choice (EV-BOON-02)."""

    boon: BasicBoon | GreaterBoon | Literal[""] = ""
    of: Of = "self"


class StayLight(Effect, frozen=True, tag="stay_light"):
    """The card in use is not flipped; with `may` its user chooses."""

    may: bool = False


class RefreshCards(Effect, frozen=True, tag="refresh"):
    """Refresh one dark card of the target's choice, or all of them."""

    of: Of = "self"
    all: bool = False


class PlaceTokens(Effect, frozen=True, tag="place_tokens"):
    """Place own Effect tokens with a lasting effect on the targets, or on spaces in range."""

    effect: str
    on: Literal["targets", "spaces"] = "targets"
    count: Amount = 1
    high: int = 2
    armor: int = 0
    difficulty: int = 0
    damage: int = 0


class Stabilize(Effect, frozen=True, tag="stabilize"):
    """The Knocked Out target comes back (EV-KO-09)."""


class Spawn(Effect, frozen=True, tag="spawn"):
    """Spawn Enemy models in named spaces, highest or lowest number first (EV-SPAWN)."""

    enemy: str
    count: Amount
    icon: str
    order: Literal["highest", "lowest"] = "highest"
    if_none: str = ""


class MoveToken(Effect, frozen=True, tag="move_token"):
    """Move this Enemy's Effect token to a space next to the Party Member that the rule selects."""

    by: Literal["closest", "sun", "moon"] = "moon"
    range: int = 1


class TokenAttack(Effect, frozen=True, tag="token_attack"):
    """An attack on every Party Member within `range` of this Enemy's Effect token (EV-ENEMY-04)."""

    damage: Amount
    range: int = 2
    keywords: tuple[str, ...] = ("Attack", "Ranged")


class EachLosesHP(Effect, frozen=True, tag="each_loses_hp"):
    """Each Character loses HP."""

    amount: Amount


class Hook(Effect, frozen=True, tag="hook"):
    """A named Python hook of the pack, for the odd ones."""

    name: str
    args: dict[str, Json] = {}


AnyEffect = (
    Damage | Prevent | LoseHP | Heal | GainArmor | BecomeTarget | SupportRoll | AddDice | RaiseDice | Push | Pull
    | MoveSelf | ActivateOther | GainFate | GainTerror | GainBoon | StayLight | RefreshCards | PlaceTokens | Stabilize
    | Spawn | MoveToken | TokenAttack | EachLosesHP | RemoveTerror | Hook
)  # fmt: skip


class Outcome(Strict, frozen=True):
    """One success outcome: the Successes it needs (a number or a formula of the Character Number), what it does."""

    successes: Amount
    effects: tuple[AnyEffect, ...] = ()
    text: str = ""


# -- Action cards and Items -------------------------------------------------------------------------------------------

Moment = Literal["own_action", "attacked", "before_roll", "after_roll", "enemy_revealed"]
"""When a card may be used: as an Action of its own, or as a Reaction at one of these moments (EV-REACT-01)."""


class CardSide(Strict, frozen=True):
    """One side of an Action card (EV-CARD-05), `hint` being what it says of the other one.

    `keeps_light`: the card says that it is not flipped (EV-GEN-05).
    """

    sun: int = 0
    moon: int = 0
    keywords: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    requires_near: tuple[str, ...] = ()
    near_range: int = 1
    targets: Targets | None = None
    against: tuple[str, ...] = ()
    roll: RollSpec | None = None
    outcomes: tuple[Outcome, ...] = ()
    failure: tuple[AnyEffect, ...] | None = None
    effects: tuple[AnyEffect, ...] = ()
    armor: int = 0
    usable: bool = False
    keeps_light: bool = False
    text: str = ""
    hint: str = ""


class Card(Strict, frozen=True):
    """An Action card. Red text: `refresh_cost` Fate at the Activation's start; blue: `anytime_cost` (EV-REFRESH)."""

    id: str
    name: str
    type: str
    number: str = ""
    moment: Moment = "own_action"
    free: bool = False
    light: CardSide = CardSide(usable=True)
    dark: CardSide = CardSide()
    refresh_cost: int | None = None
    anytime_cost: int | None = None

    @property
    def reaction(self) -> bool:
        return self.type.endswith("Reaction")

    @property
    def defensive(self) -> bool:
        return self.type.startswith("Defensive")


class ItemAction(Strict, frozen=True):
    """What an Item does once, after which it goes to the Pouch (EV-ITEM-08 to 11)."""

    moment: Literal["own_activation", "roll", "defensive_roll"]
    against: tuple[str, ...] = ()
    targets: Targets | None = None
    effects: tuple[AnyEffect, ...] = ()
    text: str = ""


class Item(Strict, frozen=True):
    """An Item: slot, keywords, passive armor, extra damage to attacks with a keyword, an Item Action."""

    id: str
    name: str
    slot: Literal["Hand", "Head", "Chest", "Feet", "Small"] = "Small"
    tier: Literal["Basic", "Common", "Uncommon", "Rare", "Quest"] = "Common"
    keywords: tuple[str, ...] = ()
    armor: int = 0
    damage: int = 0
    damage_keyword: str = ""
    grants: str = ""
    action: ItemAction | None = None
    text: str = ""


# -- Enemies ----------------------------------------------------------------------------------------------------------


class TypeLine(Strict, frozen=True):
    """One line of Weakness or Resistance: any of these damage types, or `melee` / `ranged` for the kind of attack."""

    any_of: tuple[str, ...]
    amount: int


class AreaCell(Strict, frozen=True):
    """One cell of an area diagram, as an offset from its anchor: the damage there and what else happens to a model."""

    offset: Cell
    damage: Amount = 0
    effects: tuple[AnyEffect, ...] = ()


class EnemyAction(Strict, frozen=True):
    """One numbered Action of an Activation card.

    `by` and `count` select the targets within `low`..`high`, with `in_line` only those in line; then `move` (toward,
    away, to_cover; `spaces` None: as far as needed), then damage to each target or by the `area` around the anchor.
    `keywords` with Attack make it an attack. `effects` are for the targets, or for everybody in the area.
    """

    name: str = ""
    keywords: tuple[str, ...] = ()
    by: Literal["closest", "sun", "moon", "none"] = "closest"
    count: Amount = 1
    low: int = 0
    high: int | None = None
    in_line: bool = False
    move: Literal["toward", "away", "to_cover", ""] = ""
    spaces: Amount | None = None
    damage: Amount | None = None
    types: tuple[str, ...] = ()
    ignore_armor: int | Literal["all"] = 0
    area: tuple[AreaCell, ...] = ()
    anchor: Literal["target", "self"] = "target"
    rotates: bool = False
    effects: tuple[AnyEffect, ...] = ()
    text: str = ""

    @property
    def attack(self) -> bool:
        """Whether this is an attack (EV-EATT-01)."""
        return "Attack" in self.keywords


class ActivationCard(Strict, frozen=True):
    id: str
    name: str
    actions: tuple[EnemyAction, ...]
    number: str = ""


class EnemyBack(Strict, frozen=True):
    """The flipped side of an Enemy card: with effects it is Activated for them, unless it says not to (EV-EHP-07)."""

    activate: bool | None = None
    effects: tuple[AnyEffect, ...] = ()
    text: str = ""

    @property
    def activated(self) -> bool:
        """Whether the flipped card stays in the order; one that says nothing at all does not."""
        return bool(self.effects) if self.activate is None else self.activate


class EnemyCard(Strict, frozen=True):
    """An Enemy card (EV-ENEMY-01). `hp` may be a formula; None for an Environment without HP (EV-COMBAT-07).

    `adventure` is the Adventure code, `effects` the extra effect.
    """

    id: str
    name: str
    category: Literal["Boss", "Elite", "Minion", "Environment"]
    difficulty: int = 8
    number: str = ""
    adventure: str = ""
    keywords: tuple[str, ...] = ()
    hp: Amount | None = 1
    armor: int = 0
    size: int = 1
    models: int = 1
    weakness: tuple[TypeLine, ...] = ()
    resistance: tuple[TypeLine, ...] = ()
    effects: tuple[AnyEffect, ...] = ()
    deck: tuple[str, ...] = ()
    back: EnemyBack = EnemyBack()
    colour: str = ""
    text: str = ""


# -- Sheets, Characters, scenarios ------------------------------------------------------------------------------------


class DangerousSpace(Strict, frozen=True):
    cell: Cell
    damage: int


class TriggerSpace(Strict, frozen=True):
    cell: Cell
    entry: int


class SpecialBorder(Strict, frozen=True):
    """A border with a Sheet rule: crossing it costs HP (EV-BORDER-06)."""

    between: tuple[Cell, Cell]
    lose_hp: int = 0


class SheetAction(Strict, frozen=True):
    """An Action of the Sheet in Combat (EV-SHEET-06): a printed card, a card beside it, or an Action without a card."""

    id: str
    kind: Literal["printed", "additional", "plain"]
    card: str = ""
    once_per_activation: bool = False
    name: str = ""
    at: Cell | None = None
    effects: tuple[AnyEffect, ...] = ()


class Sheet(Strict, frozen=True):
    """A Combat Sheet: its grid, borders and icons; (0,0) is top left, x to the right, y down."""

    id: str
    name: str
    size: Cell
    missing: tuple[Cell, ...] = ()
    walls: tuple[tuple[Cell, Cell], ...] = ()
    dangerous: tuple[DangerousSpace, ...] = ()
    dangerous_damage: int = 0
    triggers: tuple[TriggerSpace, ...] = ()
    borders: tuple[SpecialBorder, ...] = ()
    icons: dict[str, dict[str, Cell]] = {}
    keywords: tuple[str, ...] = ()
    space_keywords: dict[str, tuple[str, ...]] = {}
    actions: tuple[SheetAction, ...] = ()
    objective: Literal["defeat all Enemies", "survive"] = "defeat all Enemies"
    rounds: int = 0
    victory: int = 0
    defeat: int = 0
    boss_effects: tuple[AnyEffect, ...] = ()
    eliminate_from_column: int | None = None
    text: str = ""


class ReadyCharacter(Strict, frozen=True):
    """A finished Character: board, Hotbar, Equipment."""

    id: str
    name: str
    race: str
    profession: str
    attributes: dict[str, int]
    div: str
    mob: int
    hp: int
    keywords: tuple[str, ...] = ()
    cards: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    pouch: tuple[str, ...] = ()
    boons: tuple[str, ...] = ()
    fate: int = 0
    terror: int = 0
    conditions: tuple[str, ...] = ()
    colour: str = ""
    text: str = ""


class EnemyInPlay(Strict, frozen=True):
    """One card of the Enemy row with its start spaces in order of letters, or the space of its Effect token."""

    card: str
    at: tuple[Cell, ...] = ()
    models: Amount | None = None
    token_at: Cell | None = None


class Scenario(Strict, frozen=True):
    """A Combat set-up (EV-COMBAT-02)."""

    id: str
    name: str
    sheet: str
    row: tuple[EnemyInPlay, ...]
    bag: dict[str, Amount]
    starts: tuple[Cell, ...]
    supply: dict[str, int] = {}
    text: str = ""
    terror_effects: tuple[AnyEffect, ...] = (LoseHP(amount=2),)
