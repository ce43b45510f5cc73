"""A tile board: its parts, and the loop that gives each its turn. The bus comes first, then sensors, then light.

In play nothing here allocates, and garbage is collected only in the pause that the host grants. DESIGN section 4.
"""

import gc
import os
from time import sleep_ms, ticks_add, ticks_diff, ticks_ms

import calibration
import machine
import pins
import protocol as p
import selftest
from board_side import BoardSide, Works
from effects import Effects
from leds import Leds
from power import Limiter
from sensors import BROKEN_AFTER, Sensors
from slot_update import SlotUpdate
from slots import Slots
from uart_bus import UartBus

try:
    from fast import put_crc
except (ImportError, SyntaxError):
    from plain import put_crc

FIRMWARE = (1, 0, 0)
CALIBRATION = "calibration.bin"


class BoardWorks(Works):
    """What this board does for SERVICE messages."""

    capabilities = p.CAN_UPDATE | p.CAN_CALIBRATE | p.CAN_SELFTEST

    def __init__(self, slots):
        super().__init__()
        self.slots = slots
        self.scanner = None  # the board gives it: it needs our release time first
        self._update = SlotUpdate(slots)
        self._file = slots.root + CALIBRATION
        self.balance = calibration.read(self._file)

    def update(self, step, buf, n):
        code = self._update.step(step, buf, n)
        self.offset = self._update.offset
        return code

    def calibrate(self, buf, n):
        if buf[p.HEAD] == p.READ:
            return 0
        if buf[p.HEAD] != p.WRITE:
            return p.BAD_VALUE
        if n < 5:
            return p.BAD_LENGTH
        for i in range(4):
            self.balance[i] = buf[p.HEAD + 1 + i]
        calibration.write(self._file, self.balance)
        return 0

    def selftest(self):
        selftest.find(self.scanner, self.stuck, self.silent)
        return 0


class Board:
    """One board. `step` is one turn of the loop; `run` never ends."""

    def __init__(self, root="/"):
        slots = Slots(root)
        self.works = BoardWorks(slots)
        self.side = BoardSide(
            machine.unique_id(), int.from_bytes(os.urandom(2), "little"), FIRMWARE, self.works, ticks_diff, put_crc
        )
        self.slots = slots
        uart = machine.UART(
            pins.BUS_UART, baudrate=p.BAUD, tx=machine.Pin(pins.BUS_TX), rx=machine.Pin(pins.BUS_RX),
            rxbuf=pins.RXBUF, txbuf=pins.TXBUF, timeout=0,
        )  # fmt: skip
        self.uart = uart
        self.bus = UartBus(uart, self.side, pins.RXBUF, pins.ANSWER_WITHIN_US)
        spi = machine.SPI(
            pins.SENSOR_SPI, baudrate=pins.SENSOR_HZ, polarity=0, phase=0, sck=machine.Pin(pins.SENSOR_SCK),
            miso=machine.Pin(pins.SENSOR_MISO),
        )  # fmt: skip
        load = machine.Pin(pins.SENSOR_LOAD, machine.Pin.OUT, value=1)
        self.sensors = Sensors(spi, load, self._edge, ticks_diff, self.works.balance[3])
        self.works.scanner = self.sensors
        self.leds = Leds(pins.LED_PIN, pins.LED_STATE_MACHINE)
        self.effects = Effects()
        self.limiter = Limiter()
        self.status_led = machine.Pin(pins.STATUS_LED, machine.Pin.OUT, value=0)
        self.watchdog = machine.WDT(timeout=pins.WATCHDOG_MS)
        self._scanned_at = ticks_ms()
        self._picture_at = self._scanned_at
        self._dirty = True
        self._scale = 255
        gc.collect()
        self.works.free_heap_16 = gc.mem_free() >> 4

    def _edge(self, tile, press, now):
        self.side.edge(tile, press, now)
        if press:
            self.effects.touch(tile)
        self._dirty = True

    def step(self):
        """One turn: whether anything was done."""
        now = ticks_ms()
        busy = self.bus.poll(now)
        if ticks_diff(now, self._scanned_at) > 0:
            self._scanned_at = now
            self.sensors.scan(now)
        busy = self._light(now) or busy
        self.watchdog.feed()
        if self.side.gc_ms or self.side.reset_asked:
            self._after_reply()
        return busy

    def _light(self, now):
        side = self.side
        effects = self.effects
        due = ticks_diff(now, self._picture_at) >= 0
        if due:
            late = ticks_diff(now, self._picture_at)
            if late > self.works.slowest_ms:
                self.works.slowest_ms = late
            # After a stall pictures are left out, not made up for.
            self._picture_at = ticks_add(now if late > pins.PICTURE_MS else self._picture_at, pins.PICTURE_MS)
            effects.step()
            self._report()
        if side.changed:
            effects.begin()
            side.changed = False
            self._dirty = True
        if side.scale != self._scale:
            self._scale = side.scale
            self._dirty = True
        if not (self._dirty or (due and effects.moving)) or not self.leds.ready():
            return False
        self._dirty = False
        works = self.works
        balance = effects.balance
        for i in range(3):
            balance[i] = works.balance[i]
        balance[3] = self._scale
        self.sensors.release_ms = works.balance[3]
        out = self.leds.back
        was_moving = effects.moving
        total = effects.render(side.roles, side.palette, side.locate_mode, side.locate_mask, side.sensors, out)
        # The picture after the last moving one is drawn too: an echo goes out in it.
        if was_moving and not effects.moving:
            self._dirty = True
        self.limiter.hold(out, total)
        self.leds.show()
        return True

    def _report(self):
        """Once a picture: what the status byte and the counters tell."""
        side = self.side
        works = self.works
        side.limiting = self.limiter.limiting
        side.fault = self.sensors.broken >= BROKEN_AFTER
        side.unconfirmed = self.slots.unconfirmed()
        self.status_led(1 if side.address else 0)
        works.least_scale = self.limiter.least
        works.overruns = self.bus.overruns

    def _after_reply(self):
        side = self.side
        if side.gc_ms:
            side.gc_ms = 0
            free = gc.mem_free() >> 4
            if free < self.works.free_heap_16:
                self.works.free_heap_16 = free
            gc.collect()
        if side.reset_asked:
            while not self.uart.txdone():
                pass
            if side.reset_asked - 1 == p.BOOTLOADER:
                machine.bootloader()
            machine.reset()

    def run(self):
        """Go on for ever."""
        while True:
            if self.step():
                continue
            wait = self.bus.waits_us()
            if wait < 0:
                machine.idle()
            elif wait > 1500:
                sleep_ms(1)
