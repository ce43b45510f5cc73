"""The table's file: the three ready ones hold, and each fault is named by file, line, field and what is allowed."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emberboard.devices.table_file import BOARDS_A_SEGMENT, pin_uses, place_at, read_table
from emberboard.engine.errors import ContentError
from tests.devices.key_rigs import ROOT

READY = {"2x2": (12, 12), "4x3": (24, 18), "6x6": (36, 36)}


@pytest.mark.parametrize("name", READY)
def test_the_ready_tables_hold(name: str) -> None:
    table = read_table(ROOT / "wiring" / f"{name}.yaml")
    assert (table.table, table.tiles) == (name, READY[name])
    assert max(Counter(use.pin for use in pin_uses(table)).values()) == 1
    chains = [place for segment in table.segments for place in segment.chain]
    assert sorted(chains) == sorted(table.places)
    for segment in table.segments:
        assert len(segment.chain) <= BOARDS_A_SEGMENT
        # A cable goes from a board to its neighbour and never across the table.
        for here, there in zip(segment.chain, segment.chain[1:]):
            (x, y), (to_x, to_y) = place_at(here), place_at(there)
            assert abs(x - to_x) + abs(y - to_y) == 1, (here, there)


def test_the_ready_tables_are_wired_alike() -> None:
    keypads = {read_table(ROOT / "wiring" / f"{name}.yaml").keypad for name in READY}
    assert len(keypads) == 1, "one dice station fits all ready tables"


FAULTS = [
    # what is changed, into what, the line's words in the changed file, field, what the message says
    ("pin: 18, pixels", "pin: 21, pixels", "rail:", "rail.pin", r"GPIO21 is taken .* keys column 3 .*free are 0"),
    ("pin: 18, pixels", "pin: 3, pixels", "rail:", "rail.pin", "GPIO3 cannot drive a rail; allowed are 10, 12, 18, 21"),
    ("pin: 18, pixels", "pin: 28, pixels", "rail:", "rail.pin", "<= 27"),
    ("order: GRB", "order: GRX", "rail:", "rail.order", "'GRX'; allowed are .*GRB"),
    ("brightness: 0.5", "brightness: 5", "rail:", "rail.brightness", "<= 1"),
    ("{pin: 7, ", "{pin: 6, ", "{pin: 6, keys: [\"4\"", "keypad.rows.1.pin", "GPIO6 is taken already by keys row 1"),
    ("pins: [14, 15]", "pins: [15, 14]", "pins: [15", "segments.0.pins", r"no UART has TX, RX .*\[14, 15\]"),
    ("pins: [14, 15]", "pins: [12, 13]", "name: bag", "readers.0.pins.0", "GPIO12 is taken already by segment A TX"),
    ("port: /dev/ttyAMA0", "port: /dev/ttyAMA5", "name: bag", "readers.0.port", "is the port of segments.0 too"),
    ("port: /dev/ttyAMA0", "port: COM3", "port: COM3", "segments.0.port", "expected a path below /dev"),
    ("port: /dev/ttyAMA0", "port: /dev/ttyUSB0", "port: /dev/ttyUSB0", "segments.0.port", "/dev/serial/by-id/"),
    ("[A1, B1, B2, A2]", "[A1, B1, B2, C2]", "chain:", "segments.0.chain.3", "no place C2; allowed are A1 to B2"),
    ("[A1, B1, B2, A2]", "[A1, B1, B2, B1]", "chain:", "segments.0.chain.3", "B1 is in segment A already"),
    ("[A1, B1, B2, A2]", "[A1, B1, B2]", "segments:", "segments", "no chain reaches A2"),
    ('"+10"', '"+9"', "{pin: 19", "keypad.rows.3.keys.1", r"unknown key '\+9'; allowed are 1, .*seat 5 no, and -"),
    ('"+10"', '"OK"', "{pin: 19", "keypad.rows.3.keys.3", "the key 'OK' is at row 4, column 2 already"),
    ('"+10"', '"-"', "  rows:", "keypad.rows", r"no row has the key \+10"),
    ("seat: 5", "seat: 1", "{seat: 1, side: east", "seats.4.seat", "seat 1 is seats.0 already"),
    ("seat: 5", "seat: 6", "{seat: 6", "seats.4.seat", "<= 5"),
    ("data: 17", "data: 2", "lights:", "lights.data", "pulled up on the Pi; free are"),
    ("scan_ms: 5 ", "scan_mss: 5 ", "scan_mss: 5", "keypad", "unknown field `scan_mss`; allowed are columns, rows,"),
    ("chip: PN532", "chip: MFRC522", "name: bag", "readers.0.chip", "'MFRC522'; allowed are PN532"),
    ("side: west", "side: left", "{seat: 2", "seats.1.side", "'left'; allowed are east, north, south, west"),
    ("pi: 4", "pi: 4\npie: 4", "pie: 4", "(top)", "unknown field `pie`; allowed are table, pi, boards"),
    ("misses: 3", "misses: 0", "name: bag", "readers.0.misses", ">= 1"),
    ("pi: 4", "pi: 3", "pi: 3", "pi", "3; allowed are 4, 5"),
]


@pytest.mark.parametrize(("old", "new", "line", "field", "words"), FAULTS)
def test_each_fault_is_named_by_line_and_field(
    tmp_path: Path, old: str, new: str, line: str, field: str, words: str
) -> None:
    text = (ROOT / "wiring" / "2x2.yaml").read_text()
    assert text.count(old) == 1
    changed = text.replace(old, new)
    path = tmp_path / "table.yaml"
    path.write_text(changed)
    with pytest.raises(ContentError) as caught:
        read_table(path)
    error = caught.value
    assert (error.file, error.field) == (str(path), field)
    assert line in changed.splitlines()[error.line - 1]
    assert re.search(words, error.message), error.message
    assert str(error).startswith(f"{path}:{error.line}: {field}: ")


def test_too_many_boards_on_a_segment(tmp_path: Path) -> None:
    text = (ROOT / "wiring" / "6x6.yaml").read_text()
    text = text.replace("E2, D2, C2, B2, A2]", "E2, D2, C2, B2, A2, A3, B3, C3, D3, E3]")
    text = text.replace("[A3, B3, C3, D3, E3, F3,", "[F3,")
    path = tmp_path / "table.yaml"
    path.write_text(text)
    with pytest.raises(ContentError, match=r"segments.0.chain: 17 boards, but a segment carries at most 16"):
        read_table(path)


@given(st.integers(0, 7), st.integers(0, 7))
def test_places_are_written_as_they_are_read(column: int, row: int) -> None:
    assert place_at(f"{'ABCDEFGH'[column]}{row + 1}") == (column, row)
