"""Taking one Item of several, with a look at the Action cards behind them (area ITEM). Equipping it is campaign."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from emberboard.engine.errors import Refused
from emberboard.engine.question import Ask, Choose, Option
from emberboard.engine.timing import Proc
from emberboard.games.evershade import roster
from emberboard.games.evershade.content import CardSide, Item

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


def choose_item(g: Evershade, who: str, items: Sequence[str]) -> Proc[None]:
    """A Character takes one of the Items offered; it goes to the Pouch (EV-ITEM-04, EV-ITEM-03)."""
    unknown = [name for name in items if name not in g.pack.items]
    if unknown or not items:
        raise Refused(f"there is no Item {unknown[0]!r}" if unknown else "no Item is offered")
    chosen = yield Ask(_which_item, who, list(items))
    one = roster.member(g, who)
    one.pouch.append(chosen)
    g.note(f"{one.name} takes {g.pack.items[chosen].name}.", "EV-ITEM-04")


def linked_card(g: Evershade, item: Item) -> str:
    """The Action card that an Item grants, both sides in words; empty when it grants none (EV-ITEM-04)."""
    card = g.pack.cards.get(item.grants)
    if card is None:
        return ""
    return f"{card.name} ({card.type}). Light side: {_side(card.light)} Dark side: {_side(card.dark)}"


def _side(side: CardSide) -> str:
    icons = [f"{count} {icon}" for icon, count in (("sun", side.sun), ("moon", side.moon)) if count]
    return " ".join([f"{', '.join(icons)}." if icons else "", side.text]).strip() or "nothing."


def _which_item(g: Evershade, who: str, items: list[str]) -> Choose:
    return Choose(
        name="item_offered",
        prompt=f"{roster.label(g, who)} takes which Item?",
        who=roster.seat_of(g, who),
        options=tuple(
            Option(name, g.pack.items[name].name, note=linked_card(g, g.pack.items[name]), rules=("EV-ITEM-04",))
            for name in items
        ),
        rules=("EV-ITEM-04",),
        about=(who,),
    )
