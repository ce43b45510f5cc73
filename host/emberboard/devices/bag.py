"""The Initiative bag on a reader: what a shown tag means in a phase, and the bag against what should be in it.

Three phases: OUT, a draw: a tag leaves the bag; IN, refilling: a tag goes back; COUNT: every tag in the bag is shown
once, and what was not shown is not there. The bag never decides for the players: what is unknown, already drawn or
missing comes back as data that names the token, for the table to ask about. DESIGN section 3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from enum import Enum

import msgspec


class Phase(Enum):
    """What showing a tag means now."""

    OUT = "out"
    IN = "in"
    COUNT = "count"


class Moved(msgspec.Struct, frozen=True):
    """A token went out of the bag (`phase` OUT), into it (IN), or was counted in it (COUNT)."""

    tag: str
    kind: str
    phase: Phase


class Unknown(msgspec.Struct, frozen=True):
    """A tag that no kind is registered for."""

    tag: str


class AlreadyOut(msgspec.Struct, frozen=True):
    """A token shown as a draw that was drawn before and never went back."""

    tag: str
    kind: str


class AlreadyIn(msgspec.Struct, frozen=True):
    """A token shown to go in, or to be counted, that is in or counted already."""

    tag: str
    kind: str


class NotMeantIn(msgspec.Struct, frozen=True):
    """A token shown to go in, of which the bag holds as many as it should."""

    tag: str
    kind: str
    should: int


Shown = Moved | Unknown | AlreadyOut | AlreadyIn | NotMeantIn


class Reconciliation(msgspec.Struct, frozen=True):
    """Bag against state, by kind: `missing` from the bag, `surplus` in it, `unregistered`: kinds with too few tags.

    `out` are the tags of missing kinds that lie outside, the ones to put in; `inside` those of surplus kinds.
    """

    missing: dict[str, int]
    surplus: dict[str, int]
    unregistered: dict[str, int]
    out: tuple[str, ...]
    inside: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Whether the bag holds what it should, kind for kind."""
        return not self.missing and not self.surplus

    def words(self) -> str:
        """For players: what to do until it agrees; "" when it does."""
        parts = [
            _listed("Put into the bag", self.missing),
            _listed("Take out of the bag", self.surplus),
            _listed("Not enough tags are registered (`emberboard bag register`) for", self.unregistered),
        ]
        return " ".join(part for part in parts if part)


class Bag:
    """Which registered tokens are in the bag, as far as tags were shown.

    Always: a tag is in or out, never both; `counted()` is the number of tags in by kind; nothing unknown is ever in.
    """

    def __init__(self, tags: Mapping[str, str]) -> None:
        """`tags` gives the kind of each registered tag; all are out."""
        self._kinds = dict(tags)
        self._inside: set[str] = set()

    @property
    def inside(self) -> frozenset[str]:
        """The tags in the bag."""
        return frozenset(self._inside)

    def counted(self) -> Counter[str]:
        """Tokens in the bag by kind."""
        return Counter(self._kinds[tag] for tag in self._inside)

    def assume(self, should: Mapping[str, int]) -> dict[str, int]:
        """Take the players' word that the bag holds `should`; kinds with too few registered tags, and how many lack."""
        lacking: dict[str, int] = {}
        self._inside.clear()
        for kind, count in sorted(should.items()):
            tags = sorted(tag for tag, of in self._kinds.items() if of == kind)
            self._inside.update(tags[:count])
            if len(tags) < count:
                lacking[kind] = count - len(tags)
        return lacking

    def shown(self, tag: str, phase: Phase, should: Mapping[str, int] | None = None) -> Shown:
        """A tag is shown in a phase. `should` bounds what goes in, by kind; None lets every registered tag in."""
        kind = self._kinds.get(tag)
        if kind is None:
            return Unknown(tag)
        if phase is Phase.OUT:
            if tag not in self._inside:
                return AlreadyOut(tag, kind)
            self._inside.remove(tag)
            return Moved(tag, kind, phase)
        if tag in self._inside:
            return AlreadyIn(tag, kind)
        if phase is Phase.IN and should is not None and self.counted()[kind] >= should.get(kind, 0):
            return NotMeantIn(tag, kind, should.get(kind, 0))
        self._inside.add(tag)
        return Moved(tag, kind, phase)

    def take_back(self, moved: Moved) -> None:
        """Undo a movement: what went out is in again, what went in is out."""
        if moved.phase is Phase.OUT:
            self._inside.add(moved.tag)
        else:
            self._inside.discard(moved.tag)

    def reconcile(self, should: Mapping[str, int]) -> Reconciliation:
        """The bag against what the state says should be in it."""
        held, registered = self.counted(), Counter(self._kinds.values())
        kinds = sorted({*held, *should})
        missing = {kind: should.get(kind, 0) - held[kind] for kind in kinds if should.get(kind, 0) > held[kind]}
        surplus = {kind: held[kind] - should.get(kind, 0) for kind in kinds if should.get(kind, 0) < held[kind]}
        return Reconciliation(
            missing=missing,
            surplus=surplus,
            unregistered={
                kind: should[kind] - registered[kind] for kind in sorted(should) if should[kind] > registered[kind]
            },
            out=tuple(sorted(tag for tag, of in self._kinds.items() if of in missing and tag not in self._inside)),
            inside=tuple(sorted(tag for tag in self._inside if self._kinds[tag] in surplus)),
        )


def _listed(words: str, counts: Mapping[str, int]) -> str:
    return f"{words}: {', '.join(f'{count} {kind}' for kind, count in counts.items())}." if counts else ""
