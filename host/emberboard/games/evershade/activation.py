"""A Character's Activation: refresh, two Actions, and what may come between (areas ACT, REFRESH, MOB, SHEET)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emberboard.engine.errors import Refused
from emberboard.engine.question import Ask, Choose, Confirm, Offer, Option, Question, Settled, Window, cell_key
from emberboard.engine.timing import Proc, come_due, scope
from emberboard.games.evershade import cards, fate, item_actions, movement, roster
from emberboard.games.evershade.effects import Context, apply
from emberboard.games.evershade.keywords import cards_at_hand
from emberboard.games.evershade.reason import Reason, because
from emberboard.games.evershade.state import Turn
from emberboard.games.evershade.wording import count

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade

ACTIONS = 2
"""Actions of an Activation (EV-ACT-01)."""
EXTRA_ACTION_FATE = 3
"""Fate for one more Action (EV-FATE-05)."""
END = "end activation"
EXTRA = "extra action"
ACTION_QUESTIONS = ("action", "end_of_activation")
"""The names of the questions at which the active Character acts."""


def activate_character(g: Evershade, who: str) -> Proc[None]:
    """One Activation of a Character."""
    one = roster.member(g, who)
    if one.status != "standing":
        if one.activation_token:  # put down between its token and its turn
            g.note(f"{one.name} is {one.status} and is not Activated; its token stays.", "EV-BAG-13")
            return
        raise Refused(f"{one.name} is {one.status} and is not Activated (EV-BAG-13)")
    one.acted = True
    g.state.combat.turn = Turn(who, "character", ACTIONS)
    g.state.combat.order.append(who)
    g.note(f"{one.name} is Activated.", "EV-ACT-01")

    def clean_up() -> Proc[None]:
        g.end_turn()
        yield from come_due(g, "activation", who)

    yield from scope(g, "activation", who, _actions(g, who), clean_up)


def _actions(g: Evershade, who: str) -> Proc[None]:
    yield from refresh_cards(g, who)
    while True:
        action = yield Ask(choose_action, who)
        if action in (END, "go on"):
            return
        yield from take_action(g, who, action)
        yield from come_due(g, "action", who)


def refresh_cards(g: Evershade, who: str) -> Proc[None]:
    """All dark cards are refreshed, but for those whose red text wants a payment (EV-REFRESH-02, 03).

    The cards beside the Sheet too, as though they were on the Hotbar (EV-SHEET-08).
    """
    held = cards_at_hand(g, roster.member(g, who))
    costs = {name: g.pack.cards[name].refresh_cost for name in held if cards.is_dark(g, who, name)}
    for card in [name for name, cost in costs.items() if cost is None]:
        cards.turn_up(g, who, card)
    for card, cost in [(name, cost) for name, cost in costs.items() if cost is not None]:
        if not (yield Ask(_pay_to_refresh, who, card, cost)):
            continue
        fate.pay(g, who, cost, f"{g.pack.cards[card].name} is refreshed", "EV-REFRESH-03")
        cards.turn_up(g, who, card)


def _pay_to_refresh(g: Evershade, who: str, card: str, cost: int) -> Confirm | Settled:
    if roster.member(g, who).fate < cost or not cards.is_dark(g, who, card):
        return Settled(False)  # too little Fate, perhaps spent while this was asked, or its blue text came first
    return Confirm(
        name="refresh",
        prompt=f"{roster.label(g, who)}: pay {cost} Fate to refresh {g.pack.cards[card].name}?",
        who=roster.seat_of(g, who),
        rules=("EV-REFRESH-02", "EV-REFRESH-03"),
        about=(who, card),
        default=False,
    )


# -- the choice of an Action ------------------------------------------------------------------------------------------


def choose_action(g: Evershade, who: str) -> Question:
    """What the active Character may do now; without Actions left, only what is free (EV-ACT-01, EV-ACT-02)."""
    turn = turn_of(g, who)
    options = [option for option in actions_of(g, who) if refusal(g, who, option.id) is None]
    offers = (*item_actions.activation_offers(g, who), *_extra_action(g, who))
    if not options:
        return Window(
            name="end_of_activation",
            prompt=f"{roster.label(g, who)} has no Action left.",
            who=roster.seat_of(g, who),
            offers=offers,
            rules=("EV-ACT-01", "EV-ITEM-09", "EV-FATE-05"),
            about=(who,),
            top=True,
        )
    return Choose(
        name="action",
        prompt=f"{roster.label(g, who)}: {count(turn.actions_left, 'Action')} left. What now?",
        who=roster.seat_of(g, who),
        options=(*options, Option(END, "End the Activation", rules=("EV-ACT-01",))),
        offers=offers,
        rules=("EV-ACT-01",),
        about=(who,),
        top=True,
        default=END,
    )


def turn_of(g: Evershade, who: str) -> Turn:
    """The Activation of this Character. Raises Refused outside of it."""
    turn = g.state.combat.turn
    if turn is None or turn.who != who:
        raise Refused(f"{roster.label(g, who)} is not being Activated")
    return turn


def actions_of(g: Evershade, who: str) -> list[Option]:
    """All Actions that a Character knows, whether or not they can be taken now.

    Basic ones (EV-ACT-03), its cards, those of the Sheet without a card (EV-SHEET-09); the free ones come last.
    """
    one = roster.member(g, who)
    held = [
        Option(name, g.pack.cards[name].name, note=side.text, rules=("EV-CARD-06",))
        for name, side in cards_at_hand(g, one).items()
        if not g.pack.cards[name].reaction
    ]
    return [
        Option("move", f"Move up to {one.mob}", rules=("EV-ACT-04",)),
        Option("first aid", "First Aid", rules=("EV-KO-08",)),
        *(option for option in held if not g.pack.cards[option.id].free),
        *(
            Option(f"sheet {plain.id}", plain.name or plain.id, rules=("EV-SHEET-09",))
            for plain in g.sheet.actions
            if plain.kind == "plain"
        ),
        *(option for option in held if g.pack.cards[option.id].free),
    ]


def is_free(g: Evershade, action: str) -> bool:
    """Whether an Action does not use up one of the two (EV-ACT-02)."""
    return action in g.pack.cards and g.pack.cards[action].free


def refusal(g: Evershade, who: str, action: str) -> Reason | None:
    """Why the active Character cannot take an Action now; None when it can (EV-ACT-01 to 03)."""
    if turn_of(g, who).actions_left < 1 and not is_free(g, action):
        return because("no Action is left", "EV-ACT-01")
    if action == "move":
        return because("it has no place on the Sheet") if roster.member(g, who).at is None else None
    if action == "first aid":
        return cards.no_first_aid(g, who)
    if action.startswith("sheet "):
        return _not_on_sheet(g, who, action.removeprefix("sheet "))
    return cards.refusal(g, who, action)


def _not_on_sheet(g: Evershade, who: str, name: str) -> Reason | None:
    found = next((one for one in g.sheet.actions if one.kind == "plain" and one.id == name), None)
    if found is None:
        return because(f"{name!r} is no Action of this Sheet, here", "EV-SHEET-09")
    at = roster.member(g, who).at
    if found.at is not None and tuple(found.at) != at:
        return because(f"{name!r} is no Action of this Sheet, here: it is taken on {cell_key(found.at)}", "EV-SHEET-09")
    return None


def _extra_action(g: Evershade, who: str) -> list[Offer]:
    one = roster.member(g, who)
    if fate.too_little(one, EXTRA_ACTION_FATE) is not None:
        return []
    words = f"{one.name} pays {EXTRA_ACTION_FATE} Fate for an extra Action"
    return [Offer(EXTRA, one.seat, words, "extra_action", {"who": who}, rules=("EV-FATE-05",))]


def extra_action(g: Evershade, who: str) -> Proc[None]:
    """One more Action in the own Activation for 3 Fate (EV-FATE-05)."""
    turn = turn_of(g, who)
    fate.pay(g, who, EXTRA_ACTION_FATE, "an extra Action", "EV-FATE-05")
    turn.actions_left += 1
    yield from ()


# -- taking it --------------------------------------------------------------------------------------------------------


def take_action(g: Evershade, who: str, action: str) -> Proc[None]:
    """Take one Action; free ones do not count (EV-ACT-02)."""
    turn = turn_of(g, who)
    unknown = _not_on_sheet(g, who, action.removeprefix("sheet ")) if action.startswith("sheet ") else None
    if unknown is not None:
        raise Refused(str(unknown))
    if not is_free(g, action):
        if turn.actions_left < 1:
            raise Refused(f"{roster.label(g, who)} has no Action left (EV-ACT-01)")
        turn.actions_left -= 1
        turn.actions_taken += 1
    turn.in_action = True
    if action == "move":
        yield from movement.walk(g, who, roster.member(g, who).mob)
    elif action == "first aid":
        yield from cards.first_aid(g, who)
    elif action.startswith("sheet "):
        yield from _sheet_action(g, who, action.removeprefix("sheet "))
    else:
        yield from cards.use_card(g, who, action)
    now = g.state.combat.turn
    if now is not None:
        now.in_action = False


def _sheet_action(g: Evershade, who: str, name: str) -> Proc[None]:
    action = next(one for one in g.sheet.actions if one.id == name)
    g.note(f"{roster.label(g, who)} takes the Sheet Action {action.name or action.id}.", "EV-SHEET-09")
    yield from apply(g, action.effects, Context(user=who, source=action.name or action.id))
