"""The power budget: its arithmetic, and that the limits fit the fuse, the cable and the supply."""

import copy
from pathlib import Path
from typing import Any

import pytest
from hardware.build import TABLES
from hardware.data_files import HERE, read
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from hardware import power

DATA = read("power.yaml")


def test_a_board_by_hand() -> None:
    assert power.idle_ma(DATA) == 220  # 36 + 129.6 + 54
    assert power.full_ma(DATA) == 220 + 36 * 3 * 12
    # One stretch: 2 * 1.5 m * 13.17 mOhm/m * 1.2 A
    assert power.drop_v(DATA, "AWG16", 1.5, 1, 1200) == pytest.approx(0.0474, abs=1e-4)
    # Four boards: 1.5 m carries 4, then 0.25 m each carry 3, 2, 1: 7.5 board metres
    assert power.drop_v(DATA, "AWG16", 1.5, 4, 1200) == pytest.approx(2 * 0.01317 * 1.2 * 7.5)


def test_the_data_fit_together() -> None:
    assert power.faults(DATA) == []


@pytest.mark.parametrize(
    ("part", "field", "value", "word"),
    [
        ("board", "limit_ma", 1300, "polyfuse"),
        ("board", "limit_ma", 220, "nothing for light"),
        ("feed", "boards", 6, "feed.fuse_ma does not"),
        ("feed", "fuse_ma", 15000, "contacts"),
        ("feed", "cable", "AWG20", "drops too much"),
        ("usb", "budget_ma", 600, "USB"),
    ],
)
def test_what_does_not_fit_is_said(part: str, field: str, value: object, word: str) -> None:
    data = copy.deepcopy(DATA)
    data[part][field] = value
    assert any(word in fault for fault in power.faults(data))


@given(st.integers(0, 3000))
def test_a_white_board_at_its_scale_stays_in_the_budget(budget: int) -> None:
    scale = power.white_scale(DATA, budget)
    light = power.full_ma(DATA) - power.idle_ma(DATA)
    if budget >= power.idle_ma(DATA):
        assert power.idle_ma(DATA) + light * scale / 255 <= budget or (scale == 255 and budget >= power.full_ma(DATA))
    else:
        assert scale == 0


@pytest.mark.parametrize("name", TABLES)
def test_each_ready_table_has_its_boards_and_its_supply(name: str) -> None:
    table: dict[str, Any] = YAML(typ="safe").load(Path(HERE.parent, "wiring", f"{name}.yaml").read_text("utf-8"))
    boards = table["boards"]["columns"] * table["boards"]["rows"]
    assert boards == TABLES[name]
    assert power.table_budget_ma(DATA, boards) >= boards * power.idle_ma(DATA)
    _, amps = power.supply_for(DATA, boards)
    assert amps * DATA["supply"]["load"] * 1000 >= power.table_budget_ma(DATA, boards)


def test_the_rail_counts_its_pixels_as_the_tiles_do() -> None:
    for name in TABLES:
        rail = YAML(typ="safe").load(Path(HERE.parent, "wiring", f"{name}.yaml").read_text("utf-8"))["rail"]
        assert (rail["mark_ma"], rail["idle_ma"]) == (DATA["light"]["mark_ma"], DATA["light"]["idle_ma"])


def test_no_supply_is_large_enough_for_a_hall() -> None:
    with pytest.raises(ValueError, match="use two"):
        power.supply_for(DATA, 64)
