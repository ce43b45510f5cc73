"""Surrounded: whether enemies and impassable scenery together leave a model no way out of contact.

Sources: LT-ENG-02..06, LT-ENG-08, LT-ENG-10, LT-EDGE-01. Blockers are enemies, scenery impassable to the model, and
the board edge; friends and markers are not. Each blocker is inflated by the model's radius; the model is Surrounded
when the region of free centres around it holds no place out of contact with every enemy.
"""

from __future__ import annotations

import math

import msgspec
import shapely

from emberboard.engine.plane.contact import engagement
from emberboard.engine.plane.ground import barred
from emberboard.engine.plane.scene import EDGES, Model, Plane
from emberboard.engine.plane.units import (
    CONTACT_QUARTERS,
    OPENING_SLACK,
    Point,
    distance_up,
    length_up,
)

#: Between these angles (thousandths of a degree) only the angular test decides for equal bases in contact (LT-ENG-06).
ANGLE_ONLY = 176_000
ANGLE_OPEN = 179_800
_FINE = 64
#: Shapes are drawn this much smaller, so that an opening just wide enough is one; narrower ones are closed exactly.
_HAIR = 0.01


class Opening(msgspec.Struct, frozen=True):
    """The way between two neighbouring blockers: angle at the model's centre (1/1000 degree), width, wide enough."""

    a: str
    b: str
    angle: int
    width: int
    open: bool


class Surrounded(msgspec.Struct, frozen=True):
    """Whether a model is Surrounded: by which blockers, the openings between them, and a way out if there is one."""

    model: str
    surrounded: bool
    touching: tuple[str, ...]
    blockers: tuple[str, ...]
    openings: tuple[Opening, ...]
    escape: Point | None = None
    rule: str = "LT-ENG-06"


def surrounded(plane: Plane, model: str | Model) -> Surrounded:
    """Whether the model is Surrounded (see the module)."""
    own = model if isinstance(model, Model) else plane.model(model)
    touching = tuple(e.enemy for e in engagement(plane, own).by)
    if own.ethereal:
        return Surrounded(own.id, False, touching, (), (), own.at, "LT-ENG-08")
    if not touching:
        return Surrounded(own.id, False, (), (), (), own.at, "LT-ENG-01")
    enemies = plane.enemies(own)
    inflated, names = _inflated(plane, own, enemies)
    shapes = list(inflated)
    openings, bridges = _openings(plane, own, touching)
    shapes += bridges + _exact_bridges(plane, own, enemies)
    r = own.radius - OPENING_SLACK / 2 - _HAIR
    board = shapely.box(r, r, plane.scene.width - r, plane.scene.height - r)
    free = board.difference(shapely.union_all(shapes))
    centre = shapely.Point(own.at.x, own.at.y)
    room = next((part for part in shapely.get_parts(free) if shapely.distance(part, centre) < 1), None)
    if room is None:
        region, blockers = shapely.Polygon(), list(touching)
    else:
        near = [
            shapely.Point(e.at.x, e.at.y).buffer(own.radius + e.radius + CONTACT_QUARTERS / 4 + 0.5, quad_segs=_FINE)
            for e in enemies
        ]
        region = room.difference(shapely.union_all(near))
        edge = room.boundary
        blockers = [n for n, s in zip(names, inflated, strict=True) if shapely.distance(s, edge) < 0.5]
        blockers += _edges_met(plane, room, r)
    escape = None
    if region.area > 1:
        spot = region.representative_point()
        escape = Point(round(spot.x), round(spot.y))
    caught = escape is None
    return Surrounded(
        model=own.id,
        surrounded=caught,
        touching=touching,
        blockers=tuple(dict.fromkeys(blockers)) if caught else touching,
        openings=openings,
        escape=escape,
    )


def _inflated(plane: Plane, own: Model, enemies: list[Model]) -> tuple[list[shapely.Polygon], list[str]]:
    r = own.radius - OPENING_SLACK / 2 - _HAIR
    shapes, names = [], []
    for enemy in enemies:
        shapes.append(shapely.Point(enemy.at.x, enemy.at.y).buffer(r + enemy.radius, quad_segs=_FINE))
        names.append(enemy.id)
    for i, piece in enumerate(plane.scenery.pieces):
        if barred(own, piece):
            shapes.append(plane.scenery.polygons[i].buffer(r, quad_segs=_FINE))
            names.append(piece.id)
    return shapes, names


def _edges_met(plane: Plane, room: shapely.Polygon, r: float) -> list[str]:
    left, top, right, bottom = room.bounds
    width, height = plane.scene.width, plane.scene.height
    met = (left <= r + 0.5, top <= r + 0.5, right >= width - r - 0.5, bottom >= height - r - 0.5)
    return [name for name, touched in zip(EDGES, met, strict=True) if touched]


def _openings(
    plane: Plane, own: Model, touching: tuple[str, ...]
) -> tuple[tuple[Opening, ...], list[shapely.Polygon]]:
    """The angles between neighbours in contact; equal bases between 176 and 179.8 degrees close by the angle alone."""
    around = sorted(
        (math.degrees(math.atan2(e.at.y - own.at.y, e.at.x - own.at.x)) % 360.0, e.id, e)
        for e in (plane.models[t] for t in touching)
        if plane.in_contact(own.id, e.id)
    )
    openings: list[Opening] = []
    bridges: list[shapely.Polygon] = []
    for i, (angle, name, enemy) in enumerate(around):
        last_angle, last_name, last = around[i - 1]
        between = (angle - last_angle) % 360.0 if len(around) > 1 else 360.0
        milli = round(between * 1000)
        width = max(0, distance_up(enemy.at, last.at) - enemy.radius - last.radius) if len(around) > 1 else 0
        equal = enemy.size == last.size == own.size
        by_angle = equal and ANGLE_ONLY <= milli < 180_000 and len(around) > 1
        wide = milli >= 180_000 or (milli >= ANGLE_OPEN if by_angle else width >= 2 * own.radius - OPENING_SLACK)
        openings.append(Opening(last_name, name, milli, width, wide))
        if by_angle and not wide:
            bridges.append(_bridge(enemy, last))
    return tuple(openings), bridges


def _bridge(a: Model, b: Model) -> shapely.Polygon:
    return shapely.LineString([(a.at.x, a.at.y), (b.at.x, b.at.y)]).buffer(0.05)


def _exact_bridges(plane: Plane, own: Model, enemies: list[Model]) -> list[shapely.Polygon]:
    """Openings a hair too narrow, decided exactly: drawn circles are a little smaller than true ones."""
    need = 2 * own.radius - OPENING_SLACK
    bridges: list[shapely.Polygon] = []
    for i, a in enumerate(enemies):
        for b in enemies[:i]:
            d2 = (a.at.x - b.at.x) ** 2 + (a.at.y - b.at.y) ** 2
            span = need + a.radius + b.radius
            if (span - 2) ** 2 < d2 < span**2:
                bridges.append(_bridge(a, b))
        for k, piece in enumerate(plane.scenery.pieces):
            if not barred(own, piece):
                continue
            point = shapely.Point(a.at.x, a.at.y)
            apart = shapely.distance(plane.scenery.polygons[k], point) - a.radius
            if need - 2 < apart < need - 1e-6:
                bridges.append(shapely.shortest_line(plane.scenery.polygons[k], point).buffer(0.05))
    walls = [plane.scenery.polygons[k] for k, piece in enumerate(plane.scenery.pieces) if barred(own, piece)]
    for i, one in enumerate(walls):
        for two in walls[:i]:
            apart = shapely.distance(one, two)
            if need - 2 < apart < need - 1e-6:
                bridges.append(shapely.shortest_line(one, two).buffer(0.05))
    return bridges


def narrow_openings(plane: Plane, width: int) -> tuple[Opening, ...]:
    """Pairs of impassable pieces closer together than `width` without touching: a hint for setup (LT-TERRAIN-20)."""
    pieces = [(i, p) for i, p in enumerate(plane.scenery.pieces) if p.impassable]
    found: list[Opening] = []
    for n, (i, a) in enumerate(pieces):
        for j, b in pieces[:n]:
            apart = shapely.distance(plane.scenery.polygons[i], plane.scenery.polygons[j])
            if 0 < apart < width - 1e-6:
                found.append(Opening(b.id, a.id, 0, length_up(apart), False))
    return tuple(found)
