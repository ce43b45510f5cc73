"""Runs firmware files on CPython over the same fakes: `python cpython.py FILE`, the folders in EMBERBOARD_PATH.

What MicroPython's built-in modules have and CPython's have not is put in: ticks that wrap soon, gc.mem_free.
"""

import gc
import os
import runpy
import sys
import time

PERIOD = 1 << 30
_START = time.monotonic_ns()


def _ticks(unit, before):
    return lambda: ((time.monotonic_ns() - _START) // unit + PERIOD - before) & (PERIOD - 1)


time.ticks_ms = _ticks(1000000, 3000)
time.ticks_us = _ticks(1000, 3000000)
time.ticks_add = lambda ticks, delta: (ticks + delta) & (PERIOD - 1)
time.ticks_diff = lambda later, earlier: ((later - earlier + (PERIOD >> 1)) & (PERIOD - 1)) - (PERIOD >> 1)
time.sleep_ms = lambda ms: time.sleep(ms / 1000)
gc.mem_free = lambda: 0

sys.path[:0] = os.environ["EMBERBOARD_PATH"].split(":")
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
