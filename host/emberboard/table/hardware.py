"""What the table needs of hardware: typed inputs with a time, and the few things that can be shown.

Cells are (x, y) of the table's grid, one inch each, (0, 0) the top left. Times are ms of one clock that is handed in
and never runs backwards. Whoever stands behind (bus, keys, readers, page, tests) only makes these inputs and takes
these pictures. DESIGN section 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, Protocol

import msgspec

from emberboard.engine.question import Cell, Json

Clock = Callable[[], int]
"""The time in ms."""


class Input(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Something that happened at `at` ms."""

    at: int


class TileGain(Input, frozen=True):
    """A tile that senses a magnet now and did not before."""

    cell: Cell


class TileLoss(Input, frozen=True):
    """A tile that no longer senses a magnet."""

    cell: Cell


class TilesDark(Input, frozen=True):
    """Tiles that say nothing from now on: their board restarts or is lost."""

    cells: tuple[Cell, ...]


class TilesSensed(Input, frozen=True):
    """What the tiles of an area sense, all at once: after a restart, an overflow or a mismatch."""

    area: tuple[Cell, ...]
    occupied: tuple[Cell, ...]


class Key(Input, frozen=True):
    """A key of the dice station: `1` to `10`, `+10`, `Roll`, `Undo`, `Help`, `No`, `OK`, or a face of coloured dice."""

    name: str
    long: bool = False


class SeatButton(Input, frozen=True):
    """Yes or No at a seat, named as the game names the seat."""

    seat: str
    yes: bool


class TagShown(Input, frozen=True):
    """A tag came to the token reader."""

    tag: str


class TagGone(Input, frozen=True):
    """A tag left the token reader."""

    tag: str


class Click(Input, frozen=True):
    """An answer from a page to the question that it showed: `value`, or an `offer` taken. Late ones are refused."""

    question: str
    value: Json = None
    offer: str = ""
    seat: str = ""


class Hold(Input, frozen=True):
    """A seat asks the table to wait at windows until it closes them itself (by No, or on its page)."""

    seat: str


class PassAhead(Input, frozen=True):
    """A seat lets windows go by until the end of `until` (activation, round ...); an empty word takes that back."""

    seat: str
    until: str


class Throw(Input, frozen=True):
    """A page asks the program to roll or to draw for the question that it showed."""

    question: str
    seat: str = ""


class TakeBack(Input, frozen=True):
    """A page takes back the last `count` inputs; 0 the last decision, with the dice and draws that followed it."""

    count: int = 0


class DoAgain(Input, frozen=True):
    """A page takes a step back that was taken back, with the dice and draws that followed it."""


class Correct(Input, frozen=True):
    """A page puts an earlier answer right (a mis-keyed die): `entry` of the journal, and what it should have been."""

    entry: int
    value: Json


class Adjust(Input, frozen=True):
    """The group changes the state by agreement."""

    change: dict[str, Json]
    seat: str = ""


class LinkHealth(Input, frozen=True):
    """How boards or devices are: `good`, `limited` (power) or `lost`, with the words for players.

    The last word of each `source` counts; the worst of them is shown.
    """

    state: Literal["good", "limited", "lost"]
    words: str = ""
    source: str = "boards"


class Tick(Input, frozen=True):
    """Time went by; what was waited for until now is decided."""


AnyInput = (
    TileGain
    | TileLoss
    | TilesDark
    | TilesSensed
    | Key
    | SeatButton
    | TagShown
    | TagGone
    | Click
    | Hold
    | PassAhead
    | Throw
    | TakeBack
    | DoAgain
    | Correct
    | Adjust
    | LinkHealth
    | Tick
)

SeatLight = Literal["off", "asked", "offer", "chosen", "passed"]


class Lights(Protocol):
    """The tiles' lights. Called only when the picture changed."""

    def show(self, picture: Mapping[Cell, str]) -> None:
        """Show one role a tile; tiles that are not named are `off`."""


class SeatLights(Protocol):
    """The lights of the Yes and No buttons. Called only on changes."""

    def show(self, lights: Mapping[str, SeatLight]) -> None:
        """Show what each seat is asked."""


class RailSlot(msgspec.Struct, frozen=True):
    """One place of the initiative row on the rail."""

    id: str
    name: str
    side: str
    state: Literal["waiting", "active", "acted"]


class RailPicture(msgspec.Struct, frozen=True):
    """What the rail and the page's head line show: turn, initiative row, link health, echo, words."""

    turn: str
    row: tuple[RailSlot, ...]
    health: Literal["good", "limited", "lost"]
    echo: tuple[str, ...]
    words: str
    notice: str = ""


class Rail(Protocol):
    """The rail. Called only on changes."""

    def show(self, picture: RailPicture) -> None:
        """Show the picture."""


class Hardware(msgspec.Struct):
    """All that a table can show on."""

    lights: Lights
    seats: SeatLights
    rail: Rail
