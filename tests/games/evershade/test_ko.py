"""Elimination in the middle of one's own Action, by a text that reaches others too (EV-KO-05, EV-KO-07)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from emberboard.engine.question import Choose
from emberboard.engine.session import Session
from emberboard.engine.timing import Proc
from emberboard.games.evershade import rounds
from emberboard.games.evershade.effects import Context
from emberboard.games.evershade.game import Evershade


def floor_breaks(g: Evershade, context: Context, column: int) -> Proc[None]:
    yield from rounds.eliminate_beyond(g, column)


class WithHook(Evershade):
    """A game whose content breaks the floor."""

    @classmethod
    def open(cls, setup_: Mapping[str, Any]) -> WithHook:
        opened = super().open(setup_)
        assert isinstance(opened, WithHook)
        opened.hooks["floor_breaks"] = floor_breaks
        return opened


def setup(bram_at: int) -> dict[str, Any]:
    effects = [{"do": "hook", "name": "floor_breaks", "args": {"column": 3}}, {"do": "fate", "amount": 2}]
    return {
        "grid": {"size": [6, 1], "defeat": 139},
        "content": {"cards": {"stamp": {"type": "Offensive Action", "light": {"usable": True, "effects": effects}}}},
        "characters": {
            "ada": {"hp": 5, "at": [4, 0], "cards": ["stamp"]},
            "bram": {"hp": 5, "at": [bram_at, 0]},
            "cleo": {"hp": 0, "hp_max": 9, "status": "knocked out", "token_at": [3, 0], "conditions": ["Injury"]},
        },
    }


def stamped(bram_at: int) -> Session:
    session = Session.new(WithHook, setup(bram_at))
    session.start("activate_character", {"who": "ada"})
    assert isinstance(session.question, Choose)
    session.answer(session.question.id, "stamp")
    return session


@pytest.mark.rules("EV-KO-05", "EV-KO-07")
def test_own_action_stops_when_its_user_is_eliminated_and_others_with_it() -> None:
    session = stamped(bram_at=0)
    members = session.game.state.members
    assert session.question is None
    assert {name: one.status for name, one in members.items()} == {
        "ada": "eliminated",
        "bram": "standing",
        "cleo": "eliminated",
    }
    assert (members["ada"].hp, members["ada"].conditions, members["ada"].fate) == (0, [], 0)
    assert (members["cleo"].token_at, members["cleo"].conditions) == (None, ["Injury"])
    assert members["ada"].hotbar[0].side == "dark"
    assert session.game.state.combat.turn is None


@pytest.mark.rules("EV-KO-05", "EV-COMBAT-05")
def test_everybody_eliminated_is_defeat() -> None:
    session = stamped(bram_at=5)
    assert session.game.state.combat.result == "defeat"
    assert [one.status for one in session.game.state.members.values()] == ["eliminated"] * 3
    for _ in range(3):
        assert session.question is not None
        session.roll(session.question.id)
    assert session.game.state.entries == [139]
