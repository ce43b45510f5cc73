"""Moves: straight on, into contact, within a distance, directly away, pushed, and through things.

Each answer says where the base ends, how far it went, and what stopped it. Ends are exact places where the base may
stand; a move never exceeds its allowance. Sources: MOVE, RUN-05, SPECIAL-02, -03, -11, -12, EDGE-01, EDGE-02,
ADVERS-07, -08, -13, -16..19, -37, PANIC-04, VILLAGE-12, -14, CLIMB-10.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from emberboard.engine.plane.distance import nearest
from emberboard.engine.plane.freespace import Goal, Leg, Trail
from emberboard.engine.plane.ground import Passage, Standing, barred, passage, standing
from emberboard.engine.plane.paths import (
    DEFAULT,
    NoPath,
    Path,
    Stop,
    Via,
    crossings,
    describe,
    different,
    grid_point,
    mover_of,
    near_contact,
    settle,
    stop_on,
    trail_length,
    trails_to,
)
from emberboard.engine.plane.placing import nearest_places, ring_places
from emberboard.engine.plane.scene import EDGES, Model, Plane, levels_touch
from emberboard.engine.plane.units import (
    CONTACT_QUARTERS,
    FLOAT_NOISE,
    TIE,
    PlaneError,
    Point,
    length_up,
    square_between,
)


class Straight(msgspec.Struct, frozen=True):
    """A straight displacement: where it ends, how far it got, what stopped it ('' when it went the full length)."""

    model: str
    start: Point
    end: Point
    level: int
    length: int
    full: bool
    stopped_by: str = ""
    rule: str = ""
    entered: tuple[str, ...] = ()


class Pushed(msgspec.Struct, frozen=True):
    """A push: the straight way, whether it gives Staggered, and over which rim the model fell, if any.

    `falls_into` is the gap, or the platform it was pushed off; `fall_from` the rim's place (LT-CLIMB-10).
    """

    way: Straight
    staggered: bool
    falls_into: str = ""
    fall_from: Point | None = None


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


def straight_trail(mover: Model, end: tuple[float, float]) -> Trail:
    """The straight line of a base from where it stands."""
    start = (float(mover.at.x), float(mover.at.y))
    length = math.dist(start, end)
    legs = [Leg(start, end, length)] if length > 0 else []
    return Trail(legs, length, start, end)


def straight_move(
    plane: Plane, model: str | Model, toward: Point, length: int, pushed: bool = False
) -> Straight:
    """Move the base in a straight line toward a point, up to `length`, until something stops it.

    What stops it: other bases, solid markers, pieces it cannot step over, gaps wider than its base, the board edge
    (LT-MOVE-05, -06, LT-TERRAIN-11, -14, -15, LT-EDGE-01). Areas do not stop it; those entered are named. With
    `pushed` gaps and the rim of a platform do not stop it either (the caller asks `push`).
    Raises PlaneError when `toward` is the place it stands on.
    """
    mover = mover_of(plane, model)
    if toward == mover.at:
        raise PlaneError(f"expected a direction for {mover.id!r}, got its own place")
    dx, dy = toward.x - mover.at.x, toward.y - mover.at.y
    size = math.hypot(dx, dy)
    ux, uy = dx / size, dy / size
    free, blocker, rule = _free_run(plane, mover, ux, uy, float(length), pushed)
    end = (mover.at.x + ux * free, mover.at.y + uy * free)
    trail = straight_trail(mover, end)
    stop = stop_on(plane, mover, trail, min(float(length), free + 1.0))
    if stop.hindered_by and not blocker:
        blocker, rule = stop.hindered_by[0], "LT-MOVE-03"
    entered = _entered(plane, mover, stop.at)
    return Straight(
        model=mover.id,
        start=mover.at,
        end=stop.at,
        level=stop.level,
        length=stop.length,
        full=not blocker and stop.whole,
        stopped_by=blocker,
        rule=rule,
        entered=entered,
    )


def _free_run(
    plane: Plane, mover: Model, ux: float, uy: float, length: float, pushed: bool
) -> tuple[float, str, str]:
    """How far the base may slide along a unit direction, what stops it and by which rule."""
    best, blocker, rule = length, "", ""

    def offer(at: float, name: str, by: str) -> None:
        nonlocal best, blocker, rule
        if at < best - FLOAT_NOISE or (not blocker and at <= best + FLOAT_NOISE):
            best, blocker, rule = max(0.0, min(at, best)), name, by

    x, y, r = float(mover.at.x), float(mover.at.y), float(mover.radius)
    for name, room, speed in (
        (EDGES[0], x - r, -ux),
        (EDGES[1], y - r, -uy),
        (EDGES[2], plane.scene.width - r - x, ux),
        (EDGES[3], plane.scene.height - r - y, uy),
    ):
        if speed > 1e-12 and room / speed < length:
            offer(room / speed, name, "LT-EDGE-01")
    for other, at, radius in plane.discs:
        if other != mover.id:
            hit = _hit_disc(at.x - x, at.y - y, ux, uy, r + radius)
            if hit is not None and hit < length:
                offer(hit, other, "LT-MOVE-05")
    for piece in plane.scenery.pieces:
        how = passage(mover, piece)
        if how is Passage.FREE:
            continue
        if how is Passage.GAP:
            if not pushed:
                rim = _gap_ahead(plane, mover, piece.id, ux, uy, length)
                if rim is not None:
                    offer(rim, piece.id, "LT-TERRAIN-15")
            continue
        if piece.height == mover.level and mover.level and not barred(mover, piece):
            continue
        hit = _hit_ring([(p.x - x, p.y - y) for p in piece.shape], ux, uy, r)
        if hit is not None and hit < length:
            offer(hit, piece.id, "LT-TERRAIN-11" if piece.impassable else "LT-CLIMB-01")
    return best, blocker, rule


def _hit_disc(px: float, py: float, ux: float, uy: float, reach: float) -> float | None:
    """The distance at which a point from the origin along u comes within `reach` of p, moving closer."""
    along = px * ux + py * uy
    if along <= 0:
        return None
    off2 = px * px + py * py - along * along
    if off2 >= reach * reach - FLOAT_NOISE:
        return None
    return max(0.0, along - math.sqrt(reach * reach - off2))


def _hit_ring(ring: Sequence[tuple[float, float]], ux: float, uy: float, r: float) -> float | None:
    """The distance at which a disc from the origin along u meets the outline, moving into it."""
    best: float | None = None
    for i, (bx, by) in enumerate(ring):
        ax, ay = ring[i - 1]
        hits = [_hit_disc(ax, ay, ux, uy, r)]
        ex, ey = bx - ax, by - ay
        size = math.hypot(ex, ey)
        nx, ny = -ey / size, ex / size
        off = ax * nx + ay * ny
        closing = ux * nx + uy * ny
        if off < 0:
            off, closing = -off, -closing
        if closing > 1e-12 and off >= r - 1.0:
            at = max(0.0, (off - r) / closing)
            foot = ((at * ux - ax) * ex + (at * uy - ay) * ey) / (size * size)
            if 0 <= foot <= 1:
                hits.append(at)
        for hit in hits:
            if hit is not None and (best is None or hit < best):
                best = hit
    return best


def _gap_ahead(plane: Plane, mover: Model, gap_id: str, ux: float, uy: float, length: float) -> float | None:
    """Where the base must stop before a gap wider than it is on this line: fully on the near side (LT-CLIMB-07)."""
    for near, far in gap_chords(plane, gap_id, mover.at, ux, uy):
        if far - near > 2 * mover.radius + FLOAT_NOISE and near - mover.radius < length:
            ring = [(p.x - mover.at.x, p.y - mover.at.y) for p in plane.piece(gap_id).shape]
            return _hit_ring(ring, ux, uy, float(mover.radius))
    return None


def gap_chords(plane: Plane, gap_id: str, at: Point, ux: float, uy: float) -> list[tuple[float, float]]:
    """The stretches of a ray inside a gap, as distances from `at`, nearest first."""
    ring = plane.piece(gap_id).shape
    hits: list[float] = []
    for i, b in enumerate(ring):
        a = ring[i - 1]
        sa = ux * (a.y - at.y) - uy * (a.x - at.x)
        sb = ux * (b.y - at.y) - uy * (b.x - at.x)
        if (sa > 0) != (sb > 0):
            t = sa / (sa - sb)
            px, py = a.x + t * (b.x - a.x) - at.x, a.y + t * (b.y - a.y) - at.y
            hits.append(px * ux + py * uy)
    hits.sort()
    return [(n, f) for n, f in zip(hits[::2], hits[1::2], strict=False) if f > 0]


def _entered(plane: Plane, mover: Model, end: Point) -> tuple[str, ...]:
    trail = straight_trail(mover, (float(end.x), float(end.y)))
    return tuple(dict.fromkeys(c.piece for c in crossings(plane, mover, trail)))


def push(plane: Plane, model: str, source: Point | str, length: int) -> Pushed:
    """Push a model straight away from a source until something stops it (LT-SPECIAL-11, LT-SPECIAL-12).

    The direction runs from the source's centre to the target's. Other models, impassable pieces, barriers too high to
    step over, solid markers and the board edge stop it and give Staggered, also when it touched them already; flat
    areas do not. Over the rim of a platform, or into a gap wider than its base, it falls: the way ends at the rim.
    """
    mover = plane.model(model)
    origin = source if isinstance(source, Point) else plane.model(source).at
    if origin == mover.at:
        raise PlaneError(f"expected a source away from {model!r}, got its own centre")
    ahead = Point(2 * mover.at.x - origin.x, 2 * mover.at.y - origin.y)
    way = straight_move(plane, mover, ahead, length, pushed=True)
    dx, dy = ahead.x - mover.at.x, ahead.y - mover.at.y
    size = math.hypot(dx, dy)
    ux, uy = dx / size, dy / size
    far = min(float(length), _free_run(plane, mover, ux, uy, float(length), pushed=True)[0])
    rim = _rim_ahead(plane, mover, ux, uy, far)
    if rim is not None:
        at, into = rim
        end = grid_point(mover.at.x + ux * at, mover.at.y + uy * at)
        cut = msgspec.structs.replace(
            way,
            end=end,
            length=length_up(at),
            full=False,
            stopped_by="",
            rule="LT-CLIMB-10",
            level=mover.level,
        )
        return Pushed(way=cut, staggered=False, falls_into=into, fall_from=end)
    return Pushed(way=way, staggered=bool(way.stopped_by))


def _rim_ahead(plane: Plane, mover: Model, ux: float, uy: float, far: float) -> tuple[float, str] | None:
    """Where a pushed base's centre passes a rim within `far`: the edge of its platform, or of a gap it cannot span."""
    rims: list[tuple[float, str]] = []
    for piece in plane.scenery.pieces:
        if passage(mover, piece) is Passage.GAP:
            for near, beyond in gap_chords(plane, piece.id, mover.at, ux, uy):
                if beyond - near > 2 * mover.radius + FLOAT_NOISE and 0 <= near < far:
                    rims.append((near, piece.id))
        elif mover.level > 0 and not piece.flat and piece.height == mover.level:
            for near, beyond in gap_chords(plane, piece.id, mover.at, ux, uy):
                if near <= 0 <= beyond < far:
                    rims.append((beyond, piece.id))
    return min(rims, default=None)


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
    at, radius = _target(plane, target)
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


def _target(plane: Plane, target: str) -> tuple[Point, int]:
    thing = plane.models.get(target) or plane.markers.get(target)
    if thing is None:
        raise PlaneError(f"expected the id of a model or marker to approach, got {target!r}")
    return thing.at, thing.radius


def _contact_trails(
    plane: Plane, mover: Model, target: str, at: Point, reach: int, via: Via
) -> tuple[list[Trail], list[Point] | None]:
    """Trails to contact: to the rim itself if the base may stand where they end, else to the free places on it."""
    through = Via(via.passing | {target}, via.avoid_slow, via.solid)
    goal = Goal(centre=(float(at.x), float(at.y)), radius=float(reach))
    trails = trails_to(plane, mover, goal, through, spare=TIE - FLOAT_NOISE)
    fit = [t for t in trails if _end_of(plane, mover, t, at, reach) is not None]
    if fit and fit[0].length <= trails[0].length + FLOAT_NOISE:
        return different(fit), None
    places = contact_places(plane, mover, at, reach)
    if not places:
        return [], None
    points = Goal(points=[(float(p.x), float(p.y)) for p in places])
    return different(trails_to(plane, mover, points, via, spare=TIE - FLOAT_NOISE)), places


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


def contact_places(plane: Plane, mover: Model, at: Point, reach: int) -> list[Point]:
    """The corner places of the free stretches of a contact ring: where the base stands in contact, and more."""
    return ring_places(plane, mover, at, reach)


def _sealed(plane: Plane, mover: Model, target: str, at: Point, reach: int, via: Via) -> NoPath:
    places = contact_places(plane, mover, at, reach)
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

    Only the distance is asked for, not sight: LT-ADVERS-13 needs both, see `shoot_from`. NoPath when the shortest way
    ends where the base may not stand.
    """
    mover = mover_of(plane, model)
    at, radius = _target(plane, target)
    reach = mover.radius + radius + distance
    through = Via(via.passing | {target}, via.avoid_slow, via.solid)
    goal = Goal(centre=(float(at.x), float(at.y)), radius=float(reach))
    trails = trails_to(plane, mover, goal, through if distance == 0 else via, spare=TIE - FLOAT_NOISE)
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


def move_near(
    plane: Plane, model: str | Model, target: str, allowance: int, via: Via = DEFAULT
) -> Approach | NoPath:
    """Move as near as possible to a target that cannot be touched (LT-ADVERS-37).

    Heads for the free place with the smallest straight gap that a way leads to, as far as the allowance goes.
    """
    mover = mover_of(plane, model)
    at, _ = _target(plane, target)
    for places in nearest_places(plane, mover, at, limit=24):
        points = Goal(points=[(float(p.x), float(p.y)) for p in places])
        trails = different(trails_to(plane, mover, points, via, spare=TIE - FLOAT_NOISE))
        if not trails:
            continue
        paths = [
            describe(
                plane, mover, t, via, grid_point(*t.end), standing(plane, mover, grid_point(*t.end)).level
            )
            for t in trails
        ]
        stop = stop_on(plane, mover, trails[0], float(allowance))
        other = plane.models.get(target)
        touched = other is not None and near_contact(mover, stop.at, other)
        return Approach(target, paths[0], stop, touched, "", tuple(paths[1:]))
    return NoPath(mover.id, f"no free place nearer to {target} can be reached", ())


def through_move(
    plane: Plane, model: str | Model, toward: Point, length: int
) -> tuple[Stop, Path, tuple[str, ...]]:
    """The move of an Ethereal model toward a point: through scenery and bases, ending where it may stand.

    It passes through a thing only if this very move carries it to a place beyond; otherwise that thing is solid for
    this move (LT-SPECIAL-02, -03). Gaps still stop it. Returns the stop, the way, and what was solid.
    """
    mover = mover_of(plane, model)
    things = {p.id for p in plane.scenery.pieces if not p.gap and passage(mover, p) is not Passage.FREE}
    things |= {name for name, _, _ in plane.discs if name != mover.id}
    solid: tuple[str, ...] = ()
    while True:
        via = Via(frozenset(things - set(solid)), False, frozenset(solid) & frozenset(plane.pieces))
        goal = Goal(points=[(float(toward.x), float(toward.y))])
        trails = trails_to(plane, mover, goal, via)
        if not trails:
            here = Trail(
                [], 0.0, (float(mover.at.x), float(mover.at.y)), (float(mover.at.x), float(mover.at.y))
            )
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


def first_stop(
    plane: Plane, model: str | Model, toward: Point, length: int, target: str, distance: int
) -> Stop | None:
    """The first place on a straight ethereal way where the base may stand within `distance` of a target.

    None when there is none within `length` (LT-ADVERS-13, LT-ADVERS-19).
    """
    mover = mover_of(plane, model)
    at, radius = _target(plane, target)
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


class Retreat(msgspec.Struct, frozen=True):
    """A straight move directly away, turned along the board edge when it is met (LT-EDGE-02).

    `ways` holds one way, or two that are equally good (the First Player chooses); each is a list of stretches.
    """

    model: str
    threat: str
    ways: tuple[tuple[Straight, ...], ...]


def move_away(plane: Plane, model: str | Model, threat: Point | str, length: int) -> Retreat:
    """Move straight away from a threat, along the edge once it is reached (LT-VILLAGE-12, -14, LT-EDGE-02).

    Along the edge it takes the direction that increases the distance from the threat; where both do so equally
    both are given. Anything but the edge ends the move.
    """
    mover = mover_of(plane, model)
    origin = threat if isinstance(threat, Point) else plane.model(threat).at
    name = "point" if isinstance(threat, Point) else threat
    if origin == mover.at:
        raise PlaneError(f"expected a threat away from {mover.id!r}, got its own centre")
    ahead = Point(2 * mover.at.x - origin.x, 2 * mover.at.y - origin.y)
    first = straight_move(plane, mover, ahead, length)
    left = length - first.length
    if first.stopped_by not in EDGES or left <= 0:
        return Retreat(mover.id, name, ((first,),))
    moved = msgspec.structs.replace(mover, at=first.end, level=first.level)
    along = ((0, 1), (0, -1)) if first.stopped_by in (EDGES[0], EDGES[2]) else ((1, 0), (-1, 0))
    ways: list[tuple[int, Straight]] = []
    for dx, dy in along:
        second = straight_move(plane, moved, Point(moved.at.x + dx * 1000, moved.at.y + dy * 1000), left)
        ways.append((square_between(second.end, origin), second))
    best = max(far for far, _ in ways)
    tied = [s for far, s in ways if math.sqrt(best) - math.sqrt(far) < TIE - FLOAT_NOISE]
    return Retreat(mover.id, name, tuple((first, s) for s in tied))


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
