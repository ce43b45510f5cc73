"""The host's side of a segment and of the rail: RS-485 that turns by itself, and 3.3 V data to 5 V.

One a segment; the rail's half is soldered on one of them. Termination and bias are always on: the host is the
chain's first end, and the only place where the line is biased.
"""

from __future__ import annotations

from hardware import parts
from hardware.sheet import Sheet
from hardware.tile_board import transceiver


def host_adapter() -> Sheet:
    """The whole circuit."""
    sheet = Sheet("host_adapter")
    sheet.place(parts.HOST_BUS_PLUG, "J1", **{"DI": "DI", "RO": "RO", "3V3": "3V3", "GND": "GND"})
    sheet.net("3V3", supply=True)
    sheet.net("GND", supply=True)
    transceiver(sheet, "U1", "DI", "RO", "BUS_A", "BUS_B", "3V3")
    sheet.place(parts.BUS_PLUG, "J2", A="BUS_A", B="BUS_B", GND="GND")
    sheet.place(parts.BUS_TVS, "D1", IO1="BUS_A", IO2="BUS_B", GND="GND")
    sheet.resistor("120R", "BUS_A", "BUS_B")
    sheet.resistor("390R", "3V3", "BUS_A")
    sheet.resistor("390R", "BUS_B", "GND")

    sheet.place(parts.HOST_RAIL_PLUG, "J3", IN="RAIL_IN", GND="GND")
    sheet.place(parts.POWER_PLUG, "J4", **{"+5V": "5V", "GND": "GND"})
    sheet.net("5V", supply=True)
    shifter = sheet.place(parts.LEVEL_SHIFTER, "U2", A="RAIL_IN", Y="RAIL_5V", OE="GND", VCC="5V", GND="GND")
    sheet.decouple(shifter)
    sheet.resistor("10k", "RAIL_IN", "GND")
    sheet.resistor("330R", "RAIL_5V", "DIN")
    sheet.capacitor("1000u", "5V", "GND")
    sheet.place(parts.RAIL_PLUG, "J5", **{"DIN": "DIN", "+5V": "5V", "GND": "GND"})
    return sheet
