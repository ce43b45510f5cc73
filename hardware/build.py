"""Make what follows from the circuits: netlists, bills of materials, shopping lists, the power budget, the magnets.

python -m hardware.build            write hardware/made/
python -m hardware.build --check    write nothing; exit status 1 when a circuit or a file is not as it should be
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from hardware import magnet, power
from hardware.data_files import HERE, read
from hardware.dice_station import dice_station
from hardware.host_adapter import host_adapter
from hardware.seat import seat
from hardware.sheet import Sheet
from hardware.shopping import shopping_list
from hardware.tile_board import tile_board

MADE = HERE / "made"
CIRCUITS: dict[str, Callable[[], Sheet]] = {
    "tile_board": tile_board,
    "dice_station": dice_station,
    "seat": seat,
    "host_adapter": host_adapter,
}
TABLES = {"2x2": 4, "4x3": 12, "6x6": 36}
"""The ready tables of wiring/ and their numbers of boards."""


def made() -> tuple[dict[Path, str], list[str]]:
    """All files with what belongs in them, and what is wrong with circuits and power data, in words."""
    files, faults = {}, power.faults(read("power.yaml"))
    sheets = {name: draw() for name, draw in CIRCUITS.items()}
    for name, sheet in sheets.items():
        faults += [f"{name}: {finding}" for finding in sheet.check()]
        files[MADE / f"{name}.net"] = sheet.netlist()
        files[MADE / f"{name}.csv"] = sheet.bill()
    for name in TABLES:
        files[MADE / f"buy_{name}.csv"] = shopping_list(name, sheets)
    files[MADE / "power.md"] = power.report(TABLES)
    files[MADE / "magnet.md"] = magnet.report()
    return files, faults


def main(arguments: list[str]) -> int:
    """Write, or with --check compare; the exit status."""
    files, faults = made()
    if "--check" in arguments:
        faults += [
            f"{path.relative_to(HERE.parent)} is not what the circuits give: run python -m hardware.build"
            for path, text in files.items()
            if not path.exists() or path.read_text(encoding="utf-8") != text
        ]
    else:
        MADE.mkdir(exist_ok=True)
        for path, text in files.items():
            path.write_text(text, encoding="utf-8")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
