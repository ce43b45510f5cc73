"""Sittings without a terminal: what is typed comes from a list, what is shown goes into a string."""

from __future__ import annotations

import contextlib
import io
import random
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from emberboard.cli.sitting import Sitting
from emberboard.cli.terminal import Left, Terminal
from emberboard.engine.session import Session
from emberboard.games import registry
from emberboard.games.desk import desk_of
from emberboard.play.preferences import Preferences
from emberboard.store.sqlite_journal import create

SEATS: dict[str, list[str]] = {"Ada": ["malah"], "Ben": ["chiri"], "Cleo": ["oswin"]}
SCENARIO = "outlaws-of-bear-peak"


class ScriptedTerminal(Terminal):
    """A terminal at which the given lines are typed; then somebody leaves."""

    def __init__(self, typed: Sequence[str] = (), width: int = 100, height: int = 50) -> None:
        super().__init__(Console(file=io.StringIO(), width=width, height=height, highlight=False))
        self.typed = list(typed)

    def ask(self, prompt: str) -> str:
        self.console.print(prompt, end="", markup=False)
        if not self.typed:
            raise Left
        return self.typed.pop(0)

    def clear(self) -> None:
        """What is shown from here on is what is on the screen."""
        self.shown = ""

    @property
    def shown(self) -> str:
        """What was shown since the screen was last cleared."""
        file = self.console.file
        assert isinstance(file, io.StringIO)
        return file.getvalue()

    @shown.setter
    def shown(self, words: str) -> None:
        self.console.file = io.StringIO(words)


def open_fight(save: Path, seed: int = 1, seats: dict[str, list[str]] | None = None) -> Session:
    """A new fight in a save of its own."""
    desk = desk_of("evershade")
    setup = desk.setup(SCENARIO, seats or SEATS)
    game = registry.game_class("evershade")
    return Session.new(game, setup, journal=lambda meta: create(save, meta), rng=random.Random(seed))


class Group:
    """A group at the terminal: `types` lines, `sees` the screen."""

    def __init__(self, session: Session, save: Path, *, width: int = 100, height: int = 50) -> None:
        self.terminal = ScriptedTerminal((), width, height)
        self.session = session
        desk = desk_of("evershade")
        self.sitting = Sitting(self.terminal, session, desk, save, Preferences(), desk.title(session.game))

    def types(self, *lines: str) -> str:
        """Type lines; what is on the screen then."""
        self.terminal.typed = list(lines)
        with contextlib.suppress(Left):
            self.sitting.run()
        return self.sees

    @property
    def sees(self) -> str:
        """What is on the screen, line ends joined so that wrapping does not hide words."""
        return " ".join(self.terminal.shown.split())
