"""The nearest free place to a wish, under conditions; and the free places around a base.

The nearest place of a region bounded by circles and straight offsets is the wish itself, its foot on one boundary, or
a corner where two boundaries meet: all of them are made and sifted, so the answer is the nearest place to 1/1000 inch,
not the nearest of a sample. Sources: LT-SPAWN-06, -09, LT-SPELL-10, LT-RECOV-04, LT-VILLAGE-05, -24..26.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
import shapely
from numpy.typing import NDArray

from emberboard.engine.plane.distance import gap
from emberboard.engine.plane.ground import Hindrance, barred, standing
from emberboard.engine.plane.placing import (
    Apart,
    Condition,
    Near,
    Off,
    Touching,
    Unengaged,
    Unmet,
    Wholly,
    disc_of,
    place,
)
from emberboard.engine.plane.scene import Model, Piece, Plane
from emberboard.engine.plane.units import (
    CONTACT,
    CONTACT_QUARTERS,
    TIE,
    Point,
    square_between,
)

Floats = NDArray[np.float64]
#: Tied places closer together than this are one choice.
SAME_PLACE = 250


class NearestPlaces(msgspec.Struct, frozen=True):
    """The nearest free places to a wish: all that tie within 0.01 inch, and what hindered the wish itself.

    `distance` is that from the wish to the base edge (0 when the base covers or touches it): then every legal place
    that covers it is as good, and `places` are only its corners.
    """

    places: tuple[Point, ...]
    distance: int
    hindered_by: tuple[Hindrance, ...]
    unmet: tuple[Unmet, ...]


def nearest_place(
    plane: Plane,
    model: str | Model,
    wish: Point | str,
    conditions: Sequence[Condition] = (),
    level: int | None = None,
) -> NearestPlaces:
    """The nearest places to a point, a base, a marker or a piece where the base may stand under the conditions.

    Near a point that can be covered every covering place is equal (LT-VILLAGE-05). Empty when there is none.
    """
    mover = model if isinstance(model, Model) else plane.model(model)
    target = wish if isinstance(wish, Point) or wish in plane.pieces else plane_disc_centre(plane, wish)
    at = target if isinstance(target, Point) else _middle(plane, target)
    first = place(plane, mover, at, conditions, level)
    for group in nearest_places(plane, mover, target, conditions, level):
        distance = gap(plane, msgspec.structs.replace(mover, at=group[0]), wish).gap
        return NearestPlaces(tuple(group), distance, first.hindrances, first.unmet)
    return NearestPlaces((), 0, first.hindrances, first.unmet)


def plane_disc_centre(plane: Plane, thing: str) -> Point:
    """The centre of a base or marker; PlaneError (by way of `piece`) when the id is unknown."""
    disc = disc_of(plane, thing)
    return disc[0] if disc is not None else plane.piece(thing).shape[0]


def _middle(plane: Plane, piece_id: str) -> Point:
    centre = plane.scenery.polygon(piece_id).centroid
    return Point(round(centre.x), round(centre.y))


class _Curves:
    """Boundaries of the region where a base may stand: circles, and lines as (point, unit direction)."""

    def __init__(self) -> None:
        self.circles: list[tuple[float, float, float]] = []
        self.lines: list[tuple[float, float, float, float]] = []

    def ring(self, shape: Sequence[Point], r: float) -> None:
        for i, b in enumerate(shape):
            a = shape[i - 1]
            size = math.hypot(b.x - a.x, b.y - a.y)
            ux, uy = (b.x - a.x) / size, (b.y - a.y) / size
            self.circles.append((b.x, b.y, r))
            for side in (r, -r) if r else (0.0,):
                self.lines.append((a.x - uy * side, a.y + ux * side, ux, uy))


def _curves(plane: Plane, mover: Model, conditions: Sequence[Condition], at: Point, reach: float) -> _Curves:
    made = _Curves()
    r = float(mover.radius)
    width, height = plane.scene.width, plane.scene.height
    made.lines += [(r, 0, 0, 1), (width - r, 0, 0, 1), (0, r, 1, 0), (0, height - r, 1, 0)]
    for name, where, radius in plane.discs:
        if name != mover.id and math.dist((where.x, where.y), (at.x, at.y)) <= reach + r + radius:
            made.circles.append((where.x, where.y, r + radius))
    for piece in plane.scenery.near(at, math.ceil(reach + r)):
        if not piece.flat or piece.gap or barred(mover, piece):
            made.ring(piece.shape, r)
    for c in conditions:
        match c:
            case Near(of=of, limit=limit) | Apart(of=of, limit=limit):
                _offset(plane, made, of, r + limit)
            case Touching(of=of):
                _offset(plane, made, of, r)
                _offset(plane, made, of, r + CONTACT)
            case Unengaged(ids=ids):
                for other in ids or tuple(e.id for e in plane.enemies(mover)):
                    _offset(plane, made, other, r + CONTACT + 1)
            case Wholly(centre=centre, radius=radius):
                made.circles.append((centre.x, centre.y, max(0.0, radius - r)))
            case Off(kind=kind):
                for piece in plane.scenery.near(at, math.ceil(reach + r)):
                    if piece.has(kind):
                        made.ring(piece.shape, r)
    return made


def _offset(plane: Plane, made: _Curves, of: str | Point, r: float) -> None:
    disc = disc_of(plane, of)
    if disc is not None:
        made.circles.append((disc[0].x, disc[0].y, disc[1] + r))
    else:
        made.ring(plane.piece(str(of)).shape, r)


def _meetings(curves: _Curves) -> Floats:
    """Every point where two boundaries meet, (n, 2)."""
    found: list[Floats] = []
    if curves.lines:
        px, py, ux, uy = np.array(curves.lines, dtype=float).T
        i, j = np.triu_indices(len(px), 1)
        turn = ux[i] * uy[j] - uy[i] * ux[j]
        ok = np.abs(turn) > 1e-9
        i, j, turn = i[ok], j[ok], turn[ok]
        t = ((px[j] - px[i]) * uy[j] - (py[j] - py[i]) * ux[j]) / turn
        found.append(np.stack([px[i] + t * ux[i], py[i] + t * uy[i]], 1))
    if curves.circles:
        cx, cy, cr = np.array(curves.circles, dtype=float).T
        if curves.lines:
            dx, dy = cx[:, None] - px, cy[:, None] - py
            along = dx * ux + dy * uy
            off = -dx * uy + dy * ux
            room = cr[:, None] ** 2 - off**2
            a, b = np.nonzero(room >= 0)
            half = np.sqrt(room[a, b])
            for sign in (1.0, -1.0):
                t = along[a, b] + sign * half
                found.append(np.stack([px[b] + t * ux[b], py[b] + t * uy[b]], 1))
        i, j = np.triu_indices(len(cx), 1)
        dx, dy = cx[j] - cx[i], cy[j] - cy[i]
        d = np.hypot(dx, dy)
        ok = (d > 1e-9) & (d <= cr[i] + cr[j]) & (d >= np.abs(cr[i] - cr[j]))
        i, j, dx, dy, d = i[ok], j[ok], dx[ok], dy[ok], d[ok]
        along = (d * d + cr[i] ** 2 - cr[j] ** 2) / (2 * d)
        half = np.sqrt(np.maximum(cr[i] ** 2 - along**2, 0.0))
        for sign in (1.0, -1.0):
            x = cx[i] + (dx * along - sign * dy * half) / d
            y = cy[i] + (dy * along + sign * dx * half) / d
            found.append(np.stack([x, y], 1))
    return np.concatenate(found) if found else np.empty((0, 2))


def _feet(curves: _Curves, x: float, y: float) -> Floats:
    """The feet of a point on every boundary."""
    found: list[tuple[float, float]] = []
    for cx, cy, r in curves.circles:
        d = math.hypot(x - cx, y - cy)
        if d < 1e-9:
            found += [(cx + r, cy), (cx - r, cy), (cx, cy + r), (cx, cy - r)]
        else:
            found.append((cx + (x - cx) * r / d, cy + (y - cy) * r / d))
    for px, py, ux, uy in curves.lines:
        t = (x - px) * ux + (y - py) * uy
        found.append((px + t * ux, py + t * uy))
    return np.array(found, dtype=float).reshape(-1, 2)


def nearest_places(
    plane: Plane,
    mover: Model,
    wish: Point | str,
    conditions: Sequence[Condition] = (),
    level: int | None = None,
    limit: int = 0,
) -> Iterator[list[Point]]:
    """Groups of free places that tie within 0.01 inch, nearest first: corners of the free region around the wish.

    `limit` > 0 ends after that many groups.
    """
    at = wish if isinstance(wish, Point) else _middle(plane, wish)
    polygon = None if isinstance(wish, Point) else plane.scenery.polygon(wish)
    reach, last, given = 2.5 * 1000 + mover.radius, -1.0, 0
    if polygon is not None:
        left, top, right, bottom = polygon.bounds
        reach += math.hypot(right - left, bottom - top)
    diagonal = math.hypot(plane.scene.width, plane.scene.height)
    while True:
        group: list[Point] = []
        first = 0.0
        for distance, spot in _candidates(plane, mover, at, polygon, conditions, reach):
            if distance <= last or (polygon is None and distance > reach):
                continue
            if group and distance - first >= TIE - 1e-9:
                yield group
                given, group = given + 1, []
                if limit and given >= limit:
                    return
            legal = _legal_near(plane, mover, spot, conditions, level, at, polygon)
            if legal is None or any(square_between(legal, p) < SAME_PLACE**2 for p in group):
                continue
            if not group:
                first = distance
            group.append(legal)
        if group:
            yield group
            given += 1
            if limit and given >= limit:
                return
        if reach > diagonal:
            return
        last = reach if polygon is None else last
        if polygon is not None and given:
            return
        reach *= 3


def _candidates(
    plane: Plane,
    mover: Model,
    at: Point,
    polygon: shapely.Polygon | None,
    conditions: Sequence[Condition],
    reach: float,
) -> Iterator[tuple[float, tuple[float, float]]]:
    curves = _curves(plane, mover, conditions, at, reach)
    spots = [np.array([[at.x, at.y]], dtype=float), _feet(curves, at.x, at.y), _meetings(curves)]
    if polygon is not None:
        # feet of the piece's corners, and of the middles of its edges, on every boundary
        corners = shapely.get_coordinates(polygon)
        for x, y in np.concatenate([corners[:-1], (corners[:-1] + corners[1:]) / 2]):
            spots.append(_feet(curves, float(x), float(y)))
    points = np.concatenate(spots)
    ok = np.isfinite(points).all(axis=1)
    ok &= np.hypot(points[:, 0] - at.x, points[:, 1] - at.y) <= reach + 1
    points = points[ok]
    # nothing that plainly overlaps another base
    for name, where, radius in plane.discs:
        if name != mover.id and len(points):
            limit = mover.radius + radius - 3.0
            points = points[(points[:, 0] - where.x) ** 2 + (points[:, 1] - where.y) ** 2 >= limit * limit]
    if polygon is None:
        key = np.hypot(points[:, 0] - at.x, points[:, 1] - at.y)
    else:
        key = np.round(shapely.distance(polygon, shapely.points(points)), 3)
    order = np.lexsort((points[:, 1], points[:, 0], np.round(key, 6)))
    last = (math.inf, math.inf)
    for k in order:
        spot = (float(points[k, 0]), float(points[k, 1]))
        if abs(spot[0] - last[0]) < 1e-6 and abs(spot[1] - last[1]) < 1e-6:
            continue
        last = spot
        yield float(key[k]), spot


def _legal_near(
    plane: Plane,
    mover: Model,
    spot: tuple[float, float],
    conditions: Sequence[Condition],
    level: int | None,
    at: Point,
    polygon: shapely.Polygon | None,
) -> Point | None:
    """The best legal grid place within 2/1000 inch of a computed corner."""
    x, y = spot
    cx, cy = round(x), round(y)
    options = [Point(cx + dx, cy + dy) for dx in range(-2, 3) for dy in range(-2, 3)]
    if polygon is None:
        options.sort(key=lambda p: (square_between(p, at), p))
    else:
        options.sort(key=lambda p: (math.hypot(p.x - x, p.y - y), p))
    for option in options:
        if place(plane, mover, option, conditions, level).legal:
            return option
    return None


def ring_corners(
    plane: Plane, mover: Model, at: Point, reach: int, pieces: Sequence[Piece] = ()
) -> list[tuple[float, float]]:
    """The points where the circle around a place meets a boundary of the free space, the outlines of `pieces` too."""
    curves = _curves(plane, mover, (), at, reach + 2.0 * mover.radius)
    for piece in pieces:
        curves.ring(piece.shape, float(mover.radius))
    return [(float(x), float(y)) for x, y in _meetings_with(curves, (float(at.x), float(at.y), float(reach)))]


def ring_places(plane: Plane, mover: Model, at: Point, reach: int) -> list[Point]:
    """Places where the base stands in contact with the disc at `at` (both radii together `reach`).

    The corners of every free stretch of the ring, and 64 places around it.
    """
    curves = _curves(plane, mover, (), at, reach + 2.0 * mover.radius)
    ring = (float(at.x), float(at.y), float(reach))
    curves.circles = [c for c in curves.circles if c != ring]
    meetings = _meetings_with(curves, ring)
    angles = np.arange(64) * (math.pi / 32)
    samples = np.stack([at.x + reach * np.cos(angles), at.y + reach * np.sin(angles)], 1)
    found: dict[Point, None] = {}
    for x, y in np.concatenate([meetings, samples]).tolist():
        cx, cy = round(x), round(y)
        options = sorted(
            (Point(cx + dx, cy + dy) for dx in range(-3, 4) for dy in range(-3, 4)),
            key=lambda p: (square_between(p, at), p),
        )
        for option in options:
            apart = square_between(option, at)
            if apart < reach * reach or 16 * apart > (4 * reach + CONTACT_QUARTERS) ** 2:
                continue
            if standing(plane, mover, option).legal:
                found[option] = None
                break
    return list(found)


def _meetings_with(curves: _Curves, ring: tuple[float, float, float]) -> Floats:
    """The points where a circle meets every boundary."""
    found: list[tuple[float, float]] = []
    x, y, r = ring
    for cx, cy, cr in curves.circles:
        d = math.hypot(cx - x, cy - y)
        if d < 1e-9 or not abs(r - cr) <= d <= r + cr:
            continue
        along = (d * d + r * r - cr * cr) / (2 * d)
        half = math.sqrt(max(0.0, r * r - along * along))
        ux, uy = (cx - x) / d, (cy - y) / d
        for sign in (1.0, -1.0):
            found.append((x + ux * along - sign * uy * half, y + uy * along + sign * ux * half))
    for px, py, ux, uy in curves.lines:
        along = (x - px) * ux + (y - py) * uy
        off = -(x - px) * uy + (y - py) * ux
        if abs(off) <= r:
            half = math.sqrt(r * r - off * off)
            for sign in (1.0, -1.0):
                t = along + sign * half
                found.append((px + t * ux, py + t * uy))
    return np.array(found, dtype=float).reshape(-1, 2)
