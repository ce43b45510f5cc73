"""`emberboard doctor` and `emberboard boards`: what is on the table's wires, what is wrong, and what mends it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import SystemRandom
from time import monotonic

import typer

from emberboard.devices.checkup import Finding, check_all
from emberboard.devices.table_file import TableFile, table_named
from emberboard.engine.errors import Refused
from emberboard.link.bus_events import BoardFlag, BoardFound, BoardRefused, BoardState, Discovered
from emberboard.link.protocol import MAJOR
from emberboard.link.wire import Wire, WireError, WireEvent

FOUND_WITHIN = 20.0
"""So long (s) a segment may look for its boards."""
FIXES = {
    "limiting": "dims itself to its own limit: feed it from both ends of the cable, or lower the table's brightness",
    "fault": "reports a sensor fault: reseat its shift registers' connector, then `emberboard doctor` again",
    "unconfirmed": "runs an update on trial that nobody confirmed: start it again to go back to the one before",
    "errors": "has many errors on its line: check plug, ground and the terminator at the end of the chain",
}


def session() -> int:
    """A session number by chance: boards that were given an address in one session do not answer in it again."""
    return SystemRandom().randrange(1 << 16)


def listen(wire: Wire, segments: int, within: float = FOUND_WITHIN) -> list[WireEvent]:
    """What the bus tells until every segment has looked for its boards and each found one told what it feels."""
    told: list[WireEvent] = []
    end = monotonic() + within
    while monotonic() < end:
        told += wire.events(0.05)
        looked = {event.segment for event in told if isinstance(event, Discovered)}
        found = {event.identity.uid for event in told if isinstance(event, BoardFound)}
        heard = {event.uid for event in told if isinstance(event, BoardState)}
        if len(looked) == segments and found <= heard:
            break
    return told


def check_boards(table: TableFile, ports: Sequence[str] | None = None) -> Iterator[Finding]:
    """Look for the boards of each segment, in play's own way. `ports` None takes those of the table's file."""
    try:
        with Wire(ports or [segment.port for segment in table.segments], session()) as wire:
            told = listen(wire, len(table.segments))
    except WireError as error:
        yield Finding("bus", False, str(error))
        return
    for number, segment in enumerate(table.segments):
        here = [event for event in told if event.segment == number]
        found = {event.identity.uid for event in here if isinstance(event, BoardFound)}
        what = f"segment {segment.name}"
        wanted = len(segment.chain)
        if len(found) < wanted:
            where = "the cable from the host" if not found else f"power and plugs along {' - '.join(segment.chain)}"
            words = f"{len(found)} of {wanted} boards answer: check {where}."
            yield Finding(what, False, words)
        elif len(found) > wanted:
            words = f"{len(found)} boards answer, its chain has {wanted}: write the others into the table's file."
            yield Finding(what, False, words)
        else:
            yield Finding(what, True, f"all {wanted} boards answer")
        for event in here:
            if isinstance(event, BoardRefused):
                words = f"speaks protocol {event.major}.{event.minor}, this host {MAJOR}: flash it with this firmware."
                yield Finding(f"board {event.uid}", False, words)
        flags = {(event.uid, event.flag): event.on for event in here if isinstance(event, BoardFlag)}
        for (uid, flag), on in flags.items():
            if on:
                yield Finding(f"board {uid}", False, f"{FIXES.get(flag, flag)}.")


def doctor(table: str) -> int:
    """Check every device and board of a table; exit status 1 when something is not well."""
    file = table_named(table)
    well = True
    for finding in (*check_all(file), *check_boards(file)):
        well = well and finding.well
        typer.echo(f"{'well ' if finding.well else 'FAULT'}  {finding.device}: {finding.words}")
    return 0 if well else 1


def boards(table: str, *, trace: bool = False) -> int:
    """List the boards that answer, with the counters of their line; exit status 1 when none does. Raises Refused.

    `trace` prints the last frames of each segment too: us, ">" to the boards or "<" from them, the bytes in hex.
    """
    file = table_named(table)
    try:
        wire = Wire([segment.port for segment in file.segments], session())
    except WireError as error:
        raise Refused(str(error)) from error
    with wire:
        told = listen(wire, len(file.segments))
        counted = wire.statistics()
        frames = [wire.trace(number) for number in range(len(file.segments))] if trace else []
    found = [event for event in told if isinstance(event, BoardFound)]
    for event in found:
        one, counts = event.identity, counted.get(event.identity.uid, {})
        version = ".".join(map(str, one.firmware))
        typer.echo(
            f"{one.uid}  segment {file.segments[event.segment].name}, address {event.address}, firmware {version}, "
            f"protocol {one.major}.{one.minor}: {counts.get('exchanges', 0):.0f} exchanges, "
            f"{counts.get('misses', 0):.0f} without a good reply"
        )
    for segment, traced in zip(file.segments, frames):
        for at, way, wire_bytes in traced:
            typer.echo(f"{segment.name} {at} {way} {wire_bytes.hex(' ')}")
    typer.echo(f"{len(found)} of {len(file.places)} boards answer.")
    return 0 if found else 1
