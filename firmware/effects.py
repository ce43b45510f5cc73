"""The picture at one moment: roles and palette with their effects, what lies over them, and the touched tile's echo.

One step a picture (20 ms). No pins: bytes in, bytes out. Source: PROTOCOL.md "Light"; DESIGN section 4.
"""

import protocol as p

try:
    from fast import mix, paint
except (ImportError, SyntaxError):  # CPython, or a MicroPython without machine code
    from plain import mix, paint

LEVELS = 96
PHASES = 112
TRAIL = b"\xff\x96\x50\x28\x1e\x1e"  # of a chase: the head, what follows it, the rest
FLOOR = 30  # a breath never goes out, so that it is no blink
ECHO_PICTURES = 8
ECHO = 80  # of 255
LOCATE_PERIOD = 25


def level(effect, period, tick, phase):
    """The level (0..255) of an effect in picture `tick`; `phase` 0..5 is the tile's place along a chase."""
    if effect == p.STEADY or effect == p.FADE or effect > p.FADE or period < 2:
        return 255
    x = tick % period
    if effect == p.BLINK:
        return 255 if 2 * x < period else 0
    if effect == p.CHASE:
        return TRAIL[(x * 6 // period - phase) % 6]
    up = x * 510 // period
    if up > 255:
        up = 510 - up
    return FLOOR + up * up // 255 * (255 - FLOOR) // 255


class Effects:
    """Renders into the LEDs' buffer. `balance` is the calibration's (red, green, blue), its fourth byte the scale."""

    def __init__(self):
        self.table = bytearray(148)
        self.canvas = bytearray(216)
        self.balance = bytearray(b"\xff\xff\xff\xff")
        self.echo = bytearray(p.TILES)
        self.echoes = 0
        self.tick = 0
        self.since = 0
        self.moving = False
        for tile in range(p.TILES):
            self.table[PHASES + tile] = (tile // 6 + tile % 6) % 6

    def begin(self):
        """A new picture is to be shown: what fades starts from what is shown now."""
        canvas = self.canvas
        for i in range(108):
            canvas[108 + i] = canvas[i]
        self.since = self.tick

    def touch(self, tile):
        """The tile echoes for a moment."""
        if not self.echo[tile]:
            self.echoes += 1
        self.echo[tile] = ECHO_PICTURES

    def _levels(self, palette):
        """Work out the table: whether anything moves."""
        table = self.table
        moving = False
        tick = self.tick
        age = tick - self.since
        for role in range(16):
            effect = palette[role * 5 + 3]
            period = palette[role * 5 + 4]
            weight = 255
            if effect == p.FADE and age < period:
                weight = age * 255 // period
                moving = True
            table[LEVELS + role] = weight
            at = role * 6
            first = level(effect, period, tick, 0)
            if effect == p.CHASE and period > 1:
                for phase in range(6):
                    table[at + phase] = level(effect, period, tick, phase)
            else:
                for phase in range(6):
                    table[at + phase] = first
            if period > 1 and (effect == p.BREATHE or effect == p.BLINK or effect == p.CHASE):
                moving = True
        return moving

    def render(self, roles, palette, locate_mode, locate_mask, sensors, out):
        """Write the picture of this moment to `out` (108 bytes green, red, blue): the sum of its bytes."""
        self.moving = self._levels(palette)
        mix(roles, palette, self.table, self.canvas)
        total = paint(self.canvas, out, self.balance)
        if self.echoes:
            total += self._echo(out)
            self.moving = True
        if locate_mode != p.LOCATE_OFF:
            total += self._locate(locate_mode, locate_mask, sensors, out)
            self.moving = True
        return total

    def step(self):
        """20 ms have gone."""
        # Past 2^20 a clock of pictures tells nothing new; small numbers cost no heap.
        self.tick += 1
        if self.tick >= 1 << 24:
            self.tick -= 1 << 24
            self.since = self.tick - 255
        if self.echoes:
            echo = self.echo
            for tile in range(p.TILES):
                if echo[tile]:
                    echo[tile] -= 1
                    if not echo[tile]:
                        self.echoes -= 1

    def _tile(self, out, tile, value):
        """Make a tile white of `value`: how much the sum of bytes changes."""
        change = 0
        for i in range(3 * tile, 3 * tile + 3):
            change += value - out[i]
            out[i] = value
        return change

    def _echo(self, out):
        value = ECHO * self.balance[3] // 255
        change = 0
        for tile in range(p.TILES):
            if self.echo[tile]:
                change += self._tile(out, tile, value)
        return change

    def _locate(self, mode, mask, sensors, out):
        value = 255 * self.balance[3] // 255
        if mode == p.LOCATE_BLINK and 2 * (self.tick % LOCATE_PERIOD) >= LOCATE_PERIOD:
            value = 0
        change = 0
        for tile in range(p.TILES):
            bit = 1 << (tile & 7)
            if mask[tile >> 3] & bit:
                out_now = mode == p.LOCATE_PLACE and sensors[tile >> 3] & bit
                change += self._tile(out, tile, 0 if out_now else value)
        return change
