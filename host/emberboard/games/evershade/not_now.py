"""What is on a Character's board but cannot be done at a question, and why.

Every reason comes from the predicate that builds the option or offer; only the moment is judged here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from emberboard.engine.game import Refusal
from emberboard.engine.question import Question
from emberboard.games.evershade import activation, cards, fate, item_actions, reactions, rolls, roster
from emberboard.games.evershade.content import Item
from emberboard.games.evershade.keywords import cards_at_hand
from emberboard.games.evershade.reason import Reason, because, not_standing
from emberboard.games.evershade.state import Member

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade

WAITS_FOR = {
    "attacked": "it waits for an attack",
    "before_roll": "it waits for a Roll, before the dice are rolled",
    "after_roll": "it waits for a Roll, when the dice lie on the table",
    "enemy_revealed": "it waits for an Enemy's Activation card",
}


def not_now(g: Evershade, question: Question, seat: str) -> list[Refusal]:
    """Everything on the boards of the seat's living Characters that is no option and no offer of the question."""
    return [
        Refusal(name, label, why.words, why.rules, one.id, source)
        for one in roster.characters(g)
        if one.seat == seat
        for name, label, source, why in _board(g, question, one)
        if why is not None
    ]


Thing = tuple[str, str, str, Reason | None]
"""The id of its option or offer, its label, the card or Item behind it, and why it cannot be done."""


def _board(g: Evershade, question: Question, one: Member) -> Iterator[Thing]:
    down = not_standing(one)
    waits = down or _no_action_now(g, question, one)
    for option in activation.actions_of(g, one.id):
        source = option.id if option.id in g.pack.cards else ""
        yield option.id, option.label, source, waits or activation.refusal(g, one.id, option.id)
    cost = activation.EXTRA_ACTION_FATE
    yield activation.EXTRA, f"Extra Action for {cost} Fate", "", waits or fate.too_little(one, cost)
    for name in cards_at_hand(g, one):
        yield from _card(g, question, one, name, down)
    for name in dict.fromkeys([*one.equipment, *one.pouch]):
        item = g.pack.items[name]
        if item.action is not None:
            why = down or item_actions.refusal(g, one, item) or _item_moment(g, question, one, item)
            yield item_actions.offer_id(one.id, name), item.name, name, why
    for boon in dict.fromkeys(one.boons):
        why = down or rolls.no_boon(g, one, boon) or _before_roll(question)
        yield rolls.boon_id(boon), f"Boon {boon}", "", why
    late = None if question.name == "after_roll" else because("it waits for dice on the table", "EV-FATE-03")
    label = f"Re-roll for {rolls.REROLL_FATE} Fate"
    yield rolls.reroll_id(one.id), label, "", down or late or rolls.no_reroll(g, one)


def _card(g: Evershade, question: Question, one: Member, name: str, down: Reason | None) -> Iterator[Thing]:
    """The Reaction on a card, and refreshing it with Fate while it is dark."""
    card, side = g.pack.cards[name], cards_at_hand(g, one)[name]
    if card.reaction:
        if question.name == card.moment:
            why = down or reactions.refusal(g, one, card, side, card.moment)
        else:
            early = because(WAITS_FOR.get(card.moment, "it names no moment for a Reaction"), "EV-REACT-01")
            why = down or reactions.unready(g, one, card, side) or early
        yield reactions.offer_id(one.id, name), card.name, name, why
    if card.anytime_cost is not None and cards.is_dark(g, one.id, name):
        label = f"Refresh {card.name} for {card.anytime_cost} Fate"
        why = _no_refresh_now(g, question) or cards.no_refresh(g, one, card)
        yield cards.refresh_id(one.id, name), label, name, why


def _no_action_now(g: Evershade, question: Question, one: Member) -> Reason | None:
    """Why no Action of this Character is asked for (EV-ACT-01)."""
    if g.state.mode != "combat":
        return because("Actions are taken in Combat only", "EV-COMBAT-09")
    turn = g.state.combat.turn
    if turn is None:
        return because("nobody is being Activated", "EV-ACT-01")
    if turn.who != one.id:
        return because(f"it is the Activation of {roster.label(g, turn.who)}", "EV-ACT-01")
    if question.name in activation.ACTION_QUESTIONS:
        return None
    if turn.in_action:
        return because("an Action is under way: it is finished first", "EV-ACT-01")
    return because("what is asked now comes first", "EV-ACT-01")


def _item_moment(g: Evershade, question: Question, one: Member, item: Item) -> Reason | None:
    if item.action is not None and item.action.moment == "own_activation":
        return _no_action_now(g, question, one)
    return _before_roll(question)


def _before_roll(question: Question) -> Reason | None:
    return None if question.name == "before_roll" else because("what is asked now comes first", "EV-ROLL-01")


def _no_refresh_now(g: Evershade, question: Question) -> Reason | None:
    if g.state.mode != "combat":
        return because("Action cards are used in Combat only", "EV-COMBAT-09")
    return because("the dice or the draw come first", "EV-REFRESH-04") if question.chance else None
