"""The dice station and the seat buttons: one matrix with diodes, scanned and debounced through the RPi.GPIO API.

Columns are pulled up and read. All rows rest low, so any key pulls a column low; then the rows are driven low in turn,
and a key pulls its column low in its row's turn alone. A diode a key (anode at the column) keeps any number of keys
apart. The lights hang on 74HC595 (Nexperia, 74HC595 datasheet: data is taken on the rising edge of the shift clock,
shown on the rising edge of the storage clock). The GPIO module is handed in, so RPi.GPIO, rpi-lgpio and the virtual
pins are all the same here. DESIGN section 3.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Literal, Protocol

from emberboard.devices.errors import gpio_error
from emberboard.devices.events import DeviceEvent, KeyPressed, KeyStuck, SeatPressed
from emberboard.devices.layout import LAYOUTS, WITH_LONG
from emberboard.devices.table_file import Keypad, TableFile, seat_key

STUCK_MS = 10_000
"""No hand holds a key for so long."""
BLINK_MS = 400
"""Half a blink of a seat's light."""

Light = Literal["off", "on", "blink"]


class Gpio(Protocol):
    """The part of the RPi.GPIO API that is used."""

    BCM: int
    IN: int
    OUT: int
    HIGH: int
    LOW: int
    PUD_UP: int

    def setmode(self, mode: int, /) -> None:
        """Number pins as the chip does."""

    def setwarnings(self, on: bool, /) -> None:
        """Whether to warn of pins in use."""

    def setup(self, channel: int, direction: int, /, *, pull_up_down: int = ..., initial: int = ...) -> None:
        """Take a pin."""

    def input(self, channel: int, /) -> int:
        """Its level."""

    def output(self, channel: int, value: int, /) -> None:
        """Drive it."""

    def cleanup(self, channels: Sequence[int], /) -> None:
        """Give pins back."""


class Contact:
    """One key's debounce and press: down on two scans running is a press, open for `settle_ms` a release."""

    def __init__(self, settle_ms: int, long_ms: int, has_long: bool) -> None:
        self._settle_ms, self._long_ms, self._has_long = settle_ms, long_ms, has_long
        self.down = False
        self._closed_once = False
        self._since = 0
        self._open_since: int | None = None
        self._told_long = self._told_stuck = False

    def feed(self, closed: bool, now: int) -> Literal["", "short", "long", "stuck"]:
        """Take one scan's reading at `now` ms; what is to be told of it."""
        if not self.down:
            if closed and self._closed_once:
                self.down, self._since, self._open_since = True, now, None
                self._told_long = self._told_stuck = False
                return "" if self._has_long else "short"
            self._closed_once = closed
            return ""
        if not closed:
            if self._open_since is None:
                self._open_since = now
            if now - self._open_since >= self._settle_ms:
                held_long = self._told_long
                self.down = self._closed_once = False
                return "short" if self._has_long and not held_long else ""
            return ""
        self._open_since = None
        held = now - self._since
        if self._has_long and not self._told_long and held >= self._long_ms:
            self._told_long = True
            return "long"
        if not self._told_stuck and held >= STUCK_MS:
            self._told_stuck = True
            return "stuck"
        return ""


class Keys:
    """The matrix and the seats' lights as a device (`thread.Device`). Orders are lights by the button's name."""

    name = "keys"

    def __init__(self, gpio: Gpio | None, table: TableFile, layout: str = "numbers") -> None:
        """`gpio` None takes the installed RPi.GPIO or rpi-lgpio when opened. Raises KeyError for an unknown layout."""
        self._gpio, self._pad, self._pins = gpio, table.keypad, table.lights
        self._faults = _faults_of(gpio)
        self._names = LAYOUTS[layout]
        self.period_ms = table.keypad.scan_ms
        self._buttons = {seat_key(seat, yes): (seat, yes) for seat in range(1, 6) for yes in (True, False)}
        self._contacts = _contacts(table.keypad)
        self._lights: dict[str, Light] = {}
        self._shifted: tuple[bool, ...] | None = None
        self._taken: list[int] = []

    def open(self) -> str:
        """Take all pins. Raises PinsTaken, NoPermission, DriverMissing, DeviceError."""
        if self._taken:
            return self._words()
        if self._gpio is None:
            self._gpio = installed_gpio()
            self._faults = _faults_of(self._gpio)
        gpio = self._gpio
        pin: int | None = None
        try:
            gpio.setwarnings(False)
            gpio.setmode(gpio.BCM)
            for pin in self._pad.columns:
                gpio.setup(pin, gpio.IN, pull_up_down=gpio.PUD_UP)
                self._taken.append(pin)
            for pin in [row.pin for row in self._pad.rows]:
                gpio.setup(pin, gpio.OUT, initial=gpio.LOW)
                self._taken.append(pin)
            for pin in (self._pins.data, self._pins.clock, self._pins.latch):
                gpio.setup(pin, gpio.OUT, initial=gpio.LOW)
                self._taken.append(pin)
        except self._faults as error:
            self.close()
            raise gpio_error(error, "keys", pin) from error
        self._contacts = _contacts(self._pad)
        self._shifted = None
        return self._words()

    def _words(self) -> str:
        return f"{len(self._contacts)} keys on {len(self._pad.rows)} rows and {len(self._pad.columns)} columns"

    def close(self) -> None:
        """Give the pins back; the lights stay as they are."""
        if self._taken and self._gpio is not None:
            taken, self._taken = self._taken, []
            # Pins that failed cannot always be given back either; they are taken anew when it is opened again.
            with suppress(*self._faults):
                self._gpio.cleanup(taken)

    def step(self, now: int) -> list[DeviceEvent]:
        """Scan all rows once and blink what blinks. Raises DeviceError when the pins fail."""
        try:
            closed = self._scan()
            self._shift(now)
        except self._faults as error:
            raise gpio_error(error, "keys") from error
        found: list[DeviceEvent] = []
        for name, contact in self._contacts.items():
            if told := contact.feed(name in closed, now):
                found.extend(self._event(name, told, now))
        return found

    def obey(self, order: Mapping[str, Light], now: int) -> list[DeviceEvent]:
        """Show these lights by the buttons' names (`seat 1 yes`); buttons that are not named go dark."""
        if unknown := [name for name in order if name not in self._buttons]:
            raise ValueError(f"no seat button is called {unknown[0]!r}; they are `seat 1 yes` to `seat 5 no`")
        self._lights = dict(order)
        try:
            self._shift(now)
        except self._faults as error:
            raise gpio_error(error, "keys") from error
        return []

    def _scan(self) -> set[str]:
        """The keys that are down. Between scans all rows are low, so a look at the columns tells when none is."""
        assert self._gpio is not None
        gpio, closed = self._gpio, set[str]()
        if all(gpio.input(column) == gpio.HIGH for column in self._pad.columns):
            return closed
        rows = self._pad.rows
        for row in rows:
            gpio.output(row.pin, gpio.HIGH)
        for row in rows:
            gpio.output(row.pin, gpio.LOW)
            for column, key in zip(self._pad.columns, row.keys):
                if key != "-" and gpio.input(column) == gpio.LOW:
                    closed.add(key)
            gpio.output(row.pin, gpio.HIGH)
        for row in rows:
            gpio.output(row.pin, gpio.LOW)
        return closed

    def _event(self, name: str, told: str, now: int) -> Iterable[DeviceEvent]:
        if told == "stuck":
            yield KeyStuck(key=name, at=now)
        elif name in self._buttons:
            seat, yes = self._buttons[name]
            yield SeatPressed(seat=seat, yes=yes, at=now)
        else:
            yield KeyPressed(key=self._names.get(name, name), long=told == "long", at=now)

    def _shift(self, now: int) -> None:
        """Clock the lights out, last button first, when they differ from what the chain holds."""
        assert self._gpio is not None
        lit = now // BLINK_MS % 2 == 0
        wanted = tuple(
            state == "on" or (state == "blink" and lit) for state in map(self._lights.get, self._buttons)
        )
        if wanted == self._shifted:
            return
        gpio, pins = self._gpio, self._pins
        # Two chips have 16 outputs; ten are used, and the six spare ones are shifted through first.
        for on in (*[False] * (16 - len(wanted)), *reversed(wanted)):
            gpio.output(pins.data, gpio.HIGH if on else gpio.LOW)
            gpio.output(pins.clock, gpio.HIGH)
            gpio.output(pins.clock, gpio.LOW)
        gpio.output(pins.latch, gpio.HIGH)
        gpio.output(pins.latch, gpio.LOW)
        self._shifted = wanted


def _contacts(pad: Keypad) -> dict[str, Contact]:
    return {
        key: Contact(pad.settle_ms, pad.long_ms, key in WITH_LONG)
        for row in pad.rows
        for key in row.keys
        if key != "-"
    }


def _faults_of(gpio: Gpio | None) -> tuple[type[Exception], ...]:
    """What a GPIO module raises when a pin cannot be had: rpi-lgpio lets errors of the lgpio beneath it through."""
    beneath = getattr(getattr(gpio, "lgpio", None), "error", RuntimeError)
    return RuntimeError, ValueError, OSError, beneath


def installed_gpio() -> Gpio:
    """The RPi.GPIO module of this machine: RPi.GPIO on a Pi 4, rpi-lgpio on a Pi 5. Raises DriverMissing."""
    if "LG_WD" not in os.environ:
        # lgpio makes its pipes in the working directory, which may be read-only or a user's own folder.
        folder = tempfile.mkdtemp(prefix="emberboard-gpio-")
        os.environ["LG_WD"] = folder
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        from RPi import GPIO
    except (ImportError, RuntimeError) as error:
        raise gpio_error(error, "keys") from error
    module: Gpio = GPIO
    return module
