"""The inch plane: reach, sight and a whole decision of one model among 20 others and 40 pieces, beside plain shapely.

The plain versions do the same job with shapely's own shapes: bases and scenery buffered by the radius, a graph of sight
between the corners of those buffers, rays as lines. Arcs are polylines there, so lengths may differ by what that costs;
every comparison checks that the answers are the same within it, and fails otherwise.
"""

from __future__ import annotations

import heapq
import math
from functools import partial
from random import Random
from typing import Any

import msgspec
import numpy as np
import shapely

from emberboard.engine.plane.approach import Approach, engage
from emberboard.engine.plane.contact import displace, engagement
from emberboard.engine.plane.distance import nearest
from emberboard.engine.plane.ground import may_stand
from emberboard.engine.plane.reach import Reached, reach
from emberboard.engine.plane.scene import Model, Piece, Plane, Scene, SceneError, Terrain
from emberboard.engine.plane.sight import Sight, View, seen_enemies, views
from emberboard.engine.plane.units import Point, hull

from .row import Row
from .timing import median_times

SIDE = 36
MODELS = 21
PIECES = 40
SCENES = 8
ALLOWANCE = 6000
MILLI = 1e3
#: Corners of a quarter circle in the plain version, and what that may cost a length (thousandths).
QUARTER = 8
SLOP = 25


def measure() -> list[Row]:
    planes = [random_scene(Random(seed)) for seed in range(SCENES)]
    return [_reach_row(planes), _sight_row(planes), _decision_row(planes)]


def random_scene(random: Random) -> Plane:
    """40 convex pieces (houses, rocks, walls, trees, fields) and 20 models of two sides, none overlapping."""
    pieces: list[Piece] = []
    while len(pieces) < PIECES:
        x, y = random.randint(2000, 34_000), random.randint(2000, 34_000)
        size = random.choice([400, 700, 1200, 2200])
        shape = hull([Point(x + random.randint(-size, size), y + random.randint(-size, size)) for _ in range(6)])
        slow = random.random() < 0.2
        kinds = (Terrain.DIFFICULT, Terrain.AREA) if slow else (Terrain.IMPASSABLE,)
        height = 0 if slow else random.choice([800, 2000, 6000])
        piece = Piece(id=f"piece{len(pieces)}", shape=tuple(shape), kinds=kinds, height=height)
        try:
            Plane(Scene(pieces=(piece,)))
        except SceneError:
            continue
        pieces.append(piece)
    plane = Plane(Scene(pieces=tuple(pieces)))
    models: list[Model] = []
    while len(models) < MODELS:
        at = Point(random.randint(1000, 35_000), random.randint(1000, 35_000))
        model = Model(
            id=f"model{len(models)}",
            side="party" if len(models) % 2 else "foe",
            at=at,
            size=2 if len(models) % 7 == 6 else 1,
        )
        if may_stand(plane, model, at):
            models.append(model)
            plane = plane.with_scene(msgspec.structs.replace(plane.scene, models=tuple(models)))
    return plane


def fresh(plane: Plane) -> Plane:
    """The same scene with nothing prepared but its scenery, as after any move."""
    return plane.with_scene(plane.scene)


# ---- reach


def _reach_row(planes: list[Plane]) -> Row:
    for plane in planes:
        _compare_reach(plane)
    mine = partial(_each, planes, lambda plane: reach(fresh(plane), "model0", ALLOWANCE))
    plain = partial(_each, planes[:2], plain_reach)
    times = median_times({"ours": mine}, repeat=9)
    other = median_times({"shapely": plain}, repeat=2)
    return Row(
        f"reach field, {SIDE} x {SIDE} tiles of 25 samples, 6 inches",
        "ms",
        times["ours"] / len(planes) * MILLI,
        {"shapely": other["shapely"] / 2 * MILLI},
        f"mean of {SCENES} scenes of {MODELS} models and {PIECES} pieces; tiles equal, the peer's arcs are polylines",
    )


def _each(planes: list[Plane], question: Any) -> None:
    for plane in planes:
        question(plane)


def _compare_reach(plane: Plane) -> None:
    field = {(t.x, t.y): t for t in reach(plane, "model0", ALLOWANCE).tiles}
    lengths = plain_reach(plane)
    for key in {(x // 1000, y // 1000) for x, y in lengths} | set(field):
        x, y = key
        values = [lengths.get((x * 1000 + a, y * 1000 + b), math.inf) for a in OFFSETS for b in OFFSETS]
        sure = [v <= ALLOWANCE - SLOP for v in values]
        maybe = [v <= ALLOWANCE + SLOP for v in values]
        tile = field.get(key)
        if any(sure) and tile is None:
            raise AssertionError(f"the peer reaches {key}, ours does not")
        if tile is not None and not any(maybe):
            raise AssertionError(f"ours reaches {key}, the peer does not")
        if tile is not None and all(sure) and tile.reached is not Reached.FULLY:
            raise AssertionError(f"the peer reaches all of {key}, ours does not")
        if tile is not None and tile.reached is Reached.FULLY and not all(maybe):
            raise AssertionError(f"ours reaches all of {key}, the peer does not")
        if tile is not None and all(sure) and abs(min(values) - tile.length) > SLOP:
            raise AssertionError(f"lengths to {key} differ: {min(values)} and {tile.length}")


OFFSETS = (100, 300, 500, 700, 900)


def _obstacles(plane: Plane, mover: Model, without: str = "", slow: bool = True) -> Any:
    """Everything the mover's centre keeps out of, as one shape."""
    r = mover.radius - 0.5
    shapes = [
        polygon.buffer(r, quad_segs=QUARTER)
        for polygon, piece in zip(plane.scenery.polygons, plane.scene.pieces)
        if piece.impassable or slow
    ]
    shapes += [
        shapely.Point(m.at.x, m.at.y).buffer(r + m.radius, quad_segs=QUARTER)
        for m in plane.models.values()
        if m.id not in (mover.id, without)
    ]
    return shapely.union_all(shapes)


def _corners(union: Any, mover: Model, radius: float) -> Any:
    points = shapely.get_coordinates(union)
    return np.unique(points[np.hypot(points[:, 0] - mover.at.x, points[:, 1] - mover.at.y) <= radius], axis=0)


def _free(core: Any, a: Any, b: Any) -> Any:
    return ~shapely.intersects(core, shapely.linestrings(np.stack([a, b], 1)))


def _on_board(plane: Plane, mover: Model, points: Any) -> Any:
    r = mover.radius
    x, y = points[:, 0], points[:, 1]
    return (x >= r - 1) & (y >= r - 1) & (x <= plane.scene.width - r + 1) & (y <= plane.scene.height - r + 1)


def plain_reach(plane: Plane) -> dict[tuple[int, int], float]:
    """Lengths to the samples within the allowance, by a graph of sight over the buffers' corners."""
    mover = plane.model("model0")
    union = _obstacles(plane, mover)
    core = union.buffer(-0.05)
    shapely.prepare(core)
    corners = _corners(union, mover, ALLOWANCE)
    corners = corners[_on_board(plane, mover, corners)]
    cost = _settle(core, np.vstack([[[mover.at.x, mover.at.y]], corners]), ALLOWANCE)
    low_x, high_x = (mover.at.x - ALLOWANCE) // 1000, (mover.at.x + ALLOWANCE) // 1000
    low_y, high_y = (mover.at.y - ALLOWANCE) // 1000, (mover.at.y + ALLOWANCE) // 1000
    samples = np.array(
        [
            (i * 1000 + a, j * 1000 + b)
            for i in range(low_x, high_x + 1)
            for j in range(low_y, high_y + 1)
            for a in OFFSETS
            for b in OFFSETS
        ],
        dtype=float,
    )
    samples = samples[_on_board(plane, mover, samples)]
    r = mover.radius
    points = shapely.points(samples)
    ok = np.ones(len(samples), dtype=bool)
    for polygon, piece in zip(plane.scenery.polygons, plane.scene.pieces):
        if piece.impassable:
            ok &= shapely.distance(polygon, points) >= r - 1e-6
    for other in plane.models.values():
        if other.id != mover.id:
            apart = np.hypot(samples[:, 0] - other.at.x, samples[:, 1] - other.at.y)
            ok &= apart >= r + other.radius - 1e-6
    samples = samples[ok]
    found = np.full(len(samples), math.inf)
    for (x, y), spent in cost.items():
        total = spent + np.hypot(samples[:, 0] - x, samples[:, 1] - y)
        better = np.flatnonzero((total <= ALLOWANCE + SLOP) & (total < found))
        free = _free(core, np.broadcast_to([x, y], (len(better), 2)), samples[better])
        found[better[free]] = total[better[free]]
    return {(int(x), int(y)): float(v) for (x, y), v in zip(samples, found) if v < math.inf}


def _settle(core: Any, nodes: Any, bound: float) -> dict[tuple[float, float], float]:
    """Dijkstra over nodes that see each other, from the first."""
    best = np.full(len(nodes), math.inf)
    best[0] = 0.0
    heap = [(0.0, 0)]
    done = np.zeros(len(nodes), dtype=bool)
    while heap:
        spent, k = heapq.heappop(heap)
        if done[k]:
            continue
        done[k] = True
        total = spent + np.hypot(nodes[:, 0] - nodes[k, 0], nodes[:, 1] - nodes[k, 1])
        better = np.flatnonzero(~done & (total < best) & (total <= bound + SLOP))
        free = _free(core, np.broadcast_to(nodes[k], (len(better), 2)), nodes[better])
        for j in better[free].tolist():
            best[j] = total[j]
            heapq.heappush(heap, (float(total[j]), j))
    return {(float(x), float(y)): float(v) for (x, y), v in zip(nodes, best) if v < math.inf}


# ---- sight


def _sight_row(planes: list[Plane]) -> Row:
    for plane in planes:
        for view in _views(plane):
            if plain_sight(plane, view.viewer, view.target) is not view.sight:
                raise AssertionError(f"sight from {view.viewer} to {view.target} differs from the peer's")
    times = median_times(
        {
            "ours": partial(_each, planes, _views),
            "shapely": partial(_each, planes, lambda p: [plain_sight(p, v.viewer, v.target) for v in _views(p)]),
        },
        repeat=9,
    )
    return Row(
        f"sight from one model to {MODELS - 1} others",
        "ms",
        times["ours"] / len(planes) * MILLI,
        {"shapely": (times["shapely"] - times["ours"]) / len(planes) * MILLI},
        f"mean of {SCENES} scenes of {MODELS} models and {PIECES} pieces; states equal",
    )


def _views(plane: Plane) -> tuple[View, ...]:
    return views(plane, "model0", [name for name in plane.models if name != "model0"])


def plain_sight(plane: Plane, viewer: str, target: str) -> Sight:
    """The state by rays as lines, one between any two angles at which something may change, both ways when blocked."""
    state = _one_way(plane, plane.model(viewer), plane.model(target), bodies=True)
    if state is Sight.BLOCKED:
        own, other = plane.model(viewer), plane.model(target)
        if _one_way(plane, own, other, False) is Sight.BLOCKED and _one_way(plane, other, own, False) is not state:
            return Sight.OBSCURED
    return state


def _one_way(plane: Plane, own: Model, other: Model, bodies: bool) -> Sight:
    dx, dy = other.at.x - own.at.x, other.at.y - own.at.y
    far, r = math.hypot(dx, dy), other.radius
    half, middle = math.asin(r / far), math.atan2(dy, dx)
    cone = shapely.Polygon(
        [
            (own.at.x, own.at.y),
            (own.at.x + 2 * far * math.cos(middle - half), own.at.y + 2 * far * math.sin(middle - half)),
            (own.at.x + 2 * far * math.cos(middle + half), own.at.y + 2 * far * math.sin(middle + half)),
        ]
    )
    pieces = [
        (polygon, piece.height >= max(own.top, other.top))
        for polygon, piece in zip(plane.scenery.polygons, plane.scene.pieces)
        if piece.height > 0 and polygon.intersects(cone)
    ]
    base = shapely.Point(other.at.x, other.at.y).buffer(r, quad_segs=64)
    marks = [-half, half]
    for polygon, _ in pieces:
        spots = shapely.get_coordinates(polygon).tolist()
        spots += shapely.get_coordinates(shapely.intersection(polygon.boundary, base.boundary)).tolist()
        marks += [_turn(x - own.at.x, y - own.at.y, middle) for x, y in spots]
    others = [m for m in plane.models.values() if bodies and m.side != own.side and m.id not in (own.id, other.id)]
    for m in others:
        apart = math.hypot(m.at.x - own.at.x, m.at.y - own.at.y)
        towards, spread = _turn(m.at.x - own.at.x, m.at.y - own.at.y, middle), math.asin(m.radius / apart)
        marks += [towards - spread, towards + spread]
    angles = np.unique([a for a in marks if -half <= a <= half])
    mids = (angles[:-1] + angles[1:])[np.diff(angles) > 1e-9] / 2
    ends = far * np.cos(mids) - np.sqrt(np.maximum(r * r - (far * np.sin(mids)) ** 2, 0))
    tips = np.stack([own.at.x + ends * np.cos(mids + middle), own.at.y + ends * np.sin(mids + middle)], 1)
    lines = shapely.linestrings(np.stack([np.broadcast_to([own.at.x, own.at.y], tips.shape), tips], 1))
    blocked, obscured = np.zeros(len(mids), dtype=bool), np.zeros(len(mids), dtype=bool)
    for polygon, blocks in pieces:
        hit = shapely.length(shapely.intersection(polygon, lines)) > 1e-6
        blocked |= hit & blocks
        obscured |= hit
    for m in others:
        hit = shapely.distance(shapely.Point(m.at.x, m.at.y), lines) < m.radius - 1e-6
        blocked |= hit & (m.size > own.size and m.size > other.size)
        obscured |= hit
    if blocked.all():
        return Sight.BLOCKED
    return Sight.OBSCURED if obscured.any() else Sight.CLEAR


def _turn(x: float, y: float, middle: float) -> float:
    return (math.atan2(y, x) - middle + math.pi) % (2 * math.pi) - math.pi


# ---- a decision


def _decision_row(planes: list[Plane]) -> Row:
    for plane in planes:
        _compare_decision(plane)
    times = median_times({"ours": partial(_each, planes, decide)}, repeat=9)
    other = median_times({"shapely": partial(_each, planes[:3], plain_decision)}, repeat=2)
    return Row(
        "a decision: nearest visible enemy, shortest way into contact, move, engaged?",
        "ms",
        times["ours"] / len(planes) * MILLI,
        {"shapely": other["shapely"] / 3 * MILLI},
        f"mean of {SCENES} scenes of {MODELS} models and {PIECES} pieces; aim: under 50 ms; same target, same length",
    )


def decide(plane: Plane) -> tuple[str, int]:
    """What a Melee Adversary does: the nearest enemy in sight, toward it, and whether it may attack."""
    now = fresh(plane)
    seen = [view.target for view in seen_enemies(now, "model0")]
    target = nearest(now, "model0", seen).ids
    if not target:
        return "", 0
    move = engage(now, "model0", target[0], ALLOWANCE)
    if not isinstance(move, Approach):
        return target[0], -1
    after = now.with_scene(displace(now, "model0", move.stop.at).scene)
    engagement(after, "model0")
    return target[0], move.path.length


def plain_decision(plane: Plane) -> tuple[str, float]:
    """The same with plain shapely: every enemy's sight, the nearest, a graph of sight to its contact ring."""
    mover = plane.model("model0")
    seen = [e for e in plane.enemies(mover) if plain_sight(plane, "model0", e.id) is not Sight.BLOCKED]
    if not seen:
        return "", 0.0
    target = min(seen, key=lambda e: math.dist((e.at.x, e.at.y), (mover.at.x, mover.at.y)) - e.radius)
    union = _obstacles(plane, mover, target.id, slow=False)
    core = union.buffer(-0.05)
    shapely.prepare(core)
    reach_to = mover.radius + target.radius
    angles = np.arange(360) * (math.pi / 180)
    ring = np.stack([target.at.x + reach_to * np.cos(angles), target.at.y + reach_to * np.sin(angles)], 1)
    ring = ring[_on_board(plane, mover, ring)]
    straight = math.dist((mover.at.x, mover.at.y), (target.at.x, target.at.y))
    corners = _corners(union, mover, straight * 1.5 + 4000)
    corners = corners[_on_board(plane, mover, corners)]
    aim = np.array([[target.at.x, target.at.y]], dtype=float)
    nodes = np.vstack([[[mover.at.x, mover.at.y]], corners, ring])
    cost = _settle(core, nodes, straight * 1.5 + 4000)
    best = math.inf
    for (x, y), spent in cost.items():
        apart = math.hypot(x - target.at.x, y - target.at.y)
        if abs(apart - reach_to) < 1e-3:
            best = min(best, spent)
        elif spent + apart - reach_to < best:
            foot = aim[0] + (np.array([x, y]) - aim[0]) * reach_to / apart
            if _free(core, np.array([[x, y]]), foot[None])[0]:
                best = spent + apart - reach_to
    return target.id, best


def _compare_decision(plane: Plane) -> None:
    (mine, length), (other, plain) = decide(plane), plain_decision(plane)
    if mine != other:
        raise AssertionError(f"targets differ: {mine} and {other}")
    if length >= 0 and abs(length - plain) > SLOP:
        raise AssertionError(f"ways to {mine} differ: {length} and {plain}")
