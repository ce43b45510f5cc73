"""A board's half of the bus protocol: a frame in, a reply out. No pins, UART or clock: MicroPython and CPython.

The firmware gives it bytes and edges, and takes from it replies, the picture to show and what the host asked for. The
virtual boards run the same file. Nothing here allocates for a frame in play (POLL, SNAPSHOT, LIGHTS, LATCH, GC): all
buffers are made at the start. Times are in ms of any clock; `ticks_diff` subtracts two of them where the clock wraps.
Source: PROTOCOL.md, DESIGN section 4.
"""

try:
    from . import protocol as p
except ImportError:  # on a board the files lie side by side
    import protocol as p  # type: ignore[import-not-found, no-redef]

QUEUE = 64  # edges that wait; past it the board asks for a snapshot
PALETTE_SIZE = 16 * p.ENTRY_SIZE


def subtract(later: int, earlier: int) -> int:
    """ticks_diff of a clock that does not wrap."""
    return later - earlier


class Works:
    """What a board does for SERVICE messages. This one can nothing; the firmware gives its own.

    `offset` is what PROGRESS tells, `balance` the four bytes of CALIBRATION (red, green, blue, release in ms),
    `stuck` and `silent` the masks of FINDINGS; `free_heap_16`, `slowest_ms`, `least_scale` and `overruns` are told in
    COUNTERS.
    """

    capabilities = 0

    def __init__(self) -> None:
        self.offset = 0
        self.balance = bytearray(b"\xff\xff\xff\x3c")
        self.stuck = bytearray(p.MASK_SIZE)
        self.silent = bytearray(p.MASK_SIZE)
        self.free_heap_16 = 0
        self.slowest_ms = 0
        self.least_scale = 255
        self.overruns = 0

    def update(self, step: int, buf: bytearray, n: int) -> int:
        """One step of an update, its payload at `buf[HEAD:HEAD + n]`: 0 or an ERROR code. Sets `offset`."""
        return p.UNKNOWN_TYPE

    def calibrate(self, buf: bytearray, n: int) -> int:
        """READ or WRITE of the calibration: 0 or an ERROR code. Sets `balance`."""
        return p.UNKNOWN_TYPE

    def selftest(self) -> int:
        """Set `stuck` and `silent`: 0 or an ERROR code."""
        return p.UNKNOWN_TYPE


class BoardSide:
    """One board. `uid` is 8 bytes, `boot` a number that differs from the last start's (16 bits).

    Read by the firmware: `roles` (18 bytes) and `palette` (80 bytes) are what is to be shown, `changed` says that they
    are new (the firmware clears it), `scale` the host's power scale, `locate_mode` and `locate_mask` (5 bytes) the
    tiles lit over the picture, `gc_ms` a granted pause and `reset_asked` (kind + 1) a restart, both due after the reply
    is sent (the firmware clears them), `mode` PLAY or SERVICE. Set by the firmware: `limiting`, `fault`, `unconfirmed`.
    """

    def __init__(
        self, uid: bytes, boot: int, firmware: "tuple[int, int, int]" = (1, 0, 0), works: "Works | None" = None,
        ticks_diff: object = subtract, crc: object = None, minor: int = p.MINOR, major: int = p.MAJOR,
    ) -> None:  # fmt: skip
        if len(uid) != p.UID_SIZE:
            raise ValueError("a board's uid has 8 bytes")
        self.uid = uid
        self.boot = boot
        self.firmware = firmware
        self.works = works or Works()
        self.minor = minor
        self.major = major
        self._diff = ticks_diff
        self._crc = crc
        self.reader = p.FrameReader()
        self.out = bytearray(p.BUFFER)
        self._views = p.views(self.out)
        # who we are to the host
        self.address = 0
        self.session = -1
        self.mode = p.PLAY
        # the last exchange
        self._sequence = 0
        self._request = bytearray(4)
        self._kept = 0
        self.reply_delay_us = 0
        # edges: a ring; the oldest `_numbered` are outstanding and numbered from `first`
        self.sensors = bytearray(p.MASK_SIZE)
        self._what = bytearray(QUEUE)
        self._when = [0] * QUEUE
        self._head = 0
        self._count = 0
        self._numbered = 0
        self.first = 0
        self._overflow = False
        self.wants_snapshot = True
        # light
        self.roles = bytearray(p.ROLES_SIZE)
        self.palette = bytearray(PALETTE_SIZE)
        self.shown = 0
        self.changed = False
        self.scale = 255
        self._back_roles = bytearray(p.ROLES_SIZE)
        self._back_palette = bytearray(PALETTE_SIZE)
        self._roles_mark = -1
        self._palette_mark = -1
        self._has_picture = False
        self._has_palette = False
        self.locate_mode = p.LOCATE_OFF
        self.locate_mask = bytearray(p.MASK_SIZE)
        # asked for
        self.gc_ms = 0
        self.reset_asked = 0
        self.limiting = False
        self.fault = False
        self.unconfirmed = False
        # counted
        self.frames = 0
        self.damaged = 0
        self.short = 0
        self.repeats = 0
        self.lost_events = 0

    # Bytes ---------------------------------------------------------------------------------------------------------

    def receive(self, data: "bytes | bytearray | memoryview", start: int, end: int, now_ms: int) -> int:
        """Take `data[start:end]` from the wire: the length of the reply at `out`, or 0.

        The reply goes out `reply_delay_us` after the delimiter came (0, but in a discovery round) and within
        ANSWER_WITHIN_US, else not at all: the caller, who has the clock, drops it. When more than one frame is in
        `data`, the host has gone on from all but the last, so only the last is replied to.
        """
        reply = 0
        at = start
        while True:
            at = self.reader.take(data, at, end)
            if at < 0:
                return reply
            reply = self._frame(now_ms)

    def _frame(self, now_ms: int) -> int:
        reader = self.reader
        buf = reader.buf
        self.reply_delay_us = 0
        dst = p.peek_dst(buf) if reader.n > 1 else 0
        if dst and dst != self.address:
            return 0
        n = reader.open()
        if n < 0:
            if n == p.DAMAGED:
                self.damaged += 1
            else:
                self.short += 1
            return 0
        dst = buf[1]
        if dst == p.BROADCAST:
            self.frames += 1
            return self._broadcast(buf, n, now_ms)
        if dst != self.address:
            return 0
        self.frames += 1
        return self._addressed(buf, n, now_ms)

    def _seal(self, n: int, kind: int, sequence: int, number: int) -> int:
        dst = self.address | p.REPLY
        return p.seal(self.out, n, dst, (sequence << 4) | number, kind, self._views, self._crc)

    # Messages ------------------------------------------------------------------------------------------------------

    def _broadcast(self, buf: bytearray, n: int, now_ms: int) -> int:
        kind = buf[3]
        if kind == p.LATCH and n >= 1:
            self._latch(buf[p.LATCH_FRAME])
        elif kind == p.SCALE and n >= 1:
            self.scale = buf[p.SCALE_VALUE]
        elif kind == p.DISCOVER and n >= 7:
            return self._discover(buf, n)
        elif kind == p.ASSIGN and n >= 11:
            return self._assign(buf, n)
        return 0

    def _discover(self, buf: bytearray, n: int) -> int:
        session, turn, first, count, slot_us = p.read_discover(buf, n)
        if self.address and self.session == session:
            return 0
        self._forget_address()
        slot = p.slot_of(self.uid, session, turn) - first
        if not 0 <= slot < count:
            return 0
        self.reply_delay_us = slot * slot_us
        length = p.put_here(self.out, self.uid, self.boot, self.minor, self.major)
        return self._seal(length, p.HERE, 0, 0)

    def _assign(self, buf: bytearray, n: int) -> int:
        session, uid, address = p.read_assign(buf, n)
        if uid != self.uid:
            if address == self.address:
                self._forget_address()
            return 0
        self._enter(session)
        self.address = address
        self._kept = 0
        return self._identity()

    def _enter(self, session: int) -> None:
        """Of another session we know nothing: the host that begins it takes a snapshot."""
        if session != self.session:
            self.session = session
            self.wants_snapshot = True
            self.mode = p.PLAY

    def _forget_address(self) -> None:
        self.address = 0
        self._kept = 0

    def _identity(self) -> int:
        length = p.put_identity(
            self.out, self.firmware, self.works.capabilities, self.boot, self.session, self.uid, self._status(),
            self.shown, self.minor, self.major,
        )  # fmt: skip
        return self._seal(length, p.IDENTITY, 0, (self.first + self._numbered) & 15)

    def _addressed(self, buf: bytearray, n: int, now_ms: int) -> int:
        sequence = buf[2] >> 4
        crc_at = p.HEAD + n
        request = self._request
        if (
            sequence and self._kept and sequence == self._sequence
            and request[0] == buf[crc_at] and request[1] == buf[crc_at + 1]
            and request[2] == buf[crc_at + 2] and request[3] == buf[crc_at + 3]
        ):  # fmt: skip
            self.repeats += 1
            return self._kept
        self._kept = 0
        self._acknowledge(buf[2] & 15)
        length = self._act(buf, n, sequence, now_ms)
        if sequence:
            self._sequence = sequence
            self._kept = length
            for i in range(4):
                request[i] = buf[crc_at + i]
        return length

    def _act(self, buf: bytearray, n: int, sequence: int, now_ms: int) -> int:
        """Do what an addressed request asks: the sealed reply's length."""
        kind = buf[3]
        out = self.out
        if kind == p.POLL:
            if n < p.POLL_SIZE:
                return self._error(p.BAD_LENGTH, kind, sequence)
            self.scale = buf[p.POLL_SCALE]
            self._latch(buf[p.POLL_FRAME])
            return self._events(sequence, now_ms)
        if kind == p.LIGHTS:
            return self._lights(buf, n, sequence)
        if kind == p.SNAPSHOT:
            self._clear_queue()
            length = p.put_mask(out, p.put_status(out, self._status(), self.shown, self.boot), self.sensors)
            return self._seal(length, p.STATE, sequence, self.first)
        if kind == p.PALETTE:
            return self._palette(buf, n, sequence)
        if kind == p.GC:
            if n < 1:
                return self._error(p.BAD_LENGTH, kind, sequence)
            self.gc_ms = buf[p.GC_MS]
            return self._ok(sequence)
        if kind == p.HELLO:
            if n < 5:
                return self._error(p.BAD_LENGTH, kind, sequence)
            session, _, _, mode = p.read_hello(buf, n)
            self._enter(session)
            self.mode = mode
            return self._identity()
        return self._service(kind, buf, n, sequence, now_ms)

    def _service(self, kind: int, buf: bytearray, n: int, sequence: int, now_ms: int) -> int:
        out = self.out
        works = self.works
        number = (self.first + self._numbered) & 15
        if kind == p.STATS:
            values = (
                now_ms & 0xFFFFFFFF, self.frames & 0xFFFFFFFF, self.damaged & 0xFFFF,
                (self.short + self.reader.broken) & 0xFFFF, works.overruns & 0xFFFF, self.repeats & 0xFFFF,
                self.lost_events & 0xFFFF, min(works.free_heap_16, 0xFFFF), min(works.slowest_ms, 255),
                works.least_scale,
            )  # fmt: skip
            return self._seal(p.put_counters(out, values), p.COUNTERS, sequence, number)
        if kind == p.LOCATE:
            if n < 1 + p.MASK_SIZE:
                return self._error(p.BAD_LENGTH, kind, sequence)
            self.locate_mode = buf[p.HEAD]
            for i in range(p.MASK_SIZE):
                self.locate_mask[i] = buf[p.HEAD + 1 + i]
            self.changed = True
            return self._ok(sequence)
        if kind == p.RESET:
            if n < 1 or buf[p.HEAD] > p.BOOTLOADER:
                return self._error(p.BAD_VALUE if n else p.BAD_LENGTH, kind, sequence)
            self.reset_asked = buf[p.HEAD] + 1
            return self._ok(sequence)
        if kind not in (p.UPDATE, p.CALIBRATE, p.SELFTEST):
            return self._error(p.UNKNOWN_TYPE, kind, sequence)
        if kind == p.SELFTEST:
            code = works.selftest()
            if code:
                return self._error(code, kind, sequence)
            length = p.put_status(out, self._status(), self.shown, self.boot)
            length = p.put_mask(out, p.put_mask(out, length, works.stuck), works.silent)
            return self._seal(length, p.FINDINGS, sequence, number)
        if n < 1:
            return self._error(p.BAD_LENGTH, kind, sequence)
        step = buf[p.HEAD]
        harmless = p.CONFIRM if kind == p.UPDATE else p.READ
        if self.mode == p.PLAY and step != harmless:
            return self._error(p.IN_PLAY, kind, sequence)
        if kind == p.UPDATE:
            code = works.update(step, buf, n)
            if code in (p.UNKNOWN_TYPE, p.BUSY):
                return self._error(code, kind, sequence)
            return self._seal(p.put_progress(out, step, code, works.offset), p.PROGRESS, sequence, number)
        code = works.calibrate(buf, n)
        if code:
            return self._error(code, kind, sequence)
        for i in range(4):
            out[p.HEAD + i] = works.balance[i]
        return self._seal(4, p.CALIBRATION, sequence, number)

    def _ok(self, sequence: int) -> int:
        length = p.put_status(self.out, self._status(), self.shown, self.boot)
        return self._seal(length, p.OK, sequence, (self.first + self._numbered) & 15)

    def _error(self, code: int, kind: int, sequence: int) -> int:
        return self._seal(p.put_error(self.out, code, kind), p.ERROR, sequence, (self.first + self._numbered) & 15)

    def _status(self) -> int:
        status = 0
        if self.wants_snapshot:
            status |= p.WANTS_SNAPSHOT
        if not (self._has_picture and self._has_palette):
            status |= p.DARK
        if self.limiting:
            status |= p.LIMITING
        if self.fault:
            status |= p.FAULT
        if self.unconfirmed:
            status |= p.UNCONFIRMED
        if self._count > p.MAX_OUTSTANDING:
            status |= p.MORE
        return status

    # Events --------------------------------------------------------------------------------------------------------

    def edge(self, tile: int, press: bool, now_ms: int) -> None:
        """A debounced edge of `tile` (0..35): to be told to the host. `now_ms` is when it was felt."""
        bit = 1 << (tile & 7)
        if press:
            self.sensors[tile >> 3] |= bit
        else:
            self.sensors[tile >> 3] &= 255 - bit
        if self._overflow or self._count == QUEUE:
            self._overflow = True
            self.wants_snapshot = True
            self.lost_events += 1
            return
        at = (self._head + self._count) % QUEUE
        self._what[at] = tile | p.PRESS if press else tile
        self._when[at] = now_ms
        self._count += 1

    def waiting(self) -> int:
        """How many edges the host has not acknowledged yet."""
        return self._count

    def _acknowledge(self, expected: int) -> None:
        """Drop the outstanding events before number `expected`."""
        gone = (expected - self.first) & 15
        if gone > self._numbered:
            self.wants_snapshot = True
            return
        self.first = expected
        self._head = (self._head + gone) % QUEUE
        self._count -= gone
        self._numbered -= gone

    def _clear_queue(self) -> None:
        """A snapshot tells all that the queue would."""
        self.first = (self.first + self._numbered) & 15
        self._head = 0
        self._count = 0
        self._numbered = 0
        self._overflow = False
        self.wants_snapshot = False

    def _events(self, sequence: int, now_ms: int) -> int:
        out = self.out
        length = p.put_status(out, self._status(), self.shown, self.boot)
        count = self._count
        if count > p.MAX_OUTSTANDING:
            count = p.MAX_OUTSTANDING
        for i in range(count):
            at = (self._head + i) % QUEUE
            what = self._what[at]
            age = self._diff(now_ms, self._when[at])  # type: ignore[operator]  # no typing on MicroPython: a callable
            length = p.put_event(out, length, what & 0x3F, what >= p.PRESS, age if age > 0 else 0)
        self._numbered = count
        return self._seal(length, p.EVENTS, sequence, self.first)

    # Light ---------------------------------------------------------------------------------------------------------

    def _lights(self, buf: bytearray, n: int, sequence: int) -> int:
        if n < p.LIGHTS_SIZE:
            return self._error(p.BAD_LENGTH, p.LIGHTS, sequence)
        for i in range(p.ROLES_SIZE):
            self._back_roles[i] = buf[p.LIGHTS_ROLES + i]
        self._roles_mark = buf[p.LIGHTS_FRAME]
        return self._ok(sequence)

    def _palette(self, buf: bytearray, n: int, sequence: int) -> int:
        size = n - 2
        if size < p.ENTRY_SIZE or size % p.ENTRY_SIZE:
            return self._error(p.BAD_LENGTH, p.PALETTE, sequence)
        at = buf[p.PALETTE_FIRST] * p.ENTRY_SIZE
        if at + size > PALETTE_SIZE:
            return self._error(p.BAD_VALUE, p.PALETTE, sequence)
        for i in range(size):
            self._back_palette[at + i] = buf[p.PALETTE_ENTRIES + i]
        self._palette_mark = buf[p.PALETTE_FRAME]
        return self._ok(sequence)

    def _latch(self, number: int) -> None:
        """Show what waits in the back buffers and is of frame `number` or older."""
        mark = self._palette_mark
        if mark >= 0 and ((number - mark) & 255) < 128:
            for i in range(PALETTE_SIZE):
                self.palette[i] = self._back_palette[i]
            self._palette_mark = -1
            self._has_palette = True
            self.changed = True
        mark = self._roles_mark
        if mark >= 0 and ((number - mark) & 255) < 128:
            for i in range(p.ROLES_SIZE):
                self.roles[i] = self._back_roles[i]
            self._roles_mark = -1
            self.shown = mark
            self._has_picture = True
            self.changed = True
