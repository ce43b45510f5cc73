"""Where the contract of the token reader is run: the stand-in, the real driver on a PN532 behind a PTY, a real one."""

from __future__ import annotations

import queue
from pathlib import Path
from typing import Protocol

from emberboard.devices.events import DeviceEvent
from emberboard.devices.table_file import Reader
from emberboard.devices.thread import DeviceThread
from emberboard.devices.token_reader import TokenReader
from emberboard.virtual.pn532 import PtyPn532
from emberboard.virtual.reader import VirtualReader
from tests.devices.person import say

WAIT_S = 5.0
MISSES = 3


class ReaderRig(Protocol):
    """What a test does with a reader, wherever it is."""

    where: str
    by_hand: bool
    misses: int

    def present(self, uid: str) -> None: ...

    def remove(self, uid: str) -> None: ...

    def fault(self, *, miss: int = 0, mute: bool = False) -> None: ...

    def next(self) -> DeviceEvent: ...

    def quiet(self, for_s: float) -> bool: ...

    def stop(self) -> bool: ...


class _Events:
    def __init__(self) -> None:
        self.events: queue.SimpleQueue[DeviceEvent] = queue.SimpleQueue()

    def next(self) -> DeviceEvent:
        return self.events.get(timeout=WAIT_S)

    def quiet(self, for_s: float) -> bool:
        try:
            self.events.get(timeout=for_s)
        except queue.Empty:
            return True
        return False


class VirtualReaderRig(_Events):
    """The stand-in."""

    where, by_hand, misses = "the stand-in", False, MISSES

    def __init__(self) -> None:
        super().__init__()
        self.reader = VirtualReader(Reader(name="bag", port="/dev/none", misses=MISSES, poll_ms=20), self.events)
        self.present, self.remove, self.fault = self.reader.present, self.reader.remove, self.reader.fault
        self.stop = self.reader.stop


class ChipReaderRig(_Events):
    """The real adafruit-circuitpython-pn532 on real pyserial; a PN532's frames come out of a PTY."""

    where, by_hand, misses = "adafruit-circuitpython-pn532 over a PTY that speaks PN532 frames", False, MISSES

    def __init__(self, port: Path) -> None:
        super().__init__()
        self.pty = PtyPn532(port)
        self._thread: DeviceThread[None] = DeviceThread(
            TokenReader(Reader(name="bag", port=str(port), misses=MISSES, poll_ms=20)), self.events
        )
        self.present, self.remove, self.fault = self.pty.present, self.pty.remove, self.pty.fault

    def stop(self) -> bool:
        ended = self._thread.stop()
        self.pty.stop()
        return ended


class TableReaderRig(_Events):
    """A real reader: a person lays down what the terminal says. Any tag will do for any UID."""

    where, by_hand = "the real table", True

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.misses = reader.misses
        self._thread: DeviceThread[None] = DeviceThread(TokenReader(reader), self.events)
        self.stop = self._thread.stop

    def next(self) -> DeviceEvent:
        return self.events.get(timeout=WAIT_S + 30)

    def present(self, uid: str) -> None:
        say(f"Lay tag {uid[-2:]} on the reader (any tag, the same for the same name).")

    def remove(self, uid: str) -> None:
        say(f"Take tag {uid[-2:]} away.")

    def fault(self, *, miss: int = 0, mute: bool = False) -> None:
        raise NotImplementedError("a real reader has no faults to order")
