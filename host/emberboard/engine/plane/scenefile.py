"""A scene as a YAML file, for authors and for looking at failures; lengths are inches with up to three decimals.

    title: A barn, a field and a fight
    board: [36, 36]                 # width, height; 36 x 36 when left out
    darkness: 12                    # the limit of Darkness; left out by day
    pieces:
      - {id: barn, kinds: [impassable], height: 6, rect: [6, 6, 4, 6]}         # x, y, width, height
      - {id: tree, kinds: [impassable], height: 5, disc: [20, 12, 0.3]}        # x, y, radius: 48 corners
      - {id: field, kinds: [difficult, area], shape: [[12, 4], [18, 4], [17, 9]]}
      - {id: pit, kinds: [gap], depth: 6, disc: [25, 25, 0.8]}
    models:
      - {id: adric, side: party, at: [10, 14]}                                  # size 1, its default height
      - {id: troll, side: foe, at: [20, 15], size: 2, level: 0}
    markers:
      - {id: chest, at: [30, 30], solid: true}
    lights:
      - {radius: 3, bearer: adric}
    contacts: [[adric, troll]]      # left out: those that the places give
    draw:
      - {model: adric, reach: 6, slow: 4, ranges: [8, 18], sight: true}
      - {model: adric, to: [22, 15], allowance: 6}                              # the shortest way there
      - {model: adric, engage: troll, allowance: 6}                             # into contact
      - {model: troll, push_from: adric, length: 3}
      - {model: adric, away_from: troll, length: 6}
      - {model: adric, place_near: [25, 25]}                                    # the nearest free place
      - {model: adric, surrounded: true}

`kinds` are open, difficult, deadly, impassable, barrier, gap, area, dense, water, woodland; models may carry
`height`, `ethereal`, `hidden`, `ignores`, `fords`. What does not fit is a ContentError with file, line and field; what
cannot stand (overlaps, unknown ids) a SceneError.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import msgspec

from emberboard.engine.content import decode, line_of, read_yaml
from emberboard.engine.errors import ContentError
from emberboard.engine.plane.contact import find_contacts
from emberboard.engine.plane.scene import Contact, Light, Marker, Model, Piece, Plane, Scene, Terrain, pair
from emberboard.engine.plane.units import INCH, Point

Inches = int | float
Steps = Sequence[str | int]
#: Corners of a piece given as a disc.
DISC_CORNERS = 48


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to draw of a scene, lengths in 1/1000 inch: see the module for what each field shows."""

    model: str
    reach: int | None = None
    slow: int | None = None
    ranges: tuple[int, ...] = ()
    sight: bool = False
    to: Point | None = None
    engage: str = ""
    allowance: int | None = None
    push_from: str = ""
    away_from: str = ""
    length: int | None = None
    place_near: Point | None = None
    surrounded: bool = False


class _Piece(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    kinds: list[Terrain]
    shape: list[tuple[Inches, Inches]] | None = None
    rect: tuple[Inches, Inches, Inches, Inches] | None = None
    disc: tuple[Inches, Inches, Inches] | None = None
    height: Inches = 0
    depth: Inches = 0


class _Model(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    side: str
    at: tuple[Inches, Inches]
    size: int = 1
    height: Inches = 0
    level: Inches = 0
    ethereal: bool = False
    hidden: bool = False
    ignores: tuple[Terrain, ...] = ()
    fords: tuple[Terrain, ...] = ()


class _Marker(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    at: tuple[Inches, Inches]
    radius: Inches = 0.5
    solid: bool = False


class _Light(msgspec.Struct, forbid_unknown_fields=True):
    radius: Inches
    at: tuple[Inches, Inches] | None = None
    bearer: str = ""


class _Picture(msgspec.Struct, forbid_unknown_fields=True):
    model: str
    reach: Inches | None = None
    slow: Inches | None = None
    ranges: tuple[Inches, ...] = ()
    sight: bool = False
    to: tuple[Inches, Inches] | None = None
    engage: str = ""
    allowance: Inches | None = None
    push_from: str = ""
    away_from: str = ""
    length: Inches | None = None
    place_near: tuple[Inches, Inches] | None = None
    surrounded: bool = False


class _File(msgspec.Struct, forbid_unknown_fields=True):
    title: str = ""
    board: tuple[Inches, Inches] = (36, 36)
    darkness: Inches | None = None
    pieces: list[_Piece] = []
    models: list[_Model] = []
    markers: list[_Marker] = []
    lights: list[_Light] = []
    contacts: list[tuple[str, str]] | None = None
    draw: list[_Picture] = []


class SceneFile(msgspec.Struct, frozen=True):
    """A scene read from a file: its title, the checked plane, and what to draw of it."""

    title: str
    plane: Plane
    pictures: tuple[Picture, ...]


def load(path: Path) -> SceneFile:
    """Read a scene file. Raises ContentError (file, line, field) or SceneError (what cannot stand)."""
    plain = read_yaml(path)
    if not isinstance(plain, dict):
        raise ContentError("expected a mapping with pieces, models, draw ...", file=str(path), line=1)
    read = decode(plain, _File, path)
    scene = Scene(
        width=_length(read.board[0], path, ("board", 0)),
        height=_length(read.board[1], path, ("board", 1)),
        darkness=None if read.darkness is None else _length(read.darkness, path, ("darkness",)),
        pieces=tuple(_piece(p, path, ("pieces", i)) for i, p in enumerate(read.pieces)),
        models=tuple(_model(m, path, ("models", i)) for i, m in enumerate(read.models)),
        markers=tuple(
            Marker(
                id=m.id,
                at=_point(m.at, path, ("markers", i, "at")),
                radius=_length(m.radius, path, ("markers", i, "radius")),
                solid=m.solid,
            )
            for i, m in enumerate(read.markers)
        ),
        lights=tuple(_light(light, path, ("lights", i)) for i, light in enumerate(read.lights)),
    )
    if read.contacts is None:
        scene = find_contacts(scene)
    else:
        contacts: tuple[Contact, ...] = tuple(sorted({pair(a, b) for a, b in read.contacts}))
        scene = msgspec.structs.replace(scene, contacts=contacts)
    plane = Plane(scene)
    pictures = tuple(_picture(p, plane, path, ("draw", i)) for i, p in enumerate(read.draw))
    return SceneFile(read.title or path.stem, plane, pictures)


def _length(value: Inches, path: Path, steps: Steps) -> int:
    exact = Decimal(str(value)) * INCH
    if exact != exact.to_integral_value():
        _refuse(f"expected inches with at most three decimals, got {value}", path, steps)
    return int(exact)


def _refuse(message: str, path: Path, steps: Steps) -> None:
    raise ContentError(
        message, file=str(path), line=line_of(path, steps), field=".".join(str(step) for step in steps)
    )


def _point(value: tuple[Inches, Inches], path: Path, steps: Steps) -> Point:
    return Point(_length(value[0], path, steps), _length(value[1], path, steps))


def _piece(read: _Piece, path: Path, steps: Steps) -> Piece:
    given = [name for name in ("shape", "rect", "disc") if getattr(read, name) is not None]
    if len(given) != 1:
        _refuse(f"expected one of shape, rect, disc, got {', '.join(given) or 'none'}", path, steps)
    where = (*steps, given[0])
    shape: tuple[Point, ...]
    if read.rect is not None:
        x, y, width, height = (_length(v, path, where) for v in read.rect)
        shape = (Point(x, y), Point(x + width, y), Point(x + width, y + height), Point(x, y + height))
    elif read.disc is not None:
        x, y, radius = (_length(v, path, where) for v in read.disc)
        turn = 2 * math.pi / DISC_CORNERS
        shape = tuple(
            Point(x + round(radius * math.cos(turn * k)), y + round(radius * math.sin(turn * k)))
            for k in range(DISC_CORNERS)
        )
    else:
        shape = tuple(_point(p, path, where) for p in read.shape or [])
    return Piece(
        id=read.id,
        shape=shape,
        kinds=tuple(read.kinds),
        height=_length(read.height, path, (*steps, "height")),
        depth=_length(read.depth, path, (*steps, "depth")),
    )


def _model(read: _Model, path: Path, steps: Steps) -> Model:
    return Model(
        id=read.id,
        side=read.side,
        at=_point(read.at, path, (*steps, "at")),
        size=read.size,
        height=_length(read.height, path, (*steps, "height")),
        level=_length(read.level, path, (*steps, "level")),
        ethereal=read.ethereal,
        hidden=read.hidden,
        ignores=read.ignores,
        fords=read.fords,
    )


def _light(read: _Light, path: Path, steps: Steps) -> Light:
    if (read.at is None) is not bool(read.bearer):
        _refuse("expected either a place (at) or a bearer", path, steps)
    return Light(
        radius=_length(read.radius, path, (*steps, "radius")),
        at=None if read.at is None else _point(read.at, path, (*steps, "at")),
        bearer=read.bearer,
    )


def _picture(read: _Picture, plane: Plane, path: Path, steps: Steps) -> Picture:
    for name in ("model", "push_from", "away_from"):
        value = getattr(read, name)
        if value and value not in plane.models:
            _refuse(f"expected the id of a model ({', '.join(plane.models)}), got {value!r}", path, (*steps, name))
    if read.engage and read.engage not in plane.models and read.engage not in plane.markers:
        _refuse(f"expected the id of a model or marker, got {read.engage!r}", path, (*steps, "engage"))

    def length(name: str) -> int | None:
        value: Inches | None = getattr(read, name)
        return None if value is None else _length(value, path, (*steps, name))

    return Picture(
        model=read.model,
        reach=length("reach"),
        slow=length("slow"),
        ranges=tuple(_length(v, path, (*steps, "ranges")) for v in read.ranges),
        sight=read.sight,
        to=None if read.to is None else _point(read.to, path, (*steps, "to")),
        engage=read.engage,
        allowance=length("allowance"),
        push_from=read.push_from,
        away_from=read.away_from,
        length=length("length"),
        place_near=None if read.place_near is None else _point(read.place_near, path, (*steps, "place_near")),
        surrounded=read.surrounded,
    )
