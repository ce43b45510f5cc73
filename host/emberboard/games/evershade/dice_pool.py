"""How many dice a Roll has and at which Difficulty (areas ATT, DIV, MOD, and the numbers of ROLL)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emberboard.engine.dice import DiceWanted
from emberboard.engine.errors import Refused
from emberboard.engine.question import Ask, Choose, Option, Settled
from emberboard.engine.stats import Add, Contribution, Explained, Floor, Stat
from emberboard.engine.timing import Proc
from emberboard.games.evershade import roster
from emberboard.games.evershade.content import DIV_STEPS, Modifier, RollSpec
from emberboard.games.evershade.keywords import keywords
from emberboard.games.evershade.state import RollInHand

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade

POOL = Stat("dice", (Add("attribute"), Add("modifiers"), Add("boons"), Add("items"), Floor(at=1)))
"""D12s of the performer: everything is added first, the floor comes once (EV-ATT-01, EV-MOD-05)."""
DIFFICULTY = Stat("difficulty", (Add("printed"), Add("modifiers"), Add("boons"), Floor(at=2)))
"""The Difficulty of a Roll, never below 2 (EV-MOD-05)."""


SYMBOLS = {"skull": 1, "luada": 12}
"""What one edition's D12 shows in place of two numbers (EV-GEN-13)."""


def div_dice(expression: str) -> list[str]:
    """The dice kinds of a DIV value: `D12+D4` is d12 and d4 (EV-DIV-01)."""
    return [part.strip().lower() for part in expression.split("+")]


def raised_div(expression: str) -> str:
    """DIV one step higher; at the top nothing changes (EV-DIV-02)."""
    at = DIV_STEPS.index(expression)
    return DIV_STEPS[min(at + 1, len(DIV_STEPS) - 1)]


def pool(roll: RollInHand) -> Explained:
    """The performer's D12s with what they are made of."""
    return POOL.evaluate(roll.parts, roll.performer)


def difficulty(roll: RollInHand, printed: int) -> Explained:
    """The Difficulty against a printed number."""
    parts = [Contribution("printed", "printed", "EV-ROLL-14", printed), *roll.difficulty_parts]
    return DIFFICULTY.evaluate(parts, roll.performer)


def choose_attribute(g: Evershade, performer: str, spec: RollSpec) -> Proc[str]:
    """The Attribute of the Roll; the performer picks where several are allowed (EV-ROLL-04)."""
    if len(spec.attributes) == 1:
        return spec.attributes[0]
    chosen: str = yield Ask(_which_attribute, performer, list(spec.attributes))
    return chosen


def _which_attribute(g: Evershade, performer: str, allowed: list[str]) -> Choose:
    one = roster.member(g, performer)
    return Choose(
        name="attribute",
        prompt=f"{one.name} rolls for which Attribute?",
        who=roster.seat_of(g, performer),
        options=tuple(Option(name, f"{name} {one.attributes.get(name, 1)}") for name in allowed),
        rules=("EV-ROLL-04",),
        about=(performer,),
    )


def condition_met(g: Evershade, condition: str) -> bool:
    """Whether a condition that is no keyword holds: `marked H` (EV-MOD-07). Raises Refused for an unknown one."""
    word, _, rest = condition.partition(" ")
    if word == "marked":
        return rest in g.state.marked
    if word == "unmarked":
        return rest not in g.state.marked
    raise Refused(f"the condition {condition!r} is unknown; conditions: marked X, unmarked X")


def name_of(modifier: Modifier, index: int) -> str:
    return modifier.id or f"m{index + 1}"


def gather_modifiers(g: Evershade, performer: str, spec: RollSpec, roll: RollInHand) -> Proc[None]:
    """Every modifier that the performer meets is applied, helpful or harmful (EV-MOD-01 to 08)."""
    have = keywords(g, roster.member(g, performer))
    for index, modifier in enumerate(spec.modifiers):
        name = name_of(modifier, index)
        met = {word: have[word] for word in modifier.any_of if have.get(word)}
        if modifier.condition and condition_met(g, modifier.condition):
            met[modifier.condition] = 1  # what is no keyword counts once (EV-MOD-07)
        if not met:
            continue
        source = yield Ask(_which_condition, performer, name, met)
        times, rule = met[source], "EV-MOD-07" if source == modifier.condition else "EV-MOD-03"
        if modifier.dice:
            roll.parts.append(Contribution("modifiers", f"{name}: {source}", rule, modifier.dice * times))
        if modifier.difficulty:
            change = modifier.difficulty * times
            roll.difficulty_parts.append(Contribution("modifiers", f"{name}: {source}", rule, change))


def _which_condition(g: Evershade, performer: str, name: str, met: dict[str, int]) -> Choose | Settled:
    if len(set(met.values())) == 1:
        return Settled(next(iter(met)))
    return Choose(
        name="modifier_condition",
        prompt=f"{roster.label(g, performer)}: which condition counts for the modifier {name}?",
        who=roster.seat_of(g, performer),
        options=tuple(Option(word, f"{word} ({count})") for word, count in met.items()),
        rules=("EV-MOD-02", "EV-MOD-04"),
        about=(performer, name),
    )


def dice_wanted(roll: RollInHand) -> tuple[DiceWanted, ...]:
    """The dice on the table: the performer's D12s, its DIV dice, then each Supporter's (EV-ROLL-15)."""
    wanted = [DiceWanted(roll.performer, "d12", roll.dice, symbols=SYMBOLS)]
    wanted += [DiceWanted(roll.performer, kind, 1, "div") for kind in roll.div]
    wanted += [DiceWanted(support.by, "d12", support.dice, symbols=SYMBOLS) for support in roll.supporters]
    return tuple(wanted)
