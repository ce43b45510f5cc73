"""Paths: the shortest way of a base to a place, as data with its reasons.

A path is measured for the centre of the base (LT-MEAS-03) and bends freely around scenery and other bases
(LT-MOVE-02, -05); openings must be as wide as the base (LT-MOVE-06). Lengths are rounded up. Terrain does not change
the length of a way but the allowance, so a path says which pieces it enters, where, and for how long (LT-TERRAIN-03,
-04, LT-ADVERS-17); where a move may stop on it is told by `stops`.
"""

from __future__ import annotations

import math

import msgspec
import shapely

from emberboard.engine.plane.along import Crossing, Touch, crossings, touches
from emberboard.engine.plane.freespace import DEFAULT, FreeSpace, Via
from emberboard.engine.plane.gaps import portals
from emberboard.engine.plane.ground import standing
from emberboard.engine.plane.scene import Model, Plane
from emberboard.engine.plane.search import Goal, Search
from emberboard.engine.plane.trail import Trail, trail_length
from emberboard.engine.plane.units import FLOAT_NOISE, TIE, Point, distance_up, length_up

#: Ways over a narrow gap may bend at its rims every half inch, besides where the ends of the way ask for it.
PORTAL_PITCH = 500.0


class Bend(msgspec.Struct, frozen=True):
    """One leg of a path: straight, or an arc around a corner of a piece or around another base."""

    start: Point
    end: Point
    length: int
    around: str = ""
    centre: Point | None = None
    clockwise: bool = False


class Path(msgspec.Struct, frozen=True):
    """A way of a base's centre with its reasons.

    `length` is rounded up; `straight` is the plain distance between the ends; `around` names what the way bends
    around, in order; `crossings` the areas entered; `touches` the bases met on the way; `end_level` the level of the
    ground at its end.
    """

    model: str
    start: Point
    end: Point
    length: int
    straight: int
    legs: tuple[Bend, ...]
    around: tuple[str, ...]
    crossings: tuple[Crossing, ...]
    touches: tuple[Touch, ...]
    end_level: int

    @property
    def slow_at(self) -> int | None:
        """The length at which the path first enters Difficult Terrain, or None."""
        return min((c.enter for c in self.crossings if c.slows), default=None)


class NoPath(msgspec.Struct, frozen=True):
    """Why there is no way: what hinders the end place, or what walls the start in; `within` is the limit searched."""

    model: str
    why: str
    blockers: tuple[str, ...]
    within: int | None = None


def space_for(plane: Plane, mover: Model, via: Via = DEFAULT) -> FreeSpace:
    """The free space of the mover, made once for each plane and way of going."""
    # the mover's own place matters only when it is lifted off the board: spaces are kept for movers by what they are
    key = ("space", msgspec.structs.replace(mover, at=Point(0, 0)), via, mover.level and mover.at)
    space: FreeSpace | None = plane.kept.get(key)
    if space is None:
        space = plane.kept[key] = FreeSpace(plane, mover, via.passing, via.avoid_slow, via.solid)
    return space


def mover_of(plane: Plane, model: str | Model) -> Model:
    """The model itself, or the one of that id."""
    return model if isinstance(model, Model) else plane.model(model)


def path_to(
    plane: Plane, model: str | Model, to: Point, via: Via = DEFAULT, within: int | None = None
) -> Path | NoPath:
    """The shortest way of a model's base to a place where it may stand (LT-MOVE-02, LT-ADVERS-16)."""
    mover = mover_of(plane, model)
    end = standing(plane, mover, to)
    if not end.legal:
        return NoPath(mover.id, "the base may not stand there", tuple(h.id for h in end.hindrances))
    bound = math.inf if within is None else float(within)
    trails = trails_to(plane, mover, Goal(points=[(float(to.x), float(to.y))]), via, bound)
    if not trails:
        return _no_path(plane, mover, to, via, within)
    return describe(plane, mover, trails[0], via, to, end.level)


def paths_to(plane: Plane, model: str | Model, to: Point, via: Via = DEFAULT) -> tuple[Path, ...]:
    """The shortest way and every clearly different one whose length ties with it within 0.01 inch."""
    mover = mover_of(plane, model)
    end = standing(plane, mover, to)
    if not end.legal:
        return ()
    trails = trails_to(plane, mover, Goal(points=[(float(to.x), float(to.y))]), via, spare=TIE - FLOAT_NOISE)
    return tuple(describe(plane, mover, trail, via, to, end.level) for trail in different(trails))


def trails_to(
    plane: Plane, mover: Model, goal: Goal, via: Via = DEFAULT, bound: float = math.inf, spare: float = 0.0
) -> list[Trail]:
    """The shortest trails from the mover to a goal, at most `spare` longer than the best."""
    return Search(_space_between(plane, mover, via, goal), mover.at, goal, bound).trails(spare)


def _space_between(plane: Plane, mover: Model, via: Via, goal: Goal) -> FreeSpace:
    """The free space for one search: with narrow gaps in it, the bends over them depend on where it goes."""
    space = space_for(plane, mover, via)
    rings = {name: plane.piece(name).shape for name in space.gap_ids if plane.scenery.width(name) <= 2 * mover.radius}
    if not rings:
        return space
    ends = [(float(mover.at.x), float(mover.at.y)), *goal.points[:4]]
    if goal.centre is not None:
        ends.append(goal.centre)
    bends = portals(rings, 2.0 * mover.radius, ends, PORTAL_PITCH)
    return FreeSpace(plane, mover, via.passing, via.avoid_slow, via.solid, bends)


def different(trails: list[Trail]) -> list[Trail]:
    """Trails of nearly equal length that really are other ways: somewhere they part by more than a quarter inch."""
    kept: list[Trail] = []
    for trail in trails:
        marks = [trail.locate(trail.length * k / 4)[:2] for k in (1, 2, 3)] + [trail.end]
        for other in kept:
            theirs = [other.locate(other.length * k / 4)[:2] for k in (1, 2, 3)] + [other.end]
            if all(math.dist(a, b) <= 250 for a, b in zip(marks, theirs, strict=True)):
                break
        else:
            kept.append(trail)
    return kept


def _no_path(plane: Plane, mover: Model, to: Point, via: Via, within: int | None) -> NoPath:
    if within is not None:
        return NoPath(mover.id, "no way is short enough", (), within)
    return NoPath(mover.id, "no opening is as wide as the base", enclosing(plane, mover, to, via))


def enclosing(plane: Plane, mover: Model, to: Point, via: Via = DEFAULT) -> tuple[str, ...]:
    """What parts the mover from a place: everything along the border of its free region on the side of that place."""
    space = space_for(plane, mover, via)
    names, shapes = space.shapes()
    lo, right, bottom = space.low, space.high_x, space.high_y
    free = shapely.box(lo, lo, right, bottom).difference(shapely.union_all(shapes))
    start, end = shapely.Point(mover.at.x, mover.at.y), shapely.Point(to.x, to.y)
    region = next((part for part in shapely.get_parts(free) if shapely.distance(part, start) < 1), None)
    if region is None:
        return tuple(n for n, s in zip(names, shapes, strict=True) if shapely.distance(s, start) < 1)
    rings = [ring for ring in region.interiors if shapely.contains(shapely.Polygon(ring), end)]
    border = rings[0] if rings else region.exterior
    found = [n for n, s in zip(names, shapes, strict=True) if shapely.distance(s, border) < 1]
    return tuple(dict.fromkeys(found))


def grid_point(x: float, y: float) -> Point:
    """The nearest point of the 1/1000 inch grid."""
    return Point(round(x), round(y))


def describe(plane: Plane, mover: Model, trail: Trail, via: Via, end: Point, level: int) -> Path:
    """A trail as data, ending at the grid place `end`."""
    legs: list[Bend] = []
    around: list[str] = []
    for leg in trail.legs:
        name = leg.around
        if leg.disc >= 0:
            bend = Bend(
                grid_point(*leg.start),
                grid_point(*leg.end),
                length_up(leg.cost),
                name,
                grid_point(*leg.centre),
                leg.sweep < 0,
            )
        else:
            bend = Bend(grid_point(*leg.start), grid_point(*leg.end), length_up(leg.cost))
        legs.append(bend)
        if name and (not around or around[-1] != name):
            around.append(name)
    return Path(
        model=mover.id,
        start=mover.at,
        end=end,
        length=trail_length(trail, mover.at, end),
        straight=distance_up(mover.at, end),
        legs=tuple(legs),
        around=tuple(around),
        crossings=crossings(plane, mover, trail, via),
        touches=touches(plane, mover, trail, via),
        end_level=level,
    )
