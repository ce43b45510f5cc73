"""Sheet Actions as content, and what the shipped Sheet says of its Combat."""

from __future__ import annotations

from typing import Any

import pytest

from emberboard.engine.errors import ContentError
from emberboard.games.evershade.packs import EMPTY, Pack, overlaid, packs_folder, shipped_pack

CARDS = {"slash": {"type": "Offensive Action"}}


def with_action(action: dict[str, Any]) -> Pack:
    """A pack with one Sheet that has this Action."""
    return overlaid(EMPTY, {"cards": CARDS, "sheets": {"yard": {"size": [2, 2], "actions": [{"id": "one", **action}]}}})


@pytest.mark.rules("EV-SHEET-06")
@pytest.mark.parametrize(
    ("action", "kind"),
    [
        ({"kind": "printed", "card": "slash"}, "printed"),
        ({"kind": "additional", "card": "slash"}, "additional"),
        ({"kind": "plain", "effects": [{"do": "heal", "amount": 1}]}, "plain"),
    ],
)
def test_a_sheet_action_has_one_of_three_kinds(action: dict[str, Any], kind: str) -> None:
    assert [one.kind for one in with_action(action).sheets["yard"].actions] == [kind]


@pytest.mark.rules("EV-SHEET-06")
@pytest.mark.parametrize(
    ("action", "words"),
    [
        ({"kind": "token"}, "Invalid enum value 'token'"),
        ({"card": "slash"}, "required field `kind`"),
        ({"kind": "printed"}, "a Sheet Action of kind printed names the Action card that it is"),
        ({"kind": "additional"}, "a Sheet Action of kind additional names the Action card that it is"),
        ({"kind": "plain", "card": "slash"}, "a Sheet Action of kind plain names no card"),
        ({"kind": "printed", "card": "parry"}, "'parry' is not among the cards of this pack"),
    ],
)
def test_any_other_sheet_action_is_refused(action: dict[str, Any], words: str) -> None:
    with pytest.raises(ContentError, match=words) as caught:
        with_action(action)
    assert "yard" in caught.value.field


@pytest.mark.rules("EV-SHEET-10")
def test_outlaws_of_bear_peak() -> None:
    pack = shipped_pack(packs_folder() / "bear-peak")
    sheet = pack.sheets[pack.scenarios["outlaws-of-bear-peak"].sheet]
    assert (sheet.name, sheet.objective) == ("Outlaws of Bear Peak", "defeat all Enemies")
    assert (sheet.victory, sheet.defeat) == (138, 139)
