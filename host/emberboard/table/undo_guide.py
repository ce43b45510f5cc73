"""Undo with the hands: light shows the way back, figure by figure.

Undoing changes the state at once; the figures follow by mending, one step after the other. For figures that were
walked on the table the cells of that walk are kept, so that the way back is lit as it was walked, not only its ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from emberboard.engine.journal import Entry
from emberboard.engine.question import Cell, Path, Question, as_cell
from emberboard.engine.session import describe


class UndoGuide:
    """Remembers walks by entry, and which ways back are to be lit now."""

    def __init__(self) -> None:
        self._walks: dict[int, tuple[str, tuple[Cell, ...]]] = {}
        self._back: dict[str, tuple[Cell, ...]] = {}

    def answered(self, entry: int, question: Question, value: object) -> None:
        """Remember the walk of a path that was answered by this entry."""
        if isinstance(question, Path) and isinstance(value, (list, tuple)):
            start = (question.start[0], question.start[1])
            self._walks[entry] = (question.figure, (start, *(as_cell(cell) for cell in value)))

    def undone(self, entries: Sequence[Entry], secret: str = "") -> str:
        """These entries were undone, newest first: their ways back are lit from now on. The words for the players.

        `secret` is the hash of a question whose answers nobody may know yet.
        """
        self._back = {}
        for entry in entries:
            figure, cells = self._walks.get(entry.id, ("", ()))
            if figure:
                self._back[figure] = (*self._back.get(figure, ()), *reversed(cells))
        words = "; ".join(
            f"{entry.seat}: a secret answer" if entry.hash == secret else describe(entry) for entry in entries[:3]
        )
        more = f" and {len(entries) - 3} more" if len(entries) > 3 else ""
        seen = " Dice and tokens that were seen stay as they fell." if any(entry.chance for entry in entries) else ""
        return f"Taken back: {words}{more}.{seen}"

    def way(self, figure: str, ends: Iterable[Cell]) -> list[Cell]:
        """The cells between the ends of a figure's way back; none when it was not walked."""
        but = set(ends)
        return [cell for cell in self._back.get(figure, ()) if cell not in but]

    def done(self) -> None:
        """All figures are back."""
        self._back = {}
