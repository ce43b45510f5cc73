"""How each meaning is coloured. Only such styles as can be read on dark and on light terminals, and never alone."""

from __future__ import annotations

QUIET = "dim"
KEY = "bold cyan"
NOTICE = "bold magenta"
NUMBERS = "cyan"
HANDS = "bold green"
ODDS = "green"
QUESTION = "bold"
TITLE = "bold reverse"
ACTIVE = "bold reverse"
THREATENED = "bold magenta"
ANSWER = "bold black on cyan"
REACH = "bold cyan"
DANGER = "bold red"
TOKEN = "bold magenta"
LINES = "dim"
WALL = "bold"

_COLOURS = {
    "red": "red",
    "yellow": "yellow",
    "blue": "blue",
    "green": "green",
    "purple": "magenta",
    "orange": "dark_orange",
    "white": "white",
}


def party_style(colour: str) -> str:
    """The letters of a party figure: on its colour."""
    known = _COLOURS.get(colour.lower(), "white")
    return f"bold white on {known}" if known == "blue" else f"bold black on {known}"


def enemy_style(colour: str) -> str:
    """The letters of an Enemy: in its colour, or plain where that could not be read everywhere."""
    known = _COLOURS.get(colour.lower(), "white")
    return "bold" if known in ("white", "blue", "yellow") else f"bold {known}"
