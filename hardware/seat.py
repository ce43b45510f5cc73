"""A seat: two buttons, Yes and No, each with a light, on one six-wire cable to the dice station.

The buttons are two keys of the dice station's matrix, so each has its diode; the lights' resistors are on the station.
"""

from __future__ import annotations

from hardware import parts
from hardware.sheet import Sheet

BUTTONS = {"YES": parts.LIGHT_YES, "NO": parts.LIGHT_NO}


def seat() -> Sheet:
    """The whole circuit."""
    sheet = Sheet("seat")
    nets = {name: name for _, name, _ in parts.SEAT_PLUG.pins}
    sheet.place(parts.SEAT_PLUG, "J1", **nets)
    sheet.net("GND", supply=True)
    for name, light in BUTTONS.items():
        sheet.place(parts.KEY, value=name.lower(), **{"1": f"COL_{name}", "2": f"KEY_{name}"})
        sheet.place(parts.SIGNAL_DIODE, A=f"KEY_{name}", K="ROW")
        sheet.place(light, A=f"LIGHT_{name}", K="GND")
    return sheet
