"""Runs first: chooses the slot. With the boot-guard pin at ground nothing is chosen, and main.py does not start either.

It lies in the root with slots.py and pins.py, outside both slots, so that no update can take the way back.
"""

import sys

import pins
from machine import Pin
from slots import Slots

if Pin(pins.BOOT_GUARD, Pin.IN, Pin.PULL_UP).value():
    root = getattr(pins, "ROOT", "/")
    sys.path.insert(0, root + Slots(root).start())
