"""Packs: folders of YAML read into content, checked, and laid over by what a setup writes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from emberboard.engine.content import decode, decode_list, read_yaml
from emberboard.engine.errors import ContentError
from emberboard.engine.question import Json
from emberboard.games.evershade.content import (
    ATTRIBUTE_RANGE,
    ATTRIBUTES,
    BASIC_BOONS,
    CARD_TYPES,
    DIV_STEPS,
    GREATER_BOONS,
    ActivationCard,
    Card,
    CardSide,
    EnemyCard,
    Item,
    ReadyCharacter,
    Scenario,
    Sheet,
)
from emberboard.games.evershade.state import BOON_SLOTS


class Pack(msgspec.Struct, frozen=True):
    """All content of a pack, by id."""

    id: str
    version: str
    name: str
    cards: Mapping[str, Card]
    items: Mapping[str, Item]
    enemies: Mapping[str, EnemyCard]
    activation_cards: Mapping[str, ActivationCard]
    sheets: Mapping[str, Sheet]
    characters: Mapping[str, ReadyCharacter]
    scenarios: Mapping[str, Scenario]


SECTIONS: dict[str, type[Any]] = {
    "cards": Card,
    "items": Item,
    "enemies": EnemyCard,
    "activation_cards": ActivationCard,
    "sheets": Sheet,
    "characters": ReadyCharacter,
    "scenarios": Scenario,
}


def packs_folder() -> Path:
    """Where the packs that ship with the game lie."""
    return Path(str(files("emberboard.games.evershade"))).joinpath("packs")


def shipped_pack(folder: Path) -> Pack:
    """A pack, read again only when one of its files has changed. Raises ContentError as load_pack does."""
    stamp = tuple((path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in sorted(folder.glob("*.yaml")))
    return _read_once(folder, stamp)


@lru_cache(maxsize=16)
def _read_once(folder: Path, stamp: tuple[tuple[str, int, int], ...]) -> Pack:
    return load_pack(folder)


def load_pack(folder: Path) -> Pack:
    """Read and check a pack. Raises ContentError naming file, line and field."""
    if not folder.is_dir():
        known = ", ".join(sorted(path.name for path in packs_folder().iterdir() if path.is_dir()))
        raise ContentError(f"there is no pack {folder.name!r}; packs: {known}", file=str(folder))
    found: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}
    head: dict[str, Any] = {}
    for path in sorted(folder.glob("*.yaml")):
        plain = read_yaml(path)
        if not isinstance(plain, dict):
            raise ContentError("expected sections by name", file=str(path))
        for section, part in plain.items():
            if section in SECTIONS:
                for name, one in decode_list(part, SECTIONS[section], path, section).items():
                    if name in found[section]:
                        raise ContentError(f"the id {name!r} stands in two files", file=str(path), field=section)
                    found[section][name] = one
            elif section == "pack":
                head = part
            else:
                known = ", ".join(["pack", *SECTIONS])
                raise ContentError(f"there is no section {section!r}; sections: {known}", file=str(path))
    pack = Pack(folder.name, str(head.get("version", "0")), str(head.get("name", folder.name)), **found)
    check_pack(pack, folder)
    return pack


EMPTY = Pack("none", "0", "no pack", {}, {}, {}, {}, {}, {}, {})


def overlaid(pack: Pack, written: Mapping[str, Json]) -> Pack:
    """The pack with content written out in a setup laid over it. Raises ContentError."""
    merged: dict[str, Any] = {section: dict(getattr(pack, section)) for section in SECTIONS}
    for section, part in written.items():
        if section not in SECTIONS:
            raise ContentError(f"there is no section {section!r}; sections: {', '.join(SECTIONS)}", field="content")
        for name, plain in part.items():
            merged[section][name] = decode(
                {"name": name, **plain, "id": name}, SECTIONS[section], None, (section, name)
            )
    whole = msgspec.structs.replace(pack, **merged)
    check_pack(whole, None)
    return whole


def wrong_attributes(attributes: Mapping[str, int]) -> str:
    """What is wrong with the Attributes of a Character, in words (EV-ATT-01, EV-ATT-02); empty when nothing is."""
    least, most = ATTRIBUTE_RANGE
    for name, score in attributes.items():
        if name not in ATTRIBUTES:
            return f"there is no Attribute {name!r}; there are {', '.join(ATTRIBUTES)}"
        if not least <= score <= most:
            return f"{name} {score}: an Attribute is from {least} to {most} (EV-ATT-02)"
    return ""


def wrong_slots(boons: Sequence[str], terror: int) -> str:
    """What is wrong with the Boons and the Terror of a Character, in words (EV-BOON-01, EV-TERROR-01)."""
    kinds = (*BASIC_BOONS, *GREATER_BOONS)
    unknown = [boon for boon in boons if boon not in kinds]
    if unknown:
        return f"there is no Boon {unknown[0]!r}; there are {', '.join(kinds)}"
    if not 0 <= terror <= BOON_SLOTS - len(boons):
        return f"{terror} Terror and {len(boons)} Boons: expected at most {BOON_SLOTS} in all (EV-TERROR-01)"
    return ""


def _has_difficulty(card: Card, side: CardSide) -> bool:
    """Whether it is always known which Enemy Difficulty a Roll reads: the targets', or that of what is answered."""
    if side.roll is None or side.roll.difficulty != "enemy" or card.moment in ("attacked", "enemy_revealed"):
        return True
    return side.targets is not None and side.targets.kind in ("EN", "Minion", "Elite", "Boss")


def check_pack(pack: Pack, folder: Path | None) -> None:
    """What the types cannot say: references and card types. Raises ContentError."""
    where = str(folder or "")

    def known(section: str, name: str, field: str) -> None:
        if name not in getattr(pack, section):
            raise ContentError(f"{name!r} is not among the {section} of this pack", file=where, field=field)

    for card in pack.cards.values():
        if card.type not in CARD_TYPES:
            expected = ", ".join(CARD_TYPES)
            raise ContentError(f"type {card.type!r}: expected one of {expected}", file=where, field=f"cards.{card.id}")
        if card.reaction == (card.moment == "own_action"):
            message = f"a Reaction names its moment and an Action has none; this {card.type} says {card.moment!r}"
            raise ContentError(message, file=where, field=f"cards.{card.id}.moment")
        for name, side in (("light", card.light), ("dark", card.dark)):
            if not _has_difficulty(card, side):
                message = "a Roll at Enemy Difficulty needs targets EN, Minion, Elite or Boss (EV-ROLL-14)"
                raise ContentError(message, file=where, field=f"cards.{card.id}.{name}.roll")
    for item in pack.items.values():
        if item.grants:
            known("cards", item.grants, f"items.{item.id}.grants")
    for enemy in pack.enemies.values():
        for name in enemy.deck:
            known("activation_cards", name, f"enemies.{enemy.id}.deck")
    for sheet in pack.sheets.values():
        for action in sheet.actions:
            field = f"sheets.{sheet.id}.actions.{action.id}"
            if action.card:
                known("cards", action.card, field)
            if bool(action.card) == (action.kind == "plain"):
                expected = "no card" if action.kind == "plain" else "the Action card that it is"
                raise ContentError(f"a Sheet Action of kind {action.kind} names {expected}", file=where, field=field)
    for one in pack.characters.values():
        if one.div not in DIV_STEPS:
            expected = ", ".join(DIV_STEPS)
            raise ContentError(
                f"DIV {one.div!r}: expected one of {expected}", file=where, field=f"characters.{one.id}.div"
            )
        wrong = wrong_attributes(one.attributes) or wrong_slots(one.boons, one.terror)
        if wrong:
            raise ContentError(wrong, file=where, field=f"characters.{one.id}")
        for name in one.cards:
            known("cards", name, f"characters.{one.id}.cards")
        for name in one.items:
            known("items", name, f"characters.{one.id}.items")
        for name in one.pouch:
            if name not in pack.cards:
                known("items", name, f"characters.{one.id}.pouch")
    for scenario in pack.scenarios.values():
        known("sheets", scenario.sheet, f"scenarios.{scenario.id}.sheet")
        for part in scenario.row:
            known("enemies", part.card, f"scenarios.{scenario.id}.row")
