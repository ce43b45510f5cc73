"""The dice station and the seats without hardware: pins that behave as the matrix, and keep a timed history.

`VirtualPins` offers the RPi.GPIO API, so the very same `devices.keys.Keys` scans it; behind the pins are the table's
keys with their diodes and the 74HC595 chain of the seats' lights. gpiozero's mock pins are the model.
"""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Callable, Mapping, Sequence

import msgspec

from emberboard.devices.events import DeviceEvent
from emberboard.devices.keys import Keys, Light
from emberboard.devices.table_file import TableFile, seat_key
from emberboard.devices.thread import DeviceThread, clock_ms

BUTTONS = tuple(seat_key(seat, yes) for seat in range(1, 6) for yes in (True, False))
"""The lights in the order of the chain's outputs."""


class PinChange(msgspec.Struct, frozen=True):
    """An output was driven to `level` (0, 1) at `at` ms."""

    at: int
    pin: int
    level: int


class ShiftChain:
    """Two 74HC595 in a row: what their 16 outputs show. Bits enter at output 0 and move on by one a clock."""

    def __init__(self, data: int, clock: int, latch: int) -> None:
        self._data, self._clock, self._latch = data, clock, latch
        self._levels = {data: 0, clock: 0, latch: 0}
        self._bits = [False] * 16
        self.shown: tuple[bool, ...] = (False,) * 16

    def drive(self, pin: int, level: int) -> None:
        """Take a change of one of its three pins; other pins are passed over."""
        before = self._levels.get(pin)
        if before is None:
            return
        self._levels[pin] = level
        if pin == self._clock and level and not before:
            self._bits = [bool(self._levels[self._data]), *self._bits[:-1]]
        elif pin == self._latch and level and not before:
            self.shown = tuple(self._bits)

    @property
    def lit(self) -> frozenset[str]:
        """The seat buttons that are lit."""
        return frozenset(name for name, on in zip(BUTTONS, self.shown) if on)


class VirtualPins:
    """The 40-pin header with a table's keys and lights on it, behind the RPi.GPIO API."""

    BCM, BOARD = 11, 10
    OUT, IN = 0, 1
    LOW, HIGH = 0, 1
    PUD_OFF, PUD_DOWN, PUD_UP = 20, 21, 22

    def __init__(self, table: TableFile, clock: Callable[[], int] = clock_ms, keep: int = 4096) -> None:
        """`keep` is how many changes the history holds."""
        self._clock = clock
        self._wires = {
            key: (column, row.pin)
            for row in table.keypad.rows
            for column, key in zip(table.keypad.columns, row.keys)
            if key != "-"
        }
        self._down: frozenset[str] = frozenset()
        self._pulled_up: set[int] = set()
        self._inputs: set[int] = set()
        self._driven: dict[int, int] = {}
        self.chain = ShiftChain(table.lights.data, table.lights.clock, table.lights.latch)
        self.history: deque[PinChange] = deque(maxlen=keep)
        self.of_others: set[int] = set()
        """Pins that another program has."""

    def contact(self, key: str, closed: bool) -> None:
        """Close or open a key's contact, without any bouncing. Raises KeyError for a key that the table lacks."""
        if key not in self._wires:
            raise KeyError(key)
        # One reference is swapped, so a scan in another thread sees the old or the new set and never half of one.
        self._down = self._down | {key} if closed else self._down - {key}

    def setmode(self, mode: int, /) -> None:
        """Only BCM numbers are offered."""
        if mode != self.BCM:
            raise ValueError("the virtual pins are numbered as BCM")

    def setwarnings(self, on: bool, /) -> None:
        """There are none."""

    def setup(self, channel: int, direction: int, /, *, pull_up_down: int = PUD_OFF, initial: int = LOW) -> None:
        """Take a pin. Raises RuntimeError as rpi-lgpio does when another program has it."""
        if channel in self.of_others:
            raise RuntimeError("GPIO busy")
        if direction == self.OUT:
            self._drive(channel, initial)
            return
        self._inputs.add(channel)
        if pull_up_down == self.PUD_UP:
            self._pulled_up.add(channel)

    def input(self, channel: int, /) -> int:
        """The level of a pin. Raises RuntimeError when it was not taken."""
        if channel in self._driven:
            return self._driven[channel]
        if channel not in self._inputs:
            raise RuntimeError("You must setup() the GPIO channel first")
        rows = [row for key, (column, row) in self._wires.items() if column == channel and key in self._down]
        if any(self._driven.get(row) == self.LOW for row in rows):
            return self.LOW
        return self.HIGH if channel in self._pulled_up else self.LOW

    def output(self, channel: int, value: int, /) -> None:
        """Drive a pin. Raises RuntimeError when it is no output."""
        if channel not in self._driven:
            raise RuntimeError("The GPIO channel has not been set up as an OUTPUT")
        self._drive(channel, value)

    def cleanup(self, channels: Sequence[int], /) -> None:
        """Give pins back."""
        for channel in channels:
            self._driven.pop(channel, None)
            self._inputs.discard(channel)
            self._pulled_up.discard(channel)

    def _drive(self, pin: int, level: int) -> None:
        if self._driven.get(pin) != level:
            self.history.append(PinChange(self._clock(), pin, level))
        self._driven[pin] = level
        self.chain.drive(pin, level)


class VirtualKeys:
    """The real `Keys` on virtual pins in a thread, with hands to press them."""

    def __init__(
        self,
        table: TableFile,
        events: queue.SimpleQueue[DeviceEvent],
        layout: str = "numbers",
        clock: Callable[[], int] = clock_ms,
    ) -> None:
        self.pins = VirtualPins(table, clock)
        self._thread: DeviceThread[Mapping[str, Light]] = DeviceThread(Keys(self.pins, table, layout), events, clock)

    def press(self, key: str) -> None:
        """Hold a key down until `release`."""
        self.pins.contact(key, True)

    def release(self, key: str) -> None:
        """Let go of it."""
        self.pins.contact(key, False)

    def show(self, lights: Mapping[str, Light]) -> None:
        """Order the seats' lights."""
        self._thread.order(lights)

    @property
    def lit(self) -> frozenset[str]:
        """The seat buttons that are lit now."""
        return self.pins.chain.lit

    def stop(self) -> bool:
        """End its thread; whether it ended."""
        return self._thread.stop()
