"""A process with the real keys on the installed RPi.GPIO module: events out, orders in, a JSON line each."""

from __future__ import annotations

import queue
import sys
import threading
from pathlib import Path

import msgspec

from emberboard.devices.events import DeviceEvent
from emberboard.devices.keys import Keys
from emberboard.devices.table_file import read_table
from emberboard.devices.thread import DeviceThread


def main() -> None:
    """`keys_process TABLE LAYOUT`: until standard input ends."""
    events: queue.SimpleQueue[DeviceEvent | None] = queue.SimpleQueue()
    device: DeviceThread = DeviceThread(Keys(None, read_table(Path(sys.argv[1])), sys.argv[2]), events)
    teller = threading.Thread(target=_tell, args=(events,))
    teller.start()
    for line in sys.stdin:
        device.order(msgspec.json.decode(line))
    stopped = device.stop()
    events.put(None)
    teller.join()
    sys.exit(0 if stopped else 1)


def _tell(events: queue.SimpleQueue[DeviceEvent | None]) -> None:
    while (event := events.get()) is not None:
        sys.stdout.write(msgspec.json.encode(event).decode() + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
