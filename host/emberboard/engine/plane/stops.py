"""Where a move along a path may end: the furthest place the base may stand within the allowance.

A stop is an exact place, never further along than the allowance (LT-MOVE-01, -03, LT-TERRAIN-03, -04).
"""

from __future__ import annotations

import math

import msgspec

from emberboard.engine.plane.freespace import DEFAULT, Via
from emberboard.engine.plane.ground import Standing, standing
from emberboard.engine.plane.paths import Path, grid_point, mover_of, trails_to
from emberboard.engine.plane.scene import Model, Plane
from emberboard.engine.plane.search import Goal
from emberboard.engine.plane.trail import Trail, trail_length
from emberboard.engine.plane.units import (
    CONTACT_QUARTERS,
    FLOAT_NOISE,
    TIE,
    PlaneError,
    Point,
    distance_up,
    length_up,
    square_between,
)


class Stop(msgspec.Struct, frozen=True):
    """Where a move along a path ends: the place, its level, the length used, and what cut it short."""

    at: Point
    level: int
    length: int
    whole: bool
    hindered_by: tuple[str, ...] = ()


#: Grid offsets around a computed point, nearest first.
_AROUND = sorted(((dx, dy) for dx in range(-4, 5) for dy in range(-4, 5)), key=lambda d: (d[0] ** 2 + d[1] ** 2, d))


def settle(
    plane: Plane, mover: Model, trail: Trail, at: float, allowance: float, level: int | None = None
) -> tuple[Standing, int] | None:
    """A grid place by the point at length `at` of the trail where the base may stand, and the length to it.

    The length never exceeds `allowance`. None when there is no such place within 4/1000 inch.
    """
    x, y, index, before = trail.locate(at)
    cx, cy = round(x), round(y)
    leg = trail.legs[index] if index >= 0 else None
    one_straight = len(trail.legs) == 1 and leg is not None and leg.disc < 0
    for dx, dy in _AROUND:
        place = Point(cx + dx, cy + dy)
        off = math.hypot(place.x - x, place.y - y)
        if leg is None or one_straight:
            length = distance_up(mover.at, place)
        elif leg.disc < 0:
            length = length_up(before + math.hypot(place.x - leg.start[0], place.y - leg.start[1]))
        else:
            length = length_up(at + off)
        if length > allowance:
            continue
        found = standing(plane, mover, place, level)
        if found.legal:
            return found, length
    return None


def stop_on(plane: Plane, mover: Model, trail: Trail, allowance: float, level: int | None = None) -> Stop:
    """The furthest place on the trail where the base may stand, within the allowance (LT-MOVE-03).

    Scans back in steps of 1/32 inch and then halves to the thousandth, so only a foothold shorter than 1/32 inch can
    be passed over; the place found is always legal.
    """
    target = min(allowance, trail.length)
    whole = trail.length <= allowance + FLOAT_NOISE
    found = settle(plane, mover, trail, target, allowance, level)
    if found is None and target > 2:
        found = settle(plane, mover, trail, target - 2, allowance, level)
    if found is not None:
        return Stop(found[0].at, found[0].level, found[1], whole)
    x, y, _, _ = trail.locate(target)
    hindered = tuple(h.id for h in standing(plane, mover, grid_point(x, y), level).hindrances)
    bad = target
    good = target
    while good > 0:
        good = max(0.0, good - CONTACT_QUARTERS / 4)
        found = settle(plane, mover, trail, good, allowance, level)
        if found is not None:
            break
        bad = good
    if found is None:
        here = standing(plane, mover, mover.at, level)
        return Stop(mover.at, here.level if here.legal else mover.level, 0, False, hindered)
    while bad - good > 0.5:
        mid = (good + bad) / 2
        better = settle(plane, mover, trail, mid, allowance, level)
        if better is None:
            bad = mid
        else:
            good, found = mid, better
    return Stop(found[0].at, found[0].level, found[1], False, hindered)


def stop_along(plane: Plane, model: str | Model, path: Path, allowance: int, via: Via = DEFAULT) -> Stop:
    """Where a move along a path ends when only `allowance` of it may be used.

    Raises PlaneError when the path is not one of this plane: its ends are no longer joined by a way of that length.
    """
    mover = mover_of(plane, model)
    goal = Goal(points=[(float(path.end.x), float(path.end.y))])
    for trail in trails_to(plane, mover, goal, via, spare=float(TIE)):
        if abs(trail_length(trail, mover.at, path.end) - path.length) <= 1:
            return stop_on(plane, mover, trail, float(allowance))
    raise PlaneError(f"expected a path of this plane for {mover.id!r}, got one from {path.start} to {path.end}")


def allowance_used(path: Path, primary: int, slow: int | None) -> int:
    """How far a move along the path may go: `primary` in the open; once it meets Difficult Terrain, `slow`.

    `slow` is the rolled secondary Speed, None when not yet rolled (then the edge is the end). At the edge the move
    stops when what is covered reaches the roll, otherwise it goes on to the rolled total (LT-TERRAIN-03, -04).
    """
    edge = path.slow_at
    if edge is None or edge >= primary:
        return min(primary, path.length)
    if slow is None or edge >= slow:
        return edge
    return min(slow, path.length)


def near_contact(mover: Model, at: Point, other: Model) -> bool:
    """Whether a base at `at` is in contact with another: gap at most 1/32 inch, exact (LT-MEAS-06)."""
    reach = 4 * (mover.radius + other.radius) + CONTACT_QUARTERS
    return 16 * square_between(at, other.at) <= reach * reach
