"""Kinds of dice: names, faces, and what may be keyed in for them."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from emberboard.engine.errors import Refused

Face = int | str
"""What a die shows: a number, or the name of a symbol for coloured dice."""


class DieKind(msgspec.Struct, frozen=True):
    """One kind of die: its name and its faces in order (each equally likely)."""

    name: str
    faces: tuple[Face, ...]


def numbered(sides: int) -> DieKind:
    """The die with faces 1 to `sides`, named d4, d6, ..."""
    return DieKind(f"d{sides}", tuple(range(1, sides + 1)))


STANDARD: Mapping[str, DieKind] = {f"d{n}": numbered(n) for n in (2, 3, 4, 6, 8, 10, 12, 20)}


class DiceWanted(msgspec.Struct, frozen=True, omit_defaults=True):
    """Dice that one owner is to roll: `count` dice of `kind`, under a name where several sets differ by meaning.

    `faces` is set for kinds outside the standard ones; `positions` names which dice a reroll replaces (0-based);
    `symbols` are words that some editions print in place of a number, and the number that each stands for.
    """

    owner: str
    kind: str
    count: int
    name: str = ""
    faces: tuple[Face, ...] = ()
    positions: tuple[int, ...] = ()
    symbols: dict[str, int] = {}

    @property
    def key(self) -> str:
        """The word under which players key in these dice: their name, or else their kind."""
        return self.name or self.kind

    def legal_faces(self) -> tuple[Face, ...]:
        """The faces that one of these dice can show."""
        return self.faces or STANDARD[self.kind].faces

    def accept(self, faces: object) -> list[Face]:
        """The keyed faces in the order they came, symbols as the numbers that they stand for.

        Raises Refused for missing, surplus or impossible faces, saying which.
        """
        if not isinstance(faces, (list, tuple)):
            raise Refused(f"{self.owner} rolls {self.count} x {self.key}: expected a list of faces, got {faces!r}")
        got = [self.symbols.get(face, face) if isinstance(face, str) else face for face in faces]
        if len(got) != self.count:
            few = "missing" if len(got) < self.count else "too many"
            raise Refused(
                f"{self.owner} rolls {self.count} x {self.key}, got {len(got)}: {abs(self.count - len(got))} {few}"
            )
        legal = self.legal_faces()
        for face in got:
            if type(face) not in (int, str) or face not in legal:
                raise Refused(f"a {self.kind} of {self.owner} cannot show {face!r}; it shows {span(legal)}")
        return got


def span(faces: tuple[Face, ...]) -> str:
    """The faces in words: `1 to 12`, or the list of symbols."""
    if all(isinstance(face, int) for face in faces) and list(faces) == list(range(1, len(faces) + 1)):
        return f"1 to {len(faces)}"
    return ", ".join(str(face) for face in faces)
