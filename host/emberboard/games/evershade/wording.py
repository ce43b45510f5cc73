"""Small words for the log and the questions."""

from __future__ import annotations


def count(number: int, one: str, many: str = "") -> str:
    """A number with its noun: `1 Success`, `3 Successes`."""
    return f"{number} {one if number == 1 else many or one + 's'}"
