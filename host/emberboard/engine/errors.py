"""The kernel's errors: few, ours, and each says what was expected, what came and what to do next."""

from __future__ import annotations


class EmberboardError(Exception):
    """Root of every error that Emberboard raises on purpose. Its text may be shown to a player as it is."""


class Refused(EmberboardError, ValueError):
    """An input that is not legal now. Nothing was changed; the pending question stands as it was."""


class Stale(Refused):
    """An answer to a question that is no longer asked: late, doubled, or of a branch that was undone."""


class ContentError(EmberboardError, ValueError):
    """A content file that cannot be used: file, line, field, what was expected, what came."""

    def __init__(self, message: str, *, file: str = "", line: int = 0, field: str = "") -> None:
        place = ":".join(part for part in (file, str(line) if line else "") if part)
        super().__init__(
            " ".join(part for part in (f"{place}:" if place else "", f"{field}:" if field else "", message) if part)
        )
        self.message, self.file, self.line, self.field = message, file, line, field


class JournalError(EmberboardError, OSError):
    """An entry could not be made durable, or the journal could not be read. The state is where it was."""


class Diverged(EmberboardError):
    """A stored entry no longer fits the question it answered (rules or content changed, or damage).

    `boundary` is the entry whose snapshot is the last good one, `lost` the entries that would be given up.
    """

    def __init__(self, message: str, *, boundary: int, lost: list[str]) -> None:
        super().__init__(message)
        self.boundary, self.lost = boundary, lost


class ProcedureError(EmberboardError, RuntimeError):
    """A rule procedure broke the kernel's contract (unknown name, an end that nobody owns, a wrong yield)."""
