"""The signs that the terminal draws with: one set for terminals that know Unicode, one for those that do not.

Every meaning has a sign of its own, so that colour only helps and nobody needs to tell red from green.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Signs:
    """One character for each meaning."""

    reach: str = "•"
    danger: str = "▲"
    blocked: str = "▒"
    trigger: str = "✶"
    token: str = "◆"
    active: str = "▶"
    threatened: str = "!"
    acted: str = "✓"
    light: str = "○"
    dark: str = "●"
    both: str = "◐"
    wall_across: str = "━"
    wall_down: str = "┃"
    wall_cross: str = "╋"
    line_across: str = "─"
    line_down: str = "│"
    line_cross: str = "┼"
    wall_below: str = "▁"
    bar_full: str = "█"
    bar_empty: str = "░"
    rule: str = "━"
    dash: str = "–"
    dot: str = "·"
    arrow: str = "→"


UNICODE = Signs()
PLAIN = Signs(
    reach=".",
    danger="^",
    blocked="#",
    trigger="*",
    token="+",
    active=">",
    threatened="!",
    acted="x",
    light="o",
    dark="@",
    both="%",
    wall_across="=",
    wall_down="H",
    wall_cross="H",
    line_across="-",
    line_down="|",
    line_cross="+",
    wall_below="_",
    bar_full="#",
    bar_empty="-",
    rule="=",
    dash="-",
    dot="-",
    arrow=">",
)


def signs_for(encoding: str) -> Signs:
    """The signs that a terminal of this encoding can show."""
    return UNICODE if encoding.lower().replace("-", "").startswith("utf") else PLAIN
