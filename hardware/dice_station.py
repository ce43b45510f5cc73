"""The dice station: 4 x 4 keys with diodes, five seat plugs, and the seats' lights on two 74HC595. All at 3.3 V.

Which key lies where and which seat hangs on which row and columns is read from `wiring/`; all ready tables have the
same matrix, and a test holds it.
"""

from __future__ import annotations

from pathlib import Path

from emberboard.devices.table_file import TableFile, read_table, seat_key
from hardware import parts
from hardware.data_files import HERE
from hardware.sheet import Sheet

WIRING = HERE.parent / "wiring" / "4x3.yaml"
SHIFT_OUTPUTS = ("QA", "QB", "QC", "QD", "QE", "QF", "QG", "QH")
CHIPS = 2


def dice_station(wiring: Path = WIRING) -> Sheet:
    """The whole circuit for the keys and seats of that table."""
    table = read_table(wiring)
    sheet = Sheet("dice_station")
    names = [name for _, name, _ in parts.STATION_HEADER.pins]
    sheet.place(parts.STATION_HEADER, "J1", **{name: "GND" if name.startswith("G") else name for name in names})
    sheet.net("3V3", supply=True)
    sheet.net("GND", supply=True)
    sheet.capacitor("10u", "3V3", "GND")
    for at in range(1, len(table.keypad.columns) + 1):
        sheet.resistor("4k7", "3V3", f"COL{at}")
    _keys(sheet, table)
    _lights(sheet, table)
    _seats(sheet, table)
    return sheet


def _keys(sheet: Sheet, table: TableFile) -> None:
    """Column, key, diode, row: the diode's cathode to the row, so that any number of keys stay apart."""
    seats = {seat_key(seat.seat, yes) for seat in table.seats for yes in (True, False)}
    for row, line in enumerate(table.keypad.rows, 1):
        for column, key in enumerate(line.keys, 1):
            if key in seats or key == "-":
                continue
            net = f"KEY_{row}_{column}"
            sheet.place(parts.KEY, value=key, **{"1": f"COL{column}", "2": net})
            sheet.place(parts.SIGNAL_DIODE, A=net, K=f"ROW{row}")


def _lights(sheet: Sheet, table: TableFile) -> None:
    """The first button's light on QA of the chip next to the data line; the host shifts the last one in first."""
    for chip in range(CHIPS):
        register = sheet.place(
            parts.SHIFT_OUT, f"U{1 + chip}", SRCLK="CLOCK", RCLK="LATCH", SRCLR="3V3", OE="GND", VCC="3V3", GND="GND",
            SER="DATA" if chip == 0 else f"SHIFT_{chip}",
        )  # fmt: skip
        if chip < CHIPS - 1:
            sheet.join(register, "QHS", f"SHIFT_{chip + 1}")
        else:
            sheet.leave_open(register, "QHS")
        sheet.decouple(register)
        for output in range(8):
            seat, no = divmod(8 * chip + output, 2)
            if seat < len(table.seats):
                name = f"{'NO' if no else 'YES'}_{table.seats[seat].seat}"
                sheet.join(register, SHIFT_OUTPUTS[output], f"OUT_{name}")
                sheet.resistor("330R", f"OUT_{name}", f"LIGHT_{name}")
            else:
                sheet.leave_open(register, SHIFT_OUTPUTS[output])


def _seats(sheet: Sheet, table: TableFile) -> None:
    """A plug a seat."""
    places = {
        key: (row, column)
        for row, line in enumerate(table.keypad.rows, 1)
        for column, key in enumerate(line.keys, 1)
    }  # fmt: skip
    for seat in table.seats:
        row, yes = places[seat_key(seat.seat, True)]
        _, no = places[seat_key(seat.seat, False)]
        sheet.place(
            parts.SEAT_PLUG, f"J{10 + seat.seat}", f"seat {seat.seat}", ROW=f"ROW{row}", COL_YES=f"COL{yes}",
            COL_NO=f"COL{no}", LIGHT_YES=f"LIGHT_YES_{seat.seat}", LIGHT_NO=f"LIGHT_NO_{seat.seat}", GND="GND",
        )  # fmt: skip
