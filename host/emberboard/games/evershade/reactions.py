"""Which Reactions may be used at a moment, and by whom (area REACT). Using them is cards.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emberboard.engine.question import Offer
from emberboard.games.evershade import requirements, roster, spaces
from emberboard.games.evershade.content import Card, CardSide, SupportRoll
from emberboard.games.evershade.keywords import side_up
from emberboard.games.evershade.state import Member

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


def offers(g: Evershade, moment: str) -> list[Offer]:
    """Every Reaction that a standing Character may use at this moment, as offers to their seats (EV-REACT-01)."""
    found: list[Offer] = []
    if g.state.mode != "combat":
        return found
    for one in roster.characters(g):
        if one.status != "standing":
            continue
        for slot in one.hotbar:
            card = g.pack.cards[slot.card]
            if not card.reaction or card.moment != moment:
                continue
            if not refusal(g, one, card, side_up(g, slot), moment):
                found.append(
                    Offer(
                        f"{card.id} {one.id}",
                        one.seat,
                        f"{one.name}: {card.name}",
                        "use_reaction",
                        {"who": one.id, "card": card.id},
                        note=side_up(g, slot).text,
                        rules=("EV-REACT-01",),
                    )
                )
    return found


def refusal(g: Evershade, one: Member, card: Card, side: CardSide, moment: str) -> str:
    """Why this Reaction may not be used now; empty when it may (EV-REACT-01 to 05, EV-SUPP-07)."""
    if g.state.mode != "combat":
        return "Action cards are used in Combat only (EV-COMBAT-09)"
    if not side.usable:
        return f"{card.name} is dark: refresh it first (EV-CARD-09)"
    missing = requirements.missing(g, one, side)
    if missing:
        return missing
    if moment == "attacked":
        return _against_attack(g, one, card, side)
    if moment == "before_roll":
        return _on_roll(g, one, card, side)
    turn = g.state.combat.turn
    if turn is None or turn.side != "enemy":
        return f"{card.name} answers an Enemy's Activation card (EV-REACT-01)"
    return ""


def _against_attack(g: Evershade, one: Member, card: Card, side: CardSide) -> str:
    attack = g.state.combat.attack
    if attack is None:
        return f"{card.name} answers an attack, and there is none (EV-EATT-01)"
    if card.defensive:
        if attack.target != one.id:
            return f"{card.name} is for one's own defence; the attack is on {roster.label(g, attack.target)}"
        if one.id in attack.reacted:
            return "only one Defensive Reaction may be used against each attack (EV-REACT-03)"
    elif side.targets is not None and attack.target != one.id:
        apart = spaces.apart(g, one.id, attack.target)
        if not spaces.in_range(apart, side.targets.low, side.targets.high):
            return f"{roster.label(g, attack.target)} is at distance {apart} (EV-REACT-05)"
    if side.against and not any(word in attack.keywords for word in side.against):
        return f"{card.name} works against {' or '.join(side.against)} attacks only"
    return ""


def _on_roll(g: Evershade, one: Member, card: Card, side: CardSide) -> str:
    if not g.state.rolls or g.state.rolls[-1].rolled:
        return "it is declared before the dice are rolled (EV-SUPP-07)"
    hand = g.state.rolls[-1]
    supports = any(isinstance(effect, SupportRoll) for effect in side.effects)
    if supports and hand.performer == one.id:
        return "nobody supports its own Roll (EV-SUPP-07)"
    if supports and any(part.by == one.id for part in hand.supporters):
        return "one Supporting Reaction for each Party Member and Roll (EV-SUPP-07)"
    if side.targets is not None and hand.performer != one.id:
        apart = spaces.apart(g, one.id, hand.performer)
        if not spaces.in_range(apart, side.targets.low, side.targets.high):
            return f"{roster.label(g, hand.performer)} is at distance {apart} (EV-REACT-05)"
    return ""
