"""Distances: gaps from edge to edge, within and wholly within, the nearest of many with ties, range bands.

Measured from above, levels do not count (LT-MEAS-04). Every number is rounded up from the true distance, so comparing
it with a whole limit is exact. Sources: area MEAS, LT-GEN-03, LT-ADVERS-06, LT-RANGED-02..04, LT-VILLAGE-06.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec
import shapely

from emberboard.engine.plane.scene import Marker, Model, Plane
from emberboard.engine.plane.units import (
    TIE,
    Point,
    distance_up,
    ring_distance,
    square_between,
)

#: What can be measured: an id of the scene, a model that is not on it (yet), or a point.
Thing = str | Model | Marker | Point


class Gap(msgspec.Struct, frozen=True):
    """The smallest distance between two things, rounded up to 1/1000 inch; 0 when they touch or overlap."""

    a: str
    b: str
    gap: int


class Nearest(msgspec.Struct, frozen=True):
    """The nearest of some things: all that tie within 0.01 inch, and every gap measured, nearest first."""

    ids: tuple[str, ...]
    gap: int
    measured: tuple[Gap, ...]


class RangeBand(msgspec.Struct, frozen=True):
    """Short, Long or out of range: the gap and the limit that decided (`limit` 0 when beyond both)."""

    band: str
    gap: int
    limit: int


def _disc(plane: Plane, thing: Thing) -> tuple[str, Point, int] | None:
    if isinstance(thing, Point):
        return "point", thing, 0
    if isinstance(thing, (Model, Marker)):
        return thing.id, thing.at, thing.radius
    known = plane.models.get(thing) or plane.markers.get(thing)
    return (known.id, known.at, known.radius) if known is not None else None


def gap(plane: Plane, a: Thing, b: Thing) -> Gap:
    """The gap of two things: base edge to base edge, base edge to outline, or to a point (LT-MEAS-01, -04, -05).

    Raises PlaneError for an unknown id.
    """
    first, second = _disc(plane, a), _disc(plane, b)
    if first is not None and second is not None:
        apart = distance_up(first[1], second[1]) - first[2] - second[2]
        return Gap(first[0], second[0], max(0, apart))
    if first is not None or second is not None:
        disc = first or second
        assert disc is not None
        piece = plane.piece(str(b if first is not None else a))
        value = max(0, ring_distance(disc[1], piece.shape) - disc[2])
        return Gap(disc[0], piece.id, value) if first is not None else Gap(piece.id, disc[0], value)
    one, two = plane.piece(str(a)), plane.piece(str(b))
    between = shapely.distance(plane.scenery.polygon(one.id), plane.scenery.polygon(two.id))
    return Gap(one.id, two.id, math.ceil(between - 1e-6))


def within(plane: Plane, a: Thing, b: Thing, limit: int) -> bool:
    """Whether the gap is at most `limit` (LT-MEAS-04, LT-MEAS-05)."""
    return gap(plane, a, b).gap <= limit


def wholly_within(plane: Plane, model: str | Model, centre: Point, radius: int) -> bool:
    """Whether the whole base lies in the circle (LT-MEAS-05, LT-VILLAGE-06)."""
    base = model if isinstance(model, Model) else plane.model(model)
    room = radius - base.radius
    return room >= 0 and square_between(base.at, centre) <= room * room


def _true_gap(plane: Plane, a: Thing, b: Thing) -> float:
    first, second = _disc(plane, a), _disc(plane, b)
    if first is not None and second is not None:
        return math.hypot(first[1].x - second[1].x, first[1].y - second[1].y) - first[2] - second[2]
    return float(gap(plane, a, b).gap)


def nearest(plane: Plane, of: Thing, among: Iterable[str]) -> Nearest:
    """The nearest of `among` to `of`, with every tie within 0.01 inch (LT-MEAS-06); ids are empty when none is given.

    A tie goes to the First Player (LT-GEN-03); the plane only reports it.
    """
    measured = sorted((_true_gap(plane, of, other), other) for other in among)
    if not measured:
        return Nearest(ids=(), gap=0, measured=())
    tied = tuple(other for value, other in measured if value - measured[0][0] < TIE - 1e-9)
    gaps = tuple(gap(plane, of, other) for _, other in measured)
    return Nearest(ids=tied, gap=gaps[0].gap, measured=gaps)


def in_reach(plane: Plane, of: Thing, among: Iterable[str], limit: int) -> tuple[Gap, ...]:
    """Those of `among` within `limit` of `of`, nearest first."""
    return tuple(found for found in nearest(plane, of, among).measured if found.gap <= limit)


def range_band(plane: Plane, shooter: str, target: str, short: int, long: int | None = None) -> RangeBand:
    """Whether the target is at Short Range, Long Range or beyond; `long` None is a dash (LT-RANGED-02..04)."""
    value = gap(plane, shooter, target).gap
    if value <= short:
        return RangeBand("short", value, short)
    if long is not None and value <= long:
        return RangeBand("long", value, long)
    return RangeBand("out", value, 0)
