"""The doctor's part for devices: open each, look at it, and say what is wrong and what mends it.

What takes time (a silent reader's 2 s) is the driver's; only a token on a reader is watched for a while. Every check
gives findings as data; the command prints them. Ports of segments are looked at without opening them, because the bus
may be in use.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import metadata
from multiprocessing.connection import wait
from pathlib import Path

import msgspec

from emberboard.devices.bell import DeviceQueue
from emberboard.devices.errors import DeviceError, holder_of, port_error, port_taken
from emberboard.devices.events import DeviceBack, DeviceEvent, DeviceLost, KeyPressed, SeatPressed, TagGone, TagShown
from emberboard.devices.keys import Gpio, Keys, Light
from emberboard.devices.rail import TEST_PICTURE, Colour, Rail, Strip, draw_ma, order_words, right_order, scaled
from emberboard.devices.table_file import RailStrip, Reader, TableFile, seat_key
from emberboard.devices.thread import DeviceThread, clock_ms
from emberboard.devices.token_reader import TokenReader

WHITE: Colour = (255, 255, 255)
SIGHT_POLLS = 20
"""So often a reader looks at the token that lies on it."""
OPENED_MS = 5000
"""A reader's thread has opened it by then, or has said why not."""


class Finding(msgspec.Struct, frozen=True):
    """What one check found: which device, whether it is well, and in words what it is or what to do."""

    device: str
    well: bool
    words: str


def check_packages(installed: Callable[[str], bool] | None = None) -> Iterator[Finding]:
    """Whether the packages for pins agree: RPi.GPIO and rpi-lgpio have the same module and exclude each other."""
    has = installed or _installed
    there = [name for name in ("RPi.GPIO", "rpi-lgpio") if has(name)]
    if len(there) == 2:
        yield Finding(
            "packages",
            False,
            "RPi.GPIO and rpi-lgpio are both installed and overwrite each other. Keep one: `pip uninstall RPi.GPIO "
            "rpi-lgpio`, then `pip install -e '.[pi4]'` on a Pi 4, `'.[pi5]'` on a Pi 5.",
        )
    elif not there:
        words = "No package for pins. Run `pip install -e '.[pi4]'` on a Pi 4, `'.[pi5]'` on a Pi 5."
        yield Finding("packages", False, words)
    else:
        yield Finding("packages", True, f"{there[0]} {metadata.version(there[0]) if installed is None else ''}".strip())


def _installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def check_ports(table: TableFile, holder: Callable[[str], tuple[int, str] | None] | None = None) -> Iterator[Finding]:
    """Whether each segment's port is there, may be opened and belongs to no other program. None is opened.

    `holder` says who has a port open; None asks the system.
    """
    ask = holder or holder_of
    for segment in table.segments:
        what = f"segment {segment.name}"
        path = Path(segment.port)
        if not path.exists():
            yield Finding(what, False, str(port_error(segment.port, what, FileNotFoundError(2, "no such file"))))
        elif not os.access(path, os.R_OK | os.W_OK):
            yield Finding(what, False, str(port_error(segment.port, what, PermissionError(13, "permission denied"))))
        elif (held := ask(segment.port)) is not None and held[0] != os.getpid():
            yield Finding(what, False, str(port_taken(segment.port, what, held)))
        else:
            yield Finding(what, True, f"{segment.port} is there and free")


def check_keys(table: TableFile, gpio: Gpio | None = None) -> Iterator[Finding]:
    """Take the pins and look for keys that are down though nobody presses one. `gpio` None: the installed module."""
    keys = Keys(gpio, table)
    try:
        words = keys.open()
        # Times are made up: two scans and one past a long press tell every key that is down, at once.
        told = [event for now in (0, 1, table.keypad.long_ms + 1) for event in keys.step(now)]
    except DeviceError as error:
        yield Finding("keys", False, str(error))
        return
    finally:
        keys.close()
    down = [event.key for event in told if isinstance(event, KeyPressed)]
    down += [seat_key(event.seat, event.yes) for event in told if isinstance(event, SeatPressed)]
    if not down:
        yield Finding("keys", True, words)
        return
    rows = {at for at, row in enumerate(table.keypad.rows, 1) for key in row.keys if key in down}
    where = f"row {rows.pop()}" if len(rows) == 1 and len(down) > 1 else "each key"
    yield Finding(
        "keys",
        False,
        f"{', '.join(down)}: down though nobody presses. Free a jammed key, or look for a short at {where} "
        "(wiring/README.md, the table of keys).",
    )


def watch_keys(table: TableFile, named: Callable[[str], None], done: int, gpio: Gpio | None = None) -> Finding:
    """Name each key as somebody presses it, until all were pressed or the descriptor `done` has something to read."""
    left = {key for row in table.keypad.rows for key in row.keys if key != "-"}
    events = DeviceQueue()
    thread: DeviceThread[Mapping[str, Light]] = DeviceThread(Keys(gpio, table), events)
    lost = ""
    while left and not lost and done not in wait([events.fileno(), done]):
        for event in events.drain():
            if isinstance(event, KeyPressed | SeatPressed):
                key = event.key if isinstance(event, KeyPressed) else seat_key(event.seat, event.yes)
                named(key)
                left.discard(key)
            elif isinstance(event, DeviceLost):
                lost = event.words
    thread.stop()
    events.close()
    if lost or not left:
        return Finding("keys pressed", not lost, lost or "each key was heard")
    words = f"never heard: {', '.join(sorted(left))}. Where one was pressed, look at its diode and its wires."
    return Finding("keys pressed", False, words)


def check_readers(table: TableFile, lay: Callable[[str], bool] | None = None) -> Iterator[Finding]:
    """Open each reader and ask its chip who it is.

    `lay` asks for a token to be laid on a reader, and left there; False: there is none to lay.
    """
    for wiring in table.readers:
        reader = TokenReader(wiring)
        try:
            yield Finding(reader.name, True, reader.open())
        except DeviceError as error:
            yield Finding(reader.name, False, str(error))
            continue
        finally:
            reader.close()
        if lay is not None and lay(reader.name):
            yield _sight(wiring)


def _sight(wiring: Reader) -> Finding:
    """How surely a reader sees a token that lies on it: each poll counts, whatever `misses` forgives in play."""
    events = DeviceQueue()
    reader = TokenReader(msgspec.structs.replace(wiring, misses=1))
    thread: DeviceThread[None] = DeviceThread(reader, events)
    told: list[DeviceEvent] = []
    end = clock_ms() + OPENED_MS
    while clock_ms() < end and not any(isinstance(event, DeviceLost) for event in told):
        wait([events.fileno()], wiring.poll_ms / 1000)
        told += events.drain()
        opened = [event.at for event in told if isinstance(event, DeviceBack)]
        if opened:
            end = opened[0] + (SIGHT_POLLS + 1) * wiring.poll_ms
    thread.stop()
    events.close()
    what = f"{reader.name} token"
    if lost := [event.words for event in told if isinstance(event, DeviceLost)]:
        return Finding(what, False, lost[0])
    sight = [event for event in told if isinstance(event, TagShown | TagGone)]
    if not any(isinstance(event, TagShown) for event in sight):
        return Finding(what, False, "it does not see the token: lay it flat on the antenna, metal and magnets away.")
    dark_ms, since = 0, opened[0] + wiring.poll_ms
    for event in sight:
        if isinstance(event, TagShown):
            dark_ms += max(0, event.at - since)
        since = event.at
    missed = dark_ms // wiring.poll_ms
    if missed > wiring.misses:
        return Finding(
            what, False, f"it missed the token in {missed} of {SIGHT_POLLS} looks: bring the bag closer to the "
            "antenna, metal away from it, or raise `misses:` in the table's file."
        )  # fmt: skip
    return Finding(what, True, f"seen in {SIGHT_POLLS - missed} of {SIGHT_POLLS} looks")


def check_rail(
    strip: RailStrip,
    seen: Callable[[], Sequence[str]] | None = None,
    opener: Callable[[RailStrip], Strip] | None = None,
) -> Iterator[Finding]:
    """Light three pixels red, green, blue; `seen` asks which colours they show, in words; then the rail's power."""
    rail = Rail(strip, opener)
    try:
        words = rail.open()
        rail.obey(TEST_PICTURE, 0)
        yield Finding("rail", True, words)
        if seen is not None:
            looked = list(seen())
            yield _colours(strip, looked)
    except DeviceError as error:
        yield Finding("rail", False, str(error))
        return
    finally:
        rail.close()
    most = draw_ma(strip, [scaled(WHITE, strip.brightness)] * strip.pixels)
    if strip.current_ma < strip.pixels * strip.idle_ma:
        yield Finding(
            "rail power",
            False,
            f"{strip.pixels} dark pixels draw {strip.pixels * strip.idle_ma:.0f} mA already, more than current_ma "
            f"{strip.current_ma}. Raise it to what the rail's supply gives.",
        )
    elif most > strip.current_ma:
        words = f"all white would draw {most} mA; pictures are dimmed to {strip.current_ma} mA"
        yield Finding("rail power", True, words)
    else:
        yield Finding("rail power", True, f"at most {most} mA of {strip.current_ma} mA")


def _colours(strip: RailStrip, looked: list[str]) -> Finding:
    try:
        right = right_order(strip.order, looked)
    except ValueError as error:
        return Finding("rail colours", False, f"{error}. Look again; a dark pixel is a broken one or a loose wire.")
    return Finding("rail colours", right == strip.order, order_words(strip.order, looked))


class Bench(msgspec.Struct, frozen=True):
    """What devices are checked with: None is the real thing.

    `gpio` drives the pins, `strip` opens the rail's chain, `installed` tells whether a package is there. Who is asked
    is in `seen` (colours of the rail's first three pixels), `lay` (a token onto a reader) and `named` (hears each key
    as it is pressed, until the descriptor `done` has something to read); None asks nobody.
    """

    gpio: Gpio | None = None
    strip: Callable[[RailStrip], Strip] | None = None
    installed: Callable[[str], bool] | None = None
    seen: Callable[[], Sequence[str]] | None = None
    lay: Callable[[str], bool] | None = None
    named: Callable[[str], None] | None = None
    done: int = 0


REAL = Bench()


def check_all(table: TableFile, bench: Bench = REAL) -> Iterator[Finding]:
    """Every check on the devices of a table, one after the other."""
    yield from check_packages(bench.installed)
    yield from check_ports(table)
    for finding in check_keys(table, bench.gpio):
        yield finding
        if finding.well and bench.named is not None:
            yield watch_keys(table, bench.named, bench.done, bench.gpio)
    yield from check_readers(table, bench.lay)
    yield from check_rail(table.rail, bench.seen, bench.strip)
