"""Tile boards without hardware: each runs the real firmware in a process, all behind one PTY as on one RS-485 line.

The host opens `port` with the serial library it uses for a real adapter. Hands go in by `touch` and `lift`, light comes
out by `read_lights`. A PTY for each board would stall under load, so a thread of ours is the line: what the host says
goes to every board, what a board says goes to the host. DESIGN section 5.2.
"""

from __future__ import annotations

import os
import pty
import signal
import socket
import subprocess
import tempfile
import tty
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from random import Random
from selectors import EVENT_READ, DefaultSelector
from threading import Thread
from types import TracebackType

from emberboard.virtual.firmware_process import FIRMWARE, RESTARTED, FirmwareError, Interpreter, start
from emberboard.virtual.rail import seen

TILES = 36
ANSWER_WITHIN = 10.0  # s: a process on a loaded machine, at its start
END_WITHIN = 5.0


def uid_of(board: int) -> bytes:
    """The uid of virtual board 0, 1, ...: 8 bytes."""
    return b"ember" + bytes((0x80, board >> 8, board & 255))


@dataclass
class _Process:
    """One board's process: its handle, and our ends of its two sockets."""

    handle: subprocess.Popen[bytes]
    wire: socket.socket
    hands: socket.socket


class _Line:
    """The RS-485 line: a thread between the PTY and the boards' sockets. Only a queue goes to it."""

    def __init__(self) -> None:
        self._host, self._far = pty.openpty()
        tty.setraw(self._far)  # also keeps the PTY alive while the host is away
        self.port = os.ttyname(self._far)
        os.set_blocking(self._host, False)
        self._told: SimpleQueue[tuple[str, socket.socket | float | None]] = SimpleQueue()
        self._bell, self._ring = socket.socketpair()
        # Of the thread alone from here on.
        self._boards: set[socket.socket] = set()
        self._share = 0.0
        self._random = Random(0)
        self._selector = DefaultSelector()
        self._thread = Thread(target=self._run, name="virtual RS-485 line", daemon=True)
        self._thread.start()

    def tell(self, what: str, about: socket.socket | float | None = None) -> None:
        """`plug` or `unplug` a board's socket (the line closes it), `disturb` a share of what boards say, or `end`."""
        self._told.put((what, about))
        self._ring.send(b"!")

    def close(self) -> None:
        """End the thread, then the PTY."""
        self.tell("end")
        self._thread.join()
        for end in (self._bell, self._ring):
            end.close()
        os.close(self._host)
        os.close(self._far)

    def _run(self) -> None:
        self._selector.register(self._bell, EVENT_READ)
        self._selector.register(self._host, EVENT_READ)
        running = True
        while running:
            for key, _ in self._selector.select():
                if key.fileobj is self._bell:
                    self._bell.recv(64)
                elif key.fileobj == self._host:
                    self._from_host()
                elif isinstance(key.fileobj, socket.socket) and key.fileobj in self._boards:
                    self._from_board(key.fileobj)
            running = self._told_all()
        for board in list(self._boards):
            self._drop(board)
        self._selector.close()

    def _told_all(self) -> bool:
        """Do what was told: whether to go on."""
        try:
            while True:
                what, about = self._told.get_nowait()
                if about is None:
                    return False
                if isinstance(about, float):
                    self._share = about
                elif what == "plug":
                    self._boards.add(about)
                    self._selector.register(about, EVENT_READ)
                else:
                    self._drop(about)
        except Empty:
            return True

    def _drop(self, board: socket.socket) -> None:
        if board in self._boards:
            self._boards.discard(board)
            self._selector.unregister(board)
            board.close()

    def _from_host(self) -> None:
        said = os.read(self._host, 4096)
        for board in list(self._boards):
            # A board that does not read loses bytes, as one that is held up does on the wire.
            try:
                board.send(said)
            except BlockingIOError:
                pass
            except OSError:
                self._drop(board)

    def _from_board(self, board: socket.socket) -> None:
        try:
            said = board.recv(4096)
        except OSError:
            said = b""
        if not said:
            self._drop(board)
            return
        if self._random.random() < self._share:
            at = self._random.randrange(len(said))
            said = said[:at] + bytes((said[at] ^ 1 << self._random.randrange(8),)) + said[at + 1 :]
        # With no host at the other end the PTY fills up; the bytes are lost then, as on a line without a listener.
        with suppress(BlockingIOError):
            os.write(self._host, said)


class VirtualBoards:
    """`count` boards, numbered from 0. Use it as a context manager, or call `close`.

    `overlays` gives single boards files that lie over the firmware's (a folder: another protocol version, say),
    `interpreter` forces one. Raises FirmwareError when the firmware cannot run here.
    """

    def __init__(
        self,
        count: int,
        interpreter: Interpreter | None = None,
        overlays: Mapping[int, Sequence[Path]] | None = None,
        output: int | None = None,
    ) -> None:
        self.count = count
        self._wired: dict[int, str] = {}
        self._interpreter = interpreter
        self._overlays = overlays or {}
        self._output = output
        self._folder = tempfile.TemporaryDirectory(prefix="emberboard-boards-")
        self._magnets = [0] * count
        self._processes: dict[int, _Process] = {}
        self._line = _Line()
        self.port = self._line.port
        try:
            for board in range(count):
                self.replug(board)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> VirtualBoards:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def uid(self, board: int) -> str:
        """The board's uid as the host names it."""
        return uid_of(board).hex()

    def root(self, board: int) -> Path:
        """The board's flash: slots, their state, calibration. It outlives a restart."""
        return Path(self._folder.name) / str(board)

    def replug(self, board: int) -> None:
        """Give the board power. Magnets that stand on it are felt at once."""
        if board in self._processes:
            return
        self.root(board).mkdir(exist_ok=True)
        wire, their_wire = socket.socketpair()
        hands, their_hands = socket.socketpair()
        for end in (wire, their_wire, their_hands):
            end.setblocking(False)
        hands.settimeout(ANSWER_WITHIN)
        settings = {
            "EMBERBOARD_UID": self.uid(board),
            "EMBERBOARD_UART": str(their_wire.fileno()),
            "EMBERBOARD_HANDS": str(their_hands.fileno()),
            "EMBERBOARD_ROOT": f"{self.root(board)}/",
        }
        descriptors = [their_wire.fileno(), their_hands.fileno()]
        script = FIRMWARE / "shim" / "start.py"
        before = self._overlays.get(board, ())
        handle = start(script, self._interpreter, before, settings, descriptors, self._output)
        their_wire.close()
        their_hands.close()
        self._processes[board] = _Process(handle, wire, hands)
        self._line.tell("plug", wire)
        for tile in range(TILES):
            if self._magnets[board] >> tile & 1:
                hands.sendall(b"+%d\n" % tile)

    def unplug(self, board: int) -> None:
        """Take the board's power and wire away."""
        process = self._processes.pop(board, None)
        if process is None:
            return
        self._line.tell("unplug", process.wire)
        process.hands.close()
        process.handle.kill()
        process.handle.wait(END_WITHIN)

    def restart(self, board: int) -> None:
        """Its power fails for a moment."""
        self.unplug(board)
        self.replug(board)

    def hold(self, board: int) -> None:
        """The board stands still, and bytes of the line pile up, until `release`."""
        self._processes[board].handle.send_signal(signal.SIGSTOP)

    def release(self, board: int) -> None:
        """The board goes on."""
        self._processes[board].handle.send_signal(signal.SIGCONT)

    def tend(self) -> None:
        """Start the boards again that asked for it themselves (RESET). Raises FirmwareError for one that died."""
        for board, process in list(self._processes.items()):
            code = process.handle.poll()
            if code is None:
                continue
            self.unplug(board)
            if code != RESTARTED:
                raise FirmwareError(f"board {board} ({self.uid(board)}): its firmware ended with {code}; see above")
            self.replug(board)

    def _say(self, board: int, word: bytes) -> socket.socket | None:
        self.tend()
        process = self._processes.get(board)
        if process is None:
            return None
        try:
            process.hands.sendall(word + b"\n")
        except OSError as error:
            process.handle.wait(END_WITHIN)
            self.tend()
            raise FirmwareError(f"board {board} ({self.uid(board)}) restarts: {error}; do it again") from error
        return process.hands

    def touch(self, board: int, tile: int) -> None:
        """A magnet comes onto a tile (0..35); also on a board without power."""
        if not 0 <= tile < TILES:
            raise ValueError(f"a board has tiles 0 to 35, not {tile}")
        self._magnets[board] |= 1 << tile
        self._say(board, b"+%d" % tile)

    def lift(self, board: int, tile: int) -> None:
        """The magnet goes."""
        if not 0 <= tile < TILES:
            raise ValueError(f"a board has tiles 0 to 35, not {tile}")
        self._magnets[board] &= ~(1 << tile)
        self._say(board, b"-%d" % tile)

    def bounce(self, board: int, tile: int) -> None:
        """The tile's sensor chatters for some scans and comes to rest as it was: a figure that wobbles."""
        if not 0 <= tile < TILES:
            raise ValueError(f"a board has tiles 0 to 35, not {tile}")
        self._say(board, b"~%d" % tile)

    def powered(self, board: int) -> bool:
        """Whether the board has power."""
        return board in self._processes

    def break_sensors(self, board: int) -> None:
        """The chain of shift registers comes loose."""
        self._say(board, b"b")

    def disturb(self, share: float) -> None:
        """From now on a bit is wrong in this share (0 to 1) of what boards say: a loose plug, no terminator."""
        self._line.tell("disturb", share)

    def fit_lights(self, board: int, order: str) -> None:
        """The board's lights take colours in this order (`RGB`), which the firmware does not know of."""
        self._wired[board] = order

    def read_lights(self, board: int) -> list[tuple[int, int, int]]:
        """(red, green, blue) of the 36 tiles, as the LEDs were last told; dark without power."""
        hands = self._say(board, b"?")
        if hands is None:
            return [(0, 0, 0)] * TILES
        wire = b""
        while len(wire) < 3 * TILES:
            try:
                came = hands.recv(3 * TILES - len(wire))
            except OSError as error:
                raise FirmwareError(
                    f"board {board} ({self.uid(board)}) does not tell its lights within {ANSWER_WITHIN:.0f} s: {error}"
                ) from error
            if not came:
                raise FirmwareError(f"board {board} ({self.uid(board)}): its firmware ended; its last words are above")
            wire += came
        return seen(wire, self._wired.get(board, "GRB"))

    def close(self) -> None:
        """End all boards by their own handles, then the line."""
        for board in list(self._processes):
            self.unplug(board)
        self._line.close()
        self._folder.cleanup()
