"""The doctor's part for boards: find them, load their line and their supply, and say what is wrong and what mends it.

`examine` makes the boards show white, as bright as the table's supply allows, and polls them for a while: so a line
that loses frames, a board that dims itself or one that its cable starves shows up here and not in a fight. What was
told is then turned into findings (`findings`), which needs no hardware.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from random import SystemRandom
from time import monotonic

import msgspec

from emberboard.devices.checkup import Finding
from emberboard.devices.rail import right_order
from emberboard.devices.table_file import Segment, TableFile, place_at
from emberboard.link import protocol as p
from emberboard.link.board_record import ALARM_RATE
from emberboard.link.bus_events import (
    Answer,
    BoardBack,
    BoardComplaint,
    BoardDoubled,
    BoardFlag,
    BoardFound,
    BoardLost,
    BoardRefused,
    BoardState,
    Discovered,
    LineDown,
    PictureShown,
)
from emberboard.link.registry import Registry
from emberboard.link.timing import Timing
from emberboard.link.wire import PortDown, Wire, WireError, WireEvent
from emberboard.table.power_scale import ECHO, ECHOES, brightest, dark_ma, most_ma, scale_for

FOUND_WITHIN = 20.0
"""So long (s) a segment may look for its boards."""
LOADED_WITHIN = 15.0
"""So long (s) all boards of a table may take for TRIES polls each: 16 on a segment take 5."""
TRIES = 200
"""Polls of a board that its line is judged by."""
ANSWER_WITHIN = 5.0
"""So long (s) a board may take to answer a question, or to show a picture."""
WHITE, RED, GREEN, BLUE = 1, 2, 3, 4
"""Entries of the doctor's palette."""
PALETTE = [
    (0, 0, 0, p.STEADY, 0),
    (255, 255, 255, p.STEADY, 0),
    (80, 0, 0, p.STEADY, 0),
    (0, 80, 0, p.STEADY, 0),
    (0, 0, 80, p.STEADY, 0),
]
COLOURS = {"red": RED, "green": GREEN, "blue": BLUE}
LIGHTS_ORDER = "GRB"
"""What the firmware sends (firmware/leds.py)."""
FIXES = {
    "limiting": "dims itself below what the table allows it: is this its firmware's limit (firmware/power.py)?",
    "fault": "reports a sensor fault: reseat its shift registers' connector, then `emberboard doctor` again",
    "unconfirmed": "runs an update on trial that nobody confirmed: start it again to go back to the one before",
    "errors": "has many errors on its line: check plug, ground and the terminator at the end of the chain",
}

Look = Callable[[str], str]
"""Asks somebody which colour is seen on what is named ("all boards", "board B1"): a colour's name, or "dark"."""


class Examined(msgspec.Struct):
    """What was heard of a table's boards: all events, the counters of each line by uid, tiles stuck by uid."""

    told: list[WireEvent] = []
    lines: dict[str, dict[str, float]] = {}
    stuck: dict[str, int] = {}

    @property
    def found(self) -> dict[str, int]:
        """The boards that have an address, and the segment of each."""
        return {event.identity.uid: event.segment for event in self.told if isinstance(event, BoardFound)}


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


def white_scale(table: TableFile, found: int) -> int:
    """The power scale at which so many white boards draw what the table's supply gives."""
    light = brightest(bytes([0x11 * WHITE]) * p.ROLES_SIZE, PALETTE)
    return scale_for([light] * found, max(found, len(table.places)), min(most_ma(found), table.supply.budget_ma))


def examine(table: TableFile, wire: Wire, tries: int = TRIES) -> Examined:
    """Find the boards, let them shine, poll each `tries` times, ask each for stuck tiles. Raises WireError."""
    heard = Examined(told=listen(wire, len(table.segments)))
    boards = heard.found
    wire.set_scale(white_scale(table, len(boards)))
    wire.set_palette(PALETTE)
    heard.told += light(wire, boards, WHITE)
    end = monotonic() + LOADED_WITHIN
    while monotonic() < end:
        heard.told += wire.events(0.1)
        heard.lines = wire.statistics()
        lost = {event.uid for event in heard.told if isinstance(event, BoardLost)}
        if all(line["tries"] >= tries for uid, line in heard.lines.items() if uid in boards and uid not in lost):
            break
    heard.told += light(wire, boards, 0)
    asked = {wire.ask(uid, p.SELFTEST): uid for uid in boards}
    end = monotonic() + ANSWER_WITHIN
    while asked and monotonic() < end:
        for event in wire.events(0.1):
            heard.told.append(event)
            if isinstance(event, Answer) and (uid := asked.pop(event.ticket, None)) and event.kind == p.FINDINGS:
                heard.stuck[uid] = p.read_mask(event.payload)
    return heard


def light(wire: Wire, boards: Mapping[str, int], entry: int) -> list[WireEvent]:
    """Show one palette entry on all tiles of these boards (uid -> segment); what was told until it was shown."""
    wire.show({uid: bytes([0x11 * entry]) * p.ROLES_SIZE for uid in boards})
    told: list[WireEvent] = []
    end = monotonic() + ANSWER_WITHIN
    while monotonic() < end:
        told += wire.events(0.05)
        if {event.segment for event in told if isinstance(event, PictureShown)} >= set(boards.values()):
            break
    return told


class _Names:
    """How boards are called: by the place that was learnt, else by uid."""

    def __init__(self, table: TableFile, known: Registry) -> None:
        self._places = {known.at(row, column): place for place, (column, row) in spots(table).items()}

    def __call__(self, uid: str) -> str:
        place = self._places.get(uid)
        return f"board {uid}" if place is None else f"board {place} ({uid})"

    def place(self, uid: str) -> str | None:
        """Its place, where one was learnt."""
        return self._places.get(uid)


def spots(table: TableFile) -> dict[str, tuple[int, int]]:
    """Each place of the table, and its (column, row) from 0."""
    return {place: place_at(place) for place in table.places}


def findings(table: TableFile, heard: Examined, known: Registry | None = None) -> Iterator[Finding]:
    """What was heard, as findings. `known` are the places that were learnt."""
    names = _Names(table, known or Registry())
    refused = {event.uid for event in heard.told if isinstance(event, BoardRefused)}
    for number, segment in enumerate(table.segments):
        yield from _segment(number, segment, heard, names, refused)
    homes: dict[str, set[int]] = {}
    doubled = {event.uid for event in heard.told if isinstance(event, BoardDoubled)}
    for event in heard.told:
        if isinstance(event, BoardFound):
            homes.setdefault(event.identity.uid, set()).add(event.segment)
        elif isinstance(event, BoardRefused):
            words = f"speaks protocol {event.major}.{event.minor}, this host {p.MAJOR}: flash it with this firmware."
            yield Finding(names(event.uid), False, words)
    doubled |= {uid for uid, segments in homes.items() if len(segments) > 1}
    for uid in sorted(doubled):
        yield Finding(
            names(uid), False, "two boards say that they are this one: take one off; a copied flash gives a controller "
            "the number of another, so fit another flash chip or controller."
        )  # fmt: skip
    yield from _flags(heard, names)
    yield from _events(heard, names)
    for uid, mask in heard.stuck.items():
        if mask:
            tiles = ", ".join(str(tile) for tile in range(p.TILES) if mask >> tile & 1)
            yield Finding(
                names(uid), True, f"tile {tiles} felt a magnet ever since the board's start: where no figure stands, "
                "its sensor is stuck or soldered the wrong way round."
            )  # fmt: skip


def _segment(
    number: int, segment: Segment, heard: Examined, names: _Names, refused: set[str]
) -> Iterator[Finding]:
    what, wanted = f"segment {segment.name}", len(segment.chain)
    here = [uid for uid, home in heard.found.items() if home == number]
    turned_away = len({e.uid for e in heard.told if isinstance(e, BoardRefused) and e.segment == number})
    lines = [heard.lines[uid] for uid in here if uid in heard.lines]
    tries, misses = (int(sum(line[which] for line in lines)) for which in ("tries", "misses"))
    clean = all(event.clean for event in heard.told if isinstance(event, Discovered) and event.segment == number)
    noise = "" if clean else (
        " The line is noisy, or two boards answer as one: check bias and terminator, take boards off one by one."
    )  # fmt: skip
    if len(here) + turned_away < wanted:
        there = {place for uid in here if (place := names.place(uid))}
        missing = [place for place in segment.chain if place not in there] if len(there) == len(here) else []
        if not here:
            where = "the cable from the host, and the boards' power"
        elif missing and (tail := _tail(segment, there)) == missing:
            where = f"the plug between {segment.chain[-len(tail) - 1]} and {tail[0]}, and the power behind it"
        else:
            where = f"power and plugs {'at' if missing else 'along'} {' - '.join(missing or segment.chain)}"
        who = f"; {', '.join(missing)} missing" if missing and here else ""
        yield Finding(what, False, f"{len(here)} of {wanted} boards answer{who}: check {where}.{noise}")
    elif len(here) > wanted:
        strange = [uid for uid in here if names.place(uid) is None]
        who = f" ({', '.join(strange)} {'have' if len(strange) > 1 else 'has'} no place)" if strange else ""
        yield Finding(
            what, False, f"{len(here)} boards answer, its chain has {wanted}{who}: take the others off, or write them "
            "into the table's file and run `emberboard boards --learn`."
        )  # fmt: skip
    elif noise:
        yield Finding(what, False, f"all {wanted} boards answer.{noise}")
    else:
        yield Finding(what, True, f"all {wanted} boards answer; {misses} of {tries} tries without a good reply")


def _tail(segment: Segment, there: set[str]) -> list[str]:
    """The places at the end of the chain, from which on nobody answers."""
    return list(takewhile(lambda place: place not in there, reversed(segment.chain)))[::-1]


def _flags(heard: Examined, names: _Names) -> Iterator[Finding]:
    # What was once limiting or in error is told, though it may be over; a fault or a trial only while it lasts.
    ever: dict[tuple[str, str], bool] = {}
    for event in heard.told:
        if isinstance(event, BoardFlag):
            lasting = event.flag in ("limiting", "errors") and ever.get((event.uid, event.flag), False)
            ever[event.uid, event.flag] = event.on or lasting
    for uid, line in heard.lines.items():
        if line["tries"] and line["misses"] / line["tries"] > ALARM_RATE:
            ever[uid, "errors"] = True
    for (uid, flag), on in ever.items():
        if on:
            line = heard.lines.get(uid, {})
            of = f" ({line['misses']:.0f} of {line['tries']:.0f} tries)" if flag == "errors" and line else ""
            yield Finding(names(uid), False, f"{FIXES.get(flag, flag)}{of}.")


def _events(heard: Examined, names: _Names) -> Iterator[Finding]:
    back = [event.uid for event in heard.told if isinstance(event, BoardBack)]
    lost = [event.uid for event in heard.told if isinstance(event, BoardLost)]
    restarted = {event.uid for event in heard.told if isinstance(event, BoardBack) and event.restarted}
    for uid in dict.fromkeys((*lost, *restarted)):
        if uid in restarted:
            words = "started anew while it was lit: check its plugs and the feed's fuse, cable and length."
        elif uid in back:
            words = "fell silent and came back: check its plugs."
        else:
            words = "answered, then fell silent: check its power and plugs; then restart it."
        yield Finding(names(uid), False, words)
    for event in heard.told:
        if isinstance(event, LineDown | PortDown):
            what = "bus" if isinstance(event, LineDown) else f"port {event.port}"
            yield Finding(what, False, f"{event.what}.")
        elif isinstance(event, BoardComplaint):
            yield Finding(names(event.uid), False, f"{event.what}: flash it with this firmware.")


def check_colours(
    table: TableFile, wire: Wire, boards: Mapping[str, int], look: Look, known: Registry
) -> Iterator[Finding]:
    """Light the boards red, green and blue, and ask what is seen; one by one where not all show what they should."""
    names = _Names(table, known)
    if _seen(wire, boards, "all boards", look) == list(COLOURS):
        yield Finding("board colours", True, "all boards show red, green, blue")
        return
    for uid in boards:
        looked = _seen(wire, {uid: boards[uid]}, names(uid), look)
        if looked == list(COLOURS):
            yield Finding(f"{names(uid)} colours", True, "red, green, blue")
            continue
        try:
            order = right_order(LIGHTS_ORDER, looked)
            words = (
                f"it shows {', '.join(looked)} for red, green, blue: its lights take {order}, the firmware sends "
                f"{LIGHTS_ORDER}. Fit lights of that order (hardware/made/, the bill of materials)."
            )
        except ValueError:
            words = (
                f"it shows {', '.join(looked)} for red, green, blue: look for the first tile that is wrong, at its "
                "light's solder, or the data line before it."
            )
        yield Finding(f"{names(uid)} colours", False, words)


def _seen(wire: Wire, boards: Mapping[str, int], what: str, look: Look) -> list[str]:
    looked = []
    for entry in COLOURS.values():
        light(wire, boards, entry)
        looked.append(look(what))
    light(wire, boards, 0)
    return looked


def check_power(table: TableFile) -> Finding:
    """Whether the supply that the table's file declares carries the boards."""
    boards, supply = len(table.places), table.supply
    given, dark, most = supply.budget_ma, dark_ma(boards), most_ma(boards)
    said = f"{supply.amperes:g} A, of which {given} mA may be drawn"
    least = dark + ECHO * ECHOES * 12 // 255
    if given <= least:
        return Finding(
            "board power", False, f"{said}, but {boards} boards draw {dark} mA while they are dark. Fit a supply of "
            f"{most / 1000 / supply.load:.0f} A and write it as `supply:` into the table's file."
        )  # fmt: skip
    if given < most:
        scale = white_scale(table, boards)
        return Finding("board power", True, f"{said}: white on all boards is dimmed to {100 * scale // 255} %")
    return Finding("board power", True, f"{said}: enough for {boards} boards at their own limit ({most} mA)")


def check_boards(
    table: TableFile,
    ports: Sequence[str] | None = None,
    *,
    known: Registry | None = None,
    look: Look | None = None,
    timing: Timing | None = None,
) -> Iterator[Finding]:
    """Look for the boards of each segment, in play's own way. `ports` None takes those of the table's file."""
    try:
        with Wire(ports or [segment.port for segment in table.segments], session(), timing) as wire:
            heard = examine(table, wire)
            yield from findings(table, heard, known)
            if look is not None and heard.found:
                yield from check_colours(table, wire, heard.found, look, known or Registry())
    except WireError as error:
        yield Finding("bus", False, f"{error}.")
