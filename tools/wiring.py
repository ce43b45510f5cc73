"""Make what follows from `wiring/*.yaml`: the pin tables in wiring/README.md and the harness drawings.

    python tools/wiring.py            write the pin tables and the drawings' sources, and draw them (needs graphviz)
    python tools/wiring.py --check    write nothing; exit status 1 when something is not what the tables say

The drawings' sources are wireviz files; `tests/devices/test_wiring.py` holds them and the pin tables equal.
"""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from emberboard.devices.table_file import Segment, TableFile, pin_uses, read_table, seat_key

WIRING = Path(__file__).parents[1] / "wiring"
README = WIRING / "README.md"
TABLES = ("2x2", "4x3", "6x6")
BEGIN, END = "<!-- made by tools/wiring.py: begin -->", "<!-- made by tools/wiring.py: end -->"

HEADER = {
    2: 3, 3: 5, 4: 7, 14: 8, 15: 10, 17: 11, 18: 12, 27: 13, 22: 15, 23: 16, 24: 18, 10: 19, 9: 21, 25: 22,
    11: 23, 8: 24, 7: 26, 0: 27, 1: 28, 5: 29, 6: 31, 12: 32, 13: 33, 19: 35, 16: 36, 26: 37, 20: 38, 21: 40,
}  # fmt: skip
"""The header's pin for each GPIO (Raspberry Pi documentation, 40-pin header)."""
V3, V5, GROUND = "3V3", "5V", "GND"

Harness = dict[str, Any]


def pin_table(table: TableFile) -> str:
    """The table's pins as Markdown, in the order of the header's pins."""
    rows = sorted((HEADER[use.pin], use) for use in pin_uses(table))
    lines = ["| header pin | GPIO | for |", "|---:|---:|---|"]
    lines += [f"| {header} | {use.pin} | {use.use} |" for header, use in rows]
    return "\n".join(lines)


def ports_table(table: TableFile) -> str:
    """The table's ports as Markdown."""
    lines = ["| what | port | baud | behind it |", "|---|---|---:|---|"]
    for segment in table.segments:
        chain = " ".join(segment.chain)
        lines.append(f"| segment {segment.name} | `{segment.port}` | {segment.baud} | {len(segment.chain)}: {chain} |")
    for reader in table.readers:
        lines.append(f"| reader {reader.name} | `{reader.port}` | {reader.baud} | {reader.chip} |")
    return "\n".join(lines)


def keys_table(table: TableFile) -> str:
    """The matrix as Markdown: rows down, columns across."""
    pad = table.keypad
    lines = [
        "| row | " + " | ".join(f"column {at} (GPIO{pin})" for at, pin in enumerate(pad.columns, 1)) + " |",
        "|---|" + "---|" * len(pad.columns),
    ]
    for at, row in enumerate(pad.rows, 1):
        keys = [*row.keys, *[""] * (len(pad.columns) - len(row.keys))]
        lines.append(f"| {at} (GPIO{row.pin}) | " + " | ".join("" if key == "-" else key for key in keys) + " |")
    return "\n".join(lines)


def made_text() -> str:
    """All that is made inside wiring/README.md."""
    parts = []
    for name in TABLES:
        table = read_table(WIRING / f"{name}.yaml")
        columns, rows = table.tiles
        parts += [
            f"### {name}: {table.boards.columns} x {table.boards.rows} boards, {columns} x {rows} tiles, "
            f"Raspberry Pi {table.pi}",
            f"Drawings: [host](drawings/{name}-host.svg), [bus](drawings/{name}-bus.svg).",
            pin_table(table),
            ports_table(table),
        ]
    parts += ["### Keys, the same on all three", keys_table(read_table(WIRING / f"{TABLES[0]}.yaml"))]
    return "\n\n".join(parts)


def readme(before: str) -> str:
    """The README with its made part renewed. Raises ValueError when a marker is missing."""
    head, _, rest = before.partition(BEGIN)
    _, found, tail = rest.partition(END)
    if not found:
        raise ValueError(f"wiring/README.md lacks the lines {BEGIN} and {END}")
    return f"{head}{BEGIN}\n\n{made_text()}\n\n{END}{tail}"


def host_harness(table: TableFile) -> Harness:
    """What is plugged into the Pi's header: dice station, rail, readers, transceivers; and the seats behind it."""
    pad = table.keypad
    made = _Drawing(f"Table {table.table}: the host's harness, Raspberry Pi {table.pi}")
    columns = [f"COL{at}" for at in range(1, len(pad.columns) + 1)]
    rows = [f"ROW{at}" for at in range(1, len(pad.rows) + 1)]
    lights = ["DATA", "CLOCK", "LATCH"]
    shift = [table.lights.data, table.lights.clock, table.lights.latch]
    matrix = [*pad.columns, *[row.pin for row in pad.rows], *shift]
    used = sorted((HEADER[use.pin], _gpio(use.pin)) for use in pin_uses(table))
    labels, pins = [*(name for _, name in used), V3, GROUND], [*(pin for pin, _ in used), 1, 6]
    made.add("Pi", labels, pins=pins, type="40-pin header")
    made.add("Dice station", [*columns, *rows, *lights, V3, GROUND], type="2 x 10 box header")
    made.join(
        "ribbon",
        "Pi",
        [*(_gpio(pin) for pin in matrix), V3, GROUND],
        "Dice station",
        [*columns, *rows, *lights, V3, GROUND],
    )
    pixels = f"{table.rail.pixels} pixels, {table.rail.order}"
    made.add("Rail", ["DIN", V5, GROUND], type="NeoPixel chain", notes=pixels)
    made.add("Level shifter", ["IN", "OUT", V5, GROUND], type="74AHCT125", notes="330 Ohm into DIN")
    made.join("rail signal", "Pi", [_gpio(table.rail.pin), GROUND], "Level shifter", ["IN", GROUND])
    made.add("Rail supply", [V5, GROUND], type="5 V, fused", notes="not the Pi's; grounds joined")
    made.join("rail feed", "Rail supply", [V5, GROUND], "Level shifter", [V5, GROUND])
    made.join("rail", "Level shifter", ["OUT", V5, GROUND], "Rail", ["DIN", V5, GROUND])
    for reader in table.readers:
        name = f"Reader {reader.name}"
        made.add(name, ["RX", "TX", V3, GROUND], type=reader.chip, notes="switches to HSU: both off")
        if reader.pins is not None:
            lines = [*map(_gpio, reader.pins), V3, GROUND]
            made.join(f"reader {reader.name}", "Pi", lines, name, ["RX", "TX", V3, GROUND])
    for segment in table.segments:
        name = _transceiver(segment)
        made.add(name, ["DI", "RO", V3, GROUND], type="RS-485, direction by itself", notes="120 Ohm on")
        if segment.pins is not None:
            made.join(f"to {name}", "Pi", [*map(_gpio, segment.pins), V3, GROUND], name, ["DI", "RO", V3, GROUND])
    for seat in table.seats:
        buttons = [_column_of(table, seat_key(seat.seat, yes)) for yes in (True, False)]
        row = f"ROW{_row_of(table, seat_key(seat.seat, True))}"
        name, plug = f"Seat {seat.seat}", f"Seat plug {seat.seat}"
        wires = ["ROW", "COL YES", "COL NO", "LIGHT YES", "LIGHT NO", GROUND]
        place = f"on the dice station: {row}, COL{buttons[0]}, COL{buttons[1]}"
        made.add(plug, wires, type="JST XH, 6 pins", notes=place)
        made.add(name, wires, type="JST XH, 6 pins", notes=f"{seat.side} side")
        made.join(f"seat {seat.seat}", plug, wires, name, wires)
    return made.harness


def bus_harness(table: TableFile) -> Harness:
    """The chains of boards, from each segment's transceiver to the last board, whose termination is on."""
    made = _Drawing(f"Table {table.table}: the bus, {len(table.segments)} segment(s), 1 Mbaud")
    wires = ["A", "B", GROUND]
    for segment in table.segments:
        before = _transceiver(segment)
        made.add(before, wires, type="RS-485 transceiver", notes="terminated, biased")
        for at, place in enumerate(segment.chain, 1):
            ended = "termination on" if at == len(segment.chain) else "termination off"
            made.add(f"Board {place}", wires, type="JST XH, 3 pins", notes=ended)
            made.join(f"{segment.name}{at}", before, wires, f"Board {place}", wires)
            before = f"Board {place}"
    return made.harness


class _Drawing:
    """A wireviz harness as it grows."""

    def __init__(self, title: str) -> None:
        self.harness: Harness = {
            "metadata": {"title": title},
            "connectors": {},
            "cables": {},
            "connections": [],
        }

    def add(self, name: str, labels: list[str], *, type: str, notes: str = "", pins: list[int] | None = None) -> None:
        connector: dict[str, Any] = {"type": type, "pinlabels": labels}
        if pins is not None:
            connector["pins"] = pins
        if notes:
            connector["notes"] = notes
        self.harness["connectors"][name] = connector

    def join(self, cable: str, start: str, start_pins: list[str], end: str, end_pins: list[str]) -> None:
        assert len(start_pins) == len(end_pins)
        self.harness["cables"][cable] = {"wirecount": len(start_pins), "color_code": "DIN"}
        numbers = list(range(1, len(start_pins) + 1))
        self.harness["connections"].append([{start: start_pins}, {cable: numbers}, {end: end_pins}])


def _gpio(pin: int) -> str:
    return f"GPIO{pin}"


def _transceiver(segment: Segment) -> str:
    return f"Transceiver {segment.name}"


def _row_of(table: TableFile, key: str) -> int:
    return next(at for at, row in enumerate(table.keypad.rows, 1) if key in row.keys)


def _column_of(table: TableFile, key: str) -> int:
    return next(row.keys.index(key) + 1 for row in table.keypad.rows if key in row.keys)


def sources() -> Iterator[tuple[Path, str]]:
    """Path and text of each drawing's source."""
    for name in TABLES:
        table = read_table(WIRING / f"{name}.yaml")
        for part, harness in (("host", host_harness(table)), ("bus", bus_harness(table))):
            text = io.StringIO()
            yaml = YAML()
            yaml.default_flow_style = None
            yaml.width = 120
            yaml.dump(harness, text)
            head = f"# Made by tools/wiring.py from {name}.yaml. Draw it again with: python tools/wiring.py\n"
            yield WIRING / "drawings" / f"{name}-{part}.wireviz.yaml", head + text.getvalue()


def differing() -> list[str]:
    """Names of files that are not what the tables say."""
    found = [path.name for path, text in sources() if not path.exists() or path.read_text(encoding="utf-8") != text]
    before = README.read_text(encoding="utf-8")
    return found if readme(before) == before else [*found, README.name]


def draw(source: Path) -> None:
    """Draw one source as SVG beside it. Needs graphviz."""
    from wireviz.wireviz import parse  # type: ignore[import-untyped]

    name = source.name.removesuffix(".wireviz.yaml")
    parse(source, output_formats=("svg",), output_dir=source.parent, output_name=name)


def main() -> int:
    """Write everything, or check it; the exit status."""
    if "--check" in sys.argv[1:]:
        if found := differing():
            print(f"Not what the tables say: {', '.join(found)}. Run `python tools/wiring.py`.")
        return 1 if found else 0
    README.write_text(readme(README.read_text(encoding="utf-8")), encoding="utf-8")
    for path, text in sources():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if shutil.which("dot") is None:
        print("The drawings were not drawn: graphviz is missing (apt install graphviz).")
        return 1
    for path, _text in sources():
        draw(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
