"""Chance is kept: what dice and piles said on a branch that was undone is not said anew (DESIGN section 2).

The same question gets its old result. Another question first consumes the kept faces of its kinds of dice in order,
and only what is missing is rolled; a draw from a pile gets what was drawn from it before. What is kept follows from
the journal's operations, so it survives a reload.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import msgspec

from emberboard.engine.dice import Face
from emberboard.engine.journal import Entry, Failure, Move, Operation, Tree
from emberboard.engine.question import Draw, Json, Question, Roll


class Kept(msgspec.Struct):
    """One chance result of an undone entry: what is left of its faces by die kind in order, or the card drawn."""

    entry: int
    hash: str
    value: Json
    faces: list[tuple[str, Face]]
    pile: str = ""
    card: str = ""


class Chance:
    """The kept results, folded from the journal's operations beside its tree."""

    def __init__(self) -> None:
        self.kept: list[Kept] = []

    def add(self, operation: Operation, tree: Tree, head_before: int) -> None:
        """Take in an operation that `tree` has already folded; `head_before` is where the head was."""
        match operation:
            case Entry() if operation.chance:
                self._consume(operation)
            case Move():
                meeting = tree.common(head_before, operation.to)
                known = {entry.id for entry in tree.path(meeting)}
                undone = [entry for entry in tree.path(head_before) if entry.chance and entry.id not in known]
                redone = {entry.id for entry in tree.path(operation.to)} - known
                self.kept = [_kept(entry) for entry in undone] + self.kept
                self.kept = [kept for kept in self.kept if kept.entry not in redone]
            case Failure():
                entry = tree.entries[operation.entry]
                if entry.chance and head_before == entry.id:
                    self.kept.insert(0, _kept(entry))
            case _:
                pass

    def _consume(self, entry: Entry) -> None:
        same = self._same(entry.hash)
        if same is not None:
            self.kept = [kept for kept in self.kept if kept is not same]
            return
        if entry.pile:
            for kept in self.kept:
                if (kept.pile, kept.card) == (entry.pile, entry.value):
                    self.kept.remove(kept)
                    return
        for kind, faces in zip(entry.dice, entry.value if entry.dice else []):
            for face in faces:
                self._drop(kind, face)
        self.kept = [kept for kept in self.kept if kept.faces or kept.pile]

    def _drop(self, kind: str, face: Face) -> None:
        for kept in self.kept:
            for index, known in enumerate(kept.faces):
                if known[0] == kind:
                    if known[1] == face:
                        del kept.faces[index]
                    return

    def same(self, question: Question) -> Json | None:
        """The old result of this very question, if it was answered on an undone branch."""
        same = self._same(question.hash)
        return None if same is None else same.value

    def _same(self, question_hash: str) -> Kept | None:
        """The first kept result of that question of which no face was consumed by another."""
        for kept in self.kept:
            if kept.hash == question_hash and (kept.pile or len(kept.faces) == sum(map(len, kept.value))):
                return kept
        return None

    def copy(self) -> Chance:
        """The same kept results, nothing shared: what a fork consumes is not missing here."""
        other = Chance()
        other.kept = [msgspec.structs.replace(kept, faces=list(kept.faces)) for kept in self.kept]
        return other

    def settle(self, question: Question, value: Json) -> Json:
        """What the dice or pile really say here, kept results first; `value` supplies only what is missing."""
        same = self.same(question)
        if same is not None:
            return same
        if isinstance(question, Draw):
            for kept in self.kept:
                if kept.pile == question.pile and question.contents.get(kept.card, 0) > 0:
                    return kept.card
            return value
        if not isinstance(question, Roll):
            return value
        pool = [pair for kept in self.kept for pair in kept.faces]
        settled: list[list[Face]] = []
        for wanted, rolled in zip(question.dice, value):
            faces: list[Face] = []
            for face in rolled:
                index = next((i for i, pair in enumerate(pool) if pair[0] == wanted.kind), None)
                faces.append(face if index is None else pool.pop(index)[1])
            settled.append(faces)
        return settled


def _kept(entry: Entry) -> Kept:
    faces = [(kind, face) for kind, row in zip(entry.dice, entry.value if entry.dice else []) for face in row]
    return Kept(entry.id, entry.hash, entry.value, faces, entry.pile, entry.value if entry.pile else "")


def throw(question: Roll, source: random.Random) -> list[list[Face]]:
    """Let the program roll the dice of a question."""
    return [[source.choice(wanted.legal_faces()) for _ in range(wanted.count)] for wanted in question.dice]


def draw(question: Draw, source: random.Random) -> str:
    """Let the program draw, each card of the segment equally likely."""
    cards: Sequence[str] = [card for card, count in question.contents.items() for _ in range(count)]
    return source.choice(cards)
