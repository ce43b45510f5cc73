"""The figure tracker: which figure stands where, when tiles sense presence and not identity.

It keeps every assignment of figures to places that is consistent with what was sensed: places are tiles and hands,
each with its candidates (`matching.py`). What lands may be any that is in a hand, so their candidates join; after
longer mix-ups that keeps more than what is consistent (it asks once more than it had to), never less. Times are ms. A
figure of size n covers n x n known tiles; it stands as long as one of them senses it. What is out of reach of hands is
no doubt: a tile that goes and comes back within FLICKER_MS (with another figure in hand: within EXCHANGE_MS) was no
lift. DESIGN section 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

import msgspec

from emberboard.engine.question import Cell
from emberboard.table.matching import assignments, sharpen

TAP_MS = 1500
"""A lift and replace on the same tile within this time points at the tile (DESIGN section 3)."""
FLICKER_MS = 120
"""A loss that heals within this time is a sensor's, not a hand's."""
EXCHANGE_MS = 40
"""No hand takes a figure off a tile and puts another on it within this time."""
SLIDE_MS = 400
"""A figure that is slid is sensed by the next tile up to this long before its own tile lets go."""
SETTLE_MS = 250
"""The tiles under one large base follow each other within this time; a wand is believed after it."""
TRUSTED_DARK_MS = 2000
"""Tiles that were dark for longer may have been played on; figures there are in doubt until somebody says so."""

Place = tuple[Literal["tile"], Cell] | tuple[Literal["hand"], int]


class Standing(msgspec.Struct):
    """A figure on its tiles: candidates, cells a side, since when, and which of its tiles do not sense it."""

    who: frozenset[str]
    size: int
    since: int
    unsensed: set[Cell]
    joined: bool = False
    """Whether its candidates already take in a slide from next door."""


class Held(msgspec.Struct):
    """A figure in a hand: candidates, size, the anchor tile it was lifted from (None: the box), when.

    One that is called from the box is expected at `to` and nowhere else.
    """

    who: frozenset[str]
    size: int
    origin: Cell | None
    since: int
    to: Cell | None = None


class Stray(msgspec.Struct):
    """A magnet that is no known figure: a wand, a stranger, or the first tile of something larger."""

    since: int
    told: bool = False


class Happening(msgspec.Struct, frozen=True):
    """What the table understood: `lifted`, `landed`, `tapped` (a figure, by its anchor), `pointed` (the wand)."""

    kind: Literal["lifted", "landed", "tapped", "pointed"]
    cell: Cell
    who: frozenset[str]


def footprint(at: Cell, size: int) -> list[Cell]:
    """The cells that a figure of `size` cells a side covers from its top left cell."""
    return [(at[0] + dx, at[1] + dy) for dy in range(size) for dx in range(size)]


def _touching(a: Cell, b: Cell) -> bool:
    return a != b and abs(a[0] - b[0]) <= 1 and abs(a[1] - b[1]) <= 1


def _may_land(one: Held | Standing, cell: Cell) -> bool:
    """Whether this figure may be what a tile feels: one that was called from the box only where it was called to."""
    return not isinstance(one, Held) or one.to is None or cell in footprint(one.to, one.size)


def _stands_at(one: Held | Standing, anchor: Cell) -> bool:
    return not isinstance(one, Held) or one.to in (None, anchor)


class FigureTracker:
    """Figures on tiles and in hands. Feed it edges in the order of their times; ask it after each."""

    def __init__(self) -> None:
        self.standing: dict[Cell, Standing] = {}
        self.held: dict[int, Held] = {}
        self.strays: dict[Cell, Stray] = {}
        self.dark: dict[Cell, int] = {}
        self._pools: list[frozenset[str]] = []
        self._slots = 0

    # -- what is known ------------------------------------------------------------------------------------------------

    def places(self) -> dict[Place, frozenset[str]]:
        """Every place that holds a figure, with its candidates."""
        found: dict[Place, frozenset[str]] = {("tile", cell): one.who for cell, one in self.standing.items()}
        found.update({("hand", slot): one.who for slot, one in self.held.items()})
        return found

    def assignments(self) -> Iterator[dict[Place, str]]:
        """Every consistent assignment of figures to places."""
        return assignments(self.places())

    def known(self) -> set[str]:
        """The figures that are on the table or in a hand."""
        return {who for candidates in self.places().values() for who in candidates}

    def at(self) -> dict[str, Cell]:
        """The figures of which it is certain where they stand."""
        return {next(iter(one.who)): cell for cell, one in self.standing.items() if len(one.who) == 1}

    def in_hand(self) -> dict[str, Held]:
        """The figures of which it is certain that they are in a hand."""
        return {next(iter(one.who)): one for one in self.held.values() if len(one.who) == 1}

    def doubtful(self) -> dict[Cell, frozenset[str]]:
        """The tiles on which one of several figures stands."""
        return {cell: one.who for cell, one in self.standing.items() if len(one.who) > 1}

    def covering(self, cell: Cell) -> Cell | None:
        """The anchor of the figure that covers a cell."""
        return next((at for at, one in self.standing.items() if cell in footprint(at, one.size)), None)

    def due(self) -> int | None:
        """When time alone will decide something (ms), or None."""
        waits = [stray.since + SETTLE_MS for stray in self.strays.values() if not stray.told]
        return min(waits, default=None)

    # -- what players and state say -----------------------------------------------------------------------------------

    def call(self, who: str, size: int, now: int, to: Cell | None = None) -> None:
        """A figure is taken from the box: from now on it may be what lands, at `to` or (None) anywhere."""
        if who not in self.known():
            self._hold(Held(frozenset({who}), size, None, now, to))

    def forget(self, who: str) -> None:
        """A figure that is certainly in a hand left the game."""
        for slot, one in list(self.held.items()):
            if one.who == {who}:
                del self.held[slot]

    def say(self, who: str, cell: Cell) -> None:
        """Somebody said that the figure on this tile is `who`."""
        one = self.standing.get(cell)
        if one is not None and who in one.who:
            one.who = frozenset({who})
            self._sharpen()

    def adopt(self, cell: Cell, who: str, size: int, now: int) -> None:
        """The stranger on this tile is a figure that was in the box."""
        self.strays.pop(cell, None)
        self.standing[cell] = Standing(frozenset({who}), size, now, set())

    def doubt(self, who: str, size: int, now: int) -> None:
        """Somebody said that `who` is not where it is believed to be: all it was ever confused with are open again."""
        self.call(who, size, now)
        pool = next((pool for pool in reversed(self._pools) if who in pool), frozenset())
        mine = [one for one in self._all() if one.size == size]
        if len(pool & self.known()) < 2:
            pool = frozenset(name for one in mine for name in one.who)
        self._pool([one for one in mine if one.who & pool])

    def override(self, expected: Mapping[str, tuple[Cell, int]], now: int) -> None:
        """The players say that everything stands as expected (anchor, size), whatever the tiles sense."""
        sensed = set(self.strays)
        for cell, one in self.standing.items():
            sensed |= set(footprint(cell, one.size)) - one.unsensed
        self.standing, self.held = {}, {}
        for who, (cell, size) in expected.items():
            cells = footprint(cell, size)
            self.standing[cell] = Standing(frozenset({who}), size, now, set(cells) - sensed)
            sensed -= set(cells)
        self.strays = {cell: Stray(now, told=True) for cell in sensed}
        self._pools.clear()

    # -- what tiles say -----------------------------------------------------------------------------------------------

    def gain(self, cell: Cell, now: int) -> list[Happening]:
        """A tile senses a magnet."""
        self.dark.pop(cell, None)
        anchor = self.covering(cell)
        if anchor is not None:
            self.standing[anchor].unsensed.discard(cell)
            return []
        if cell in self.strays:
            return []
        back = self._came_back(cell, now)
        if back is not None:
            return back
        movable = [one for one in self._movable() if _may_land(one, cell)]
        if movable and all(one.size == 1 for one in movable):
            return [self._land(cell, 1, now)]
        self.strays[cell] = Stray(now)
        return self._regroup(now)

    def loss(self, cell: Cell, now: int) -> list[Happening]:
        """A tile no longer senses a magnet."""
        self.dark.pop(cell, None)
        stray = self.strays.pop(cell, None)
        if stray is not None:
            glimpse = stray.told or now - stray.since < FLICKER_MS
            return [] if glimpse else [Happening("pointed", cell, frozenset())]
        anchor = self.covering(cell)
        if anchor is None:
            return []
        one = self.standing[anchor]
        one.unsensed.add(cell)
        if len(one.unsensed) < one.size**2:
            return self._regroup(now)
        if one.size == 1 and not any(_may_land(other, cell) for other in self._movable(but=anchor)):
            slid = self._slid(cell, now)
            if slid is not None:
                return [slid]
        del self.standing[anchor]
        self._hold(Held(one.who, one.size, anchor, now))
        lifted = Happening("lifted", anchor, one.who)
        if one.size == 1:
            self._join_next_door(cell, now)
        return [lifted]

    def settle(self, now: int) -> list[Happening]:
        """Decide what only time could: strays that are no part of a large base are a small figure, or the wand."""
        told: list[Happening] = []
        for cell, stray in list(self.strays.items()):
            if stray.told or now - stray.since < SETTLE_MS or cell not in self.strays:
                continue
            shifted, whole = self._shifted(cell), self._corner_of_large(cell)
            if shifted is not None:
                told.append(self._shift(shifted[0], shifted[1], now))
            elif whole is not None:
                told.append(self._land(whole[0], whole[1], now))
            elif any(one.size == 1 and _may_land(one, cell) for one in self._movable()):
                del self.strays[cell]
                told.append(self._land(cell, 1, now))
            else:
                stray.told = True
                told.append(Happening("pointed", cell, frozenset()))
        return told

    def go_dark(self, cells: Iterable[Cell], now: int) -> None:
        """Tiles say nothing from now on."""
        for cell in cells:
            self.dark.setdefault(cell, now)

    def sensed(self, area: Iterable[Cell], occupied: Iterable[Cell], now: int) -> list[Happening]:
        """What the tiles of an area sense now. After a long darkness the figures there may have changed places."""
        cells, there = set(area), set(occupied)
        long_dark = any(now - self.dark[cell] > TRUSTED_DARK_MS for cell in cells if cell in self.dark)
        for cell in cells:
            self.dark.pop(cell, None)
        told: list[Happening] = []
        before = {at for at in self.standing if set(footprint(at, self.standing[at].size)) <= cells}
        for one in self.standing.values():
            one.joined = True
        for cell in sorted(cells - there):
            told += [one for one in self.loss(cell, now - FLICKER_MS - 1) if one.kind != "pointed"]
        for cell in sorted(there):
            told += self.gain(cell, now)
        if long_dark:
            for size in {self.standing[at].size for at in self.standing}:
                doubted: list[Held | Standing] = [one for one in self.held.values() if one.to is None]
                doubted += [one for at, one in self.standing.items() if at in before or one.since == now]
                self._pool([one for one in doubted if one.size == size])
        return told

    # -- inside -------------------------------------------------------------------------------------------------------

    def _hold(self, one: Held) -> None:
        self._slots += 1
        self.held[self._slots] = one

    def _ghosts(self, but: Cell | None = None) -> dict[Cell, Standing]:
        """Figures that no tile senses (an override, a dead tile): they may be in a hand for all the table knows."""
        return {cell: one for cell, one in self.standing.items() if len(one.unsensed) == one.size**2 and cell != but}

    def _all(self) -> list[Held | Standing]:
        return [*self.standing.values(), *self.held.values()]

    def _movable(self, but: Cell | None = None) -> list[Held | Standing]:
        return [*self.held.values(), *self._ghosts(but).values()]

    def _came_back(self, cell: Cell, now: int) -> list[Happening] | None:
        """The figure that was lifted from this very tile, if it must be the one that is back: a flicker or a tap."""
        for slot, one in self.held.items():
            if one.size != 1 or one.origin != cell:
                continue
            alone = sum(_may_land(other, cell) for other in self._movable()) == 1
            flicker = now - one.since < (FLICKER_MS if alone else EXCHANGE_MS)
            if not flicker and not alone:
                return None
            del self.held[slot]
            self.standing[cell] = Standing(one.who, 1, now, set(), joined=True)
            if flicker:
                return []
            kind: Literal["tapped", "landed"] = "tapped" if now - one.since <= TAP_MS else "landed"
            return [Happening(kind, cell, one.who)]
        return None

    def _land(self, cell: Cell, size: int, now: int) -> Happening:
        """One of the movable figures of this size stands here now; every one of them may be it."""
        unsensed = self._take_strays(cell, size) if size > 1 else set()
        self.strays.pop(cell, None)
        slots = [slot for slot, one in self.held.items() if one.size == size and one.to in (None, cell)]
        ghosts = [at for at, one in self._ghosts().items() if one.size == size]
        who = frozenset(name for slot in slots for name in self.held[slot].who)
        who |= frozenset(name for at in ghosts for name in self.standing[at].who)
        if slots:
            del self.held[slots[0]]
        else:
            del self.standing[ghosts[0]]
            ghosts = ghosts[1:]
        for slot in slots[1:]:
            self.held[slot].who = who
        for at in ghosts:
            self.standing[at].who = who
        self.standing[cell] = Standing(who, size, now, unsensed)
        self._remember(who)
        self._sharpen()
        return Happening("landed", cell, self.standing[cell].who)

    def _take_strays(self, at: Cell, size: int, kept: Iterable[Cell] = ()) -> set[Cell]:
        """The strays under a base are its own; returns the cells of it that nothing is felt on."""
        cells = set(footprint(at, size))
        felt = cells & (set(self.strays) | set(kept))
        for cell in felt:
            self.strays.pop(cell, None)
        return cells - felt

    def _slid(self, cell: Cell, now: int) -> Happening | None:
        """A stray next door that is young enough is the figure of this tile, slid."""
        near = [at for at, stray in self.strays.items() if _touching(at, cell) and now - stray.since <= SLIDE_MS]
        if not near:
            return None
        to = max(near, key=lambda at: self.strays[at].since)
        del self.strays[to]
        one = self.standing.pop(cell)
        self.standing[to] = Standing(one.who, 1, now, set())
        return Happening("landed", to, one.who)

    def _join_next_door(self, cell: Cell, now: int) -> None:
        """What landed next door a moment ago may have been slid from here, and the hand may be holding the other."""
        for at, one in self.standing.items():
            if one.size == 1 and _touching(at, cell) and not one.joined and now - one.since <= SLIDE_MS:
                one.joined = True
                hands = [held for held in self.held.values() if held.size == 1 and held.to is None]
                both: list[Held | Standing] = [one, *hands]
                self._pool(both)

    def _regroup(self, now: int) -> list[Happening]:
        """Find a large figure that landed or was slid: its tiles are strays and, when slid, some that it covered."""
        for anchor, one in list(self.standing.items()):
            if one.size > 1 and one.unsensed:
                kept = set(footprint(anchor, one.size)) - one.unsensed
                for to in self._blocks(one.size, kept):
                    return [self._shift(anchor, to, now)]
        for size in sorted({one.size for one in self._movable() if one.size > 1}, reverse=True):
            for to in self._blocks(size, set()):
                if any(one.size == size and _stands_at(one, to) for one in self._movable()):
                    return [self._land(to, size, now)]
        return []

    def _shift(self, anchor: Cell, to: Cell, now: int) -> Happening:
        """A large figure was slid."""
        one = self.standing.pop(anchor)
        unsensed = self._take_strays(to, one.size, set(footprint(anchor, one.size)) - one.unsensed)
        self.standing[to] = Standing(one.who, one.size, now, unsensed)
        return Happening("landed", to, one.who)

    def _shifted(self, cell: Cell) -> tuple[Cell, Cell] | None:
        """The only large figure (anchor, new anchor) that a stray can be part of when most of its tiles feel it."""
        fitting = []
        for anchor, one in self.standing.items():
            kept = set(footprint(anchor, one.size)) - one.unsensed
            if one.size == 1 or not one.unsensed:
                continue
            for to in {(cell[0] - dx, cell[1] - dy) for dx in range(one.size) for dy in range(one.size)}:
                cells = set(footprint(to, one.size))
                mostly = len(cells & (set(self.strays) | kept)) * 2 > len(cells)
                if kept <= cells and mostly and all(self.covering(other) in (None, anchor) for other in cells):
                    fitting.append((anchor, to))
        return fitting[0] if len(fitting) == 1 else None

    def _blocks(self, size: int, kept: set[Cell]) -> list[Cell]:
        """Anchors of squares made of strays and all of the cells `kept`."""
        sensed = set(self.strays) | kept
        corners = {(x - dx, y - dy) for x, y in self.strays for dx in range(size) for dy in range(size)}
        return sorted(at for at in corners if kept <= set(footprint(at, size)) <= sensed)

    def _corner_of_large(self, cell: Cell) -> tuple[Cell, int] | None:
        """The only square for a large figure in hand of whose tiles all but a few are strays: some sensed nothing."""
        for size in sorted({one.size for one in self._movable() if one.size > 1}, reverse=True):
            fitting = []
            for at in {(cell[0] - dx, cell[1] - dy) for dx in range(size) for dy in range(size)}:
                cells = set(footprint(at, size))
                meant = any(one.size == size and _stands_at(one, at) for one in self._movable())
                mostly = len(cells & set(self.strays)) * 2 > len(cells)
                if meant and mostly and not any(self.covering(one) for one in cells):
                    fitting.append(at)
            if len(fitting) == 1:
                at = fitting[0]
                return at, size
        return None

    def _pool(self, members: list[Held | Standing]) -> None:
        """Each of these may be any of these."""
        who = frozenset(name for one in members for name in one.who)
        for one in members:
            one.who = who
        self._remember(who)
        self._sharpen()

    def _remember(self, who: frozenset[str]) -> None:
        if len(who) > 1:
            self._pools = [*self._pools[-7:], who]

    def _sharpen(self) -> None:
        for place, who in sharpen(self.places()).items():
            if place[0] == "tile":
                self.standing[place[1]].who = who
            else:
                self.held[place[1]].who = who
