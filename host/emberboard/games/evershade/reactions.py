"""Which Reactions may be used at a moment, and by whom (area REACT). Using them is cards.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emberboard.engine.question import Offer
from emberboard.games.evershade import requirements, roster, spaces, targets
from emberboard.games.evershade.content import BecomeTarget, Card, CardSide, SupportRoll, Targets
from emberboard.games.evershade.keywords import cards_at_hand
from emberboard.games.evershade.reason import Reason, because, not_standing
from emberboard.games.evershade.state import Member
from emberboard.games.evershade.wording import range_words

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


def offers(g: Evershade, moment: str) -> list[Offer]:
    """Every Reaction that a standing Character may use at this moment, as offers to their seats (EV-REACT-01)."""
    found: list[Offer] = []
    if g.state.mode != "combat":
        return found
    for one in roster.characters(g):
        if not_standing(one) is not None:
            continue
        for name, side in cards_at_hand(g, one).items():
            card = g.pack.cards[name]
            if not card.reaction or card.moment != moment:
                continue
            if refusal(g, one, card, side, moment) is None:
                found.append(
                    Offer(
                        offer_id(one.id, card.id),
                        one.seat,
                        f"{one.name}: {card.name}",
                        "use_reaction",
                        {"who": one.id, "card": card.id},
                        note=side.text,
                        rules=("EV-REACT-01",),
                    )
                )
    return found


def offer_id(who: str, card: str) -> str:
    """The id of the offer to use a Reaction."""
    return f"{card} {who}"


def in_use(who: str, card: str) -> str:
    """How the state names a card that is being used: its user and its id."""
    return f"{who} {card}"


def held_back(g: Evershade, who: str, card: Card) -> Reason | None:
    """Why a card that is light has to wait: it is being used, a Sheet's card by anybody, or was used enough."""
    shared = card.id in g.state.combat.sheet_cards
    if any(key == in_use(who, card.id) or (shared and key.partition(" ")[2] == card.id) for key in g.state.in_use):
        return because("it is being used", "EV-CARD-04")
    turn = g.state.combat.turn
    if turn is not None and f"once {card.id}" in turn.used:
        return because("it was used in this Activation, and is used once in it", "EV-SHEET-07")
    return None


def unready(g: Evershade, one: Member, card: Card, side: CardSide) -> Reason | None:
    """Why a card cannot be used at any moment as it lies: side, use, requirements (EV-CARD-08, EV-CARD-09)."""
    if g.state.mode != "combat":
        return because("Action cards are used in Combat only", "EV-COMBAT-09")
    if not side.usable:
        return because("its dark side is up: refresh it first", "EV-CARD-09")
    return held_back(g, one.id, card) or requirements.missing(g, one, side)


def refusal(g: Evershade, one: Member, card: Card, side: CardSide, moment: str) -> Reason | None:
    """Why this Reaction may not be used now; None when it may (EV-REACT-01 to 05, EV-SUPP-07)."""
    waits = unready(g, one, card, side)
    if waits is not None:
        return waits
    match moment:
        case "attacked":
            return _against_attack(g, one, card, side)
        case "before_roll" | "after_roll":
            return _on_roll(g, one, card, side, rolled=moment == "after_roll")
        case "enemy_revealed":
            return _on_reveal(g, one, card, side)
    return because("it names no moment for a Reaction", "EV-REACT-01")


def _against_attack(g: Evershade, one: Member, card: Card, side: CardSide) -> Reason | None:
    attack = g.state.combat.attack
    if attack is None:
        return because("it answers an attack, and there is none", "EV-EATT-01")
    if card.defensive:
        if attack.target != one.id:
            return because(f"it is for one's own defence; the attack is on {roster.label(g, attack.target)}")
        if one.id in attack.reacted:
            return because("only one Defensive Reaction may be used against each attack", "EV-REACT-03")
    if side.against and not any(word in attack.keywords for word in side.against):
        return because(f"it works against {' or '.join(side.against)} attacks only")
    return _reaches(g, one, card, side, attack.target)


def _on_roll(g: Evershade, one: Member, card: Card, side: CardSide, *, rolled: bool) -> Reason | None:
    if not g.state.rolls or g.state.rolls[-1].rolled != rolled:
        when = "after" if rolled else "before"
        return because(f"it is used {when} the dice of a Roll are rolled", "EV-REACT-01")
    hand = g.state.rolls[-1]
    if any(isinstance(effect, SupportRoll) for effect in side.effects):
        if rolled:
            return because("Support is declared before the dice are rolled", "EV-SUPP-07")
        if not hand.support:
            return because("nobody supports a Roll that each Character makes for itself", "EV-ROLL-13")
        if hand.performer == one.id:
            return because("nobody supports its own Roll", "EV-SUPP-07")
        if any(part.by == one.id for part in hand.supporters):
            return because("one Supporting Reaction for each Party Member and Roll", "EV-SUPP-07")
    return _reaches(g, one, card, side, hand.performer)


def _on_reveal(g: Evershade, one: Member, card: Card, side: CardSide) -> Reason | None:
    turn = g.state.combat.turn
    if turn is None or turn.side != "enemy" or not turn.card:
        return because("it answers an Enemy's Activation card", "EV-REACT-01")
    if any(isinstance(effect, BecomeTarget) for effect in side.effects):
        targeting = any(action.by != "none" for action in g.pack.activation_cards[turn.card].actions)
        if not targeting or turn.redirect == one.id or all(other.id == one.id for other in roster.on_board(g)):
            return because("this Activation card would target no other Party Member", "EV-REACT-01")
    return _reaches(g, one, card, side, "")


def answers_figure(side: CardSide) -> bool:
    """Whether the target of a Reaction is the Party Member that it answers for, and not one that its user picks."""
    return side.targets is not None and side.targets.count == 1 and side.targets.kind in ("CH", "PM", "Self")


def _reaches(g: Evershade, one: Member, card: Card, side: CardSide, answered: str) -> Reason | None:
    """Range and target of a Reaction hold when it is used (EV-REACT-05): whom it answers for, or one to pick."""
    if side.targets is None:
        return None
    if answers_figure(side) and answered:
        if answered in targets.legal(g, one.id, side.targets):
            return None
        return _not_for(g, one, side.targets, answered)
    return targets.without(g, one.id, side.targets)


def _not_for(g: Evershade, one: Member, wanted: Targets, answered: str) -> Reason:
    """Why the Party Member that a Reaction would answer for is none of its targets."""
    name = roster.label(g, answered)
    if answered == one.id and wanted.kind != "Self" and not wanted.or_self:
        return because(f"it is for another than {name}", "EV-REACT-05")
    apart = spaces.apart(g, one.id, answered)
    if spaces.in_range(apart, wanted.low, wanted.high):
        return because(f"{name} is no target that it may have", "EV-CARD-10")
    return because(f"{name} is at distance {apart}; it needs {range_words(wanted.low, wanted.high)}", "EV-REACT-05")
