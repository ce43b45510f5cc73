"""A PN532 on its high-speed UART, without the chip: bytes and time in, bytes out; and one behind a PTY.

Frames, wake-up, acknowledgement and the four commands that a token reader needs are as in NXP UM0701-02: 6.2.1 frames,
7.2.2 GetFirmwareVersion, 7.2.10 SAMConfiguration, 7.3.1 RFConfiguration, 7.3.5 InListPassiveTarget. Anything else is
answered with the syntax error frame, as the chip does.
"""

from __future__ import annotations

import os
import queue
import select
import threading
import tty
from collections import deque
from collections.abc import Callable
from pathlib import Path

import msgspec

from emberboard.devices.thread import clock_ms

ACK = bytes.fromhex("0000FF00FF00")
NACK = bytes.fromhex("0000FFFF0000")
SYNTAX_ERROR = bytes.fromhex("0000FF01FF7F8100")
FIRMWARE = bytes((0x32, 0x01, 0x06, 0x07))
"""IC PN532, firmware 1.6, all card types."""
ATTEMPT_MS = 5
"""How long one attempt to activate a tag takes when there is none."""


def frame(data: bytes) -> bytes:
    """A normal information frame from chip to host around `data` (1 to 254 bytes, D5 comes first by itself)."""
    body = b"\xd5" + data
    return b"".join(
        (b"\x00\x00\xff", bytes((len(body), -len(body) & 0xFF)), body, bytes((-sum(body) & 0xFF, 0x00)))
    )


class Exchange(msgspec.Struct, frozen=True):
    """One command that the chip took at `at` ms: its code and parameters."""

    at: int
    command: int
    params: bytes


class Pn532Chip:
    """The chip. `tags` are what lies on its antenna; `miss`, `spoil` and `mute` are its faults."""

    def __init__(self) -> None:
        self.tags: list[bytes] = []
        self.history: deque[Exchange] = deque(maxlen=4096)
        self.miss = 0
        """Polls to come that do not see the tag."""
        self.spoil = 0
        """Answers to come whose checksum is wrong."""
        self.mute = False
        """Nothing is answered."""
        self._asleep = True
        self._configured = False
        self._attempts = 0xFF
        self._buffer = bytearray()
        self._polling_since: int | None = None
        self._last = b""

    def receive(self, data: bytes, now: int) -> bytes:
        """Take bytes from the host at `now` ms; what the chip sends at once."""
        if self._asleep:
            # The wake-up is a rising edge on the line: 0x55 has many. What came before it was not heard.
            at = data.find(0x55)
            if at < 0:
                return b""
            self._asleep, data = False, data[at + 1 :]
        self._buffer += data
        sent = b""
        while (command := self._next()) is not None:
            sent += self._take(command, now)
        return b"" if self.mute else sent

    def tick(self, now: int) -> bytes:
        """What the chip sends by itself at `now` ms: the answer to a poll that is through."""
        if self._polling_since is None or self.mute:
            return b""
        seen = bool(self.tags) and not self.miss
        spent = self._attempts != 0xFF and now - self._polling_since >= (self._attempts + 1) * ATTEMPT_MS
        if not seen and not spent:
            return b""
        self._polling_since = None
        if not seen:
            self.miss = max(0, self.miss - 1)
            return self._answer(b"\x4b\x00")
        uid = self.tags[0]
        return self._answer(b"\x4b\x01\x01\x00\x04\x08" + bytes((len(uid),)) + uid)

    def _next(self) -> bytes | None:
        """The next whole frame's data without D4; b"" for one that is spoilt; None when more bytes are needed."""
        while True:
            at = self._buffer.find(b"\x00\xff")
            if at < 0:
                del self._buffer[: max(0, len(self._buffer) - 1)]
                return None
            rest = self._buffer[at + 2 :]
            if len(rest) < 2:
                return None
            if bytes(rest[:2]) in (b"\x00\xff", b"\xff\x00"):
                # An ACK from the host ends what is under way; a NACK asks for the last answer again.
                self._polling_since = None if rest[0] == 0 else self._polling_since
                del self._buffer[: at + 4]
                continue
            length = rest[0]
            if (length + rest[1]) & 0xFF:
                del self._buffer[: at + 2]
                return b""
            if len(rest) < length + 3:
                return None
            body = bytes(rest[2 : 2 + length])
            good = not (sum(body) + rest[2 + length]) & 0xFF and body[:1] == b"\xd4"
            del self._buffer[: at + 2 + length + 3]
            return body[1:] if good else b""

    def _take(self, command: bytes, now: int) -> bytes:
        if not command:
            return b""
        code, params = command[0], command[1:]
        self.history.append(Exchange(now, code, params))
        self._polling_since = None
        if code == 0x02:
            return ACK + self._answer(b"\x03" + FIRMWARE)
        if code == 0x14 and len(params) in (1, 2, 3):
            self._configured = True
            return ACK + self._answer(b"\x15")
        if code == 0x32 and params[:1] == b"\x05" and len(params) == 4:
            self._attempts = params[3]
            return ACK + self._answer(b"\x33")
        if code == 0x4A and self._configured and len(params) >= 2 and params[0] in (1, 2) and params[1] == 0:
            self._polling_since = now
            return ACK
        return ACK + SYNTAX_ERROR

    def _answer(self, data: bytes) -> bytes:
        made = bytearray(frame(data))
        if self.spoil:
            self.spoil -= 1
            made[-2] ^= 0x01
        return bytes(made)


class PtyPn532:
    """A chip behind a PTY that a real serial driver opens at `port`; in a thread, told what to do through a queue."""

    def __init__(self, port: Path, clock: Callable[[], int] = clock_ms) -> None:
        """`port` is made as a link to the PTY, and made anew when the cable is plugged in again."""
        self.port = port
        self.chip = Pn532Chip()
        self._clock = clock
        self._orders: queue.SimpleQueue[Callable[[Pn532Chip], None] | None] = queue.SimpleQueue()
        self._wake_read, self._wake_write = os.pipe()
        self._thread: threading.Thread | None = None
        self.plug()

    def plug(self) -> None:
        """Put the cable in: a PTY is there, and a chip that was just powered."""
        assert self._thread is None, "it is plugged in already"
        master, slave = os.openpty()
        tty.setraw(slave)
        self.port.unlink(missing_ok=True)
        self.port.symlink_to(os.ttyname(slave))
        chip, self.chip = self.chip, Pn532Chip()
        self.chip.tags = chip.tags
        self._thread = threading.Thread(target=self._serve, args=(master, slave, self.chip), name="pn532", daemon=True)
        self._thread.start()

    def unplug(self) -> None:
        """Pull the cable: the port is gone for whoever has it open."""
        if self._thread is None:
            return
        self.port.unlink(missing_ok=True)
        self._order(None)
        self._thread.join(5)
        assert not self._thread.is_alive(), "the PTY's thread did not end"
        self._thread = None

    def present(self, uid: str) -> None:
        """Lay a tag on the antenna; `uid` in hex."""
        tag = bytes.fromhex(uid)
        self._order(lambda chip: chip.tags.append(tag))

    def remove(self, uid: str) -> None:
        """Take it away."""
        tag = bytes.fromhex(uid)
        self._order(lambda chip: chip.tags.remove(tag))

    def fault(self, *, miss: int = 0, spoil: int = 0, mute: bool = False) -> None:
        """Let the next `miss` polls not see the tag, spoil so many answers, or answer nothing any more."""

        def apply(chip: Pn532Chip) -> None:
            chip.miss, chip.spoil, chip.mute = miss, spoil, mute

        self._order(apply)

    def stop(self) -> None:
        """Unplug for good."""
        self.unplug()
        os.close(self._wake_read)
        os.close(self._wake_write)

    def _order(self, order: Callable[[Pn532Chip], None] | None) -> None:
        self._orders.put(order)
        os.write(self._wake_write, b"!")

    def _serve(self, master: int, slave: int, chip: Pn532Chip) -> None:
        try:
            while True:
                ready, _, _ = select.select([master, self._wake_read], [], [], 0.005)
                if self._wake_read in ready:
                    os.read(self._wake_read, 1)
                    order = self._orders.get()
                    if order is None:
                        return
                    order(chip)
                sent = b""
                if master in ready:
                    sent = chip.receive(os.read(master, 4096), self._clock())
                sent += chip.tick(self._clock())
                if sent:
                    os.write(master, sent)
        finally:
            os.close(slave)
            os.close(master)
