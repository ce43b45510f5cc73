"""Lands of Evershade at the terminal: its packs and ready-made Characters, and the Characters' boards."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from emberboard.engine.errors import Refused
from emberboard.engine.game import Game
from emberboard.engine.question import Json
from emberboard.engine.session import Session
from emberboard.games.desk import Board, CardShown, GameDesk, ReadyShown, ScenarioShown
from emberboard.games.evershade import roster
from emberboard.games.evershade.game import Evershade
from emberboard.games.evershade.packs import Pack, load_pack, packs_folder
from emberboard.games.evershade.setup import MOST_PLAYERS


@cache
def _packs() -> tuple[Pack, ...]:
    """The packs that are shipped; reading them takes a moment, so it is done once."""
    return tuple(load_pack(path) for path in sorted(packs_folder().iterdir()) if (path / "pack.yaml").is_file())


def _pack_with(scenario: str) -> Pack:
    for pack in _packs():
        if scenario in pack.scenarios:
            return pack
    raise Refused(f"no pack has a scenario {scenario!r}")


def scenarios() -> list[ScenarioShown]:
    """The scenarios of all packs."""
    return [
        ScenarioShown(one.id, one.name, pack.id, one.text.strip(), min(MOST_PLAYERS, len(one.starts)))
        for pack in _packs()
        for one in pack.scenarios.values()
    ]


def characters(scenario: str) -> list[ReadyShown]:
    """The ready-made Characters of the pack that holds the scenario."""
    found = []
    for one in _pack_with(scenario).characters.values():
        attributes = " ".join(f"{name} {value}" for name, value in one.attributes.items())
        words = f"{one.profession}, HP {one.hp}, {attributes}, DIV {one.div}. {one.text}"
        found.append(ReadyShown(one.id, one.name, words.strip()))
    return found


def setup(scenario: str, seats: Mapping[str, Sequence[str]]) -> dict[str, Json]:
    """The setup of a new fight."""
    return {
        "pack": _pack_with(scenario).id,
        "scenario": scenario,
        "seats": {seat: list(held) for seat, held in seats.items()},
    }


def _table(game: Game[Any]) -> Evershade:
    if not isinstance(game, Evershade):
        raise Refused(f"{game.name} is not Lands of Evershade")
    return game


def title(game: Game[Any]) -> str:
    """The name of the scenario in play."""
    table = _table(game)
    scenario = table.pack.scenarios.get(table.state.combat.scenario)
    return scenario.name if scenario is not None else "Lands of Evershade"


def boards(game: Game[Any]) -> list[Board]:
    """The boards of all Characters, dead ones too, in seat order."""
    table = _table(game)
    return [
        Board(
            id=one.id,
            name=one.name,
            seat=one.seat,
            colour=one.colour,
            hp=one.hp,
            hp_max=one.hp_max,
            status="" if one.status == "standing" else one.status,
            counters=(("Fate", one.fate), ("Terror", one.terror)),
            lists=(("Boons", tuple(one.boons)), ("Conditions", tuple(one.conditions))),
            cards=tuple(CardShown(table.pack.cards[slot.card].name, slot.side == "light") for slot in one.hotbar),
        )
        for one in table.state.members.values()
    ]


def label(game: Game[Any], ref: str) -> str:
    """A figure's name as shown."""
    return roster.label(_table(game), ref)


def policy() -> Callable[[Session], None]:
    """The simple player: one step a call. Raises Refused when this copy has none."""
    try:
        found: Callable[[Session], None] = importlib.import_module("emberboard.games.evershade.policy").answer
    except ModuleNotFoundError as error:
        raise Refused(
            "this copy of Emberboard has no player policy for evershade, so it cannot play by itself"
        ) from error
    return found


def check_pack(named: str) -> str:
    """Read the pack in a folder, or one that ships with the game; what it holds, in words. Raises ContentError."""
    folder = Path(named)
    if not folder.is_dir():
        folder = packs_folder() / named
    pack = load_pack(folder)
    counted = {
        "scenario(s)": pack.scenarios,
        "Sheet(s)": pack.sheets,
        "Enemies": pack.enemies,
        "Activation cards": pack.activation_cards,
        "cards": pack.cards,
        "Items": pack.items,
        "ready-made Characters": pack.characters,
    }
    held = ", ".join(f"{len(part)} {name}" for name, part in counted.items())
    return f"{pack.name} (version {pack.version}): {held}. No fault found."


DESK = GameDesk(
    name=Evershade.name,
    scenarios=scenarios,
    characters=characters,
    setup=setup,
    title=title,
    boards=boards,
    label=label,
    policy=policy,
    check_pack=check_pack,
    scopes=("activation", "round"),
    adjustable=(
        "a malah hp 5        HP of a Character or an Enemy (a goon:A hp 1)",
        "a malah fate 2      Fate; terror the same way",
        "a goon:A at 3,4     where a figure stands",
        "a malah card taunt  turn a card of the Hotbar over",
        "a bag white 2 black 3   tokens in the bag; colours not named stay",
        "a mark H            a mark, set or cleared",
    ),
)
