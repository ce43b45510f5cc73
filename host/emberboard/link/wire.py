"""The bus master on real ports, in a process of its own: a busy interpreter beside it would slow it twentyfold.

`Wire` is the table's end: commands go to the process, events come back, both through one pipe. The process ends when it
is told to, or when the table's end of the pipe is gone (the table was killed), so it never outlives its table. A port
that vanishes in play is told of (PortDown) and opened again as soon as it is back.
"""

from __future__ import annotations

import errno
import gc
import multiprocessing
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from selectors import EVENT_READ, SelectSelector
from threading import Thread
from time import monotonic_ns
from typing import Any

import serial

from emberboard.link import protocol as p
from emberboard.link.bus_events import BusEvent
from emberboard.link.segments import Segments
from emberboard.link.timing import Timing

# An adapter on USB hands bytes on once a millisecond or later; the line's own times are in `Timing` itself.
USB_TIMING = Timing(answer=20_000, long_answer=40_000, gap=200, slot=4_000)
PROCESS_TIMING = Timing(answer=70_000, long_answer=90_000, gap=200, slot=4_000)
"""Towards boards that are processes of a busy machine (firmware/shim/config.py): they are woken late."""
REOPEN = 1_000_000  # us between tries to open a port that is gone
START_WITHIN = 20.0  # s


@dataclass(frozen=True, slots=True)
class PortDown:
    """A segment's port is gone or cannot be used: `what` says why and what to do. It is tried again every second."""

    segment: int
    port: str
    what: str


@dataclass(frozen=True, slots=True)
class PortUp:
    """A segment's port that was down is open again."""

    segment: int
    port: str


WireEvent = BusEvent | PortDown | PortUp


class WireError(OSError):
    """The bus could not be started, or its process is gone: the text says which port, why, and what to do."""


def why_not(port: str, error: OSError) -> str:
    """What an error at opening or using a port means, and the fix."""
    number = error.errno
    if number == errno.ENOENT:
        return f"{port} is not there: is the adapter plugged in, and is it this port? `ls /dev/serial/by-id` tells"
    if number in (errno.EACCES, errno.EPERM):
        return f"{port} may not be opened by this user: sudo usermod -aG dialout $USER, then log in again"
    if number in (errno.EBUSY, errno.EAGAIN, errno.EWOULDBLOCK) or "lock" in str(error):
        return f"{port} is in use by another program: another table, or ModemManager (sudo systemctl stop ModemManager)"
    if number in (errno.EIO, errno.ENODEV, errno.ENXIO) or isinstance(error, serial.SerialException):
        return f"{port} went away ({error}): plug its cable in again; it is tried every second"
    return f"{port}: {error}"


class _Port:
    """One serial port: opened, read, written, and opened again when it was gone."""

    def __init__(self, segment: int, path: str, baud: int) -> None:
        self.segment = segment
        self.path = path
        self.baud = baud
        self.line: serial.Serial | None = None
        self.retry_at = 0

    def open(self) -> None:
        """Raises OSError (pyserial's SerialException is one)."""
        self.line = serial.Serial(self.path, self.baud, timeout=0, write_timeout=0.2, exclusive=True)
        # An FTDI adapter holds bytes back for 16 ms otherwise. A UART, a PTY and other adapters know no such mode.
        with suppress(ValueError, OSError):
            self.line.set_low_latency_mode(True)

    def close(self) -> None:
        if self.line is not None:
            with suppress(OSError):  # it is gone already
                self.line.close()
            self.line = None

    def read(self) -> bytes:
        assert self.line is not None
        data: bytes = self.line.read(4096)
        return data

    def write(self, wire: bytes) -> None:
        assert self.line is not None
        self.line.write(wire)


class _Process:
    """The loop of the bus process."""

    def __init__(self, pipe: Connection, ports: Sequence[str], session: int, timing: Timing, baud: int) -> None:
        self.pipe = pipe
        self.ports = [_Port(i, path, baud) for i, path in enumerate(ports)]
        self.bus = Segments(len(ports), session, timing)
        self.selector = SelectSelector()  # waits to the microsecond, which epoll does not
        self.out: SimpleQueue[Any] = SimpleQueue()
        self.running = True

    def send_all(self) -> None:
        """Its own thread: a table that does not read for a while must not stop the bus."""
        while True:
            said = self.out.get()
            if said is None:
                return
            try:
                self.pipe.send(said)
            except OSError:
                return  # the table is gone; the loop sees it too

    def run(self) -> None:
        sender = Thread(target=self.send_all, daemon=True)
        sender.start()
        try:
            for port in self.ports:
                port.open()
                self.selector.register(port.line.fileno(), EVENT_READ, port)  # type: ignore[union-attr]
        except OSError as error:
            self.out.put(("failed", why_not(port.path, error)))
        else:
            self.out.put(("ready", os.getpid()))
            self.selector.register(self.pipe.fileno(), EVENT_READ, None)
            gc.freeze()
            self.loop()
        for port in self.ports:
            port.close()
        self.out.put(None)
        sender.join(2.0)

    def loop(self) -> None:
        while self.running:
            now = monotonic_ns() // 1000
            wake = now + REOPEN
            for port, master in zip(self.ports, self.bus.masters):
                if port.line is None:
                    self.reopen(port, now)
                wire = master.advance(now)
                if wire and port.line is not None:
                    try:
                        port.write(wire)
                    except OSError as error:
                        self.down(port, error, now)
                wake = min(wake, master.wake)
            events = self.bus.events()
            if events:
                self.out.put(("events", events))
            wait = max(0, wake - monotonic_ns() // 1000) / 1e6
            for key, _ in self.selector.select(wait):
                if key.data is None:
                    self.command()
                else:
                    self.read(key.data)

    def read(self, port: _Port) -> None:
        try:
            data = port.read()
        except OSError as error:
            self.down(port, error, monotonic_ns() // 1000)
            return
        self.bus.masters[port.segment].receive(data, monotonic_ns() // 1000)

    def down(self, port: _Port, error: OSError, now: int) -> None:
        assert port.line is not None
        for key in list(self.selector.get_map().values()):
            if key.data is port:
                self.selector.unregister(key.fileobj)
        port.close()
        port.retry_at = now + REOPEN
        self.out.put(("events", [PortDown(port.segment, port.path, why_not(port.path, error))]))

    def reopen(self, port: _Port, now: int) -> None:
        if now < port.retry_at:
            return
        port.retry_at = now + REOPEN
        try:
            port.open()
        except OSError:
            return  # it was told that it is down; the next try is in a second
        self.selector.register(port.line.fileno(), EVENT_READ, port)  # type: ignore[union-attr]
        self.out.put(("events", [PortUp(port.segment, port.path)]))

    def tell(self) -> None:
        """How things stand, after all that was told before."""
        down = [PortDown(port.segment, port.path, "it is not there") for port in self.ports if port.line is None]
        self.out.put(("events", [*self.bus.events(), *down, *self.bus.standing()]))

    def command(self) -> None:
        try:
            said = self.pipe.recv()
        except (EOFError, OSError):
            self.running = False
            return
        match said:
            case ("stop",):
                self.running = False
            case ("show", roles):
                self.bus.show(roles)
            case ("palette", entries):
                self.bus.set_palette(entries)
            case ("scale", scale):
                self.bus.set_scale(scale)
            case ("ask", uid, kind, payload, ticket):
                self.bus.ask(uid, kind, payload, ticket)
            case ("tell",):
                self.tell()
            case ("statistics",):
                self.out.put(("statistics", self.bus.statistics()))
            case ("trace", segment):
                self.out.put(("trace", self.bus.trace(segment)))


def _main(pipe: Connection, ports: Sequence[str], session: int, timing: Timing, baud: int) -> None:
    # Ctrl-C at a terminal reaches every process there; this one is ended by its table, through the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _Process(pipe, ports, session, timing, baud).run()


class Wire:
    """The bus on real ports, one a segment. `session` is Registry.next_session(), saved before.

    Raises WireError when a port cannot be opened. Use it as a context manager, or call `stop`.
    """

    def __init__(
        self, ports: Sequence[str], session: int, timing: Timing | None = None, baud: int = p.BAUD
    ) -> None:  # fmt: skip
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process: BaseProcess = context.Process(
            target=_main, args=(theirs, tuple(ports), session, timing or USB_TIMING, baud), name="emberboard bus",
            daemon=True,
        )  # fmt: skip
        self._waiting: list[WireEvent] = []
        self._tickets = 0
        self._process.start()
        theirs.close()
        said = self._receive(START_WITHIN)
        if said is None or said[0] != "ready":
            self.stop()
            raise WireError(said[1] if said else "the bus process did not start")
        self.pid: int = said[1]

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def fileno(self) -> int:
        """Readable when `events` has something: for a loop's add_reader."""
        return self._pipe.fileno()

    def _receive(self, timeout: float) -> tuple[str, Any] | None:
        """What the process said next; None: nothing within `timeout` s. Raises WireError when it is gone."""
        try:
            if not self._pipe.poll(timeout):
                return None
            said: tuple[str, Any] = self._pipe.recv()
        except (EOFError, OSError) as error:
            raise WireError("the bus process ended: start the table again; its last words are above") from error
        return said

    def _say(self, *said: Any) -> None:
        try:
            self._pipe.send(said)
        except OSError as error:
            raise WireError("the bus process ended: start the table again; its last words are above") from error

    def _reply(self, kind: str) -> Any:
        """The reply of this kind; events that come before it are kept for `events`."""
        while True:
            said = self._receive(START_WITHIN)
            if said is None:
                raise WireError("the bus process does not answer")
            if said[0] == kind:
                return said[1]
            self._waiting += said[1]

    def events(self, timeout: float = 0.0) -> list[WireEvent]:
        """What happened; waits up to `timeout` s for something. Raises WireError when the process is gone."""
        found, self._waiting = self._waiting, []
        while (said := self._receive(0.0 if found else timeout)) is not None:
            found += said[1]
        return found

    def show(self, roles: dict[str, bytes]) -> None:
        """The picture wanted: uid -> 18 bytes of roles. Boards not named keep theirs; only changes go out."""
        self._say("show", roles)

    def set_palette(self, entries: list[tuple[int, int, int, int, int]]) -> None:
        """Up to 16 entries: red, green, blue, effect (protocol.STEADY ...), period in 20 ms."""
        p.palette_payload(0, 0, entries)
        self._say("palette", entries)

    def set_scale(self, scale: int) -> None:
        """The table-wide power scale, 0..255."""
        self._say("scale", scale)

    def ask(self, uid: str, kind: int, payload: bytes = b"") -> int:
        """Ask a board (STATS, LOCATE, UPDATE ...): the ticket of the Answer that will be among the events."""
        self._tickets += 1
        self._say("ask", uid, kind, payload, self._tickets)
        return self._tickets

    def tell(self) -> None:
        """Let the bus tell how things stand (BoardState, BoardLost, LineDown, PortDown), for a table that comes later.

        Raises WireError when the process is gone.
        """
        self._say("tell")

    def statistics(self) -> dict[str, dict[str, float]]:
        """Counters of each board's line by uid."""
        self._say("statistics")
        found: dict[str, dict[str, float]] = self._reply("statistics")
        return found

    def trace(self, segment: int = 0) -> list[tuple[int, str, bytes]]:
        """The last 100 frames each way of a segment: us, ">" or "<", bytes."""
        self._say("trace", segment)
        found: list[tuple[int, str, bytes]] = self._reply("trace")
        return found

    def stop(self) -> None:
        """End the process: by word, and by its handle if it does not listen."""
        with suppress(OSError):  # gone already
            self._pipe.send(("stop",))
        self._process.join(3.0)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._pipe.close()
