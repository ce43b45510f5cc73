"""What a wired table is made of, and the real one: ports, pins, reader and rail as its `wiring/*.yaml` names them.

The virtual table (`virtual/table.py`) has the same surface, so whoever plays does not know which one it is.
"""

from __future__ import annotations

import importlib
import queue
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from time import monotonic
from typing import Protocol

from emberboard.devices.bell import DeviceQueue
from emberboard.devices.blinka import before_import
from emberboard.devices.events import DeviceBack, DeviceEvent, DeviceLost
from emberboard.devices.keys import Keys, Light
from emberboard.devices.rail import Colour, Rail
from emberboard.devices.table_file import TableFile
from emberboard.devices.thread import Device, DeviceThread, Order
from emberboard.devices.token_reader import TokenReader
from emberboard.link import protocol
from emberboard.link.bus_events import Answer
from emberboard.link.registry import Registry
from emberboard.link.timing import Timing
from emberboard.link.wire import PROCESS_TIMING, USB_TIMING, Wire, WireError

FIRST_WORD_S = 5.0
"""A reader that nobody answers at is known after 2 s; on a busy machine drivers load slowly."""
DARK_WITHIN_S = 1.0
"""So long the boards may take to go dark at the end."""
ON_BLINKA = ("board", "neopixel", "adafruit_pn532.uart")
"""What rail and reader import of Blinka and the packages on it."""


class Works(Protocol):
    """Bus, boards' places, devices, and where seats' lights and rail are ordered."""

    file: TableFile
    registry: Registry
    devices: DeviceQueue
    wire: Wire

    def show_seats(self, lights: Mapping[str, Light]) -> None:
        """Order the seats' lights."""

    def show_rail(self, pixels: Sequence[Colour]) -> None:
        """Order the rail's picture."""

    def restart_bus(self) -> Wire:
        """End the bus process, however it is, and start another: the new one. Raises WireError."""

    def close(self) -> None:
        """End all that was started."""


def timing_for(ports: Sequence[str]) -> Timing:
    """The bus's times for the slowest of these ports, by what its name leads to.

    A pseudo-terminal has processes behind it, an adapter (`ttyUSB*`, `ttyACM*`, a name below /dev/serial) hands bytes
    on late; a UART of the Pi's own keeps the budget of DESIGN section 4.
    """
    leads_to = [f"{port} {Path(port).resolve()}" for port in ports]
    if any(" /dev/pts/" in one for one in leads_to):
        return PROCESS_TIMING
    if any(kind in one for one in leads_to for kind in ("/dev/serial/", " /dev/ttyUSB", " /dev/ttyACM")):
        return USB_TIMING
    return Timing()


def _load_drivers() -> None:
    """Import what stands on Blinka before there are threads: rail and reader, doing so at once, lock each other out.

    What cannot be imported is told by the device that needs it.
    """
    before_import()
    for package in ON_BLINKA:
        with suppress(ImportError, NotImplementedError, RuntimeError):
            importlib.import_module(package)


class RealTable:
    """The hardware that a table's file names. Call `close` at the end.

    A device that is missing says so as link health and is tried again; only the bus must start. `keep` is called
    before a session number is used, so that the registry can be written. Raises WireError.
    """

    def __init__(self, file: TableFile, registry: Registry, keep: Callable[[Registry], None]) -> None:
        self.file, self.registry = file, registry
        self.devices = DeviceQueue()
        self._keep = keep
        self._names: set[str] = set()
        self._left = ExitStack()
        self._left.callback(self.devices.close)
        _load_drivers()
        try:
            self._keys: DeviceThread[Mapping[str, Light]] = self._drive(Keys(None, file))
            for reader in file.readers:
                self._drive(TokenReader(reader))
            self._rail: DeviceThread[Sequence[Colour]] = self._drive(Rail(file.rail))
            self.wire = self._bus()
        except BaseException:
            self._left.close()
            raise

    def lost(self, within: float = FIRST_WORD_S) -> dict[str, str]:
        """The devices that could not be opened, each with why and what to do; waits `within` s for their first word.

        For before the first fight: the table that comes hears the same.
        """
        silent, heard = set(self._names), list[DeviceEvent]()
        lost: dict[str, str] = {}
        until = monotonic() + within
        with suppress(queue.Empty):
            while silent:
                event = self.devices.get(timeout=max(0.0, until - monotonic()))
                heard.append(event)
                if isinstance(event, DeviceLost):
                    lost[event.device] = event.words
                elif isinstance(event, DeviceBack):
                    lost.pop(event.device, None)
                silent.discard(getattr(event, "device", ""))
        for event in heard:
            self.devices.put(event)
        return lost

    def show_seats(self, lights: Mapping[str, Light]) -> None:
        """Order the seats' lights."""
        self._keys.order(lights)

    def show_rail(self, pixels: Sequence[Colour]) -> None:
        """Order the rail's picture."""
        self._rail.order(pixels)

    def restart_bus(self) -> Wire:
        """End the bus process and start another: the new one. Raises WireError."""
        self.wire.stop()
        self.wire = self._bus()
        return self.wire

    def close(self) -> None:
        """Put all lights out, end the bus and all threads."""
        self.show_seats({})
        self._go_dark()
        self.wire.stop()
        self._left.close()

    def _go_dark(self) -> None:
        """Boards keep what they were shown last: light goes before questions, so who answers one is dark."""
        with suppress(WireError):  # it ended before
            self.wire.show(dict.fromkeys(self.registry.places, bytes(protocol.ROLES_SIZE)))
            asked = {self.wire.ask(uid, protocol.STATS) for uid in self.registry.places}
            until = monotonic() + DARK_WITHIN_S
            while asked and (left := until - monotonic()) > 0:
                asked -= {event.ticket for event in self.wire.events(left) if isinstance(event, Answer)}

    def _drive(self, device: Device[Order]) -> DeviceThread[Order]:
        """A device in its thread, which ends with the table."""
        self._names.add(device.name)
        thread = DeviceThread(device, self.devices)
        self._left.callback(thread.stop)
        return thread

    def _bus(self) -> Wire:
        number = self.registry.next_session()
        self._keep(self.registry)
        ports = [segment.port for segment in self.file.segments]
        return Wire(ports, number, timing_for(ports))
