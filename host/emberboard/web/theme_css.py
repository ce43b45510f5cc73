"""A theme as a page shows it: custom properties and a class for each role, and the mark that stands for each pattern.

The rule. A tile's numbers are linear light, and a theme may be dim; so a page takes each colour as a share of the
theme's brightest light and writes it as sRGB. That alone lifts the light 12 of 255 to the screen's 61, and the roles
keep the distances that they have on the table. A fill that is still too dark to be seen on the page's background gets
an outline that is not: the fill made brighter, just so far that it stands out 3 to 1. Every fill has a text colour,
black or white, that stands out 4.5 to 1. Source: WCAG 2.1, 1.4.3 (text) and 1.4.11 (what is no text).

A pattern that goes dark for a moment moves the mark and the fill; outline and text stay.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from emberboard.table.contrast import Colour, contrast, lifted, light, luminance, off_screen, on_screen
from emberboard.table.roles import Pattern, Theme

BACKGROUND: Colour = (20, 17, 15)
"""What a page is drawn on: #14110f."""
STANDS_OUT = 3.0
"""Contrast of what is no text (WCAG 2.1, 1.4.11)."""
READABLE = 4.5
"""Contrast of text (WCAG 2.1, 1.4.3)."""
BLACK: Colour = (0, 0, 0)
WHITE: Colour = (255, 255, 255)
# A screen's numbers are rounded; a hair above three to one is three to one on every screen.
_EDGE = 1.02 * STANDS_OUT * (luminance(off_screen(BACKGROUND)) + 0.05) - 0.05


class Mark(msgspec.Struct, frozen=True):
    """A drawing on a tile of 24 by 24 units: an SVG path, drawn as a line `stroke` units wide, or filled (0).

    `words` name it in the legend.
    """

    name: str
    words: str
    path: str
    stroke: float


PATTERN_MARKS: dict[Pattern, Mark] = {
    "steady": Mark("dot", "a dot", "M12 8a4 4 0 1 0 0 8a4 4 0 1 0 0-8z", 0),
    "breathe": Mark("ring", "a ring", "M12 5a7 7 0 1 0 0 14a7 7 0 1 0 0-14z", 2),
    "blink": Mark("cross-hatch", "crossing lines", "M2 8L16 22M2 16L8 22M8 2L22 16M16 2L22 8M2 16L16 2M8 22L22 8", 1.5),
    "chase": Mark("arrows", "arrows", "M5 6L11 12L5 18M13 6L19 12L13 18", 2.5),
}
"""What shows a pattern where nothing moves: no two have the same outline, and none needs its colour."""


class Shown(msgspec.Struct, frozen=True):
    """A colour on the page: what fills, what outlines, what is written on it; each `rgb()`, 0 to 255."""

    fill: Colour
    edge: Colour
    text: Colour


def shown(colour: Colour, full: int) -> Shown:
    """A light's colour on the page; `full` is the number of the theme's brightest light."""
    of_tile = light(colour, full)
    fill = on_screen(of_tile)
    text = max(BLACK, WHITE, key=lambda ink: contrast(ink, fill))
    return Shown(fill, on_screen(lifted(of_tile, _EDGE)), text)


def class_of(role: str) -> str:
    """The class of a role's tiles."""
    return f"role-{role.replace(' ', '-')}"


def css_of(theme: Theme) -> str:
    """The theme as CSS.

    On `:root`, for each role such as `put here`: `--role-put-here` (fill), `-edge`, `-text`, `-period` (ms, 0ms when
    steady), `-pattern` and `-mark` (a key and a name of `PATTERN_MARKS`); for each mark `--mark-dot-path` and
    `-stroke`; for each colour of the rail `--rail-party` (fill), `-edge`, `-text`. Then a class for each role, in which
    `--fill`, `--edge`, `--text` and `--period` are its own, so that a page draws all tiles by one rule.
    """
    return "\n".join([":root {", *(f"  {line}" for line in _properties(theme)), "}", *_classes(theme), ""])


def _properties(theme: Theme) -> Iterator[str]:
    full = theme.brightest
    for look in theme.roles:
        name = f"--{class_of(look.role)}"
        yield from _colours(name, look.colour, full)
        yield f"{name}-period: {look.period}ms;"
        yield f"{name}-pattern: {look.pattern};"
        yield f"{name}-mark: {PATTERN_MARKS[look.pattern].name};"
    for mark in PATTERN_MARKS.values():
        yield f'--mark-{mark.name}-path: "{mark.path}";'
        yield f"--mark-{mark.name}-stroke: {mark.stroke};"
    for place, colour in theme.rail.items():
        yield from _colours(f"--rail-{place.replace(' ', '-')}", colour, full)


def _colours(name: str, colour: Colour, full: int) -> Iterator[str]:
    on_page = shown(colour, full)
    for suffix, part in (("", on_page.fill), ("-edge", on_page.edge), ("-text", on_page.text)):
        yield f"{name}{suffix}: rgb({part[0]}, {part[1]}, {part[2]});"


def _classes(theme: Theme) -> Iterator[str]:
    for look in theme.roles:
        name = class_of(look.role)
        own = " ".join(f"--{part}: var(--{name}-{part});" for part in ("edge", "text", "period"))
        yield f".{name} {{ --fill: var(--{name}); {own} }}"
