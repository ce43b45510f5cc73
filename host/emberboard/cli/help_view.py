"""`h`: all keys."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.text import Text

from emberboard.cli.styles import KEY

_KEY_WIDE = 15

KEYS: tuple[tuple[str, str], ...] = (
    ("1 2 3", "the answer with that number; several: 1 3; an order: 2 1 3"),
    ("7,4", "a space (column, row); a way step by step: 7,5 7,4; stay: where one is"),
    ("12 9 3", "dice in the order shown, group by group or all in one line"),
    ("white, w", "the token that was drawn (any beginning of the word)"),
    ("r", "the program rolls or draws"),
    ("b c d ...", "take the offer with that letter"),
    ("g", "go on: nobody wants to do anything here"),
    ("y n", "yes, no (where that is asked)"),
    ("ada: 1", "says that Ada answers (needed where she asked the table to wait)"),
    ("u", "undo the last decision and what followed; u 3 the last three inputs"),
    ("y", "redo what was undone (redo, where y means yes)"),
    ("x", "correct a mis-keyed die, token or answer further back"),
    ("a", "adjust by agreement: a malah hp 5; a alone lists what may be changed"),
    ("?", "why: the numbers and rules of the last lines; ? EV-COVER-01 one rule"),
    ("l", "the whole log; l 20 its last lines"),
    ("p", "pass ahead: do not stop for my offers until the end of this {scope}"),
    ("p {last}", "the same until the end of the {last}; p ada for one player; p off: ask again"),
    ("w ada", "wait: no window closes before Ada has answered"),
    ("dice program", "Enter lets the program roll; dice hand: dice are typed. tokens the same"),
    ("m, Enter", "draw the table again (or roll, where the program rolls)"),
    ("q", "leave; so do Ctrl-C and Ctrl-D. Everything is kept"),
)


def help_lines(width: int, scopes: Sequence[str]) -> list[Text]:
    """All keys, with the scopes that one may pass until."""
    lines = []
    names = {"scope": scopes[0], "last": scopes[-1]}
    for key, words in KEYS:
        first, *more = textwrap.wrap(words.format(**names), max(20, width - _KEY_WIDE))
        line = Text.assemble((f" {key.format(**names)}".ljust(_KEY_WIDE), KEY))
        line.append(first)
        lines += [line, *(Text(" " * _KEY_WIDE + said) for said in more)]
    return lines
