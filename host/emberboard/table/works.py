"""What a wired table is made of, and the real one: ports, pins, reader and rail as its `wiring/*.yaml` names them.

The virtual table (`virtual/table.py`) has the same surface, so whoever plays does not know which one it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Protocol

from emberboard.devices.bell import DeviceQueue
from emberboard.devices.keys import Keys, Light
from emberboard.devices.rail import Colour, Rail
from emberboard.devices.table_file import TableFile
from emberboard.devices.thread import DeviceThread
from emberboard.devices.token_reader import TokenReader
from emberboard.link.registry import Registry
from emberboard.link.wire import Wire


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


class RealTable:
    """The hardware that a table's file names. Call `close` at the end.

    A device that is missing says so as link health and is tried again; only the bus must start. `keep` is called
    before a session number is used, so that the registry can be written. Raises WireError.
    """

    def __init__(self, file: TableFile, registry: Registry, keep: Callable[[Registry], None]) -> None:
        self.file, self.registry = file, registry
        self.devices = DeviceQueue()
        self._keep = keep
        self._left = ExitStack()
        self._left.callback(self.devices.close)
        try:
            self._keys: DeviceThread[Mapping[str, Light]] = DeviceThread(Keys(None, file), self.devices)
            self._left.callback(self._keys.stop)
            for reader in file.readers:
                one: DeviceThread[None] = DeviceThread(TokenReader(reader), self.devices)
                self._left.callback(one.stop)
            self._rail: DeviceThread[Sequence[Colour]] = DeviceThread(Rail(file.rail), self.devices)
            self._left.callback(self._rail.stop)
            self.wire = self._bus()
        except BaseException:
            self._left.close()
            raise

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
        """End the bus and all threads."""
        self.wire.stop()
        self._left.close()

    def _bus(self) -> Wire:
        number = self.registry.next_session()
        self._keep(self.registry)
        return Wire([segment.port for segment in self.file.segments], number)
