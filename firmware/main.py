"""Started by MicroPython after boot.py: the board runs for ever, from the slot that boot.py chose."""

import sys

import pins
from machine import Pin

# Without boot.py (a board on the bench, or a process) nothing was chosen: the files beside this one run.
if Pin(pins.BOOT_GUARD, Pin.IN, Pin.PULL_UP).value():
    from board import Board

    Board(getattr(pins, "ROOT", "/")).run()
else:
    sys.stdout.write("boot guard: the firmware was not started\n")
