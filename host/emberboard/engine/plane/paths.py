"""Paths: the shortest way of a base to a point, into contact, or within a distance, and where a move may stop on it.

A path is measured for the centre of the base (LT-MEAS-03) and bends freely around scenery and other bases
(LT-MOVE-02, -05); openings must be as wide as the base (LT-MOVE-06). Lengths are rounded up, stops are exact places
where the base may stand and lie no further along than the allowance. Terrain does not change the length of a way but
the allowance, so a path says which pieces it enters, where, and for how long (LT-TERRAIN-03, -04, LT-ADVERS-17).
"""

from __future__ import annotations

import math

import msgspec
import numpy as np
import shapely

from emberboard.engine.plane.freespace import FreeSpace, Goal, Search, Trail, on_leg, portals
from emberboard.engine.plane.ground import Passage, Standing, passage, slowed_by, standing
from emberboard.engine.plane.scene import Model, Plane
from emberboard.engine.plane.units import (
    CONTACT_QUARTERS,
    FLOAT_NOISE,
    TIE,
    PlaneError,
    Point,
    distance_up,
    length_down,
    length_up,
    square_between,
)


class Bend(msgspec.Struct, frozen=True):
    """One leg of a path: straight, or an arc around a corner of a piece or around another base."""

    start: Point
    end: Point
    length: int
    around: str = ""
    centre: Point | None = None
    clockwise: bool = False


class Crossing(msgspec.Struct, frozen=True):
    """A stretch of a path where the base overlaps an area, as lengths along the path (touching is not entering)."""

    piece: str
    enter: int
    leave: int
    kinds: tuple[str, ...]
    slows: bool


class Touch(msgspec.Struct, frozen=True):
    """Where a path first comes into contact with another base, as a length along it."""

    id: str
    at: int


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


class Stop(msgspec.Struct, frozen=True):
    """Where a move along a path ends: the place, its level, the length used, and what cut it short."""

    at: Point
    level: int
    length: int
    whole: bool
    hindered_by: tuple[str, ...] = ()


class NoPath(msgspec.Struct, frozen=True):
    """Why there is no way: what hinders the end place, or what walls the start in; `within` is the limit searched."""

    model: str
    why: str
    blockers: tuple[str, ...]
    within: int | None = None


class Via(msgspec.Struct, frozen=True):
    """How a path may go: what is passed through, whether Difficult Terrain is avoided, what is solid for once."""

    passing: frozenset[str] = frozenset()
    avoid_slow: bool = False
    solid: frozenset[str] = frozenset()


DEFAULT = Via()
#: Ways over a narrow gap may bend at its rims every half inch, besides where the ends of the way ask for it.
PORTAL_PITCH = 500.0


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
    rings = {
        name: plane.piece(name).shape
        for name in space.gap_ids
        if plane.scenery.width(name) <= 2 * mover.radius
    }
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


def trail_length(trail: Trail, start: Point, end: Point) -> int:
    """The length of a trail whose last leg leads to the grid place `end`, rounded up; exact for a straight one."""
    if len(trail.legs) <= 1 and (not trail.legs or trail.legs[0].disc < 0):
        return distance_up(start, end)
    last = trail.legs[-1]
    if last.disc < 0:
        before = trail.length - last.cost
        along = before + math.dist((end.x, end.y), last.start)
    else:
        along = trail.length + math.dist((end.x, end.y), last.end)
    return max(length_up(along), distance_up(start, end))


def polyline(trail: Trail) -> tuple[np.ndarray, np.ndarray]:
    """A trail as points (n, 2) and the length at each; arcs in steps whose sagitta is below 1/50 of a thousandth."""
    points = [trail.start]
    lengths = [0.0]
    for leg in trail.legs:
        steps = 1 if leg.disc < 0 else max(1, math.ceil(abs(leg.sweep) / 0.01))
        for k in range(1, steps + 1):
            points.append(on_leg(leg, k / steps))
            lengths.append(lengths[-1] + leg.cost / steps)
    return np.array(points), np.array(lengths)


def _spans(trail: Trail, zone: shapely.Geometry) -> list[tuple[float, float]]:
    """The stretches of a trail inside a zone, as lengths along it."""
    points, lengths = polyline(trail)
    if len(points) < 2:
        return [(0.0, 0.0)] if shapely.intersects_xy(zone, *points[0]) else []
    lines = shapely.linestrings(np.stack([points[:-1], points[1:]], 1))
    spans: list[tuple[float, float]] = []
    for k in np.flatnonzero(shapely.intersects(zone, lines)):
        inner = shapely.intersection(zone, lines[k])
        for part in shapely.get_parts(inner):
            if part.length <= 0:
                continue
            ends = shapely.get_coordinates(part)
            size = lengths[k + 1] - lengths[k]
            whole = math.dist(points[k], points[k + 1]) or 1.0
            a, b = sorted(lengths[k] + size * math.dist(points[k], e) / whole for e in (ends[0], ends[-1]))
            if spans and a - spans[-1][1] < 0.01:
                spans[-1] = (spans[-1][0], b)
            else:
                spans.append((a, b))
    return spans


def crossings(plane: Plane, mover: Model, trail: Trail, via: Via = DEFAULT) -> tuple[Crossing, ...]:
    """The pieces the base overlaps along a trail, in order: areas, low barriers, what is passed through."""
    found: list[Crossing] = []
    points, _ = polyline(trail)
    if len(points) < 2:
        return ()
    line = shapely.LineString(points)
    for i, piece in enumerate(plane.scenery.pieces):
        polygon = plane.scenery.polygons[i]
        if piece.gap:
            # a base that only overhangs the rim crosses no gap (LT-TERRAIN-15)
            over = _spans(trail, polygon.buffer(-0.01)) if shapely.intersects(polygon, line) else []
            found += [Crossing(piece.id, length_down(a), length_up(b), piece.kinds, False) for a, b in over]
            continue
        walked = piece.id in via.passing or passage(mover, piece) is Passage.FREE
        if not walked or piece.id in via.solid or (via.avoid_slow and slowed_by(mover, piece)):
            continue
        if shapely.distance(polygon, line) >= mover.radius:
            continue
        # a fine buffer; an entry is where the overlap begins, and a graze of 1/1000 inch is touching
        zone = polygon.buffer(mover.radius, quad_segs=128)
        deep = polygon.buffer(mover.radius - 1, quad_segs=128)
        deeper = _spans(trail, deep)
        for enter, leave in _spans(trail, zone):
            if not any(enter <= a and b <= leave for a, b in deeper):
                continue
            found.append(
                Crossing(piece.id, length_down(enter), length_up(leave), piece.kinds, slowed_by(mover, piece))
            )
    return tuple(sorted(found, key=lambda c: (c.enter, c.piece)))


def touches(plane: Plane, mover: Model, trail: Trail, via: Via) -> tuple[Touch, ...]:
    """Where the trail first comes into contact with each other base, in order (LT-ADVERS-08).

    A contact the base starts in counts only when it is left and made again.
    """
    found: list[Touch] = []
    points, lengths = polyline(trail)
    line = shapely.LineString(points) if len(points) > 1 else shapely.Point(points[0])
    for other in plane.models.values():
        if other.id == mover.id:
            continue
        near = mover.radius + other.radius + CONTACT_QUARTERS / 4
        if shapely.distance(line, shapely.Point(other.at.x, other.at.y)) > near:
            continue
        at = _first_within(points, lengths, other.at, near)
        if at is not None:
            found.append(Touch(other.id, length_up(at)))
    return tuple(sorted(found, key=lambda t: (t.at, t.id)))


def _first_within(points: np.ndarray, lengths: np.ndarray, at: Point, near: float) -> float | None:
    """The length at which a way comes within `near` of a place; a contact it starts in must be left first."""
    inside = math.hypot(points[0][0] - at.x, points[0][1] - at.y) <= near
    for k in range(len(points) - 1):
        (x0, y0), (x1, y1) = points[k], points[k + 1]
        dx, dy = x1 - x0, y1 - y0
        length2 = dx * dx + dy * dy
        if length2 == 0:
            continue
        b = (x0 - at.x) * dx + (y0 - at.y) * dy
        root = b * b - length2 * ((x0 - at.x) ** 2 + (y0 - at.y) ** 2 - near * near)
        if root <= 0:
            inside = False
            continue
        enter, leave = (-b - math.sqrt(root)) / length2, (-b + math.sqrt(root)) / length2
        if not inside and 0 <= enter <= 1:
            return float(lengths[k] + enter * (lengths[k + 1] - lengths[k]))
        inside = inside and leave > 1
    return None


#: Grid offsets around a computed point, nearest first.
_AROUND = sorted(
    ((dx, dy) for dx in range(-4, 5) for dy in range(-4, 5)), key=lambda d: (d[0] ** 2 + d[1] ** 2, d)
)


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
    raise PlaneError(
        f"expected a path of this plane for {mover.id!r}, got one from {path.start} to {path.end}"
    )


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
