"""The queue that all devices of a table put their events into, with a bell that a loop can wait for."""

from __future__ import annotations

import queue
import socket
from contextlib import suppress

from emberboard.devices.events import DeviceEvent


class DeviceQueue(queue.SimpleQueue[DeviceEvent]):
    """A queue of device events; `fileno` is readable while there may be something in it. Call `close` at the end."""

    def __init__(self) -> None:
        self._bell, self._ring = socket.socketpair()
        self._bell.setblocking(False)
        self._ring.setblocking(False)

    def put(self, item: DeviceEvent, block: bool = True, timeout: float | None = None) -> None:
        """Put an event in, from any thread, and ring."""
        super().put(item, block, timeout)
        with suppress(OSError):  # it rings enough already, or the table has left
            self._ring.send(b"!")

    def fileno(self) -> int:
        """For `multiprocessing.connection.wait` or a loop's add_reader."""
        return self._bell.fileno()

    def drain(self) -> list[DeviceEvent]:
        """All that is in it, in order; never waits."""
        with suppress(BlockingIOError):
            self._bell.recv(4096)
        found = []
        with suppress(queue.Empty):
            while True:
                found.append(self.get_nowait())
        return found

    def close(self) -> None:
        """Give the bell back."""
        self._bell.close()
        self._ring.close()
