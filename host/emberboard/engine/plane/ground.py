"""What scenery is to one model: solid, free, a climb or a gap; and where its base may stand.

Exact integer geometry throughout. Sources: LT-MOVE-03..06, -12, LT-TERRAIN-01..17, LT-CLIMB-01, LT-EDGE-01,
LT-SPECIAL-03, LT-ARTIFACT-05.
"""

from __future__ import annotations

import enum
from collections.abc import Container

import msgspec

from emberboard.engine.plane.scene import EDGES, Model, Piece, Plane, Terrain
from emberboard.engine.plane.units import Point, near_ring, square_between, wholly_inside


class Passage(enum.StrEnum):
    """How a model meets a piece while walking."""

    FREE = "free"
    SOLID = "solid"
    CLIMB = "climb"
    GAP = "gap"


class Hindrance(msgspec.Struct, frozen=True):
    """Why a base may not stand somewhere: the thing in the way and the rule."""

    id: str
    rule: str
    why: str


class Standing(msgspec.Struct, frozen=True):
    """Whether a base may stand at a place, on what level, and what hinders it if not."""

    at: Point
    level: int
    hindrances: tuple[Hindrance, ...] = ()

    @property
    def legal(self) -> bool:
        return not self.hindrances


def forded(mover: Model, piece: Piece) -> bool:
    """Whether Impassable counts as Difficult for the mover, by keyword (LT-ARTIFACT-05)."""
    return any(kind in piece.kinds for kind in mover.fords)


def barred(mover: Model, piece: Piece) -> bool:
    """Impassable to this mover (LT-TERRAIN-11)."""
    return piece.impassable and not forded(mover, piece)


def slowed_by(mover: Model, piece: Piece) -> bool:
    """Difficult Terrain to this mover: by type or by fording, unless it ignores the type or a keyword of it."""
    if any(kind in piece.kinds for kind in mover.ignores):
        return False
    return piece.slows or (piece.impassable and forded(mover, piece))


def passage(mover: Model, piece: Piece) -> Passage:
    """How the mover meets the piece while walking on its level (LT-TERRAIN-14, LT-CLIMB-01)."""
    if barred(mover, piece):
        return Passage.SOLID
    if piece.gap:
        return Passage.GAP
    if piece.flat:
        return Passage.FREE
    if 2 * (piece.height - mover.walks_at) > mover.tall:
        return Passage.CLIMB
    return Passage.FREE


def is_barrier(plane: Plane, mover: Model, piece: Piece) -> bool:
    """Whether the piece is a barrier to this model: at most 3 x its height and no wider than its base.

    Width is the smallest width of the whole outline, so an angled wall is best given as two pieces (LT-TERRAIN-13).
    """
    return (
        piece.has(Terrain.BARRIER)
        and piece.height <= 3 * mover.tall
        and plane.scenery.width(piece.id) <= 2 * mover.radius
    )


def standing(
    plane: Plane, mover: Model, at: Point, level: int | None = None, ignore: Container[str] = ()
) -> Standing:
    """Whether the mover's base may stand centred at `at`, and on which level.

    Without `level` the ground must be reachable by walking from the level the mover walks on (steps of up to half
    its height). `ignore` names models or markers not counted. Every hindrance is listed.
    """
    r = mover.radius
    found: list[Hindrance] = []
    for edge, room in zip(EDGES, (at.x, at.y, plane.scene.width - at.x, plane.scene.height - at.y), strict=True):
        if room < r:
            found.append(Hindrance(edge, "LT-EDGE-01", "the base would leave the board"))
    for other, where, radius in plane.discs:
        if other != mover.id and other not in ignore and square_between(at, where) < (r + radius) ** 2:
            rule = "LT-MOVE-04" if other in plane.models else "LT-MOVE-12"
            found.append(Hindrance(other, rule, "the base would overlap it"))
    ground, under = 0, ""
    for piece in plane.scenery.near(at, r):
        if piece.flat and not piece.gap and not barred(mover, piece):
            continue
        if not near_ring(at, piece.shape, r):
            continue
        if barred(mover, piece):
            found.append(Hindrance(piece.id, "LT-TERRAIN-11", "the base would overlap impassable terrain"))
        elif not wholly_inside(at, r, piece.shape):
            found.append(Hindrance(piece.id, "LT-MOVE-03", "the base would stand only partly on it"))
        elif piece.gap:
            if level != -piece.depth:
                found.append(Hindrance(piece.id, "LT-TERRAIN-15", "there is no ground in a gap"))
            else:
                ground, under = -piece.depth, piece.id
        elif piece.height > ground:
            ground, under = piece.height, piece.id
    if not found and level is None and 2 * abs(ground - mover.walks_at) > mover.tall:
        if ground > mover.walks_at:
            found.append(Hindrance(under, "LT-CLIMB-01", "its top is reached by climbing only"))
        else:
            found.append(Hindrance(under or "ground", "LT-CLIMB-10", "it is reached by a drop only"))
    if not found and level is not None and level != ground:
        found.append(Hindrance(under or "ground", "LT-MOVE-03", "the ground there is on another level"))
    return Standing(at=at, level=ground, hindrances=tuple(found))


def may_stand(plane: Plane, mover: Model, at: Point, level: int | None = None) -> bool:
    """Whether the mover's base may stand centred at `at` (see `standing`)."""
    return standing(plane, mover, at, level).legal


def support(plane: Plane, mover: Model) -> Piece | None:
    """The platform a walking model stays on, if it stands on one higher than a step."""
    if mover.walks_at <= 0:
        return None
    for piece in plane.scenery.near(mover.at, 0):
        if not piece.flat and piece.height == mover.level and wholly_inside(mover.at, mover.radius, piece.shape):
            return piece
    return None
