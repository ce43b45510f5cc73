"""The look at linked Action cards before an Item is taken (EV-ITEM-04)."""

from __future__ import annotations

import pytest

from emberboard.engine.question import Choose
from emberboard.engine.session import Session
from emberboard.games.evershade.game import Evershade

SETUP = {
    "mode": "exploration",
    "content": {
        "items": {
            "long-sword": {"slot": "Hand", "grants": "slash"},
            "war-horn": {"grants": "blow"},
            "rope": {},
        },
        "cards": {
            "slash": {
                "name": "Slash",
                "type": "Offensive Action",
                "light": {"usable": True, "sun": 1, "text": "Damage equal to Successes."},
                "dark": {"moon": 2},
            },
            "blow": {
                "name": "Blow the Horn",
                "type": "Support Action",
                "light": {"usable": True, "text": "Each Character in R4 gains a Boon."},
                "dark": {"text": "Your armor is 1 higher."},
            },
        },
    },
    "characters": {"ada": {}, "bram": {}},
}


def offered(*items: str) -> tuple[Session, Choose]:
    session = Session.new(Evershade, SETUP)
    session.start("choose_item", {"who": "ada", "items": list(items)})
    assert isinstance(session.question, Choose)
    return session, session.question


@pytest.mark.rules("EV-ITEM-04")
def test_both_linked_cards_are_shown_before_the_decision() -> None:
    session, question = offered("long-sword", "war-horn")
    assert question.who.seats == ("ada",)
    shown = {option.id: option.note for option in question.options}
    assert shown == {
        "long-sword": "Slash (Offensive Action). Light side: 1 sun. Damage equal to Successes. Dark side: 2 moon.",
        "war-horn": "Blow the Horn (Support Action). Light side: Each Character in R4 gains a Boon. "
        "Dark side: Your armor is 1 higher.",
    }
    session.answer(question.id, "war-horn")
    assert session.game.state.members["ada"].pouch == ["war-horn"]
    assert session.question is None


def test_an_item_without_a_card_shows_none() -> None:
    _, question = offered("rope", "long-sword")
    assert question.options[0].note == ""
