"""The board's own current limit: the safety net below the host's table-wide scale.

The numbers are those of hardware/power.yaml, which names their datasheets; a test holds them equal.
"""

try:
    from fast import dim
except (ImportError, SyntaxError):
    from plain import dim

LIMIT_MA = 1200  # of the board; its fuse holds more
IDLE_MA = 220  # LEDs when dark, sensors, controller, bus driver, pull-ups, status light
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
