"""The reach field: how far a base can get, sampled on the tiles of the table.

Tiles show, they decide nothing (`meta.table_model`): tile (i, j) covers x from i to i+1 and y from j to j+1 inches, and
a sample is a place for the base's centre. A tile is reached fully when every sample of it is, partly when some are. The
samples are `grain` x `grain` places a tile, its centre among them; a foothold between samples is not seen here, while
`path_to` finds it.

Every sample's length is that of the true shortest path, not of a walk over samples. Sources: LT-MOVE-01, -02, -03,
LT-TERRAIN-03, -04, LT-RUN-01.
"""

from __future__ import annotations

import enum
import math

import msgspec
import numpy as np
import shapely
from numpy.typing import NDArray

from emberboard.engine.plane.freespace import ANGLE_EPS, TURN, FreeSpace, Via
from emberboard.engine.plane.ground import Passage, barred, passage, slowed_by
from emberboard.engine.plane.paths import mover_of, space_for
from emberboard.engine.plane.scene import Model, Plane
from emberboard.engine.plane.search import Goal, Search
from emberboard.engine.plane.units import FLOAT_NOISE, INCH, Point, near_ring

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
UNREACHED = -1


class Reached(enum.StrEnum):
    """How much of a tile can be reached."""

    FULLY = "fully"
    PARTLY = "partly"
    NOT = "not"


class Tile(msgspec.Struct, frozen=True):
    """One tile of a reach field: `length` is that to its nearest sample reached; `centre` that to its centre, or -1.

    `slow` says that some way into it needs the allowance for Difficult Terrain; `hindered_by` names what the base would
    overlap at the samples where it may not stand.
    """

    x: int
    y: int
    reached: Reached
    length: int
    centre: int
    slow: bool = False
    hindered_by: tuple[str, ...] = ()


class Reach(msgspec.Struct, frozen=True):
    """The field of one model: every tile reached at least partly, row by row, and the limits used."""

    model: str
    allowance: int
    slow_allowance: int | None
    grain: int
    tiles: tuple[Tile, ...]

    def at(self, x: int, y: int) -> Tile | None:
        """The tile, or None when nothing of it is reached."""
        return next((t for t in self.tiles if t.x == x and t.y == y), None)


def reach(
    plane: Plane,
    model: str | Model,
    allowance: int,
    slow_allowance: int | None = None,
    grain: int = 5,
    via: Via | None = None,
) -> Reach:
    """Where a model can end a Move of `allowance`.

    Places whose shortest way touches no Difficult Terrain count up to `allowance`; through Difficult Terrain up to
    `slow_allowance`, the rolled secondary Speed (None: not rolled, so not at all). With `via` the way is as told.
    """
    mover = mover_of(plane, model)
    columns, rows = math.ceil(plane.scene.width / INCH), math.ceil(plane.scene.height / INCH)
    base = via or Via()
    open_way = Via(base.passing, True, base.solid)
    best = max(allowance, slow_allowance or 0)
    xs, ys, tiles = _samples(plane, mover, best, grain, columns, rows)
    stand, names = _standable(plane, mover, xs, ys)
    open_length = np.full(len(xs), math.inf)
    if not starts_slow(plane, mover):
        open_length[stand] = lengths(space_for(plane, mover, open_way), mover.at, xs[stand], ys[stand], allowance)
    slow_length = np.full(len(xs), math.inf)
    if slow_allowance is not None:
        through = space_for(plane, mover, base)
        slow_length[stand] = lengths(through, mover.at, xs[stand], ys[stand], slow_allowance)
    got = np.minimum(open_length, slow_length)
    return Reach(
        model=mover.id,
        allowance=allowance,
        slow_allowance=slow_allowance,
        grain=grain,
        tiles=_tiles(tiles, got, open_length, stand, names, grain, columns),
    )


def starts_slow(plane: Plane, mover: Model) -> bool:
    """Whether the base overlaps Difficult Terrain where it stands: then the whole Move is slow (LT-TERRAIN-03)."""
    near = plane.scenery.near(mover.at, mover.radius)
    return any(slowed_by(mover, p) and near_ring(mover.at, p.shape, mover.radius) for p in near)


def _samples(
    plane: Plane, mover: Model, best: int, grain: int, columns: int, rows: int
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """The samples of every tile that could be touched: x, y and tile number of each."""
    step = INCH / grain
    offsets = (np.arange(grain) + 0.5) * step
    low_x = max(0, math.floor((mover.at.x - best) / INCH))
    low_y = max(0, math.floor((mover.at.y - best) / INCH))
    high_x = min(columns - 1, math.floor((mover.at.x + best) / INCH))
    high_y = min(rows - 1, math.floor((mover.at.y + best) / INCH))
    i, j, a, b = np.meshgrid(
        np.arange(low_x, high_x + 1),
        np.arange(low_y, high_y + 1),
        offsets,
        offsets,
        indexing="ij",
    )
    xs, ys = (i * INCH + a).ravel(), (j * INCH + b).ravel()
    return xs, ys, (j * columns + i).ravel()


def _standable(plane: Plane, mover: Model, xs: Floats, ys: Floats) -> tuple[Bools, list[tuple[Bools, str]]]:
    """Where the base may stand, and for each thing in the way the samples it hinders."""
    r = float(mover.radius)
    ok: Bools = np.ones(len(xs), dtype=bool)
    hindering: list[tuple[Bools, str]] = []
    off = (xs < r) | (xs > plane.scene.width - r) | (ys < r) | (ys > plane.scene.height - r)
    ok &= ~off
    if not len(xs):
        return ok, hindering
    left, right, top, bottom = xs.min() - r, xs.max() + r, ys.min() - r, ys.max() + r
    for name, where, radius in plane.discs:
        if name == mover.id or not (left - radius < where.x < right + radius):
            continue
        hit = (xs - where.x) ** 2 + (ys - where.y) ** 2 < (r + radius) ** 2 - FLOAT_NOISE
        if hit.any():
            hindering.append((hit, name))
            ok &= ~hit
    for i, piece in enumerate(plane.scenery.pieces):
        box = plane.scenery.boxes[i]
        if box[2] < left or box[0] > right or box[3] < top or box[1] > bottom:
            continue
        if piece.flat and not piece.gap and not barred(mover, piece):
            continue
        polygon = plane.scenery.polygons[i]
        near = np.flatnonzero((xs > box[0] - r) & (xs < box[2] + r) & (ys > box[1] - r) & (ys < box[3] + r))
        if not len(near):
            continue
        points = shapely.points(xs[near], ys[near])
        hit_near = shapely.distance(polygon, points) < r - FLOAT_NOISE
        if not piece.gap and not barred(mover, piece) and passage(mover, piece) is Passage.FREE:
            on_top = shapely.contains(polygon, points)
            on_top &= shapely.distance(polygon.boundary, points) >= r - FLOAT_NOISE
            hit_near &= ~on_top
        if mover.level and piece.height == mover.level:
            on_top = shapely.contains(polygon, points)
            hit_near &= ~(on_top & (shapely.distance(polygon.boundary, points) >= r - FLOAT_NOISE))
        hit = np.zeros(len(xs), dtype=bool)
        hit[near[hit_near]] = True
        if hit.any():
            hindering.append((hit, piece.id))
            ok &= ~hit
    return ok, hindering


def lengths(space: FreeSpace, start: Point, xs: Floats, ys: Floats, bound: float) -> Floats:
    """The length of the shortest path from `start` to each place, or inf when it is longer than `bound`.

    Each place tries its candidates (straight from the start, or tangent from a settled disc), cheapest first, until one
    is clear: most are settled by the first.
    """
    count = len(xs)
    best = np.full(count, math.inf)
    limit = bound + FLOAT_NOISE
    if not space.admits(np.array([float(start.x)]), np.array([float(start.y)]))[0]:
        return best
    ok = space.admits(xs, ys)
    direct = np.hypot(xs - start.x, ys - start.y)
    near = np.flatnonzero((direct <= limit) & ok)
    clear = space.clear(np.full(len(near), float(start.x)), np.full(len(near), float(start.y)), xs[near], ys[near])
    best[near[clear]] = direct[near[clear]]
    left = near[~clear]
    if not len(left):
        return best
    nodes = Search(space, start, Goal(), bound).flood()
    if not nodes:
        return best
    px, py = xs[left], ys[left]
    cost = np.full((len(nodes), len(left)), math.inf)
    from_x = np.zeros_like(cost)
    from_y = np.zeros_like(cost)
    for k, node in enumerate(nodes):
        cx, cy, r = float(space.x[node.disc]), float(space.y[node.disc]), float(space.r[node.disc])
        apart = np.hypot(px - cx, py - cy)
        bend = np.arccos(np.clip(r / np.maximum(apart, FLOAT_NOISE), -1.0, 1.0))
        leave = np.arctan2(py - cy, px - cx) - node.way * bend
        delta = np.mod(node.way * (leave - node.angle), TURN)
        delta = np.where(delta > TURN - ANGLE_EPS, 0.0, delta)
        total = node.cost + space.charge(node.disc) * delta + np.sqrt(np.maximum(apart * apart - r * r, 0.0))
        fits = (apart >= r - FLOAT_NOISE) & (delta <= node.run + ANGLE_EPS) & (total <= limit)
        cost[k] = np.where(fits, total, math.inf)
        from_x[k], from_y[k] = cx + r * np.cos(leave), cy + r * np.sin(leave)
    order = np.argsort(cost, axis=0, kind="stable")
    open_ = np.arange(len(left))
    for turn in range(len(nodes)):
        pick = order[turn, open_]
        value = cost[pick, open_]
        some = np.isfinite(value)
        open_, pick, value = open_[some], pick[some], value[some]
        if not len(open_):
            break
        free = space.clear(from_x[pick, open_], from_y[pick, open_], px[open_], py[open_])
        best[left[open_[free]]] = value[free]
        open_ = open_[~free]
    return best


def _tiles(
    numbers: NDArray[np.int64],
    got: Floats,
    open_length: Floats,
    stand: Bools,
    hindering: list[tuple[Bools, str]],
    grain: int,
    columns: int,
) -> tuple[Tile, ...]:
    per = grain * grain
    middle = per // 2
    blocks = numbers.reshape(-1, per)[:, 0]
    value = got.reshape(-1, per)
    fast = open_length.reshape(-1, per)
    found: list[Tile] = []
    reached = np.isfinite(value)
    for k in np.flatnonzero(reached.any(axis=1)).tolist():
        number = int(blocks[k])
        centre = value[k, middle] if grain % 2 else math.inf
        names = (
            tuple(dict.fromkeys(name for hit, name in hindering if hit[k * per : (k + 1) * per].any()))
            if not reached[k].all()
            else ()
        )
        found.append(
            Tile(
                x=number % columns,
                y=number // columns,
                reached=Reached.FULLY if reached[k].all() else Reached.PARTLY,
                length=math.ceil(float(value[k].min()) - FLOAT_NOISE),
                centre=math.ceil(float(centre) - FLOAT_NOISE) if math.isfinite(centre) else UNREACHED,
                slow=bool((reached[k] & ~np.isfinite(fast[k])).any()),
                hindered_by=names,
            )
        )
    found.sort(key=lambda t: (t.y, t.x))
    return tuple(found)
