"""One writer a save: an flock on a file beside it.

A lock file rather than `PRAGMA locking_mode=EXCLUSIVE`, because the list of saves must be readable while one of them
is played; an flock rather than a file's mere existence, because the kernel drops it when the process is killed.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from emberboard.engine.errors import JournalError
from emberboard.store.damage import refusal


class SaveLock:
    """The right to write the save at `path`, held until `release`.

    Raises JournalError when another process (or another journal of this one) holds it, or the folder is not writable.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = path.with_name(path.name + "-lock")
        self._descriptor = -1
        while self._descriptor < 0:
            self._descriptor = self._try()

    def _try(self) -> int:
        try:
            descriptor = os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise refusal(self.path, "Opening", error) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
            os.close(descriptor)
            raise JournalError(
                f"{self.path} is open in another process{f' (number {holder})' if holder else ''}. "
                "Close the game there, or go on with it there."
            ) from error
        if not self._is_current(descriptor):
            os.close(descriptor)
            return -1
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        return descriptor

    def _is_current(self, descriptor: int) -> bool:
        # The holder before us may have removed the file between our open and our lock; a lock on a removed file
        # keeps nobody out.
        try:
            return os.path.samestat(os.fstat(descriptor), self.file.stat())
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Give the right back. Safe to call twice."""
        if self._descriptor >= 0:
            self.file.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = -1
