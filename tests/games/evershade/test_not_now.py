"""What cannot be done, and why: in random play everything on a board is offered or has a reason, never both."""

from __future__ import annotations

import random
from typing import Any

import pytest

from emberboard.engine.game import Refusal
from emberboard.engine.players import random_input
from emberboard.engine.question import Choose, Question
from emberboard.engine.session import Session
from emberboard.games.evershade import cards, policy
from emberboard.games.evershade.game import Evershade
from emberboard.games.evershade.keywords import cards_at_hand
from emberboard.games.evershade.state import Member

SEATS = {"east": ["malah", "oswin"], "south": ["chiri"], "west": ["doran"], "north": ["isme"]}
Key = tuple[str, str]
"""The Character, and the id of an option or offer."""


def fight(seed: int) -> Session:
    setup = {"scenario": "outlaws-of-bear-peak", "seats": SEATS}
    return Session.new(Evershade, setup, rng=random.Random(seed))


def game_of(session: Session) -> Evershade:
    assert isinstance(session.game, Evershade)
    return session.game


def on_board(g: Evershade, one: Member) -> list[Key]:
    """Everything that a Character could do some time, written from the board alone."""
    things = ["move", "first aid", "extra action", f"reroll {one.id}"]
    for name in cards_at_hand(g, one):
        card = g.pack.cards[name]
        things.append(f"{name} {one.id}" if card.reaction else name)
        if card.anytime_cost is not None and cards.is_dark(g, one.id, name):
            things.append(f"refresh {name} {one.id}")
    things += [f"{name} {one.id}" for name in (*one.equipment, *one.pouch) if g.pack.items[name].action is not None]
    things += [f"boon {kind}" for kind in dict.fromkeys(one.boons)]
    return [(one.id, thing) for thing in things]


def possible(g: Evershade, question: Question) -> list[Key]:
    """The options of an Action and all offers, by Character."""
    found: list[Key] = []
    if isinstance(question, Choose) and question.name == "action":
        found += [(question.about[0], option.id) for option in question.options if option.id != "end activation"]
    for offer in question.offers:
        who = offer.args.get("who") or offer.args.get("by") or g.state.rolls[-1].performer
        found.append((str(who), offer.id))
    return found


def refused(session: Session, seat: str) -> list[Refusal]:
    assert session.question is not None
    return list(session.game.not_now(session.question, seat))


def agrees(session: Session) -> int:
    """Everything on every board is possible or has a reason, never both; how many reasons there were."""
    g, question = game_of(session), session.question
    assert question is not None
    can = possible(g, question)
    said: list[Key] = []
    for seat in g.seats():
        for one in refused(session, seat):
            said.append((one.about, one.id))
            assert g.state.members[one.about].seat == seat
            assert one.label and one.why and "(" not in one.why and "None" not in one.why
    everything = [key for one in g.state.members.values() if one.status != "dead" for key in on_board(g, one)]
    assert sorted(said) == sorted(key for key in everything if key not in can), question.prompt
    assert all(key in everything for key in can), question.prompt
    return len(said)


@pytest.mark.parametrize("seed", range(6))
def test_everything_on_a_board_is_possible_or_has_a_reason(seed: int) -> None:
    session, rng, reasons = fight(seed), random.Random(seed), 0
    for _ in range(250):
        if session.question is None:
            break
        reasons += agrees(session)
        if seed % 2 or rng.random() < 0.2:
            random_input(session, rng, scopes=("round", "activation"))
        else:
            policy.answer(session)
    assert reasons > 1000


def to_action(session: Session, who: str) -> None:
    """Play until this Character is asked for an Action."""
    while session.question is not None:
        if session.question.name == "action" and session.question.about == (who,):
            return
        policy.answer(session)
    raise AssertionError(f"{who} was never asked")


def reason(session: Session, seat: str, thing: str) -> Refusal:
    return next(one for one in refused(session, seat) if one.id == thing)


def at_own_action(**change: Any) -> Session:
    session = fight(1)
    to_action(session, "oswin")
    for name, value in change.items():
        setattr(game_of(session).state.members["oswin"], name, value)
    return session


@pytest.mark.rules("EV-CARD-08")
def test_a_card_that_wants_an_item_says_which() -> None:
    session = at_own_action(equipment=[])
    found = reason(session, "east", "slash")
    assert (found.why, found.rules) == ("it requires an equipped Item with Sword", ("EV-CARD-08",))


@pytest.mark.rules("EV-CARD-11")
def test_a_card_without_a_target_says_how_far_the_nearest_is() -> None:
    session = at_own_action(at=(0, 9))
    g = game_of(session)
    refs = [f"goon:{letter}" for letter in g.state.enemies["goon"].models] + ["rogue", "outlaw-leader"]
    cells = [next(f.at for f in g.scene(None).figures if f.id == ref) for ref in refs]
    nearest = min(abs(x - 0) + abs(y - 9) for x, y in cells)
    found = reason(session, "east", "slash")
    assert found.why.startswith("no legal target: no Enemy in range 1; the nearest, ")
    assert found.why.endswith(f" is at {nearest}")


def test_what_waits_for_others_names_them() -> None:
    session = at_own_action()
    assert reason(session, "south", "ice-bolts").why == "it is the Activation of Oswin"
    assert reason(session, "east", "dodge oswin").why == "it waits for an attack"


@pytest.mark.rules("EV-CARD-09", "EV-FATE-13")
def test_a_dark_card_and_one_too_dear_to_refresh_say_so() -> None:
    session = fight(1)
    to_action(session, "isme")
    one = game_of(session).state.members["isme"]
    one.fate = 0
    for slot in one.hotbar:
        slot.side = "dark"
    assert reason(session, "north", "snare").why == "its dark side is up: refresh it first"
    assert reason(session, "north", "refresh nimble-dodge isme").why.startswith("Isme has 0 Fate; 2 is needed")
