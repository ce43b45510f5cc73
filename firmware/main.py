"""Started by MicroPython after boot.py: the board runs for ever, from the slot that boot.py chose."""

import sys

import pins
from machine import WDT, Pin

START_WITHIN_MS = 8000

# Without boot.py (a board on the bench, or a process) nothing was chosen: the files beside this one run.
if Pin(pins.BOOT_GUARD, Pin.IN, Pin.PULL_UP).value():
    # Before the slot's own files are touched: one that cannot even be imported ends in a restart, and so goes back.
    WDT(timeout=START_WITHIN_MS)
    from board import Board

    Board(getattr(pins, "ROOT", "/")).run()
else:
    sys.stdout.write("boot guard: the firmware was not started\n")
