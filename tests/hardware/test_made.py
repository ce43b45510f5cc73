"""What is committed in hardware/made/ is what the circuits and the power data give."""

import csv
import re

from hardware.sheet import Sheet

from hardware import build


def test_every_made_file_is_up_to_date() -> None:
    files, faults = build.made()
    assert faults == []
    for path, text in files.items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run python -m hardware.build"
    assert {path.name for path in build.MADE.iterdir()} == {path.name for path in files}


def test_bill_and_netlist_name_the_same_parts(board: Sheet) -> None:
    rows = list(csv.DictReader(board.bill().splitlines()))
    refs = [ref for row in rows for ref in row["references"].split()]
    assert [int(row["quantity"]) for row in rows] == [len(row["references"].split()) for row in rows]
    netted = re.findall(r'\(comp\s+\(ref "([^"]+)"\)', board.netlist())
    assert sorted(refs) == sorted(netted)


def test_the_netlist_has_every_pin_of_a_net(board: Sheet) -> None:
    text = board.netlist()
    for net in ("BUS_A", "LED_17", "HALL_35", "5V_FUSED"):
        block = text[text.index(f'(name "{net}")') :].split("(net\n", 1)[0]
        assert len(re.findall(r"\(node ", block)) == len(board.pins_on(net))
