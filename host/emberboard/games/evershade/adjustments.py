"""Adjustments by agreement: what real groups put right by hand, between actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from emberboard.engine.errors import Refused
from emberboard.engine.question import Json, as_cell, cell_key
from emberboard.games.evershade import fate, movement, roster, spaces
from emberboard.games.evershade.state import BOON_SLOTS

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade

CHANGES = "hp, fate, terror, at, card (light or dark), bag, mark"


def adjust(g: Evershade, change: Mapping[str, Json]) -> str:
    """Apply `{who: REF, hp|fate|terror|at|card: VALUE}`, `{bag: {token: count}}` or `{mark: X}`.

    Returns the log's words.

    Raises Refused, with nothing changed, for an unknown change or an impossible value.
    """
    if "bag" in change:
        bag = change["bag"]
        if not isinstance(bag, Mapping) or any(
            k not in ("white", "black", "dual") or int(v) < 0 for k, v in bag.items()
        ):
            raise Refused("the bag holds white, black and dual tokens: {bag: {white: 2, black: 3}}")
        g.state.combat.bag = {str(k): int(v) for k, v in bag.items()}
        return f"By agreement: the bag now holds {', '.join(f'{v} {k}' for k, v in bag.items())}."
    if "mark" in change:
        mark = str(change["mark"])
        if mark in g.state.marked:
            g.state.marked.remove(mark)
            return f"By agreement: mark {mark} is cleared."
        g.state.marked.append(mark)
        return f"By agreement: {mark} is marked."
    who = str(change.get("who", ""))
    if not roster.is_member(g, who) and who not in roster.enemy_refs(g):
        known = ", ".join([*g.state.members, *roster.enemy_refs(g)])
        raise Refused(f"adjust whom? There are {known}")
    rest = [key for key in change if key != "who"]
    if len(rest) != 1:
        raise Refused(f"one change at a time: {CHANGES}")
    return _one(g, who, rest[0], change[rest[0]])


def _one(g: Evershade, who: str, what: str, value: Json) -> str:
    name = roster.label(g, who)
    if what == "at":
        cell = as_cell(value)
        if cell not in g.grid:
            raise Refused(f"{cell_key(cell)} is not on the Sheet")
        if g.grid.bit(cell) & spaces.occupied(g, but=who):
            raise Refused(f"{cell_key(cell)} is occupied (EV-COMBAT-10)")
        movement.place(g, who, cell)
        return f"By agreement: {name} stands on {cell_key(cell)}."
    if what == "card":
        return _card(g, who, value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Refused(f"{what} is a whole number of 0 or more, got {value!r}")
    if what == "hp":
        return _hp(g, who, value)
    if not roster.is_member(g, who):
        raise Refused(f"an Enemy has no {what}")
    one = roster.member(g, who)
    if what == "fate":
        if value - one.fate > fate.pool(g):
            raise Refused(f"the pool holds {fate.pool(g)} Fate (EV-FATE-02)")
        one.fate = value
    elif what == "terror":
        if value + len(one.boons) > BOON_SLOTS:
            raise Refused(f"Boons and Terror share {BOON_SLOTS} slots (EV-TERROR-01)")
        one.terror = value
    else:
        raise Refused(f"{what!r} cannot be adjusted; these can: {CHANGES}")
    return f"By agreement: {name} has {what} {value}."


def _hp(g: Evershade, who: str, value: int) -> str:
    if value == 0:
        raise Refused("HP 0 has consequences of its own: use the rules for it")
    if roster.is_member(g, who):
        one = roster.member(g, who)
        if one.status != "standing":
            raise Refused(f"{one.name} is {one.status}")
        one.hp = min(value, one.hp_max)
    else:
        found = roster.model(g, who)
        if found is not None:
            found.hp = value
    return f"By agreement: {roster.label(g, who)} has {value} HP."


def _card(g: Evershade, who: str, value: Json) -> str:
    if not roster.is_member(g, who) or not isinstance(value, str):
        raise Refused("name a card of a Character's Hotbar to turn it over")
    slot = next((slot for slot in roster.member(g, who).hotbar if slot.card == value), None)
    if slot is None:
        raise Refused(f"{roster.label(g, who)} has no card {value!r} on the Hotbar")
    slot.side = "dark" if slot.side == "light" else "light"
    return f"By agreement: {g.pack.cards[value].name} of {roster.label(g, who)} is {slot.side}."
