"""The bus master of one segment, sans-IO: bytes and time in, bytes and events out. PROTOCOL.md is what it speaks.

The caller gives every byte that came to `receive`, then calls `advance`: what it returns is to be sent now. `wake` is
when `advance` is due again, if no byte comes before. The same core runs on a real port and on a virtual clock; it has
no clock of its own. Times are in us.
"""

from __future__ import annotations

from collections import deque

from emberboard.link import protocol as p
from emberboard.link.board_record import Board, Exchange
from emberboard.link.bus_events import (
    Answer,
    BoardBack,
    BoardComplaint,
    BoardDoubled,
    BoardFlag,
    BoardFound,
    BoardLost,
    BoardRefused,
    BoardState,
    BusEvent,
    Discovered,
    Identity,
    LineDown,
    LineUp,
    PictureShown,
    TileEvent,
)
from emberboard.link.picture import Entry, Picture
from emberboard.link.timing import Timing

TRACE = 100  # frames kept each way


class SegmentMaster:
    """The master of one segment. `session` is this run's number, not that of the run before (16 bits)."""

    def __init__(self, segment: int, session: int, timing: Timing | None = None) -> None:
        self.segment = segment
        self.session = session & 0xFFFF
        self.timing = timing or Timing()
        self.boards: dict[bytes, Board] = {}
        self.wake = 0
        self.sent: deque[tuple[int, bytes]] = deque(maxlen=TRACE)
        self.received: deque[tuple[int, bytes]] = deque(maxlen=TRACE)
        self.damaged = 0
        self.stray = 0
        self._noise = 0  # since the last good reply
        self.scale = 255
        self.picture = Picture()
        self.down = False
        self._events: list[BusEvent] = []
        self._reader = p.FrameReader()
        self._free_at = 0
        # the request under way
        self._board: Board | None = None
        self._exchange: Exchange | None = None
        self._deadline = 0
        # a discovery window, and who is to get an address
        self._window: int | None = None
        self._window_noise = 0
        self._window_found = 0
        self._starting = True
        self._round = 0
        self._clean_rounds = 0
        self._slot = 0
        self._to_assign: dict[bytes, int] = {}
        self._refused: set[bytes] = set()
        self._starts: dict[bytes, int] = {}  # uid -> boot number, of one discovery window
        self._doubled: set[bytes] = set()
        self._search_at = 0
        self._scale_wanted = self.scale
        self._polls_since_extra = 0

    # What the table asks -------------------------------------------------------------------------------------------

    def show(self, roles: dict[bytes, bytes]) -> None:
        """The picture wanted: for each uid its 18 bytes of roles (protocol.pack_roles). Others keep theirs.

        A board that is not there yet gets its part when it is.
        """
        for uid, packed in roles.items():
            self.picture.wanted[uid] = packed
            board = self.boards.get(uid)
            if board is not None:
                board.want_roles = packed
        self.wake = 0

    def set_palette(self, entries: list[Entry]) -> None:
        """Up to 16 entries (red, green, blue, effect, period in 20 ms) of all boards, shown with the next picture."""
        self.picture.want_palette(entries)
        self.wake = 0

    def set_scale(self, scale: int) -> None:
        """The table-wide power scale, 0..255: broadcast, and in every poll.

        A lower one goes out before the picture that needs it, a higher one after the picture that allows it.
        """
        self._scale_wanted = scale
        self.wake = 0

    def ask(self, uid: bytes, kind: int, payload: bytes, ticket: int) -> None:
        """Ask a board something else (STATS, LOCATE, UPDATE ...): an Answer with `ticket` comes."""
        board = self.boards.get(uid)
        if board is None or not board.alive:
            self._tell(Answer(self.segment, uid.hex(), ticket, 0, b"", "the board is not there"))
            return
        board.asks.append((ticket, kind, payload))
        self.wake = 0

    def forget(self, uid: bytes) -> None:
        """Drop a board that was found elsewhere; not while a request to it is under way."""
        board = self.boards.get(uid)
        if board is not None and self._board is not board:
            del self.boards[uid]
            self.picture.leave_out(uid)

    def events(self) -> list[BusEvent]:
        """What happened since the last call, in order."""
        told, self._events = self._events, []
        return told

    def _tell(self, event: BusEvent) -> None:
        self._events.append(event)

    # Bytes in ------------------------------------------------------------------------------------------------------

    def receive(self, data: bytes, now: int) -> None:
        """Take bytes from the wire."""
        at, end = 0, len(data)
        reader = self._reader
        if self._exchange is None and self._window is None:
            self.stray += end
            self._noise += end
        while True:
            at = reader.take(data, at, end)
            if at < 0:
                break
            coded = bytes(reader.buf[: reader.n])
            n = reader.open()
            buf = reader.buf
            if n >= 0 and not buf[1] & p.REPLY:
                continue  # our own sending, heard back
            self.received.append((now, coded))
            if n < 0:
                self.damaged += 1
                self._noise += 1
                self._window_noise += 1
                if self._board is not None:
                    self._board.statistics.damaged += 1
            else:
                self._reply(buf[1] & 0x7F, buf[2], buf[3], bytes(buf[p.HEAD : p.HEAD + n]), now)

    def _reply(self, address: int, ctl: int, kind: int, payload: bytes, now: int) -> None:
        if kind == p.HERE and self._window is not None:
            self._here(payload)
            return
        exchange, board = self._exchange, self._board
        if exchange is None or board is None or address != board.address or ctl >> 4 != exchange.sequence:
            self.stray += 1
            return
        if kind not in (p.ANSWER[exchange.kind], p.ERROR):
            self.stray += 1
            return
        try:
            fits = self._take(board, exchange, ctl & 15, kind, payload, now)
        except p.ProtocolError as error:
            self._tell(BoardComplaint(self.segment, board.name, str(error)))
            fits = True
        if not fits:
            self.stray += 1
            return
        self._exchange = self._board = None
        self._noise = 0
        self._free_at = now + self.timing.gap
        self.wake = self._free_at
        board.exchange = None
        board.turns_missed = 0
        board.statistics.exchanges += 1
        board.statistics.slowest_us = max(board.statistics.slowest_us, now - exchange.begun)
        if board.statistics.tried(True):
            self._tell(BoardFlag(self.segment, board.name, "errors", False, board.statistics.rate))

    def _take(self, board: Board, exchange: Exchange, number: int, kind: int, payload: bytes, now: int) -> bool:
        """Act on a reply that fits its request: False when it is of another board after all."""
        if kind == p.IDENTITY:
            fits = self._identified(board, payload, number, now)
            if fits and exchange.ticket:
                self._tell(Answer(self.segment, board.name, exchange.ticket, kind, payload))
            return fits
        if kind == p.ERROR:
            self._refusal(board, exchange, payload)
            return True
        if kind in (p.OK, p.EVENTS, p.STATE):
            p.need(kind, len(payload), p.STATUS_SIZE)
            self._status(board, payload[0])
        if kind == p.EVENTS:
            self._take_events(board, exchange, number, payload, now)
        elif kind == p.STATE:
            self._take_state(board, number, payload, now)
        elif exchange.kind in (p.LIGHTS, p.PALETTE):
            self.picture.sent(board, exchange.kind, exchange.payload, exchange.ticket)
        elif exchange.kind == p.GC and not exchange.ticket:
            board.quiet_until = now + 1000 * self.timing.gc_ms
        elif exchange.ticket:
            self._tell(Answer(self.segment, board.name, exchange.ticket, kind, payload))
        return True

    def _refusal(self, board: Board, exchange: Exchange, payload: bytes) -> None:
        p.need(p.ERROR, len(payload), 2)
        what = f"{p.name(exchange.kind)}: the board {p.ERROR_WORDS.get(payload[0], f'says error {payload[0]}')}"
        if exchange.kind in (p.LIGHTS, p.PALETTE):
            self.picture.sent(board, exchange.kind, exchange.payload, exchange.ticket)
            self._tell(BoardComplaint(self.segment, board.name, what))
        elif exchange.ticket:
            self._tell(Answer(self.segment, board.name, exchange.ticket, p.ERROR, payload, what))
        else:
            self._tell(BoardComplaint(self.segment, board.name, what))

    def _status(self, board: Board, status: int) -> None:
        changed = status ^ board.flags
        board.flags = status
        for bit, flag in ((p.LIMITING, "limiting"), (p.FAULT, "fault"), (p.UNCONFIRMED, "unconfirmed")):
            if changed & bit:
                self._tell(BoardFlag(self.segment, board.name, flag, bool(status & bit)))

    def _take_events(self, board: Board, exchange: Exchange, first: int, payload: bytes, now: int) -> None:
        found = p.read_events(payload)
        skip = board.count_events(first, len(found))
        if board.known is None or skip is None:
            board.need_snapshot = board.gap = True
            return
        # A host that was held up reads the reply late; it was on the wire by the deadline.
        came = min(now, self._deadline)
        for tile, press, age in found[skip:]:
            self._edge(board, tile, press, came - 1000 * age, True)
        board.expected = (first + len(found)) % p.EVENT_NUMBERS
        if payload[0] & p.WANTS_SNAPSHOT and not found:
            board.need_snapshot = board.gap = True
        self.picture.check(board, exchange.latched, payload[0], payload[1])

    def _edge(self, board: Board, tile: int, press: bool, at: int, told: bool) -> None:
        known = board.known or 0
        board.known = known | 1 << tile if press else known & ~(1 << tile)
        board.statistics.events += 1
        self._tell(TileEvent(self.segment, board.name, tile, press, at, told))

    def _take_state(self, board: Board, number: int, payload: bytes, now: int) -> None:
        mask = p.read_mask(payload)
        self._tell(BoardState(self.segment, board.name, mask, board.gap))
        board.statistics.snapshots += 1
        differs = mask ^ (board.known or 0)
        for tile in range(p.TILES):
            if differs >> tile & 1:
                self._edge(board, tile, bool(mask >> tile & 1), now, False)
        board.known = mask
        board.expected = number
        board.need_snapshot = board.gap = False

    # Finding boards ------------------------------------------------------------------------------------------------

    def _here(self, payload: bytes) -> None:
        try:
            major, minor, uid, boot = p.read_here(payload)
        except p.ProtocolError:
            self._window_noise += 1
            return
        if major != p.MAJOR:
            if uid not in self._refused:
                self._refused.add(uid)
                self._tell(BoardRefused(self.segment, uid.hex(), major, minor))
            return
        self._window_found += 1
        if self._starts.setdefault(uid, boot) != boot and uid not in self._doubled:
            self._doubled.add(uid)
            self._tell(BoardDoubled(self.segment, uid.hex()))
        board = self.boards.get(uid)
        address = board.address if board is not None else self._new_address()
        if address:
            self._to_assign.setdefault(uid, address)

    def _new_address(self) -> int:
        """The lowest free address; 0: all 64 are given away."""
        taken = {board.address for board in self.boards.values()} | set(self._to_assign.values())
        return next((address for address in range(1, p.MAX_ADDRESS + 1) if address not in taken), 0)

    def _discover(self, first: int, count: int, now: int) -> bytes:
        payload = p.discover_payload(self.session, self._round, first, count, self.timing.slot)
        wire = self._clear(p.frame(p.BROADCAST, 0, p.DISCOVER, payload))
        self._reader = p.FrameReader()
        self._window_noise = self._window_found = 0
        self._starts.clear()
        self._window = now + self.timing.byte * len(wire) + self.timing.slot * count
        return self._send(wire, now)

    def _window_closed(self, now: int) -> None:
        noisy = self._window_noise or self._reader.n
        self._window = None
        self._reader = p.FrameReader()
        self._free_at = now + self.timing.gap
        if not self._starting:
            return
        self._round += 1
        clean = not self._window_found and not noisy
        self._clean_rounds = self._clean_rounds + 1 if clean else 0
        if self._clean_rounds == self.timing.clean_rounds or self._round >= self.timing.rounds:
            self._starting = False
            self._search_at = now + self.timing.search
            self._tell(Discovered(self.segment, sum(board.found for board in self.boards.values()), self._round, clean))

    def _assign(self, uid: bytes, address: int, now: int) -> bytes:
        payload = p.assign_payload(self.session, uid, address)
        exchange = Exchange(p.frame(p.BROADCAST, 0, p.ASSIGN, payload), p.ASSIGN, 0, payload, begun=now)
        board = self.boards.get(uid)
        if board is None:
            # Known from now on: if its reply is lost it has the address all the same, and answers no DISCOVER any more.
            board = Board(uid, address, Identity(uid.hex(), 0, 0, (0, 0, 0), 0, 0), alive=False)
            board.want_roles = self.picture.wanted.get(uid)
            self.boards[uid] = board
        board.exchange = exchange
        return self._try(board, exchange, now)

    def _identified(self, board: Board, payload: bytes, number: int, now: int) -> bool:
        major, minor, firmware, capabilities, boot, _session, uid, status, _shown = p.read_identity(payload)
        if uid != board.uid:
            return False
        if major != p.MAJOR:
            self._refused.add(uid)
            self.boards.pop(uid, None)
            self._tell(BoardRefused(self.segment, uid.hex(), major, minor))
            return True
        before = board.identity
        board.identity = Identity(uid.hex(), major, minor, firmware, capabilities, boot)
        board.sequence = 0
        found = board.found
        restarted = found and before.boot != boot
        if restarted:
            board.statistics.restarts += 1
            board.forget_light()
        if status & p.WANTS_SNAPSHOT or board.known is None:
            board.gap = board.known is not None
            board.need_snapshot = True
            board.expected = number
        if not found:
            board.found = True
            board.gc_at = now + self.timing.gc_every + 100_000 * board.address
            self._tell(BoardFound(self.segment, board.address, board.identity))
        elif not board.alive or restarted:
            self._tell(BoardBack(self.segment, board.name, restarted))
            if not board.need_snapshot and board.known is not None:
                # Nothing is missing: what it felt meanwhile follows as events. Who took its tiles for dark is told.
                self._tell(BoardState(self.segment, board.name, board.known, False))
        board.alive = True
        board.quiet_until = 0
        if self.down:
            self.down = False
            self._tell(LineUp(self.segment))
        return True

    # Bytes out -----------------------------------------------------------------------------------------------------

    def advance(self, now: int) -> bytes:
        """What is to be sent now: empty when the line is not ours, or there is nothing to say. Sets `wake`."""
        if self._exchange is not None:
            if now < self._deadline:
                self.wake = self._deadline
                return b""
            again = self._missed(now)
            if again:
                return again
        if self._window is not None:
            if now < self._window:
                self.wake = self._window
                return b""
            self._window_closed(now)
        if now < self._free_at:
            self.wake = self._free_at
            return b""
        return self._next(now)

    def _send(self, wire: bytes, now: int) -> bytes:
        self.sent.append((now, wire))
        self._free_at = now + self.timing.byte * len(wire) + self.timing.gap
        self.wake = self._free_at if self._window is None else self._window
        return wire

    @staticmethod
    def _clear(wire: bytes) -> bytes:
        """A 00 in front ends whatever noise a board took for the start of a frame: for retries, and broadcasts, which
        nobody repeats."""
        return b"\0" + wire

    def _try(self, board: Board, exchange: Exchange, now: int) -> bytes:
        wire = self._clear(exchange.wire) if exchange.tries or exchange.kind == p.ASSIGN else exchange.wire
        exchange.tries += 1
        self._board, self._exchange = board, exchange
        self._reader = p.FrameReader()
        play = exchange.kind in (p.POLL, p.SNAPSHOT, p.LIGHTS, p.GC, p.ASSIGN)
        answer = self.timing.answer if play else self.timing.long_answer
        self._send(wire, now)
        self._deadline = self.wake = now + self.timing.byte * len(wire) + answer
        return wire

    def _missed(self, now: int) -> bytes:
        board, exchange = self._board, self._exchange
        assert board is not None and exchange is not None
        self._board = self._exchange = None
        if board.statistics.tried(False):
            self._tell(BoardFlag(self.segment, board.name, "errors", True, board.statistics.rate))
        if exchange.kind == p.ASSIGN:
            board.exchange = None
            board.turns_missed += 1
            board.probe_at = now + self.timing.probe
            if not board.found and board.turns_missed < self.timing.turns:
                self._to_assign[board.uid] = board.address
            return b""
        if exchange.tries % self.timing.tries:
            return self._try(board, exchange, now)
        board.turns_missed += 1
        board.turn_at = now
        self.picture.leave_out(board.uid)
        if board.turns_missed >= self.timing.turns:
            self._lose(board, exchange, now)
        return b""

    def _lose(self, board: Board, exchange: Exchange, now: int) -> None:
        board.alive = False
        board.turns_missed = 0
        board.probe_at = now
        board.exchange = None
        board.statistics.lost += 1
        if exchange.kind in (p.LIGHTS, p.PALETTE):
            board.forget_light()  # it may have taken them or not
        self._tell(BoardLost(self.segment, board.name))
        tickets = [exchange.ticket] if exchange.ticket and exchange.kind != p.PALETTE else []
        for ticket in tickets + [ask[0] for ask in board.asks]:
            self._tell(Answer(self.segment, board.name, ticket, 0, b"", "the board went silent"))
        board.asks.clear()
        if not self.down and not any(other.alive for other in self.boards.values()):
            self.down = True
            what = "silence: look at cable, power and port"
            if self._noise or self._reader.n or self._reader.broken:
                what = "noise: look for a board that never stops sending, and at bias and termination"
            self._tell(LineDown(self.segment, f"segment {self.segment}: no board answers, {what}"))

    def _next(self, now: int) -> bytes:
        """The next thing to say: addresses, the search at the start, light, one extra a cycle, polls."""
        if self._to_assign:
            uid = next(iter(self._to_assign))
            return self._assign(uid, self._to_assign.pop(uid), now)
        if self._starting:
            return self._discover(0, p.SLOTS, now)
        if self._scale_wanted < self.scale:
            return self._rescale(now)
        ready = [board for board in self.boards.values() if board.alive and board.quiet_until <= now]
        oldest = min(ready, key=lambda board: board.turn_at, default=None)
        if oldest is None or now - oldest.turn_at < self.timing.poll_within:
            wire = self._light(ready, now)
            if wire:
                return wire
            if self._scale_wanted != self.scale:
                return self._rescale(now)
        if not ready or self._polls_since_extra >= len(ready):
            wire = self._extra(now)
            if wire:
                self._polls_since_extra = 0
                return wire
        if oldest is not None and oldest.turn_at + self.timing.poll_every <= now:
            self._polls_since_extra += 1
            return self._turn(oldest, now)
        self.wake = self._next_due(now)
        return b""

    def _rescale(self, now: int) -> bytes:
        self.scale = self._scale_wanted
        return self._send(self._clear(p.frame(p.BROADCAST, 0, p.SCALE, bytes((self.scale,)))), now)

    def _next_due(self, now: int) -> int:
        due = self._search_at
        for board in self.boards.values():
            if board.alive:
                due = min(due, max(board.turn_at + self.timing.poll_every, board.quiet_until))
            else:
                due = min(due, board.probe_at)
        return max(due, now + self.timing.gap)

    def _request(self, board: Board, kind: int, payload: bytes, now: int, ticket: int = 0) -> bytes:
        if kind == p.HELLO:
            board.sequence = 0  # it always acts, and the count begins anew
        sequence = 0 if kind == p.HELLO else board.next_sequence()
        wire = p.frame(board.address, p.ctl(sequence, board.expected), kind, payload)
        exchange = Exchange(wire, kind, sequence, payload, self.picture.latched, ticket, begun=now)
        board.exchange = exchange
        return self._try(board, exchange, now)

    def _turn(self, board: Board, now: int) -> bytes:
        board.turn_at = now
        if board.exchange is not None:
            return self._try(board, board.exchange, now)
        if board.need_snapshot:
            return self._request(board, p.SNAPSHOT, b"", now)
        return self._request(board, p.POLL, p.poll_payload(self.picture.latched, self.scale), now)

    def _extra(self, now: int) -> bytes:
        """What is not due in every cycle: probes of lost boards, what was asked, pauses for garbage, the search."""
        for board in self.boards.values():
            if not board.alive and board.probe_at <= now:
                return self._assign(board.uid, board.address, now)
        for board in self.boards.values():
            if board.alive and board.asks and board.exchange is None and board.quiet_until <= now:
                ticket, kind, payload = board.asks.popleft()
                return self._request(board, kind, payload, now, ticket)
        for board in self.boards.values():
            # Just after its poll, so that the pause is over by its next turn.
            fresh = now - board.turn_at < self.timing.gc_after
            if fresh and board.alive and board.gc_at <= now and board.exchange is None and not board.need_snapshot:
                board.gc_at = now + self.timing.gc_every
                return self._request(board, p.GC, bytes((self.timing.gc_ms,)), now)
        if self._search_at <= now:
            self._search_at = now + self.timing.search
            self._slot = (self._slot + 1) % p.SLOTS
            if self._slot == 0:
                self._round = (self._round + 1) & 255
            return self._discover(self._slot, 1, now)
        return b""

    def _light(self, ready: list[Board], now: int) -> bytes:
        """The next step of the picture under way: PALETTE or LIGHTS for a board, then LATCH; empty: nothing to show."""
        step = self.picture.next_step(ready, now)
        if step is not None:
            board, kind, payload = step
            return self._request(board, kind, payload, now, self.picture.version if kind == p.PALETTE else 0)
        if not self.picture.latch_due:
            return b""
        number = self.picture.latch()
        self._tell(PictureShown(self.segment, number, now))
        return self._send(self._clear(p.frame(p.BROADCAST, 0, p.LATCH, bytes((number,)))), now)
