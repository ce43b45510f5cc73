"""What stands on the board: models, scenery, markers, lights, contacts; and `Plane`, the prepared scene.

A `Scene` is plain frozen data with a JSON round trip; the contact relation is part of it and survives saving. A
`Plane` is a scene checked and indexed once, and never changed: every question takes one. Scenery is indexed once for
all planes that share it, so moving a model is cheap.

Lengths are ints in 1/1000 inch. Sources: areas BASE, TERRAIN, MOVE-12, ENG-10 and `meta.table_model`.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
import shapely

from emberboard.engine.plane.units import (
    CONTACT_QUARTERS,
    INCH,
    PlaneError,
    Point,
    inches,
    near_ring,
    not_farther_quarters,
    square_between,
    twice_area,
    wholly_inside,
    width_up,
)


class SceneError(PlaneError):
    """A scene that cannot stand: names the thing and the field, what was expected and what came."""


class Terrain(enum.StrEnum):
    """Terrain types and keywords of a piece of scenery (LT-TERRAIN-01, -17, AREA)."""

    OPEN = "open"
    DIFFICULT = "difficult"
    DEADLY = "deadly"
    IMPASSABLE = "impassable"
    BARRIER = "barrier"
    GAP = "gap"
    AREA = "area"
    DENSE = "dense"
    WATER = "water"
    WOODLAND = "woodland"


#: One of these every piece must carry (LT-TERRAIN-01).
TYPES = (
    Terrain.OPEN,
    Terrain.DIFFICULT,
    Terrain.DEADLY,
    Terrain.IMPASSABLE,
    Terrain.BARRIER,
    Terrain.GAP,
)
#: Default heights by base diameter in inches (LT-BASE-06).
HEIGHTS = {1: 1250, 2: 2500, 3: 4000}
#: The board's edges as named obstacles (LT-EDGE-01).
EDGES = ("edge:left", "edge:top", "edge:right", "edge:bottom")


class Model(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A miniature: a circular base of 1, 2 or 3 inches (LT-BASE-01..06).

    `height` 0 means the default of the size. `level` is the height of what it stands on. `ignores` are terrain types
    or keywords it treats as open (LT-TERRAIN-05); `fords` are keywords that turn Impassable into Difficult for it
    (LT-ARTIFACT-05).
    """

    id: str
    side: str
    at: Point
    size: int = 1
    height: int = 0
    level: int = 0
    ethereal: bool = False
    hidden: bool = False
    ignores: tuple[Terrain, ...] = ()
    fords: tuple[Terrain, ...] = ()

    @property
    def radius(self) -> int:
        """The radius of the base."""
        return self.size * INCH // 2

    @property
    def tall(self) -> int:
        """The model's own height."""
        return self.height or HEIGHTS[self.size]

    @property
    def top(self) -> int:
        """The height of its head above the table."""
        return self.level + self.tall

    @property
    def walks_at(self) -> int:
        """The level the model walks on: the table when it stands on a step of up to half its height (LT-TERRAIN-14).

        Higher up it stays on its platform until it climbs or drops.
        """
        return 0 if self.level > 0 and 2 * self.level <= self.tall else self.level


class Piece(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A piece of scenery: a simple polygon with its types, height (or depth, for a gap) above the table."""

    id: str
    shape: tuple[Point, ...]
    kinds: tuple[Terrain, ...]
    height: int = 0
    depth: int = 0

    def has(self, kind: Terrain) -> bool:
        """Whether the piece carries the type or keyword."""
        return kind in self.kinds

    @property
    def impassable(self) -> bool:
        return Terrain.IMPASSABLE in self.kinds

    @property
    def gap(self) -> bool:
        return Terrain.GAP in self.kinds

    @property
    def dense(self) -> bool:
        return Terrain.DENSE in self.kinds

    @property
    def slows(self) -> bool:
        """Difficult or Deadly, which is Difficult too (LT-TERRAIN-08)."""
        return Terrain.DIFFICULT in self.kinds or Terrain.DEADLY in self.kinds

    @property
    def flat(self) -> bool:
        """Without a body to climb or walk around: ground, or an area that is moved through (LT-AREA-01)."""
        return self.gap or Terrain.AREA in self.kinds or self.dense or self.height == 0


class Marker(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A token: chests and graves are solid discs of 1 inch, Clue tokens and Fallen markers are not (LT-MOVE-12)."""

    id: str
    at: Point
    radius: int = INCH // 2
    solid: bool = False


class Light(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An area that cancels Darkness, within `radius` of a point or of the base of `bearer` (LT-VILLAGE-18)."""

    radius: int
    at: Point | None = None
    bearer: str = ""


class Contact(msgspec.Struct, frozen=True, array_like=True, order=True):
    """Two things that touch, ids in order. Set when a gap is at most 1/32 inch, cleared by displacement."""

    a: str
    b: str


class Scene(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything on the board. `darkness` is the distance beyond which Darkness works, or None by day."""

    width: int = 36 * INCH
    height: int = 36 * INCH
    models: tuple[Model, ...] = ()
    pieces: tuple[Piece, ...] = ()
    markers: tuple[Marker, ...] = ()
    lights: tuple[Light, ...] = ()
    contacts: tuple[Contact, ...] = ()
    darkness: int | None = None


def pair(a: str, b: str) -> Contact:
    """The contact of two ids, whichever comes first."""
    return Contact(a, b) if a <= b else Contact(b, a)


class Scenery:
    """The pieces of a scene, checked and indexed: shapely polygons, bounding boxes, widths."""

    def __init__(self, pieces: tuple[Piece, ...]) -> None:
        self.pieces = pieces
        self.index = {piece.id: i for i, piece in enumerate(pieces)}
        for piece in pieces:
            _check_piece(piece)
        self.polygons = [shapely.Polygon([(p.x, p.y) for p in piece.shape]) for piece in pieces]
        for piece, polygon in zip(pieces, self.polygons, strict=True):
            if not polygon.is_valid:
                why = shapely.is_valid_reason(polygon)
                raise SceneError(f"piece {piece.id!r}: shape must be a simple polygon: {why}")
        shapely.prepare(self.polygons)
        self.boxes = [tuple(polygon.bounds) for polygon in self.polygons]
        self.widths = [width_up(piece.shape) for piece in pieces]
        # every corner in one row, and where each piece's corners begin (and the last ones end)
        self.corner_x = np.array([p.x for piece in pieces for p in piece.shape], dtype=np.float64)
        self.corner_y = np.array([p.y for piece in pieces for p in piece.shape], dtype=np.float64)
        self.first_corner = np.cumsum([0] + [len(piece.shape) for piece in pieces])

    def near(self, at: Point, reach: int) -> Iterable[Piece]:
        """The pieces whose bounding box comes within `reach` of the point."""
        x, y = at.x, at.y
        for piece, (left, top, right, bottom) in zip(self.pieces, self.boxes, strict=True):
            if left - reach <= x <= right + reach and top - reach <= y <= bottom + reach:
                yield piece

    def polygon(self, piece_id: str) -> shapely.Polygon:
        return self.polygons[self.index[piece_id]]

    def width(self, piece_id: str) -> int:
        """The smallest width of the piece, rounded up."""
        return self.widths[self.index[piece_id]]


def levels_touch(a: Model, b: Model) -> bool:
    """Whether two models' levels differ by at most half the height of the shorter (LT-MEAS-06)."""
    return 2 * abs(a.level - b.level) <= min(a.tall, b.tall)


def _check_piece(piece: Piece) -> None:
    if len(piece.shape) < 3:
        raise SceneError(f"piece {piece.id!r}: shape needs at least 3 corners, has {len(piece.shape)}")
    if twice_area(piece.shape) == 0 or len(set(piece.shape)) != len(piece.shape):
        raise SceneError(f"piece {piece.id!r}: shape encloses no area or repeats a corner")
    if not any(kind in TYPES for kind in piece.kinds):
        raise SceneError(
            f"piece {piece.id!r}: kinds must name a terrain type ({', '.join(TYPES)}), "
            f"has {', '.join(piece.kinds) or 'none'} (LT-TERRAIN-01)"
        )
    if piece.height < 0 or piece.depth < 0:
        raise SceneError(f"piece {piece.id!r}: height and depth must not be negative")
    if piece.gap and piece.height:
        raise SceneError(f"piece {piece.id!r}: a gap has a depth, not a height")


class Plane:
    """A checked, indexed, immutable scene: what every question is asked of.

    Raises SceneError when ids are doubled, something overlaps or leaves the board, or a contact names things that are
    further apart than contact allows.
    """

    def __init__(self, scene: Scene, scenery: Scenery | None = None) -> None:
        self.scene = scene
        same = scenery is not None and (scenery.pieces is scene.pieces or scenery.pieces == scene.pieces)
        self.scenery = scenery if scenery is not None and same else Scenery(scene.pieces)
        self.models = {model.id: model for model in scene.models}
        self.markers = {marker.id: marker for marker in scene.markers}
        self.pieces = {piece.id: piece for piece in scene.pieces}
        self.touching: dict[str, list[str]] = {}
        for contact in scene.contacts:
            self.touching.setdefault(contact.a, []).append(contact.b)
            self.touching.setdefault(contact.b, []).append(contact.a)
        # searches are pure, so a plane keeps what they prepared; keys say what it was prepared for
        self.kept: dict[Any, Any] = {}
        self._check()

    def model(self, model_id: str) -> Model:
        """The model of that id; PlaneError when there is none."""
        try:
            return self.models[model_id]
        except KeyError:
            known = ", ".join(self.models) or "none"
            raise PlaneError(f"expected the id of a model ({known}), got {model_id!r}") from None

    def piece(self, piece_id: str) -> Piece:
        """The piece of that id; PlaneError when there is none."""
        try:
            return self.pieces[piece_id]
        except KeyError:
            known = ", ".join(self.pieces) or "none"
            raise PlaneError(f"expected the id of a piece ({known}), got {piece_id!r}") from None

    def enemies(self, model: Model) -> list[Model]:
        """The models of the other side (LT-GEN-02)."""
        return [other for other in self.models.values() if other.side != model.side]

    def in_contact(self, a: str, b: str) -> bool:
        """Whether the two ids are in the contact relation."""
        return b in self.touching.get(a, ())

    @cached_property
    def discs(self) -> list[tuple[str, Point, int]]:
        """What no base may overlap besides scenery: (id, centre, radius) of models and solid markers."""
        models = [(model.id, model.at, model.radius) for model in self.models.values()]
        return models + [(m.id, m.at, m.radius) for m in self.markers.values() if m.solid]

    def with_scene(self, scene: Scene) -> Plane:
        """Another scene on the same scenery, indexed once."""
        return Plane(scene, self.scenery)

    def _check(self) -> None:
        scene = self.scene
        ids = [thing.id for group in (scene.models, scene.pieces, scene.markers) for thing in group]
        doubled = sorted({i for i in ids if ids.count(i) > 1})
        if doubled or any(i in EDGES or not i for i in ids):
            raise SceneError(f"ids must be given once and not be those of the edges: {', '.join(doubled) or ids}")
        for model in scene.models:
            if model.size not in HEIGHTS:
                raise SceneError(f"model {model.id!r}: size must be 1, 2 or 3 inches, is {model.size}")
        placed = list(self.models.values())
        for i, model in enumerate(placed):
            self._check_place(model, placed[:i])
        for contact in scene.contacts:
            self._check_contact(contact)

    def _check_place(self, model: Model, earlier: list[Model]) -> None:
        r, at = model.radius, model.at
        if not (r <= at.x <= self.scene.width - r and r <= at.y <= self.scene.height - r):
            raise SceneError(
                f"model {model.id!r}: base must lie on the board of {inches(self.scene.width)} x "
                f"{inches(self.scene.height)}, is at {inches(at.x)}, {inches(at.y)} (LT-EDGE-01)"
            )
        solid = [(m.id, m.at, m.radius) for m in self.markers.values() if m.solid]
        for other, where, radius in [(m.id, m.at, m.radius) for m in earlier] + solid:
            if square_between(at, where) < (r + radius) ** 2:
                raise SceneError(f"model {model.id!r}: base overlaps {other!r} (LT-MOVE-04)")
        under = [p for p in self.scenery.near(at, r) if near_ring(at, p.shape, r)]
        for piece in under:
            forded = any(kind in model.fords for kind in piece.kinds)
            if piece.impassable and not forded:
                raise SceneError(f"model {model.id!r}: base overlaps impassable {piece.id!r} (LT-TERRAIN-11)")
        bodies = [p for p in under if (p.gap or not p.flat) and not p.impassable]
        for piece in bodies:
            if not wholly_inside(at, r, piece.shape):
                raise SceneError(f"model {model.id!r}: base stands only partly on {piece.id!r} (LT-MOVE-03)")
        ground = max((p.height if not p.gap else -p.depth for p in bodies), default=0)
        if model.level != ground:
            on = next((p.id for p in bodies if ground in (p.height, -p.depth)), "the table")
            raise SceneError(
                f"model {model.id!r}: level must be that of the ground, {inches(ground)} on {on}, "
                f"is {inches(model.level)} (LT-BASE-06)"
            )

    def _check_contact(self, contact: Contact) -> None:
        if contact.a >= contact.b:
            raise SceneError(f"contact {contact.a!r}, {contact.b!r}: ids must differ and stand in order")
        for end in (contact.a, contact.b):
            if end not in self.models and end not in self.pieces and end not in self.markers:
                raise SceneError(f"contact {contact.a!r}, {contact.b!r}: {end!r} is not in the scene")
        if not self.near_enough(contact.a, contact.b):
            raise SceneError(f"contact {contact.a!r}, {contact.b!r}: further apart than 1/32 inch (LT-MEAS-06)")

    def near_enough(self, a: str, b: str) -> bool:
        """Whether the gap of two things is at most 1/32 inch and their levels allow contact (LT-MEAS-06)."""
        if a in self.pieces:
            a, b = b, a
        disc = self.models.get(a) or self.markers.get(a)
        if disc is None:
            return False
        if b in self.pieces:
            shape = self.pieces[b].shape
            limit = 4 * disc.radius + CONTACT_QUARTERS
            return near_ring(disc.at, shape, disc.radius) or any(
                not_farther_quarters(disc.at, shape[i - 1], shape[i], limit) for i in range(len(shape))
            )
        other = self.models.get(b) or self.markers.get(b)
        if other is None:
            return False
        if isinstance(disc, Model) and isinstance(other, Model) and not levels_touch(disc, other):
            return False
        reach = 4 * (disc.radius + other.radius) + CONTACT_QUARTERS
        return 16 * square_between(disc.at, other.at) <= reach * reach
