"""Straight moves: straight on, pushed, and directly away.

Each answer says where the base ends, how far it went, and what stopped it. Ends are exact places where the base may
stand; a move never exceeds its length. Sources: LT-MOVE-03..06, LT-SPECIAL-11, -12, LT-EDGE-01, -02, LT-TERRAIN-11,
-14, -15, LT-CLIMB-07, -10, LT-VILLAGE-12, -14.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from emberboard.engine.plane.along import crossings
from emberboard.engine.plane.gaps import gap_chords
from emberboard.engine.plane.ground import Passage, passage, support
from emberboard.engine.plane.paths import grid_point, mover_of
from emberboard.engine.plane.scene import EDGES, Model, Plane
from emberboard.engine.plane.stops import stop_on
from emberboard.engine.plane.trail import Leg, Trail
from emberboard.engine.plane.units import (
    FLOAT_NOISE,
    TIE,
    PlaneError,
    Point,
    length_up,
    square_between,
)


class Straight(msgspec.Struct, frozen=True):
    """A straight displacement: where it ends, how far it got, what stopped it ('' when it went the full length).

    `entered` names the areas and low pieces crossed, `hindered_by` what the base could not end on.
    """

    model: str
    start: Point
    end: Point
    level: int
    length: int
    full: bool
    stopped_by: str = ""
    rule: str = ""
    entered: tuple[str, ...] = ()
    hindered_by: tuple[str, ...] = ()


class Pushed(msgspec.Struct, frozen=True):
    """A push: the straight way, whether it gives Staggered, and over which rim the model fell, if any.

    `falls_into` is the gap, or the platform it was pushed off; `fall_from` the rim's place (LT-CLIMB-10).
    """

    way: Straight
    staggered: bool
    falls_into: str = ""
    fall_from: Point | None = None


class Retreat(msgspec.Struct, frozen=True):
    """A straight move directly away, turned along the board edge when it is met (LT-EDGE-02).

    `ways` holds one way, or two that are equally good (the First Player chooses); each is a list of stretches.
    """

    model: str
    threat: str
    ways: tuple[tuple[Straight, ...], ...]


def straight_trail(mover: Model, end: tuple[float, float]) -> Trail:
    """The straight line of a base from where it stands."""
    start = (float(mover.at.x), float(mover.at.y))
    length = math.dist(start, end)
    legs = [Leg(start, end, length)] if length > 0 else []
    return Trail(legs, length, start, end)


def straight_move(plane: Plane, model: str | Model, toward: Point, length: int, pushed: bool = False) -> Straight:
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
        hindered_by=stop.hindered_by,
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
    ledge = support(plane, mover)
    for piece in plane.scenery.pieces:
        how = passage(mover, piece)
        if ledge is not None and piece.id == ledge.id:
            # a walk ends at the rim of its platform; going over it is a drop (LT-CLIMB-10)
            rim = _hit_ring([(p.x - x, p.y - y) for p in piece.shape], ux, uy, r)
            if rim is not None and rim < length and not pushed:
                offer(rim, piece.id, "LT-CLIMB-10")
            continue
        if how is Passage.FREE:
            continue
        if how is Passage.GAP:
            if not pushed:
                rim = _gap_ahead(plane, mover, piece.id, ux, uy, length)
                if rim is not None:
                    offer(rim, piece.id, "LT-TERRAIN-15")
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
        elif mover.walks_at > 0 and not piece.flat and piece.height == mover.level:
            for near, beyond in gap_chords(plane, piece.id, mover.at, ux, uy):
                if near <= 0 <= beyond < far:
                    rims.append((beyond, piece.id))
    return min(rims, default=None)


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
