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
from emberboard.games.evershade.keywords import cards_at_hand, side_at_hand
from emberboard.games.evershade.reason import Reason, because, not_standing
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
FIRST_AID_NAME = "First Aid"
FIRST_AID_REACH = Targets(kind="Knocked Out", count=1, high=1)


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


def refusal(g: Evershade, who: str, card: str) -> Reason | None:
    """Why this card may not be used as an Action now; None when it may."""
    if g.state.mode != "combat":
        return because("Action cards are used in Combat only", "EV-COMBAT-09")
    one = roster.member(g, who)
    down = not_standing(one)
    if down is not None:
        return down
    found = g.pack.cards.get(card)
    if found is None:
        return because(f"there is no card {card!r}")
    side = side_at_hand(g, one, card)
    if side is None:
        return because(f"it is not on {one.name}'s Hotbar", "EV-CARD-03")
    if found.reaction:
        return because("it is a Reaction: it waits for its moment", "EV-REACT-01")
    waits = reactions.unready(g, one, found, side)
    if waits is not None:
        return waits
    return targets.without(g, who, side.targets) if side.targets is not None else None


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
    if why is not None:
        raise Refused(f"{g.named(card)}: {why}")
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
    why = not_standing(one) or reactions.refusal(g, one, found, side, found.moment)
    if why is not None:
        raise Refused(f"{found.name}: {why}")
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


def no_first_aid(g: Evershade, who: str) -> Reason | None:
    """Why First Aid is of no use; None when a token lies in range (EV-KO-08)."""
    if targets.legal(g, who, FIRST_AID_REACH):
        return None
    return because("First Aid needs the token of a Knocked Out Character within range 1", "EV-KO-08")


def first_aid(g: Evershade, who: str) -> Proc[None]:
    """Stabilize a Knocked Out Character no more than 1 space away (EV-KO-08)."""
    why = no_first_aid(g, who)
    if why is not None:
        raise Refused(str(why))
    chosen = yield from targets.choose(g, who, FIRST_AID_NAME, FIRST_AID_REACH)
    purpose = Purpose(kind="first_aid", source=FIRST_AID_NAME, targets=chosen)
    yield from perform(g, who, FIRST_AID, [Outcome(successes=1, effects=(Stabilize(),))], None, purpose)


# -- refreshing -------------------------------------------------------------------------------------------------------


def refresh_id(who: str, card: str) -> str:
    """The id of the offer to refresh a card with Fate."""
    return f"refresh {card} {who}"


def no_refresh(g: Evershade, one: Member, card: Card) -> Reason | None:
    """Why Fate cannot refresh a dark card now; None when it can (EV-REFRESH-04, EV-FATE-04)."""
    if card.anytime_cost is None:
        return because("Fate does not refresh it", "EV-REFRESH-04")
    if not is_dark(g, one.id, card.id):
        return because("its light side is up", "EV-REFRESH-04")
    return not_standing(one) or fate.too_little(one, card.anytime_cost)


def refresh_for_fate(g: Evershade, who: str, card: str) -> Proc[None]:
    """Pay the printed Fate to refresh a card at any time (EV-REFRESH-04, EV-FATE-04)."""
    one = roster.member(g, who)
    found = g.pack.cards.get(card)
    if found is None or found.anytime_cost is None or not is_dark(g, who, card):
        raise Refused(f"{card!r} cannot be refreshed for Fate now (EV-REFRESH-04)")
    down = not_standing(one)
    if down is not None:
        raise Refused(str(down))
    fate.pay(g, who, found.anytime_cost, f"{found.name} is refreshed", "EV-FATE-04", "EV-REFRESH-04")
    turn_up(g, who, card)
    yield from ()
