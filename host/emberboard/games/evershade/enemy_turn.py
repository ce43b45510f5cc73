"""An Enemy's Activation: card effect, top Activation card, Actions from top to bottom (area ENEMY)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from emberboard.engine.errors import Refused
from emberboard.engine.formula import value as formula_value
from emberboard.engine.question import Ask, Json, Option, Place, Settled, Window, as_cell, cell_key
from emberboard.engine.timing import Proc, come_due, scope
from emberboard.games.evershade import enemy_attacks, enemy_moves, reactions, roster, spaces, targeting, weighing
from emberboard.games.evershade.content import EnemyAction
from emberboard.games.evershade.effects import Context, apply
from emberboard.games.evershade.state import Turn

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


def activate_enemy(g: Evershade, enemy: str) -> Proc[None]:
    """Card effect first, then the top Activation card is revealed; its Actions follow, model by model (EV-ENEMY-06)."""
    one = roster.enemy(g, enemy)
    card = g.pack.enemies[one.card]
    one.acted = True
    g.state.combat.turn = Turn(enemy, "enemy", letters=sorted(one.models))
    g.state.combat.order.append(enemy)
    g.note(f"{card.name} is Activated.", "EV-ENEMY-06", weighed=weighing.order_of_models(g, enemy))
    g.then("finish_enemy", enemy=enemy)

    up = one.up

    def body() -> Proc[None]:
        yield from apply(g, card.effects if up else card.back.effects, Context(user=enemy, source=card.name))
        if up and not roster.enemy(g, enemy).up:
            return  # defeated by its own card effect (EV-ENEMY-13)
        if card.category == "Boss":
            yield from apply(g, g.sheet.boss_effects, Context(user=enemy, source=g.sheet.name))
        if roster.enemy(g, enemy).up and one.deck:
            yield from _reveal(g, enemy)

    yield from scope(g, "activation", enemy, body())


def _reveal(g: Evershade, enemy: str) -> Proc[None]:
    one = roster.enemy(g, enemy)
    one.revealed = one.deck[0]
    turn = g.state.combat.turn
    if turn is not None:
        turn.card = one.revealed
    g.note(f"{g.pack.enemies[one.card].name} reveals {g.pack.activation_cards[one.revealed].name}.", "EV-ENEMY-06")
    yield Ask(enemy_revealed, enemy)
    for letter in reversed(turn.letters if turn is not None else []):
        g.then("enemy_model", enemy=enemy, letter=letter)


def enemy_revealed(g: Evershade, enemy: str) -> Window:
    """The moment after an Activation card is revealed and before its first Action (EV-TARGET-10)."""
    one = roster.enemy(g, enemy)
    card = g.pack.activation_cards[one.revealed]
    return Window(
        name="enemy_revealed",
        prompt=f"{g.pack.enemies[one.card].name} reveals {card.name}: "
        + "; ".join((action.text or action.name).rstrip(".") for action in card.actions)
        + ".",
        who=g.group(),
        offers=tuple(reactions.offers(g, "enemy_revealed")),
        rules=("EV-TARGET-10", "EV-REACT-01"),
        about=(enemy,),
    )


def enemy_model(g: Evershade, enemy: str, letter: str) -> Proc[None]:
    """One model carries out all Actions of the revealed card before the next acts (EV-ENEMY-03)."""
    one = roster.enemy(g, enemy)
    turn = g.state.combat.turn
    if letter not in one.models or not one.revealed or (turn is not None and letter not in turn.letters):
        return
    ref = roster.ref_of(g, one, letter)
    if turn is not None:
        turn.model, turn.walked = ref, []

    def actions() -> Proc[None]:
        for action in g.pack.activation_cards[one.revealed].actions:
            yield from carry_out(g, ref, action)
            yield from come_due(g, "action", enemy)

    yield from scope(g, "model", ref, actions(), lambda: _model_done(g))


def _model_done(g: Evershade) -> Proc[None]:
    if g.state.combat.turn is not None:
        g.state.combat.turn.model = ""
    yield from ()


def finish_enemy(g: Evershade, enemy: str) -> Proc[None]:
    """The used Activation card goes face up under its deck; nothing is shuffled (EV-ENEMY-06, 07)."""
    one = roster.enemy(g, enemy)
    if one.revealed:
        one.deck.remove(one.revealed)
        one.deck.append(one.revealed)
        one.face_up = min(one.face_up + 1, len(one.deck))
        one.revealed = ""
    g.end_turn()
    yield from come_due(g, "activation", enemy)


def enemy_action(g: Evershade, enemy: str, action: Json) -> Proc[None]:
    """One Action, written out, of one Enemy figure (for worked examples and hooks)."""
    if roster.model(g, enemy) is None:
        raise Refused(f"{enemy!r} is not in play")
    if g.state.combat.turn is None:
        g.state.combat.turn = Turn(enemy.split(":")[0], "enemy", model=enemy)
    ref = enemy
    action_ = carry_out(g, ref, msgspec.convert(action, EnemyAction))
    yield from scope(g, "model", ref, action_, lambda: _model_done(g))


def carry_out(g: Evershade, ref: str, action: EnemyAction) -> Proc[None]:
    """Target, move, attack: as much of the Action as is possible (EV-ENEMY-08, EV-ENEMY-09)."""
    targets = yield from targeting.select(g, ref, action)
    if action.by != "none" and not targets:
        g.note(f"{roster.label(g, ref)}, {action.name or 'Action'}: no valid target, not carried out.", "EV-TARGET-05")
        return
    if action.move and targets:
        yield from _move(g, ref, action, targets[0])
    reached = yield from enemy_attacks.carry_out(g, ref, action, targets)
    if action.effects:
        context = Context(
            user=ref, source=action.name, targets=tuple(reached), keywords=action.keywords, attack=action.attack
        )
        yield from apply(g, action.effects, context)


def _move(g: Evershade, ref: str, action: EnemyAction, target: str) -> Proc[None]:
    limit = None
    if action.spaces is not None:
        limit = formula_value(action.spaces, {"characters": roster.character_number(g)})
    if action.move == "toward":
        yield from enemy_moves.toward(g, ref, target, limit if limit is not None else 10**6)
    elif action.move == "away":
        yield from enemy_moves.away(g, ref, target, limit if limit is not None else 10**6)
    else:
        yield from enemy_moves.to_cover(g, ref, target, limit)


def move_effect_token(g: Evershade, enemy: str, by: str, high: int = 1) -> Proc[None]:
    """Move the Enemy's Effect token to a space in range of the selected Party Member (EV-ENEMY-04, EV-RANGE-05)."""
    target = yield from targeting.select_by(g, by)
    if not target:
        return
    key = yield Ask(_token_to, enemy, target, high)
    if key:
        roster.enemy(g, enemy).token_at = as_cell(key)
        g.note(f"The token of {roster.label(g, enemy)} moves to {key}.", "EV-TOKEN-02", "EV-TOKEN-06")


def _token_to(g: Evershade, enemy: str, target: str, high: int) -> Place | Settled:
    cells = spaces.spaces_in_range(g, spaces.cells_of(g, target), 1, high)
    if not cells:
        return Settled("")
    return Place(
        name="token_space",
        prompt=f"The token of {roster.label(g, enemy)} moves next to {roster.label(g, target)}: which space?",
        who=g.group(),
        options=tuple(Option(cell_key(cell), cell_key(cell), cell) for cell in cells),
        figure=enemy,
        rules=("EV-RANGE-05", "EV-TARGET-01"),
        about=(enemy, target),
    )
