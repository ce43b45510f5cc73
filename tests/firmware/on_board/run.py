"""Runs the tests of one file, on MicroPython or CPython: one line each, `ok NAME` or `failed NAME: why`."""

import sys

name = sys.argv[1]
module = __import__(name)
for test in sorted(dir(module)):
    if test.startswith("test_"):
        try:
            getattr(module, test)()
            print("ok", test)
        except Exception as error:  # noqa: BLE001 the runner tells of any failure and goes on
            print("failed %s: %s %s" % (test, type(error).__name__, error))
            if hasattr(sys, "print_exception"):
                sys.print_exception(error)
            else:
                import traceback

                traceback.print_exc()
print("end")
