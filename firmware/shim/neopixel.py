"""micropython-lib's `neopixel` for a process: what is written is what LEDs show (green, red, blue)."""

import world


class NeoPixel:
    def __init__(self, pin, n):
        self.n = n
        self.buf = bytearray(3 * n)

    def __setitem__(self, i, colour):
        self.buf[3 * i] = colour[1]
        self.buf[3 * i + 1] = colour[0]
        self.buf[3 * i + 2] = colour[2]

    def write(self):
        world.lights[:] = self.buf
