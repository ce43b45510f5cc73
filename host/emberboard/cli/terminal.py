"""The terminal: a console to print on, and lines that people type."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from emberboard.cli.signs import Signs, signs_for


class Left(Exception):
    """Somebody left: Ctrl-C, Ctrl-D, or the word for it."""


class Terminal:
    """Where the group reads and types."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(highlight=False)

    @property
    def signs(self) -> Signs:
        """The signs that this terminal can show."""
        return signs_for(self.console.encoding)

    def size(self) -> tuple[int, int]:
        """Columns and lines."""
        return self.console.size.width, self.console.size.height

    def clear(self) -> None:
        """Start on an empty screen; what was above stays in the terminal's own memory."""
        self.console.clear()

    def lines(self, lines: Iterable[Text | str]) -> None:
        """Print whole lines as they are."""
        shown = [line if isinstance(line, Text) else Text(line) for line in lines]
        self.console.print(Text("\n").join(shown), soft_wrap=True)

    def ask(self, prompt: str) -> str:
        """One line that was typed, without blanks around it. Raises Left at its end or at Ctrl-C."""
        self.console.file.flush()
        try:
            return input(prompt).strip()
        except (EOFError, KeyboardInterrupt):
            self.console.print()
            raise Left from None
        except UnicodeDecodeError:
            return "�"


def is_terminal() -> bool:
    """Whether somebody can type here."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def edit_lines() -> None:
    """Let typed lines be edited and called back with the arrows, where the platform can."""
    try:
        import readline
    except ImportError:
        return
    # Importing it is what changes input(). Without this the tab key would complete the names of files.
    readline.set_completer(lambda typed, number: None)
