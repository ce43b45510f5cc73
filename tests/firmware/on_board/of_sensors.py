from time import ticks_add, ticks_diff

import protocol as p
import selftest
from sensors import BROKEN_AFTER, Sensors


class Chain:
    """Magnets as the shift registers show them: a near one reads 0, the mark is 0101."""

    def __init__(self):
        self.bits = bytearray(b"\xff\xff\xff\xff\xf5")
        self.loads = []

    def load(self, level):
        self.loads.append(level)

    def readinto(self, buf):
        for i in range(5):
            buf[i] = self.bits[i]

    def put(self, tile, near):
        bit = 0x80 >> (tile & 7)
        if near:
            self.bits[tile >> 3] &= 255 - bit
        else:
            self.bits[tile >> 3] |= bit


def bench(release_ms=60):
    chain = Chain()
    told = []
    sensors = Sensors(chain, chain.load, lambda *edge: told.append(edge), ticks_diff, release_ms)
    return chain, told, sensors


def test_a_press_counts_at_once_and_a_release_when_it_lasted():
    chain, told, sensors = bench()
    sensors.scan(0)
    for tile in range(p.TILES):
        chain.put(tile, True)
        sensors.scan(1000 * tile)
        assert told.pop() == (tile, True, 1000 * tile) and not told
        chain.put(tile, False)
        for ms in range(60):
            sensors.scan(1000 * tile + 10 + ms)
        assert not told, told
        sensors.scan(1000 * tile + 70)
        assert told.pop() == (tile, False, 1000 * tile + 10), told
    assert chain.loads[:2] == [0, 1]


def test_a_flicker_is_no_release():
    chain, told, sensors = bench()
    chain.put(7, True)
    sensors.scan(0)
    for ms in range(1, 400):
        chain.put(7, ms % 50 == 0)
        sensors.scan(ms)
    assert told == [(7, True, 0)], told


def test_the_clock_may_wrap_in_a_release():
    chain, told, sensors = bench()
    start = (1 << 30) - 30
    chain.put(3, True)
    sensors.scan(start)
    chain.put(3, False)
    for ms in range(1, 62):
        sensors.scan(ticks_add(start, ms))
    assert told == [(3, True, start), (3, False, start + 1)], told


def test_a_scan_without_the_mark_is_none_and_many_are_a_fault():
    chain, told, sensors = bench()
    sensors.scan(0)
    chain.bits = bytearray(5)
    for ms in range(BROKEN_AFTER):
        assert sensors.broken == ms
        sensors.scan(ms)
    assert not told and sensors.broken == BROKEN_AFTER
    chain.bits = bytearray(b"\xff\xff\xff\xff\xf5")
    sensors.scan(50)
    assert not sensors.broken and sensors.bad_scans == BROKEN_AFTER


def test_stuck_and_silent_tiles_are_found():
    chain, told, sensors = bench(0)
    chain.put(1, True)
    chain.put(35, True)
    sensors.scan(0)
    chain.put(1, False)
    chain.put(8, True)
    sensors.scan(1)
    chain.put(8, False)
    sensors.scan(2)
    stuck, silent = bytearray(5), bytearray(5)
    selftest.find(sensors, stuck, silent)
    assert stuck == bytearray([0, 0, 0, 0, 8]), stuck
    assert silent == bytearray([255 - 2, 255 - 1, 255, 255, 7]), silent
