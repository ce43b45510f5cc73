"""Moving toward another model: into contact, within a distance, as near as possible.

Sources: LT-MOVE-08, -11, LT-ADVERS-07, -08, -13, -16, -37.
"""

from __future__ import annotations

import msgspec
import numpy as np

from emberboard.engine.plane.freespace import DEFAULT, Via
from emberboard.engine.plane.ground import Standing, slowed_by, standing
from emberboard.engine.plane.nearest import nearest_places, ring_corners, ring_places
from emberboard.engine.plane.paths import (
    NoPath,
    Path,
    describe,
    different,
    grid_point,
    mover_of,
    space_for,
    trails_to,
)
from emberboard.engine.plane.scene import Model, Plane, levels_touch
from emberboard.engine.plane.search import Goal
from emberboard.engine.plane.stops import Stop, near_contact, stop_on
from emberboard.engine.plane.trail import Trail, trail_length
from emberboard.engine.plane.units import (
    CONTACT_QUARTERS,
    FLOAT_NOISE,
    TIE,
    PlaneError,
    Point,
    length_up,
    square_between,
)


class Approach(msgspec.Struct, frozen=True):
    """A move toward something along the shortest way.

    `path` is the whole way to the goal; `stop` where this move ends; `reached` whether the goal (contact, or the
    distance asked for) holds there; `ties` other ways whose length ties within 0.01 inch.
    """

    target: str
    path: Path
    stop: Stop
    reached: bool
    stopped_by: str = ""
    ties: tuple[Path, ...] = ()


def engage(
    plane: Plane,
    model: str | Model,
    target: str,
    allowance: int,
    via: Via = DEFAULT,
    stop_at_enemies: bool = True,
) -> Approach | NoPath:
    """Move into contact with another model (or a solid marker) by the shortest way (LT-ADVERS-07, -08, -16, -37).

    With `stop_at_enemies` the first enemy touched on the way ends the move there (LT-ADVERS-08); a Hero need not
    (LT-MOVE-08). NoPath when no contact place can be reached at all.
    """
    mover = mover_of(plane, model)
    at, radius = target_disc(plane, target)
    reach = mover.radius + radius
    trails, here = _contact_trails(plane, mover, target, at, reach, via)
    if not trails:
        return _sealed(plane, mover, target, at, reach, via)
    ends = _ends(plane, mover, trails, at, reach, here)
    paths = [describe(plane, mover, t, via, end, level) for t, end, level in ends]
    best, trail = paths[0], trails[0]
    stopped = _stopped_by(plane, mover, trail, best, target, allowance) if stop_at_enemies else None
    if stopped is not None:
        stop, stopper = stopped
    elif allowance >= best.length:
        stop, stopper = Stop(best.end, best.end_level, best.length, True), ""
    else:
        stop, stopper = stop_on(plane, mover, trail, float(allowance)), ""
    other = plane.models.get(target)
    reached = square_between(stop.at, at) * 16 <= (4 * reach + CONTACT_QUARTERS) ** 2
    if other is not None and reached:
        reached = levels_touch(msgspec.structs.replace(mover, level=stop.level), other)
    return Approach(target, best, stop, reached, stopper, tuple(paths[1:]))


def _stopped_by(
    plane: Plane, mover: Model, trail: Trail, path: Path, target: str, allowance: int
) -> tuple[Stop, str] | None:
    """Where another enemy touched on the way ends the move, and which; None when none does."""
    enemies = {enemy.id: enemy for enemy in plane.enemies(mover)}
    for touch in path.touches:
        if touch.id == target or touch.id not in enemies:
            continue
        # contact begins between two grid places: take the first where it holds
        for more in range(12):
            if touch.at + more > min(allowance, path.length - 1):
                break
            stop = stop_on(plane, mover, trail, float(touch.at + more))
            if near_contact(mover, stop.at, enemies[touch.id]):
                return stop, touch.id
    return None


def target_disc(plane: Plane, target: str) -> tuple[Point, int]:
    thing = plane.models.get(target) or plane.markers.get(target)
    if thing is None:
        raise PlaneError(f"expected the id of a model or marker to approach, got {target!r}")
    return thing.at, thing.radius


def _contact_trails(
    plane: Plane, mover: Model, target: str, at: Point, reach: int, via: Via
) -> tuple[list[Trail], list[Point] | None]:
    """Trails to contact: to the rim itself if the base may stand where they end, else to the free places on it."""
    through = Via(via.passing | {target}, via.avoid_slow, via.solid)
    goal = _rim_goal(plane, mover, at, reach, through)
    trails = trails_to(plane, mover, goal, through, spare=TIE - FLOAT_NOISE)
    fit = [t for t in trails if _end_of(plane, mover, t, at, reach) is not None]
    if fit and fit[0].length <= trails[0].length + FLOAT_NOISE:
        return different(fit), None
    places = ring_places(plane, mover, at, reach)
    if not places:
        return [], None
    points = Goal(points=[(float(p.x), float(p.y)) for p in places])
    return different(trails_to(plane, mover, points, via, spare=TIE - FLOAT_NOISE)), places


def _rim_goal(plane: Plane, mover: Model, at: Point, reach: int, via: Via) -> Goal:
    """The circle of centres at a distance, and its corners with everything the base keeps out of."""
    slow = [p for p in plane.scenery.near(at, reach + mover.radius) if via.avoid_slow and slowed_by(mover, p)]
    corners = ring_corners(plane, mover, at, reach, slow)
    if corners:
        free = space_for(plane, mover, via).admits(
            np.array([x for x, _ in corners]), np.array([y for _, y in corners])
        )
        corners = [corner for corner, fits in zip(corners, free.tolist(), strict=True) if fits]
    return Goal(points=corners, centre=(float(at.x), float(at.y)), radius=float(reach))


def _ends(
    plane: Plane, mover: Model, trails: list[Trail], at: Point, reach: int, places: list[Point] | None
) -> list[tuple[Trail, Point, int]]:
    found: list[tuple[Trail, Point, int]] = []
    for trail in trails:
        end = grid_point(*trail.end) if places is not None else _end_of(plane, mover, trail, at, reach)
        if end is not None:
            found.append((trail, end, standing(plane, mover, end).level))
    return found


def _end_of(plane: Plane, mover: Model, trail: Trail, at: Point, reach: int) -> Point | None:
    """The grid place by a trail's end where the base stands in contact: the closest, then the shortest way."""
    cx, cy = round(trail.end[0]), round(trail.end[1])
    options: list[tuple[int, int, Point]] = []
    for dx in range(-3, 4):
        for dy in range(-3, 4):
            place = Point(cx + dx, cy + dy)
            apart = square_between(place, at)
            if apart >= reach * reach and 16 * apart <= (4 * reach + CONTACT_QUARTERS) ** 2:
                options.append((trail_length(trail, mover.at, place), apart, place))
    ideal = length_up(trail.length)
    # exact contact comes first among places no longer than the ideal way, then the rest
    options.sort(key=lambda o: (max(0, o[0] - ideal), o[1], o[2]))
    for _, _, place in options:
        if standing(plane, mover, place).legal:
            return place
    return None


def _sealed(plane: Plane, mover: Model, target: str, at: Point, reach: int, via: Via) -> NoPath:
    places = ring_places(plane, mover, at, reach)
    if places:
        return NoPath(mover.id, f"no way leads to a contact place of {target}", ())
    near = tuple(
        name
        for name, where, radius in plane.discs
        if name not in (mover.id, target) and square_between(where, at) < (reach + mover.radius + radius) ** 2
    )
    walls = tuple(p.id for p in plane.scenery.near(at, reach + mover.radius))
    return NoPath(mover.id, f"every contact place of {target} is taken", near + walls)


def approach(
    plane: Plane, model: str | Model, target: str, distance: int, allowance: int, via: Via = DEFAULT
) -> Approach | NoPath:
    """Move by the shortest way until the gap to a target is at most `distance`, as far as the allowance goes.

    Only the distance is asked for, not sight: LT-ADVERS-13 needs both, see `firing`. NoPath when the shortest way
    ends where the base may not stand.
    """
    mover = mover_of(plane, model)
    at, radius = target_disc(plane, target)
    reach = mover.radius + radius + distance
    through = Via(via.passing | {target}, via.avoid_slow, via.solid)
    through = through if distance == 0 else via
    goal = _rim_goal(plane, mover, at, reach, through)
    trails = trails_to(plane, mover, goal, through, spare=TIE - FLOAT_NOISE)
    for trail in trails:
        end = _within_reach(plane, mover, trail, at, reach)
        if end is None:
            continue
        path = describe(plane, mover, trail, via, end.at, end.level)
        if path.length <= allowance:
            return Approach(target, path, Stop(end.at, end.level, path.length, True), True)
        stop = stop_on(plane, mover, trail, float(allowance))
        return Approach(target, path, stop, square_between(stop.at, at) <= reach * reach)
    if not trails:
        return _sealed(plane, mover, target, at, reach, via)
    return NoPath(mover.id, f"the base may not stand where it comes within reach of {target}", ())


def _within_reach(plane: Plane, mover: Model, trail: Trail, at: Point, reach: int) -> Standing | None:
    """The grid place by a trail's end that is within reach of a target, by the shortest way."""
    cx, cy = round(trail.end[0]), round(trail.end[1])
    places = [Point(cx + dx, cy + dy) for dx in range(-3, 4) for dy in range(-3, 4)]
    near = [p for p in places if square_between(p, at) <= reach * reach]
    for place in sorted(near, key=lambda p: (trail_length(trail, mover.at, p), -square_between(p, at), p)):
        found = standing(plane, mover, place)
        if found.legal:
            return found
    return None


def move_near(plane: Plane, model: str | Model, target: str, allowance: int, via: Via = DEFAULT) -> Approach | NoPath:
    """Move as near as possible to a target that cannot be touched (LT-ADVERS-37).

    Heads for the free place with the smallest straight gap that a way leads to, as far as the allowance goes.
    """
    mover = mover_of(plane, model)
    at, _ = target_disc(plane, target)
    for places in nearest_places(plane, mover, at, limit=24):
        points = Goal(points=[(float(p.x), float(p.y)) for p in places])
        trails = different(trails_to(plane, mover, points, via, spare=TIE - FLOAT_NOISE))
        if not trails:
            continue
        paths = [
            describe(plane, mover, t, via, grid_point(*t.end), standing(plane, mover, grid_point(*t.end)).level)
            for t in trails
        ]
        stop = stop_on(plane, mover, trails[0], float(allowance))
        other = plane.models.get(target)
        touched = other is not None and near_contact(mover, stop.at, other)
        return Approach(target, paths[0], stop, touched, "", tuple(paths[1:]))
    return NoPath(mover.id, f"no free place nearer to {target} can be reached", ())
