"""Action cards as content: their types, the fields of both sides, and what a pack is told when one is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from emberboard.engine.errors import ContentError
from emberboard.games.evershade.content import CARD_TYPES, Card, CardSide
from emberboard.games.evershade.packs import EMPTY, Pack, load_pack, overlaid, packs_folder, shipped_pack


def with_card(**fields: Any) -> Pack:
    """A pack with one card."""
    return overlaid(EMPTY, {"cards": {"slash": {"type": "Offensive Action", **fields}}})


def moment_of(kind: str) -> dict[str, str]:
    return {"moment": "attacked"} if kind.endswith("Reaction") else {}


@pytest.mark.rules("EV-CARD-02")
@pytest.mark.parametrize("kind", CARD_TYPES)
def test_the_six_types_are_accepted(kind: str) -> None:
    card = with_card(type=kind, **moment_of(kind)).cards["slash"]
    assert (card.type, card.reaction, card.defensive) == (kind, "Reaction" in kind, "Defensive" in kind)


@pytest.mark.rules("EV-CARD-02")
def test_there_are_six_types_of_two_forms() -> None:
    assert sorted(CARD_TYPES) == [
        "Defensive Action",
        "Defensive Reaction",
        "Offensive Action",
        "Offensive Reaction",
        "Support Action",
        "Support Reaction",
    ]


@pytest.mark.rules("EV-CARD-02")
@pytest.mark.parametrize("kind", ["Neutral Action", "Offensive", "Reaction", "offensive action", ""])
def test_any_other_type_is_rejected(kind: str) -> None:
    with pytest.raises(ContentError, match="expected one of Offensive Action, Offensive Reaction") as caught:
        with_card(type=kind)
    assert caught.value.field == "cards.slash"


@pytest.mark.rules("EV-CARD-05")
def test_a_card_carries_its_printed_fields_on_both_sides() -> None:
    side = {
        "sun": 1,
        "moon": 2,
        "keywords": ["Attack"],
        "requires": ["Sword"],
        "requires_near": ["Wild"],
        "targets": {"count": 2, "high": 3},
        "roll": {"attribute": "AGI", "difficulty": 8},
        "outcomes": [{"successes": 1, "effects": [{"do": "damage", "amount": "successes + 1"}], "text": "Damage."}],
        "failure": [{"do": "lose_hp", "amount": 1}],
        "effects": [{"do": "heal", "amount": 1}],
        "text": "Roll for AGI.",
        "hint": "The other side has an icon.",
    }
    card = with_card(number="01", name="Slash", light=side, dark=side).cards["slash"]
    assert (card.number, card.name, card.type) == ("01", "Slash", "Offensive Action")
    assert msgspec.json.decode(msgspec.json.encode(card.light)) == side
    assert card.dark == card.light


@pytest.mark.rules("EV-CARD-05")
def test_a_new_card_is_light_and_ready_with_a_dark_side_that_is_not() -> None:
    card = with_card().cards["slash"]
    assert (card.light.usable, card.dark.usable) == (True, False)
    assert CardSide() == card.dark


@pytest.mark.rules("EV-CARD-05")
@pytest.mark.parametrize(
    ("fields", "words", "field"),
    [
        ({"light": {"colour": "red"}}, "unknown field `colour`", "cards.slash.light"),
        ({"light": {"sun": "two"}}, "Expected `int`", "cards.slash.light.sun"),
        ({"dark": {"targets": {"kind": "XX"}}}, "Invalid enum value 'XX'", "cards.slash.dark.targets.kind"),
        ({"light": {"effects": [{"do": "dance"}]}}, "Invalid value 'dance'", "cards.slash.light.effects.0.do"),
        ({"moment": "attacked"}, "a Reaction names its moment and an Action has none", "cards.slash.moment"),
        ({"type": "Support Reaction"}, "a Reaction names its moment and an Action has none", "cards.slash.moment"),
        ({"light": {"roll": {"attribute": "LUK"}}}, "Invalid enum value 'LUK'|Expected", "cards.slash.light.roll"),
        (
            {"light": {"roll": {"attribute": "STR"}, "targets": {"kind": "CH"}}},
            "a Roll at Enemy Difficulty needs targets EN",
            "cards.slash.light.roll",
        ),
    ],
)
def test_what_is_no_card_is_rejected_with_its_field(fields: dict[str, Any], words: str, field: str) -> None:
    with pytest.raises(ContentError, match=words) as caught:
        with_card(**fields)
    assert caught.value.field.startswith(field)


@pytest.mark.rules("EV-CARD-05")
def test_a_card_without_its_type_is_rejected() -> None:
    with pytest.raises(ContentError, match="missing required field `type`"):
        overlaid(EMPTY, {"cards": {"slash": {"number": "01"}}})


@pytest.mark.rules("EV-CARD-02", "EV-CARD-05")
def test_a_pack_on_disk_is_checked_with_file_and_line(tmp_path: Path) -> None:
    lines = [
        "cards:",
        "- {id: slash, name: Slash, type: Offensive Action}",
        "- {id: hum, type: Support Action, sun: 1}",
    ]
    (tmp_path / "cards.yaml").write_text("\n".join(lines))
    with pytest.raises(ContentError, match="unknown field `sun`") as caught:
        load_pack(tmp_path)
    assert (caught.value.file, caught.value.line) == (str(tmp_path / "cards.yaml"), 3)


@pytest.mark.rules("EV-CARD-02", "EV-CARD-05")
def test_every_shipped_card_has_a_type_a_name_and_a_text() -> None:
    cards: list[Card] = [card for one in sorted(packs_folder().iterdir()) for card in shipped_pack(one).cards.values()]
    assert cards
    for card in cards:
        assert card.type in CARD_TYPES, card.id
        assert card.name and (card.light.text or card.light.effects), card.id
