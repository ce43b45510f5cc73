"""The doctor's part for devices: each fault that the virtual devices can make is recognised and its fix named."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from emberboard.devices.checkup import (
    Finding,
    check_all,
    check_keys,
    check_packages,
    check_ports,
    check_rail,
    check_readers,
    watch_keys,
)
from emberboard.devices.table_file import ORDERS, Reader, TableFile, read_table
from emberboard.virtual.keys import VirtualPins
from emberboard.virtual.pn532 import PtyPn532
from emberboard.virtual.rail import VirtualStrip, opener
from tests.devices.key_rigs import SMALL, real_table

TABLE = read_table(SMALL)


@pytest.fixture
def pty(tmp_path: Path) -> Iterator[PtyPn532]:
    made = PtyPn532(tmp_path / "reader")
    yield made
    made.stop()


def with_reader(port: Path) -> TableFile:
    return msgspec.structs.replace(TABLE, readers=(Reader(name="bag", port=str(port)),))


def only(findings: Iterator[Finding]) -> Finding:
    (found,) = findings
    return found


def test_keys_that_are_well() -> None:
    assert only(check_keys(TABLE, VirtualPins(TABLE))) == Finding("keys", True, "26 keys on 7 rows and 4 columns")


@pytest.mark.parametrize(
    ("down", "words"),
    [
        (["Undo"], "Undo: down though nobody presses"),
        (["seat 3 yes"], "seat 3 yes: down"),
        (["4", "5", "6"], "4, 5, 6: .*short at row 2"),
    ],
)
def test_jammed_keys_and_shorted_rows(down: list[str], words: str) -> None:
    pins = VirtualPins(TABLE)
    for key in down:
        pins.contact(key, True)
    found = only(check_keys(TABLE, pins))
    assert not found.well
    assert re.search(words, found.words), found.words


@pytest.mark.parametrize("broken", ["", "Help"])
def test_each_key_is_named_as_it_is_pressed(broken: str) -> None:
    """A finger holds a key until it is named, then takes the next; in the end Enter is pressed."""
    table = msgspec.structs.replace(TABLE, keypad=msgspec.structs.replace(TABLE.keypad, long_ms=20))
    keys = [key for row in table.keypad.rows for key in row.keys if key != broken]
    pins, left = VirtualPins(table), list(keys)
    heard: list[str] = []
    enter, ended = os.pipe()

    def named(key: str) -> None:
        heard.append(key)
        pins.contact(left.pop(0), False)
        if left:
            pins.contact(left[0], True)
        else:
            os.write(ended, b"\n")

    pins.contact(left[0], True)
    found = watch_keys(table, named, enter, pins)
    os.close(enter)
    os.close(ended)
    assert heard == keys
    assert found.well == (not broken)
    broken_words = "never heard: Help. Where one was pressed, look at its diode and its wires."
    assert found.words == (broken_words if broken else "each key was heard")


def test_pins_of_another_program() -> None:
    pins = VirtualPins(TABLE)
    pins.of_others.add(TABLE.lights.clock)
    found = only(check_keys(TABLE, pins))
    assert not found.well
    assert "GPIO25 is taken by another program" in found.words
    # The pins that were had before that one are given back.
    pins.of_others.clear()
    assert only(check_keys(TABLE, pins)).well


def test_a_reader_well_silent_and_gone(pty: PtyPn532) -> None:
    table = with_reader(pty.port)
    assert only(check_readers(table)).words.startswith("PN532 firmware 1.6")
    pty.fault(mute=True)
    silent = only(check_readers(table))
    assert not silent.well
    assert "Check its switches" in silent.words
    pty.unplug()
    gone = only(check_readers(table))
    assert not gone.well
    assert "there is no such port" in gone.words


@pytest.mark.parametrize("wired", ORDERS)
def test_the_rail_s_colour_order(wired: str) -> None:
    made: list[VirtualStrip] = []
    names = {(255, 0, 0): "red", (0, 255, 0): "green", (0, 0, 255): "blue"}
    strip = msgspec.structs.replace(TABLE.rail, brightness=1.0)
    findings = list(check_rail(strip, lambda: [names[colour] for colour in made[0].seen[:3]], opener(made, wired)))
    assert [one.device for one in findings] == ["rail", "rail colours", "rail power"]
    assert findings[1].well == (wired == strip.order)
    assert findings[1].well or f"Write `order: {wired}`" in findings[1].words


def test_a_dark_pixel_and_too_small_a_supply() -> None:
    strip = msgspec.structs.replace(TABLE.rail, pixels=100, current_ma=60)
    rail, colours, power = check_rail(strip, lambda: ["red", "dark", "blue"], opener([]))
    assert rail.well
    assert not colours.well
    assert "broken one" in colours.words
    assert not power.well
    assert "100 dark pixels draw 100 mA" in power.words


def test_both_packages_for_pins_or_none() -> None:
    assert "both installed" in only(check_packages(lambda name: True)).words
    assert "No package for pins" in only(check_packages(lambda name: False)).words
    assert only(check_packages(lambda name: name == "rpi-lgpio")).well
    # What is installed here: the developers' extra has exactly one.
    assert only(check_packages()).well


def test_ports_of_segments(tmp_path: Path) -> None:
    port = tmp_path / "port"

    def found(holder: tuple[int, str] | None) -> Finding:
        segment = msgspec.structs.replace(TABLE.segments[0], port=str(port))
        return only(check_ports(msgspec.structs.replace(TABLE, segments=(segment,)), lambda path: holder))

    assert "no such port" in found(None).words
    port.touch()
    assert found(None).well
    assert found((os.getpid(), "python")).well
    grabbed = found((1, "ModemManager"))
    assert not grabbed.well
    assert "systemctl disable --now ModemManager" in grabbed.words
    port.chmod(0)
    if os.geteuid() != 0:
        assert "usermod -aG dialout" in found(None).words


def test_here_without_hardware_every_device_says_what_to_do() -> None:
    if real_table() is not None:
        pytest.skip("this is a real table")
    findings = list(check_all(TABLE))
    assert {one.device for one in findings if not one.well} == {"segment A", "keys", "reader bag", "rail"}
    assert all("`" in one.words or "wiring/README.md" in one.words for one in findings if not one.well)
