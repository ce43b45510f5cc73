"""What the firmware is built and installed from agrees with its files, and its numbers with the circuit's."""

from __future__ import annotations

import ast
import json
import os
import re
import select
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from emberboard.virtual.firmware_process import FIRMWARE, LINK, start

HARDWARE = FIRMWARE.parent / "hardware"


def imported(file: Path) -> set[str]:
    """Names of the modules a file imports, wherever in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return names


def ours(name: str) -> Path | None:
    return next((path for path in (FIRMWARE / f"{name}.py", LINK / f"{name}.py") if path.exists()), None)


def needs(*names: str) -> set[str]:
    """All files of ours that these need."""
    found: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        path = ours(name)
        if path is not None and name not in found:
            found.add(name)
            todo += imported(path)
    return found


def manifest(**chosen: bool) -> tuple[set[str], set[str]]:
    """(modules frozen, packages required) by the manifest with these options."""
    modules: set[str] = set()
    packages: set[str] = set()

    class Options:
        def defaults(self, **values: bool) -> None:
            self.__dict__.update({**values, **chosen})

    def module(name: str, base_path: str = ".") -> None:
        assert (FIRMWARE / base_path / name).exists(), name
        modules.add(name.removesuffix(".py"))

    known: dict[str, Any] = {
        "options": Options(), "include": lambda path: None, "module": module, "require": packages.add,
    }  # fmt: skip
    exec(compile((FIRMWARE / "manifest.py").read_text(), "manifest.py", "exec"), known)
    return modules, packages


def test_the_manifest_holds_what_the_firmware_imports() -> None:
    assert manifest() == (needs("board"), set())
    assert manifest(simple=True) == (needs("board", "simple"), {"neopixel"})
    assert manifest(bench=True) == (needs("board", "bench_kit"), {"unittest", "logging"})


def test_the_package_holds_what_the_board_imports() -> None:
    package = json.loads((FIRMWARE / "package.json").read_text())
    places = dict(package["urls"])
    for place, source in places.items():
        assert (FIRMWARE / source).exists(), source
        assert Path(source).name == Path(place).name
    assert {Path(place).stem for place in places} == needs("boot", "main", "simple", "bench_kit")
    # What chooses the slot lies outside of it, and needs nothing that lies in it.
    root = {Path(place).stem for place in places if "/" not in place}
    assert needs("boot") <= root
    assert {name for name, _ in package["deps"]} == {"neopixel", "unittest", "logging"}
    assert package["version"] == ".".join(map(str, constants("board")["FIRMWARE"]))


def constants(name: str) -> dict[str, Any]:
    """A firmware file's plain constants."""
    found: dict[str, Any] = {}
    for node in ast.parse((FIRMWARE / f"{name}.py").read_text()).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                continue
    return found


def yaml(name: str) -> dict[str, Any]:
    return dict(YAML(typ="safe").load((HARDWARE / name).read_text()))


def test_pins_and_numbers_are_the_circuits() -> None:
    circuit, mine = yaml("pins.yaml"), constants("pins")
    gpio = circuit["gpio"]
    assert (mine["BUS_TX"], mine["BUS_RX"]) == (gpio["bus_tx"], gpio["bus_rx"])
    assert mine["BUS_UART"] == circuit["bus"]["uart"]
    assert (mine["SENSOR_MISO"], mine["SENSOR_LOAD"]) == (gpio["sensor_data"], gpio["sensor_load"])
    assert (mine["SENSOR_SCK"], mine["SENSOR_SPI"]) == (gpio["sensor_clock"], circuit["sensors"]["spi"])
    assert mine["SENSOR_HZ"] == circuit["sensors"]["clock_hz"]
    assert (mine["LED_PIN"], mine["BOOT_GUARD"]) == (gpio["led_data"], gpio["boot_guard"])
    assert mine["STATUS_LED"] == gpio["status_led"]
    mark = constants("sensors")["MARK"]
    assert [mark >> bit & 1 for bit in (3, 2, 1, 0)] == circuit["sensors"]["spare"]
    draws, power = yaml("power.yaml"), constants("power")
    assert power["CHANNEL_MA"] == draws["light"]["mark_ma"] and power["LIMIT_MA"] == draws["board"]["limit_ma"]
    idle = 36 * (draws["light"]["idle_ma"] + draws["sensor"]["idle_ma"]) + sum(draws["logic"].values())
    assert idle <= power["IDLE_MA"] < idle + 1


@pytest.mark.parametrize("deaf", [None, 7])
def test_the_bench_kit_finds_a_good_board_good_and_a_deaf_tile(deaf: int | None) -> None:
    """The bench kit on CPython, whose unittest and logging have what it uses; its person and wand is this test."""
    hands, their_hands = socket.socketpair()
    wire, their_wire = socket.socketpair()
    their_hands.setblocking(False)
    their_wire.setblocking(False)
    hands.settimeout(10)
    settings = {"EMBERBOARD_HANDS": str(their_hands.fileno()), "EMBERBOARD_UART": str(their_wire.fileno())}
    descriptors = [their_hands.fileno(), their_wire.fileno()]
    script = Path(__file__).parent / "on_board" / "start_bench.py"
    with start(script, "cpython", [], settings, descriptors, subprocess.PIPE) as process, hands, wire:
        their_hands.close()
        their_wire.close()
        assert process.stdout is not None
        said = ""
        while True:
            ready = select.select([process.stdout, wire], [], [], 30)[0]
            assert ready, said
            if wire in ready and (heard := wire.recv(256)):
                wire.send(heard)  # what it sends it hears
            if process.stdout not in ready:
                continue
            came = os.read(process.stdout.fileno(), 4096).decode()
            said += came
            if not came:
                break
            for row, column in re.findall(r"row (\d), column (\d)", came):
                tile = 6 * int(row) + int(column) - 7
                if tile != deaf:
                    hands.sendall(b"+%d\n?\n" % tile)
                    lights = hands.recv(108, socket.MSG_WAITALL)  # it was felt by now
                    assert [i // 3 for i in range(108) if lights[i]] == [tile] * 3
                    hands.sendall(b"-%d\n" % tile)
    assert (process.returncode == 0) == (deaf is None), said
    assert deaf is None or "tile 7: no magnet" in said or said.count("row") == 8
