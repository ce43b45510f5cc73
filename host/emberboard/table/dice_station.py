"""The dice station: dice keyed in face by face, in the order the question says, echoed, and checked at each key.

A face is a number from 1 to 10, after `+10` ten more (d20: 20 is +10, 10), or a key that names a face of coloured
dice. What cannot be is refused at its key with the reason; OK hands the dice in when none is missing. Undo takes back
a die. Roll lets the program roll, as long as nothing is keyed in. DESIGN section 3.
"""

from __future__ import annotations

from emberboard.engine.dice import DiceWanted, Face, span
from emberboard.engine.question import Roll
from emberboard.table.draft import Answer, ByProgram, Changed, Draft, Nothing, Outcome, Setting


class Rolling(Draft):
    """Roll: all wanted dice in one row, group after group."""

    def __init__(self, question: Roll, setting: Setting) -> None:
        super().__init__(question, setting)
        self.question = question
        self.faces: list[Face] = []
        self._order = [(group, n) for group, wanted in enumerate(question.dice) for n in range(1, wanted.count + 1)]

    @property
    def next_die(self) -> DiceWanted | None:
        """The group of the die that is keyed in next; None when all are in."""
        return self.question.dice[self._order[len(self.faces)][0]] if len(self.faces) < len(self._order) else None

    def die_words(self) -> str:
        """Whose die, which kind and colour, which of how many, as page and rail say it."""
        wanted = self.next_die
        if wanted is None:
            return "All dice are in: OK, or Undo."
        n = self._order[len(self.faces)][1]
        owner = self.setting.names.get(wanted.owner, wanted.owner)
        name = f" ({wanted.name})" if wanted.name else ""
        which = f", instead of die {wanted.positions[n - 1] + 1}" if n <= len(wanted.positions) else ""
        return f"{owner}: {wanted.kind}{name} {n} of {wanted.count}{which}"

    def said(self) -> tuple[str, ...]:
        parts = []
        for group, wanted in enumerate(self.question.dice):
            here = [str(face) for face, (at, _) in zip(self.faces, self._order) if at == group]
            owner = self.setting.names.get(wanted.owner, wanted.owner)
            parts.append(f"{owner} {wanted.key}: {' '.join([*here, *['.'] * (wanted.count - len(here))])}")
        return (*parts, self.die_words())

    def number(self, n: int) -> Outcome:
        return self._die(n)

    def face(self, name: str) -> Outcome:
        return self._die(name)

    def _die(self, face: Face) -> Outcome:
        wanted = self.next_die
        if wanted is None:
            return Nothing(f"All {len(self._order)} dice are in, {face} is one too many: OK, or Undo takes one back.")
        value = wanted.symbols.get(face, face) if isinstance(face, str) else face
        legal = wanted.legal_faces()
        if value not in legal:
            return Nothing(f"A {wanted.kind} cannot show {face}; it shows {span(legal)}.")
        self.offer = None
        self.faces.append(value)
        return Changed()

    def ok(self) -> Outcome:
        missing = len(self._order) - len(self.faces)
        if missing:
            return Nothing(f"{missing} of {len(self._order)} dice missing. {self.die_words()}")
        groups: list[list[Face]] = [[] for _ in self.question.dice]
        for face, (group, _) in zip(self.faces, self._order):
            groups[group].append(face)
        return Answer(groups, self.speaker())

    def roll(self) -> Outcome:
        if self.faces:
            return Nothing(f"{len(self.faces)} dice are keyed in: key in the others, or take these back with Undo.")
        return ByProgram()

    def undo(self) -> bool:
        if super().undo():
            return True
        if not self.faces:
            return False
        self.faces.pop()
        return True
