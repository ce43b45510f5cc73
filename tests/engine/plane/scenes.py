"""Scenes for the tests of the inch plane: small builders in inches, and random scenes for hypothesis."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal

import msgspec
from hypothesis import strategies as st

from emberboard.engine.plane.contact import find_contacts
from emberboard.engine.plane.ground import standing
from emberboard.engine.plane.scene import Marker, Model, Piece, Plane, Scene, SceneError, Terrain
from emberboard.engine.plane.units import Point, hull

Number = int | float | str


def th(value: Number) -> int:
    """Inches as thousandths, exactly."""
    return int((Decimal(str(value)) * 1000).to_integral_exact())


def pt(x: Number, y: Number) -> Point:
    return Point(th(x), th(y))


def rect(x: Number, y: Number, width: Number, height: Number) -> tuple[Point, ...]:
    left, top, right, bottom = th(x), th(y), th(x) + th(width), th(y) + th(height)
    return (Point(left, top), Point(right, top), Point(right, bottom), Point(left, bottom))


def disc(x: Number, y: Number, radius: Number, sides: int = 48) -> tuple[Point, ...]:
    return tuple(
        Point(
            th(x) + round(th(radius) * math.cos(2 * math.pi * k / sides)),
            th(y) + round(th(radius) * math.sin(2 * math.pi * k / sides)),
        )
        for k in range(sides)
    )


def model(name: str, x: Number, y: Number, side: str = "party", **more: object) -> Model:
    return msgspec.convert({"id": name, "side": side, "at": (th(x), th(y)), **more}, Model)


def piece(name: str, shape: Iterable[Point], *kinds: Terrain, height: Number = 0, depth: Number = 0) -> Piece:
    return Piece(id=name, shape=tuple(shape), kinds=kinds, height=th(height), depth=th(depth))


def wall(name: str, shape: Iterable[Point], height: Number = 3) -> Piece:
    return piece(name, shape, Terrain.IMPASSABLE, height=height)


def plane(*things: Model | Piece | Marker, board: tuple[int, int] = (36, 36), **more: object) -> Plane:
    """A plane of the things given, with the contacts their places give."""
    scene = Scene(
        width=board[0] * 1000,
        height=board[1] * 1000,
        models=tuple(t for t in things if isinstance(t, Model)),
        pieces=tuple(t for t in things if isinstance(t, Piece)),
        markers=tuple(t for t in things if isinstance(t, Marker)),
    )
    return Plane(find_contacts(msgspec.structs.replace(scene, **more)))


SIDE = 12


@st.composite
def random_piece(draw: st.DrawFn, name: str, side: int = SIDE, largest: int = 3000) -> Piece | None:
    """A random piece, convex or a star with dents, or None when its corners fall together."""
    x, y = draw(st.integers(0, side * 1000)), draw(st.integers(0, side * 1000))
    shape: list[Point]
    if draw(st.integers(0, 2)):
        span = st.integers(-largest, largest)
        offsets = draw(st.lists(st.tuples(span, span), min_size=3, max_size=6))
        shape = hull([Point(x + dx, y + dy) for dx, dy in offsets])
    else:
        arms = draw(st.lists(st.integers(150, largest), min_size=5, max_size=9))
        turn = 2 * math.pi / len(arms)
        shape = [
            Point(x + round(arm * math.cos(turn * k)), y + round(arm * math.sin(turn * k)))
            for k, arm in enumerate(arms)
        ]
    if len(shape) < 3:
        return None
    kind = draw(st.sampled_from([Terrain.IMPASSABLE, Terrain.IMPASSABLE, Terrain.BARRIER, Terrain.DIFFICULT]))
    height = draw(st.sampled_from([0, 500, 1000, 2000, 3000, 6000]))
    kinds = (kind, Terrain.AREA) if kind is Terrain.DIFFICULT else (kind,)
    if kind is Terrain.DIFFICULT and draw(st.booleans()):
        kinds = (*kinds, Terrain.DENSE)
    if kind is Terrain.BARRIER and height == 0:
        height = 500
    return Piece(id=name, shape=tuple(shape), kinds=kinds, height=height if kind is not Terrain.DIFFICULT else 0)


@st.composite
def random_plane(
    draw: st.DrawFn, side: int = SIDE, pieces: int = 5, models: int = 6, sizes: tuple[int, ...] = (1, 1, 2)
) -> Plane:
    """A board with up to that many pieces and models; 'm0' is always there, what does not fit is left out."""
    found: list[Model] = []
    shapes = [p for i in range(draw(st.integers(0, pieces))) if (p := draw(random_piece(f"p{i}", side))) is not None]
    scene = Scene(width=side * 1000, height=side * 1000, pieces=tuple(shapes))
    board = Plane(scene)
    wanted = draw(st.integers(2, models))
    for i in range(wanted):
        size = draw(st.sampled_from(sizes))
        for _ in range(8 if i < 2 else 2):
            at = Point(draw(st.integers(500, side * 1000 - 500)), draw(st.integers(500, side * 1000 - 500)))
            candidate = Model(id=f"m{len(found)}", side="party" if i % 2 == 0 else "foe", at=at, size=size)
            place = standing(board, candidate, at)
            if place.legal:
                found.append(msgspec.structs.replace(candidate, level=place.level))
                board = board.with_scene(msgspec.structs.replace(scene, models=tuple(found)))
                break
    if not found:
        first = Model(id="m0", side="party", at=Point(side * 500, side * 500))
        try:
            return Plane(Scene(width=side * 1000, height=side * 1000, models=(first,), pieces=tuple(shapes)))
        except SceneError:
            return Plane(Scene(width=side * 1000, height=side * 1000, models=(first,)))
    return Plane(find_contacts(board.scene))
