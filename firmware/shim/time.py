"""MicroPython's `time` with ticks that wrap as on the RP2040, three seconds after the start."""

import utime
from utime import sleep, sleep_ms, sleep_us, time, time_ns  # noqa: F401

PERIOD = 1 << 30
_MS = PERIOD - 3000 - utime.ticks_ms()
_US = PERIOD - 3000000 - utime.ticks_us()


def ticks_ms():
    return (utime.ticks_ms() + _MS) & (PERIOD - 1)


def ticks_us():
    return (utime.ticks_us() + _US) & (PERIOD - 1)


def ticks_add(ticks, delta):
    return (ticks + delta) & (PERIOD - 1)


def ticks_diff(later, earlier):
    return ((later - earlier + (PERIOD >> 1)) & (PERIOD - 1)) - (PERIOD >> 1)
