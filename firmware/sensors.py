"""36 hall sensors through five 74HC165 in a chain: scan and debounce.

40 bits come, first bit first: tile 0..35 (a sensor pulls its line low while a magnet is near), then four inputs that
are wired to 0 1 0 1. A scan without that mark is no scan: the chain is broken or disturbed. A press counts at once; a
release counts when it has lasted, so that a figure that is put down wobbling is one press.
Source: 74HC165 datasheet (parallel load while SH/LD is low, QH first); DESIGN section 4.
"""

import protocol as p

MARK = 0x05
BROKEN_AFTER = 20  # scans in a row without the mark


class Sensors:
    """`spi` has readinto, `load` is called with 0 and 1; `told(tile, press, now)` gets the edges. Times in ms.

    `state` is the debounced mask, `changed` the tiles that ever changed, `still` those pressed
    ever since the first scan, `broken` scans without the mark in a row.
    """

    def __init__(self, spi, load, told, ticks_diff, release_ms=60):
        self._spi = spi
        self._load = load
        self._told = told
        self._diff = ticks_diff
        self.release_ms = release_ms
        self._raw = bytearray(5)
        self._last = bytearray(5)
        self.state = bytearray(p.MASK_SIZE)
        self.changed = bytearray(p.MASK_SIZE)
        self.still = bytearray(p.MASK_SIZE)
        self._gone = [0] * p.TILES
        self._waits = bytearray(p.TILES)
        self.waiting = 0
        self.broken = 0
        self.bad_scans = 0
        self._primed = False

    def scan(self, now):
        """One scan: the number of edges told."""
        raw = self._raw
        self._load(0)
        self._load(1)
        self._spi.readinto(raw)
        if raw[4] & 0x0F != MARK:
            self.broken += 1
            self.bad_scans += 1
            return 0
        self.broken = 0
        last = self._last
        if (
            not self.waiting and self._primed
            and raw[0] == last[0] and raw[1] == last[1] and raw[2] == last[2] and raw[3] == last[3]
            and raw[4] == last[4]
        ):  # fmt: skip
            return 0
        if not self._primed:
            self._primed = True
            for tile in range(p.TILES):
                if not raw[tile >> 3] & (0x80 >> (tile & 7)):
                    self.still[tile >> 3] |= 1 << (tile & 7)
        for i in range(5):
            last[i] = raw[i]
        edges = 0
        for tile in range(p.TILES):
            edges += self._tile(tile, not raw[tile >> 3] & (0x80 >> (tile & 7)), now)
        return edges

    def _tile(self, tile, near, now):
        at = tile >> 3
        bit = 1 << (tile & 7)
        held = self.state[at] & bit
        if near:
            if self._waits[tile]:
                self._waits[tile] = 0
                self.waiting -= 1
            if held:
                return 0
            self.state[at] |= bit
        else:
            if not held:
                return 0
            if not self._waits[tile]:
                self._waits[tile] = 1
                self._gone[tile] = now
                self.waiting += 1
            if self._diff(now, self._gone[tile]) < self.release_ms:
                return 0
            self._waits[tile] = 0
            self.waiting -= 1
            self.state[at] &= 255 - bit
            self.still[at] &= 255 - bit
        self.changed[at] |= bit
        self._told(tile, near, now if near else self._gone[tile])
        return 1
