from time import ticks_diff, ticks_us

import protocol as p
from board_side import BoardSide
from uart_bus import UartBus

UID = b"boardABC"


class Line:
    def __init__(self):
        self.came = b""
        self.sent = []

    def any(self):
        return len(self.came)

    def readinto(self, buf):
        n = len(self.came)
        buf[:n] = self.came
        self.came = b""
        return n

    def write(self, data):
        self.sent.append(bytes(data))


def bench(within=10000000):
    line = Line()
    side = BoardSide(UID, 7, ticks_diff=ticks_diff)
    return line, side, UartBus(line, side, 1024, within)


def test_a_board_is_found_named_and_polled():
    line, side, bus = bench()
    slot = p.slot_of(UID, 5, 0)
    line.came = p.frame(0, 0, p.DISCOVER, p.discover_payload(5, 0, slot, 1, 1000))
    bus.poll(0)
    line.came = p.frame(0, 0, p.ASSIGN, p.assign_payload(5, UID, 9))
    bus.poll(1)
    assert side.address == 9 and len(line.sent) == 2
    side.edge(4, True, 2)
    line.came = p.frame(9, p.ctl(1, 0), p.POLL, p.poll_payload(0, 255))
    bus.poll(5)
    reader = p.FrameReader()
    reader.take(line.sent[-1], 0, len(line.sent[-1]))
    n = reader.open()
    assert reader.buf[3] == p.EVENTS
    assert p.read_events(bytes(reader.buf[p.HEAD : p.HEAD + n])) == [(4, True, 3)]


def test_a_reply_in_a_slot_waits_for_it():
    line, side, bus = bench()
    slot = p.slot_of(UID, 5, 0)
    before = ticks_us()
    # Slots 0 .. 127 of 50 us: ours comes after `slot` of them.
    line.came = p.frame(0, 0, p.DISCOVER, p.discover_payload(5, 0, 0, 128, 50))
    while not line.sent:
        bus.poll(0)
        assert ticks_diff(ticks_us(), before) < 2000000
    assert ticks_diff(ticks_us(), before) >= 50 * slot and bus.waits_us() == -1


def test_a_late_reply_is_kept_back():
    line, side, bus = bench(within=-1)
    line.came = p.frame(0, 0, p.ASSIGN, p.assign_payload(5, UID, 9))
    bus.poll(0)
    assert not line.sent and bus.late == 1


def test_a_full_buffer_is_counted_and_what_is_left_is_cut_at_the_next_frame():
    line, side, bus = bench()
    line.came = b"\x55" * 1024
    bus.poll(0)
    line.came = b"\x00" + p.frame(0, 0, p.ASSIGN, p.assign_payload(5, UID, 9))
    bus.poll(0)
    assert bus.overruns == 1 and side.address == 9
