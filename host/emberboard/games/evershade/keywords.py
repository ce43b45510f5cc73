"""Keywords: the multiset that a Party Member has now (area KEY)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from emberboard.engine.question import as_cell, cell_key
from emberboard.games.evershade import roster, spaces
from emberboard.games.evershade.content import CardSide
from emberboard.games.evershade.state import Member, Slot

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


def side_up(g: Evershade, slot: Slot) -> CardSide:
    """The side of a Hotbar card that is up now."""
    card = g.pack.cards[slot.card]
    return card.light if slot.side == "light" else card.dark


def sheet_side_up(g: Evershade, card: str) -> CardSide:
    """The side of an Action card of the Sheet that is up now."""
    found = g.pack.cards[card]
    return found.light if g.state.combat.sheet_cards[card] == "light" else found.dark


def cards_at_hand(g: Evershade, who: Member) -> dict[str, CardSide]:
    """The Action cards that a Character may use, each with the side that is up.

    Its Hotbar, and the Sheet's cards as though they were on it (EV-CARD-03, EV-SHEET-07, EV-SHEET-08).
    """
    found = {name: sheet_side_up(g, name) for name in g.state.combat.sheet_cards}
    return {slot.card: side_up(g, slot) for slot in who.hotbar} | {
        name: side for name, side in found.items() if all(slot.card != name for slot in who.hotbar)
    }


def side_at_hand(g: Evershade, who: Member, card: str) -> CardSide | None:
    """The side that is up of one card at hand; None when it is not there."""
    for slot in reversed(who.hotbar):
        if slot.card == card:
            return side_up(g, slot)
    return sheet_side_up(g, card) if card in g.state.combat.sheet_cards else None


def keywords(g: Evershade, who: Member) -> dict[str, int]:
    """Each keyword of a Party Member with the number of its sources (EV-KEY-01 to 05).

    Sources: tokens, race and profession, Equipment, light-side cards, the space it stands in, the Sheet, and outside
    Combat its Companions (EV-KEY-06). The Pouch and dark sides give none; a Companion has only its own and those of its
    space.
    """
    found: dict[str, int] = {}

    def add(words: Iterable[str]) -> None:
        for word in words:
            found[word] = found.get(word, 0) + 1

    add(who.keywords)
    if who.kind == "character":
        add(name[0].upper() + name[1:] for name in (who.race, who.profession) if name)
        for name in who.equipment:
            add(g.pack.items[name].keywords)
        for slot in who.hotbar:
            if slot.side == "light":
                add(side_up(g, slot).keywords)
        add(g.sheet.keywords)
        if g.state.mode == "exploration":
            lent = [one for one in g.state.members.values() if one.kind == "companion" and one.holder == who.id]
            for one in lent:
                add(one.keywords if one.hp > 0 else ())
    if who.at is not None:
        add(g.sheet.space_keywords.get(cell_key(who.at), ()))
    return found


def has(g: Evershade, who: Member, word: str) -> bool:
    return keywords(g, who).get(word, 0) > 0


def near(g: Evershade, who: Member, word: str, high: int) -> bool:
    """Whether the keyword is found within range of a Party Member, its own space included (EV-KEY-07).

    On a Party Member there, or on a space there even if nobody stands in it.
    """
    here = spaces.cells_of(g, who.id)
    marked = [as_cell(key) for key, words in g.sheet.space_keywords.items() if word in words]
    return any(
        has(g, other, word) and spaces.in_range(spaces.apart(g, who.id, other.id), 0, high)
        for other in roster.on_board(g)
    ) or any(spaces.in_range(spaces.distance(g, here, g.grid.bit(cell)), 0, high) for cell in marked)
