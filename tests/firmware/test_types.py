"""The firmware against the types of the RP2040's MicroPython, in a run of its own: their `time` and `gc` are others.

The stubs are no package with types for mypy where they are installed, so they are copied beside the firmware.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.metadata import files
from pathlib import Path

import pytest

from emberboard.virtual.firmware_process import FIRMWARE, LINK

STUBS = ("micropython-rp2-rpi-pico-stubs", "micropython-stdlib-stubs")
# manifest.py is not for a board; bench_kit.py's packages have no stubs; viper's names and casts are no Python.
LEFT_OUT = {"manifest.py", "bench_kit.py", "fast.py"}
SETTINGS = """\
[mypy]
python_version = 3.11
platform = linux
check_untyped_defs = True
mypy_path = {stubs}
custom_typeshed_dir = {stubs}
[mypy-leds]
disable_error_code = name-defined
[mypy-fast.*]
ignore_missing_imports = True
[mypy-config.*]
ignore_missing_imports = True
"""


def check(folder: Path, stubs: Path) -> list[str]:
    """What mypy has to say about our files; the stubs have errors of their own."""
    (folder / "mypy.ini").write_text(SETTINGS.format(stubs=stubs))
    names = sorted(path.name for path in folder.glob("*.py"))
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(folder / "cache"), *names]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert "checked " in run.stdout or "no issues" in run.stdout, run.stdout + run.stderr
    return [line for line in run.stdout.split("\n") if line.partition(":")[0] in names and "error:" in line]


def test_the_firmware_fits_micropythons_types(tmp_path: Path) -> None:
    stubs = tmp_path / "stubs"
    for package in STUBS:
        for file in files(package) or []:
            if file.suffix == ".pyi" or file.name == "VERSIONS":
                (stubs / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(str(file.locate()), stubs / file)
    folder = tmp_path / "board"
    folder.mkdir()
    for file in [*FIRMWARE.glob("*.py"), LINK / "protocol.py", LINK / "board_side.py"]:
        if file.name not in LEFT_OUT:
            # Outside of its package mypy cannot follow the relative import, as on a board.
            text = file.read_text().replace("try:\n    from . import protocol as p\nexcept ImportError:", "if True:")
            (folder / file.name).write_text(text)
    assert check(folder, stubs) == []
    leds = folder / "leds.py"
    leds.write_text(leds.read_text().replace("rp2.DMA()", "rp2.DMA('one')"))
    found = check(folder, stubs)
    assert found, "a wrong call is found"
    if not any("DMA" in line for line in found):
        pytest.fail("\n".join(found))
