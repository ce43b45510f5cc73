"""`emberboard doctor` and `emberboard boards`: what is on the table's wires, what is wrong, and what mends it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import typer

from emberboard.cli.board_checks import Look, check_boards, check_power, listen
from emberboard.cli.board_places import learn, locate, put_out
from emberboard.devices.checkup import REAL, Bench, Finding, check_all
from emberboard.devices.table_file import TableFile, table_named
from emberboard.engine.errors import Refused
from emberboard.link import protocol as p
from emberboard.link.bus_events import Answer, BoardFound
from emberboard.link.registry import Registry, RegistryError
from emberboard.link.timing import Timing
from emberboard.link.wire import Wire, WireError
from emberboard.store.saves import home
from emberboard.table.works import timing_for

COLOURS = ("red", "green", "blue", "dark", "mixed")
COUNTED_WITHIN = 2.0
"""So long (s) a board may take to tell its counters."""


def registry_file() -> Path:
    """Where the boards' places and the last session's number are kept."""
    return home() / "boards.json"


def learnt() -> Registry:
    """The places that were learnt. Raises Refused when their file cannot be read."""
    try:
        return Registry.load(registry_file())
    except RegistryError as error:
        raise Refused(str(error)) from error


def open_bus(file: TableFile, known: Registry, timing: Timing | None = None) -> Wire:
    """The bus of a table, in a session of its own. Raises Refused."""
    number = known.next_session()
    known.save(registry_file())
    try:
        ports = [segment.port for segment in file.segments]
        return Wire(ports, number, timing or timing_for(ports))
    except WireError as error:
        raise Refused(f"{error}.") from error


# -- doctor -----------------------------------------------------------------------------------------------------------


def check_table(
    file: TableFile, bench: Bench = REAL, look: Look | None = None, timing: Timing | None = None
) -> Iterator[Finding]:
    """Every check on a table: devices, power, then the boards of each segment whose port is there."""
    shut = set()
    for finding in check_all(file, bench):
        if not finding.well:
            shut.add(finding.device)
        yield finding
    yield check_power(file)
    reached = tuple(segment for segment in file.segments if f"segment {segment.name}" not in shut)
    if reached:
        there = msgspec.structs.replace(file, segments=reached)
        yield from check_boards(there, known=learnt(), look=look, timing=timing)


def doctor(table: str, *, ask: bool = False) -> int:
    """Check every device and board of a table; exit status 1 when something is not well.

    `ask` also asks what only people can tell: which colours rail and boards show, whether the reader sees a token,
    whether each key is heard.
    """
    bench = Bench(seen=_rail_colours, lay=_token_laid, named=_key_named, done=sys.stdin.fileno()) if ask else REAL
    if ask:
        typer.echo("Press each key and seat button once; Enter here when that is done.")
    well = True
    for finding in check_table(table_named(table), bench, _colour_of if ask else None):
        well = well and finding.well
        typer.echo(f"{'well ' if finding.well else 'FAULT'}  {finding.device}: {finding.words}")
    return 0 if well else 1


def _colour_of(what: str) -> str:
    while True:
        said: str = typer.prompt(f"Which colour shows {what}? ({', '.join(COLOURS)})")
        named = [colour for colour in COLOURS if said and colour.startswith(said.strip().lower())]
        if len(named) == 1:
            return named[0]


def _key_named(key: str) -> None:
    typer.echo(f"       {key}")


def _rail_colours() -> list[str]:
    return [_colour_of(f"the rail's pixel {number}") for number in (1, 2, 3)]


def _token_laid(reader: str) -> bool:
    return typer.confirm(f"Lay a token on the {reader} and leave it there. Does it lie?", default=True)


# -- boards -----------------------------------------------------------------------------------------------------------


def boards(table: str, *, trace: bool = False, statistics: bool = False) -> int:
    """List the boards that answer, with the counters of their line; exit status 1 when none does. Raises Refused.

    `statistics` adds what each board counted since its start, `trace` the last frames of each segment: us, ">" to the
    boards or "<" from them, the bytes in hex.
    """
    file, known = table_named(table), learnt()
    with open_bus(file, known) as wire:
        told = listen(wire, len(file.segments))
        found = [event for event in told if isinstance(event, BoardFound)]
        counted = wire.statistics()
        own = _own_counters(wire, [event.identity.uid for event in found]) if statistics else {}
        frames = [wire.trace(number) for number in range(len(file.segments))] if trace else []
    for event in found:
        one, counts = event.identity, counted.get(event.identity.uid, {})
        version = ".".join(map(str, one.firmware))
        place = known.places.get(one.uid)
        lies = "no place yet" if place is None else f"{place_name(place.row, place.column)}, turned {place.rotation}"
        typer.echo(
            f"{one.uid}  {lies}, segment {file.segments[event.segment].name}, address {event.address}, "
            f"firmware {version}, protocol {one.major}.{one.minor}: {counts.get('exchanges', 0):.0f} exchanges, "
            f"{counts.get('misses', 0):.0f} without a good reply"
        )
        for name, number in own.get(one.uid, {}).items():
            typer.echo(f"    {name.replace('_', ' ')}: {number}")
    for segment, traced in zip(file.segments, frames):
        for at, way, wire_bytes in traced:
            typer.echo(f"{segment.name} {at} {way} {wire_bytes.hex(' ')}")
    typer.echo(f"{len(found)} of {len(file.places)} boards answer.")
    return 0 if found else 1


def place_name(row: int, column: int) -> str:
    """A place as the table's file writes it: `B1` is row 0, column 1."""
    return f"{chr(ord('A') + column)}{row + 1}"


def _own_counters(wire: Wire, uids: list[str]) -> dict[str, dict[str, int]]:
    """What each board counted since its start (protocol.COUNTERS_FIELDS)."""
    asked = {wire.ask(uid, p.STATS): uid for uid in uids}
    found = {}
    while asked and (told := wire.events(COUNTED_WITHIN)):
        for event in told:
            if isinstance(event, Answer) and (uid := asked.pop(event.ticket, None)) and event.kind == p.COUNTERS:
                found[uid] = p.read_counters(event.payload)
    return found


def locate_board(
    table: str, which: str, until: Callable[[], object] | None = None, timing: Timing | None = None
) -> int:
    """Light one board, by its place (`B1`) or the beginning of its uid, until `until` returns (None: Enter).

    Raises Refused when no board, or more than one, is meant.
    """
    file, known = table_named(table), learnt()
    with open_bus(file, known, timing) as wire:
        told = listen(wire, len(file.segments))
        uid = locate(file, wire, told, known, which)
        typer.echo(f"Board {uid} is lit.")
        try:
            if until is None:
                typer.prompt("Enter puts it out", default="", show_default=False)
            else:
                until()
        finally:
            put_out(wire, told)
    return 0


def learn_places(table: str, say: Callable[[str], None] = typer.echo, timing: Timing | None = None) -> int:
    """Learn where each board lies and how it is turned, by touches; keep it for play. Raises Refused."""
    file, known = table_named(table), learnt()
    with open_bus(file, known, timing) as wire:
        told = listen(wire, len(file.segments))
        places = learn(file, wire, told, say)
        known.places = places
        known.save(registry_file())
    say(f"{len(places)} of {len(file.places)} places are known now ({registry_file()}).")
    return 0
