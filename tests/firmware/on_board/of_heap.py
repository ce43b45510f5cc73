"""A board's busiest minute on a clock of its own: every tile at work, all effects, ten pictures a second.

What no board can meet, polled every 5 ms (the host's shortest) while edges come at every poll. The host grants its
pause every 5 s, as the master does.
"""

import gc
import os

import board
import leds
import protocol as p
import uart_bus
import world

START_MS = (1 << 30) - 20000
MASK = (1 << 30) - 1
GARBAGE = 2048  # bytes between two pauses, at most: what is made at the start of play, nothing a frame


class Clock:
    now = START_MS

    def ms(self):
        return self.now & MASK

    def us(self):
        return (self.now * 1000) & MASK


class Line:
    """The host's requests lie here as whole frames; replies are only counted. Nothing of it allocates in play."""

    def __init__(self):
        self.frame = bytearray(p.BUFFER)
        self.views = p.views(self.frame)
        self.n = 0
        self.replies = 0
        self.expected = 0

    def say(self, n, dst, sequence, kind):
        self.n = p.seal(self.frame, n, dst, (sequence << 4) | self.expected, kind, self.views, board.put_crc)

    def any(self):
        return self.n

    def readinto(self, buf):
        n = self.n
        for i in range(n):
            buf[i] = self.frame[i]
        self.n = 0
        return n

    def txdone(self):
        return True

    def write(self, data):
        self.replies += 1
        return len(data)


def bench():
    """(clock, board with an address, line) in step."""
    clock = Clock()
    for module in (board, leds, uart_bus):
        if hasattr(module, "ticks_ms"):
            module.ticks_ms = clock.ms
        if hasattr(module, "ticks_us"):
            module.ticks_us = clock.us
    some = board.Board(os.getenv("EMBERBOARD_ROOT"))
    line = Line()
    some.uart = some.bus._uart = line
    side = some.side
    uid = side.uid
    payload = p.assign_payload(5, uid, 9)
    line.frame[p.HEAD : p.HEAD + len(payload)] = payload
    line.say(len(payload), 0, 0, p.ASSIGN)
    some.step()
    assert side.address == 9
    side.wants_snapshot = False
    return clock, some, line


def busiest(seconds):
    clock, some, line = bench()
    side = some.side
    for role in range(16):
        for i, value in enumerate((250, 250, 250, role % 5, 20 + role)):
            side.palette[role * 5 + i] = value
    frame = line.frame
    gc.collect()
    before = gc.mem_alloc() if hasattr(gc, "mem_alloc") else 0
    pictures = world.pictures
    sequence = 0
    ms = 0
    mark = 0
    least = 1 << 30
    while ms < 1000 * seconds:
        clock.now += 1
        ms += 1
        if ms % 5 == 0:
            sequence = sequence % 15 + 1
            # Each tile in turn: pressed, or released.
            tile = ms // 5 % 36
            bit = 0x80 >> (tile & 7)
            world.tiles[tile >> 3] ^= bit
            line.expected = (side.first + side._numbered) & 15
            if ms % 5000 == 0:
                frame[p.HEAD] = 12
                line.say(1, 9, sequence, p.GC)
                free = gc.mem_free()
                least = min(least, free)
            elif ms % 100 == 0:
                mark = (mark + 1) & 255
                frame[p.LIGHTS_FRAME] = mark
                for i in range(p.ROLES_SIZE):
                    frame[p.LIGHTS_ROLES + i] = (i * 7 + ms // 100) & 255
                line.say(p.LIGHTS_SIZE, 9, sequence, p.LIGHTS)
            else:
                frame[p.POLL_FRAME] = mark
                frame[p.POLL_SCALE] = 255
                line.say(p.POLL_SIZE, 9, sequence, p.POLL)
        some.step()
    return some, line, least, before, world.pictures - pictures


def test_30_percent_of_the_heap_are_free_in_the_busiest_minute():
    some, line, least, before, pictures = busiest(60)
    assert line.replies > 11900, line.replies
    assert pictures >= 3000, pictures
    assert some.side.lost_events == 0, some.side.lost_events
    assert some.limiter.least < 255
    if not hasattr(gc, "mem_alloc"):
        return
    total = gc.mem_free() + gc.mem_alloc()
    waste = total - least - before
    print(
        "measured: of a heap of %d bytes %d %% are free in the busiest minute; %d bytes live, %d of garbage in 5 s"
        % (total, 100 * least // total, before, waste)
    )
    assert least * 100 >= 30 * total, (least, total)
    assert waste < GARBAGE, waste


def lit():
    return [i for i in range(108) if world.lights[i]]


def quiet():
    """A board without magnets, some pictures after its start."""
    world.tiles[:] = b"\xff\xff\xff\xff\xf5"
    clock, some, line = bench()
    for _ in range(100):
        clock.now += 1
        some.step()
    assert lit() == []
    return clock, some, line


def test_a_touched_tile_answers_by_itself_within_10_ms():
    clock, some, line = quiet()
    for tile in (0, 17, 35):
        world.tiles[tile >> 3] ^= 0x80 >> (tile & 7)
        waited = 0
        while 3 * tile not in lit():
            clock.now += 1
            some.step()
            waited += 1
            assert waited <= 10, waited
        for _ in range(7):
            clock.now += 1
            some.step()


def test_latch_shows_at_once_and_not_before():
    clock, some, line = quiet()
    some.side.palette[5:8] = b"\x00\x64\x00"
    line.frame[p.LIGHTS_FRAME] = 1
    for i in range(p.ROLES_SIZE):
        line.frame[p.LIGHTS_ROLES + i] = 0x11
    line.say(p.LIGHTS_SIZE, 9, 1, p.LIGHTS)
    for _ in range(60):
        clock.now += 1
        some.step()
    assert lit() == []
    line.frame[p.LATCH_FRAME] = 1
    line.say(1, 0, 0, p.LATCH)
    some.step()
    assert lit() == list(range(0, 108, 3))
