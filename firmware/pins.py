"""Which pin of the RP2040 does what, and the numbers of this build. A `config.py` beside it may name others.

The circuit's own description is hardware/pins.yaml; a test holds both equal. Everything that depends on the circuit is
here and in power.py, so another board needs no other file.
"""

BUS_UART = 0
BUS_TX = 0
BUS_RX = 1  # the RS-485 driver turns its direction by itself: no pin for that
RXBUF = 1024  # bytes: 10 ms of the line at 1 Mbaud, longer than any stall of ours in play
TXBUF = 256

LED_PIN = 2
LED_STATE_MACHINE = 0

SENSOR_SPI = 1
SENSOR_SCK = 10
SENSOR_MISO = 12
SENSOR_LOAD = 13  # SH/LD of all five 74HC165, low loads
SENSOR_HZ = 4000000

BOOT_GUARD = 15  # pulled to ground at power-up: the firmware does not start, the REPL does

STATUS_LED = 25  # lit while the board has an address

WATCHDOG_MS = 2000
PICTURE_MS = 20
ANSWER_WITHIN_US = 1500  # PROTOCOL.md: begin a reply within this or stay silent

try:
    from config import *  # noqa: F403
except ImportError:
    pass
