"""Roles of tiles and the themes that give each a colour and a pattern. Themes are data (`theme*.yaml`).

A tile has one role; where several meet, the theme's order decides. Index 0 is `off`, the theme's roles follow in
their order, sixteen in all: what four bits a tile carry on the bus (DESIGN section 4).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from emberboard.engine.content import decode, line_of, read_yaml
from emberboard.engine.errors import ContentError
from emberboard.engine.question import Cell
from emberboard.table.contrast import EYES, brightness
from emberboard.table.contrast import Colour as Colour

OFF = "off"
MOST = 15
KNOWN = (
    "wrong",
    "put here",
    "lift",
    "chosen",
    "path",
    "target",
    "option",
    "reachable",
    "threatened",
    "active",
    "area",
    "danger",
    "trigger",
    "blocked",
)
"""The roles that the table itself gives to tiles; a theme names each of them."""
Pattern = Literal["steady", "breathe", "blink", "chase"]
Name = Annotated[str, msgspec.Meta(pattern="^[a-z]+( [a-z]+)*$")]
"""Small letters, single spaces between words: a page makes names of its own from it."""
PERIODS_APART = 1.25
"""What one period must be of another to be told from it."""
BRIGHTER = 1.5
"""What one brightness must be of another to be told from it, where nothing else than colour does."""
STANDARD = "standard"
_THEME_FILE = re.compile(r"theme(?:-([a-z-]+))?\.yaml")


class Look(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a role looks: colour (red, green, blue, 0 to 255), pattern, period in ms (0 for steady)."""

    role: Name
    colour: Colour
    pattern: Pattern
    period: int = 0

    def moves_like(self, other: Look) -> bool:
        """Whether pattern and period are the same to the eye: periods less than a quarter apart are."""
        short, long = sorted((self.period, other.period))
        return self.pattern == other.pattern and (short == long or long < PERIODS_APART * short)


class Theme(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """A whole theme: looks by priority, what terrain is shown as, the rail's colours."""

    roles: tuple[Look, ...]
    terrain: dict[str, str] = {}
    rail: dict[Name, Colour] = {}

    @cached_property
    def rank(self) -> Mapping[str, int]:
        """Each role's priority, the smallest first."""
        return {look.role: number for number, look in enumerate(self.roles)}

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Each role's number on the bus, 0 (off) to 15."""
        return {OFF: 0, **{look.role: number for number, look in enumerate(self.roles, 1)}}

    @cached_property
    def brightest(self) -> int:
        """The greatest number in any of its colours, 1 to 255: what eyes get used to."""
        colours = [*(look.colour for look in self.roles), *self.rail.values()]
        return max((max(colour) for colour in colours), default=0) or 1

    def first(self, roles: Iterable[str]) -> str:
        """The role that shows where these meet; roles that the theme does not have give way to any other."""
        return min(roles, key=lambda role: self.rank.get(role, len(self.roles)), default=OFF)

    def on_cells(self, roles: Mapping[str, Iterable[Cell]]) -> dict[Cell, str]:
        """One role a tile. Tiles without any are not named."""
        meeting: dict[Cell, list[str]] = {}
        for role, cells in roles.items():
            if role in self.rank:
                for x, y in cells:
                    meeting.setdefault((x, y), []).append(role)
        return {cell: self.first(found) for cell, found in meeting.items()}


def themes() -> dict[str, str]:
    """The themes that come with the table: name -> its file's name, the standard one first."""
    found = (_THEME_FILE.fullmatch(file.name) for file in files("emberboard.table").iterdir())
    named = {file[1] or STANDARD: file[0] for file in found if file}
    return {name: named[name] for name in sorted(named, key=lambda name: (name != STANDARD, name))}


def load_theme_named(name: str) -> Theme:
    """A theme that comes with the table. Raises ContentError, which names those there are, for another name."""
    named = themes()
    if name not in named:
        raise ContentError(f"there is no theme {name!r}; choose one of: {', '.join(named)}")
    with as_file(files("emberboard.table") / named[name]) as shipped:
        return load_theme(shipped)


def load_theme(path: Path | None = None) -> Theme:
    """The theme of a file, or the standard one that comes with the table.

    Raises ContentError with file, line and field for a role that is missing, doubled or unknown to the table, a colour
    outside 0 to 255, two roles that some eyes can only tell apart by colour.
    """
    if path is None:
        return load_theme_named(STANDARD)
    theme = decode(read_yaml(path), Theme, path)
    names = [look.role for look in theme.roles]
    for number, look in enumerate(theme.roles):
        fault = _fault(look, theme.roles[:number])
        if fault:
            at: list[str | int] = ["roles", number]
            raise ContentError(fault, file=str(path), line=line_of(path, at), field=f"roles.{number}")
    lacking = [role for role in KNOWN if role not in names]
    if lacking or len(names) > MOST:
        fault = f"missing: {', '.join(lacking)}" if lacking else f"{len(names)} roles; at most {MOST} fit on the bus"
        raise ContentError(fault, file=str(path), line=line_of(path, ["roles"]), field="roles")
    for terrain, role in theme.terrain.items():
        if role not in names:
            at = ["terrain", terrain]
            raise ContentError(f"no role {role!r}", file=str(path), line=line_of(path, at), field=f"terrain.{terrain}")
    return theme


def _fault(look: Look, before: tuple[Look, ...]) -> str:
    for other in before:
        if other.role == look.role:
            return f"the role {look.role!r} stands twice"
        alike = next((eyes for eyes in EYES if not _one_is_brighter(look.colour, other.colour, eyes)), "")
        if look.moves_like(other) and alike:
            who = "" if alike == "normal" else f" (by eyes with {alike})"
            return (
                f"{look.role!r} and {other.role!r} can only be told apart by colour{who}: "
                f"change a pattern or a period, or make one of them brighter"
            )
    if not all(0 <= part <= 255 for part in look.colour):
        return f"a colour is three numbers from 0 to 255, got {list(look.colour)}"
    if (look.pattern == "steady") != (look.period == 0):
        return f"a steady role has period 0, any other a period in ms, got {look.pattern} with {look.period}"
    if not 0 <= look.period <= 5100:
        return f"a period is at most 5100 ms, got {look.period}"
    return ""


def _one_is_brighter(one: Colour, other: Colour, eyes: str) -> bool:
    low, high = sorted((brightness(one, eyes), brightness(other, eyes)))
    return high >= BRIGHTER * low
