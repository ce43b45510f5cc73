"""Moves of Ethereal models, through scenery and bases (LT-SPECIAL-02, -03, LT-ADVERS-19)."""

from __future__ import annotations

from emberboard.engine.plane.approach import target_disc
from emberboard.engine.plane.freespace import Via
from emberboard.engine.plane.ground import Passage, passage
from emberboard.engine.plane.paths import Path, describe, mover_of, trails_to
from emberboard.engine.plane.scene import Model, Plane
from emberboard.engine.plane.search import Goal
from emberboard.engine.plane.stops import Stop, settle, stop_on
from emberboard.engine.plane.straight import straight_trail
from emberboard.engine.plane.trail import Trail
from emberboard.engine.plane.units import (
    CONTACT_QUARTERS,
    FLOAT_NOISE,
    Point,
    square_between,
)


def through_move(plane: Plane, model: str | Model, toward: Point, length: int) -> tuple[Stop, Path, tuple[str, ...]]:
    """The move of an Ethereal model toward a point: through scenery and bases, ending where it may stand.

    It passes through a thing only if this very move carries it to a place beyond; otherwise that thing is solid for
    this move (LT-SPECIAL-02, -03). Gaps still stop it. Returns the stop, the way, and what was solid.
    """
    mover = mover_of(plane, model)
    things = {p.id for p in plane.scenery.pieces if not p.gap and passage(mover, p) is not Passage.FREE}
    things |= {name for name, _, _ in plane.discs if name != mover.id}
    solid: tuple[str, ...] = ()
    before: tuple[Stop, Path] | None = None
    while True:
        via = Via(frozenset(things - set(solid)), False, frozenset(solid) & frozenset(plane.pieces))
        goal = Goal(points=[(float(toward.x), float(toward.y))])
        trails = trails_to(plane, mover, goal, via)
        if not trails and before is not None:
            # no way around it: straight on, and stop before it
            return *before, solid
        if not trails:
            here = Trail([], 0.0, (float(mover.at.x), float(mover.at.y)), (float(mover.at.x), float(mover.at.y)))
            stay = Stop(mover.at, mover.level, 0, False, solid)
            return stay, describe(plane, mover, here, via, mover.at, mover.level), solid
        trail = trails[0]
        stop = stop_on(plane, mover, trail, float(length))
        path = describe(plane, mover, trail, via, toward, mover.level)
        new = tuple(h for h in stop.hindered_by if h in things and h not in solid)
        # what ends the move early is solid for it: the way is sought anew around it
        if not new or trail.length <= length + FLOAT_NOISE:
            return stop, path, solid
        solid += new[:1]
        before = before or (stop, path)


def first_stop(
    plane: Plane, model: str | Model, toward: Point, length: int, target: str, distance: int
) -> Stop | None:
    """The first place on a straight ethereal way where the base may stand within `distance` of a target.

    None when there is none within `length` (LT-ADVERS-13, LT-ADVERS-19).
    """
    mover = mover_of(plane, model)
    at, radius = target_disc(plane, target)
    trail = straight_trail(mover, (float(toward.x), float(toward.y)))
    reach = mover.radius + radius + distance
    step, top = CONTACT_QUARTERS / 4, min(float(length), trail.length)

    def fits(s: float) -> tuple[Point, int, int] | None:
        found = settle(plane, mover, trail, s, min(float(length), s + 2))
        if found is None or square_between(found[0].at, at) > reach * reach:
            return None
        return found[0].at, found[0].level, found[1]

    s = 0.0
    while True:
        found = fits(s)
        if found is not None:
            break
        if s >= top:
            return None
        s = min(top, s + step)
    low = max(0.0, s - step)
    while s - low > 0.25:
        mid = (low + s) / 2
        better = fits(mid)
        if better is None:
            low = mid
        else:
            s, found = mid, better
    return Stop(found[0], found[1], found[2], True)
