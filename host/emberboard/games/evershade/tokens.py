"""Effect tokens: four of each icon, two effects a Character; those of Enemies have a square (area TOKEN)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from emberboard.engine.question import Ask, Cell, Choose, Option, Settled, as_cell, cell_key
from emberboard.engine.timing import Proc
from emberboard.games.evershade import roster, spaces
from emberboard.games.evershade.content import PlaceTokens
from emberboard.games.evershade.state import EffectToken

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade

ICONS = ("X", "Y")
EACH_ICON = 4
"""Tokens of each icon: 8 a Character in two icons (EV-TOKEN-03)."""
ENEMIES, SQUARE = "enemies", "square"
OF_ENEMIES = 8
"""Effect tokens of the Enemies, all of them with a square (EV-TOKEN-06)."""


def in_play(g: Evershade, owner: str, icon: str) -> list[EffectToken]:
    """A Character's tokens of one icon that lie on the table."""
    return [token for token in g.state.combat.tokens if token.owner == owner and token.icon == icon]


def clear(g: Evershade, owner: str, icon: str) -> None:
    """End one effect: take up all tokens of its icon (EV-TOKEN-05)."""
    g.state.combat.tokens = [t for t in g.state.combat.tokens if (t.owner, t.icon) != (owner, icon)]


def place(g: Evershade, user: str, source: str, effect: PlaceTokens, targets: Sequence[str], count: int) -> Proc[None]:
    """Start an effect with tokens: one on the source card, the others on what is affected (EV-TOKEN-04)."""
    if not roster.is_member(g, user):
        yield from _place_for_enemies(g, user, effect, targets, count)
        return
    icon = next((name for name in ICONS if not in_play(g, user, name)), "")
    if not icon:
        icon = yield Ask(_which_icon, user)
        if icon == "keep":
            g.note("Both effects stay: the third one is not placed.", "EV-TOKEN-05")
            return
        clear(g, user, icon)
    _put(g, user, icon, f"card:{source}", effect)
    if effect.on == "targets":
        for where in _cards_of(g, targets):
            _put(g, user, icon, where, effect)
        return
    chosen = yield Ask(_which_spaces, user, icon, min(count, EACH_ICON - 1), effect.high)
    for cell in chosen:
        _put(g, user, icon, f"space:{cell_key(as_cell(cell))}", effect)


def _place_for_enemies(g: Evershade, user: str, effect: PlaceTokens, targets: Sequence[str], count: int) -> Proc[None]:
    """Enemies share tokens of their own, marked with a square; they lie on what is affected alone (EV-TOKEN-06)."""
    if effect.on == "targets":
        for where in _cards_of(g, targets):
            _put(g, ENEMIES, SQUARE, where, effect)
        return
    left = OF_ENEMIES - len(in_play(g, ENEMIES, SQUARE))
    for cell in (yield Ask(_which_spaces, user, SQUARE, min(count, left), effect.high)):
        _put(g, ENEMIES, SQUARE, f"space:{cell_key(as_cell(cell))}", effect)


def _cards_of(g: Evershade, targets: Sequence[str]) -> list[str]:
    """The portraits and cards of the targets; two models of one card share it, and the token on it."""
    return list(dict.fromkeys(f"member:{t}" if roster.is_member(g, t) else f"enemy:{t.split(':')[0]}" for t in targets))


def _put(g: Evershade, owner: str, icon: str, on: str, effect: PlaceTokens) -> bool:
    """Put one token, if one of its icon is left (EV-TOKEN-03)."""
    if len(in_play(g, owner, icon)) >= (OF_ENEMIES if owner == ENEMIES else EACH_ICON):
        g.note(f"{roster.label(g, owner)} has no {icon} token left.", "EV-TOKEN-03", "EV-GEN-02")
        return False
    token = EffectToken(owner, icon, on, effect.effect, effect.armor, effect.difficulty, effect.damage)
    g.state.combat.tokens.append(token)
    return True


def _which_icon(g: Evershade, user: str) -> Choose:
    options = [Option(icon, f"discard the {icon} tokens of {in_play(g, user, icon)[0].effect}") for icon in ICONS] + [
        Option("keep", "keep both effects")
    ]
    return Choose(
        name="token_icon",
        prompt=f"{roster.label(g, user)} has two effects in play: discard one for the new one?",
        who=roster.seat_of(g, user),
        options=tuple(options),
        rules=("EV-TOKEN-05",),
        about=(user,),
    )


def _which_spaces(g: Evershade, user: str, icon: str, count: int, high: int) -> Choose | Settled:
    cells: list[Cell] = spaces.spaces_in_range(g, spaces.cells_of(g, user), 1, high)
    if not cells or count <= 0:
        return Settled([])
    return Choose(
        name="token_spaces",
        prompt=f"{roster.label(g, user)} places up to {count} Effect tokens.",
        who=roster.seat_of(g, user),
        options=tuple(Option(cell_key(cell), cell_key(cell), cell) for cell in cells),
        least=1,
        most=min(count, len(cells)),
        many=True,
        rules=("EV-TOKEN-02", "EV-TOKEN-04", "EV-RANGE-05"),
        about=(user,),
    )
