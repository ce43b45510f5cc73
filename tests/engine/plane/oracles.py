"""Slow, plain answers to the plane's questions: rasters and dense samples, made with nothing of the engine's search."""

from __future__ import annotations

import heapq
import math
from collections import deque

import numpy as np
import shapely
from numpy.typing import NDArray

from emberboard.engine.plane.ground import Passage, passage, slowed_by
from emberboard.engine.plane.scene import Model, Plane
from emberboard.engine.plane.units import Point

#: Steps of a raster walk: the 16 directions of king and knight moves.
STEPS = [(dx, dy) for dx in range(-2, 3) for dy in range(-2, 3) if math.gcd(dx, dy) == 1]


def solid_shapes(plane: Plane, mover: Model, avoid_slow: bool = False) -> list[shapely.Polygon]:
    return [
        plane.scenery.polygons[i]
        for i, p in enumerate(plane.scenery.pieces)
        if passage(mover, p) in (Passage.SOLID, Passage.CLIMB) or (avoid_slow and slowed_by(mover, p))
    ]


def clearance(
    plane: Plane, mover: Model, lines: NDArray[np.object_], avoid_slow: bool = False
) -> NDArray[np.float64]:
    """How much more room than its radius the centre's way has to everything solid, for each line or point."""
    room = np.full(len(lines), math.inf)
    for shape in solid_shapes(plane, mover, avoid_slow):
        room = np.minimum(room, shapely.distance(shape, lines) - mover.radius)
    for name, at, radius in plane.discs:
        if name != mover.id:
            room = np.minimum(room, shapely.distance(shapely.Point(at.x, at.y), lines) - radius - mover.radius)
    bounds = shapely.bounds(lines)
    r = mover.radius
    for k, far in ((0, r), (1, r)):
        room = np.minimum(room, bounds[:, k] - far)
    room = np.minimum(room, plane.scene.width - r - bounds[:, 2])
    return np.minimum(room, plane.scene.height - r - bounds[:, 3])


def raster_lengths(
    plane: Plane, mover: Model, pitch: int, spare: float = 0.0, avoid_slow: bool = False
) -> dict[Point, float]:
    """Lengths of walks on a raster through the mover's place: every step keeps the base clear, less `spare`."""
    x0, y0 = mover.at.x % pitch, mover.at.y % pitch
    xs = np.arange(x0, plane.scene.width + 1, pitch)
    ys = np.arange(y0, plane.scene.height + 1, pitch)
    gx, gy = np.meshgrid(xs, ys, indexing="ij")
    points = shapely.points(gx.ravel(), gy.ravel())
    free = (clearance(plane, mover, points, avoid_slow) >= -spare - 1e-9).reshape(gx.shape)
    start = (int(np.searchsorted(xs, mover.at.x)), int(np.searchsorted(ys, mover.at.y)))
    free[start] = True
    open_edges: dict[tuple[int, int], NDArray[np.bool_]] = {}
    columns, rows = free.shape
    for dx, dy in STEPS:
        if (dx, dy) < (0, 0):
            continue
        i0, i1 = max(0, -dx), min(columns, columns - dx)
        j0, j1 = max(0, -dy), min(rows, rows - dy)
        both = np.zeros(free.shape, dtype=bool)
        both[i0:i1, j0:j1] = free[i0:i1, j0:j1] & free[i0 + dx : i1 + dx, j0 + dy : j1 + dy]
        some = np.argwhere(both)
        if len(some):
            a = np.stack([xs[some[:, 0]], ys[some[:, 1]]], 1)
            b = np.stack([xs[some[:, 0] + dx], ys[some[:, 1] + dy]], 1)
            lines = shapely.linestrings(np.stack([a, b], 1))
            ok = clearance(plane, mover, lines, avoid_slow) >= -spare - 1e-9
            both[tuple(some[~ok].T)] = False
        open_edges[(dx, dy)] = both
    cost = {start: 0.0}
    heap: list[tuple[float, tuple[int, int]]] = [(0.0, start)]
    while heap:
        d, (i, j) = heapq.heappop(heap)
        if d > cost[(i, j)]:
            continue
        for dx, dy in STEPS:
            if (dx, dy) in open_edges:
                ok = open_edges[(dx, dy)][i, j]
            else:
                a, b = i + dx, j + dy
                ok = 0 <= a < columns and 0 <= b < rows and open_edges[(-dx, -dy)][a, b]
            if ok:
                step = d + pitch * math.hypot(dx, dy)
                if step < cost.get((i + dx, j + dy), math.inf):
                    cost[(i + dx, j + dy)] = step
                    heapq.heappush(heap, (step, (i + dx, j + dy)))
    return {Point(int(xs[i]), int(ys[j])): d for (i, j), d in cost.items()}


def sampled_view(plane: Plane, own: Model, other: Model, rays: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """For each of many rays from the viewer's centre to the target's base: blocked, obscured (scenery and bodies)."""
    dx, dy = other.at.x - own.at.x, other.at.y - own.at.y
    far, r = math.hypot(dx, dy), other.radius
    half = math.asin(r / far)
    middle = math.atan2(dy, dx)
    angles = (np.arange(rays) + 0.5) / rays * 2 * half - half
    ends = far * np.cos(angles) - np.sqrt(np.maximum(r * r - (far * np.sin(angles)) ** 2, 0))
    tips = np.stack([own.at.x + ends * np.cos(angles + middle), own.at.y + ends * np.sin(angles + middle)], 1)
    lines = shapely.linestrings(np.stack([np.broadcast_to([float(own.at.x), float(own.at.y)], tips.shape), tips], 1))
    blocked = np.zeros(rays, dtype=bool)
    obscured = np.zeros(rays, dtype=bool)
    viewer = shapely.Point(own.at.x, own.at.y)
    target = shapely.Point(other.at.x, other.at.y)
    for i, p in enumerate(plane.scenery.pieces):
        shape = plane.scenery.polygons[i]
        stood_on = (shape.contains(viewer) and own.level == p.height) or (
            shape.contains(target) and other.level == p.height
        )
        if p.height > 0 and stood_on:
            continue
        inner = shapely.intersection(shape, lines)
        hit = shapely.length(inner) > 1e-3
        if p.dense:
            wholly = shape.contains(target) and shape.boundary.distance(target) >= r
            if shape.distance(viewer) < own.radius or wholly:
                continue
            inside_end = shapely.distance(shape, shapely.points(tips)) < 1e-3
            parts = shapely.get_num_geometries(inner)
            through = hit & (~inside_end | (parts > 1))
            blocked |= through
            obscured |= hit & ~through
        elif p.height >= max(own.top, other.top):
            blocked |= hit
        elif p.height > 0:
            obscured |= hit
    for body in plane.models.values():
        if body.side == own.side or body.id in (own.id, other.id):
            continue
        gap = shapely.distance(shapely.Point(body.at.x, body.at.y), lines)
        hit = gap < body.radius - 1e-6
        if body.size > own.size and body.size > other.size:
            blocked |= hit
        else:
            obscured |= hit
    return blocked, obscured & ~blocked


def can_lose_contact(plane: Plane, own: Model, pitch: int, spare: float) -> bool:
    """Flood fill of centres on a raster: whether a place out of contact with every enemy is reached.

    Steps keep the base clear of enemies, impassable scenery and the edge, less `spare`; contact counts for less too.
    """
    enemies = plane.enemies(own)
    shapes = [plane.scenery.polygons[i] for i, p in enumerate(plane.scenery.pieces) if p.impassable]
    r = own.radius

    def free(x: int, y: int) -> bool:
        if not (r - spare <= x <= plane.scene.width - r + spare and r - spare <= y <= plane.scene.height - r + spare):
            return False
        if any(math.hypot(x - e.at.x, y - e.at.y) < r + e.radius - spare for e in enemies):
            return False
        point = shapely.Point(x, y)
        return all(shape.distance(point) >= r - spare for shape in shapes)

    def lost(x: int, y: int) -> bool:
        return all(math.hypot(x - e.at.x, y - e.at.y) > r + e.radius + 31.25 - spare for e in enemies)

    seen = {(own.at.x, own.at.y)}
    queue = deque(seen)
    while queue:
        x, y = queue.popleft()
        if lost(x, y):
            return True
        for dx, dy in ((pitch, 0), (-pitch, 0), (0, pitch), (0, -pitch)):
            spot = (x + dx, y + dy)
            if spot not in seen and free(*spot):
                seen.add(spot)
                queue.append(spot)
    return False
