"""Small words for the log and the questions."""

from __future__ import annotations


def count(number: int, one: str, many: str = "") -> str:
    """A number with its noun: `1 Success`, `3 Successes`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def range_words(low: int, high: int | None) -> str:
    """A range in spaces as players say it: `range 2-8`, `range 1` (up to it), `range 2 or more`, `any range`."""
    if high is None:
        return f"range {low} or more" if low > 1 else "any range"
    if low == high > 1:
        return f"range {high} exactly"
    return f"range {low}-{high}" if 1 <= low < high else f"range {high}"
