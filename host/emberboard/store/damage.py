"""The store's words for what went wrong with a file, and what to do next."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from emberboard.engine.errors import JournalError

_SHOWN = 5
"""How many of the lost inputs the text of an error names; `lost` has them all."""


class DamagedJournal(JournalError):
    """A save whose file is damaged. Nothing was changed on disk.

    `kept` is how many operations can still be read in order, `boundary` the last good entry whose state is stored (0:
    the start), `lost` what would be given up, in words; `recoverable` is False when not even the setup can be read.
    """

    def __init__(
        self, path: Path, why: Sequence[str], *, kept: int, boundary: int, lost: Sequence[str], recoverable: bool = True
    ) -> None:
        if not recoverable:
            next_step = "Nothing of it can be read. Keep the file for a report, and begin a new game."
        elif lost:
            more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
            next_step = (
                f"{kept} operation(s) are good; lost would be: {'; '.join(lost[:_SHOWN])}{more}. "
                "Recover it to go on from there: the damaged file is kept beside it."
            )
        else:
            next_step = f"All {kept} operation(s) are good. Recover it to go on: the damaged file is kept beside it."
        super().__init__(f"{path} is damaged: {'; '.join(why)}. {next_step}")
        self.path, self.why, self.kept, self.boundary = path, tuple(why), kept, boundary
        self.lost, self.recoverable = tuple(lost), recoverable


_ADVICE: dict[str, tuple[str, str]] = {
    "SQLITE_FULL": ("the disk is full", "Free some space, then enter it again"),
    "SQLITE_READONLY": (
        "the file or its folder cannot be written to",
        "Make both writable for this user, or move the save elsewhere, then enter it again",
    ),
    "SQLITE_CANTOPEN": (
        "the file or its folder cannot be opened",
        "Check that the folder is there and writable for this user",
    ),
    "SQLITE_BUSY": (
        "another program is using the file",
        "Close that program, then enter it again",
    ),
    "SQLITE_CORRUPT": ("the file is damaged", "Close the game and recover the save"),
    "SQLITE_NOTADB": ("the file is damaged", "Close the game and recover the save"),
    "SQLITE_IOERR": (
        "the disk refused it (a defect, a size limit, or it was taken out)",
        "Check the disk, then enter it again; if it keeps failing, copy the save to another disk",
    ),
}
_NOT_DAMAGE = (
    "SQLITE_BUSY",
    "SQLITE_LOCKED",
    "SQLITE_PROTOCOL",
    "SQLITE_CANTOPEN",
    "SQLITE_READONLY",
    "SQLITE_PERM",
    "SQLITE_FULL",
    "SQLITE_IOERR",
    "SQLITE_NOMEM",
)
_OS_ADVICE = {
    errno.ENOSPC: "SQLITE_FULL",
    errno.EDQUOT: "SQLITE_FULL",
    errno.EROFS: "SQLITE_READONLY",
    errno.EACCES: "SQLITE_READONLY",
    errno.EPERM: "SQLITE_READONLY",
}


def is_damage(error: sqlite3.Error) -> bool:
    """Whether SQLite's error tells of the file's content, not of the disk, the rights or another program."""
    name = getattr(error, "sqlite_errorname", "")
    return not name.startswith(_NOT_DAMAGE)


def refusal(path: Path, doing: str, error: sqlite3.Error | OSError) -> JournalError:
    """`error` of the file layer as a JournalError: what could not be done with which file, why, and what to do."""
    if isinstance(error, OSError):
        name = _OS_ADVICE.get(error.errno or 0, "")
    else:
        name = getattr(error, "sqlite_errorname", "")
    for known, (reason, advice) in _ADVICE.items():
        if name.startswith(known):
            return JournalError(f"{doing} {path} failed: {reason} ({error}). {advice}; nothing was changed.")
    return JournalError(f"{doing} {path} failed: {error}. Check the disk and try again; nothing was changed.")
