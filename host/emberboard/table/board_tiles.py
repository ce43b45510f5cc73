"""Between boards and table: bus events as inputs about cells, a picture as roles for each board, the theme as palette.

The registry counts cells as (row, column), the table as (x, y): here one becomes the other. Bus times are us, the
table's are ms. Boards whose place is not known are passed over; their tiles are nobody's cells yet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from emberboard.engine.question import Cell
from emberboard.link import protocol
from emberboard.link.bus_events import (
    BoardBack,
    BoardDoubled,
    BoardFlag,
    BoardLost,
    BoardRefused,
    BoardState,
    BusEvent,
    LineDown,
    LineUp,
    TileEvent,
)
from emberboard.link.registry import Registry
from emberboard.table.hardware import AnyInput, LinkHealth, TileGain, TileLoss, TilesDark, TilesSensed
from emberboard.table.roles import Theme

EFFECTS = {
    "steady": protocol.STEADY,
    "breathe": protocol.BREATHE,
    "blink": protocol.BLINK,
    "chase": protocol.CHASE,
}
PERIOD_UNIT_MS = 20
"""Of a palette entry's period (link/PROTOCOL.md)."""


class BoardTiles:
    """The tiles as the table sees them. `to_ms` turns the bus master's us into the table's ms."""

    def __init__(self, registry: Registry, to_ms: Callable[[int], int], now: Callable[[], int]) -> None:
        self.registry, self._to_ms, self._now = registry, to_ms, now
        self._troubles: dict[str, str] = {}

    def inputs(self, event: BusEvent) -> list[AnyInput]:
        """What a bus event means to the table; most mean nothing to it."""
        match event:
            case TileEvent(told=False):
                return []  # the snapshot that comes with it says the same, and all at once
            case TileEvent():
                at = self.cell(event.uid, event.tile)
                if at is None:
                    return []
                ms = self._to_ms(event.at)
                return [TileGain(at=ms, cell=at) if event.press else TileLoss(at=ms, cell=at)]
            case BoardState():
                tiles = [(tile, at) for tile in range(protocol.TILES) if (at := self.cell(event.uid, tile)) is not None]
                area = tuple(at for _, at in tiles)
                there = tuple(at for tile, at in tiles if event.mask >> tile & 1)
                return [TilesSensed(at=self._now(), area=area, occupied=there)] if area else []
            case BoardLost():
                cells = [self.cell(event.uid, tile) for tile in range(protocol.TILES)]
                dark = tuple(at for at in cells if at is not None)
                words = f"{self.named(event.uid)} does not answer; its tiles are dark, play goes on."
                return [TilesDark(at=self._now(), cells=dark), *self._trouble(event.uid, words)]
            case BoardBack():
                return self._trouble(event.uid, "")
            case BoardFlag(flag="limiting" | "errors" | "fault"):
                flags = {"limiting": "dims itself (power)", "errors": "has many errors on its line"}
                told = f"{self.named(event.uid)} {flags.get(event.flag, 'reports a fault')}."
                return self._trouble(f"{event.uid} {event.flag}", told if event.on else "")
            case BoardRefused():
                told = f"Board {event.uid} speaks protocol {event.major}.{event.minor}: give it this firmware."
                return self._trouble(event.uid, told)
            case BoardDoubled():
                told = f"Two boards answer as {self.named(event.uid).lower()}: take one of them off."
                return self._trouble(f"{event.uid} doubled", told)
            case LineDown():
                return self._trouble(f"segment {event.segment}", f"Segment {event.segment}: {event.what}")
            case LineUp():
                return self._trouble(f"segment {event.segment}", "")
            case _:
                return []

    def cell(self, uid: str, tile: int) -> Cell | None:
        """The table's cell of a board's tile."""
        at = self.registry.cell(uid, tile)
        return None if at is None else (at[1], at[0])

    def named(self, uid: str) -> str:
        """A board for players: by its place where it is known."""
        place = self.registry.places.get(uid)
        return f"Board {uid}" if place is None else f"The board at row {place.row + 1}, column {place.column + 1}"

    def _trouble(self, what: str, words: str) -> list[AnyInput]:
        """Link health after a trouble began, or (no words) ended."""
        if words:
            self._troubles[what] = words
        else:
            self._troubles.pop(what, None)
        dim = all(one.endswith("(power).") for one in self._troubles.values())
        state: Literal["good", "limited", "lost"] = "good"
        if self._troubles:
            state = "limited" if dim else "lost"
        return [LinkHealth(at=self._now(), state=state, words=" ".join(self._troubles.values()), source="boards")]

    def roles(self, picture: Mapping[Cell, str], theme: Theme) -> dict[str, bytes]:
        """A picture as 18 bytes of roles for each board whose place is known."""
        packed = {}
        for uid in self.registry.places:
            indexes = [0] * protocol.TILES
            for tile in range(protocol.TILES):
                at = self.cell(uid, tile)
                if at is not None and at in picture:
                    indexes[tile] = theme.index.get(picture[at], 0)
            packed[uid] = protocol.pack_roles(indexes)
        return packed


def palette(theme: Theme) -> list[tuple[int, int, int, int, int]]:
    """The theme as palette entries from index 0 (off) on: red, green, blue, effect, period in 20 ms."""
    entries = [(0, 0, 0, protocol.STEADY, 0)]
    for look in theme.roles:
        red, green, blue = look.colour
        entries.append((red, green, blue, EFFECTS[look.pattern], look.period // PERIOD_UNIT_MS))
    return entries
