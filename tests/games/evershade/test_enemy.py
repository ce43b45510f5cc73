"""Enemy cards as content (EV-ENEMY-01): the fields that they have, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from emberboard.engine.content import decode
from emberboard.engine.errors import ContentError
from emberboard.games.evershade.content import EnemyCard
from emberboard.games.evershade.packs import EMPTY, overlaid, packs_folder, shipped_pack

WRITTEN: dict[str, Any] = {
    "id": "troll",
    "number": "E12",
    "adventure": "OBP",
    "name": "Troll",
    "category": "Elite",
    "keywords": ["Giant"],
    "hp": "4 + 2 * characters",
    "armor": 2,
    "difficulty": 9,
    "effects": [{"do": "each_loses_hp", "amount": 1}],
    "deck": ["stomp"],
}


def card(**changes: object) -> EnemyCard:
    """The written card with changes; None takes a field out."""
    return decode({key: value for key, value in {**WRITTEN, **changes}.items() if value is not None}, EnemyCard)


@pytest.mark.rules("EV-ENEMY-01")
def test_an_enemy_card_has_every_field_of_the_book() -> None:
    troll = card()
    assert (troll.number, troll.adventure, troll.name) == ("E12", "OBP", "Troll")
    assert (troll.category, troll.keywords) == ("Elite", ("Giant",))
    assert (troll.hp, troll.armor, troll.difficulty) == ("4 + 2 * characters", 2, 9)
    assert [type(effect).__name__ for effect in troll.effects] == ["EachLosesHP"]
    assert troll.deck == ("stomp",)


@pytest.mark.rules("EV-ENEMY-01")
def test_extra_effect_and_deck_may_be_empty() -> None:
    plain = card(effects=None, deck=None)
    assert (plain.effects, plain.deck) == ((), ())
    pack = shipped_pack(packs_folder() / "bear-peak")
    salvo, goon = pack.enemies["arrow-salvo"], pack.enemies["goon"]
    assert salvo.effects
    assert not salvo.deck
    assert goon.deck
    assert not goon.effects


@pytest.mark.rules("EV-ENEMY-01", "EV-ENEMY-02")
@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"category": "Champion"}, "category"),
        ({"category": None}, "category"),
        ({"name": None}, "name"),
        ({"difficulty": "hard"}, "difficulty"),
        ({"deck": "stomp"}, "deck"),
        ({"strength": 3}, "strength"),
    ],
)
def test_a_card_with_a_wrong_field_is_refused_by_its_name(changes: dict[str, object], field: str) -> None:
    with pytest.raises(ContentError, match=field):
        card(**changes)


@pytest.mark.rules("EV-ENEMY-01")
def test_a_deck_names_activation_cards_that_the_pack_has() -> None:
    written = {key: value for key, value in WRITTEN.items() if key != "id"}
    stomp = {"name": "Stomp", "actions": [{"by": "closest", "damage": 1}]}
    pack = overlaid(EMPTY, {"enemies": {"troll": written}, "activation_cards": {"stomp": stomp}})
    assert pack.enemies["troll"].deck == ("stomp",)
    with pytest.raises(ContentError, match="'stomp' is not among the activation_cards"):
        overlaid(EMPTY, {"enemies": {"troll": written}})
