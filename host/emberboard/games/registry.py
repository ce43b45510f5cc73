"""Which games there are: found by their folders, imported when asked for."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from emberboard.engine.errors import Refused
from emberboard.engine.example_file import nearest
from emberboard.engine.game import Game

_HERE = Path(__file__).parent


def names() -> list[str]:
    """The games whose rules are in this package, sorted."""
    return sorted(path.parent.name for path in _HERE.glob("*/rules.yaml"))


def folder(name: str) -> Path:
    """Where a game's rules, packs and examples lie. Raises Refused for a game that is not there."""
    if name not in names():
        raise Refused(f"there is no game {name!r}; {nearest(name, names())}")
    return _HERE.joinpath(name)


def game_class(name: str) -> type[Game[Any]]:
    """The class of a game: the one in its module `game` that bears its name. Raises Refused when there is none."""
    folder(name)
    module = importlib.import_module(f"emberboard.games.{name}.game")
    for found in vars(module).values():
        if isinstance(found, type) and issubclass(found, Game) and getattr(found, "name", "") == name:
            return found
    raise Refused(f"{module.__name__} holds no Game with name = {name!r}")


def playable() -> dict[str, type[Game[Any]]]:
    """Every game that can be played, by name."""
    return {name: game_class(name) for name in names() if _HERE.joinpath(name, "game.py").exists()}
