"""Tests for a new board on the bench, with a person and a wand beside it: light, sensors, bus driver.

`import bench_kit; bench_kit.run()` at the REPL. It takes `unittest` and `logging` from micropython-lib. The bus is
tested with nothing else on the line: what the board sends it hears itself, since its receiver is always on.
"""

import logging
import unittest
from time import sleep_ms, ticks_diff, ticks_ms

import machine
import pins
import protocol as p
from leds import Leds
from sensors import Sensors

log = logging.getLogger("bench")
TILE_WITHIN_MS = 10000


class Bench(unittest.TestCase):
    def setUp(self):
        spi = machine.SPI(
            pins.SENSOR_SPI, baudrate=pins.SENSOR_HZ, polarity=0, phase=0, sck=machine.Pin(pins.SENSOR_SCK),
            miso=machine.Pin(pins.SENSOR_MISO),
        )  # fmt: skip
        self.edges = []
        load = machine.Pin(pins.SENSOR_LOAD, machine.Pin.OUT, value=1)
        self.sensors = Sensors(spi, load, lambda tile, press, now: self.edges.append((tile, press)), ticks_diff)

    def test_1_the_chain_of_sensors_answers(self):
        for _ in range(1000):
            self.sensors.scan(ticks_ms())
        self.assertEqual(self.sensors.bad_scans, 0, "the mark 0101 is missing: 74HC165, their clock, load or data line")

    def test_2_every_tile_lights_and_feels_the_wand(self):
        leds = Leds(pins.LED_PIN, pins.LED_STATE_MACHINE)
        for tile in range(p.TILES):
            for i in range(108):
                leds.back[i] = 60 if i // 3 == tile else 0
            while not leds.ready():
                pass
            leds.show()
            log.info("touch the white tile: row %d, column %d", tile // 6 + 1, tile % 6 + 1)
            self.edges.clear()
            began = ticks_ms()
            while not self.edges:
                self.sensors.scan(ticks_ms())
                sleep_ms(1)
                if ticks_diff(ticks_ms(), began) > TILE_WITHIN_MS:
                    self.fail("tile %d: no magnet was felt" % tile)
            self.assertEqual(self.edges[0], (tile, True))
            while len(self.edges) < 2:
                self.sensors.scan(ticks_ms())
                sleep_ms(1)

    def test_3_the_board_hears_itself_on_the_bus(self):
        uart = machine.UART(
            pins.BUS_UART, baudrate=p.BAUD, tx=machine.Pin(pins.BUS_TX), rx=machine.Pin(pins.BUS_RX),
            rxbuf=pins.RXBUF, txbuf=pins.TXBUF, timeout=0,
        )  # fmt: skip
        sent = p.frame(0x80, 0, p.OK, bytes(range(100)))
        uart.write(sent)
        sleep_ms(20)
        heard = bytearray(256)
        n = uart.readinto(heard) if uart.any() else 0
        self.assertEqual(bytes(heard[:n]), sent, "bus driver, its direction, or bias and termination")


def run():
    """All of it, in order; about a minute with the wand."""
    logging.basicConfig(level=logging.INFO)
    unittest.main("bench_kit")
