"""The simulated bus: segments, boards and a host's masters on a virtual clock, with the faults of a real line.

A segment is one pair of wires: two that send at a time garble each other. The bytes of a sender reach the listeners at
the end of what was sent. Faults strike each listener's copy alone, as they do on a real bus: a board may have heard a
request that the host's adapter never sent on. Same seed, same run. Times are in us.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from random import Random

from emberboard.link import protocol as p
from emberboard.link.bus_events import BusEvent
from emberboard.link.master import SegmentMaster
from emberboard.link.timing import Timing
from emberboard.virtual.board_model import BoardModel

HISTORY = 40_000  # us for which a transmission is kept: longer than the longest frame


@dataclass(frozen=True, slots=True)
class Faults:
    """How bad the line is. Each is the chance for one frame (`flip`: one bit) on its way to one listener.

    `delay` holds up the host's received bytes, in order, by up to `delay_us` (an adapter that gathers bytes);
    `late` makes a board take up to `late_us` longer, past which it stays silent by itself. `noise` is the mean number
    of bursts a second on each segment.
    """

    flip: float = 0.0
    drop: float = 0.0
    double: float = 0.0
    delay: float = 0.0
    delay_us: int = 4_000
    late: float = 0.0
    late_us: int = 1_000
    noise: float = 0.0


NONE = Faults()
ROUGH = Faults(flip=1e-4, drop=0.02, double=0.01, delay=0.01, late=0.02, noise=2.0)


@dataclass(slots=True)
class _Sending:
    start: int
    end: int
    data: bytes
    sender: BoardModel | None  # None: the host
    garbled: bool = False


class _Segment:
    def __init__(self, number: int, boards: Sequence[BoardModel], master: SegmentMaster) -> None:
        self.number = number
        self.boards = list(boards)
        self.master = master
        self.sendings: list[_Sending] = []
        self.inbox = bytearray()
        self.inbox_at = 0
        self.stuck_until = 0
        self.wake_at = -1


class SimulatedBus:
    """Boards on 1 to 4 segments, a master each. `boards[s]` are the boards of segment s."""

    def __init__(
        self,
        boards: Sequence[Sequence[BoardModel]],
        seed: int = 0,
        faults: Faults = NONE,
        timing: Timing | None = None,
        session: int = 1,
    ) -> None:
        self.now = 0
        self.faults = faults
        self.timing = timing or Timing()
        self.random = Random(seed)
        self.told: list[tuple[int, BusEvent]] = []
        self.on_event: Callable[[int, BusEvent], None] | None = None
        self.frames = 0
        self._heap: list[tuple[int, int, Callable[[], None]]] = []
        self._order = 0
        self._paused_until = 0
        self.segments = [
            _Segment(i, some, SegmentMaster(i, session, self.timing)) for i, some in enumerate(boards)
        ]  # fmt: skip
        self._noises = 0
        for segment in self.segments:
            self._wake(segment, 0)
        self.set_faults(faults)

    @property
    def masters(self) -> list[SegmentMaster]:
        """The host's masters, one a segment."""
        return [segment.master for segment in self.segments]

    @property
    def boards(self) -> list[BoardModel]:
        """All boards of all segments."""
        return [board for segment in self.segments for board in segment.boards]

    # The clock -----------------------------------------------------------------------------------------------------

    def at(self, time: int, what: Callable[[], None]) -> None:
        """Let `what` happen at `time`."""
        self._order += 1
        heapq.heappush(self._heap, (max(time, self.now), self._order, what))

    def run(self, until: int) -> None:
        """Let the time go on to `until`."""
        while self._heap and self._heap[0][0] <= until:
            self.now, _, what = heapq.heappop(self._heap)
            what()
        self.now = until

    def run_until(self, done: Callable[[], bool], limit: int) -> bool:
        """Let the time go on until `done` holds, looked at after each happening, or to `limit`: whether it held."""
        while not done():
            if not self._heap or self._heap[0][0] > limit:
                self.now = limit
                return done()
            self.now, _, what = heapq.heappop(self._heap)
            what()
        return True

    # The host ------------------------------------------------------------------------------------------------------

    def pause_host(self, length: int) -> None:
        """The host does nothing for `length` us; what comes meanwhile waits in its buffer."""
        self._paused_until = self.now + length
        for segment in self.segments:
            self._wake(segment, self._paused_until)

    def restart_host(self, session: int) -> None:
        """The host forgets everything and begins anew with another session number."""
        for segment in self.segments:
            segment.master = SegmentMaster(segment.number, session, self.timing)
            segment.inbox.clear()
            self._wake(segment, self.now)

    def poke(self) -> None:
        """Call after a command to a master, so that it gets its say now."""
        for segment in self.segments:
            self._wake(segment, self.now)

    def _wake(self, segment: _Segment, time: int) -> None:
        if segment.wake_at >= self.now and segment.wake_at <= time:
            return
        segment.wake_at = time
        self.at(time, lambda: self._pump(segment, time))

    def _pump(self, segment: _Segment, time: int) -> None:
        if segment.wake_at != time:
            return
        segment.wake_at = -1
        if self.now < self._paused_until:
            self._wake(segment, self._paused_until)
            return
        master = segment.master
        if segment.inbox:
            data = bytes(segment.inbox)
            segment.inbox.clear()
            master.receive(data, self.now)
        wire = master.advance(self.now)
        if wire:
            self.frames += 1
            self._send(segment, wire, None)
        self._tell(master)
        self._wake(segment, max(master.wake, self.now + (0 if wire else 1)))

    def _tell(self, master: SegmentMaster) -> None:
        for event in master.events():
            self.told.append((self.now, event))
            if self.on_event is not None:
                self.on_event(self.now, event)

    # The wire ------------------------------------------------------------------------------------------------------

    def _send(self, segment: _Segment, data: bytes, sender: BoardModel | None) -> None:
        sending = _Sending(self.now, self.now + self.timing.byte * len(data), data, sender)
        kept = []
        for other in segment.sendings:
            if other.end + HISTORY > self.now:
                kept.append(other)
            if other.end > sending.start:
                other.garbled = sending.garbled = True
        segment.sendings = [*kept, sending]
        if self.now < segment.stuck_until:
            sending.garbled = True
        self.at(sending.end, lambda: self._sent(segment, sending))

    def _sent(self, segment: _Segment, sending: _Sending) -> None:
        data = sending.data
        if sending.garbled or self.now < segment.stuck_until:
            data = self.random.randbytes(len(data))
        if sending.sender is not None:
            for copy in self._faulty(data):
                self._to_host(segment, copy)
            return
        for board in segment.boards:
            for copy in self._faulty(data):
                reply, wait = board.receive(copy, self.now)
                if reply:
                    self._reply(segment, board, reply, wait)

    def _reply(self, segment: _Segment, board: BoardModel, reply: bytes, wait: int) -> None:
        if self.random.random() < self.faults.late:
            wait += self.random.randrange(1, self.faults.late_us)
            if not board.side.reply_delay_us and wait > p.ANSWER_WITHIN_US:
                return

        def speak() -> None:
            if board.powered:
                self._send(segment, reply, board)

        self.at(self.now + wait, speak)

    def _faulty(self, data: bytes) -> list[bytes]:
        """The copies of `data` that arrive at one listener."""
        faults, random = self.faults, self.random
        if faults.drop and random.random() < faults.drop:
            return []
        if faults.flip:
            # From flip to flip at once: the gaps between them are geometric.
            bit = int(log(1.0 - random.random()) / log(1.0 - faults.flip))
            if bit < 8 * len(data):
                changed = bytearray(data)
                while bit < 8 * len(data):
                    changed[bit >> 3] ^= 1 << (bit & 7)
                    bit += 1 + int(log(1.0 - random.random()) / log(1.0 - faults.flip))
                data = bytes(changed)
        if faults.double and random.random() < faults.double:
            return [data, data]
        return [data]

    def _to_host(self, segment: _Segment, data: bytes) -> None:
        due = max(self.now, segment.inbox_at)
        if self.faults.delay and self.random.random() < self.faults.delay:
            due += self.random.randrange(1, self.faults.delay_us)
        segment.inbox_at = due

        def arrive() -> None:
            segment.inbox += data
            self._wake(segment, self.now)

        self.at(due, arrive)

    # Trouble -------------------------------------------------------------------------------------------------------

    def set_faults(self, faults: Faults) -> None:
        """From now on the line is as bad as this."""
        self.faults = faults
        self._noises += 1
        for segment in self.segments:
            self._next_noise(segment, self._noises)

    def _next_noise(self, segment: _Segment, since: int) -> None:
        if self.faults.noise and since == self._noises:
            gap = int(self.random.expovariate(self.faults.noise) * 1e6)
            self.at(self.now + gap, lambda: self._noise(segment, since))

    def _noise(self, segment: _Segment, since: int) -> None:
        if since == self._noises:
            self.babble(segment.number, self.random.randbytes(self.random.randrange(1, 12)))
            self._next_noise(segment, since)

    def babble(self, number: int, data: bytes) -> None:
        """Bytes on the wire that nobody meant: all hear them, and whoever sends is garbled."""
        segment = self.segments[number]
        for sending in segment.sendings:
            if sending.end > self.now:
                sending.garbled = True
        for board in segment.boards:
            board.receive(data, self.now)
        self._to_host(segment, data)

    def hold_line(self, number: int, length: int) -> None:
        """The line of a segment is stuck for `length` us: all that is sent is garbled, and rubbish is heard."""
        segment = self.segments[number]
        segment.stuck_until = self.now + length
        step = 2_000
        for time in range(self.now, segment.stuck_until, step):
            self.at(time, lambda: self.babble(number, self.random.randbytes(8)))


def make_boards(count: int, segments: int = 1, turnaround: int = 1_000, seed: int = 0) -> list[list[BoardModel]]:
    """`count` boards dealt out to `segments`, each with a uid of its own."""
    random = Random(seed)
    dealt: list[list[BoardModel]] = [[] for _ in range(segments)]
    for i in range(count):
        dealt[i * segments // count].append(BoardModel(random.randbytes(8), turnaround))
    return dealt
