"""Boards behind a PTY, in the test's process: the board side of the protocol on a port that pyserial can open."""

from __future__ import annotations

import os
import pty
import tty
from pathlib import Path
from queue import Empty, SimpleQueue
from select import select
from threading import Thread
from time import monotonic_ns

from emberboard.link.board_side import BoardSide


class PtyBoards:
    """`port` is to be opened by the host. Touches go in through a queue; `sides` are to be looked at only.

    `link` is made a link to the port, as an adapter's path below /dev/serial/by-id is one.
    """

    def __init__(self, uids: list[bytes], link: Path | None = None) -> None:
        self.sides = [BoardSide(uid, 1) for uid in uids]
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.port = os.ttyname(self._slave)
        self._link = link
        if link is not None:
            link.symlink_to(self.port)
            self.port = str(link)
        self._todo: SimpleQueue[tuple[int, int, bool] | None] = SimpleQueue()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def edge(self, board: int, tile: int, press: bool) -> None:
        """A magnet comes onto a tile, or goes."""
        self._todo.put((board, tile, press))

    def close(self) -> None:
        """End the thread, then the PTY."""
        self._todo.put(None)
        self._thread.join()
        if self._link is not None:
            self._link.unlink()
        os.close(self._master)
        os.close(self._slave)

    def _run(self) -> None:
        due: list[tuple[int, bytes]] = []
        while True:
            try:
                while True:
                    todo = self._todo.get_nowait()
                    if todo is None:
                        return
                    self.sides[todo[0]].edge(todo[1], todo[2], monotonic_ns() // 1_000_000)
            except Empty:
                pass
            now = monotonic_ns() // 1000
            for item in sorted(item for item in due if item[0] <= now):
                due.remove(item)
                os.write(self._master, item[1])
            wait = min([0.005, *((item[0] - now) / 1e6 for item in due)])
            if select([self._master], [], [], max(wait, 0.0))[0]:
                data = os.read(self._master, 4096)
                now = monotonic_ns() // 1000
                for side in self.sides:
                    n = side.receive(data, 0, len(data), now // 1000)
                    if n:
                        due.append((now + side.reply_delay_us, bytes(side.out[:n])))
