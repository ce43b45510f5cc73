"""A tile board without bus, host and updates: touched tiles light up. The first thing to run on a new board.

`import simple; simple.run()` at the REPL. It takes `neopixel` from micropython-lib in place of PIO and DMA, which is
enough where no byte of a bus can be lost.
"""

from time import sleep_ms, ticks_diff, ticks_ms

import machine
import neopixel
import pins
import protocol as p
from sensors import BROKEN_AFTER, Sensors

TOUCHED = (60, 60, 60)
DARK = (0, 0, 0)
BROKEN = (60, 0, 0)  # the first tile: the sensors' chain does not answer


class Simple:
    """One board. `step` is one turn: whether a light changed."""

    def __init__(self):
        self.pixels = neopixel.NeoPixel(machine.Pin(pins.LED_PIN, machine.Pin.OUT), p.TILES)
        spi = machine.SPI(
            pins.SENSOR_SPI, baudrate=pins.SENSOR_HZ, polarity=0, phase=0, sck=machine.Pin(pins.SENSOR_SCK),
            miso=machine.Pin(pins.SENSOR_MISO),
        )  # fmt: skip
        load = machine.Pin(pins.SENSOR_LOAD, machine.Pin.OUT, value=1)
        self.sensors = Sensors(spi, load, self._edge, ticks_diff)
        self.dirty = True

    def _edge(self, tile, press, now):
        self.pixels[tile] = TOUCHED if press else DARK
        self.dirty = True

    def step(self):
        self.sensors.scan(ticks_ms())
        if self.sensors.broken == BROKEN_AFTER:
            self.pixels[0] = BROKEN
            self.dirty = True
        if not self.dirty:
            return False
        self.dirty = False
        self.pixels.write()
        return True


def run():
    """Until Ctrl-C."""
    simple = Simple()
    while True:
        simple.step()
        sleep_ms(1)
