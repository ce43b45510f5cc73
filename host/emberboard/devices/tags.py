"""Which tags lie on a reader, told from polls that may miss: one look is one arrival, N misses are one leaving."""

from __future__ import annotations

from collections.abc import Collection


class TagTracker:
    """Tags by UID. A tag that is seen again and again came once; it left when `misses` polls running did not see it.

    Readers miss single polls of a tag that lies still (every second one on some), so one miss says nothing.
    Always: came and gone of a tag alternate, beginning with came.
    """

    def __init__(self, misses: int) -> None:
        """`misses` at least 1. Raises ValueError below."""
        if misses < 1:
            raise ValueError(f"a tag leaves after at least one miss, not {misses}")
        self._limit = misses
        self._missed: dict[str, int] = {}

    @property
    def present(self) -> tuple[str, ...]:
        """The tags that lie there, in the order in which they came."""
        return tuple(self._missed)

    def poll(self, seen: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Take one poll's tags: those that came with it, those that left with it."""
        came = tuple(dict.fromkeys(tag for tag in seen if tag not in self._missed))
        left = []
        for tag in tuple(self._missed):
            self._missed[tag] = 0 if tag in seen else self._missed[tag] + 1
            if self._missed[tag] >= self._limit:
                del self._missed[tag]
                left.append(tag)
        self._missed.update(dict.fromkeys(came, 0))
        return came, tuple(left)
