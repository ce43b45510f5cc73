"""Mending by light: what to do next when the table and the state disagree, one step and one figure at a time.

The plan looks at the figure tracker and at where the scene wants its figures. It gives the next step only: after each
thing that hands do it is made anew, so hands may do something else instead. DESIGN section 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from emberboard.engine.question import Cell
from emberboard.engine.scene import Scene
from emberboard.table.figures import TAP_MS, FigureTracker, Held, footprint

StepKind = Literal["settle", "put", "put down", "clear", "identify", "take", "move", "park"]


LEAVE_MS = 2000
"""A figure that left the game is on its way to the box so long; until then it may still be what lands somewhere."""


class Wanted(msgspec.Struct, frozen=True):
    """Where the state has a figure: anchor cell, cells a side, its name."""

    at: Cell
    size: int
    name: str


class Step(msgspec.Struct, frozen=True):
    """What hands do next: lift from `start`, put on `to`; for `put down` any of `to` will do.

    `figure` is the one that is meant; where it is not known which one it is, `among` names all that it may be.
    """

    kind: StepKind
    words: str
    figure: str = ""
    start: tuple[Cell, ...] = ()
    to: tuple[Cell, ...] = ()
    among: tuple[str, ...] = ()


def wanted_of(scene: Scene) -> dict[str, Wanted]:
    """Where the scene has its figures, by id."""
    return {one.id: Wanted((one.at[0], one.at[1]), one.size, one.name) for one in scene.figures}


def cell_words(cell: Cell) -> str:
    """A cell for players: `x,y` from the top left, counted from 0 as everywhere."""
    return f"{cell[0]},{cell[1]}"


def take_for_granted(tracker: FigureTracker, scene: Scene, now: int) -> None:
    """Who left the game is not looked for; a stranger where a figure from the box is wanted is that figure."""
    wanted = wanted_of(scene)
    for who, one in tracker.in_hand().items():
        if who not in wanted and now - one.since > LEAVE_MS:
            tracker.forget(who)
    for who, place in wanted.items():
        held = tracker.in_hand().get(who)
        boxed = who not in tracker.known() or (held is not None and held.origin is None)
        if place.size == 1 and place.at in tracker.strays and boxed:
            tracker.forget(who)
            tracker.adopt(place.at, who, 1, now)


def agrees(tracker: FigureTracker, scene: Scene, loose: str, now: int) -> bool:
    """Whether the table is as the state has it, but for the figure `loose` that is being moved and a tap on its way."""
    wanted = wanted_of(scene)
    held = [one for one in tracker.held.values() if len(one.who) > 1 or one.who & wanted.keys()]
    if tracker.doubtful() or any(stray.told for stray in tracker.strays.values()):
        return False
    if len(held) > 1 or any(len(one.who) > 1 for one in held):
        return False
    if any(one.who != {loose} and now - one.since > TAP_MS for one in held):
        return False
    away = {loose, *(who for one in held for who in one.who)}
    right = {who: place.at for who, place in wanted.items() if who not in away}
    return {who: cell for who, cell in tracker.at().items() if who != loose} == right


class Plan:
    """The difference between the tracker and the scene, and the next step out of it."""

    def __init__(self, tracker: FigureTracker, scene: Scene, names: Mapping[str, str] | None = None) -> None:
        self.tracker, self.scene = tracker, scene
        self.wanted = wanted_of(scene)
        self.names = {**(names or {}), **{who: one.name for who, one in self.wanted.items()}}

    def name(self, who: str) -> str:
        """The figure's name."""
        return self.names.get(who, who)

    def next(self) -> Step | None:
        """The next step, or None when the table and the state agree and nothing is in doubt."""
        if self.tracker.due() is not None:
            return Step("settle", "Wait a moment.")
        return (
            self._strangers()
            or self._from_the_hand()
            or self._put_down()
            or self._identify()
            or self._take()
            or self._move()
            or self._from_the_box()
        )

    def back(self, who: str, anchor: Cell, step: Step) -> Step:
        """A figure that was asked for by name is in a hand: it is believed when it is back where it stood."""
        size = next((held.size for held in self.tracker.held.values() if held.origin == anchor), 1)
        words = f"If that is {self.name(who)}, put it back on {cell_words(anchor)}."
        return msgspec.structs.replace(step, words=words, to=tuple(footprint(anchor, size)))

    # -- steps, in the order they are tried ---------------------------------------------------------------------------

    def _from_the_hand(self) -> Step | None:
        for who, held in self.tracker.in_hand().items():
            one = self.wanted.get(who)
            if one is None:
                continue
            if self._free(one.at, one.size):
                words = f"Put {self.name(who)} on {cell_words(one.at)}."
                return Step("put", words, who, (), tuple(footprint(one.at, one.size)))
            spare = self._spare(held)
            words = f"Another figure is in its way: put {self.name(who)} aside on {cell_words(spare)}."
            return Step("park", words, who, (), tuple(footprint(spare, held.size)))
        return None

    def _put_down(self) -> Step | None:
        held = [one for one in self.tracker.held.values() if len(one.who) > 1]
        if not held:
            return None
        who = sorted({name for one in held for name in one.who})
        gone = [name for name in who if name not in self.wanted]
        if len(gone) >= len(held) and self.tracker.doubtful():
            return None  # what is missing is most likely in the box: telling the standing ones apart will show it
        places = [self.wanted[name] for name in who if name in self.wanted]
        cells = [place.at for place in places if self._free(place.at, place.size)] or [self._spare(held[0])]
        words = f"Put down what is in hand ({' or '.join(self.name(name) for name in who)}) on one of the lit tiles."
        return Step("put down", words, "", (), tuple(cells), tuple(who))

    def _strangers(self) -> Step | None:
        """First of all: what nobody felt arrive may well be the figure that is missed elsewhere."""
        if not self.tracker.strays:
            return None
        cell = min(self.tracker.strays)
        return Step("clear", f"Take away what is on {cell_words(cell)}.", "", (cell,))

    def _identify(self) -> Step | None:
        doubtful = self.tracker.doubtful()
        if not doubtful:
            return None
        pool = next(iter(sorted(doubtful.items())))[1]
        who = next((name for name in self.wanted if name in pool), min(pool))
        cells = tuple(sorted(cell for cell, candidates in doubtful.items() if who in candidates))
        words = f"Which is which? Lift {self.name(who)} and put it back."
        return Step("identify", words, who, cells, (), tuple(sorted(pool)))

    def _take(self) -> Step | None:
        for who, cell in sorted(self.tracker.at().items()):
            if who not in self.wanted:
                cells = tuple(footprint(cell, self.tracker.standing[cell].size))
                return Step("take", f"Take {self.name(who)} off the table.", who, cells)
        return None

    def _move(self) -> Step | None:
        away = {who: cell for who, cell in self.tracker.at().items() if self.wanted[who].at != cell}
        for who, cell in away.items():
            one = self.wanted[who]
            if self._free(one.at, one.size, but=cell):
                words = f"Move {self.name(who)} from {cell_words(cell)} to {cell_words(one.at)}."
                return Step("move", words, who, self._cells(cell), tuple(footprint(one.at, one.size)))
        for who, cell in away.items():
            held = Held(frozenset({who}), self.wanted[who].size, None, 0)
            spare = self._spare(held)
            words = f"Make room: move {self.name(who)} from {cell_words(cell)} to {cell_words(spare)} for now."
            return Step("park", words, who, self._cells(cell), tuple(footprint(spare, held.size)))
        return None

    def _from_the_box(self) -> Step | None:
        known = self.tracker.known()
        for who, one in self.wanted.items():
            if who not in known:
                words = f"Put {self.name(who)} on {cell_words(one.at)}."
                return Step("put", words, who, (), tuple(footprint(one.at, one.size)))
        return None

    # -- room ---------------------------------------------------------------------------------------------------------

    def _cells(self, anchor: Cell) -> tuple[Cell, ...]:
        return tuple(footprint(anchor, self.tracker.standing[anchor].size))

    def _free(self, at: Cell, size: int, but: Cell | None = None) -> bool:
        cells = footprint(at, size)
        return not any(cell in self.tracker.strays or self.tracker.covering(cell) not in (None, but) for cell in cells)

    def _spare(self, held: Held) -> Cell:
        """A free place to put a figure aside: its origin, or else the first that nobody wants or stands on."""
        claimed = {cell for one in self.wanted.values() for cell in footprint(one.at, one.size)}
        if held.origin is not None and self._free(held.origin, held.size):
            return held.origin
        missing = set(self.scene.missing)
        fitting = []
        for y in range(self.scene.height - held.size + 1):
            for x in range(self.scene.width - held.size + 1):
                cells = footprint((x, y), held.size)
                if self._free((x, y), held.size) and not missing & set(cells):
                    fitting.append((x, y))
                    if not claimed & set(cells):
                        return x, y
        return fitting[0] if fitting else (0, 0)
