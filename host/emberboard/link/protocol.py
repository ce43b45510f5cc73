"""The wire protocol of the tile bus: framing and messages. One file, imported by the host AND by the boards' firmware.

PROTOCOL.md, beside this file, says what the messages mean and in which order they go; this file is how they look.
It imports only what MicroPython has. Nothing on a board's way of a frame (open_frame, the `at` readers, the `put_`
writers of replies, seal) allocates: everything is read and written in place, in buffers given by the caller. The one
thing it cannot help is `binascii.crc32` giving an integer past 31 bits: `seal` takes another `put_crc` (a viper
twin, say) where that matters.

A buffer of BUFFER bytes holds one frame in its two shapes, in the same place:

    index    0      1     2     3      4 ...            4 + n
    plain    -      dst   ctl   type   payload (n)      crc32, little endian, over dst .. payload
    coded    the same bytes after COBS, with index 0 the first code, then the delimiter 00

A frame is shorter than 254 bytes, so COBS costs one byte whatever it holds: 9 bytes of overhead in all.
Source: S. Cheshire, M. Baker, "Consistent Overhead Byte Stuffing" (1999); CRC-32 as in ISO 3309; DESIGN section 4.
"""

import binascii
import struct

MAJOR = 1  # another major is refused
MINOR = 0  # another minor is accepted: fields are only ever added at the end of a payload

BAUD = 1000000  # 8N1: one byte takes 10 us
ANSWER_WITHIN_US = 1500  # a board begins its reply within this after the delimiter, or stays silent
SLOTS = 128  # of a discovery round
TILES = 36  # of a board, 6 x 6, tile = 6 * row + column
MAX_ADDRESS = 64
BROADCAST = 0
REPLY = 0x80  # bit of dst: this is a board's reply; 0x80 alone: of a board without an address
EVENT_NUMBERS = 16
MAX_OUTSTANDING = 7  # numbered events that wait for their acknowledgement

HEAD = 4  # where the payload starts in a buffer
OVERHEAD = 9
MAX_PAYLOAD = 160
BUFFER = MAX_PAYLOAD + OVERHEAD
UID_SIZE = 8
CHUNK = 128  # data bytes of one UPDATE chunk, at most
NAME_SIZE = 24  # bytes of a file's name in an update, at most

# Requests (host to board). Broadcast and without a reply: LATCH, DISCOVER (replies in slots), SCALE.
# ASSIGN is broadcast too; the one board it names replies.
HELLO = 0x01
POLL = 0x02
SNAPSHOT = 0x03
LIGHTS = 0x04
PALETTE = 0x05
LATCH = 0x06
DISCOVER = 0x07
ASSIGN = 0x08
SCALE = 0x09
STATS = 0x0A
GC = 0x0B
LOCATE = 0x0C
UPDATE = 0x0D
CALIBRATE = 0x0E
SELFTEST = 0x0F
RESET = 0x10

# Replies (board to host).
OK = 0x40
IDENTITY = 0x41  # to HELLO and ASSIGN
EVENTS = 0x42  # to POLL
STATE = 0x43  # to SNAPSHOT
HERE = 0x47  # to DISCOVER
COUNTERS = 0x4A  # to STATS
PROGRESS = 0x4D  # to UPDATE
CALIBRATION = 0x4E  # to CALIBRATE
FINDINGS = 0x4F  # to SELFTEST
ERROR = 0x7F  # to anything

# What a request is answered with, ERROR apart; 0: with nothing.
ANSWER = {
    HELLO: IDENTITY, POLL: EVENTS, SNAPSHOT: STATE, LIGHTS: OK, PALETTE: OK, LATCH: 0, DISCOVER: HERE,
    ASSIGN: IDENTITY, SCALE: 0, STATS: COUNTERS, GC: OK, LOCATE: OK, UPDATE: PROGRESS, CALIBRATE: CALIBRATION,
    SELFTEST: FINDINGS, RESET: OK,
}  # fmt: skip

NAMES = {
    HELLO: "HELLO", POLL: "POLL", SNAPSHOT: "SNAPSHOT", LIGHTS: "LIGHTS", PALETTE: "PALETTE", LATCH: "LATCH",
    DISCOVER: "DISCOVER", ASSIGN: "ASSIGN", SCALE: "SCALE", STATS: "STATS", GC: "GC", LOCATE: "LOCATE",
    UPDATE: "UPDATE", CALIBRATE: "CALIBRATE", SELFTEST: "SELFTEST", RESET: "RESET", OK: "OK", IDENTITY: "IDENTITY",
    EVENTS: "EVENTS", STATE: "STATE", HERE: "HERE", COUNTERS: "COUNTERS", PROGRESS: "PROGRESS",
    CALIBRATION: "CALIBRATION", FINDINGS: "FINDINGS", ERROR: "ERROR",
}  # fmt: skip

# Status byte, the first of OK, EVENTS and STATE.
WANTS_SNAPSHOT = 0x01  # restarted, overflowed or out of step: SNAPSHOT is due once no event is left
DARK = 0x02  # no palette or no picture since the start
LIMITING = 0x04  # the board's own current limit holds the light down
FAULT = 0x08  # SELFTEST has something to tell
UNCONFIRMED = 0x10  # runs an update that the host has not confirmed
MORE = 0x20  # more events wait than this reply holds

# Capabilities, in IDENTITY.
CAN_UPDATE = 0x0001
CAN_CALIBRATE = 0x0002
CAN_SELFTEST = 0x0004

# HELLO's mode. In play a board writes no flash.
PLAY = 0
SERVICE = 1

# Effects of a palette entry; the period counts pictures of 20 ms (50 a second).
STEADY = 0
BREATHE = 1
BLINK = 2
CHASE = 3
FADE = 4
ENTRY_SIZE = 5  # red, green, blue, effect, period

# LOCATE's mode: lit tiles lie over the picture until OFF.
LOCATE_OFF = 0
LOCATE_BLINK = 1
LOCATE_PLACE = 2  # the touched tile goes out, so that the next is plain to see

# UPDATE's step.
BEGIN = 0  # a file: its size, CRC-32 and name
DATA = 1  # a chunk of it: offset and bytes
END = 2  # the whole file is there: check its CRC-32
ACTIVATE = 3  # all files are there: the next start tries the other slot
CONFIRM = 4  # it runs well: keep it
ABORT = 5

# CALIBRATE's step.
READ = 0
WRITE = 1

# RESET's kind.
RESTART = 0
BOOTLOADER = 1

# ERROR's code.
UNKNOWN_TYPE = 1
BAD_LENGTH = 2
BAD_VALUE = 3
BUSY = 4  # say it again later, as a new exchange
IN_PLAY = 5  # writes flash: HELLO with SERVICE first
BAD_CRC = 6  # of the whole file
BAD_OFFSET = 7  # the chunk does not follow the last; `detail` has no room for the offset, PROGRESS has
NO_ROOM = 8
ERROR_WORDS = {
    UNKNOWN_TYPE: "does not know this message", BAD_LENGTH: "found the message's length wrong",
    BAD_VALUE: "found a value out of range", BUSY: "is busy", IN_PLAY: "writes no flash in play",
    BAD_CRC: "found the file damaged", BAD_OFFSET: "missed a chunk of the file", NO_ROOM: "has no room",
}  # fmt: skip

# What open_frame gives for a frame that is none.
BROKEN = -1  # not COBS, or too long
SHORT = -2  # fewer than 7 bytes
DAMAGED = -3  # CRC-32

# The CRC-32 of a message with its own CRC-32 behind it (little endian) is always this. It fits in 31 bits, so a
# board's check of a good frame allocates nothing.
_RESIDUE = 0x2144DF1C


class ProtocolError(ValueError):
    """A frame or a payload that is not what it should be; the text says which message, what was due, what came."""


# Framing -------------------------------------------------------------------------------------------------------------


def views(buf: bytearray) -> "list[memoryview]":
    """For each n the view of `buf[1:1 + n]`, made once for `seal` and `open_frame`: slicing would allocate."""
    whole = memoryview(buf)
    return [whole[1 : 1 + n] for n in range(len(buf))]


def put_crc(buf: bytearray, n: int, slices: "list[memoryview]") -> None:
    """Write the CRC-32 of `buf[1:1 + n]` behind it."""
    crc = binascii.crc32(slices[n])
    buf[1 + n] = crc & 0xFF
    buf[2 + n] = (crc >> 8) & 0xFF
    buf[3 + n] = (crc >> 16) & 0xFF
    buf[4 + n] = (crc >> 24) & 0xFF


def cobs_encode(buf: bytearray, n: int) -> None:
    """Code `buf[1:1 + n]` (n < 254) in place, with the first code at index 0 and the delimiter at index n + 1."""
    last = n + 1
    buf[last] = 0
    i = n
    while i:
        if buf[i] == 0:
            buf[i] = last - i
            last = i
        i -= 1
    buf[0] = last


def cobs_decode(buf: bytearray, n: int) -> bool:
    """Undo `cobs_encode` in place: `buf[:n]` is the coded frame without its delimiter. False: it is none."""
    i = buf[0]
    if i == 0:
        return False
    while i < n:
        code = buf[i]
        if code == 0:
            return False
        buf[i] = 0
        i += code
    return i == n


def seal(
    buf: bytearray, n: int, dst: int, ctl: int, kind: int, slices: "list[memoryview]", crc: object = None
) -> int:  # fmt: skip
    """Make the frame whose `n` bytes of payload are at `buf[HEAD:]`; its length with the delimiter.

    `slices` are `views(buf)`. `crc` stands in for `put_crc` when given.
    """
    buf[1] = dst
    buf[2] = ctl
    buf[3] = kind
    if crc is None:
        put_crc(buf, n + 3, slices)
    else:
        crc(buf, n + 3, slices)  # type: ignore[operator]  # no typing on MicroPython: a callable like put_crc
    cobs_encode(buf, n + 7)
    return n + OVERHEAD


def open_frame(buf: bytearray, n: int, slices: "list[memoryview]") -> int:
    """Decode the frame `buf[:n]` (without its delimiter) in place: the payload's length, or BROKEN, SHORT, DAMAGED."""
    if n < 8:
        return SHORT
    if n > BUFFER - 1 or not cobs_decode(buf, n):
        return BROKEN
    if binascii.crc32(slices[n - 1]) != _RESIDUE:
        return DAMAGED
    return n - 8


def peek_dst(buf: bytearray) -> int:
    """The dst of a coded frame of at least 2 bytes: a board skips what is not for it before it spends time on it."""
    return 0 if buf[0] == 1 else buf[1]


class FrameReader:
    """Cuts a stream of bytes into coded frames. Bytes go in with `take`; `buf[:n]` is then the coded frame.

    Bytes past BUFFER - 1 without a delimiter are dropped up to the next delimiter and counted in `broken`.
    """

    def __init__(self) -> None:
        self.buf = bytearray(BUFFER)
        self.slices = views(self.buf)
        self.n = 0  # bytes so far; the frame's length once `take` found its end
        self.broken = 0
        self._whole = False
        self._skip = False

    def take(self, data: "bytes | bytearray | memoryview", start: int, end: int) -> int:
        """Take `data[start:end]` up to and with the next delimiter: the index after it, or -1 when there is none.

        Empty frames (a delimiter after a delimiter: a sender clearing the line) are passed over.
        """
        if self._whole:
            self._whole = False
            self.n = 0
        buf = self.buf
        n = self.n
        i = start
        while i < end:
            byte = data[i]
            i += 1
            if byte:
                if n < BUFFER - 1:
                    buf[n] = byte
                    n += 1
                else:
                    self._skip = True
            elif self._skip:
                self._skip = False
                self.broken += 1
                n = 0
            elif n:
                self.n = n
                self._whole = True
                return i
        self.n = n
        return -1

    def open(self) -> int:
        """`open_frame` of the frame that `take` found: dst, ctl, type at `buf[1:4]`, the payload at `buf[HEAD:]`."""
        return open_frame(self.buf, self.n, self.slices)


def frame(dst: int, ctl: int, kind: int, payload: bytes = b"") -> bytes:
    """A whole frame as bytes, with its delimiter: the host's way. Raises ProtocolError past MAX_PAYLOAD."""
    n = len(payload)
    if n > MAX_PAYLOAD:
        raise ProtocolError(f"{name(kind)}: a payload holds at most {MAX_PAYLOAD} bytes, not {n}")
    buf = bytearray(n + OVERHEAD)
    buf[HEAD : HEAD + n] = payload
    buf[1] = dst
    buf[2] = ctl
    buf[3] = kind
    struct.pack_into("<I", buf, HEAD + n, binascii.crc32(buf[1 : HEAD + n]))
    cobs_encode(buf, n + 7)
    return bytes(buf)


def name(kind: int) -> str:
    """A message's name for people."""
    return NAMES.get(kind, f"type {kind}")


def ctl(sequence: int, number: int) -> int:
    """The ctl byte: 4-bit sequence, 4-bit event number."""
    return (sequence << 4) | (number & 0x0F)


# Requests: what the host writes, what the board reads --------------------------------------------------------------
# `..._payload` makes a payload as bytes (host). `read_...` gives its fields from a buffer opened by open_frame, `n` the
# payload's length; it raises ProtocolError on a length or value that cannot be. A longer payload than known is a later
# minor's: its first fields are read. On the hot path a board reads single bytes at the offsets named here instead.

POLL_FRAME = HEAD  # u8: the latest frame that was latched
POLL_SCALE = HEAD + 1  # u8: power scale, 255 = as the palette says
POLL_SIZE = 2
LIGHTS_FRAME = HEAD  # u8
LIGHTS_ROLES = HEAD + 1  # 18 bytes: tile 2i in the low nibble of byte i, tile 2i + 1 in the high one
ROLES_SIZE = 18
LIGHTS_SIZE = 19
PALETTE_FRAME = HEAD  # u8
PALETTE_FIRST = HEAD + 1  # u8: index of the first entry given
PALETTE_ENTRIES = HEAD + 2  # ENTRY_SIZE bytes each
LATCH_FRAME = HEAD
SCALE_VALUE = HEAD
GC_MS = HEAD  # u8: for so many ms after the reply nothing is asked of this board
MASK_SIZE = 5  # 36 bits: tile t is bit t % 8 of byte t // 8


def need(kind: int, n: int, least: int) -> None:
    """Raise ProtocolError when a payload of `n` bytes is shorter than `least`."""
    if n < least:
        raise ProtocolError(f"{name(kind)}: at least {least} bytes of payload are due, {n} came")


def hello_payload(session: int, mode: int = PLAY) -> bytes:
    """HELLO: host session (u16), the host's major and minor, the mode (PLAY or SERVICE)."""
    return struct.pack("<HBBB", session, MAJOR, MINOR, mode)


def read_hello(buf: bytearray, n: int) -> "tuple[int, int, int, int]":
    """(session, major, minor, mode) of HELLO."""
    need(HELLO, n, 5)
    return struct.unpack_from("<HBBB", buf, HEAD)


def poll_payload(latched: int, scale: int) -> bytes:
    """POLL: the latest latched frame number (mod 256), the power scale (0..255)."""
    return bytes((latched, scale))


def lights_payload(number: int, roles: "bytes | bytearray") -> bytes:
    """LIGHTS: the frame number (mod 256) and 18 bytes of roles (see `pack_roles`)."""
    if len(roles) != ROLES_SIZE:
        raise ProtocolError(f"LIGHTS: {ROLES_SIZE} bytes of roles are due, not {len(roles)}")
    return bytes((number,)) + bytes(roles)


def pack_roles(roles: "list[int] | tuple[int, ...] | bytes") -> bytes:
    """36 roles (0..15 each, tile order) in 18 bytes."""
    if len(roles) != TILES or max(roles) > 15 or min(roles) < 0:
        raise ProtocolError("LIGHTS: 36 roles of 0..15 are due")
    return bytes([roles[i] | (roles[i + 1] << 4) for i in range(0, TILES, 2)])


def unpack_roles(packed: "bytes | bytearray | memoryview") -> bytes:
    """The 36 roles of 18 packed bytes, one a byte."""
    out = bytearray(TILES)
    for i in range(ROLES_SIZE):
        out[2 * i] = packed[i] & 0x0F
        out[2 * i + 1] = packed[i] >> 4
    return bytes(out)


def palette_payload(number: int, first: int, entries: "list[tuple[int, int, int, int, int]]") -> bytes:
    """PALETTE: frame number, index of the first entry, entries (red, green, blue, effect, period in 20 ms)."""
    if not entries or first < 0 or first + len(entries) > 16:
        raise ProtocolError("PALETTE: 1 to 16 entries with indices 0..15 are due")
    return bytes((number, first)) + b"".join([bytes(entry) for entry in entries])


def discover_payload(session: int, turn: int, first: int, count: int, slot_us: int) -> bytes:
    """DISCOVER: session (u16), round (u8), first slot, number of slots, length of a slot in us (u16)."""
    return struct.pack("<HBBBH", session, turn, first, count, slot_us)


def read_discover(buf: bytearray, n: int) -> "tuple[int, int, int, int, int]":
    """(session, round, first slot, number of slots, slot length in us) of DISCOVER."""
    need(DISCOVER, n, 7)
    return struct.unpack_from("<HBBBH", buf, HEAD)


def slot_of(uid: bytes, session: int, turn: int) -> int:
    """The slot a board answers in, 0..127: CRC-32 of uid and session, mixed with the round by MurmurHash3's finalizer.

    The round has to be mixed in by something that is neither linear over bits, as a CRC is, nor over numbers, as one
    multiplication is: with either, two boards that met in one slot would meet in every round.
    """
    mixed = binascii.crc32(uid + struct.pack("<H", session)) ^ (turn * 0x9E3779B1 & 0xFFFFFFFF)
    mixed = (mixed ^ (mixed >> 16)) * 0x85EBCA6B & 0xFFFFFFFF
    mixed = (mixed ^ (mixed >> 13)) * 0xC2B2AE35 & 0xFFFFFFFF
    return mixed >> 25


def assign_payload(session: int, uid: bytes, address: int) -> bytes:
    """ASSIGN: session (u16), uid (8 bytes), address (1..64)."""
    if len(uid) != UID_SIZE or not 0 < address <= MAX_ADDRESS:
        raise ProtocolError("ASSIGN: a uid of 8 bytes and an address of 1..64 are due")
    return struct.pack("<H8sB", session, uid, address)


def read_assign(buf: bytearray, n: int) -> "tuple[int, bytes, int]":
    """(session, uid, address) of ASSIGN."""
    need(ASSIGN, n, 11)
    return struct.unpack_from("<H8sB", buf, HEAD)


def locate_payload(mode: int, mask: int) -> bytes:
    """LOCATE: mode, and the lit tiles as a 36-bit mask (bit t: tile t)."""
    return struct.pack("<BIB", mode, mask & 0xFFFFFFFF, mask >> 32)


def update_begin_payload(size: int, crc: int, file_name: bytes) -> bytes:
    """UPDATE BEGIN: size (u32), CRC-32 of the whole file, its name (at most NAME_SIZE bytes)."""
    if not 0 < len(file_name) <= NAME_SIZE:
        raise ProtocolError(f"UPDATE: a file's name has 1 to {NAME_SIZE} bytes, not {len(file_name)}")
    return struct.pack("<BII", BEGIN, size, crc) + file_name


def update_data_payload(offset: int, data: bytes) -> bytes:
    """UPDATE DATA: offset (u32) and up to CHUNK bytes."""
    if not 0 < len(data) <= CHUNK:
        raise ProtocolError(f"UPDATE: a chunk has 1 to {CHUNK} bytes, not {len(data)}")
    return struct.pack("<BI", DATA, offset) + data


def read_update_begin(buf: bytearray, n: int) -> "tuple[int, int, bytes]":
    """(size, crc32, name) of UPDATE BEGIN."""
    need(UPDATE, n, 10)
    size, crc = struct.unpack_from("<II", buf, HEAD + 1)
    return size, crc, bytes(buf[HEAD + 9 : HEAD + n])


def read_update_data(buf: bytearray, n: int) -> "tuple[int, int, int]":
    """(offset in the file, start in buf, number of bytes) of UPDATE DATA."""
    need(UPDATE, n, 6)
    return struct.unpack_from("<I", buf, HEAD + 1)[0], HEAD + 5, n - 5


def calibrate_payload(step: int, red: int = 255, green: int = 255, blue: int = 255, release_ms: int = 60) -> bytes:
    """CALIBRATE: READ, or WRITE with the white balance (0..255 each) and the deferral of releases in ms (0..255)."""
    return bytes((step, red, green, blue, release_ms))


# Replies: what the board writes, what the host reads ---------------------------------------------------------------
# `put_...` writes the payload at `buf[HEAD:]` and gives its length.

STATUS = HEAD  # u8, see above
SHOWN = HEAD + 1  # u8: frame number of the picture shown
BOOT = HEAD + 2  # u8: low byte of the boot number
STATUS_SIZE = 3
EVENT_SIZE = 3  # bit 7 press, bits 0-5 tile; age in ms (u16, 65535 = as old or older)
PRESS = 0x80
MAX_AGE = 0xFFFF
COUNTERS_FORMAT = "<IIHHHHHHBB"
COUNTERS_FIELDS = (
    "uptime_ms", "frames", "damaged", "broken", "overruns", "repeats", "lost_events", "free_heap_16", "slowest_ms",
    "least_scale",
)  # fmt: skip


def put_status(buf: bytearray, status: int, shown: int, boot: int) -> int:
    """OK, and the head of EVENTS and STATE."""
    buf[STATUS] = status
    buf[SHOWN] = shown
    buf[BOOT] = boot & 0xFF
    return STATUS_SIZE


def put_event(buf: bytearray, n: int, tile: int, press: bool, age: int) -> int:
    """Append one event to an EVENTS payload of `n` bytes; the new length. Its number follows from ctl and its place."""
    at = HEAD + n
    buf[at] = tile | PRESS if press else tile
    if age > MAX_AGE:
        age = MAX_AGE
    buf[at + 1] = age & 0xFF
    buf[at + 2] = age >> 8
    return n + EVENT_SIZE


def put_identity(
    buf: bytearray, firmware: "tuple[int, int, int]", capabilities: int, boot: int, session: int, uid: bytes,
    status: int, shown: int, minor: int = MINOR, major: int = MAJOR,
) -> int:  # fmt: skip
    """IDENTITY: major, minor, firmware version (3 x u8), capabilities, boot, session (u16 each), uid, status, shown."""
    struct.pack_into(
        "<BBBBBHHH8sBB", buf, HEAD, major, minor, firmware[0], firmware[1], firmware[2], capabilities, boot, session,
        uid, status, shown,
    )  # fmt: skip
    return 21


def put_here(buf: bytearray, uid: bytes, boot: int, minor: int = MINOR, major: int = MAJOR) -> int:
    """HERE: major, minor, uid, boot (u16). Major, minor and uid stand here in every major, so a board can be named."""
    struct.pack_into("<BB8sH", buf, HEAD, major, minor, uid, boot)
    return 12


def put_mask(buf: bytearray, n: int, bits: bytearray) -> int:
    """Append a 36-bit mask (MASK_SIZE bytes) to a payload of `n` bytes; the new length."""
    for i in range(MASK_SIZE):
        buf[HEAD + n + i] = bits[i]
    return n + MASK_SIZE


def put_counters(buf: bytearray, values: "tuple[int, ...]") -> int:
    """COUNTERS: ten numbers in the order of COUNTERS_FIELDS, each small enough for its field of COUNTERS_FORMAT."""
    struct.pack_into(COUNTERS_FORMAT, buf, HEAD, *values)
    return struct.calcsize(COUNTERS_FORMAT)


def put_progress(buf: bytearray, step: int, error: int, offset: int) -> int:
    """PROGRESS: the UPDATE step replied to, an ERROR code or 0, the offset expected next (u32)."""
    struct.pack_into("<BBI", buf, HEAD, step, error, offset)
    return 6


def put_error(buf: bytearray, code: int, kind: int) -> int:
    """ERROR: its code, and the type of the request."""
    buf[HEAD] = code
    buf[HEAD + 1] = kind
    return 2


def read_identity(payload: bytes) -> "tuple[int, int, tuple[int, int, int], int, int, int, bytes, int, int]":
    """(major, minor, firmware, capabilities, boot, session, uid, status, shown) of IDENTITY."""
    need(IDENTITY, len(payload), 21)
    major, minor, f0, f1, f2, caps, boot, session, uid, status, shown = struct.unpack_from("<BBBBBHHH8sBB", payload)
    return major, minor, (f0, f1, f2), caps, boot, session, uid, status, shown


def read_here(payload: bytes) -> "tuple[int, int, bytes, int]":
    """(major, minor, uid, boot) of HERE."""
    need(HERE, len(payload), 12)
    return struct.unpack_from("<BB8sH", payload)


def read_events(payload: bytes) -> "list[tuple[int, bool, int]]":
    """[(tile, press, age in ms)] of EVENTS, oldest first. Raises ProtocolError on a tile past 35 or half an event."""
    count, rest = divmod(len(payload) - STATUS_SIZE, EVENT_SIZE)
    if count < 0 or rest or count > MAX_OUTSTANDING:
        raise ProtocolError(f"EVENTS: 3 + 3 k bytes with k <= 7 are due, {len(payload)} came")
    found = []
    for i in range(STATUS_SIZE, len(payload), EVENT_SIZE):
        tile = payload[i] & 0x3F
        if tile >= TILES:
            raise ProtocolError(f"EVENTS: tile 0..35 is due, {tile} came")
        found.append((tile, payload[i] >= PRESS, payload[i + 1] | (payload[i + 2] << 8)))
    return found


def read_mask(payload: bytes, at: int = STATUS_SIZE) -> int:
    """The 36-bit mask at `payload[at:]` as an int, bit t for tile t."""
    need(STATE, len(payload), at + MASK_SIZE)
    mask: int = int.from_bytes(payload[at : at + MASK_SIZE], "little")
    return mask & ((1 << TILES) - 1)


def read_counters(payload: bytes) -> "dict[str, int]":
    """COUNTERS by field name; `free_heap_16` counts 16-byte blocks, `least_scale` is the own limiter's lowest."""
    need(COUNTERS, len(payload), struct.calcsize(COUNTERS_FORMAT))
    return dict(zip(COUNTERS_FIELDS, struct.unpack_from(COUNTERS_FORMAT, payload)))


def read_progress(payload: bytes) -> "tuple[int, int, int]":
    """(step, error code or 0, offset expected next) of PROGRESS."""
    need(PROGRESS, len(payload), 6)
    return struct.unpack_from("<BBI", payload)
