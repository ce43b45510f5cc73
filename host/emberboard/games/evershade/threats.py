"""Which Enemies could strike a Party Member where it stands, by the cards of their decks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emberboard.engine.formula import value as formula_value
from emberboard.engine.game import Threat
from emberboard.games.evershade import roster, spaces
from emberboard.games.evershade.content import EnemyAction, TokenAttack

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


def threats(g: Evershade, figure: str) -> list[Threat]:
    """The Enemies with an attack in their deck that reaches this Party Member, at once or after the card's own moves.

    What is printed counts, not which card lies on top. Which target the Enemy selects is not judged (EV-TARGET-01).
    """
    if not roster.is_member(g, figure) or not roster.in_play(g, figure):
        return []
    found: list[Threat] = []
    for name in g.state.combat.row:
        if not g.state.enemies[name].up:
            continue
        for ref in [one for one in roster.enemy_refs(g) if one.split(":")[0] == name] or [name]:
            threat = _threat(g, ref, figure)
            if threat is not None:
                found.append(threat)
    return found


def _threat(g: Evershade, ref: str, figure: str) -> Threat | None:
    source, goal = spaces.range_source(g, ref), spaces.cells_of(g, figure)
    if not source:
        return None
    by_token = _by_token(g, ref, source, goal)
    if by_token is not None:
        return by_token
    moved: Threat | None = None
    for name in dict.fromkeys(roster.enemy(g, ref).deck):
        card = g.pack.activation_cards[name]
        steps = 0
        for action in card.actions:
            strikes = action.attack or action.damage is not None or bool(action.area)
            if strikes and action.by != "none" and _reaches(g, source, goal, action, steps):
                label = roster.label(g, ref)
                if not steps:
                    return Threat(ref, label, f"{card.name}: it is in range", near=True)
                moved = moved or Threat(ref, label, f"{card.name}: after moving {steps}")
            steps += _steps(g, action)
    return moved


def _by_token(g: Evershade, ref: str, source: int, goal: int) -> Threat | None:
    """The attack of an Enemy's Effect token, which its card effect makes (EV-ENEMY-04)."""
    card = roster.enemy_card(g, ref)
    for effect in card.effects:
        if isinstance(effect, TokenAttack) and spaces.in_range(spaces.distance(g, source, goal), 0, effect.range):
            return Threat(ref, roster.label(g, ref), f"its token is within {effect.range}", near=True)
    return None


def _steps(g: Evershade, action: EnemyAction) -> int:
    """How far an Action brings the Enemy toward somebody; without a number as far as the Sheet is wide and high."""
    if action.move != "toward":
        return 0
    if action.spaces is None:
        return g.grid.width + g.grid.height
    return formula_value(action.spaces, {"characters": roster.character_number(g)})


def _reaches(g: Evershade, source: int, goal: int, action: EnemyAction, steps: int) -> bool:
    """Whether the target is in range (and line) from where the Enemy stands, or from some space up to `steps` on."""
    closed = spaces.blocked(g) | spaces.member_spaces(g)
    here = source
    for _ in range(steps):
        grown = here | (g.grid.step(here) & ~closed)
        if grown == here:
            break
        here = grown
    if action.in_line and not spaces.in_line(g, here, action.high) & goal:
        return False
    least = 0 if steps else action.low  # who moves first can keep its distance
    return spaces.in_range(spaces.distance(g, here, goal), least, action.high)
