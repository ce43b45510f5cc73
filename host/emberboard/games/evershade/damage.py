"""Damage, armor, Cover, HP (areas ARMOR, DMG, COVER, EHP, EATT, HP)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from emberboard.engine.stats import Add, Contribution, Explained, Floor, Highest, Stat, Subtract
from emberboard.engine.timing import Proc
from emberboard.games.evershade import knock_out, roster, spaces
from emberboard.games.evershade.keywords import side_up
from emberboard.games.evershade.state import LastDamage

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade

ARMOR = Stat("armor", (Add("armor"), Add("cover"), Floor(), Subtract("ignored"), Floor("floor again")))
"""Armor from all sources adds up; Ignore Armor lowers it, not below 0 (EV-ARMOR-02, EV-ARMOR-03)."""
DAMAGE = Stat(
    "damage",
    (
        Add("base"),
        Highest("weapon"),
        Add("bonus"),
        Floor(),
        Subtract("prevented"),
        Floor("after prevention"),
        Subtract("armor"),
        Floor("after armor"),
        Add("weakness"),
        Subtract("resistance"),
        Floor("lost HP"),
    ),
)
"""Base, one weapon, additions, minus prevention, minus armor, then Weakness and Resistance (EV-DMG-05, EV-EATT-04)."""


def armor(
    g: Evershade, target: str, *, attacker: int = 0, attack: bool = False, ignore: int | Literal["all"] = 0
) -> Explained:
    """The target's armor against one damage amount; Cover only against attacks (EV-COVER-01, EV-EATT-01)."""
    parts: list[Contribution] = []
    if roster.is_member(g, target):
        one = roster.member(g, target)
        if one.armor:
            parts.append(Contribution("armor", one.name, "EV-ARMOR-01", one.armor))
        for name in one.equipment:
            item = g.pack.items[name]
            if item.armor:
                parts.append(Contribution("armor", item.name, "EV-ITEM-12", item.armor))
        for slot in one.hotbar:
            if side_up(g, slot).armor:
                parts.append(Contribution("armor", g.pack.cards[slot.card].name, "EV-CARD-01", side_up(g, slot).armor))
    else:
        card = roster.enemy_card(g, target)
        if card.armor:
            parts.append(Contribution("armor", card.name, "EV-ARMOR-01", card.armor))
    for lasting in g.state.combat.lasting:
        if lasting.on == target and lasting.stat == "armor":
            parts.append(Contribution("armor", lasting.source, lasting.rule, lasting.amount))
    for token in g.state.combat.tokens:
        if token.armor and token.on in (f"member:{target}", f"enemy:{target.split(':')[0]}"):
            parts.append(Contribution("armor", token.effect, "EV-TOKEN-01", token.armor))
    if attack and spaces.cover(g, target, attacker):
        parts.append(Contribution("cover", "Cover", "EV-COVER-01", 2))
    if ignore:
        much = max(0, sum(part.delta for part in parts)) if ignore == "all" else ignore
        parts.append(Contribution("ignored", "Ignore Armor", "EV-ARMOR-03", much))
    return ARMOR.evaluate(parts, target)


def deal(
    g: Evershade,
    target: str,
    parts: Sequence[Contribution],
    *,
    by: str = "",
    attack: bool = False,
    keywords: Sequence[str] = (),
    types: Sequence[str] = (),
    ignore_armor: int | Literal["all"] = 0,
    from_spaces: int | None = None,
) -> Proc[int]:
    """Deal damage to one figure; returns the HP lost. Each target is reckoned by itself (EV-DMG-06, EV-COVER-06).

    `by` is the figure that deals it (or `from_spaces`, where range is measured from); `attack` lets Cover count.
    """
    source = from_spaces if from_spaces is not None else (spaces.cells_of(g, by) if by else 0)
    reckoned = list(parts)
    fending = g.state.combat.attack
    prevented = fending.prevented.get(target, 0) if attack and fending is not None else 0
    dealt = sum(part.delta for part in reckoned if part.step != "weapon")
    dealt += max((part.delta for part in reckoned if part.step == "weapon"), default=0)
    if prevented:
        card = fending.reacted.get(target, "Reaction") if fending is not None else "Reaction"
        name = g.pack.cards[card].name if card in g.pack.cards else card
        reckoned.append(Contribution("prevented", name, "EV-EATT-04", min(prevented, max(dealt, 0))))
    worn = armor(g, target, attacker=source, attack=attack, ignore=ignore_armor)
    if worn.value:
        reckoned.append(Contribution("armor", "armor", "EV-ARMOR-01", worn.value))
    if not roster.is_member(g, target) and dealt > 0:
        reckoned += _type_lines(g, target, (*types, *keywords), keywords)
    total = DAMAGE.evaluate(reckoned, target)
    cover = any(part.step == "cover" for part in worn.contributions)
    g.state.last_damage = LastDamage(
        target, max(dealt, 0), worn.value, total.value, cover, min(prevented, max(dealt, 0))
    )
    g.note(
        f"{roster.label(g, target)} is dealt {max(dealt, 0)} and loses {total.value} HP"
        + (" (in Cover)." if cover else "."),
        "EV-ARMOR-01",
        *(("EV-COVER-01",) if cover else ()),
        numbers=(total, worn),
    )
    if total.value:
        yield from lose_hp(g, target, total.value, "", quiet=True)
    return total.value


def _type_lines(g: Evershade, target: str, types: Sequence[str], keywords: Sequence[str]) -> list[Contribution]:
    """Each Weakness and Resistance line that matches, once (EV-DMG-02, 03); melee, ranged by the attack (EV-DMG-04)."""
    card = roster.enemy_card(g, target)
    have = {word.lower() for word in types}
    parts: list[Contribution] = []
    for step, lines in (("weakness", card.weakness), ("resistance", card.resistance)):
        for line in lines:
            words = [word for word in line.any_of if word.lower() in have]
            if words:
                rule = "EV-DMG-04" if words[0].lower() in ("melee", "ranged") else "EV-DMG-02"
                parts.append(Contribution(step, f"{step} {words[0]}", rule, abs(line.amount)))
    return parts


def lose_hp(g: Evershade, target: str, amount: int, source: str, *, quiet: bool = False) -> Proc[None]:
    """Lose HP, not below 0; armor and Reactions do not help (EV-ARMOR-04, EV-EHP-08)."""
    if amount <= 0:
        return
    if roster.is_member(g, target):
        one = roster.member(g, target)
        if one.status not in ("standing",):
            return
        one.hp = max(0, one.hp - amount)
        if not quiet:
            g.note(f"{one.name} loses {amount} HP" + (f" by {source}." if source else "."), "EV-ARMOR-04")
        if one.hp == 0:
            yield from knock_out.at_zero(g, target)
        return
    found = roster.model(g, target)
    if found is None:
        return
    found.hp = max(0, found.hp - amount)
    if not quiet:
        g.note(f"{roster.label(g, target)} loses {amount} HP" + (f" by {source}." if source else "."), "EV-ARMOR-04")
    if found.hp == 0:
        yield from g.call("enemy_defeated", {"ref": target})


def heal(g: Evershade, target: str, amount: int) -> None:
    """Regain HP: Characters up to their maximum (EV-HP-01), Enemies above their start too (EV-EHP-04)."""
    if roster.is_member(g, target):
        one = roster.member(g, target)
        if one.status == "standing":
            one.hp = min(one.hp_max, one.hp + amount)
            g.note(f"{one.name} regains HP: {one.hp}.", "EV-HP-01")
        return
    found = roster.model(g, target)
    if found is not None:
        found.hp += amount
        g.note(f"{roster.label(g, target)} regains HP: {found.hp}.", "EV-EHP-04")
