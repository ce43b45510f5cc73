"""What MicroPython does at power-up: boot.py, then main.py. A program that ends by an error meets the watchdog."""

import sys

import machine

try:
    import boot  # noqa: F401
    import main  # noqa: F401
except Exception as error:  # noqa: BLE001 whatever it was, the chip's watchdog restarts it
    if hasattr(sys, "print_exception"):
        sys.print_exception(error)
    else:
        import traceback

        traceback.print_exc()
    if not machine.WDT.armed:
        raise
    machine.reset()
