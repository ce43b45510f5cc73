"""Who takes part: Characters and other Party Members, Enemy models, and how the rules count them.

A `ref` names a figure: a member's id, an Enemy's id, or `enemy:LETTER` for one Minion of several.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from emberboard.engine.errors import Refused
from emberboard.engine.question import Who
from emberboard.games.evershade.content import EnemyCard
from emberboard.games.evershade.state import Enemy, Member, Model

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


def half(number: int) -> int:
    """Half, rounded up (EV-GEN-01)."""
    return -(-number // 2)


def character_number(g: Evershade) -> int:
    """The Character Number: living Characters, Knocked Out and Eliminated ones too (EV-GEN-08)."""
    count = sum(1 for one in g.state.members.values() if one.kind == "character" and one.status != "dead")
    return count + int(g.state.partner) + int(g.state.companions_count)


def member(g: Evershade, ref: str) -> Member:
    """The Party Member of that id. Raises Refused for an unknown one."""
    try:
        return g.state.members[ref]
    except KeyError:
        raise Refused(f"there is no Party Member {ref!r}; there are {', '.join(g.state.members)}") from None


def is_member(g: Evershade, ref: str) -> bool:
    return ref in g.state.members


def characters(g: Evershade) -> list[Member]:
    """Living Characters in seat order."""
    return [one for one in g.state.members.values() if one.kind == "character" and one.status != "dead"]


def standing(g: Evershade) -> list[Member]:
    """Party Members who take part now, in seat order (EV-TARGET-09)."""
    return [one for one in g.state.members.values() if one.status == "standing"]


def on_board(g: Evershade) -> list[Member]:
    """Standing Party Members with a place on the grid."""
    return [one for one in standing(g) if one.at is not None]


def enemy(g: Evershade, ref: str) -> Enemy:
    """The Enemy card in the row that `ref` belongs to. Raises Refused for an unknown one."""
    try:
        return g.state.enemies[ref.split(":")[0]]
    except KeyError:
        raise Refused(f"there is no Enemy {ref!r}; there are {', '.join(g.state.enemies)}") from None


def enemy_card(g: Evershade, ref: str) -> EnemyCard:
    return g.pack.enemies[enemy(g, ref).card]


def enemy_difficulty(g: Evershade, ref: str) -> int:
    """The Difficulty on an Enemy's card, and what Effect tokens on it change (EV-ENEMY-11, EV-TOKEN-01)."""
    name = enemy(g, ref).id
    changes = sum(token.difficulty for token in g.state.combat.tokens if token.on == f"enemy:{name}")
    return enemy_card(g, ref).difficulty + changes


def ref_of(g: Evershade, one: Enemy, letter: str) -> str:
    """The ref of one model: the Enemy's id, with its letter where the card has several models."""
    card = g.pack.enemies[one.card]
    return f"{one.id}:{letter}" if card.category == "Minion" or card.models > 1 else one.id


def model(g: Evershade, ref: str) -> Model | None:
    """The model that `ref` names, or None when it is not in play."""
    one = enemy(g, ref)
    _, _, letter = ref.partition(":")
    if letter:
        return one.models.get(letter)
    return next(iter(one.models.values()), None)


def enemy_refs(g: Evershade) -> list[str]:
    """Every Enemy model in play, by row and letter."""
    return [
        ref_of(g, g.state.enemies[name], letter)
        for name in g.state.combat.row
        for letter in sorted(g.state.enemies[name].models)
    ]


def in_play(g: Evershade, ref: str) -> bool:
    """Whether the figure is on the board and takes part."""
    if is_member(g, ref):
        one = member(g, ref)
        return one.status == "standing" and one.at is not None
    return ref.split(":")[0] in g.state.enemies and model(g, ref) is not None


def label(g: Evershade, ref: str) -> str:
    """A figure's name as shown."""
    if is_member(g, ref):
        return member(g, ref).name
    if ref.split(":")[0] not in g.state.enemies:
        return ref
    name = enemy_card(g, ref).name
    _, _, letter = ref.partition(":")
    return f"{name} {letter}" if letter else name


def seat_of(g: Evershade, ref: str) -> Who:
    """The seat that answers for a Party Member; for anything else, the group."""
    if is_member(g, ref):
        return Who("one", (member(g, ref).seat,))
    return g.group()
