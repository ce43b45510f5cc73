"""Beginning a fight: its save, its session, seats where nobody asks for others."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from emberboard.engine.errors import Refused
from emberboard.engine.session import Session
from emberboard.games import registry
from emberboard.games.desk import GameDesk
from emberboard.store.saves import new_path
from emberboard.store.sqlite_journal import create

MOST_PLAYERS = 5


def seats_for(desk: GameDesk, scenario: str, players: int) -> dict[str, list[str]]:
    """Seats without asking: the first ready-made Characters, one each; one player holds two. Raises Refused."""
    if not 1 <= players <= MOST_PLAYERS:
        raise Refused(f"a fight has 1 to {MOST_PLAYERS} players, not {players}")
    ready = [one.id for one in desk.characters(scenario)]
    if players == 1:
        return {"Player 1": ready[:2]}
    return {f"Player {number}": [name] for number, name in enumerate(ready[:players], 1)}


def begin_fight(
    desk: GameDesk, scenario: str, held: Mapping[str, Sequence[str]], rng: random.Random | None = None
) -> tuple[Session, Path]:
    """A new fight in a new save, and where that is. `held` names each seat's Characters. Raises EmberboardError."""
    path = new_path(scenario)
    setup = desk.setup(scenario, held)
    return Session.new(registry.game_class(desk.name), setup, journal=lambda meta: create(path, meta), rng=rng), path
