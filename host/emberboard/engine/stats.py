"""Numbers that explain themselves.

A stat declares its own ordered steps; contributions name their step, source, rule and delta; evaluating gives a
result that still carries all of them, and what each step made of the value.

>>> DAMAGE = Stat("damage", (Add("base"), Floor(), Subtract("armor"), Floor()))
>>> parts = [Contribution("base", "Rogue", "EV-ENEMY-10", 4), Contribution("armor", "Cover", "EV-COVER-01", 2)]
>>> got = DAMAGE.evaluate(parts)
>>> got.value, [line.after for line in got.trace]
(2, [4, 4, 2, 2])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import msgspec

from emberboard.engine.errors import ProcedureError


class Contribution(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one source gives to one step of a stat."""

    step: str
    source: str
    rule: str
    delta: int = 1


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one step made of the value."""

    step: str
    before: int
    after: int


class Explained(msgspec.Struct, frozen=True, omit_defaults=True):
    """A number with everything that went into it."""

    stat: str
    value: int
    contributions: tuple[Contribution, ...] = ()
    trace: tuple[Line, ...] = ()
    subject: str = ""

    def words(self) -> str:
        """One line: `damage 2 = 4 Rogue (EV-ENEMY-10), -2 Cover (EV-COVER-01)`."""
        parts = [f"{part.delta:+d} {part.source} ({part.rule})" for part in self.contributions]
        return f"{self.stat} {self.value}" + (f" = {', '.join(parts)}" if parts else "")


class StatStep(msgspec.Struct, frozen=True, tag=True):
    """One step of a stat: how the contributions named after it change the value so far."""

    name: str
    signs: ClassVar[int] = 1

    def apply(self, value: int, deltas: Sequence[int]) -> int:
        """The value after this step."""
        raise ProcedureError(f"step {self.name} of kind {type(self).__name__} does nothing")


class Add(StatStep, frozen=True):
    """Adds every delta."""

    def apply(self, value: int, deltas: Sequence[int]) -> int:
        return value + sum(deltas)


class Subtract(StatStep, frozen=True):
    """Subtracts every delta."""

    signs: ClassVar[int] = -1

    def apply(self, value: int, deltas: Sequence[int]) -> int:
        return value - sum(deltas)


class Highest(StatStep, frozen=True):
    """Adds only the greatest delta (one weapon's bonus)."""

    def apply(self, value: int, deltas: Sequence[int]) -> int:
        return value + max(deltas, default=0)


class Floor(StatStep, frozen=True):
    """Not below `at`. Takes no contributions."""

    name: str = "floor"
    at: int = 0

    def apply(self, value: int, deltas: Sequence[int]) -> int:
        return max(value, self.at)


class Cap(StatStep, frozen=True):
    """Not above the least delta."""

    def apply(self, value: int, deltas: Sequence[int]) -> int:
        return min([value, *deltas])


class HalfUp(StatStep, frozen=True):
    """Halves, rounded up, when something says so."""

    def apply(self, value: int, deltas: Sequence[int]) -> int:
        return -(-value // 2) if deltas else value


class HalfDown(StatStep, frozen=True):
    """Halves, rounded down, when something says so."""

    def apply(self, value: int, deltas: Sequence[int]) -> int:
        return value // 2 if deltas else value


class Presence(StatStep, frozen=True):
    """Opposites that cancel by presence: any number of positive deltas against any number of negative ones is nothing.

    Otherwise the value moves by `by` in the one direction that is present.
    """

    by: int = 1

    def apply(self, value: int, deltas: Sequence[int]) -> int:
        up, down = any(delta > 0 for delta in deltas), any(delta < 0 for delta in deltas)
        if up == down:
            return value
        return value + self.by if up else value - self.by


class Stat(msgspec.Struct, frozen=True):
    """A named number with its ordered steps."""

    name: str
    steps: tuple[StatStep, ...]

    def evaluate(self, contributions: Sequence[Contribution], subject: str = "") -> Explained:
        """Work through the steps in order. Raises ProcedureError for a contribution to a step that does not exist."""
        known = [step.name for step in self.steps if not isinstance(step, Floor)]
        for part in contributions:
            if part.step not in known:
                raise ProcedureError(f"{self.name} has no step {part.step!r}; it has {', '.join(known)}")
        value = 0
        trace: list[Line] = []
        signed: list[Contribution] = []
        for step in self.steps:
            mine = [part for part in contributions if part.step == step.name]
            after = step.apply(value, [part.delta for part in mine])
            trace.append(Line(step.name, value, after))
            signed += [msgspec.structs.replace(part, delta=step.signs * part.delta) for part in mine]
            value = after
        return Explained(self.name, value, tuple(signed), tuple(trace), subject)


class Permission(msgspec.Struct, frozen=True, omit_defaults=True):
    """One voice on whether something may be done. A higher `weight` is more specific."""

    can: bool
    source: str
    rule: str
    weight: int = 0


def permitted(voices: Sequence[Permission]) -> tuple[bool, Permission | None]:
    """Whether it may be done, and the voice that decided.

    The most specific voice wins, and among equals "cannot" beats "can".
    With no voice at all it may not be done.
    """
    if not voices:
        return False, None
    weight = max(voice.weight for voice in voices)
    top = [voice for voice in voices if voice.weight == weight]
    against = [voice for voice in top if not voice.can]
    decided = (against or top)[0]
    return decided.can, decided
