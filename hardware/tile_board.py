"""The tile board: 36 lights and 36 magnet sensors on a one-inch grid, an RP2040, RS-485, and 5 V in and out.

References follow the tiles: light of tile n is D{100 + n}, its sensor U{100 + n}; tile = 6 * row + column from the
north-west (`link/protocol.py`). The RP2040's pins are those of `hardware/pins.yaml`.
"""

from __future__ import annotations

from typing import Any

from hardware import parts
from hardware.data_files import read
from hardware.sheet import Sheet

TILES = 36
SHIFT_INPUTS = "HGFEDCBA"
"""The 74HC165's inputs in the order in which they come out."""
FIRST = 100
"""Tile 0's number in its references."""


def tile_board() -> Sheet:
    """The whole circuit."""
    sheet = Sheet("tile_board")
    _power(sheet)
    mcu = _controller(sheet)
    _usb(sheet)
    _bus(sheet)
    _lights(sheet)
    _sensors(sheet)
    used = read("pins.yaml")["gpio"]
    for name, gpio in used.items():
        sheet.join(mcu, f"GPIO{gpio}", name.upper())
    sheet.leave_open(mcu, *(f"GPIO{n}" for n in range(30) if n not in used.values()))
    return sheet


def _power(sheet: Sheet) -> None:
    """5 V in and through; behind the fuse, what is the board's own: reverse polarity, surge, bulk, 3.3 V."""
    for plug in ("J1", "J2"):
        sheet.place(parts.POWER_PLUG, plug, **{"+5V": "5V_CHAIN", "GND": "GND"})
    sheet.net("5V_CHAIN", supply=True)
    sheet.net("GND", supply=True)
    sheet.place(parts.FUSE_BOARD, "F1", **{"1": "5V_CHAIN", "2": "5V_FUSED"})
    # The body diode starts the board, then the channel takes over; reversed, both block.
    sheet.place(parts.REVERSE_FET, "Q1", D="5V_FUSED", S="5V", G="REVERSE_GATE")
    sheet.resistor("10k", "REVERSE_GATE", "GND")
    sheet.place(parts.SUPPLY_TVS, "D1", K="5V", A="GND")
    sheet.net("5V", supply=True)
    for _ in range(2):
        sheet.capacitor("470u", "5V", "GND")
    regulator = sheet.place(parts.REGULATOR, "U1", VIN="5V", GND="GND", EN="5V", VOUT="3V3")
    sheet.decouple(regulator, "10u")
    sheet.resistor("10k", "5V", "SUPPLY_SENSE")
    sheet.resistor("10k", "SUPPLY_SENSE", "GND")
    sheet.capacitor("100n", "SUPPLY_SENSE", "GND")


def _controller(sheet: Sheet) -> Any:
    """RP2040 with flash, crystal, SWD, reset, BOOTSEL, boot guard and a light (Hardware design with RP2040)."""
    mcu = sheet.place(
        parts.RP2040, "U2", GND="GND", TESTEN="GND", ADC_AVDD="3V3", VREG_VIN="3V3", VREG_VOUT="1V1", DVDD1="1V1",
        DVDD2="1V1", USB_VDD="3V3", XIN="XIN", XOUT="XOUT", RUN="RUN", SWCLK="SWCLK", SWD="SWD", USB_DM="USB_DM_MCU",
        USB_DP="USB_DP_MCU", QSPI_SS="QSPI_SS", QSPI_SCLK="QSPI_SCLK", QSPI_SD0="QSPI_SD0", QSPI_SD1="QSPI_SD1",
        QSPI_SD2="QSPI_SD2", QSPI_SD3="QSPI_SD3", **{f"IOVDD{n}": "3V3" for n in range(1, 7)},
    )  # fmt: skip
    for pin in ("VREG_VIN", "VREG_VOUT"):
        sheet.capacitor("1u", sheet.net_of("U2", pin), "GND", by=f"U2.{pin}")
    sheet.decouple(mcu)
    flash = sheet.place(
        parts.FLASH, "U3", CS="QSPI_SS", CLK="QSPI_SCLK", IO0="QSPI_SD0", IO1="QSPI_SD1", IO2="QSPI_SD2",
        IO3="QSPI_SD3", VCC="3V3", GND="GND",
    )  # fmt: skip
    sheet.decouple(flash)
    sheet.resistor("10k", "3V3", "QSPI_SS")
    sheet.place(parts.CRYSTAL, "Y1", X1="XIN", X2="XTAL_OUT", GND1="GND", GND2="GND")
    sheet.resistor("1k", "XOUT", "XTAL_OUT")
    for net in ("XIN", "XTAL_OUT"):
        sheet.capacitor("15p", net, "GND")
    sheet.place(parts.SWD_HEADER, "J3", SWCLK="SWCLK", GND="GND", SWD="SWD")
    sheet.resistor("10k", "3V3", "RUN")
    sheet.place(parts.BUTTON, "SW1", "reset", **{"1": "RUN", "2": "GND"})
    sheet.resistor("1k", "QSPI_SS", "BOOTSEL")
    sheet.place(parts.BUTTON, "SW2", "bootsel", **{"1": "BOOTSEL", "2": "GND"})
    sheet.resistor("10k", "3V3", "BOOT_GUARD")
    sheet.place(parts.BUTTON, "SW3", "boot guard", **{"1": "BOOT_GUARD", "2": "GND"})
    sheet.resistor("1k", "STATUS_LED", "STATUS_ANODE")
    sheet.place(parts.LED_GREEN, "D2", A="STATUS_ANODE", K="GND")
    return mcu


def _usb(sheet: Sheet) -> None:
    """USB-C, for the first flash and for one board without a bus; it feeds the board only when JP1 is closed."""
    plug = sheet.place(
        parts.USB_C, "J4", CC1="CC1", CC2="CC2", DP1="USB_DP", DP2="USB_DP", DM1="USB_DM", DM2="USB_DM", SHIELD="GND",
        **{f"VBUS{n}": "VBUS" for n in range(1, 5)}, **{f"GND{n}": "GND" for n in range(1, 5)},
    )  # fmt: skip
    sheet.net("VBUS", supply=True)
    sheet.leave_open(plug, "SBU1", "SBU2")
    for net in ("CC1", "CC2"):
        sheet.resistor("5k1", net, "GND")
    for line in ("USB_DP", "USB_DM"):
        sheet.resistor("27R", line, f"{line}_MCU")
    sheet.place(parts.USB_TVS, "D3", IO1="USB_DP", IO1B="USB_DP", IO2="USB_DM", IO2B="USB_DM", VBUS="VBUS", GND="GND")
    sheet.place(parts.FUSE_USB, "F2", **{"1": "VBUS", "2": "VBUS_FUSED"})
    sheet.place(parts.SCHOTTKY, "D4", A="VBUS_FUSED", K="5V_USB")
    # Open in a table: Q1 conducts both ways, and a laptop's port would feed the whole chain.
    sheet.place(parts.JUMPER, "JP1", "power from USB", **{"1": "5V_USB", "2": "5V"})


def _bus(sheet: Sheet) -> None:
    """RS-485 in and through. Switches: 1 termination, 2 and 3 bias, 4 boot guard held (safe mode)."""
    for plug in ("J5", "J6"):
        sheet.place(parts.BUS_PLUG, plug, A="BUS_A", B="BUS_B", GND="GND")
    transceiver(sheet, "U4", "BUS_TX", "BUS_RX", "BUS_A", "BUS_B", "3V3")
    sheet.place(parts.BUS_TVS, "D5", IO1="BUS_A", IO2="BUS_B", GND="GND")
    sheet.place(
        parts.DIP_4, "SW4", "term, bias A, bias B, guard",
        **{"1": "BUS_A", "8": "TERM", "2": "BIAS_UP", "7": "BUS_A", "3": "BIAS_DOWN", "6": "BUS_B", "4": "BOOT_GUARD",
           "5": "GND"},
    )  # fmt: skip
    sheet.resistor("120R", "TERM", "BUS_B")
    sheet.resistor("390R", "3V3", "BIAS_UP")
    sheet.resistor("390R", "BIAS_DOWN", "GND")


def transceiver(sheet: Sheet, ref: str, tx: str, rx: str, line_a: str, line_b: str, supply: str) -> None:
    """A transceiver that turns by itself. RE and SHDN high is its auto-direction mode (THVD1426, 8.4)."""
    part = sheet.place(
        parts.TRANSCEIVER, ref, D=tx, R=rx, A=line_a, B=line_b, RE=supply, SHDN=supply, VCC=supply, GND="GND"
    )
    sheet.decouple(part)
    # Both idle high: D while the UART is not set up yet, R while the driver has the line.
    sheet.resistor("10k", supply, tx)
    sheet.resistor("10k", supply, rx)


def _lights(sheet: Sheet) -> None:
    """3.3 V data to 5 V, then the 36 lights in tile order."""
    shifter = sheet.place(parts.LEVEL_SHIFTER, "U5", A="LED_DATA", Y="LED_5V", OE="GND", VCC="5V", GND="GND")
    sheet.decouple(shifter)
    # Dark until the firmware drives it: a floating pin would light the chain at random.
    sheet.resistor("10k", "LED_DATA", "GND")
    sheet.resistor("330R", "LED_5V", "LED_0")
    for tile in range(TILES):
        light = sheet.place(parts.WS2812B, f"D{FIRST + tile}", VDD="5V", VSS="GND", DIN=f"LED_{tile}")
        if tile < TILES - 1:
            sheet.join(light, "DOUT", f"LED_{tile + 1}")
        else:
            sheet.leave_open(light, "DOUT")
        sheet.decouple(light)


def _sensors(sheet: Sheet) -> None:
    """36 sensors, pulled up to 3.3 V, into five shift registers; the four spare inputs are a pattern."""
    known = read("pins.yaml")["sensors"]
    chips = known["chips"]
    for tile in range(TILES):
        sensor = sheet.place(parts.HALL, f"U{FIRST + tile}", VCC="5V", GND="GND", OUT=f"HALL_{tile}")
        sheet.decouple(sensor)
    for first in range(0, TILES, 4):
        ups = {str(n + 1): f"HALL_{first + n}" for n in range(4)}
        sheet.place(parts.PULL_UPS, value="4x10k", **ups, **{str(pin): "3V3" for pin in range(5, 9)})
    bits = [f"HALL_{tile}" for tile in range(TILES)] + ["3V3" if bit else "GND" for bit in known["spare"]]
    for chip in range(chips):
        inputs = dict(zip(SHIFT_INPUTS, bits[8 * chip : 8 * chip + 8], strict=True))
        register = sheet.place(
            parts.SHIFT_IN, f"U{10 + chip}", SH_LD="SENSOR_LOAD", CLK="SENSOR_CLOCK", CLK_INH="GND", VCC="3V3",
            GND="GND", QH="SENSOR_DATA" if chip == 0 else f"SHIFT_{chip}",
            SER=f"SHIFT_{chip + 1}" if chip < chips - 1 else "3V3", **inputs,
        )  # fmt: skip
        sheet.leave_open(register, "QHN")
        sheet.decouple(register)
