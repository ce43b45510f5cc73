"""Knocked Out, Eliminated, dead, and back again (area KO)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emberboard.engine.dice import DiceWanted
from emberboard.engine.question import Ask, Option, Place, Roll, Settled, as_cell, cell_key
from emberboard.engine.timing import Proc, end
from emberboard.games.evershade import combat_end, dice_pool, fate, roster, spaces
from emberboard.games.evershade.state import CONDITION_SLOTS

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


def roll_div(g: Evershade, who: str, why: str) -> Proc[int]:
    """Roll a Party Member's own DIV and add it up; no Roll in the sense of EV-ROLL-01 (EV-DIV-01, EV-DIV-07)."""
    faces = yield Ask(_div, who, why)
    total = sum(int(face) for row in faces for face in row)
    g.state.last_div = total
    g.note(f"{roster.label(g, who)} rolls DIV: {total}.", "EV-DIV-07")
    return total


def _div(g: Evershade, who: str, why: str) -> Roll:
    one = roster.member(g, who)
    return Roll(
        name="div",
        prompt=f"{one.name} rolls DIV {one.div}: {why}.",
        who=roster.seat_of(g, who),
        dice=tuple(DiceWanted(who, kind, 1, "div") for kind in dice_pool.div_dice(one.div)),
        rules=("EV-DIV-07",),
        about=(who,),
    )


def gain_injury(g: Evershade, who: str) -> bool:
    """One more Injury; with a fourth Condition the Character dies (EV-COND-04). Whether it lives."""
    one = roster.member(g, who)
    if not g.take_supply("Condition"):
        g.note(f"No Condition token is left for {one.name}.", "EV-GEN-02", "EV-COND-04")
        return True
    if len(one.conditions) >= CONDITION_SLOTS:
        g.give_supply("Condition")
        die(g, who)
        return False
    one.conditions.append("Injury")
    return True


def at_zero(g: Evershade, who: str) -> Proc[None]:
    """A Party Member is at 0 HP: Knocked Out in Combat (EV-KO-01), back on its feet in Exploration (EV-HP-02)."""
    one = roster.member(g, who)
    if one.kind == "companion":
        _leave_board(g, who)
        one.status = "out"
        g.note(f"{one.name} is out of this Combat.", "EV-KO-02")
        combat_end.check(g)
        return
    if g.state.mode == "exploration":
        if gain_injury(g, who):
            fate.gain(g, who, 1, "at 0 HP", "EV-HP-02")
            one = roster.member(g, who)
            one.hp = min(one.hp_max, (yield from roll_div(g, who, "HP restored")))
        return
    if not gain_injury(g, who):
        combat_end.check(g)
        _end_own_activation(g, who, "dead")
        return
    fate.gain(g, who, 1, "Knocked Out", "EV-KO-01")
    where = roster.member(g, who).at
    _leave_board(g, who)
    one = roster.member(g, who)
    one.status, one.token_at = "knocked out", where
    place = f" An Effect token marks {cell_key(where)}." if where is not None else ""
    g.note(f"{one.name} is Knocked Out: +1 Injury.{place}", "EV-KO-01", "EV-KO-02", "EV-KO-03")
    combat_end.check(g)
    _end_own_activation(g, who, "Knocked Out")


def _end_own_activation(g: Evershade, who: str, reason: str) -> None:
    """Out in one's own Action: the Action stops and the Activation with it (EV-KO-07)."""
    turn = g.state.combat.turn
    if turn is not None and turn.who == who:
        end(g, "activation", who, reason=reason)


def _leave_board(g: Evershade, who: str) -> None:
    """Model, own Effect tokens and others' tokens that affect it leave; tokens on spaces stay others' (EV-KO-02)."""
    one = roster.member(g, who)
    one.at = None
    combat = g.state.combat
    combat.tokens = [t for t in combat.tokens if t.owner != who and t.on != f"member:{who}"]
    combat.lasting = [effect for effect in combat.lasting if effect.on != who]


def eliminate(g: Evershade, who: str) -> Proc[None]:
    """Out for this Combat: 0 HP, no Injury, no Fate, no token (EV-KO-05)."""
    one = roster.member(g, who)
    if one.status in ("dead", "eliminated"):
        return
    _leave_board(g, who)
    one = roster.member(g, who)
    one.hp, one.status, one.token_at = 0, "eliminated", None
    g.note(f"{one.name} is Eliminated.", "EV-KO-05")
    combat_end.check(g)
    _end_own_activation(g, who, "Eliminated")
    yield from ()


def die(g: Evershade, who: str) -> None:
    """A fourth Condition: the Character is dead and its Fate goes back to the pool (EV-COND-04)."""
    _leave_board(g, who)
    one = roster.member(g, who)
    one.status, one.hp, one.fate, one.token_at = "dead", 0, 0, None
    g.note(f"{one.name} dies of a fourth Condition.", "EV-COND-04")


def stabilize(g: Evershade, who: str) -> Proc[None]:
    """Back in: DIV for HP, the model on its token's space or the closest, all cards light, 1 Fate (EV-KO-09 to 11)."""
    one = roster.member(g, who)
    if one.status != "knocked out" or one.token_at is None:
        return
    total = yield from roll_div(g, who, "Stabilized")
    where = one.token_at
    if (spaces.occupied(g) | spaces.blocked(g)) & g.grid.bit(where):
        key = yield Ask(_where, who, where)
        where = as_cell(key)
    one = roster.member(g, who)
    one.hp, one.status, one.at, one.token_at = min(one.hp_max, total), "standing", where, None
    for slot in one.hotbar:
        slot.side = "light"
    g.note(f"{one.name} is Stabilized with {one.hp} HP on {cell_key(where)}.", "EV-KO-09", "EV-KO-10")
    fate.gain(g, who, 1, "Stabilized", "EV-KO-09")


def _where(g: Evershade, who: str, token: tuple[int, int]) -> Place | Settled:
    ties = spaces.closest_free(g, (token[0], token[1]))
    if len(ties) == 1:
        return Settled(cell_key(ties[0]))
    return Place(
        name="stabilize_where",
        prompt=f"{roster.label(g, who)}'s token lies under a model: which of the closest spaces?",
        who=g.group(),
        options=tuple(Option(cell_key(cell), cell_key(cell), cell) for cell in ties),
        figure=who,
        rules=("EV-KO-10",),
        about=(who,),
    )


def recover_after_combat(g: Evershade) -> Proc[None]:
    """Who is out at the end of Combat rolls DIV for HP (EV-KO-06, EV-COMBAT-08)."""
    for name in [one.id for one in roster.characters(g) if one.status in ("knocked out", "eliminated")]:
        total = yield from roll_div(g, name, "recovery after Combat")
        one = roster.member(g, name)
        one.hp, one.status, one.token_at = min(one.hp_max, total), "standing", None
        g.note(f"{one.name} recovers to {one.hp} HP.", "EV-KO-06")
