"""A token reader: a PN532 on a UART through adafruit-circuitpython-pn532, as states that never sleep.

The chip is asked for one tag of type A at 106 kbaud, with a bounded number of attempts, so that it says "none" instead
of waiting for ever: only so can misses be counted. Source: NXP UM0701-02 (PN532 user manual), 7.3.1 RFConfiguration
item 5, 7.3.5 InListPassiveTarget; ESPHome's rc522 for the manner.

    CLOSED -> open() -> READY -> (poll is due) -> ASKED -> (answer is whole) -> READY
"""

from __future__ import annotations

import termios
from collections.abc import Callable, Collection
from typing import Any

import serial

from emberboard.devices.blinka import before_import
from emberboard.devices.errors import DeviceError, DriverMissing, NoAnswer, NotWhatWasExpected, port_error
from emberboard.devices.events import DeviceEvent, TagGone, TagShown
from emberboard.devices.table_file import Reader
from emberboard.devices.tags import TagTracker

RF_CONFIGURATION, MAX_RETRIES = 0x32, 0x05
IN_LIST_PASSIVE_TARGET, TYPE_A_106 = 0x4A, 0x00
ATTEMPTS = 1
"""Activations that are tried again before the chip says that there is no tag; each takes some 5 ms."""
ACK_S = 0.1
ANSWER_MS = 1000
"""A chip that has said nothing for so long after a question is gone."""
SPOILT_LIMIT = 5
"""Spoilt answers running before the reader counts as lost."""
SILENCE_LIMIT = 3
"""So many answers running that do not come are silence."""
FRAME_OVERHEAD = 9
"""Bytes around an answer's data: preamble, start code, length and its check, D5, command, checksum, postamble."""


class TokenReader:
    """One reader as a device (`thread.Device`); it takes no orders."""

    def __init__(self, reader: Reader) -> None:
        self.name = f"reader {reader.name}"
        self.period_ms = 10
        self._reader = reader
        self._tracker = TagTracker(reader.misses)
        self._port: serial.Serial | None = None
        self._chip: Any = None
        self._words = ""
        self._asked_at: int | None = None
        self._next_poll = 0
        self._waiting = 0
        self._spoilt = 0
        self._silences = 0

    def open(self) -> str:
        """Open the port, wake the chip and set it up; its name and firmware.

        Raises NotThere, NoPermission, PortTaken, NoAnswer, NotWhatWasExpected, DriverMissing. Takes up to 2 s when
        nothing answers.
        """
        if self._chip is not None:
            return self._words
        driver, busy = _driver()
        where = self._reader.port
        try:
            self._port = serial.Serial(where, self._reader.baud, timeout=0.02, write_timeout=0.5, exclusive=True)
        except OSError as error:
            raise port_error(where, self.name, error) from error
        try:
            chip = driver(self._port)
            kind, version, revision, _support = chip.firmware_version
            done = chip.call_function(RF_CONFIGURATION, params=[MAX_RETRIES, 0xFF, 0x01, ATTEMPTS], timeout=0.5)
        except busy as error:
            self.close()
            raise NoAnswer(self._silent()) from error
        except (RuntimeError, IndexError) as error:
            self.close()
            if "Failed to detect" in str(error):
                raise NoAnswer(self._silent()) from error
            raise NotWhatWasExpected(
                f"{self.name} at {where}: something answers, but not as a PN532 does ({error}). Is it another port's "
                "cable, or a board of the bus? `emberboard doctor` tells what is where."
            ) from error
        except termios.error as error:
            self.close()
            raise port_error(where, self.name, OSError(*error.args)) from error
        except OSError as error:
            self.close()
            raise port_error(where, self.name, error) from error
        if kind != 0x32 or done is None:
            self.close()
            raise NotWhatWasExpected(f"{self.name} at {where}: expected a PN532 (0x32), the chip says 0x{kind:02X}.")
        self._chip, self._asked_at, self._spoilt, self._silences = chip, None, 0, 0
        self._words = f"PN532 firmware {version}.{revision} at {where}"
        return self._words

    def _silent(self) -> str:
        return (
            f"{self.name} at {self._reader.port}: no answer from a PN532. Check its switches (HSU: both off), TX to RX "
            "and RX to TX, its power, and that the port's overlay is on (wiring/README.md)."
        )

    def close(self) -> None:
        """Give the port back. What lay on the reader is remembered, so it is no second draw after a cable's hiccup."""
        port, self._port, self._chip = self._port, None, None
        if port is not None:
            port.close()

    def obey(self, order: None, now: int) -> list[DeviceEvent]:
        """There is nothing to order."""
        return []

    def step(self, now: int) -> list[DeviceEvent]:
        """Ask when a poll is due, take the answer when it is whole. Raises NoAnswer, NotThere, NotWhatWasExpected."""
        assert self._port is not None and self._chip is not None, "open() comes first"
        try:
            if self._asked_at is None:
                if now >= self._next_poll:
                    self._ask(now)
                return []
            there = self._port.in_waiting
            # An answer is whole when a step later no byte has come: at 115200 baud a gap of 10 ms ends a frame.
            if there <= FRAME_OVERHEAD or there != self._waiting:
                self._waiting = there
                if now - self._asked_at > ANSWER_MS:
                    self._unanswered()
                return []
            return self._take(there, now)
        except DeviceError:
            raise
        except termios.error as error:
            # Flushing a port that went away raises this, which is no OSError.
            raise port_error(self._reader.port, self.name, OSError(*error.args)) from error
        except OSError as error:
            raise port_error(self._reader.port, self.name, error) from error

    def _ask(self, now: int) -> None:
        self._next_poll = now + self._reader.poll_ms
        try:
            taken = self._chip.send_command(IN_LIST_PASSIVE_TARGET, params=[0x01, TYPE_A_106], timeout=ACK_S)
        except (RuntimeError, _driver()[1]) as error:
            self._spoil(error)
            return
        if not taken:
            # The driver hides a write that failed; asking the port tells a pulled cable from a silent chip.
            _ = self._port.in_waiting if self._port is not None else 0
            self._unanswered()
            return
        self._asked_at, self._waiting = now, 0

    def _unanswered(self) -> None:
        """One answer that did not come may only be late, on a busy machine or a long cable; several are silence."""
        self._asked_at = None
        self._silences += 1
        if self._silences >= SILENCE_LIMIT:
            raise NoAnswer(self._silent())

    def _take(self, there: int, now: int) -> list[DeviceEvent]:
        self._asked_at = None
        try:
            answer = self._chip.process_response(
                IN_LIST_PASSIVE_TARGET, response_length=there - FRAME_OVERHEAD, timeout=ACK_S
            )
            seen = tags_of(bytes(answer or b""))
        except (RuntimeError, IndexError, _driver()[1]) as error:
            self._spoil(error)
            return []
        self._spoilt = self._silences = 0
        return self._events(seen, now)

    def _events(self, seen: Collection[str], now: int) -> list[DeviceEvent]:
        came, left = self._tracker.poll(seen)
        name = self._reader.name
        return [
            *(TagGone(reader=name, tag=tag, at=now) for tag in left),
            *(TagShown(reader=name, tag=tag, at=now) for tag in came),
        ]

    def _spoil(self, error: Exception) -> None:
        """A spoilt exchange is no miss: nobody knows whether the tag was there."""
        self._spoilt += 1
        if self._spoilt >= SPOILT_LIMIT:
            raise NotWhatWasExpected(
                f"{self.name} at {self._reader.port}: {SPOILT_LIMIT} spoilt answers running ({error}). Shorten its "
                "cable, keep it off the power lines, check its ground."
            ) from error


def tags_of(answer: bytes) -> tuple[str, ...]:
    """The UIDs in an answer to InListPassiveTarget, from its count on. Raises IndexError when it is too short."""
    if not answer:
        raise IndexError("an answer without a count")
    if answer[0] == 0:
        return ()
    length = answer[5]
    uid = answer[6 : 6 + length]
    if length not in (4, 7, 10) or len(uid) != length:
        raise IndexError(f"a UID of {len(uid)} of {length} bytes; type A has 4, 7 or 10")
    return (uid.hex().upper(),)


def _driver() -> tuple[Callable[[serial.Serial], Any], type[Exception]]:
    before_import()
    try:
        from adafruit_pn532.adafruit_pn532 import BusyError
        from adafruit_pn532.uart import PN532_UART
    except (ImportError, NotImplementedError) as error:
        raise DriverMissing(
            "the PN532's driver is not installed, or does not know this machine "
            f"({error}). Install Emberboard with `pip install -e '.[pi4]'` or `'.[pi5]'`."
        ) from error
    return PN532_UART, BusyError
