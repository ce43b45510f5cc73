"""Line of Sight: Clear, Obscured or Blocked, with the obstructions named; Cover; Darkness.

The viewer's view is all straight rays from the centre of its base to the target's base, each ended where it first meets
that base (LT-LOS-03). What lies across them changes only at corners of scenery, at tangents to bases, and where an
outline meets the target's base; between two such angles one ray speaks for all. So the answer is that of the whole
interval, not of sampled rays. A graze is no obstruction.

Sources: area LOS, COVER, AREA-02..06, LT-VILLAGE-16, LT-VILLAGE-18, LT-ENG-07 (a strike over a barrier needs no sight).
"""

from __future__ import annotations

import enum
import math
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberboard.engine.plane.distance import gap, within
from emberboard.engine.plane.scene import Model, Piece, Plane
from emberboard.engine.plane.units import inside, near_ring, wholly_inside

By = Literal["all", "scenery", "models"]
"""Of what a look is taken: of all that is there, or of a part alone."""
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
#: Views narrower than this (radians; 1/20000 inch across the board) are no views.
THIN = 1e-9
#: A crossing this close (thousandths) to the target's base happens at it, not before it.
AT_BASE = 1e-6


class Sight(enum.StrEnum):
    """The state of a Line of Sight (LT-LOS-05..07)."""

    CLEAR = "clear"
    OBSCURED = "obscured"
    BLOCKED = "blocked"


class Effect(enum.StrEnum):
    """What an obstruction does to the rays that meet it."""

    OBSCURES = "obscures"
    BLOCKS = "blocks"


class Obstruction(msgspec.Struct, frozen=True):
    """One thing in the way: what it does, which share of the view it takes (1/1000, rounded up), and by which rule."""

    id: str
    effect: Effect
    share: int
    rule: str


class SightRules(msgspec.Struct, frozen=True):
    """The agreed flags (`content.flags`): see LT-LOS-03, LT-LOS-11, LT-AREA-02."""

    mutual_sight: bool = True
    low_scenery_ignored: bool = False
    dense_area_counts_as_obscured: bool = False


class View(msgspec.Struct, frozen=True):
    """A Line of Sight and its reasons.

    `free` is the share of the view (1/1000, rounded down) that nothing obstructs, `blocked` the share no ray gets
    through. `dense` names the dense areas the target stands wholly in. `rule` is the one that decided last.
    """

    viewer: str
    target: str
    sight: Sight
    obstructions: tuple[Obstruction, ...]
    free: int
    blocked: int
    dense: tuple[str, ...] = ()
    rule: str = "LT-LOS-05"


class Cover(msgspec.Struct, frozen=True):
    """Whether the target has Cover against the viewer: by what, and what the viewer leans around or over."""

    cover: bool
    by: tuple[str, ...]
    leaning: str = ""
    rule: str = "LT-COVER-01"


DEFAULT_RULES = SightRules()


def sight(
    plane: Plane,
    viewer: str | Model,
    target: str | Model,
    rules: SightRules = DEFAULT_RULES,
    darkness: int | None = None,
) -> View:
    """The Line of Sight from one model to another, Hidden and Darkness included (LT-LOS, LT-VILLAGE-16).

    `darkness` overrides the scene's limit for this viewer (LT-ARTIFACT-06). Between a model and itself it is Clear.
    """
    own = viewer if isinstance(viewer, Model) else plane.model(viewer)
    other = target if isinstance(target, Model) else plane.model(target)
    view = _look(plane, own, other, rules)
    if view.sight is Sight.BLOCKED and rules.mutual_sight:
        view = _mutual(plane, own, other, rules, view)
    if view.sight is Sight.CLEAR and view.dense and rules.dense_area_counts_as_obscured:
        view = msgspec.structs.replace(view, sight=Sight.OBSCURED, rule="LT-AREA-02")
    if not other.hidden or own.side == other.side:
        return view
    if view.sight is Sight.OBSCURED:
        return msgspec.structs.replace(view, sight=Sight.BLOCKED, rule="LT-LOS-09")
    if view.sight is Sight.CLEAR and in_the_dark(plane, own, other, darkness):
        dark = Obstruction("darkness", Effect.BLOCKS, 1000, "LT-VILLAGE-16")
        return msgspec.structs.replace(
            view, sight=Sight.BLOCKED, obstructions=(*view.obstructions, dark), rule="LT-VILLAGE-16"
        )
    return view


def lit(plane: Plane, model: Model) -> bool:
    """Whether the model stands in Light: any part of its base within the radius of a light (LT-VILLAGE-18)."""
    for light in plane.scene.lights:
        source = light.bearer if light.at is None else light.at
        if source == model.id or within(plane, model, source, light.radius):
            return True
    return False


def in_the_dark(plane: Plane, viewer: str | Model, target: str | Model, darkness: int | None = None) -> bool:
    """Whether the target is too far away in Darkness and in no Light (LT-VILLAGE-15, -16, -18)."""
    if plane.scene.darkness is None:
        return False
    limit = plane.scene.darkness if darkness is None else darkness
    other = target if isinstance(target, Model) else plane.model(target)
    return not within(plane, viewer, other, limit) and not lit(plane, other)


def sees(plane: Plane, viewer: str | Model, target: str | Model, rules: SightRules = DEFAULT_RULES) -> bool:
    """Whether the target can be seen at all (LT-LOS-01)."""
    return sight(plane, viewer, target, rules).sight is not Sight.BLOCKED


def cover(plane: Plane, view: View) -> Cover:
    """Whether the target of a view has Cover (area COVER).

    Wholly inside a dense area always counts, without the lean (LT-AREA-02). Otherwise an Obscured target has Cover
    unless the only obstruction is in contact with the viewer (LT-COVER-02, -03). A Blocked target cannot be shot at.
    """
    if view.dense:
        return Cover(True, view.dense, rule="LT-AREA-02")
    if view.sight is not Sight.OBSCURED:
        return Cover(False, ())
    by = tuple(dict.fromkeys(o.id for o in view.obstructions))
    if len(by) == 1 and plane.in_contact(view.viewer, by[0]):
        return Cover(False, (), by[0], "LT-COVER-02")
    return Cover(True, by, rule="LT-COVER-03" if len(by) > 1 else "LT-COVER-01")


def _mutual(plane: Plane, own: Model, other: Model, rules: SightRules, view: View) -> View:
    """Scenery alone blocks only what it blocks both ways; one way counts as Obscured (LT-LOS-03).

    Models that block the whole view by themselves go on doing so.
    """
    if _look(plane, own, other, rules, "scenery").sight is not Sight.BLOCKED:
        return view
    if _look(plane, other, own, rules, "scenery").sight is Sight.BLOCKED:
        return view
    if _look(plane, own, other, rules, "models").sight is Sight.BLOCKED:
        return view
    return msgspec.structs.replace(view, sight=Sight.OBSCURED, rule="LT-LOS-03")


class _Outline:
    """One obstruction as seen from a viewer: a ring of corners, or a circle, relative to the viewer's centre."""

    def __init__(self, name: str, kind: str, effect: Effect, rule: str) -> None:
        self.name, self.kind, self.effect, self.rule = name, kind, effect, rule
        self.xs: Floats = np.empty(0)
        self.ys: Floats = np.empty(0)
        self.circle: tuple[float, float, float] | None = None


def _look(plane: Plane, own: Model, other: Model, rules: SightRules, by: By = "all") -> View:
    cx, cy = float(other.at.x - own.at.x), float(other.at.y - own.at.y)
    far, r = math.hypot(cx, cy), float(other.radius)
    dense = tuple(
        p.id for p in plane.scenery.near(other.at, 0) if p.dense and wholly_inside(other.at, other.radius, p.shape)
    )
    if own.id == other.id or far <= r:
        return View(own.id, other.id, Sight.CLEAR, (), 1000, 0, dense)
    outlines = _obstacles(plane, own, other, rules, by)
    half = math.asin(r / far)
    if not outlines:
        return View(own.id, other.id, Sight.CLEAR, (), 1000, 0, dense)
    # turn everything so that the target's centre lies on the positive x axis
    cos, sin = cx / far, cy / far
    marks: list[Floats] = [np.array([-half, half])]
    for o in outlines:
        marks.append(_critical(o, cos, sin, far, r, half))
    angles = np.concatenate(marks)
    angles = np.unique(angles[(angles >= -half) & (angles <= half)])
    widths = np.diff(angles)
    keep = widths > THIN
    mids, widths = (angles[:-1] + widths / 2)[keep], widths[keep]
    ux, uy = np.cos(mids), np.sin(mids)
    # where each ray first meets the target's base
    ends = far * ux - np.sqrt(np.maximum(r * r - (far * uy) ** 2, 0.0))
    blocked: Bools = np.zeros(len(mids), dtype=bool)
    obscured: Bools = np.zeros(len(mids), dtype=bool)
    found: list[Obstruction] = []
    whole = float(widths.sum())
    for o in outlines:
        blocks, obscures = _meets(o, ux, uy, ends)
        for effect, hit in ((Effect.BLOCKS, blocks), (Effect.OBSCURES, obscures)):
            if hit.any():
                share = math.ceil(float(widths[hit].sum()) / whole * 1000 - 1e-6)
                found.append(Obstruction(o.name, effect, share, o.rule))
        blocked |= blocks
        obscured |= obscures
    obscured &= ~blocked
    free = float(widths[~(blocked | obscured)].sum()) / whole
    shut = float(widths[blocked].sum()) / whole
    if not found:
        state, rule = Sight.CLEAR, "LT-LOS-05"
    elif blocked.all():
        state, rule = Sight.BLOCKED, "LT-LOS-07"
    else:
        state, rule = Sight.OBSCURED, "LT-LOS-06"
    return View(
        viewer=own.id,
        target=other.id,
        sight=state,
        obstructions=tuple(found),
        free=math.floor(free * 1000 + 1e-6),
        blocked=math.floor(shut * 1000 + 1e-6),
        dense=dense,
        rule=rule,
    )


def _obstacles(plane: Plane, own: Model, other: Model, rules: SightRules, by: By) -> list[_Outline]:
    """What may obstruct this view, turned to the target's direction."""
    ax, ay = own.at.x, own.at.y
    dx, dy = other.at.x - ax, other.at.y - ay
    r, far = other.radius, math.hypot(dx, dy)
    cos, sin = dx / far, dy / far
    found: list[_Outline] = []
    scenery = plane.scenery
    if scenery.pieces and by != "models":
        xs = (scenery.corner_x - ax) * cos + (scenery.corner_y - ay) * sin
        ys = (scenery.corner_y - ay) * cos - (scenery.corner_x - ax) * sin
        # a piece wholly beyond one side of the view, behind the viewer or behind the target obstructs nothing
        rise, run = r / far, math.sqrt(1.0 - (r / far) ** 2)
        first = scenery.first_corner[:-1]
        inside_view = np.minimum.reduceat(ys * run - xs * rise, first) < 0
        inside_view &= np.minimum.reduceat(-ys * run - xs * rise, first) < 0
        inside_view &= np.maximum.reduceat(xs, first) > 0
        inside_view &= np.minimum.reduceat(xs, first) < far
        for k in np.flatnonzero(inside_view).tolist():
            piece = scenery.pieces[k]
            how = _scenery_effect(plane, piece, own, other, rules)
            if how is None:
                continue
            outline = _Outline(piece.id, "dense" if piece.dense else "scenery", how[0], how[1])
            corners = slice(scenery.first_corner[k], scenery.first_corner[k + 1])
            outline.xs, outline.ys = xs[corners], ys[corners]
            found.append(outline)
    if by == "scenery":
        return found
    for model in plane.models.values():
        # friends of the viewer are looked through, viewer and target never obstruct (LT-LOS-08, -12)
        if model.side == own.side or model.id in (own.id, other.id):
            continue
        dx, dy = model.at.x - ax, model.at.y - ay
        x, y = dx * cos + dy * sin, dy * cos - dx * sin
        if x <= -model.radius or x >= far + model.radius or abs(y) >= r + model.radius:
            continue
        larger = model.size > own.size and model.size > other.size
        outline = _Outline(model.id, "model", Effect.BLOCKS if larger else Effect.OBSCURES, "LT-LOS-10")
        outline.circle = (x, y, float(model.radius))
        found.append(outline)
    return found


def _scenery_effect(
    plane: Plane, piece: Piece, own: Model, other: Model, rules: SightRules
) -> tuple[Effect, str] | None:
    """What a piece does to the rays that cross it, or None when it obstructs nothing for these two."""
    if piece.dense:
        # out of an area one stands in, and at what stands wholly in it, sight is free (LT-AREA-02, -05)
        if near_ring(own.at, piece.shape, own.radius) or wholly_inside(other.at, other.radius, piece.shape):
            return None
        return Effect.BLOCKS, "LT-AREA-04"
    if piece.height <= 0:
        return None
    for model in (own, other):
        # what a model stands on does not obstruct it (LT-LOS-11)
        if model.level == piece.height and near_ring(model.at, piece.shape, model.radius):
            return None
    if inside(own.at, piece.shape):
        return None
    if piece.height >= max(own.top, other.top):
        return Effect.BLOCKS, "LT-LOS-11"
    if rules.low_scenery_ignored and 2 * piece.height < other.tall and not plane.near_enough(other.id, piece.id):
        return None
    return Effect.OBSCURES, "LT-LOS-11"


def _critical(o: _Outline, cos: float, sin: float, far: float, r: float, half: float) -> Floats:
    """The angles at which what a ray meets of this outline may change."""
    if o.circle is not None:
        x, y, radius = o.circle
        d = math.hypot(x, y)
        if d <= radius:
            return np.array([-half, half])
        towards, spread = math.atan2(y, x), math.asin(radius / d)
        marks = [towards - spread, towards + spread]
        apart = math.hypot(x - far, y)
        if abs(radius - r) < apart < radius + r:
            along = (apart * apart + r * r - radius * radius) / (2 * apart)
            up = math.sqrt(max(0.0, r * r - along * along))
            vx, vy = (x - far) / apart, y / apart
            for sign in (1.0, -1.0):
                marks.append(math.atan2(vy * along + sign * vx * up, far + vx * along - sign * vy * up))
        return np.array(marks)
    xs, ys = o.xs, o.ys
    marks_found = [np.arctan2(ys, xs)]
    nx, ny = np.roll(xs, -1), np.roll(ys, -1)
    ex, ey = nx - xs, ny - ys
    # where an edge meets the target's base
    a = ex * ex + ey * ey
    b = (xs - far) * ex + ys * ey
    c = (xs - far) ** 2 + ys * ys - r * r
    root = b * b - a * c
    some = root > 0
    for sign in (1.0, -1.0):
        t = (-b[some] + sign * np.sqrt(root[some])) / a[some]
        on = (t > 0) & (t < 1)
        marks_found.append(np.arctan2((ys[some] + t * ey[some])[on], (xs[some] + t * ex[some])[on]))
    return np.concatenate(marks_found)


def _meets(o: _Outline, ux: Floats, uy: Floats, ends: Floats) -> tuple[Bools, Bools]:
    """For each ray: blocked by this outline, obscured by it."""
    none: Bools = np.zeros(len(ux), dtype=bool)
    if o.circle is not None:
        x, y, radius = o.circle
        along = x * ux + y * uy
        off2 = (x * uy - y * ux) ** 2
        near = along - np.sqrt(np.maximum(radius * radius - off2, 0.0))
        hit = (off2 < radius * radius) & (along > 0) & (near < ends - AT_BASE)
    else:
        count = _crossings(o, ux, uy, ends)
        if o.kind == "dense":
            # through it and out again is blocked; ending in it at the target's base is obscured (LT-AREA-03, -04)
            return count >= 2, count == 1
        hit = count >= 1
    return (hit, none) if o.effect is Effect.BLOCKS else (none, hit)


def _crossings(o: _Outline, ux: Floats, uy: Floats, ends: Floats) -> NDArray[np.int64]:
    """How often each ray crosses the outline before it meets the target's base."""
    xs, ys = o.xs, o.ys
    side = ux[:, None] * ys - uy[:, None] * xs
    other = np.roll(side, -1, axis=1)
    across = (side > 0) != (other > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = side / (side - other)
        px = xs + t * (np.roll(xs, -1) - xs)
        py = ys + t * (np.roll(ys, -1) - ys)
        at = px * ux[:, None] + py * uy[:, None]
        crossed = across & (at > 0) & (at < ends[:, None] - AT_BASE)
    return np.asarray(crossed.sum(axis=1), dtype=np.int64)


def views(plane: Plane, viewer: str, targets: list[str], rules: SightRules = DEFAULT_RULES) -> tuple[View, ...]:
    """The Lines of Sight from one model to many, in the order given."""
    return tuple(sight(plane, viewer, target, rules) for target in targets)


def seen_enemies(plane: Plane, viewer: str, rules: SightRules = DEFAULT_RULES) -> tuple[View, ...]:
    """The views of every enemy that can be seen, in the order of their gaps."""
    own = plane.model(viewer)
    order = sorted(plane.enemies(own), key=lambda e: (gap(plane, own, e).gap, e.id))
    found = (sight(plane, own, enemy, rules) for enemy in order)
    return tuple(view for view in found if view.sight is not Sight.BLOCKED)
