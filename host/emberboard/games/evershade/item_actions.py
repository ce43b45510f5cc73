"""Item Actions: free, once, then the Item goes to the Pouch (area ITEM)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emberboard.engine.errors import Refused
from emberboard.engine.question import Offer
from emberboard.engine.timing import Proc, scope
from emberboard.games.evershade import roster, targets
from emberboard.games.evershade.content import Item
from emberboard.games.evershade.reason import Reason, because, not_standing
from emberboard.games.evershade.state import Member

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


def refusal(g: Evershade, one: Member, item: Item) -> Reason | None:
    """Why this Item Action may not be used now; None when it may (EV-ITEM-08 to 11)."""
    if g.state.mode != "combat":
        return because("Item Actions are used in Combat only", "EV-ITEM-09")
    if item.action is None:
        return because("it has no Item Action")
    if item.id not in one.equipment:
        return because("it is not equipped: it lies in the Pouch", "EV-ITEM-10")
    down = not_standing(one)
    if down is not None:
        return down
    if item.action.moment == "own_activation":
        turn = g.state.combat.turn
        if turn is None or turn.who != one.id:
            return because("it is used in one's own Activation", "EV-ITEM-09")
        if turn.in_action:
            return because("it is used before or after an Action, not in the middle of one", "EV-ITEM-09")
    else:
        unfit = _in_roll(g, one, item)
        if unfit is not None:
            return unfit
    return targets.without(g, one.id, item.action.targets) if item.action.targets is not None else None


def _in_roll(g: Evershade, one: Member, item: Item) -> Reason | None:
    if not g.state.rolls or g.state.rolls[-1].performer != one.id or g.state.rolls[-1].rolled:
        return because("it helps a Roll of one's own, before the dice are rolled", "EV-ITEM-09")
    hand = g.state.rolls[-1]
    if any(item.id in roll.items for roll in g.state.rolls if roll.performer == one.id):
        return because("it is already used in this Roll")
    if item.action is None or item.action.moment != "defensive_roll":
        return None
    if hand.kind != "defence":
        return because("it helps a Defensive Reaction Roll only", "EV-ITEM-11")
    if item.action.against and not any(word in hand.against for word in item.action.against):
        return because(f"it helps against {' or '.join(item.action.against)} attacks only", "EV-ITEM-11")
    return None


def offer_id(who: str, item: str) -> str:
    """The id of the offer to use an Item Action."""
    return f"{item} {who}"


def _offers(g: Evershade, one: Member) -> list[Offer]:
    return [
        Offer(
            offer_id(one.id, name),
            one.seat,
            f"{one.name}: {g.pack.items[name].name}",
            "use_item",
            {"who": one.id, "item": name},
            note=g.pack.items[name].action.text if g.pack.items[name].action else "",  # type: ignore[union-attr]
            rules=("EV-ITEM-09",),
        )
        for name in one.equipment
        if refusal(g, one, g.pack.items[name]) is None
    ]


def roll_offers(g: Evershade) -> list[Offer]:
    """Items that the performer may use in the Roll in progress."""
    if not g.state.rolls:
        return []
    return _offers(g, roster.member(g, g.state.rolls[-1].performer))


def activation_offers(g: Evershade, who: str) -> list[Offer]:
    """Items that the active Character may use before or after an Action."""
    return _offers(g, roster.member(g, who))


def use_item(g: Evershade, who: str, item: str) -> Proc[None]:
    """Use an Item Action; its token goes to the Pouch when its benefit is resolved (EV-ITEM-10)."""
    one = roster.member(g, who)
    found = g.pack.items.get(item)
    if found is None:
        raise Refused(f"there is no Item {item!r}")
    why = refusal(g, one, found)
    if why is not None:
        raise Refused(f"{found.name}: {why}")
    g.note(f"{one.name} uses {found.name}.", "EV-ITEM-08", "EV-ITEM-09")
    if found.action is not None and found.action.moment != "own_activation":
        yield from g.call("item_effects", {"who": who, "item": item})
        g.state.rolls[-1].items.append(item)
        return

    def clean_up() -> Proc[None]:
        g.to_pouch(who, item)
        yield from ()

    yield from scope(g, "item", item, g.call("item_effects", {"who": who, "item": item}), clean_up)
