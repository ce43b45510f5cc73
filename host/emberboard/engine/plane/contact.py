"""Contact as an explicit relation, what displacement does to it, engagement, and fighting across a barrier.

Contact is set when a gap is at most 1/32 inch after something was moved or placed, and cleared when it is displaced
(LT-MEAS-06, LT-ENG-09). It is part of the scene, so it survives saving. Sources: LT-ENG-01, -07, -09, -10,
LT-WEAPON-05, LT-WEAPON-06.
"""

from __future__ import annotations

import msgspec
import shapely

from emberboard.engine.plane.ground import is_barrier, standing
from emberboard.engine.plane.scene import Contact, Model, Plane, Scene, pair
from emberboard.engine.plane.units import (
    CONTACT,
    CONTACT_QUARTERS,
    PlaneError,
    Point,
    distance_up,
    root_up,
    square_between,
)


class Engaged(msgspec.Struct, frozen=True):
    """One enemy a model is engaged with: by base contact, or across the barrier named."""

    enemy: str
    gap: int
    across: str = ""


class Engagement(msgspec.Struct, frozen=True):
    """Whether a model is engaged, and with whom."""

    model: str
    engaged: bool
    by: tuple[Engaged, ...]


class Displaced(msgspec.Struct, frozen=True):
    """The scene after a displacement, with the contacts that were set and cleared."""

    scene: Scene
    set: tuple[Contact, ...]
    cleared: tuple[Contact, ...]


def contacts_of(plane: Plane, thing: str) -> tuple[Contact, ...]:
    """The contacts of a thing as its present gaps give them, in order."""
    others = [*plane.models, *plane.pieces, *plane.markers]
    return tuple(sorted(pair(thing, o) for o in others if o != thing and plane.near_enough(thing, o)))


def find_contacts(scene: Scene) -> Scene:
    """The scene with every contact its places give: for a scene drawn by hand."""
    plane = Plane(msgspec.structs.replace(scene, contacts=()))
    found: set[Contact] = set()
    for thing in [*plane.models, *plane.markers]:
        found.update(contacts_of(plane, thing))
    return msgspec.structs.replace(scene, contacts=tuple(sorted(found)))


def _with(plane: Plane, scene: Scene, things: tuple[str, ...]) -> Displaced:
    old = plane.scene.contacts
    kept = tuple(c for c in old if c.a not in things and c.b not in things)
    bare = plane.with_scene(msgspec.structs.replace(scene, contacts=kept))
    fresh = {c for thing in things if thing in bare.models or thing in bare.markers for c in contacts_of(bare, thing)}
    contacts = tuple(sorted({*kept, *fresh}))
    return Displaced(
        scene=msgspec.structs.replace(scene, contacts=contacts),
        set=tuple(c for c in contacts if c not in old),
        cleared=tuple(c for c in old if c not in contacts),
    )


def displace(plane: Plane, model_id: str, to: Point, level: int | None = None) -> Displaced:
    """Move or put a model elsewhere: its contacts are cleared and those of its new place set (LT-ENG-09).

    Raises PlaneError when the base may not stand there.
    """
    model = plane.model(model_id)
    ground = standing(plane, model, to, level)
    if not ground.legal and not (level is None and all(h.rule.startswith("LT-CLIMB") for h in ground.hindrances)):
        why = "; ".join(f"{h.id}: {h.why} ({h.rule})" for h in ground.hindrances)
        raise PlaneError(f"expected a place where {model_id!r} may stand, got {to.x}, {to.y}: {why}")
    moved = msgspec.structs.replace(model, at=to, level=ground.level)
    models = tuple(moved if m.id == model_id else m for m in plane.scene.models)
    return _with(plane, msgspec.structs.replace(plane.scene, models=models), (model_id,))


def add(plane: Plane, model: Model) -> Displaced:
    """Put a new model on the board and set its contacts. Raises PlaneError when it may not stand there."""
    ground = standing(plane, model, model.at, model.level)
    if not ground.legal:
        why = "; ".join(f"{h.id}: {h.why} ({h.rule})" for h in ground.hindrances)
        raise PlaneError(f"expected a place where {model.id!r} may stand, got {model.at.x}, {model.at.y}: {why}")
    scene = msgspec.structs.replace(plane.scene, models=(*plane.scene.models, model))
    return _with(plane, scene, (model.id,))


def remove(plane: Plane, thing: str) -> Displaced:
    """Take a model or marker off the board; its contacts go with it (LT-ENG-09)."""
    if thing not in plane.models and thing not in plane.markers:
        raise PlaneError(f"expected the id of a model or marker, got {thing!r}")
    scene = msgspec.structs.replace(
        plane.scene,
        models=tuple(m for m in plane.scene.models if m.id != thing),
        markers=tuple(m for m in plane.scene.markers if m.id != thing),
    )
    return _with(plane, scene, (thing,))


def snap(plane: Plane, model: str | Model, at: Point) -> Point:
    """The place a base laid down at `at` is meant to be: within 1/32 inch of another base it slides to exact contact.

    The nearest such base decides; where sliding would overlap something the place stays as it is (LT-MEAS-06).
    """
    mover = model if isinstance(model, Model) else plane.model(model)
    best: tuple[int, Point, int] | None = None
    for other, where, radius in plane.discs:
        reach = mover.radius + radius
        apart = square_between(at, where)
        if other == mover.id or 16 * apart > (4 * reach + CONTACT_QUARTERS) ** 2:
            continue
        if best is None or apart < best[0]:
            best = (apart, where, reach)
    if best is None or best[0] == best[2] ** 2:
        return at
    apart, where, reach = best
    span = root_up(apart) or 1
    cx = where.x + round((at.x - where.x) * reach / span)
    cy = where.y + round((at.y - where.y) * reach / span)
    options = [Point(cx + dx, cy + dy) for dx in range(-2, 3) for dy in range(-2, 3)]
    legal = [p for p in options if standing(plane, mover, p).legal]
    if not legal:
        return at
    return min(legal, key=lambda p: (square_between(p, where), square_between(p, at), p))


def across_barrier(plane: Plane, a: Model, b: Model) -> str:
    """The barrier over which two models stand opposite each other, or '' (LT-ENG-07).

    Both touch it, the segment between the centres crosses it, and the gap is at most its thickness plus 1/4 inch. It
    must be a barrier to both.
    """
    between = None
    for piece in plane.scenery.near(a.at, a.radius + CONTACT + 1):
        if not (is_barrier(plane, a, piece) and is_barrier(plane, b, piece)):
            continue
        if not (plane.near_enough(a.id, piece.id) and plane.near_enough(b.id, piece.id)):
            continue
        thick = plane.scenery.width(piece.id)
        if distance_up(a.at, b.at) - a.radius - b.radius > thick + 250:
            continue
        between = between or shapely.LineString([(a.at.x, a.at.y), (b.at.x, b.at.y)])
        if shapely.intersection(between, plane.scenery.polygon(piece.id)).length > 0:
            return piece.id
    return ""


def engagement(plane: Plane, model: str | Model) -> Engagement:
    """Whether the model is engaged now, and with whom (LT-ENG-01, -07, -10): markers and friends never engage."""
    own = model if isinstance(model, Model) else plane.model(model)
    by: list[Engaged] = []
    for enemy in plane.enemies(own):
        apart = max(0, distance_up(own.at, enemy.at) - own.radius - enemy.radius)
        if plane.in_contact(own.id, enemy.id):
            by.append(Engaged(enemy.id, apart))
        elif barrier := across_barrier(plane, own, enemy):
            by.append(Engaged(enemy.id, apart, barrier))
    return Engagement(own.id, bool(by), tuple(by))


def supporters(plane: Plane, striker: str, target: str) -> tuple[str, ...]:
    """The friends through whom the striker may reach the target with Support.

    Each touches both and has a base no larger than the striker's (LT-WEAPON-05, LT-WEAPON-06).
    """
    own = plane.model(striker)
    return tuple(
        friend.id
        for friend in plane.models.values()
        if friend.side == own.side
        and friend.id != striker
        and friend.size <= own.size
        and plane.in_contact(striker, friend.id)
        and plane.in_contact(friend.id, target)
    )
