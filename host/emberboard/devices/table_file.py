"""`wiring/*.yaml`: the one description of a table's pins, ports, segments, boards, seats, readers and rail.

`read_table(path)` gives a `TableFile` or raises ContentError with file, line, field and what is allowed. Pins are BCM
numbers of the 40-pin header (0 to 27); lengths are in tiles or boards, currents in mA, times in ms, speeds in baud.
Places of boards are written like a chess square: column letter, row number, `A1` at the host's corner.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct, inspect

from emberboard.engine.content import decode, line_of, read_yaml
from emberboard.engine.errors import ContentError, Refused

Pin = Annotated[int, Meta(ge=0, le=27)]
Place = Annotated[str, Meta(pattern="^[A-Z][1-9][0-9]?$")]
Name = Annotated[str, Meta(min_length=1, max_length=24)]

WIRING = Path(__file__).resolve().parents[3] / "wiring"
"""Where the ready tables lie in a checkout of the project."""
TILES = 6
"""Tiles along the edge of a board (DESIGN section 4)."""
BOARDS_A_SEGMENT = 16
"""Boards that one segment's transceivers and poll cycle carry (DESIGN section 4)."""
UARTS = ((0, 1), (4, 5), (8, 9), (12, 13), (14, 15))
"""Pairs of TX and RX on the header of a Pi 4 and a Pi 5 (BCM2711 and RP1 peripherals manuals, UART functions)."""
RAIL_PINS = (10, 12, 18, 21)
"""Pins that can clock out a NeoPixel chain: SPI data, PWM 0 twice, PCM (rpi_ws281x's manual)."""
KEYS = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "+10", "Roll", "Undo", "Help", "No", "OK")
"""The dice station's 4 x 4 keys (DESIGN section 3)."""
ORDERS = ("RGB", "RBG", "GRB", "GBR", "BRG", "BGR")
"""Colour orders of three-colour chains. WS2812B take GRB (Worldsemi's datasheet), many others RGB."""
PULLED_UP = (2, 3)
"""Pins with a fixed 1.8 kOhm pull-up on the Pi, no good for a lamp or a data line that must start low."""


class Boards(Struct, frozen=True, forbid_unknown_fields=True):
    """How many boards lie along x (columns) and y (rows)."""

    columns: Annotated[int, Meta(ge=1, le=8)]
    rows: Annotated[int, Meta(ge=1, le=8)]


class Segment(Struct, frozen=True, forbid_unknown_fields=True):
    """One RS-485 line: its port, the header pins of that port (TX, RX; none for USB) and its boards in cable order."""

    name: Name
    port: str
    chain: Annotated[tuple[Place, ...], Meta(min_length=1)]
    pins: tuple[Pin, Pin] | None = None
    baud: Literal[1_000_000] = 1_000_000


class Reader(Struct, frozen=True, forbid_unknown_fields=True):
    """One token reader: a PN532 on a UART; a token has left after `misses` polls that did not see it."""

    name: Name
    port: str
    pins: tuple[Pin, Pin] | None = None
    chip: Literal["PN532"] = "PN532"
    baud: Literal[115_200] = 115_200
    misses: Annotated[int, Meta(ge=1, le=20)] = 3
    poll_ms: Annotated[int, Meta(ge=20, le=1000)] = 100


class KeyRow(Struct, frozen=True, forbid_unknown_fields=True):
    """One row of the matrix: the pin that drives it and the keys on it, column by column; "-" for none."""

    pin: Pin
    keys: Annotated[tuple[str, ...], Meta(min_length=1, max_length=8)]


class Keypad(Struct, frozen=True, forbid_unknown_fields=True):
    """Dice station and seat buttons as one matrix with a diode a key: columns are read, rows are driven low in turn."""

    columns: Annotated[tuple[Pin, ...], Meta(min_length=1, max_length=8)]
    rows: Annotated[tuple[KeyRow, ...], Meta(min_length=1, max_length=8)]
    scan_ms: Annotated[int, Meta(ge=1, le=20)] = 5
    settle_ms: Annotated[int, Meta(ge=5, le=100)] = 25
    long_ms: Annotated[int, Meta(ge=300, le=3000)] = 700


class Lights(Struct, frozen=True, forbid_unknown_fields=True):
    """The seat buttons' lights on a chain of 74HC595: serial data, shift clock, storage clock (latch)."""

    data: Pin
    clock: Pin
    latch: Pin


class Seat(Struct, frozen=True, forbid_unknown_fields=True):
    """A seat and the side of the table that it sits on."""

    seat: Annotated[int, Meta(ge=1, le=5)]
    side: Literal["north", "east", "south", "west"]


class RailStrip(Struct, frozen=True, forbid_unknown_fields=True):
    """The rail: a NeoPixel chain; brightness 0 to 1.

    `current_ma` is the most it may draw, `mark_ma` what one colour of a pixel draws at full, `idle_ma` a dark pixel.
    """

    pin: Pin
    pixels: Annotated[int, Meta(ge=8, le=300)]
    order: Literal["RGB", "RBG", "GRB", "GBR", "BRG", "BGR"]
    brightness: Annotated[float, Meta(gt=0, le=1)] = 0.5
    current_ma: Annotated[int, Meta(ge=50, le=10_000)] = 1000
    mark_ma: Annotated[int, Meta(ge=1, le=60)] = 12
    idle_ma: Annotated[float, Meta(ge=0, le=5)] = 1.0


class Supply(Struct, frozen=True, forbid_unknown_fields=True):
    """The boards' 5 V supply: what it gives, in A, and the share of it that may be drawn for ever."""

    amperes: Annotated[float, Meta(gt=0, le=400)]
    load: Annotated[float, Meta(gt=0, le=1)] = 0.8

    @property
    def budget_ma(self) -> int:
        """What all boards together may draw, in mA."""
        return int(round(self.amperes * 1000 * self.load, 3))


class TableFile(Struct, frozen=True, forbid_unknown_fields=True):
    """A whole table. `table` names it, `pi` is the Raspberry Pi (4 or 5) whose header it is wired to."""

    table: Name
    pi: Literal[4, 5]
    boards: Boards
    segments: Annotated[tuple[Segment, ...], Meta(min_length=1, max_length=4)]
    keypad: Keypad
    seats: Annotated[tuple[Seat, ...], Meta(min_length=1, max_length=5)]
    lights: Lights
    rail: RailStrip
    supply: Supply
    readers: tuple[Reader, ...] = ()

    @property
    def tiles(self) -> tuple[int, int]:
        """Columns and rows of tiles."""
        return self.boards.columns * TILES, self.boards.rows * TILES

    @property
    def places(self) -> tuple[str, ...]:
        """All places of boards, row by row."""
        return tuple(
            f"{chr(ord('A') + column)}{row + 1}"
            for row in range(self.boards.rows)
            for column in range(self.boards.columns)
        )


def place_at(place: str) -> tuple[int, int]:
    """Column and row, both from 0, of a board's place: `B1` is (1, 0)."""
    return ord(place[0]) - ord("A"), int(place[1:]) - 1


def seat_key(seat: int, yes: bool) -> str:
    """How a seat's button is written in a row of the matrix."""
    return f"seat {seat} {'yes' if yes else 'no'}"


class PinUse(Struct, frozen=True):
    """One use of a pin: its BCM number, what for, and where the file says so."""

    pin: int
    use: str
    field: tuple[str | int, ...]


def pin_uses(table: TableFile) -> list[PinUse]:
    """Every pin of the header that the table takes, in the order of the file."""
    return list(_pin_uses(table))


def _ports(table: TableFile) -> tuple[tuple[str, Sequence[Segment | Reader]], ...]:
    return ("segments", table.segments), ("readers", table.readers)


def _pin_uses(table: TableFile) -> Iterator[PinUse]:
    for kind, ports in _ports(table):
        for index, port in enumerate(ports):
            if port.pins is not None:
                what = f"{kind.removesuffix('s')} {port.name}"
                for side, word in enumerate(("TX", "RX")):
                    yield PinUse(port.pins[side], f"{what} {word}", (kind, index, "pins", side))
    for index, pin in enumerate(table.keypad.columns):
        yield PinUse(pin, f"keys column {index + 1}", ("keypad", "columns", index))
    for index, row in enumerate(table.keypad.rows):
        yield PinUse(row.pin, f"keys row {index + 1}", ("keypad", "rows", index, "pin"))
    for name in ("data", "clock", "latch"):
        yield PinUse(getattr(table.lights, name), f"seat lights {name}", ("lights", name))
    yield PinUse(table.rail.pin, "rail data", ("rail", "pin"))


def read_table(path: Path) -> TableFile:
    """The table that a file describes. Raises ContentError: file, line, field, what came and what is allowed."""
    try:
        table = decode(read_yaml(path), TableFile, path)
    except ContentError as error:
        words, line = f"{error.message}{_allowed(error)}", error.line
        if unknown := re.search("unknown field `(.+)`", error.message):
            steps = [] if error.field == "(top)" else error.field.split(".")
            line = line_of(path, [*(int(step) if step.isdigit() else step for step in steps), unknown.group(1)])
        raise ContentError(words, file=error.file, line=line, field=error.field) from error
    for field, message in _faults(table):
        raise ContentError(
            message, file=str(path), line=line_of(path, field), field=".".join(str(step) for step in field)
        )
    return table


def table_named(name: str) -> TableFile:
    """One of the ready tables (`2x2`), or the file at a path. Raises Refused, ContentError."""
    path = Path(name) if name.endswith((".yaml", ".yml")) else WIRING / f"{name}.yaml"
    if not path.exists():
        ready = ", ".join(sorted(one.stem for one in WIRING.glob("*.yaml")))
        raise Refused(f"there is no table {name!r}; ready ones are {ready or 'in a checkout of the project'}")
    return read_table(path)


def _allowed(error: ContentError) -> str:
    """What is allowed at the field of an error that does not say so itself: words of a choice, names of fields."""
    node: inspect.Type = inspect.type_info(TableFile)
    for step in error.field.split("."):
        if isinstance(node, inspect.StructType):
            node = next((field.type for field in node.fields if field.name == step), node)
        elif isinstance(node, inspect.VarTupleType):
            node = node.item_type
        if isinstance(node, inspect.Metadata):
            node = node.type
    if isinstance(node, inspect.LiteralType) and "Invalid" in error.message:
        return f"; allowed are {_listed(node.values)}"
    if isinstance(node, inspect.StructType) and "unknown field" in error.message:
        return f"; allowed are {_listed([field.name for field in node.fields])}"
    return ""


Fault = tuple[Sequence[str | int], str]


def _faults(table: TableFile) -> Iterator[Fault]:
    yield from _pin_faults(table)
    yield from _port_faults(table)
    yield from _chain_faults(table)
    yield from _key_faults(table)


def _pin_faults(table: TableFile) -> Iterator[Fault]:
    taken: dict[int, PinUse] = {}
    uses = pin_uses(table)
    free = sorted(set(range(28)) - {use.pin for use in uses})
    for use in uses:
        first = taken.setdefault(use.pin, use)
        if first is not use:
            where = ".".join(str(step) for step in first.field)
            yield use.field, (
                f"GPIO{use.pin} is taken already by {first.use} ({where}); free are {_listed(free) or 'none'}"
            )
    for kind, ports in _ports(table):
        for index, port in enumerate(ports):
            if port.pins is not None and port.pins not in UARTS:
                pairs = ", ".join(f"[{tx}, {rx}]" for tx, rx in UARTS)
                yield (kind, index, "pins"), f"no UART has TX, RX at {list(port.pins)}; allowed are {pairs}"
    if table.rail.pin not in RAIL_PINS:
        yield ("rail", "pin"), f"GPIO{table.rail.pin} cannot drive a rail; allowed are {_listed(RAIL_PINS)}"
    for name in ("data", "clock", "latch"):
        if getattr(table.lights, name) in PULLED_UP:
            allowed = [pin for pin in free if pin not in PULLED_UP]
            yield ("lights", name), f"GPIO2 and GPIO3 are pulled up on the Pi; free are {_listed(allowed) or 'none'}"


def _port_faults(table: TableFile) -> Iterator[Fault]:
    names: dict[str, str] = {}
    ports: dict[str, str] = {}
    for kind, items in _ports(table):
        for index, item in enumerate(items):
            if item.name in names:
                yield (kind, index, "name"), f"{item.name!r} is the name of {names[item.name]} too; give it another"
            if item.port in ports:
                yield (kind, index, "port"), f"{item.port} is the port of {ports[item.port]} too; each has its own"
            names[item.name] = ports[item.port] = f"{kind}.{index}"
            if not item.port.startswith("/dev/"):
                yield (kind, index, "port"), f"expected a path below /dev, got {item.port!r}"
            if item.port.startswith(("/dev/ttyUSB", "/dev/ttyACM")):
                yield (
                    (kind, index, "port"),
                    f"{item.port} may be another device after the next start; "
                    "write its path from `ls /dev/serial/by-id/` instead",
                )
            if item.pins is None and "/serial/by-" not in item.port and not item.port.startswith("/dev/pts/"):
                yield (kind, index, "port"), f"{item.port} is a port of the header: say its pins: [TX, RX]"


def _chain_faults(table: TableFile) -> Iterator[Fault]:
    places = set(table.places)
    seen: dict[str, str] = {}
    for index, segment in enumerate(table.segments):
        if len(segment.chain) > BOARDS_A_SEGMENT:
            yield (
                ("segments", index, "chain"),
                f"{len(segment.chain)} boards, but a segment carries at most {BOARDS_A_SEGMENT}; add a segment",
            )
        for at, place in enumerate(segment.chain):
            field = ("segments", index, "chain", at)
            if place not in places:
                last = table.places[-1]
                yield field, f"there is no place {place}; allowed are A1 to {last}"
            if place in seen:
                yield field, f"{place} is in segment {seen[place]} already; each board is in one chain once"
            seen[place] = segment.name
    if missing := [place for place in table.places if place not in seen]:
        yield ("segments",), f"no chain reaches {_listed(missing)}; add it to a segment's chain"


def _key_faults(table: TableFile) -> Iterator[Fault]:
    wide = len(table.keypad.columns)
    buttons = [seat_key(seat.seat, yes) for seat in table.seats for yes in (True, False)]
    numbers: dict[int, int] = {}
    for index, one in enumerate(table.seats):
        if one.seat in numbers:
            yield ("seats", index, "seat"), f"seat {one.seat} is seats.{numbers[one.seat]} already; allowed are 1 to 5"
        numbers[one.seat] = index
    allowed = {*KEYS, *buttons, "-"}
    where: dict[str, str] = {}
    for index, row in enumerate(table.keypad.rows):
        if len(row.keys) > wide:
            yield ("keypad", "rows", index, "keys"), f"{len(row.keys)} keys, but there are {wide} columns"
        for at, key in enumerate(row.keys):
            field = ("keypad", "rows", index, "keys", at)
            if key not in allowed:
                yield field, f"unknown key {key!r}; allowed are {_listed([*KEYS, *buttons])}, and - for none"
            if key in where:
                yield field, f"the key {key!r} is at {where[key]} already"
            if key != "-":
                where[key] = f"row {index + 1}, column {at + 1}"
    if missing := [key for key in (*KEYS, *buttons) if key not in where]:
        yield ("keypad", "rows"), f"no row has the key {_listed(missing)}"


def _listed(items: Sequence[object]) -> str:
    return ", ".join(str(item) for item in items)


def plain(table: TableFile) -> dict[str, object]:
    """The table as plain data, for a log or a report."""
    made: dict[str, object] = msgspec.to_builtins(table)
    return made
