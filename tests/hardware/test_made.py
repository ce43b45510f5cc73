"""What is committed in hardware/made/ is what the circuits and the power data give."""

import csv
import re

import pytest
from hardware.dice_station import WIRING
from hardware.sheet import Sheet
from hardware.shopping import shopping
from simp_sexp import Sexp

from emberboard.devices.table_file import read_table
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


@pytest.mark.parametrize("name", build.CIRCUITS)
def test_the_netlist_can_be_read_back(name: str) -> None:
    """By a reader of s-expressions of its own: every pin of every net is a pin of a part."""
    export = Sexp((build.MADE / f"{name}.net").read_text(encoding="utf-8"))
    refs = {str(ref[1]) for ref in export.search("/export/components/comp/ref", ignore_case=True)}
    nodes = [str(ref[1]) for ref in export.search("/export/nets/net/node/ref", ignore_case=True)]
    assert refs
    assert set(nodes) <= refs
    assert len(nodes) >= len(refs)


def test_the_netlist_has_every_pin_of_a_net(board: Sheet) -> None:
    text = board.netlist()
    for net in ("BUS_A", "LED_17", "HALL_35", "5V_FUSED"):
        block = text[text.index(f'(name "{net}")') :].split("(net\n", 1)[0]
        assert len(re.findall(r"\(node ", block)) == len(board.pins_on(net))


def test_a_tables_shopping_list_has_all_its_parts_and_a_plug_for_every_socket() -> None:
    sheets = {name: draw() for name, draw in build.CIRCUITS.items()}
    items = shopping(read_table(WIRING), sheets)  # 4 x 3 boards, one segment, five seats
    assert (
        items["WS2812B", "Worldsemi", "WS2812B-V5"]
        == items["DRV5033AJ", "Texas Instruments", "DRV5033AJQDBZR"]
        == (12 * 36)
    )
    assert items["cable housing", "JST", "VHR-2N"] == 12 * 2 + 1
    assert items["cable housing", "JST", "XHP-3"] == 12 * 2 + 1
    assert items["cable housing", "JST", "XHP-6"] == 5 * 2
    assert items["Button_12mm", "Omron", "B3F-4055"] == 16 + 5 * 2
    assert items["5 V supply", "Mean Well", "LRS-100-5"] == 1
    parts = sum(count for (what, *_), count in items.items() if what not in {"cable housing", "crimp contact"})
    placed = {name: len(sheet.kinds) for name, sheet in sheets.items()}
    supply_fuses_holders_wire = 1 + 3 + 3 + 14
    assert parts == 12 * placed["tile_board"] + placed["dice_station"] + 5 * placed["seat"] + placed["host_adapter"] + (
        supply_fuses_holders_wire
    )
