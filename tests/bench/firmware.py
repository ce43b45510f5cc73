"""The firmware under MicroPython with a board's heap: time of a picture and of a poll, heap in the busiest minute."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

from emberboard.virtual.firmware_process import HEAP, Interpreter, start
from tests.bench.row import Row

ON_BOARD = Path(__file__).parents[1] / "firmware" / "on_board"
NOTE = f"MicroPython's Unix port, heap {HEAP}, on this machine: an RP2040 is slower, and its words are half as long"


def _said(script: str, interpreter: Interpreter, *arguments: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        settings = {"EMBERBOARD_ROOT": f"{folder}/"}
        process = start(
            ON_BOARD / script, interpreter, [ON_BOARD], settings, output=subprocess.PIPE, arguments=arguments
        )
        said = process.communicate(timeout=120)[0].decode()
        if process.returncode:
            raise RuntimeError(f"{script} under {interpreter} ended with {process.returncode}: {said}")
    return said


def measured(interpreter: Interpreter) -> dict[str, float]:
    """The numbers of on_board/measure.py by name."""
    pairs = [line.split() for line in _said("measure.py", interpreter).split("\n") if line]
    return {name: float(value) for name, value in pairs}


def measure() -> list[Row]:
    """Rows for the bench."""
    ours, peer = measured("micropython"), measured("cpython")
    heap = _said("run.py", "micropython", "of_heap")
    found = re.search(r"heap of (\d+) bytes (\d+) % are free .*?; (\d+) bytes live, (\d+) of garbage", heap)
    if found is None:
        raise RuntimeError(f"the busiest minute did not end: {heap}")
    total, free, live, garbage = (int(number) for number in found.groups())
    busy = f"{NOTE}; {free} % of {total} bytes free in the busiest minute, {garbage} bytes of garbage in 5 s"
    return [
        Row("firmware: a picture, all effects", "us", ours["picture"], {"CPython": peer["picture"]}, NOTE),
        Row("firmware: a poll and its reply", "us", ours["poll"], {"CPython": peer["poll"]}, NOTE),
        Row("firmware: mixer, viper", "us", ours["mix"], {"plain twin": ours["mix_plain"]}, NOTE),
        Row("firmware: live heap", "bytes", live, {}, busy),
    ]
