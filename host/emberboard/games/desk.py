"""What a game tells the terminal beside its scene: scenarios to choose, Characters to hold, boards to show.

The kernel's contract knows no Characters and no scenarios, so each game has one `GameDesk` here.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from emberboard.engine.errors import Refused
from emberboard.engine.game import Game
from emberboard.engine.question import Json
from emberboard.engine.session import Session


@dataclass(frozen=True)
class ScenarioShown:
    """A scenario as the list shows it; `most` is how many Characters it has places for."""

    id: str
    name: str
    pack: str
    text: str
    most: int


@dataclass(frozen=True)
class ReadyShown:
    """A ready-made Character as players choose it."""

    id: str
    name: str
    words: str


@dataclass(frozen=True)
class CardShown:
    """A card, whether its light side is up, and what stands on the side that is up.

    `when` says at which moment it is used, `range` whom it reaches and how far, `needs` what its user must have; `sun`
    and `moon` are targeting icons; `usable` is whether this side can be used at all; `other` is the text of the side
    below, `refresh` how a dark card turns light again.
    """

    name: str
    light: bool
    id: str = ""
    type: str = ""
    when: str = ""
    text: str = ""
    sun: int = 0
    moon: int = 0
    range: str = ""
    needs: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    usable: bool = False
    other: str = ""
    refresh: str = ""


@dataclass(frozen=True)
class ItemShown:
    """An Item: what it does in a few words, whether it is worn or held, whether it has an Action of its own."""

    id: str
    name: str
    text: str = ""
    equipped: bool = True
    action: bool = False
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True)
class Board:
    """A Character's board: counters (`Fate`, 1), lists of words (`Boons`, ...), cards with the side that is up.

    `attributes` are the numbers that stay, each with its name (`STR`, `3`).
    """

    id: str
    name: str
    seat: str
    colour: str
    hp: int
    hp_max: int
    status: str = ""
    counters: tuple[tuple[str, int], ...] = ()
    lists: tuple[tuple[str, tuple[str, ...]], ...] = ()
    cards: tuple[CardShown, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    items: tuple[ItemShown, ...] = ()


@dataclass(frozen=True)
class GameDesk:
    """One game's part. `scopes` are the words one may pass until, `adjustable` what `a` may change, by examples."""

    name: str
    scenarios: Callable[[], list[ScenarioShown]]
    characters: Callable[[str], list[ReadyShown]]
    setup: Callable[[str, Mapping[str, Sequence[str]]], dict[str, Json]]
    title: Callable[[Game[Any]], str]
    boards: Callable[[Game[Any]], list[Board]]
    label: Callable[[Game[Any], str], str]
    policy: Callable[[], Callable[[Session], None]]
    check_pack: Callable[[str], str]
    scopes: tuple[str, ...]
    adjustable: tuple[str, ...]


DESKS = {"evershade": "emberboard.games.evershade.desk"}
"""The games that can be played at the terminal, and the modules of their desks."""


def desk_of(game: str) -> GameDesk:
    """The desk of a game. Raises Refused when it cannot be played at the terminal."""
    if game not in DESKS:
        raise Refused(f"{game!r} cannot be played at the terminal; these can: {', '.join(DESKS)}")
    desk = importlib.import_module(DESKS[game]).DESK
    if not isinstance(desk, GameDesk):
        raise Refused(f"{DESKS[game]} has no desk")
    return desk


def find_scenario(scenario: str) -> tuple[GameDesk, ScenarioShown]:
    """The scenario of that id and the desk of its game; without a word, the first there is. Raises Refused."""
    known: list[str] = []
    for game in DESKS:
        desk = desk_of(game)
        for shown in desk.scenarios():
            if scenario in ("", shown.id):
                return desk, shown
            known.append(shown.id)
    raise Refused(f"there is no scenario {scenario!r}; there are {', '.join(known)}")
