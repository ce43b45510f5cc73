"""Using Action cards and Reactions (areas CARD, REACT, REFRESH), and First Aid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from emberboard.engine.errors import Refused
from emberboard.engine.question import Ask, Choose, Option, Settled
from emberboard.engine.timing import Proc, scope, shielded
from emberboard.games.evershade import fate, reactions, requirements, roster, targets
from emberboard.games.evershade.content import (
    Card,
    CardSide,
    Modifier,
    Outcome,
    RollSpec,
    Stabilize,
    Targets,
)
from emberboard.games.evershade.effects import Context, apply
from emberboard.games.evershade.keywords import cards_at_hand
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
    side = cards_at_hand(g, one).get(card)
    if side is None:
        return f"{found.name} is not on {one.name}'s Hotbar (EV-CARD-03)"
    if found.reaction:
        return f"{found.name} is a Reaction: it waits for its moment (EV-REACT-01)"
    if not side.usable:
        return f"{found.name} is dark: refresh it first (EV-CARD-09)"
    waits = reactions.held_back(g, who, found) or requirements.missing(g, one, side)
    if waits:
        return waits
    if side.targets is not None and not targets.legal(g, who, side.targets):
        return f"{found.name} has no legal target (EV-CARD-11)"
    return ""


def is_dark(g: Evershade, who: str, card: str) -> bool:
    """Whether a card on the Hotbar, or one beside the Sheet, shows its dark side."""
    slot = slot_of(roster.member(g, who), card)
    return (slot.side if slot is not None else g.state.combat.sheet_cards.get(card)) == "dark"


def turn_up(g: Evershade, who: str, card: str) -> None:
    """Turn a card on the Hotbar, or one beside the Sheet, to its light side (EV-REFRESH-01, EV-SHEET-08)."""
    slot = slot_of(roster.member(g, who), card)
    if slot is not None:
        slot.side = "light"
    elif card in g.state.combat.sheet_cards:
        g.state.combat.sheet_cards[card] = "light"


def use_card(g: Evershade, who: str, card: str) -> Proc[None]:
    """Use an Action card (EV-CARD-06); afterwards it is flipped, whether or not its Roll succeeded (EV-CARD-04)."""
    why = refusal(g, who, card)
    if why:
        raise Refused(why)
    found = g.pack.cards[card]
    side = cards_at_hand(g, roster.member(g, who))[card]
    chosen = yield from targets.choose(g, who, card, side.targets)
    weapon = yield from choose_weapon(g, who, side)
    words = [*side.keywords, *(g.pack.items[weapon].keywords if weapon else ())]
    g.note(f"{roster.label(g, who)} uses {found.name}.", "EV-CARD-06")
    purpose = Purpose(
        kind="action",
        source=found.id,
        targets=chosen,
        keywords=tuple(dict.fromkeys(words)),
        attack="Attack" in words,
    )
    yield from _play(g, who, found, side, purpose)


def use_reaction(g: Evershade, who: str, card: str) -> Proc[None]:
    """Use a Reaction at its moment; it costs no Action (EV-REACT-01)."""
    one = roster.member(g, who)
    found = g.pack.cards.get(card)
    side = cards_at_hand(g, one).get(card)
    if found is None or side is None or not found.reaction:
        raise Refused(f"{card!r} is no Reaction on {one.name}'s Hotbar (EV-CARD-03)")
    if one.status != "standing":
        raise Refused(f"{one.name} is {one.status}")
    why = reactions.refusal(g, one, found, side, found.moment)
    if why:
        raise Refused(why)
    g.note(f"{one.name} uses {found.name}.", "EV-REACT-01")
    attack = g.state.combat.attack
    if attack is not None and found.moment == "attacked" and found.defensive:
        attack.reacted[one.id] = found.id
    answered = _answered(g, found.moment)
    if answered and reactions.answers_figure(side):
        chosen: tuple[str, ...] = (answered,)
    else:
        chosen = yield from targets.choose(g, who, card, side.targets)
    weapon = yield from choose_weapon(g, who, side)
    words = [*side.keywords, *(g.pack.items[weapon].keywords if weapon else ())]
    attack = g.state.combat.attack
    if "Attack" not in words:  # it strikes nobody itself: what may be checked is the attack that it answers
        words = attack.keywords if attack is not None else []
    purpose = Purpose(
        kind="defence" if found.defensive else "reaction",
        source=found.id,
        targets=chosen,
        keywords=tuple(dict.fromkeys(words)),
        attack="Attack" in side.keywords,
        difficulty=_difficulty_answered(g, chosen),
        attacker=attack.attacker if attack is not None else "",
    )
    yield from _play(g, who, found, side, purpose)


def _answered(g: Evershade, moment: str) -> str:
    """The Party Member for whom a Reaction is used: who is attacked, or who rolls."""
    if moment == "attacked" and g.state.combat.attack is not None:
        return g.state.combat.attack.target
    if moment in ("before_roll", "after_roll") and g.state.rolls:
        return g.state.rolls[-1].performer
    return ""


def _difficulty_answered(g: Evershade, chosen: Sequence[str]) -> int | None:
    """The Enemy Difficulty of a Reaction's Roll, None when its own targets are Enemies (EV-ROLL-14)."""
    if any(not roster.is_member(g, ref) for ref in chosen):
        return None
    attack, turn = g.state.combat.attack, g.state.combat.turn
    if attack is not None:
        return attack.difficulty
    return roster.enemy_difficulty(g, turn.who) if turn is not None and turn.side == "enemy" else None


def _play(g: Evershade, who: str, card: Card, side: CardSide, purpose: Purpose) -> Proc[None]:
    key = reactions.in_use(who, card.id)
    g.state.in_use.append(key)
    turn = g.state.combat.turn
    if turn is not None and any(one.card == card.id and one.once_per_activation for one in g.sheet.actions):
        turn.used.append(f"once {card.id}")

    def clean_up() -> Proc[None]:
        g.state.in_use.remove(key)
        flip(g, who, card, side)
        yield from ()

    def body() -> Proc[None]:
        context = Context(
            user=who,
            source=card.id,
            targets=purpose.targets,
            keywords=purpose.keywords,
            attack=purpose.attack,
            attacker=purpose.attacker,
        )
        if side.roll is not None:
            yield from perform(g, who, side.roll, side.outcomes, side.failure, purpose)
        yield from apply(g, side.effects, context)

    yield from scope(g, "card", card.id, shielded(g, ("model",), body()), clean_up)


def flip(g: Evershade, who: str, card: Card, side: CardSide) -> None:
    """Turn a used card to its dark side, unless something says otherwise (EV-CARD-04, EV-GEN-05)."""
    key = reactions.in_use(who, card.id)
    if key in g.state.keep_light:
        g.state.keep_light = [one for one in g.state.keep_light if one != key]
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
    one = roster.member(g, who)
    found = g.pack.cards.get(card)
    if found is None or found.anytime_cost is None or not is_dark(g, who, card):
        raise Refused(f"{card!r} cannot be refreshed for Fate now (EV-REFRESH-04)")
    if one.status != "standing":
        raise Refused(f"{one.name} is {one.status} (EV-KO-04)")
    fate.pay(g, who, found.anytime_cost, f"{found.name} is refreshed", "EV-FATE-04", "EV-REFRESH-04")
    turn_up(g, who, card)
    yield from ()
