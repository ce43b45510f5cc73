"""The parts of MicroPython's `machine` that the firmware uses, for a process: UART on a socket, sensors by hand."""

import sys

import world

RESTART = 75
BOOTLOADER = 76


class Pin:
    IN = 0
    OUT = 1
    PULL_UP = 1

    def __init__(self, number, mode=-1, pull=-1, value=None):
        self.number = number
        self._value = 1 if value is None else value
        if number == int(world.getenv("EMBERBOARD_GROUNDED") or -1):
            self._value = 0

    def value(self, to=None):
        if to is None:
            return self._value
        self._value = to
        return None

    __call__ = value


class UART:
    """Bytes past `rxbuf` that were not read in time are lost, as on the chip."""

    def __init__(self, number, baudrate=9600, tx=None, rx=None, rxbuf=256, txbuf=256, timeout=0):
        self._pair = world.descriptor("EMBERBOARD_UART")
        self._held = bytearray(rxbuf)
        self._n = 0
        self._chunk = bytearray(512)
        self._view = memoryview(self._chunk)

    def any(self):
        if self._pair is None:
            return 0
        while True:
            n = self._pair[0].readinto(self._chunk)
            if n is None:
                return self._n
            if n == 0:
                sys.exit(0)
            held = self._held
            for i in range(min(n, len(held) - self._n)):
                held[self._n + i] = self._chunk[i]
            self._n += min(n, len(held) - self._n)

    def readinto(self, buf):
        n = self._n
        if not n:
            return None
        for i in range(n):
            buf[i] = self._held[i]
        self._n = 0
        return n

    def write(self, data):
        return self._pair[1].write(data)

    def txdone(self):
        return True


class SPI:
    def __init__(self, number, baudrate=1000000, polarity=0, phase=0, sck=None, miso=None):
        pass

    def readinto(self, buf):
        world.look()
        for i in range(5):
            buf[i] = world.tiles[i]


class WDT:
    """It bites when the program has ended (start.py); a program that hangs is not seen here."""

    armed = False

    def __init__(self, timeout=5000):
        WDT.armed = True

    def feed(self):
        pass


def idle():
    world.idle()


def unique_id():
    word = world.getenv("EMBERBOARD_UID") or "656d626572000001"
    return bytes(int(word[i : i + 2], 16) for i in range(0, 16, 2))


def reset():
    sys.exit(RESTART)


def bootloader():
    sys.exit(BOOTLOADER)
