"""Answers by moving a figure: a place for it, or a path walked step by step on the tiles.

A step that is not legal is lit `wrong`, and light sends the figure back to where the path stands. Where the path can
go no farther (the steps are used up, a trigger stops it) it is answered at once; otherwise a tap of the figure, OK or
the seat's Yes ends it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from emberboard.engine.question import Cell, Json, Path, Place, as_cell, cell_key
from emberboard.table.choosing import option_words
from emberboard.table.draft import Answer, Changed, Draft, Nothing, Outcome, Setting
from emberboard.table.figures import Happening


def _in_hand(draft: Draft, back: Cell | None) -> str:
    """What is said while the figure of the question is in a hand."""
    name = draft.setting.names.get(draft.loose, draft.loose)
    home = f", or back on {cell_key(back)}" if back is not None else ""
    return f"{name} is in hand: put it on a lit tile{home}."


class Placing(Draft):
    """Place: put the figure there, point the wand at an empty cell, tap an occupied one, or key in its number."""

    def __init__(self, question: Place, setting: Setting) -> None:
        super().__init__(question, setting)
        self.question = question
        self.picked = ""
        self.astray: Cell | None = None

    @property
    def loose(self) -> str:
        return self.question.figure

    def lines(self) -> Sequence[tuple[str, str]]:
        return [(one.id, option_words(one)) for one in self.question.options]

    def marks(self) -> Mapping[str, Iterable[Cell]]:
        chosen = [one.at for one in self.question.options if one.id == self.picked and one.at is not None]
        marks = {"chosen": [(x, y) for x, y in chosen]}
        home = self.setting.stands.get(self.question.figure)
        if self.astray is not None:
            marks["wrong"], marks["put here"] = [self.astray], [home] if home is not None else []
        return marks

    def said(self) -> tuple[str, ...]:
        return (self.picked,) if self.picked else ()

    def pick(self, option: str) -> Outcome:
        self.picked = option
        return Changed(f"{option}: OK?")

    def ok(self) -> Outcome:
        if not self.picked:
            return Nothing(f"Choose a place first: put the figure there, or key in 1 to {len(self.question.options)}.")
        return Answer(self.picked, self.speaker())

    def figure(self, happening: Happening) -> Outcome:
        mine = happening.who == {self.question.figure}
        home = self.setting.stands.get(self.question.figure)
        if mine and happening.kind == "lifted":
            self.astray = None
            return Changed(_in_hand(self, home))
        if happening.kind == "lifted" or (happening.kind == "landed" and not mine):
            return super().figure(happening)
        places = [one for one in self.question.options if one.at is not None]
        found = [one for one in places if one.at is not None and (one.at[0], one.at[1]) == happening.cell]
        if len(found) == 1:
            return Answer(found[0].id, self.speaker())
        if mine and happening.cell == home:
            self.astray = None
            return Changed("Back.") if happening.kind == "landed" else Nothing("That is where it stands.", home)
        if happening.kind == "landed":
            self.astray = happening.cell
        return Nothing("That is not one of the lit places.", happening.cell)

    def undo(self) -> bool:
        if super().undo():
            return True
        had, self.picked = bool(self.picked), ""
        return had

    def mended(self) -> None:
        self.astray = None


class Walking(Draft):
    """Path: the figure is lifted and put down step by step, or put at once on a place that can be reached."""

    def __init__(self, question: Path, setting: Setting) -> None:
        super().__init__(question, setting)
        self.question = question
        self.start: Cell = (question.start[0], question.start[1])
        self.walked: list[Cell] = []
        self.astray: Cell | None = None

    @property
    def loose(self) -> str:
        return self.question.figure

    @property
    def here(self) -> Cell:
        """Where the path stands."""
        return self.walked[-1] if self.walked else self.start

    def marks(self) -> Mapping[str, Iterable[Cell]]:
        marks: dict[str, list[Cell]] = {"path": [self.start, *self.walked] if self.walked else []}
        if self.astray is not None:
            marks["wrong"], marks["put here"] = [self.astray], [self.here]
        return marks

    def said(self) -> tuple[str, ...]:
        return tuple(cell_key(cell) for cell in self.walked)

    def figure(self, happening: Happening) -> Outcome:
        if happening.kind == "lifted" and happening.who == {self.question.figure}:
            return Changed(_in_hand(self, self.here))
        if happening.who != {self.question.figure}:
            return super().figure(happening)
        if happening.kind == "tapped":
            return self.ok() if self.astray is None else Nothing("That is not on the way.", happening.cell)
        return self._entered(happening.cell)

    def _entered(self, cell: Cell) -> Outcome:
        if cell == self.here:
            self.astray = None
            return Changed("Back.")
        if cell in (self.start, *self.walked):
            self.walked = self.walked[: self.walked.index(cell) + 1] if cell != self.start else []
            self.astray = None
            return Changed("Back.")
        way = self._way(cell)
        if way is None:
            self.astray = cell
            why = self.question.refusals.get(cell_key(cell)) or "no step leads there"
            return Nothing(f"{cell_key(cell)}: {why}. Put it back on {cell_key(self.here)}.", cell)
        self.walked += way
        self.astray = None
        return Answer(self._value(), self.speaker()) if self._at_the_end() else Changed()

    def _way(self, cell: Cell) -> list[Cell] | None:
        """The step, or the steps over cells on which others stand; from the start also the suggested path."""
        left = self.question.limit - len(self.walked)
        queue: deque[tuple[Cell, list[Cell]]] = deque([(self.here, [])])
        seen = {self.here}
        while queue:
            at, way = queue.popleft()
            for step in self._steps(at):
                if step == cell and len(way) < left:
                    return [*way, step]
                if step in self.setting.occupied and step not in seen and len(way) + 1 < left:
                    seen.add(step)
                    queue.append((step, [*way, step]))
        suggested = self.question.suggested.get(cell_key(cell))
        if not self.walked and suggested is not None:
            return [as_cell(list(step)) for step in suggested]
        return None

    def _steps(self, at: Cell) -> list[Cell]:
        return [(step[0], step[1]) for step in self.question.steps.get(cell_key(at), [])]

    def _at_the_end(self) -> bool:
        stops = [(stop[0], stop[1]) for stop in self.question.stops]
        return self.here in stops and (len(self.walked) >= self.question.limit or not self._steps(self.here))

    def _value(self) -> Json:
        return [list(cell) for cell in self.walked]

    def ok(self) -> Outcome:
        if self.astray is not None:
            return Nothing(f"First put the figure back on {cell_key(self.here)}.", self.here)
        return Answer(self._value(), self.speaker())

    def undo(self) -> bool:
        if super().undo():
            return True
        if not self.walked:
            return False
        self.astray = self.walked.pop()
        return True

    def mended(self) -> None:
        self.walked, self.astray = [], None
