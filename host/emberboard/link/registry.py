"""Which board lies where and how it is turned: kept on the host, learnt by touching two lit tiles.

A place is (row, column) of a board in the table, from the north-west. A rotation is how many quarter turns clockwise
the board was turned: with 1 its tile 0 (its own north-west) lies at its place's north-east. Cells are (row, column) of
tiles in the whole table. The file is JSON; it also keeps the number of the last session, so that no two in a row agree.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from random import SystemRandom
from typing import Any

SIDE = 6  # tiles
CORNERS = (0, 5, 35, 30)  # of a board, clockwise from its own north-west
CORNER_MASK = sum(1 << tile for tile in CORNERS)


class RegistryError(ValueError):
    """The registry's file is not what it should be: the text says file, board and what to do."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a board lies, and its quarter turns clockwise (0..3)."""

    row: int
    column: int
    rotation: int = 0

    def cell(self, tile: int) -> tuple[int, int]:
        """The table's cell of one of the board's tiles (0..35)."""
        row, column = divmod(tile, SIDE)
        for _ in range(self.rotation):
            row, column = column, SIDE - 1 - row
        return SIDE * self.row + row, SIDE * self.column + column

    def tile(self, cell: tuple[int, int]) -> int:
        """The board's tile at a cell of the table that lies on it."""
        row, column = cell[0] - SIDE * self.row, cell[1] - SIDE * self.column
        if not (0 <= row < SIDE and 0 <= column < SIDE):
            raise ValueError(f"cell {cell} is not on the board at row {self.row}, column {self.column}")
        for _ in range(self.rotation):
            row, column = SIDE - 1 - column, row
        return SIDE * row + column


@dataclass(slots=True)
class Registry:
    """uid (hex) -> Place, and the last session number."""

    places: dict[str, Place] = field(default_factory=dict)
    session: int = 0

    @classmethod
    def load(cls, path: Path) -> Registry:
        """Read the file; a missing one is an empty registry. Raises RegistryError."""
        if not path.exists():
            return cls(session=SystemRandom().randrange(1 << 16))
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise RegistryError(f"{path}: not JSON ({error}); delete it and learn the places again") from error
        return cls._from(data, path)

    @classmethod
    def _from(cls, data: Any, path: Path) -> Registry:
        if not isinstance(data, dict) or not isinstance(data.get("boards"), dict):
            raise RegistryError(f"{path}: 'boards' is missing; delete the file and learn the places again")
        registry = cls(session=int(data.get("session", 0)) & 0xFFFF)
        for uid, entry in data["boards"].items():
            try:
                place = Place(int(entry["row"]), int(entry["column"]), int(entry["rotation"]))
            except (KeyError, TypeError, ValueError) as error:
                raise RegistryError(
                    f"{path}: board {uid}: row, column and rotation are due as numbers; take it out or mend it"
                ) from error
            if len(uid) != 16 or min(place.row, place.column) < 0 or place.rotation not in range(4):
                raise RegistryError(
                    f"{path}: board {uid}: a uid of 16 hex digits, a place from 0 on and a rotation of 0..3 are due"
                )
            other = registry.at(place.row, place.column)
            if other is not None:
                raise RegistryError(f"{path}: boards {other} and {uid} lie at the same place; take one out")
            registry.places[uid] = place
        return registry

    def save(self, path: Path) -> None:
        """Write the file whole or not at all."""
        data = {
            "session": self.session,
            "boards": {
                uid: {"row": place.row, "column": place.column, "rotation": place.rotation}
                for uid, place in sorted(self.places.items(), key=lambda item: (item[1].row, item[1].column))
            },
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(path.name + ".new")
        with beside.open("w", encoding="utf-8") as out:
            json.dump(data, out, indent=2)
            out.write("\n")
            out.flush()
            os.fsync(out.fileno())
        beside.replace(path)

    def next_session(self) -> int:
        """A session number that is not the last one's. Save before it is used."""
        self.session = (self.session + 1) & 0xFFFF
        return self.session

    def at(self, row: int, column: int) -> str | None:
        """The uid of the board at a place."""
        return next((uid for uid, place in self.places.items() if (place.row, place.column) == (row, column)), None)

    def put(self, uid: str, place: Place) -> None:
        """A board lies here now; what lay here before has no place any more."""
        before = self.at(place.row, place.column)
        if before is not None:
            del self.places[before]
        self.places[uid] = place

    def cell(self, uid: str, tile: int) -> tuple[int, int] | None:
        """The table's cell of a board's tile; None while its place is not known."""
        place = self.places.get(uid)
        return None if place is None else place.cell(tile)

    def tile(self, cell: tuple[int, int]) -> tuple[str, int] | None:
        """The board (uid) and tile at a cell; None: no board is known there."""
        uid = self.at(cell[0] // SIDE, cell[1] // SIDE)
        return None if uid is None else (uid, self.places[uid].tile(cell))


class PlaceLearner:
    """Learns places in order: at each the lit tile at its north-west is touched, then the one at its north-east.

    `lit` is what LOCATE shows, uid -> mask, and changes after each touch; `asked` is for people. A touch that cannot be
    meant (another board, a wrong corner) is answered by a text and the place is begun again.
    """

    def __init__(self, registry: Registry, boards: list[str], places: list[tuple[int, int]]) -> None:
        self.registry = registry
        self._left = list(boards)
        self._places = list(places)
        self._first: tuple[str, int] | None = None

    @property
    def done(self) -> bool:
        """Whether nothing is left to learn: no place or no board."""
        return not self._places or not self._left

    @property
    def lit(self) -> dict[str, int]:
        """The tiles to light on each board: four corners, or what is left of them on the board in hand."""
        if self._first is not None:
            return {self._first[0]: CORNER_MASK & ~(1 << self._first[1])}
        return dict.fromkeys(self._left, CORNER_MASK)

    @property
    def asked(self) -> str:
        """What the person at the table is asked to do."""
        if self.done:
            return ""
        row, column = self._places[0]
        corner = "NORTH-WEST" if self._first is None else "NORTH-EAST"
        return f"Board in row {row + 1}, column {column + 1}: touch its lit tile at the {corner}."

    def touch(self, uid: str, tile: int) -> str:
        """A tile of a board was touched: what to say, empty when all is well."""
        if self.done:
            return ""
        if tile not in CORNERS or uid not in self._left:
            return "That tile is not lit."
        if self._first is None:
            self._first = (uid, tile)
            return ""
        first_uid, first = self._first
        if (uid, tile) == self._first:
            return "That was the first one; touch the other."
        self._first = None
        turned = CORNERS.index(first)
        if uid != first_uid or CORNERS[(turned + 1) % 4] != tile:
            return "These two do not belong together: once more, first the tile at the north-west."
        row, column = self._places.pop(0)
        # The corner that lies at the north-west is `turned` corners clockwise from the board's own.
        self.registry.put(uid, Place(row, column, (4 - turned) % 4))
        self._left.remove(uid)
        return ""
