"""For MicroPython's build: the firmware frozen into its image. `make BOARD=RPI_PICO FROZEN_MANIFEST=.../manifest.py`.

Frozen, it is the way back of last resort: update slots lie before it on the path. `simple` adds what the board without
a bus needs, `bench` the bench kit's packages.
"""

options.defaults(simple=False, bench=False)

include("$(PORT_DIR)/boards/manifest.py")

module("protocol.py", base_path="../host/emberboard/link")
module("board_side.py", base_path="../host/emberboard/link")
for name in (
    "board", "calibration", "effects", "fast", "leds", "pins", "plain", "power", "selftest", "sensors", "slot_update",
    "slots", "uart_bus",
):  # fmt: skip
    module(name + ".py")

if options.simple:
    require("neopixel")
    module("simple.py")
if options.bench:
    require("unittest")
    require("logging")
    module("bench_kit.py")
