"""Dice and draws that fell before an undo: they stay, and the group is told before it rolls in vain."""

from __future__ import annotations

from emberboard.engine.chance import Chance
from emberboard.engine.entry_words import value_words
from emberboard.engine.question import Draw, Json, Question, Roll


def kept(chance: Chance, question: Question) -> Json:
    """What is kept for this question: the token, or a face or None for each die; None where nothing can be."""
    if isinstance(question, Roll):
        return chance.settle(question, [[None] * wanted.count for wanted in question.dice])
    if isinstance(question, Draw):
        return chance.settle(question, None)
    return None


def all_kept(chance: Chance, question: Question) -> bool:
    """Whether nothing is left to be rolled or drawn."""
    known = kept(chance, question)
    if isinstance(known, list):
        return bool(known) and all(face is not None for group in known for face in group)
    return known is not None


def kept_words(chance: Chance, question: Question, *, enter: bool = False) -> str:
    """What is kept, in words, or nothing. `enter`: where Enter takes it, that is said as well."""
    known = kept(chance, question)
    if isinstance(known, str):
        return f"Before the undo {known} was drawn, and it stays drawn{': Enter takes it.' if enter else '.'}"
    if not isinstance(known, list) or not any(face is not None for group in known for face in group):
        return ""
    faces = value_words(known, dice=True)
    if all_kept(chance, question):
        return f"Before the undo these dice fell, and they stay: {faces}.{' Enter takes them.' if enter else ''}"
    return f"Before the undo some of these dice fell, and they stay: {faces} (?: still to be rolled)."
