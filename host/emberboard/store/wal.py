"""What SQLite would pass over in silence: committed frames of a write-ahead log behind a damaged one.

SQLite reads a log up to its first frame with a wrong checksum and takes the rest for a torn write. With
`synchronous=FULL` a torn write is at most one transaction, the last. Anything more behind that point was durable
once, and its loss must be said. Format: https://www.sqlite.org/walformat.html.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Literal

Tail = Literal["whole", "torn", "damaged"]
"""How a log ends: `torn` in the transaction that was being written when the power went, `damaged` before others."""

_HEADER = 32
_FRAME = 24
_MAGIC = {0x377F0682: "<", 0x377F0683: ">"}


def companion(path: Path, kind: str) -> Path:
    """SQLite's file beside a database: kind `wal`, `shm` or `journal`."""
    return path.with_name(f"{path.name}-{kind}")


def has_log(path: Path) -> bool:
    """Whether a write-ahead log with content lies beside the database."""
    try:
        return companion(path, "wal").stat().st_size > 0
    except FileNotFoundError:
        return False


def tail_of(path: Path) -> Tail:
    """How the log of `path` ends behind the last frame that SQLite reads.

    To be called by the only writer, inside a read transaction, when SQLite has just indexed the log.
    """
    log = companion(path, "wal").read_bytes()
    if len(log) < _HEADER + _FRAME:
        return "whole"
    if not _header_holds(log):
        # The header is written alone and in one sector, before the first frame: it cannot be torn.
        return "damaged"
    frame = _FRAME + int.from_bytes(log[8:12], "big")
    behind = _HEADER + _frames_read(path) * frame
    heads = [log[at : at + _FRAME] for at in range(behind, len(log) - frame + 1, frame)]
    # Frames of an earlier round of the log differ in both salts; a damaged byte spoils only one of them.
    fresh = [head for head in heads if head[8:12] == log[16:20] or head[12:16] == log[20:24]]
    commits = [number for number, head in enumerate(fresh) if head[4:8] != bytes(4)]
    if commits and commits != [len(fresh) - 1]:
        return "damaged"
    cut = (len(log) - _HEADER) % frame
    return "torn" if fresh or cut else "whole"


def _header_holds(log: bytes) -> bool:
    order = _MAGIC.get(int.from_bytes(log[:4], "big"))
    if order is None:
        return False
    first = second = 0
    words = struct.unpack_from(f"{order}6I", log)
    for even, odd in zip(words[::2], words[1::2]):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return struct.pack(">II", first, second) == log[24:32]


def _frames_read(path: Path) -> int:
    index = companion(path, "shm").read_bytes()[:20]
    return int(struct.unpack_from("=I", index, 16)[0]) if len(index) == 20 else 0
