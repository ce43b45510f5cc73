"""Rigs for the devices' contracts. Where a contract ran is told at the end of the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.devices import gpiochip
from tests.devices.key_rigs import ChipRig, KeyRig, TableRig, VirtualRig, real_table
from tests.devices.reader_rigs import ChipReaderRig, ReaderRig, TableReaderRig, VirtualReaderRig


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The preloaded GPIO chip, compiled."""
    return gpiochip.build(tmp_path_factory.mktemp("shim"))


@pytest.fixture
def chip(shim: Path, tmp_path: Path) -> Iterator[gpiochip.GpioChip]:
    """A GPIO chip of one test."""
    made = gpiochip.GpioChip(tmp_path, shim)
    yield made
    made.close()


@pytest.fixture(params=["virtual", "rpi-lgpio", "table"])
def keys(request: pytest.FixtureRequest, show: Callable[[str], None]) -> Iterator[KeyRig]:
    """The keys, opened and told to be there, on each rig."""
    layout = request.node.get_closest_marker("layout")
    layout_name = layout.args[0] if layout else "numbers"
    rig: KeyRig
    if request.param == "virtual":
        rig = VirtualRig(layout_name)
    elif request.param == "rpi-lgpio":
        rig = ChipRig(request.getfixturevalue("chip"), layout_name)
    else:
        table = real_table()
        if table is None:
            show("keys and seats did not run on a real table: EMBERBOARD_HIL names none")
            pytest.skip("no real table: EMBERBOARD_HIL names no table's file")
        rig = TableRig(table, layout_name)
    show(f"keys and seats ran on {rig.where}")
    yield rig
    assert rig.stop(), "the keys' thread or process did not end"


@pytest.fixture(params=["virtual", "pn532", "table"])
def reader(request: pytest.FixtureRequest, show: Callable[[str], None], tmp_path: Path) -> Iterator[ReaderRig]:
    """A token reader on each rig."""
    rig: ReaderRig
    if request.param == "virtual":
        rig = VirtualReaderRig()
    elif request.param == "pn532":
        rig = ChipReaderRig(tmp_path / "reader")
    else:
        table = real_table()
        if table is None or not table.readers:
            show("the token reader did not run on a real table: EMBERBOARD_HIL names none with a reader")
            pytest.skip("no real table: EMBERBOARD_HIL names no table's file with a reader")
        rig = TableReaderRig(table.readers[0])
    show(f"the token reader ran on {rig.where}")
    yield rig
    assert rig.stop(), "the reader's thread did not end"
