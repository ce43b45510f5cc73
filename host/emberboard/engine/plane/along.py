"""What happens along a path: the areas it enters and for how long, and the bases it comes into contact with.

Sources: LT-TERRAIN-03, -04, -15, LT-ADVERS-08.
"""

from __future__ import annotations

import math

import msgspec
import numpy as np
import shapely

from emberboard.engine.plane.freespace import DEFAULT, Via
from emberboard.engine.plane.ground import Passage, passage, slowed_by
from emberboard.engine.plane.scene import Model, Plane
from emberboard.engine.plane.trail import Trail, polyline
from emberboard.engine.plane.units import CONTACT_QUARTERS, Point, length_down, length_up


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
