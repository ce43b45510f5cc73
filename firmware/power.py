"""The board's own current limit: the safety net below the host's table-wide scale.

Source: WS2812B datasheet (12 mA a colour at full, under 1 mA idle); a hall switch of the DRV5032 kind takes uA, one
of the A3144 kind 4 mA: the larger is counted. DESIGN section 4, "Power".
"""

try:
    from fast import dim
except (ImportError, SyntaxError):
    from plain import dim

LIMIT_MA = 1200  # of the board; its fuse holds 1500
IDLE_MA = 36 * 1 + 36 * 4 + 40  # LEDs, sensors, RP2040 and bus driver
CHANNEL_MA = 12


def current_ma(total):
    """What the board takes for a picture whose bytes add up to `total`."""
    return IDLE_MA + (total * CHANNEL_MA + 254) // 255


class Limiter:
    """`limiting` says that the last picture was held down, `least` the lowest scale so far (255: never)."""

    def __init__(self, limit_ma=LIMIT_MA):
        self.limit_ma = limit_ma
        self.limiting = False
        self.least = 255

    def hold(self, out, total):
        """Hold a picture (108 bytes in place) within the limit: its sum afterwards."""
        self.limiting = current_ma(total) > self.limit_ma
        if not self.limiting:
            return total
        scale = (self.limit_ma - IDLE_MA) * 255 * 255 // (total * CHANNEL_MA)
        if scale < self.least:
            self.least = scale
        return dim(out, scale)
