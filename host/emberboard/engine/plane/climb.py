"""Climbing, jumping, dropping and falling: heights, the movement they need, and where the base ends up.

The dice are the game's; this says which Test, whether it may be tried, and the places for success and failure.
Ratios to the model's height are compared as whole numbers, exactly. Sources: areas CLIMB, FALL, LT-TERRAIN-14, -15,
LT-ARTIFACT-04.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable

import msgspec
import shapely

from emberboard.engine.plane.gaps import gap_chords
from emberboard.engine.plane.ground import Passage, barred, passage, standing
from emberboard.engine.plane.nearest import nearest_places
from emberboard.engine.plane.paths import mover_of
from emberboard.engine.plane.scene import Model, Piece, Plane
from emberboard.engine.plane.units import FLOAT_NOISE, PlaneError, Point, inside, length_up


class ClimbClass(enum.StrEnum):
    """How hard a climb is (LT-CLIMB-01, LT-CLIMB-03)."""

    FREE = "free"
    SIMPLE = "simple"
    NORMAL = "normal"
    HARD = "hard"
    IMPOSSIBLE = "impossible"


class FallClass(enum.StrEnum):
    """What a fall does (LT-FALL-01, -02, -05)."""

    NONE = "none"
    D3 = "D3"
    D6 = "D6"
    TWO_D6 = "2D6"
    REMOVED = "removed"


class Climb(msgspec.Struct, frozen=True):
    """A climb of a piece: the vertical distance, its class, and whether the movement left covers it (LT-CLIMB-02).

    `landing` is the place of success: on top if the base fits there, else the nearest free place beyond
    (LT-CLIMB-04); None when there is none. Only the vertical distance is charged; `left` is what a Critical Success
    leaves.
    """

    piece: str
    vertical: int
    climb: ClimbClass
    allowed: bool
    left: int
    landing: Point | None
    level: int
    on_top: bool
    why: str = ""


class Jump(msgspec.Struct, frozen=True):
    """A jump over a gap: its width along the line, the travel needed, and both landings (LT-CLIMB-07..09)."""

    piece: str
    width: int
    travel: int
    allowed: bool
    left: int
    landing: Point | None
    failed: Point | None
    failed_level: int
    fall: int
    why: str = ""


class Fall(msgspec.Struct, frozen=True):
    """A fall: from which level to which, what it does, where the base ends, whether a voluntary Move may go on."""

    model: str
    height: int
    damage: FallClass
    landing: Point | None
    level: int
    move_goes_on: bool


def climb_class(model: Model, vertical: int) -> ClimbClass:
    """The class of a climb of that height for the model (LT-CLIMB-01, LT-CLIMB-03, LT-TERRAIN-14)."""
    if 2 * vertical <= model.tall:
        return ClimbClass.FREE
    for times, name in ((1, ClimbClass.SIMPLE), (2, ClimbClass.NORMAL), (3, ClimbClass.HARD)):
        if vertical <= times * model.tall:
            return name
    return ClimbClass.IMPOSSIBLE


def fall_class(model: Model, height: int) -> FallClass:
    """What a fall of that height does to the model; nothing to an Ethereal one (LT-FALL-01, -02, -05, -06)."""
    if model.ethereal or height <= 2 * model.tall:
        return FallClass.NONE
    for times, name in ((3, FallClass.D3), (4, FallClass.D6), (5, FallClass.TWO_D6)):
        if height <= times * model.tall:
            return name
    return FallClass.REMOVED


def climb(plane: Plane, model: str | Model, piece_id: str, left: int) -> Climb:
    """A climb of the piece the model touches, with `left` movement remaining.

    It may be tried when the piece is no impassable one, at most 3 x the model's height, and the remaining movement
    covers the vertical distance. Raises PlaneError when the piece is flat.
    """
    mover = mover_of(plane, model)
    piece = plane.piece(piece_id)
    if piece.flat:
        raise PlaneError(f"expected a piece with a height to climb, got flat {piece_id!r}")
    vertical = max(0, piece.height - mover.level)
    kind = climb_class(mover, vertical)
    landing, level, on_top = _climb_landing(plane, mover, piece)
    why = ""
    if barred(mover, piece):
        why = "impassable terrain is not climbed (LT-TERRAIN-11)"
    elif kind is ClimbClass.IMPOSSIBLE:
        why = "more than three times its height (LT-CLIMB-03)"
    elif vertical > left:
        why = "the movement left does not reach the top (LT-CLIMB-02)"
    elif landing is None:
        why = "the base fits nowhere on it or beyond (LT-CLIMB-04)"
    return Climb(piece_id, vertical, kind, not why, max(0, left - vertical), landing, level, on_top, why)


def _climb_landing(plane: Plane, mover: Model, piece: Piece) -> tuple[Point | None, int, bool]:
    climber = msgspec.structs.replace(mover, level=piece.height)
    spot = _first_place(plane, climber, mover.at, piece.height, lambda p: inside(p, piece.shape), within=piece)
    if spot is not None:
        return spot, piece.height, True
    polygon = plane.scenery.polygon(piece.id)

    def beyond(p: Point) -> bool:
        line = shapely.LineString([(mover.at.x, mover.at.y), (p.x, p.y)])
        return bool(shapely.intersection(polygon, line).length > FLOAT_NOISE)

    spot = _first_place(plane, mover, mover.at, None, beyond, within=piece)
    return spot, standing(plane, mover, spot).level if spot is not None else 0, False


def _first_place(
    plane: Plane,
    mover: Model,
    near: Point,
    level: int | None,
    fits: Callable[[Point], bool],
    within: Piece | None,
) -> Point | None:
    """The nearest place to `near` that fits, over a handful of groups around it."""
    left, top, right, bottom = plane.scenery.polygon(within.id).bounds if within is not None else (0, 0, 0, 0)
    reach = math.hypot(right - left, bottom - top) + 6 * mover.radius
    for group in nearest_places(plane, mover, near, level=level):
        if math.dist((group[0].x, group[0].y), (near.x, near.y)) > reach:
            return None
        for spot in group:
            if fits(spot):
                return spot
    return None


def jump(plane: Plane, model: str | Model, gap_id: str, toward: Point, left: int, halved: bool = False) -> Jump:
    """A jump over a gap from where the base stands at its edge, in the direction of a point.

    The travel is the width along that line plus the base diameter (LT-CLIMB-07); with `halved` the width counts
    half (LT-ARTIFACT-04). Widths up to the base need no jump (LT-TERRAIN-15). Failing, the base lies at the bottom,
    as near as possible to its start, and has fallen the gap's depth (LT-CLIMB-09).
    Raises PlaneError when the line does not cross the gap.
    """
    mover = mover_of(plane, model)
    piece = plane.piece(gap_id)
    if not piece.gap:
        raise PlaneError(f"expected a gap to jump, got {gap_id!r} ({', '.join(piece.kinds)})")
    dx, dy = toward.x - mover.at.x, toward.y - mover.at.y
    size = math.hypot(dx, dy)
    chords = gap_chords(plane, gap_id, mover.at, dx / size, dy / size) if size else []
    if not chords:
        raise PlaneError(f"expected a line from {mover.id!r} across {gap_id!r}, got one that misses it")
    near, far = chords[0]
    width = length_up(far - near)
    travel = width + 2 * mover.radius if not halved else -(-width // 2) + 2 * mover.radius
    landing = _far_side(plane, mover, dx / size, dy / size, far)
    bottom, floor = _bottom(plane, mover, piece)
    why = ""
    if width <= 2 * mover.radius:
        why = "no jump needed: no wider than the base (LT-TERRAIN-15)"
    elif travel > left:
        why = "the movement left does not reach the other side (LT-CLIMB-07)"
    elif landing is None:
        why = "there is no free place on the other side (LT-CLIMB-07)"
    return Jump(
        piece=gap_id,
        width=width,
        travel=travel,
        allowed=not why,
        left=max(0, left - travel),
        landing=landing,
        failed=bottom,
        failed_level=floor,
        fall=mover.level - floor,
        why=why,
    )


def _far_side(plane: Plane, mover: Model, ux: float, uy: float, far: float) -> Point | None:
    """The first place beyond the gap on the line where the base stands fully on the far side."""
    reach = far + mover.radius
    for step in range(4 * mover.radius):
        x, y = mover.at.x + ux * (reach + step), mover.at.y + uy * (reach + step)
        for dx, dy in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)):
            place = Point(round(x) + dx, round(y) + dy)
            if standing(plane, mover, place).legal:
                return place
    return None


def _bottom(plane: Plane, mover: Model, piece: Piece) -> tuple[Point | None, int]:
    fallen = msgspec.structs.replace(mover, level=-piece.depth)
    spot = _first_place(plane, fallen, mover.at, -piece.depth, lambda p: inside(p, piece.shape), piece)
    if spot is None:
        # narrower than the base in every direction: it lies on the spot of the gap nearest to its start
        polygon = plane.scenery.polygon(piece.id)
        near = shapely.shortest_line(polygon, shapely.Point(mover.at.x, mover.at.y))
        x, y = shapely.get_coordinates(near)[0]
        return Point(round(x), round(y)), -piece.depth
    return spot, -piece.depth


def drop(plane: Plane, model: str | Model, to_level: int = 0, into: str = "", start: Point | None = None) -> Fall:
    """A fall or jump down from where the model stands: to a level, or to the bottom of the gap `into`.

    The base lands at the bottom nearest to its start (LT-CLIMB-10); the full height counts (LT-FALL-03). `start` is the
    place of the rim when it was pushed over it. A voluntary Move goes on only without a damage roll (LT-CLIMB-11).
    """
    mover = mover_of(plane, model)
    if start is not None:
        mover = msgspec.structs.replace(mover, at=start)
    if into and plane.piece(into).gap:
        landing, level = _bottom(plane, mover, plane.piece(into))
    else:
        level = to_level
        faller = msgspec.structs.replace(mover, level=level)
        landing = next((group[0] for group in nearest_places(plane, faller, mover.at, level=level)), None)
    height = max(0, mover.level - level)
    damage = fall_class(mover, height)
    return Fall(mover.id, height, damage, landing, level, damage is FallClass.NONE and landing is not None)


def leaves_board(plane: Plane, model: str | Model, left: int) -> tuple[str, int, bool]:
    """Leaving over the nearest edge, where an adventure allows it: the edge, the movement needed, whether it is there.

    The whole base must clear the edge (LT-EDGE-03).
    """
    mover = mover_of(plane, model)
    rooms = {
        "edge:left": mover.at.x,
        "edge:top": mover.at.y,
        "edge:right": plane.scene.width - mover.at.x,
        "edge:bottom": plane.scene.height - mover.at.y,
    }
    edge = min(rooms, key=lambda e: (rooms[e], e))
    need = rooms[edge] + mover.radius
    return edge, need, need <= left


def must_climb(plane: Plane, model: str | Model) -> tuple[str, ...]:
    """The pieces the model touches that it could only cross by climbing (LT-CLIMB-01)."""
    mover = mover_of(plane, model)
    return tuple(
        piece.id
        for piece in plane.scenery.near(mover.at, mover.radius + 32)
        if passage(mover, piece) is Passage.CLIMB and plane.near_enough(mover.id, piece.id)
    )
