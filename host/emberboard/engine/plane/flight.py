"""Flight from the nearest enemy (LT-PANIC-03, LT-PANIC-04)."""

from __future__ import annotations

import math

from emberboard.engine.plane.distance import nearest
from emberboard.engine.plane.freespace import DEFAULT
from emberboard.engine.plane.nearest import nearest_places
from emberboard.engine.plane.paths import NoPath, Path, describe, grid_point, trails_to
from emberboard.engine.plane.scene import Model, Plane
from emberboard.engine.plane.search import Goal
from emberboard.engine.plane.stops import Stop, stop_on
from emberboard.engine.plane.trail import Trail
from emberboard.engine.plane.units import (
    CONTACT_QUARTERS,
    FLOAT_NOISE,
    Point,
)


def flee(plane: Plane, model: str, length: int) -> tuple[Stop, Path | NoPath, str]:
    """Flee from the nearest enemy by the shortest way, ending no closer to any enemy (LT-PANIC-04).

    Aims at the point straight away from the nearest enemy's centre that lies `length` off (turned along the board
    edge, brought to the nearest place where the base may stand); stops at the last place of the way that keeps the
    smallest gap to any enemy at its starting value or more. Returns the stop, the way and the enemy fled from.
    """
    mover = plane.model(model)
    enemies = plane.enemies(mover)
    here = Stop(mover.at, mover.level, 0, False)
    found = nearest(plane, model, [e.id for e in enemies])
    if not found.ids:
        return here, NoPath(model, "no enemy to flee from", ()), ""
    threat = plane.model(found.ids[0])
    aim = _flight_aim(plane, mover, threat.at, float(length))
    for places in nearest_places(plane, mover, aim, limit=24):
        trails = trails_to(plane, mover, Goal(points=[(float(p.x), float(p.y)) for p in places]))
        if not trails:
            continue
        trail = trails[0]
        path = describe(plane, mover, trail, DEFAULT, grid_point(*trail.end), mover.level)
        return _keep_away(plane, mover, trail, float(length), enemies), path, threat.id
    return here, NoPath(model, "no free place to flee to can be reached", ()), threat.id


def _flight_aim(plane: Plane, mover: Model, threat: Point, length: float) -> Point:
    """The point `length` off on the ray away from the threat; from the board edge on along it (LT-EDGE-02)."""
    r = mover.radius
    x, y = float(mover.at.x), float(mover.at.y)
    size = math.dist((x, y), (threat.x, threat.y))
    ux, uy = (x - threat.x) / size, (y - threat.y) / size
    right, bottom = plane.scene.width - r, plane.scene.height - r
    room_x = (right - x) / ux if ux > 0 else (r - x) / ux if ux < 0 else math.inf
    room_y = (bottom - y) / uy if uy > 0 else (r - y) / uy if uy < 0 else math.inf
    first = min(length, room_x, room_y)
    x, y = x + ux * first, y + uy * first
    left = length - first
    if left > 0:
        if room_x <= room_y:
            y = y + (left if y >= threat.y else -left)
        else:
            x = x + (left if x >= threat.x else -left)
    return Point(round(min(max(x, r), right)), round(min(max(y, r), bottom)))


def _keep_away(plane: Plane, mover: Model, trail: Trail, length: float, enemies: list[Model]) -> Stop:
    def closest(at: Point) -> float:
        return min(math.dist((at.x, at.y), (e.at.x, e.at.y)) - e.radius for e in enemies)

    keep = closest(mover.at) - FLOAT_NOISE
    limit = length
    while True:
        stop = stop_on(plane, mover, trail, limit)
        if stop.length == 0 or closest(stop.at) >= keep:
            return stop
        limit = min(limit, float(stop.length)) - CONTACT_QUARTERS / 4
        if limit <= 0:
            return Stop(mover.at, mover.level, 0, False, stop.hindered_by)
