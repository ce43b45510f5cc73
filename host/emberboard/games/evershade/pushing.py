"""Push, Pull and Crashing (area PUSH)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emberboard.engine.question import Ask, Cell, Choose, Option, Place, Settled, as_cell, cell_key
from emberboard.engine.stats import Contribution
from emberboard.engine.timing import Proc
from emberboard.games.evershade import damage, movement, roster, spaces

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade

DIRECTIONS: dict[str, Cell] = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}


def footprint(g: Evershade, ref: str, at: Cell) -> int:
    """Mask of the spaces that the figure would cover at `at`; 0 when it does not fit on the Sheet."""
    size = spaces.size_of(g, ref)
    if size == 1:
        return g.grid.bit(at) if at in g.grid else 0
    cells = [(at[0] + dx, at[1] + dy) for dy in range(size) for dx in range(size)]
    return g.grid.mask(cells) if all(cell in g.grid for cell in cells) else 0


def can_shift(g: Evershade, ref: str, here: Cell, to: Cell) -> bool:
    """Whether forced movement can take the figure one step: no border, edge, Blocked space or model stops it."""
    target = footprint(g, ref, to)
    if not target:
        return False
    size = spaces.size_of(g, ref)
    dx, dy = to[0] - here[0], to[1] - here[1]
    cells = [(here[0] + i, here[1] + j) for i in range(size) for j in range(size)]
    crossing = [((x, y), (x + dx, y + dy)) for x, y in cells]
    if any(g.grid.wall_between(a, b) for a, b in crossing):
        return False
    return not target & (spaces.occupied(g, but=ref) | spaces.blocked(g))


def push_directions(g: Evershade, source: int, ref: str) -> list[str]:
    """Straight directions away from the source: in which the distance grows with every step (EV-PUSH-01).

    From a source in the figure's own spaces (a token) that is every direction.
    """
    at = spaces.anchor(g, ref)
    if at is None or not source:
        return []
    mine = g.grid.list(spaces.cells_of(g, ref))
    theirs = g.grid.list(source)
    away: list[str] = []
    for name in DIRECTIONS:
        beyond = {
            "east": min(x for x, _ in mine) > max(x for x, _ in theirs),
            "west": max(x for x, _ in mine) < min(x for x, _ in theirs),
            "south": min(y for _, y in mine) > max(y for _, y in theirs),
            "north": max(y for _, y in mine) < min(y for _, y in theirs),
        }[name]
        if beyond:
            away.append(name)
    away = away or list(DIRECTIONS)
    free = [d for d in away if can_shift(g, ref, at, (at[0] + DIRECTIONS[d][0], at[1] + DIRECTIONS[d][1]))]
    return free or away


def _which_way(g: Evershade, user: str, ref: str, ways: list[str]) -> Choose | Settled:
    if len(ways) == 1:
        return Settled(ways[0])
    return Choose(
        name="push_direction",
        prompt=f"{roster.label(g, ref)} is Pushed: in which direction?",
        who=roster.seat_of(g, user),
        options=tuple(Option(way, way) for way in ways),
        rules=("EV-PUSH-01",),
        about=(ref,),
    )


def push(g: Evershade, user: str, ref: str, spaces_count: int) -> Proc[None]:
    """Push a figure straight away from the user; what it could not be moved is Crashing damage (EV-PUSH-01, 03)."""
    ways = push_directions(g, spaces.range_source(g, user), ref)
    if not ways or spaces_count <= 0:
        return
    way = yield Ask(_which_way, user, ref, ways)
    dx, dy = DIRECTIONS[way]
    moved = 0
    while moved < spaces_count:
        here = spaces.anchor(g, ref)
        if here is None:
            return
        to = (here[0] + dx, here[1] + dy)
        if not can_shift(g, ref, here, to):
            break
        moved += 1
        if (yield from movement.enter(g, ref, here, to)):
            if roster.in_play(g, ref):
                g.note(f"{roster.label(g, ref)} is Pushed {moved} onto a Trigger and stops.", "EV-SPACE-07")
            return
    g.note(f"{roster.label(g, ref)} is Pushed {moved} of {spaces_count} {way}.", "EV-PUSH-01")
    left = spaces_count - moved
    if left:
        parts = [Contribution("base", "Crashing", "EV-PUSH-03", left)]
        yield from damage.deal(g, ref, parts, by="")


def pull(g: Evershade, user: str, ref: str, spaces_count: int) -> Proc[None]:
    """Pull a figure up to so many spaces toward the user, each step closer; nothing crashes (EV-PUSH-02)."""
    for _ in range(spaces_count):
        here = spaces.anchor(g, ref)
        if here is None:
            return
        to = yield Ask(_pull_step, user, ref)
        if not to:
            return
        if (yield from movement.enter(g, ref, here, as_cell(to))):
            return


def _pull_step(g: Evershade, user: str, ref: str) -> Place | Settled:
    here = spaces.anchor(g, ref)
    source = spaces.range_source(g, user)
    if here is None or not source:
        return Settled("")
    now = spaces.distance(g, spaces.cells_of(g, ref), source) or 0
    closer: list[Cell] = []
    for dx, dy in DIRECTIONS.values():
        to = (here[0] + dx, here[1] + dy)
        if can_shift(g, ref, here, to):
            then = spaces.distance(g, footprint(g, ref, to), source)
            if then is not None and then < now:
                closer.append(to)
    if not closer:
        return Settled("")
    if len(closer) == 1:
        return Settled(cell_key(closer[0]))
    return Place(
        name="pull_step",
        prompt=f"{roster.label(g, ref)} is Pulled: to which space?",
        who=roster.seat_of(g, user),
        options=tuple(Option(cell_key(cell), cell_key(cell), cell) for cell in closer),
        figure=ref,
        rules=("EV-PUSH-02",),
        about=(ref,),
    )
