"""A tile board on the simulated bus: the protocol's board side, with magnets and power for hands to play with.

It keeps what truly happened to it (`history`), so that a test can hold against it what the host was told.
"""

from __future__ import annotations

from emberboard.link import protocol as p
from emberboard.link.board_side import BoardSide


class BoardModel:
    """One board. Times are in us of the virtual clock.

    `history` holds every edge the sensors felt with the power on: (us, tile, press). `turnaround` is how long it takes
    from the end of a request to the start of its reply.
    """

    def __init__(self, uid: bytes, turnaround: int = 1_000, minor: int = p.MINOR, major: int = p.MAJOR) -> None:
        self.uid = uid
        self.turnaround = turnaround
        self.minor = minor
        self.major = major
        self.powered = True
        self.stuck = False
        self.magnets = 0
        self.history: list[tuple[int, int, bool]] = []
        self.starts: list[int] = []
        self.boot = 100
        self.side = self._start(0)

    def _start(self, now: int) -> BoardSide:
        self.boot += 1
        self.starts.append(now)
        side = BoardSide(self.uid, self.boot, minor=self.minor, major=self.major)
        for tile in range(p.TILES):
            if self.magnets >> tile & 1:
                side.edge(tile, True, now // 1000)
        return side

    def receive(self, data: bytes, now: int) -> tuple[bytes, int]:
        """Bytes from the wire: the reply and how many us after now it starts; an empty reply is none."""
        if not self.powered:
            return b"", 0
        n = self.side.receive(data, 0, len(data), now // 1000)
        wait = self.side.reply_delay_us
        # In a discovery round the wait for the slot is time enough; a reply starts a little into its slot.
        return bytes(self.side.out[:n]), wait + 100 if wait else self.turnaround if n and not self._here() else 100

    def _here(self) -> bool:
        return self.side.address == 0

    def touch(self, tile: int, now: int) -> None:
        """A magnet comes onto a tile."""
        self._edge(tile, True, now)

    def lift(self, tile: int, now: int) -> None:
        """The magnet goes."""
        self._edge(tile, False, now)

    def _edge(self, tile: int, press: bool, now: int) -> None:
        if bool(self.magnets >> tile & 1) == press:
            return
        self.magnets ^= 1 << tile
        if self.powered:
            self.history.append((now, tile, press))
            self.side.edge(tile, press, now // 1000)

    def power(self, on: bool, now: int) -> None:
        """Take the power away, or give it back: then it starts anew and knows no address."""
        if on and not self.powered:
            self.side = self._start(now)
        self.powered = on

    def restart(self, now: int) -> None:
        """Off and on at once."""
        self.power(False, now)
        self.power(True, now)

    def roles(self) -> bytes:
        """The 18 bytes of roles it shows."""
        return bytes(self.side.roles)
