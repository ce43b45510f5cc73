"""What a Character may be written with: Attributes, DIV, Boons, Terror, Fate (areas ATT, DIV, BOON, TERROR, FATE)."""

from __future__ import annotations

from typing import Any

import pytest

from emberboard.engine.errors import ContentError, Refused
from emberboard.engine.session import Session
from emberboard.games.evershade import components
from emberboard.games.evershade.content import BASIC_BOONS, GREATER_BOONS
from emberboard.games.evershade.game import Evershade
from emberboard.games.evershade.packs import EMPTY, Pack, overlaid

READY = {"race": "alf", "profession": "mage", "div": "D6", "mob": 5, "hp": 9}


def seated(**fields: Any) -> Session:
    return Session.new(Evershade, {"mode": "exploration", "characters": {"ada": fields}})


def ready(**fields: Any) -> Pack:
    """A pack with one ready-made Character."""
    return overlaid(EMPTY, {"characters": {"ada": {**READY, "attributes": {"STR": 2}, **fields}}})


@pytest.mark.rules("EV-ATT-02")
@pytest.mark.parametrize("name", ["STR", "AGI", "INT", "CHA"])
@pytest.mark.parametrize("score", [1, 6])
def test_an_attribute_from_1_to_6(name: str, score: int) -> None:
    assert seated(**{name: score}).game.state.members["ada"].attributes[name] == score
    assert ready(attributes={name: score}).characters["ada"].attributes == {name: score}


@pytest.mark.rules("EV-ATT-02")
@pytest.mark.parametrize("name", ["STR", "AGI", "INT", "CHA"])
@pytest.mark.parametrize("score", [0, 7, -1])
def test_any_other_attribute_is_refused(name: str, score: int) -> None:
    with pytest.raises(ContentError, match=f"{name} {score}: an Attribute is from 1 to 6") as caught:
        seated(**{name: score})
    assert caught.value.field == "characters.ada"
    with pytest.raises(ContentError, match=f"{name} {score}: an Attribute is from 1 to 6"):
        ready(attributes={name: score})


@pytest.mark.rules("EV-ATT-01", "EV-ATT-02")
def test_there_are_four_attributes_and_they_are_whole() -> None:
    with pytest.raises(ContentError, match="there is no Attribute 'LUCK'; there are STR, AGI, INT, CHA"):
        ready(attributes={"LUCK": 3})
    with pytest.raises(ContentError, match="int"):
        ready(attributes={"STR": 2.5})
    with pytest.raises(ContentError, match="int"):
        seated(STR=2.5)


@pytest.mark.rules("EV-DIV-01", "EV-DIV-02")
def test_a_div_is_one_of_the_progression() -> None:
    for value in ("D4", "D6", "D8", "D10", "D12", "D12+D4", "D20", "D20+D6"):
        assert seated(DIV=value).game.state.members["ada"].div == value
        assert ready(div=value).characters["ada"].div == value
    for value in ("D7", "D6+D4", ""):
        with pytest.raises(ContentError, match="expected one of D4, D6, D8"):
            seated(DIV=value)
        with pytest.raises(ContentError, match="expected one of D4, D6, D8"):
            ready(div=value)


@pytest.mark.rules("EV-BOON-01")
def test_the_kinds_of_boon() -> None:
    assert BASIC_BOONS == ("+1 STR", "+1 AGI", "+1 INT", "+1 CHA", "+1 D4 DIV")
    assert GREATER_BOONS == ("+3 STR", "+3 AGI", "+3 INT", "+3 CHA", "+1 D12 DIV", "-1 Roll Difficulty")


@pytest.mark.rules("EV-BOON-01")
@pytest.mark.parametrize("boon", ["+2 STR", "+1 D6 DIV", "-2 Roll Difficulty", "+1 MOB"])
def test_any_other_boon_is_refused(boon: str) -> None:
    for write in (lambda: seated(boons=[boon]), lambda: ready(boons=[boon])):
        with pytest.raises(ContentError, match="there is no Boon"):
            write()
    card = {"type": "Support Action", "light": {"usable": True, "effects": [{"do": "boon", "boon": boon}]}}
    with pytest.raises(ContentError, match="Invalid enum value"):
        overlaid(EMPTY, {"cards": {"bless": card}})


@pytest.mark.rules("EV-TERROR-01")
def test_boons_and_terror_have_four_slots() -> None:
    seated(terror=2, boons=["+1 STR", "+1 CHA"])
    for fields in ({"terror": 3, "boons": ["+1 STR", "+1 CHA"]}, {"terror": 5}, {"boons": ["+1 STR"] * 5}):
        with pytest.raises(ContentError, match="expected at most 4 in all"):
            seated(**fields)
        with pytest.raises(ContentError, match="expected at most 4 in all"):
            ready(**fields)


@pytest.mark.rules("EV-FATE-02")
def test_more_than_10_fate_cannot_be_held() -> None:
    seated(fate=10)
    with pytest.raises(Refused, match="hold 11 Fate; there are 10 in all"):
        Session.new(Evershade, {"mode": "exploration", "characters": {"ada": {"fate": 6}, "bram": {"fate": 5}}})


@pytest.mark.rules("EV-GEN-03")
def test_what_runs_out_and_what_does_not() -> None:
    game = seated().game
    assert isinstance(game, Evershade)
    counted = ("Boon", "Terror", "Condition", "Danger model", "Quest model")
    assert {name: components.left(game, name) for name in counted} == {
        "Boon": 25,
        "Terror": 20,
        "Condition": 20,
        "Danger model": 3,
        "Quest model": 6,
    }
    for name in ("Universal marker", "HP dial", "D12", "Divinum die"):
        assert components.left(game, name) is None
        assert components.take(game, name, 100) == 100
