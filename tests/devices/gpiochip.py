"""The preloaded GPIO chip from the test's side: built with gcc, its file mapped, keys pressed, its history read."""

from __future__ import annotations

import mmap
import os
import shutil
import struct
import subprocess
from pathlib import Path

SOURCE = Path(__file__).parent / "shim" / "gpiochip.c"
RING = 65536
MAGIC = 0x456D6231
# struct chip: magic, refuse, closed[64], lines[64] of (flags, owner, level, consumer[32]), head, ring
CLOSED, LINE0 = 8, 8 + 64 * 8
LINE = 8 + 4 + 4 + 32
HEAD = LINE0 + 64 * LINE
EDGES = HEAD + 8
SIZE = EDGES + RING * 16


def build(folder: Path) -> Path:
    """Compile the shim; the shared object. Raises CalledProcessError with gcc's words."""
    gcc = shutil.which("gcc") or shutil.which("cc")
    assert gcc, "the GPIO shim needs a C compiler: apt install gcc"
    made = folder / "gpiochip.so"
    strict = ["-Wall", "-Wextra", "-Werror"]
    subprocess.run([gcc, *strict, "-shared", "-fPIC", "-O1", "-o", made, SOURCE, "-ldl"], check=True)
    return made


class GpioChip:
    """One chip in a file, 58 lines."""

    def __init__(self, folder: Path, shim: Path) -> None:
        self.path, self._shim, self._folder = folder / "gpiochip0", shim, folder
        self.path.write_bytes(struct.pack("<I", MAGIC).ljust(SIZE, b"\0"))
        with self.path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), SIZE)
        self._read = 0

    def environment(self) -> dict[str, str]:
        """What a process needs in its environment to find this chip in a Pi 5's place."""
        return {
            **os.environ,
            "LD_PRELOAD": str(self._shim),
            "EMBERBOARD_GPIOCHIP": str(self.path),
            "RPI_LGPIO_REVISION": "c04170",
            "RPI_LGPIO_CHIP": "0",
            "LG_WD": str(self._folder),
        }

    def refuse(self, number: int) -> None:
        """Let opening the chip fail with this errno; 0 lets everybody in."""
        struct.pack_into("<I", self._map, 4, number)

    def contact(self, column: int, row: int, closed: bool) -> None:
        """Close or open the switch whose diode lets `column` be pulled low by `row`."""
        (mask,) = struct.unpack_from("<Q", self._map, CLOSED + 8 * column)
        mask = mask | 1 << row if closed else mask & ~(1 << row)
        struct.pack_into("<Q", self._map, CLOSED + 8 * column, mask)

    def owner(self, line: int) -> int:
        """The process that has a line; 0 for none."""
        (owner,) = struct.unpack_from("<I", self._map, LINE0 + line * LINE + 8)
        return int(owner)

    def edges(self) -> list[tuple[int, int, int]]:
        """What was driven since the last call: (ns, line, level). Fails when more came than the ring holds."""
        (head,) = struct.unpack_from("<Q", self._map, HEAD)
        assert head - self._read <= RING, "the history was overrun: ask for it more often"
        found = [struct.unpack_from("<QII", self._map, EDGES + at % RING * 16) for at in range(self._read, head)]
        self._read = head
        return found

    def close(self) -> None:
        """Unmap the file."""
        self._map.close()
