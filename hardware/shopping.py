"""What to buy for a whole table: the circuits' parts summed, with plugs for the cables, supply, fuses and wire."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from emberboard.devices.table_file import TableFile, read_table
from hardware import power
from hardware.data_files import HERE, read
from hardware.sheet import Sheet

Item = tuple[str, str, str]
"""What it is, manufacturer, part number."""

CABLE_ENDS: dict[str, tuple[Item, Item]] = {
    series: (("cable housing", "JST", housing), ("crimp contact", "JST", contact))
    for series, housing, contact in (
        ("VH_2", "VHR-2N", "SVH-21T-P1.1"), ("VH_3", "VHR-3N", "SVH-21T-P1.1"), ("XH_2", "XHP-2", "SXH-001T-P0.6"),
        ("XH_3", "XHP-3", "SXH-001T-P0.6"), ("XH_4", "XHP-4", "SXH-001T-P0.6"), ("XH_6", "XHP-6", "SXH-001T-P0.6"),
    )
}  # fmt: skip
"""The housing and the contacts that go onto each kind of plug (JST VH and XH catalogues)."""


def circuits_of(table: TableFile) -> dict[str, int]:
    """How many of each circuit a table has."""
    boards = table.boards.columns * table.boards.rows
    return {"tile_board": boards, "dice_station": 1, "seat": len(table.seats), "host_adapter": len(table.segments)}


def shopping(table: TableFile, sheets: Mapping[str, Sheet]) -> Counter[Item]:
    """All items of a table and their numbers; wire is counted in whole metres."""
    items: Counter[Item] = Counter()
    for name, count in circuits_of(table).items():
        for part in sheets[name].circuit.parts:
            kind = sheets[name].kinds[part.ref]
            # What a part is called on the board (a key's label, a plug's seat) is not what it is in the shop.
            what = str(part.value) if kind.prefix in ("R", "C", "RN") else kind.name
            items[what, kind.manufacturer, kind.mpn] += count
            if kind.name in CABLE_ENDS:
                housing, contact = CABLE_ENDS[kind.name]
                items[housing] += count
                items[contact] += count * len(kind.pins)
    return items + _supply(table)


def _supply(table: TableFile) -> Counter[Item]:
    """Supply, feeds with their fuses, and wire: there and back, from the supply and from board to board."""
    data = read("power.yaml")
    boards, feed = table.boards.columns * table.boards.rows, data["feed"]
    feeds = math.ceil(boards / feed["boards"])
    name, _ = power.supply_for(data, boards)
    metres = 2 * (feeds * feed["length_m"] + (boards - feeds) * feed["hop_m"])
    amps = f"{feed['fuse_ma'] / 1000} A"
    return Counter(
        {
            ("5 V supply", "Mean Well", name): 1,
            (f"blade fuse {amps}, ATO", "Littelfuse", "0287007.PXCN"): feeds,
            ("inline holder for an ATO blade fuse", "", ""): feeds,
            (f"metre of {feed['cable']} wire, red and black together", "", ""): math.ceil(metres),
        }
    )


def shopping_list(name: str, sheets: Mapping[str, Sheet]) -> str:
    """The list for one of the ready tables as CSV, the most numerous first."""
    items = shopping(read_table(Path(HERE.parent, "wiring", f"{name}.yaml")), sheets)
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    write(["quantity", "what", "manufacturer", "part number"])
    for item, count in sorted(items.items(), key=lambda pair: (-pair[1], pair[0])):
        write([count, *item])
    return out.getvalue()
