"""What the table should show, as plain data: cells by role, borders, figures, rows. No colours, no devices."""

from __future__ import annotations

import msgspec

from emberboard.engine.question import Cell


class Figure(msgspec.Struct, frozen=True, omit_defaults=True):
    """A figure on the table: where (top-left cell), how large (cells a side), whose, and the line under its name.

    `conditions` are the few words to write beside it: what it gained or suffers.
    """

    id: str
    name: str
    at: Cell
    side: str
    size: int = 1
    letter: str = ""
    colour: str = ""
    status: str = ""
    hp: int | None = None
    hp_max: int | None = None
    conditions: tuple[str, ...] = ()


class Token(msgspec.Struct, frozen=True, omit_defaults=True):
    """A token or marker lying on a cell."""

    id: str
    name: str
    at: Cell
    colour: str = ""


class RowEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One place of the initiative row: a card or character, and whether it has acted."""

    id: str
    name: str
    side: str
    acted: bool = False
    token: str = ""
    active: bool = False
    note: str = ""


class Scene(msgspec.Struct, frozen=True, omit_defaults=True):
    """A whole picture: grid size, missing cells, walls (pairs of cells), cells by role, figures, tokens, row.

    The roles of `area` and `path`: what an Action covers, and the way that the acting figure walked.
    """

    width: int
    height: int
    missing: tuple[Cell, ...] = ()
    walls: tuple[tuple[Cell, Cell], ...] = ()
    terrain: dict[str, tuple[Cell, ...]] = {}
    roles: dict[str, tuple[Cell, ...]] = {}
    figures: tuple[Figure, ...] = ()
    tokens: tuple[Token, ...] = ()
    row: tuple[RowEntry, ...] = ()
    round: int = 0
    bag: dict[str, int] = {}
