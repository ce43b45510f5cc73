"""`x`: the last dice and answers, numbered, newest first."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from emberboard.cli.styles import KEY, QUIET
from emberboard.engine.entry_words import Choice


def choice_lines(found: Sequence[Choice], width: int) -> list[Text]:
    """The list to choose from."""
    lines = []
    for number, choice in enumerate(found, 1):
        line = Text.assemble((f" {number:>3}  ", KEY))
        line.append(choice.value, "bold")
        if choice.about:
            line.append(f"   {choice.about}", QUIET)
        line.truncate(width, overflow="ellipsis")
        lines.append(line)
    return lines
