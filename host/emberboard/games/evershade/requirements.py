"""Requires lines of cards: an equipped Item, or a keyword found nearby (EV-CARD-08, EV-KEY-07)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emberboard.games.evershade.content import CardSide
from emberboard.games.evershade.keywords import near
from emberboard.games.evershade.reason import Reason, because
from emberboard.games.evershade.state import Member

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


def items_for(g: Evershade, one: Member, word: str) -> list[str]:
    """Equipped Items that have the required keyword or name; in the Pouch they do not count."""
    return [
        name for name in one.equipment if word in g.pack.items[name].keywords or word in (g.pack.items[name].name, name)
    ]


def missing(g: Evershade, one: Member, side: CardSide) -> Reason | None:
    """What a card side requires and its owner lacks; None when nothing is missing."""
    for word in side.requires:
        if not items_for(g, one, word):
            return because(f"it requires an equipped Item with {word}", "EV-CARD-08")
    for word in side.requires_near:
        if not near(g, one, word, side.near_range):
            return because(f"it requires {word} within range {side.near_range}", "EV-KEY-07")
    return None
