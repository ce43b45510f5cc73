"""The queue that all devices of a table put their events into, with a bell that a loop can wait for."""

from __future__ import annotations

import queue
import socket
from contextlib import suppress

from emberboard.devices.events import DeviceBack, DeviceEvent, DeviceLost


class DeviceQueue(queue.SimpleQueue[DeviceEvent]):
    """A queue of device events; `fileno` is readable while there may be something in it. Call `close` at the end."""

    def __init__(self) -> None:
        self._bell, self._ring = socket.socketpair()
        self._bell.setblocking(False)
        self._ring.setblocking(False)
        self._lost: dict[str, DeviceLost] = {}

    def put(self, item: DeviceEvent, block: bool = True, timeout: float | None = None) -> None:
        """Put an event in, from any thread, and ring."""
        super().put(item, block, timeout)
        with suppress(OSError):  # it rings enough already, or the table has left
            self._ring.send(b"!")

    def fileno(self) -> int:
        """For `multiprocessing.connection.wait` or a loop's add_reader."""
        return self._bell.fileno()

    def drain(self) -> list[DeviceEvent]:
        """All that is in it, in order; never waits. Only the one loop that hears devices calls this."""
        with suppress(BlockingIOError):
            self._bell.recv(4096)
        found = []
        with suppress(queue.Empty):
            while True:
                found.append(self.get_nowait())
        for event in found:
            if isinstance(event, DeviceLost):
                self._lost[event.device] = event
            elif isinstance(event, DeviceBack):
                self._lost.pop(event.device, None)
        return found

    def standing(self) -> list[DeviceEvent]:
        """The devices that are lost, for somebody who did not hear it: each said it once."""
        return list(self._lost.values())

    def close(self) -> None:
        """Give the bell back."""
        self._bell.close()
        self._ring.close()
