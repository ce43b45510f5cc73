"""Placing a base: whether a place is legal, and under which conditions.

Legality and conditions are decided exactly on the grid. Sources: LT-ADVERS-35, LT-SPELL-10, LT-RECOV-04,
LT-VILLAGE-05, -06, -24..29, LT-MEAS-05, LT-TERRAIN-11.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import shapely

from emberboard.engine.plane.distance import gap
from emberboard.engine.plane.ground import Hindrance, standing
from emberboard.engine.plane.scene import Marker, Model, Plane, Terrain, levels_touch
from emberboard.engine.plane.units import (
    CONTACT_QUARTERS,
    Point,
    distance_up,
    inside,
    near_ring,
    not_farther_quarters,
    square_between,
)


class Near(msgspec.Struct, frozen=True, tag="near"):
    """The gap to a thing, or the distance of a point from the base edge, is at most `limit`."""

    of: str | Point
    limit: int


class Apart(msgspec.Struct, frozen=True, tag="apart"):
    """The gap to a thing, or the distance of a point from the base edge, is at least `limit`."""

    of: str | Point
    limit: int


class Touching(msgspec.Struct, frozen=True, tag="touching"):
    """In contact with a thing (for an area: with its outline or over it)."""

    of: str


class Unengaged(msgspec.Struct, frozen=True, tag="unengaged"):
    """In contact with no enemy, or with none of `ids` when given."""

    ids: tuple[str, ...] = ()


class Wholly(msgspec.Struct, frozen=True, tag="wholly"):
    """The whole base lies within `radius` of a point."""

    centre: Point
    radius: int


class Off(msgspec.Struct, frozen=True, tag="off"):
    """The base overlaps no piece of this kind."""

    kind: Terrain


Condition = Near | Apart | Touching | Unengaged | Wholly | Off


class Unmet(msgspec.Struct, frozen=True):
    """A condition that does not hold at a place: which thing, what was measured, what was wanted."""

    condition: Condition
    id: str
    measured: int


class Placement(msgspec.Struct, frozen=True):
    """Whether a base may be placed: what it would overlap, and every condition that fails."""

    at: Point
    level: int
    hindrances: tuple[Hindrance, ...]
    unmet: tuple[Unmet, ...]

    @property
    def legal(self) -> bool:
        return not self.hindrances and not self.unmet


def disc_of(plane: Plane, thing: str | Point) -> tuple[Point, int] | None:
    if isinstance(thing, Point):
        return thing, 0
    known: Model | Marker | None = plane.models.get(thing) or plane.markers.get(thing)
    return (known.at, known.radius) if known is not None else None


def _in_contact(plane: Plane, base: Model, thing: str) -> bool:
    other = plane.models.get(thing)
    if other is not None and not levels_touch(base, other):
        return False
    disc = disc_of(plane, thing)
    if disc is not None:
        return 16 * square_between(base.at, disc[0]) <= (4 * (base.radius + disc[1]) + CONTACT_QUARTERS) ** 2
    shape = plane.piece(thing).shape
    limit = 4 * base.radius + CONTACT_QUARTERS
    return near_ring(base.at, shape, base.radius) or any(
        not_farther_quarters(base.at, shape[i - 1], shape[i], limit) for i in range(len(shape))
    )


def unmet(plane: Plane, base: Model, conditions: Sequence[Condition]) -> tuple[Unmet, ...]:
    """The conditions that fail for a base where it stands, with what was measured."""
    found: list[Unmet] = []
    for c in conditions:
        match c:
            case Near(of=of, limit=limit):
                value = gap(plane, base, of)
                if value.gap > limit:
                    found.append(Unmet(c, value.b, value.gap))
            case Apart(of=of, limit=limit):
                value = gap(plane, base, of)
                # a gap is rounded up: 9.9995 must not pass for 10
                if value.gap < limit or (value.gap == limit and _nearer(plane, base, of, limit)):
                    found.append(Unmet(c, value.b, value.gap))
            case Touching(of=of):
                if not _in_contact(plane, base, of):
                    found.append(Unmet(c, of, gap(plane, base, of).gap))
            case Unengaged(ids=ids):
                for other in ids or tuple(e.id for e in plane.enemies(base)):
                    if _in_contact(plane, base, other):
                        found.append(Unmet(c, other, gap(plane, base, other).gap))
            case Wholly(centre=centre, radius=radius):
                room = radius - base.radius
                if room < 0 or square_between(base.at, centre) > room * room:
                    found.append(Unmet(c, "point", distance_up(base.at, centre) + base.radius))
            case Off(kind=kind):
                for piece in plane.scenery.near(base.at, base.radius):
                    if piece.has(kind) and near_ring(base.at, piece.shape, base.radius):
                        found.append(Unmet(c, piece.id, 0))
    return tuple(found)


def deadly_under(plane: Plane, model: str | Model) -> tuple[str, ...]:
    """The Deadly pieces the centre of the base is in: what removes it at the start and end of its activation.

    A base that merely overlaps the rim is only passing (LT-TERRAIN-09).
    """
    own = model if isinstance(model, Model) else plane.model(model)
    near = plane.scenery.near(own.at, 0)
    return tuple(piece.id for piece in near if piece.has(Terrain.DEADLY) and inside(own.at, piece.shape))


def closest_outside(plane: Plane, piece_id: str, at: Point) -> Point:
    """The place on the outline of a piece nearest to a point in it: where a Fallen marker goes (LT-TERRAIN-10)."""
    outline = plane.scenery.polygon(piece_id).exterior
    spot = outline.interpolate(outline.project(shapely.Point(at.x, at.y)))
    around = [Point(round(spot.x) + dx, round(spot.y) + dy) for dx in (0, 1, -1) for dy in (0, 1, -1)]
    free = [p for p in around if not inside(p, plane.piece(piece_id).shape)]
    return min(free, key=lambda p: (square_between(p, at), p))


def _nearer(plane: Plane, base: Model, of: str | Point, limit: int) -> bool:
    disc = disc_of(plane, of)
    if disc is not None:
        return square_between(base.at, disc[0]) < (base.radius + disc[1] + limit) ** 2
    return near_ring(base.at, plane.piece(str(of)).shape, base.radius + limit)


def place(
    plane: Plane,
    model: str | Model,
    at: Point,
    conditions: Sequence[Condition] = (),
    level: int | None = None,
) -> Placement:
    """Whether the base may be placed at `at` under the conditions; everything against it is listed."""
    mover = model if isinstance(model, Model) else plane.model(model)
    ground = standing(plane, mover, at, level)
    base = msgspec.structs.replace(mover, at=at, level=ground.level)
    return Placement(at, ground.level, ground.hindrances, unmet(plane, base, conditions))
