"""Speaking with the person in front of a real table, past pytest's capturing."""

from __future__ import annotations

from pathlib import Path

TERMINAL = Path("/dev/tty")


def say(words: str) -> None:
    """A line for them."""
    with TERMINAL.open("w", encoding="utf-8") as terminal:
        terminal.write(words + "\n")


def ask(words: str) -> str:
    """Their answer to a question, in lower case."""
    with TERMINAL.open("w", encoding="utf-8") as terminal:
        terminal.write(words + " ")
    with TERMINAL.open(encoding="utf-8") as terminal:
        return terminal.readline().strip().lower()
