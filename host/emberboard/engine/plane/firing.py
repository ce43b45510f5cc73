"""The nearest place to shoot from: in range of an enemy in sight, unengaged, by the shortest way (LT-ADVERS-13).

Where only the distance keeps a model from shooting, the answer is exact. Where sight decides, places are sampled: every
quarter inch, then finer around the best, down to 1/100 inch; the place found is legal and its length true, and a place
shorter by less than the coarse pitch may have been missed only where a view opens for less than a quarter inch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from emberboard.engine.plane.approach import Approach, approach
from emberboard.engine.plane.contact import across_barrier
from emberboard.engine.plane.ground import may_stand
from emberboard.engine.plane.paths import NoPath, Path, mover_of, path_to, space_for
from emberboard.engine.plane.reach import Floats, lengths
from emberboard.engine.plane.scene import Model, Plane
from emberboard.engine.plane.sight import DEFAULT_RULES, Sight, SightRules, View, sight
from emberboard.engine.plane.units import Point, square_between

#: Sampling pitches, each around the best place of the one before.
PITCHES = (250, 50, 10)


class Firing(msgspec.Struct, frozen=True):
    """A place to shoot from: the way there and the views of every enemy in range from it.

    `exact` when no shorter way can do; otherwise the place is the best of a sample.
    """

    path: Path
    views: tuple[View, ...]
    exact: bool


def fire_from(
    plane: Plane,
    model: str | Model,
    distance: int,
    allowance: int,
    targets: Sequence[str] | None = None,
    rules: SightRules = DEFAULT_RULES,
) -> Firing | NoPath:
    """The place with the shortest way within `allowance` where an enemy is in sight and within `distance`.

    `targets` are the enemies that count (all when None). NoPath when no such place was found.
    """
    mover = mover_of(plane, model)
    enemies = [e for e in plane.enemies(mover) if targets is None or e.id in targets]
    here = views_from(plane, mover, mover.at, enemies, distance, rules)
    if here:
        stay = path_to(plane, mover, mover.at)
        if isinstance(stay, Path):
            return Firing(stay, here, True)
    found: list[tuple[int, Path, tuple[View, ...]]] = []
    shortest = math.inf
    for enemy in enemies:
        near = approach(plane, mover, enemy.id, distance, allowance)
        if not isinstance(near, Approach) or not near.reached:
            continue
        shortest = min(shortest, near.path.length)
        seen = views_from(plane, mover, near.path.end, enemies, distance, rules)
        if seen:
            found.append((near.path.length, near.path, seen))
    found.sort(key=lambda f: f[0])
    if found and found[0][0] <= shortest:
        return Firing(found[0][1], found[0][2], True)
    best = found[0] if found else None
    sampled = _sampled(plane, mover, enemies, distance, best[0] - 1 if best else allowance, rules)
    if sampled is not None:
        path = path_to(plane, mover, sampled)
        if isinstance(path, Path):
            return Firing(path, views_from(plane, mover, sampled, enemies, distance, rules), False)
    if best is not None:
        return Firing(best[1], best[2], False)
    return NoPath(mover.id, "no place in reach is in range and sight of an enemy", (), allowance)


def views_from(
    plane: Plane, mover: Model, at: Point, enemies: Sequence[Model], distance: int, rules: SightRules
) -> tuple[View, ...]:
    """The views of the enemies in range and sight from a place; none when it would be engaged there."""
    there = msgspec.structs.replace(mover, at=at)
    for enemy in plane.enemies(mover):
        if 4 * math.dist((at.x, at.y), (enemy.at.x, enemy.at.y)) <= 4 * (mover.radius + enemy.radius) + 125:
            return ()
        if across_barrier(plane, there, enemy):
            return ()
    near = [e for e in enemies if square_between(at, e.at) <= (mover.radius + e.radius + distance) ** 2]
    views = (sight(plane, there, enemy, rules) for enemy in near)
    return tuple(view for view in views if view.sight is not Sight.BLOCKED)


def _sampled(
    plane: Plane, mover: Model, enemies: Sequence[Model], distance: int, bound: int, rules: SightRules
) -> Point | None:
    best: tuple[float, Point] | None = None
    centre, half = mover.at, bound
    for pitch in PITCHES:
        limit = float(bound) if best is None else best[0]
        places, ways = _places(plane, mover, centre, half, pitch, limit)
        for k in np.argsort(ways, kind="stable").tolist():
            if ways[k] > limit or (best is not None and ways[k] >= best[0]):
                break
            at = Point(int(places[k, 0]), int(places[k, 1]))
            if may_stand(plane, mover, at) and views_from(plane, mover, at, enemies, distance, rules):
                best = (float(ways[k]), at)
                break
        if best is None:
            return None
        centre, half = best[1], pitch
    return best[1] if best is not None else None


def _places(plane: Plane, mover: Model, centre: Point, half: int, pitch: int, bound: float) -> tuple[Floats, Floats]:
    """Grid places around a centre and the length of the way to each (inf beyond the bound)."""
    steps = np.arange(-(half // pitch), half // pitch + 1) * pitch
    xs, ys = (a.ravel().astype(float) for a in np.meshgrid(centre.x + steps, centre.y + steps))
    ways = lengths(space_for(plane, mover), mover.at, xs, ys, bound)
    return np.stack([xs, ys], 1), ways
