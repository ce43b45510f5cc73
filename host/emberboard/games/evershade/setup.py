"""From a setup to a state: a scenario with its Characters and seats, or a table written out field by field.

Keys of a setup (all optional; what is left out is neutral):

    pack, content          the pack by name, and content laid over it (sections by name, structs by id)
    scenario, seats        a scenario by id, and {seat: [Character ids]} in clockwise order
    characters, companions {id: fields}: STR, AGI, INT, CHA, DIV, mob, hp, hp_max, fate, terror, boons, conditions,
                           keywords, equipment, pouch, cards (a list, or {card: side}), at, seat, status, armor, ...
    enemies, row           {id: {card, at | models: {LETTER: {at, hp}}, hp, deck, up, token, token_at, acted}}
    grid                   a Sheet written out: size, walls, dangerous, triggers, icons, objective, ...
    mode, bag, supply, round, running, marked, spaces, tokens, components, partner, companions_count, flags
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from emberboard.engine.content import decode
from emberboard.engine.errors import ContentError, Refused
from emberboard.engine.formula import value as formula_value
from emberboard.engine.question import Json
from emberboard.engine.state import Step
from emberboard.games.evershade import enemy_models
from emberboard.games.evershade.content import DIV_STEPS, ReadyCharacter, Scenario, Sheet
from emberboard.games.evershade.packs import (
    EMPTY,
    Pack,
    overlaid,
    packs_folder,
    shipped_pack,
    wrong_attributes,
    wrong_slots,
)
from emberboard.games.evershade.state import Combat, EffectToken, Enemy, Member, Model, Slot, State

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade

KEYS = (
    *("pack", "content", "scenario", "seats", "characters", "companions", "enemies", "row", "grid", "mode", "bag"),
    *("supply", "round", "running", "marked", "spaces", "tokens", "components", "partner", "companions_count"),
    *("flags", "drawn", "used_as"),
)
DEFAULT_PACK = "bear-peak"
MOST_PLAYERS = 5
_ATTRIBUTES = ("STR", "AGI", "INT", "CHA")


def pack_of(setup: Mapping[str, Json]) -> Pack:
    """The content that a setup plays with. Raises ContentError, Refused."""
    unknown = [key for key in setup if key not in KEYS]
    if unknown:
        raise Refused(f"a setup has no {unknown[0]!r}; it has {', '.join(KEYS)}")
    name = setup.get("pack") or (DEFAULT_PACK if setup.get("scenario") else "")
    pack = shipped_pack(packs_folder().joinpath(name)) if name else EMPTY
    content = dict(setup.get("content") or {})
    if setup.get("grid") is not None:
        grid = {"objective": "survive", "name": "the table", **setup["grid"]}
        content["sheets"] = {**content.get("sheets", {}), "table": grid}
    return overlaid(pack, content) if content else pack


def build(g: Evershade, setup: Mapping[str, Json]) -> None:
    """Fill the state of `g` from a setup. Raises Refused or ContentError, naming the field."""
    g.state = State()
    scenario: Scenario | None = None
    if setup.get("scenario"):
        scenario = _scenario(g, str(setup["scenario"]))
        g.state.sheet, g.state.combat.scenario = scenario.sheet, scenario.id
        seat_characters(g, scenario, setup.get("seats") or {})
    elif setup.get("grid") is not None:
        g.state.sheet = "table"
    g.state.mode = setup.get("mode", "combat" if scenario or setup.get("grid") is not None else "exploration")
    g.state.partner = bool(setup.get("partner", False))
    g.state.companions_count = bool(setup.get("companions_count", False))
    g.state.flags = dict(setup.get("flags") or {})
    for kind, section in (("character", "characters"), ("companion", "companions")):
        for name, fields in (setup.get(section) or {}).items():
            write_member(g, str(name), kind, fields or {})
    if scenario is not None:
        lay_out(g, scenario)
    for name, fields in (setup.get("enemies") or {}).items():
        write_enemy(g, str(name), fields or {})
    if setup.get("row") is not None:
        g.state.combat.row = [str(name) for name in setup["row"]]
    combat = g.state.combat
    combat.bag = {str(k): int(v) for k, v in (setup.get("bag") or combat.bag).items()}
    combat.supply = {str(k): int(v) for k, v in (setup.get("supply") or combat.supply).items()}
    combat.round = int(setup.get("round", combat.round))
    combat.running = bool(setup.get("running", False))
    combat.drawn = list(setup.get("drawn") or [])
    combat.used_as = list(setup.get("used_as") or [])
    combat.spaces = {str(k): str(v) for k, v in (setup.get("spaces") or {}).items()}
    combat.tokens += [decode(token, EffectToken, at=("tokens",)) for token in setup.get("tokens") or []]
    g.state.marked = [str(mark) for mark in setup.get("marked") or []]
    g.state.supply = {str(k): int(v) for k, v in (setup.get("components") or {}).items()}
    combat.sheet_cards = {one.card: "light" for one in g.sheet.actions if one.card}
    held = sum(one.fate for one in g.state.members.values())
    if held > 10:
        raise Refused(f"the Characters hold {held} Fate; there are 10 in all (EV-FATE-02)")
    if scenario is not None:
        g.state.ledger.agenda = [Step("start_combat")]


def _scenario(g: Evershade, name: str) -> Scenario:
    try:
        return g.pack.scenarios[name]
    except KeyError:
        known = ", ".join(g.pack.scenarios) or "none"
        raise Refused(f"the pack {g.pack.id!r} has no scenario {name!r}; it has {known}") from None


def seat_characters(g: Evershade, scenario: Scenario, seats: Mapping[str, Json]) -> None:
    """Give each seat its Characters and their start spaces; 1 to 5 Characters in all (EV-COMBAT-02)."""
    names = [
        (str(seat), str(name)) for seat, held in seats.items() for name in ([held] if isinstance(held, str) else held)
    ]
    if not 1 <= len(names) <= min(MOST_PLAYERS, len(scenario.starts)):
        raise Refused(f"a fight needs 1 to {min(MOST_PLAYERS, len(scenario.starts))} Characters, got {len(names)}")
    for (seat, name), at in zip(names, scenario.starts):
        ready = g.pack.characters.get(name)
        if ready is None:
            known = ", ".join(g.pack.characters)
            raise Refused(f"there is no ready-made Character {name!r}; there are {known}")
        if name in g.state.members:
            raise Refused(f"{ready.name} was given to two seats")
        g.state.members[name] = from_ready(ready, seat, at)


def from_ready(ready: ReadyCharacter, seat: str, at: tuple[int, int]) -> Member:
    """A ready-made Character as it sits down."""
    return Member(
        id=ready.id,
        name=ready.name,
        seat=seat,
        colour=ready.colour,
        race=ready.race,
        profession=ready.profession,
        attributes={name: ready.attributes.get(name, 1) for name in _ATTRIBUTES},
        div=ready.div,
        mob=ready.mob,
        hp=ready.hp,
        hp_max=ready.hp,
        fate=ready.fate,
        terror=ready.terror,
        boons=list(ready.boons),
        conditions=list(ready.conditions),
        keywords=list(ready.keywords),
        equipment=list(ready.items),
        pouch=list(ready.pouch),
        hotbar=[Slot(card) for card in ready.cards],
        at=at,
    )


def write_member(g: Evershade, name: str, kind: str, fields: Mapping[str, Json]) -> None:
    """Lay written fields over a ready-made Character of that id, or over a neutral one."""
    known = g.state.members.get(name)
    if known is None and fields.get("ready"):
        known = from_ready(g.pack.characters[str(fields["ready"])], name, (0, 0))
        known.id, known.at = name, None
    base: dict[str, Any] = (
        msgspec.to_builtins(known)
        if known is not None
        else {
            "id": name,
            "name": name.capitalize(),
            "seat": name,
            "kind": kind,
            "attributes": dict.fromkeys(_ATTRIBUTES, 2),
        }
    )
    for key, value in fields.items():
        if key in _ATTRIBUTES:
            base["attributes"] = {**base["attributes"], key: value}
        elif key == "DIV":
            base["div"] = value
        elif key == "cards":
            slots = value.items() if isinstance(value, Mapping) else [(card, "light") for card in value]
            base["hotbar"] = [{"card": card, "side": side} for card, side in slots]
        elif key in ("items", "equipment"):
            base["equipment"] = list(value)
        elif key == "hp":
            base["hp"] = value
            if "hp_max" not in fields and known is None:
                base["hp_max"] = max(10, value)
        elif key != "ready":
            if key not in Member.__struct_fields__:
                expected = ", ".join((*_ATTRIBUTES, "DIV", "cards", "items", *Member.__struct_fields__))
                raise ContentError(f"a Character has no {key!r}; it has {expected}", field=f"characters.{name}.{key}")
            base[key] = value
    one = decode(base, Member, at=("characters", name))
    _check_member(g, one)
    g.state.members[name] = one


def _check_member(g: Evershade, one: Member) -> None:
    wrong = wrong_slots(one.boons, one.terror)
    if one.kind == "character":
        wrong = wrong_attributes(one.attributes) or wrong
    if one.div not in DIV_STEPS:
        wrong = f"DIV {one.div!r}: expected one of {', '.join(DIV_STEPS)}"
    if wrong:
        raise ContentError(wrong, field=f"characters.{one.id}")
    for item in one.equipment:
        if item not in g.pack.items:
            raise ContentError(f"there is no Item {item!r}", field=f"characters.{one.id}.equipment")
    for name in one.pouch:
        if name not in g.pack.items and name not in g.pack.cards:
            raise ContentError(f"there is no Item or card {name!r}", field=f"characters.{one.id}.pouch")
    for slot in one.hotbar:
        if slot.card not in g.pack.cards:
            raise ContentError(f"there is no card {slot.card!r}", field=f"characters.{one.id}.cards")
    if one.at is not None and one.at not in g.grid:
        raise ContentError(f"{list(one.at)} is not on the Sheet", field=f"characters.{one.id}.at")


def write_enemy(g: Evershade, name: str, fields: Mapping[str, Json]) -> None:
    """One Enemy of a written table, or changes to one that the scenario laid out."""
    card = str(fields.get("card", g.state.enemies[name].card if name in g.state.enemies else name))
    if card not in g.pack.enemies:
        raise ContentError(f"there is no Enemy card {card!r}", field=f"enemies.{name}.card")
    printed = g.pack.enemies[card]
    one = g.state.enemies.get(name) or Enemy(name, card, deck=list(printed.deck))
    g.state.enemies[name] = one
    if name not in g.state.combat.row:
        g.state.combat.row.append(name)
    models: dict[str, Any] = dict(fields.get("models") or {})
    if fields.get("at") is not None:
        spaces = fields["at"] if isinstance(fields["at"][0], (list, tuple)) else [fields["at"]]
        models = {enemy_models.LETTERS[index]: {"at": at} for index, at in enumerate(spaces)}
    for letter, written in models.items():
        hp = int(written.get("hp", fields.get("hp", enemy_models.start_hp(g, card))))
        at = (int(written["at"][0]), int(written["at"][1]))
        if at not in g.grid:
            raise ContentError(f"{list(at)} is not on the Sheet", field=f"enemies.{name}.at")
        one.models[letter] = Model(letter, at, hp, hp)
    if not models and fields.get("hp") is not None:
        for found in one.models.values():
            found.hp = int(fields["hp"])
    for key in ("up", "markers", "acted", "deck"):
        if key in fields:
            setattr(one, key, fields[key])
    one.activation_token = str(fields.get("token", one.activation_token))
    if fields.get("token_at") is not None:
        one.token_at = (int(fields["token_at"][0]), int(fields["token_at"][1]))


def set_up(g: Evershade, name: str) -> None:
    """The set-up of an entry in the middle of a game: Sheet, row, bag, and the Characters on their start spaces."""
    scenario = _scenario(g, name)
    living = [one for one in g.state.members.values() if one.kind == "character" and one.status != "dead"]
    if len(living) > len(scenario.starts):
        raise Refused(f"{scenario.name} seats {len(scenario.starts)} Characters, there are {len(living)}")
    g.state.sheet, g.state.enemies, g.state.combat = scenario.sheet, {}, Combat(scenario=name)
    for one, at in zip(living, scenario.starts):
        one.at = at
    lay_out(g, scenario)
    g.state.combat.sheet_cards = {one.card: "light" for one in g.sheet.actions if one.card}


def lay_out(g: Evershade, scenario: Scenario) -> None:
    """The Enemy row with models, decks and tokens, the bag and the supply of a scenario (EV-COMBAT-02, EV-BAG-01)."""
    known = {"characters": sum(1 for one in g.state.members.values() if one.kind == "character")}
    combat = g.state.combat
    for part in scenario.row:
        card = g.pack.enemies[part.card]
        one = Enemy(part.card, part.card, deck=list(card.deck), token_at=part.token_at)
        g.state.enemies[one.id] = one
        combat.row.append(one.id)
        count = formula_value(part.models, known) if part.models is not None else len(part.at)
        for letter, at in zip(enemy_models.LETTERS[: min(count, card.models)], part.at):
            hp = enemy_models.start_hp(g, part.card)
            one.models[letter] = Model(letter, at, hp, hp)
    combat.bag = {token: formula_value(count, known) for token, count in scenario.bag.items()}
    combat.supply = dict(scenario.supply)


def sheet_of(pack: Pack, name: str) -> Sheet:
    """The Sheet in play; without one, an empty table of one space outside of Combat."""
    return pack.sheets.get(name) or Sheet(id="none", name="no Sheet", size=(1, 1), objective="survive")
