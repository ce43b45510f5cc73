"""A token reader without hardware: the same device as `devices.token_reader`, with a hand that lays tags on it."""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Callable

import msgspec

from emberboard.devices.errors import NoAnswer
from emberboard.devices.events import DeviceEvent, TagGone, TagShown
from emberboard.devices.table_file import Reader
from emberboard.devices.tags import TagTracker
from emberboard.devices.thread import DeviceThread, clock_ms


class TagMove(msgspec.Struct, frozen=True):
    """A hand laid a tag down (`on`) or took it away at `at` ms."""

    at: int
    tag: str
    on: bool


class ReaderFault(msgspec.Struct, frozen=True):
    """From now on: polls that will be missed, and whether it is silent."""

    miss: int
    mute: bool


class StandInReader:
    """The device: polls what lies on it every `poll_ms`, and can miss or fail as the real one does."""

    def __init__(self, reader: Reader) -> None:
        self.name, self.period_ms = f"reader {reader.name}", min(reader.poll_ms, 10)
        self._reader = reader
        self._tracker = TagTracker(reader.misses)
        self._next_poll = 0
        self._lying: tuple[str, ...] = ()
        self._miss = 0
        self._mute = False
        self.hand: queue.SimpleQueue[TagMove | ReaderFault] = queue.SimpleQueue()
        """What is done to it, from any thread."""

    def open(self) -> str:
        """Raises NoAnswer while it is mute."""
        self._feel()
        if self._mute:
            raise NoAnswer(f"{self.name} at {self._reader.port}: no answer from the stand-in. Let it speak again.")
        return f"stand-in for {self._reader.chip} at {self._reader.port}"

    def close(self) -> None:
        """Nothing is held."""

    def obey(self, order: None, now: int) -> list[DeviceEvent]:
        """There is nothing to order."""
        return []

    def step(self, now: int) -> list[DeviceEvent]:
        """Poll when it is due. Raises NoAnswer while it is mute."""
        self.open()
        if now < self._next_poll:
            return []
        self._next_poll = now + self._reader.poll_ms
        # One tag a poll, as the real reader asks for one.
        seen = self._lying[:1]
        if self._miss:
            self._miss, seen = self._miss - 1, ()
        came, left = self._tracker.poll(seen)
        return [
            *(TagGone(reader=self._reader.name, tag=tag, at=now) for tag in left),
            *(TagShown(reader=self._reader.name, tag=tag, at=now) for tag in came),
        ]

    def _feel(self) -> None:
        while not self.hand.empty():
            done = self.hand.get()
            if isinstance(done, ReaderFault):
                self._miss, self._mute = done.miss, done.mute
            elif done.on:
                self._lying = (*self._lying, done.tag)
            else:
                self._lying = tuple(tag for tag in self._lying if tag != done.tag)


class VirtualReader:
    """The stand-in in a thread, with hands and a timed history."""

    def __init__(
        self, reader: Reader, events: queue.SimpleQueue[DeviceEvent], clock: Callable[[], int] = clock_ms
    ) -> None:
        self._device, self._clock = StandInReader(reader), clock
        self.history: deque[TagMove] = deque(maxlen=4096)
        self._thread: DeviceThread[None] = DeviceThread(self._device, events, clock)

    def present(self, uid: str) -> None:
        """Lay a tag on the reader; `uid` in hex."""
        self._move(uid, True)

    def remove(self, uid: str) -> None:
        """Take it away."""
        self._move(uid, False)

    def _move(self, uid: str, on: bool) -> None:
        move = TagMove(self._clock(), uid, on)
        self.history.append(move)
        self._device.hand.put(move)

    def fault(self, *, miss: int = 0, mute: bool = False) -> None:
        """Miss so many polls, or say nothing any more."""
        self._device.hand.put(ReaderFault(miss, mute))

    def stop(self) -> bool:
        """End its thread; whether it ended."""
        return self._thread.stop()
