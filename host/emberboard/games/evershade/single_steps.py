"""Single steps of the rules as named procedures: an attack, a Push, a gain, taken by themselves.

Worked examples begin with them, and content hooks may call them; each runs the very procedure that a fight uses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from emberboard.engine.errors import Refused
from emberboard.engine.question import Json, as_cell, cell_key
from emberboard.engine.stats import Contribution
from emberboard.engine.timing import Proc, caused, come_due, due
from emberboard.games.evershade import (
    boons,
    components,
    damage,
    dice_pool,
    effects,
    enemy_attacks,
    enemy_models,
    enemy_moves,
    fate,
    item_gain,
    keywords,
    knock_out,
    movement,
    pushing,
    roster,
    spaces,
    targeting,
    tokens,
)
from emberboard.games.evershade.content import AnyEffect, EnemyAction, PlaceTokens

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


def attack(
    g: Evershade,
    by: str,
    damage: int,
    target: str = "",
    targets: Sequence[str] = (),
    keywords: Sequence[str] = ("Attack",),
    types: Sequence[str] = (),
    ignore_armor: Json = 0,
    name: str = "the attack",
) -> Proc[None]:
    """Enemy damage on one or several figures; without the Attack keyword it is no attack (EV-EATT-01)."""
    hits = dict.fromkeys([target] if target else list(targets), damage)
    yield from enemy_attacks.deal_hits(
        g,
        by,
        name,
        hits,
        attack="Attack" in keywords,
        keywords=keywords,
        types=types,
        ignore_armor=ignore_armor,
        source=spaces.cells_of(g, by),
    )


def deal_damage(
    g: Evershade,
    target: str,
    amount: int,
    by: str = "",
    attack: bool = False,
    keywords: Sequence[str] = (),
    types: Sequence[str] = (),
    ignore_armor: Json = 0,
    weapon: int = 0,
) -> Proc[None]:
    """Damage from a card or a space, without a Reaction between (EV-DMG-05)."""
    parts = [Contribution("base", "damage", "EV-CARD-07", amount)]
    if weapon:
        parts.append(Contribution("weapon", "weapon", "EV-ITEM-13", weapon))
    yield from damage.deal(
        g, target, parts, by=by, attack=attack, keywords=keywords, types=types, ignore_armor=ignore_armor
    )


def lose_hp(g: Evershade, who: str, amount: int) -> Proc[None]:
    """HP lost by a text (EV-ARMOR-04)."""
    yield from damage.lose_hp(g, who, amount, "the text")


def heal(g: Evershade, who: str, amount: int) -> Proc[None]:
    """HP regained (EV-HP-01, EV-EHP-04)."""
    damage.heal(g, who, amount)
    yield from ()


def gain_fate(g: Evershade, who: str, amount: int) -> Proc[None]:
    fate.gain(g, who, amount, "the text", "EV-FATE-12")
    yield from ()


def pay_fate(g: Evershade, who: str, amount: int, by: str = "") -> Proc[None]:
    """Pay one's own Fate; nobody pays for another (EV-FATE-13)."""
    if by and by != who:
        raise Refused(f"{roster.label(g, by)} cannot pay Fate for {roster.label(g, who)} (EV-FATE-13)")
    fate.pay(g, who, amount, "the text", "EV-FATE-01")
    yield from ()


def resolve_effects(
    g: Evershade, user: str, effects_: Sequence[Json] = (), targets: Sequence[str] = (), source: str = "the text"
) -> Proc[None]:
    """A text's effects, written out."""
    listed = [msgspec.convert(one, AnyEffect) for one in effects_]
    yield from effects.apply(g, listed, effects.Context(user=user, source=source, targets=tuple(targets)))


def move(g: Evershade, who: str, spaces_: int | None = None) -> Proc[None]:
    """A Move of a Character outside an Activation."""
    yield from movement.walk(g, who, spaces_ if spaces_ is not None else roster.member(g, who).mob)


def put(g: Evershade, who: str, at: Json) -> Proc[None]:
    """Place a figure: neither moving nor entering (EV-SPACE-08). Refused on an occupied space (EV-COMBAT-10)."""
    cell = as_cell(at)
    covered = pushing.footprint(g, who, cell)
    if not covered or covered & (spaces.occupied(g, but=who) | spaces.blocked(g)):
        raise Refused(f"{cell_key(cell)} is not free (EV-COMBAT-10)")
    movement.place(g, who, cell)
    yield from ()


def enemy_moves_one(g: Evershade, enemy: str, move: str, target: str, spaces_: int | None = None) -> Proc[None]:
    """One movement of an Enemy with its target given: `toward`, `away` or `to_cover`."""
    limit = spaces_ if spaces_ is not None else 10**6
    if move == "toward":
        if not enemy_moves.path_exists(g, enemy, target):
            g.note("No path: the target is not valid.", "EV-TARGET-06")
            return
        yield from enemy_moves.toward(g, enemy, target, limit)
    elif move == "away":
        yield from enemy_moves.away(g, enemy, target, limit)
    elif move == "to_cover":
        yield from enemy_moves.to_cover(g, enemy, target, spaces_)
    else:
        raise Refused(f"{move!r} is no movement: toward, away or to_cover")


def shift(g: Evershade, enemy: str, to: Json) -> Proc[None]:
    """An Enemy moves by one space, the whole model at once (EV-ENEMY-05)."""
    here = spaces.anchor(g, enemy)
    cell = as_cell(to)
    if here is None or not pushing.can_shift(g, enemy, here, cell):
        raise Refused(f"{roster.label(g, enemy)} cannot move to {cell_key(cell)}")
    yield from movement.enter(g, enemy, here, cell)


def place_tokens(
    g: Evershade, who: str, card: str, effect: Mapping[str, Json], targets: Sequence[str] = ()
) -> Proc[None]:
    """Start an effect with Effect tokens (EV-TOKEN-04)."""
    placed = msgspec.convert({"do": "place_tokens", **effect}, PlaceTokens)
    count = placed.count if isinstance(placed.count, int) else 1
    yield from tokens.place(g, who, card, placed, targets, count)


def mark(g: Evershade, slot: str) -> Proc[None]:
    """Mark a slot of the Story Tracker."""
    if slot not in g.state.marked:
        g.state.marked.append(slot)
    yield from ()


def set_space(g: Evershade, at: Json, kind: str) -> Proc[None]:
    """Place or take a Dangerous, Empty or Blocked token (EV-SPACE-03)."""
    key = cell_key(as_cell(at))
    if kind == "none":
        g.state.combat.spaces.pop(key, None)
    elif kind in ("dangerous", "empty", "blocked"):
        before = g.state.combat.spaces.pop(key, "")
        if components.space_token_left(g, kind):
            g.state.combat.spaces[key] = kind
        else:
            g.note(f"No {kind} token is left for {key}.", "EV-GEN-02")
            if before:
                g.state.combat.spaces[key] = before
    else:
        raise Refused(f"{kind!r} is no space token: dangerous, empty, blocked, none")
    yield from ()


def raise_div(g: Evershade, who: str) -> Proc[None]:
    """DIV rises one step (EV-DIV-02)."""
    one = roster.member(g, who)
    one.div = dice_pool.raised_div(one.div)
    yield from ()


def turn_enemy_card(g: Evershade, enemy: str, replace: str = "") -> Proc[None]:
    """Turn over, or replace, an Enemy card by a text: what lies on it goes, the Activation token stays (EV-EHP-06)."""
    if replace:
        one = roster.enemy(g, enemy)
        one.card, one.deck = replace, list(g.pack.enemies[replace].deck)
        one.face_up, one.revealed = 0, ""
        up = one.up
        enemy_models.flip(g, enemy)
        one.up = up
    else:
        enemy_models.flip(g, enemy)
    yield from ()


def end_of(g: Evershade, scope: str, owner: str = "") -> Proc[None]:
    """What is due at the end of a scope comes up (EV-GEN-04)."""
    yield from caused(g, come_due(g, scope, owner))


def make_due(g: Evershade, scope: str, owner: str, effects_: Sequence[Json], user: str, label: str) -> Proc[None]:
    """A text whose effects come at the end of a scope."""
    due(g, scope, owner, "resolve_effects", label=label, user=user, effects_=list(effects_), source=label)
    yield from ()


def choose_targets_of(
    g: Evershade, enemy: str, by: str, count: int = 1, low: int = 0, high: int | None = None
) -> Proc[None]:
    """Whom an Enemy would target (EV-TARGET); the answer is kept in `targeted`."""
    action = EnemyAction(by=by, count=count, low=low, high=high)  # type: ignore[arg-type]
    g.state.targeted = yield from targeting.select(g, enemy, action)


def roll_div(g: Evershade, who: str) -> Proc[None]:
    """Roll a Character's DIV by itself (EV-DIV-01)."""
    yield from knock_out.roll_div(g, who, "the text")


def all_keywords(g: Evershade) -> dict[str, dict[str, int]]:
    """The keywords of everybody, counted (EV-KEY-01)."""
    return {one.id: keywords.keywords(g, one) for one in g.state.members.values()}


def all_cover(g: Evershade) -> dict[str, dict[str, bool]]:
    """Of every figure, whether it has Cover from each figure of the other side (EV-COVER-02)."""
    party, foes = [one.id for one in roster.on_board(g)], roster.enemy_refs(g)
    pairs = [(one, other) for one in party for other in foes] + [(one, other) for one in foes for other in party]
    found: dict[str, dict[str, bool]] = {}
    for target, attacker in pairs:
        found.setdefault(target, {})[attacker] = spaces.cover(g, target, spaces.cells_of(g, attacker))
    return found


PROCEDURES: dict[str, Callable[..., Proc[None]]] = {
    "attack": attack,
    "choose_item": item_gain.choose_item,
    "deal_damage": deal_damage,
    "eliminate": knock_out.eliminate,
    "end_of": end_of,
    "enemy_moves": enemy_moves_one,
    "gain_boon": boons.gain_boon,
    "gain_fate": gain_fate,
    "gain_terror": boons.gain_terror,
    "heal": heal,
    "lose_hp": lose_hp,
    "make_due": make_due,
    "mark": mark,
    "move": move,
    "pay_fate": pay_fate,
    "place_tokens": place_tokens,
    "pull": pushing.pull,
    "push": pushing.push,
    "put": put,
    "raise_div": raise_div,
    "resolve_effects": resolve_effects,
    "roll_div": roll_div,
    "select_targets": choose_targets_of,
    "set_space": set_space,
    "shift": shift,
    "stabilize": knock_out.stabilize,
    "turn_enemy_card": turn_enemy_card,
}
