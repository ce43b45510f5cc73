"""Using Action cards and Reactions (areas CARD, REACT, REFRESH), and First Aid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emberboard.engine.errors import Refused
from emberboard.engine.question import Ask, Choose, Option, Settled
from emberboard.engine.timing import Proc, scope, shielded
from emberboard.games.evershade import fate, reactions, requirements, roster, targets
from emberboard.games.evershade.content import Card, CardSide, Modifier, Outcome, RollSpec, Stabilize, Targets
from emberboard.games.evershade.effects import Context, apply
from emberboard.games.evershade.keywords import side_up
from emberboard.games.evershade.rolls import Purpose, perform
from emberboard.games.evershade.state import Member, Slot

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade

FIRST_AID = RollSpec(
    attribute=("AGI", "INT"),
    difficulty=6,
    modifiers=(Modifier(id="training", dice=1, any_of=("Medicine", "Survival")),),
)
"""The Roll of First Aid (EV-KO-08)."""


def choose_weapon(g: Evershade, user: str, side: CardSide) -> Proc[str]:
    """The equipped Item that a card with a Requires line is used with (EV-CARD-08)."""
    if not side.requires:
        return ""
    chosen: str = yield Ask(_which_item, user, side.requires[0])
    return chosen


def _which_item(g: Evershade, user: str, word: str) -> Choose | Settled:
    able = requirements.items_for(g, roster.member(g, user), word)
    if len(able) == 1:
        return Settled(able[0])
    return Choose(
        name="weapon",
        prompt=f"{roster.label(g, user)} attacks with which Item?",
        who=roster.seat_of(g, user),
        options=tuple(Option(name, g.pack.items[name].name) for name in able),
        rules=("EV-CARD-08",),
        about=(user,),
    )


# -- Actions ----------------------------------------------------------------------------------------------------------


def slot_of(one: Member, card: str) -> Slot | None:
    """The Hotbar slot with that card."""
    return next((slot for slot in one.hotbar if slot.card == card), None)


def refusal(g: Evershade, who: str, card: str) -> str:
    """Why this card may not be used as an Action now; empty when it may."""
    if g.state.mode != "combat":
        return "Action cards are used in Combat only (EV-COMBAT-09)"
    one = roster.member(g, who)
    if one.status != "standing":
        return f"{one.name} is {one.status}"
    found = g.pack.cards.get(card)
    if found is None:
        return f"there is no card {card!r}"
    slot = slot_of(one, card)
    if slot is not None:
        side = side_up(g, slot)
    elif card in g.state.combat.sheet_cards:
        light = g.state.combat.sheet_cards[card] == "light"
        side = found.light if light else found.dark
    else:
        return f"{found.name} is not on {one.name}'s Hotbar (EV-CARD-03)"
    if found.reaction:
        return f"{found.name} is a Reaction: it waits for its moment (EV-REACT-01)"
    if not side.usable:
        return f"{found.name} is dark: refresh it first (EV-CARD-09)"
    turn = g.state.combat.turn
    if turn is not None and f"once {card}" in turn.used:
        return f"{found.name} is used once in an Activation (EV-SHEET-07)"
    missing = requirements.missing(g, one, side)
    if missing:
        return missing
    if side.targets is not None and not targets.legal(g, who, side.targets):
        return f"{found.name} has no legal target (EV-CARD-11)"
    return ""


def side_in_use(g: Evershade, who: str, card: str) -> CardSide:
    """The side of the card that its user would use now."""
    slot = slot_of(roster.member(g, who), card)
    if slot is not None:
        return side_up(g, slot)
    found = g.pack.cards[card]
    return found.light if g.state.combat.sheet_cards.get(card, "light") == "light" else found.dark


def use_card(g: Evershade, who: str, card: str) -> Proc[None]:
    """Use an Action card (EV-CARD-06); afterwards it is flipped, whether or not its Roll succeeded (EV-CARD-04)."""
    why = refusal(g, who, card)
    if why:
        raise Refused(why)
    found = g.pack.cards[card]
    side = side_in_use(g, who, card)
    chosen = yield from targets.choose(g, who, card, side.targets)
    weapon = yield from choose_weapon(g, who, side)
    words = [*side.keywords, *(g.pack.items[weapon].keywords if weapon else ())]
    g.note(f"{roster.label(g, who)} uses {found.name}.", "EV-CARD-06")
    purpose = Purpose(
        kind="action",
        source=found.id,
        targets=chosen,
        keywords=tuple(dict.fromkeys(words)),
        weapon=weapon,
        attack="Attack" in words,
    )
    yield from _play(g, who, found, side, purpose)


def use_reaction(g: Evershade, who: str, card: str) -> Proc[None]:
    """Use a Reaction at its moment; it costs no Action (EV-REACT-01)."""
    one = roster.member(g, who)
    found = g.pack.cards.get(card)
    slot = slot_of(one, card)
    if found is None or slot is None or not found.reaction:
        raise Refused(f"{card!r} is no Reaction on {one.name}'s Hotbar (EV-CARD-03)")
    if one.status != "standing":
        raise Refused(f"{one.name} is {one.status}")
    side = side_up(g, slot)
    why = reactions.refusal(g, one, found, side, found.moment)
    if why:
        raise Refused(why)
    g.note(f"{one.name} uses {found.name}.", "EV-REACT-01")
    attack = g.state.combat.attack if found.moment == "attacked" else None
    if attack is not None and found.defensive:
        attack.reacted[one.id] = found.id
    words = attack.keywords if attack is not None else []
    purpose = Purpose(
        kind="defence" if found.defensive else "reaction",
        source=found.id,
        keywords=tuple(words),
        difficulty=attack.difficulty if attack is not None else None,
        attacker=attack.attacker if attack is not None else "",
    )
    yield from _play(g, who, found, side, purpose)


def _play(g: Evershade, who: str, card: Card, side: CardSide, purpose: Purpose) -> Proc[None]:
    def clean_up() -> Proc[None]:
        flip(g, who, card, side)
        yield from ()

    def body() -> Proc[None]:
        context = Context(
            user=who,
            source=card.id,
            targets=purpose.targets,
            keywords=purpose.keywords,
            weapon=purpose.weapon,
            attack=purpose.attack,
            attacker=purpose.attacker,
        )
        if side.roll is not None:
            yield from perform(g, who, side.roll, side.outcomes, side.failure, purpose)
        yield from apply(g, side.effects, context)

    yield from scope(g, "card", card.id, shielded(g, ("model",), body()), clean_up)


def flip(g: Evershade, who: str, card: Card, side: CardSide) -> None:
    """Turn a used card to its dark side, unless something says otherwise (EV-CARD-04, EV-GEN-05)."""
    if card.id in g.state.keep_light:
        g.state.keep_light.remove(card.id)
        g.note(f"{card.name} is not flipped.", "EV-ROLL-08")
        return
    if side.keeps_light:
        g.note(f"{card.name} says that it is not flipped.", "EV-GEN-05")
        return
    slot = slot_of(roster.member(g, who), card.id)
    if slot is not None:
        slot.side = "dark"
    elif card.id in g.state.combat.sheet_cards and not g.printed(card.id):
        g.state.combat.sheet_cards[card.id] = "dark"


def first_aid(g: Evershade, who: str) -> Proc[None]:
    """Stabilize a Knocked Out Character no more than 1 space away (EV-KO-08)."""
    reach = Targets(kind="Knocked Out", count=1, high=1)
    if not targets.legal(g, who, reach):
        raise Refused("First Aid needs the token of a Knocked Out Character within range 1 (EV-KO-08)")
    chosen = yield from targets.choose(g, who, "First Aid", reach)
    purpose = Purpose(kind="first_aid", source="First Aid", targets=chosen)
    yield from perform(g, who, FIRST_AID, [Outcome(successes=1, effects=(Stabilize(),))], None, purpose)


# -- refreshing -------------------------------------------------------------------------------------------------------


def refresh_for_fate(g: Evershade, who: str, card: str) -> Proc[None]:
    """Pay the printed Fate to refresh a card at any time (EV-REFRESH-04, EV-FATE-04)."""
    slot = slot_of(roster.member(g, who), card)
    found = g.pack.cards.get(card)
    if slot is None or found is None or found.anytime_cost is None or slot.side == "light":
        raise Refused(f"{card!r} cannot be refreshed for Fate now")
    fate.pay(g, who, found.anytime_cost, f"{found.name} is refreshed", "EV-FATE-04", "EV-REFRESH-04")
    slot.side = "light"
    yield from ()
