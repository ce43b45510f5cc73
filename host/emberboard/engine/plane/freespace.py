"""The free space of one mover as discs and walls, and the exact search for shortest paths in it.

A base of radius r moves along a path of its centre. Around every convex corner of a solid piece lies a disc of radius
r, around every other base one of both radii together; the centre keeps out of the discs and does not cross an outline.
A shortest path then consists of straight legs tangent to discs and of arcs along them: the tangent graph, searched
here with A* (or Dijkstra for a whole field), legs made only when a disc is reached.

Openings count from base width minus 0.001 inch (LT-ENG-06, LT-MOVE-06), so discs are taken half a thousandth smaller;
arcs are charged at the full radius, so lengths are those of the true base. Doubles are used inside, in thousandths;
nothing here decides whether a base may *stand* somewhere (that is exact, in `ground`).
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from emberboard.engine.plane.ground import Passage, passage, slowed_by, support
from emberboard.engine.plane.scene import Model, Plane
from emberboard.engine.plane.units import OPENING_SLACK, Point, twice_area

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
TURN = 2 * math.pi
SLACK = OPENING_SLACK / 2
#: Touching is not blocking: tangents end exactly on discs, up to rounding of doubles.
EPS = 1e-6
ANGLE_EPS = 1e-9
BOUND_EPS = 1e-6


@dataclass(slots=True)
class Leg:
    """A straight leg (disc < 0) or an arc along a disc, from `start` to `end`; `cost` is the length charged."""

    start: tuple[float, float]
    end: tuple[float, float]
    cost: float
    disc: int = -1
    centre: tuple[float, float] = (0.0, 0.0)
    angle: float = 0.0
    sweep: float = 0.0
    around: str = ""


@dataclass(slots=True)
class Trail:
    """A path of a base's centre in doubles: its legs in order and the length charged."""

    legs: list[Leg]
    length: float
    start: tuple[float, float]
    end: tuple[float, float]

    def locate(self, length: float) -> tuple[float, float, int, float]:
        """The point after `length`, the index of its leg (-1 when the trail is empty) and the length before it."""
        before = 0.0
        for i, leg in enumerate(self.legs):
            if length <= before + leg.cost or i == len(self.legs) - 1:
                share = min(1.0, max(0.0, (length - before) / leg.cost)) if leg.cost > 0 else 1.0
                x, y = on_leg(leg, share)
                return x, y, i, before
            before += leg.cost
        return self.start[0], self.start[1], -1, 0.0


def on_leg(leg: Leg, share: float) -> tuple[float, float]:
    """The point at a share (0..1) of the leg."""
    (x0, y0), (x1, y1) = leg.start, leg.end
    if leg.disc < 0:
        return x0 + (x1 - x0) * share, y0 + (y1 - y0) * share
    cx, cy = leg.centre
    r = math.hypot(x0 - cx, y0 - cy)
    a = leg.angle + leg.sweep * share
    return cx + r * math.cos(a), cy + r * math.sin(a)


@dataclass(slots=True)
class _Node:
    """A point where a leg meets disc `disc` at `angle`, going round in direction `way` (+1 or -1)."""

    disc: int
    way: int
    angle: float
    cost: float
    parent: _Node | None
    leave: float = 0.0
    straight: float = 0.0
    run: float = 0.0


@dataclass(slots=True)
class _Exits:
    """The tangents leaving one disc in one direction: by target disc, arrival way, angle, end point, length."""

    leave: Floats
    target: NDArray[np.int64]
    way: NDArray[np.int64]
    arrive: Floats
    straight: Floats
    x0: Floats
    y0: Floats
    x1: Floats
    y1: Floats
    clear: NDArray[np.int8]


class FreeSpace:
    """Discs, walls and gaps for one mover on one plane.

    `passing` names models, markers or pieces the mover goes through; `avoid_slow` makes Difficult pieces solid;
    `solid` names pieces that are solid for this search alone; `portals` are places on the rims of narrow gaps where a
    way may bend (see `portals`).
    """

    def __init__(
        self,
        plane: Plane,
        mover: Model,
        passing: frozenset[str] = frozenset(),
        avoid_slow: bool = False,
        solid: frozenset[str] = frozenset(),
        portals: tuple[tuple[float, float, str], ...] = (),
    ) -> None:
        self.plane, self.mover = plane, mover
        r = float(mover.radius)
        self.low = r - SLACK
        self.high_x = plane.scene.width - r + SLACK
        self.high_y = plane.scene.height - r + SLACK
        xs: list[float] = []
        ys: list[float] = []
        rads: list[float] = []
        wedge_from: list[float] = []
        wedge: list[float] = []
        turns: list[bool] = []
        self.owner: list[str] = []
        walls: list[tuple[float, float, float, float]] = []
        self.wall_owner: list[str] = []
        self.gaps: list[shapely.Polygon] = []
        self.gap_ids: list[str] = []
        self.solids: list[shapely.Polygon] = []
        self.solid_ids: list[str] = []
        self.ledge: shapely.Polygon | None = None

        def add_ring(piece_id: str, shape: tuple[Point, ...], gap: bool, inward: bool) -> None:
            ring = shape if (twice_area(shape) > 0) != inward else shape[::-1]
            n = len(ring)
            for i, p in enumerate(ring):
                a, b = ring[i - 1], ring[(i + 1) % n]
                turn = (p.x - a.x) * (b.y - p.y) - (p.y - a.y) * (b.x - p.x)
                # outward normals of the edges before and after the corner (ring runs with its inside to the left)
                before = math.atan2(-(p.x - a.x), p.y - a.y)
                after = math.atan2(-(b.x - p.x), b.y - p.y)
                xs.append(p.x)
                ys.append(p.y)
                rads.append(0.0 if gap else r - SLACK)
                turns.append(turn > 0)
                wedge_from.append(before)
                wedge.append((after - before) % TURN if turn > 0 else 0.0)
                self.owner.append(piece_id)
                if not gap:
                    walls.append((p.x, p.y, b.x, b.y))
                    self.wall_owner.append(piece_id)

        for px, py, gap_id in portals:
            xs.append(px)
            ys.append(py)
            rads.append(0.0)
            turns.append(True)
            wedge_from.append(0.0)
            wedge.append(TURN)
            self.owner.append(gap_id)
        ledge = support(plane, mover)
        for i, piece in enumerate(plane.scenery.pieces):
            if piece.id in passing or (ledge is not None and piece.id == ledge.id):
                continue
            how = passage(mover, piece)
            if how is Passage.GAP and piece.id not in solid:
                add_ring(piece.id, piece.shape, gap=True, inward=False)
                self.gaps.append(plane.scenery.polygons[i].buffer(-0.01))
                self.gap_ids.append(piece.id)
            elif how is not Passage.FREE or piece.id in solid or (avoid_slow and slowed_by(mover, piece)):
                add_ring(piece.id, piece.shape, gap=False, inward=False)
                self.solids.append(plane.scenery.polygons[i])
                self.solid_ids.append(piece.id)
        if ledge is not None:
            self.ledge = plane.scenery.polygon(ledge.id)
            add_ring(ledge.id, ledge.shape, gap=False, inward=True)
        for other, at, radius in plane.discs:
            if other == mover.id or other in passing:
                continue
            xs.append(at.x)
            ys.append(at.y)
            rads.append(r + radius - SLACK)
            turns.append(True)
            wedge_from.append(0.0)
            wedge.append(TURN)
            self.owner.append(other)
        self.x = np.array(xs, dtype=float)
        self.y = np.array(ys, dtype=float)
        self.r = np.array(rads, dtype=float)
        self.turns = np.array(turns, dtype=bool)
        self.wedge_from = np.array(wedge_from, dtype=float)
        self.wedge = np.array(wedge, dtype=float)
        wall = np.array(walls, dtype=float).reshape(-1, 4)
        self.ax, self.ay, self.bx, self.by = wall[:, 0], wall[:, 1], wall[:, 2], wall[:, 3]
        if self.gaps:
            shapely.prepare(self.gaps)
        self._blocked: dict[int, list[tuple[float, float]]] = {}
        self._exits: dict[tuple[int, int], _Exits] = {}

    def shapes(self) -> tuple[list[str], list[shapely.Polygon]]:
        """What the centre keeps out of, as names and drawn shapes (circles to 1/10000 inch): for naming, not deciding."""
        names = [*self.gap_ids]
        drawn = [*self.gaps]
        for owner, x, y, r in zip(self.owner, self.x.tolist(), self.y.tolist(), self.r.tolist(), strict=True):
            if r > 0:
                names.append(owner)
                drawn.append(shapely.Point(x, y).buffer(r, quad_segs=32))
        for k, owner in enumerate(self.wall_owner):
            line = shapely.LineString([(self.ax[k], self.ay[k]), (self.bx[k], self.by[k])])
            names.append(owner)
            drawn.append(line.buffer(self.low, cap_style="flat"))
        return names + self.solid_ids, drawn + self.solids

    def charge(self, disc: int) -> float:
        """The radius an arc along the disc is charged at: that of the true base."""
        return float(self.r[disc]) + SLACK if self.r[disc] > 0 else 0.0

    def admits(self, x: Floats, y: Floats) -> Bools:
        """For each place whether the centre may be there: clear of discs, walls, solid pieces, and on the board."""
        free: Bools = (x >= self.low - EPS) & (x <= self.high_x + EPS)
        free &= (y >= self.low - EPS) & (y <= self.high_y + EPS)
        if not len(x):
            return free
        px, py = x[:, None], y[:, None]
        limit = np.maximum(self.r - EPS, 0.0)
        free &= ~((px - self.x) ** 2 + (py - self.y) ** 2 < limit * limit).any(axis=1)
        if len(self.ax):
            ex, ey = self.bx - self.ax, self.by - self.ay
            t = np.clip(((px - self.ax) * ex + (py - self.ay) * ey) / (ex * ex + ey * ey), 0.0, 1.0)
            wall = self.low - EPS
            free &= ~((px - self.ax - t * ex) ** 2 + (py - self.ay - t * ey) ** 2 < wall * wall).any(axis=1)
        for solid in self.solids:
            free &= ~shapely.contains_xy(solid, x, y)
        if self.ledge is not None:
            free &= shapely.contains_xy(self.ledge, x, y)
        return free

    def clear(self, x0: Floats, y0: Floats, x1: Floats, y1: Floats) -> Bools:
        """For each straight leg whether the centre may travel it. Ends are taken to be free places."""
        count = len(x0)
        free = np.ones(count, dtype=bool)
        if not count:
            return free
        step = max(1, 400_000 // max(1, len(self.x)))
        for at in range(0, count, step):
            part = slice(at, at + step)
            free[part] = self._clear_some(x0[part], y0[part], x1[part], y1[part])
        if self.gaps and free.any():
            self._clear_gaps(free, x0, y0, x1, y1)
        return free

    def _clear_some(self, x0: Floats, y0: Floats, x1: Floats, y1: Floats) -> Bools:
        left, right = min(x0.min(), x1.min()), max(x0.max(), x1.max())
        top, bottom = min(y0.min(), y1.min()), max(y0.max(), y1.max())
        near = (
            (self.x + self.r > left)
            & (self.x - self.r < right)
            & (self.y + self.r > top)
            & (self.y - self.r < bottom)
            & (self.r > 0)
        )
        dx, dy = (x1 - x0)[:, None], (y1 - y0)[:, None]
        free: Bools = np.ones(len(x0), dtype=bool)
        if near.any():
            length2 = np.maximum(dx * dx + dy * dy, 1e-12)
            ux = self.x[near] - x0[:, None]
            uy = self.y[near] - y0[:, None]
            t = np.clip((ux * dx + uy * dy) / length2, 0.0, 1.0)
            ux -= t * dx
            uy -= t * dy
            limit = self.r[near] - EPS
            free &= ~((ux * ux + uy * uy) < limit * limit).any(axis=1)
        crossed = (
            (np.maximum(self.ax, self.bx) > left)
            & (np.minimum(self.ax, self.bx) < right)
            & (np.maximum(self.ay, self.by) > top)
            & (np.minimum(self.ay, self.by) < bottom)
        )
        # corners of a box that is a line in one axis: keep walls across it
        if left == right or top == bottom:
            crossed = (
                (np.maximum(self.ax, self.bx) >= left)
                & (np.minimum(self.ax, self.bx) <= right)
                & (np.maximum(self.ay, self.by) >= top)
                & (np.minimum(self.ay, self.by) <= bottom)
            )
        still = np.flatnonzero(free)
        if crossed.any() and len(still):
            ax, ay, bx, by = self.ax[crossed], self.ay[crossed], self.bx[crossed], self.by[crossed]
            px, py, qx, qy = x0[still, None], y0[still, None], x1[still, None], y1[still, None]
            ex, ey = bx - ax, by - ay
            s0 = ex * (py - ay) - ey * (px - ax)
            s1 = ex * (qy - ay) - ey * (qx - ax)
            fx, fy = qx - px, qy - py
            t0 = fx * (ay - py) - fy * (ax - px)
            t1 = fx * (by - py) - fy * (bx - px)
            hit = ((s0 > 0) != (s1 > 0)) & ((t0 > 0) != (t1 > 0))
            free[still] = ~hit.any(axis=1)
        return free

    def _clear_gaps(self, free: Bools, x0: Floats, y0: Floats, x1: Floats, y1: Floats) -> None:
        # a gap may be crossed where the centre's way over it is no longer than the base is wide (LT-TERRAIN-15)
        widest = 2.0 * self.mover.radius + EPS
        some = np.flatnonzero(free)
        lines = shapely.linestrings(
            np.stack([np.stack([x0[some], y0[some]], 1), np.stack([x1[some], y1[some]], 1)], 1)
        )
        for gap in self.gaps:
            for k in np.flatnonzero(shapely.intersects(gap, lines)):
                over = shapely.intersection(gap, lines[k])
                if any(part.length > widest for part in shapely.get_parts(over)):
                    free[some[k]] = False

    def blocked(self, disc: int) -> list[tuple[float, float]]:
        """The angles of a disc's rim where the centre may not be: (from, width), sorted, merged."""
        known = self._blocked.get(disc)
        if known is None:
            known = self._blocked[disc] = self._find_blocked(disc)
        return known

    def _find_blocked(self, disc: int) -> list[tuple[float, float]]:
        cx, cy, a = float(self.x[disc]), float(self.y[disc]), float(self.r[disc])
        dx, dy = self.x - cx, self.y - cy
        apart = np.hypot(dx, dy)
        near = np.flatnonzero((apart < a + self.r - EPS) & (np.arange(len(self.x)) != disc) & (self.r > 0))
        marks: list[float] = [0.0]
        if self.wedge[disc] < TURN:
            marks += [self.wedge_from[disc], self.wedge_from[disc] + self.wedge[disc]]
        for j in near:
            d, b = float(apart[j]), float(self.r[j])
            if d > abs(a - b) and a > 0:
                towards = math.atan2(dy[j], dx[j])
                half = math.acos(max(-1.0, min(1.0, (a * a + d * d - b * b) / (2 * a * d))))
                marks += [towards - half, towards + half]
        w = self.low  # walls are kept at the mover's own radius
        lo_x, hi_x = np.minimum(self.ax, self.bx), np.maximum(self.ax, self.bx)
        lo_y, hi_y = np.minimum(self.ay, self.by), np.maximum(self.ay, self.by)
        reach = a + w
        walls = np.flatnonzero(
            (lo_x < cx + reach) & (hi_x > cx - reach) & (lo_y < cy + reach) & (hi_y > cy - reach)
        )
        for k in walls:
            ex, ey = self.bx[k] - self.ax[k], self.by[k] - self.ay[k]
            length = math.hypot(ex, ey)
            ux, uy = ex / length, ey / length
            s0 = (cx - self.ax[k]) * ux + (cy - self.ay[k]) * uy
            t0 = -(cx - self.ax[k]) * uy + (cy - self.ay[k]) * ux
            along = math.atan2(uy, ux)
            for offset, base, turn in (
                (0.0, s0, along),
                (length, s0, along),
                (w, t0, along + math.pi / 2),
                (-w, t0, along + math.pi / 2),
            ):
                if a > 0 and abs(offset - base) <= a:
                    half = math.acos((offset - base) / a)
                    marks += [turn - half, turn + half]
        for edge, centre, turn in (
            (self.low, cx, 0.0),
            (self.high_x, cx, 0.0),
            (self.low, cy, math.pi / 2),
            (self.high_y, cy, math.pi / 2),
        ):
            if a > 0 and abs(edge - centre) <= a:
                half = math.acos((edge - centre) / a)
                marks += [turn - half, turn + half]
        for gap in self.gaps:
            if a > 0:
                rim = shapely.intersection(
                    gap.boundary, shapely.Point(cx, cy).buffer(a, quad_segs=64).exterior
                )
                for q in shapely.get_coordinates(rim):
                    marks.append(math.atan2(q[1] - cy, q[0] - cx))
        cuts = np.unique(np.mod(np.array(marks), TURN))
        widths = np.diff(np.append(cuts, cuts[0] + TURN))
        mids = cuts + widths / 2
        bad = self._bad_rim(disc, cx + a * np.cos(mids), cy + a * np.sin(mids), mids, near, walls)
        spans: list[tuple[float, float]] = []
        for start, width, is_bad in zip(cuts.tolist(), widths.tolist(), bad.tolist(), strict=True):
            if not is_bad:
                continue
            if spans and abs(spans[-1][0] + spans[-1][1] - start) < ANGLE_EPS:
                spans[-1] = (spans[-1][0], spans[-1][1] + width)
            else:
                spans.append((start, width))
        if len(spans) > 1 and abs(spans[-1][0] + spans[-1][1] - TURN - spans[0][0]) < ANGLE_EPS:
            start, width = spans.pop()
            spans[0] = (start - TURN, width + spans[0][1])
        return spans

    def _bad_rim(
        self,
        disc: int,
        x: Floats,
        y: Floats,
        angle: Floats,
        near: NDArray[np.int64],
        walls: NDArray[np.int64],
    ) -> Bools:
        bad: Bools = (
            (x < self.low - EPS) | (x > self.high_x + EPS) | (y < self.low - EPS) | (y > self.high_y + EPS)
        )
        if self.wedge[disc] < TURN:
            bad |= np.mod(angle - self.wedge_from[disc], TURN) > self.wedge[disc]
        for j in near:
            limit = self.r[j] - EPS
            bad |= (x - self.x[j]) ** 2 + (y - self.y[j]) ** 2 < limit * limit
        for k in walls:
            ex, ey = self.bx[k] - self.ax[k], self.by[k] - self.ay[k]
            t = np.clip(((x - self.ax[k]) * ex + (y - self.ay[k]) * ey) / (ex * ex + ey * ey), 0.0, 1.0)
            limit = self.low - EPS
            bad |= (x - self.ax[k] - t * ex) ** 2 + (y - self.ay[k] - t * ey) ** 2 < limit * limit
        for gap in self.gaps:
            bad |= shapely.contains_xy(gap, x, y)
        return bad

    def run(self, disc: int, angle: float, way: int) -> float:
        """How far (radians) the centre may go along the rim from `angle`; negative when it may not be there."""
        best = TURN
        for start, width in self.blocked(disc):
            into = (angle - start) % TURN
            if ANGLE_EPS * 10 < into < width - ANGLE_EPS * 10:
                return -1.0
            if way > 0:
                ahead = (start - angle) % TURN
            else:
                ahead = (angle - start - width) % TURN
            if ahead > TURN - ANGLE_EPS * 10:
                ahead = 0.0
            best = min(best, ahead)
        return best

    def in_wedge(self, discs: NDArray[np.int64], angle: Floats) -> Bools:
        """Whether a rim point lies on the free side of the corner's own edges."""
        into = np.mod(angle - self.wedge_from[discs], TURN)
        free: Bools = (into <= self.wedge[discs] + ANGLE_EPS) | (into > TURN - ANGLE_EPS)
        return free

    def exits(self, disc: int, way: int) -> _Exits:
        """The tangents from one disc, left in direction `way`, to every disc in both directions."""
        known = self._exits.get((disc, way))
        if known is not None:
            return known
        others = np.flatnonzero(self.turns & (np.arange(len(self.x)) != disc))
        target = np.concatenate([others, others])
        ways = np.concatenate([np.ones(len(others), np.int64), -np.ones(len(others), np.int64)])
        wx, wy = self.x[target] - self.x[disc], self.y[target] - self.y[disc]
        side = ways * self.r[target] - way * self.r[disc]
        square = wx * wx + wy * wy - side * side
        ok = square > 0
        target, ways, wx, wy, side, square = (v[ok] for v in (target, ways, wx, wy, side, square))
        straight = np.sqrt(square)
        heading = np.arctan2(wy, wx) - np.arctan2(side, straight)
        leave = heading - way * math.pi / 2
        arrive = heading - ways * math.pi / 2
        ok = self.in_wedge(np.full(len(target), disc), leave)
        target, ways, straight, leave, arrive = (v[ok] for v in (target, ways, straight, leave, arrive))
        made = _Exits(
            leave=leave,
            target=target,
            way=ways,
            arrive=arrive,
            straight=straight,
            x0=self.x[disc] + self.r[disc] * np.cos(leave),
            y0=self.y[disc] + self.r[disc] * np.sin(leave),
            x1=self.x[target] + self.r[target] * np.cos(arrive),
            y1=self.y[target] + self.r[target] * np.sin(arrive),
            clear=np.full(len(target), -1, dtype=np.int8),
        )
        self._exits[(disc, way)] = made
        return made

    def entries(self, x: float, y: float) -> _Exits:
        """The tangents from a point to every disc in both directions."""
        others = np.flatnonzero(self.turns)
        target = np.concatenate([others, others])
        ways = np.concatenate([np.ones(len(others), np.int64), -np.ones(len(others), np.int64)])
        px, py = x - self.x[target], y - self.y[target]
        apart = np.hypot(px, py)
        ok = (apart >= self.r[target] - EPS) & (apart > EPS)
        target, ways, px, py, apart = (v[ok] for v in (target, ways, px, py, apart))
        bend = np.arccos(np.clip(self.r[target] / apart, -1.0, 1.0))
        arrive = np.arctan2(py, px) + ways * bend
        straight = np.sqrt(np.maximum(apart * apart - self.r[target] ** 2, 0.0))
        zero = np.zeros(len(target))
        return _Exits(
            leave=zero,
            target=target,
            way=ways,
            arrive=arrive,
            straight=straight,
            x0=zero + x,
            y0=zero + y,
            x1=self.x[target] + self.r[target] * np.cos(arrive),
            y1=self.y[target] + self.r[target] * np.sin(arrive),
            clear=np.full(len(target), -1, dtype=np.int8),
        )


def portals(
    rings: dict[str, tuple[Point, ...]], widest: float, ends: list[tuple[float, float]], pitch: float
) -> tuple[tuple[float, float, str], ...]:
    """Places on the rims of gaps where a way over them may bend: the rims are crossed at most `widest` apart.

    A way over a gap bends at its rims when the straight one would be over it for too long (LT-TERRAIN-15). Between two
    parallel rims the best crossing is found by taking the gap out and drawing the straight line between the `ends`;
    besides there is a crossing straight over every `pitch`, and opposite each end.
    """
    found: list[tuple[float, float, str]] = []
    for name, ring in rings.items():
        spots: dict[tuple[float, float], None] = {}
        for i, b in enumerate(ring):
            a = ring[i - 1]
            ex, ey = float(b.x - a.x), float(b.y - a.y)
            size = math.hypot(ex, ey)
            ux, uy = ex / size, ey / size
            for k, d in enumerate(ring):
                c = ring[k - 1]
                if k != i:
                    _crossings_between((a.x, a.y, ux, uy, size), c, d, widest, ends, pitch, spots)
        found += [(x, y, name) for x, y in spots]
    return tuple(found)


def _crossings_between(
    rim: tuple[float, float, float, float, float],
    c: Point,
    d: Point,
    widest: float,
    ends: list[tuple[float, float]],
    pitch: float,
    found: dict[tuple[float, float], None],
) -> None:
    ax, ay, ux, uy, size = rim
    fx, fy = float(d.x - c.x), float(d.y - c.y)
    other = math.hypot(fx, fy)
    fx, fy = fx / other, fy / other

    def across(s: float) -> list[float]:
        """From a place on the rim: the foot on the other one, and the places there exactly `widest` away."""
        px, py = ax + ux * s, ay + uy * s
        along = (px - c.x) * fx + (py - c.y) * fy
        off2 = (px - c.x) ** 2 + (py - c.y) ** 2 - along * along
        if off2 > widest * widest:
            return []
        reach = math.sqrt(max(0.0, widest * widest - off2))
        return [t for t in (along, along - reach, along + reach) if 0 <= t <= other]

    wanted = [min(size, pitch * n) for n in range(math.ceil(size / pitch) + 1)]
    for x, y in ends:
        wanted.append(min(size, max(0.0, (x - ax) * ux + (y - ay) * uy)))
    for t in across(size / 2):
        vx, vy = c.x + fx * t - ax - ux * size / 2, c.y + fy * t - ay - uy * size / 2
        for x0, y0 in ends:
            for x1, y1 in ends:
                gx, gy = x1 - vx - x0, y1 - vy - y0
                turn = gx * uy - gy * ux
                if abs(turn) > EPS:
                    s = ((x0 - ax) * gy - (y0 - ay) * gx) / (ux * gy - uy * gx)
                    if 0 <= s <= size:
                        wanted.append(s)
    for s in wanted:
        for t in across(s):
            found[(ax + ux * s, ay + uy * s)] = None
            found[(c.x + fx * t, c.y + fy * t)] = None


@dataclass(slots=True)
class Goal:
    """Where a search ends: at one of some points, or on the rim of a disc (or anywhere within it)."""

    points: list[tuple[float, float]] = field(default_factory=list)
    centre: tuple[float, float] | None = None
    radius: float = 0.0

    def left(self, x: Floats, y: Floats) -> Floats:
        """A lower bound of what is left from (x, y), for numbers or arrays."""
        if self.centre is not None:
            return np.maximum(np.hypot(x - self.centre[0], y - self.centre[1]) - self.radius, 0.0)
        if not self.points:
            return np.zeros_like(x)
        best = np.hypot(x - self.points[0][0], y - self.points[0][1])
        for px, py in self.points[1:]:
            best = np.minimum(best, np.hypot(x - px, y - py))
        return best


class Search:
    """One search from a point: A* to a goal, or (with no goal) Dijkstra over everything within `bound`."""

    def __init__(self, space: FreeSpace, start: Point, goal: Goal, bound: float = math.inf) -> None:
        self.space, self.goal, self.bound = space, goal, bound
        self.start = (float(start.x), float(start.y))
        self.settled: list[_Node] = []
        self._at: dict[tuple[int, int], list[_Node]] = {}
        self._heap: list[tuple[float, int, Any]] = []
        self._count = 0

    def trails(self, spare: float = 0.0) -> list[Trail]:
        """The shortest trail and every other that ends within `spare` of its length, shortest first.

        Empty when the goal cannot be reached within the bound.
        """
        found: list[Trail] = []
        if not self._start_free():
            return found
        if self.goal.centre is not None:
            cx, cy = self.goal.centre
            if math.hypot(self.start[0] - cx, self.start[1] - cy) <= self.goal.radius + EPS:
                return [Trail([], 0.0, self.start, self.start)]
        for px, py in self.goal.points:
            if (px, py) == self.start:
                return [Trail([], 0.0, self.start, self.start)]
        self._expand_start()
        while self._heap:
            f, _, item = heapq.heappop(self._heap)
            if f > self.bound + BOUND_EPS:
                break
            if isinstance(item, Trail):
                found.append(item)
                self.bound = min(self.bound, found[0].length + spare)
            else:
                self._settle(item)
        return found

    def flood(self) -> list[_Node]:
        """Settle every disc within the bound and return what was settled, cheapest first."""
        if not self._start_free():
            return []
        self._expand_start()
        while self._heap:
            _, _, item = heapq.heappop(self._heap)
            self._settle(item)
        return self.settled

    def _start_free(self) -> bool:
        return bool(self.space.admits(np.array([self.start[0]]), np.array([self.start[1]]))[0])

    def _push(self, f: float, item: _Node | Trail) -> None:
        self._count += 1
        heapq.heappush(self._heap, (f, self._count, item))

    def _expand_start(self) -> None:
        x, y = self.start
        exits = self.space.entries(x, y)
        self._offer(exits, np.zeros(len(exits.target)), None)
        self._finish(None, 0.0, TURN)

    def _settle(self, node: _Node) -> None:
        at = self._at.setdefault((node.disc, node.way), [])
        charge = self.space.charge(node.disc)
        for earlier in at:
            delta = (node.way * (node.angle - earlier.angle)) % TURN
            if delta > TURN - ANGLE_EPS:
                delta = 0.0
            if delta <= earlier.run + ANGLE_EPS and earlier.cost + charge * delta <= node.cost + EPS:
                return
        node.run = self.space.run(node.disc, node.angle, node.way)
        if node.run < 0:
            return
        at.append(node)
        self.settled.append(node)
        exits = self.space.exits(node.disc, node.way)
        turns = np.mod(node.way * (exits.leave - node.angle), TURN)
        turns = np.where(turns > TURN - ANGLE_EPS, 0.0, turns)
        cost = np.where(turns <= node.run + ANGLE_EPS, node.cost + charge * turns, math.inf)
        self._offer(exits, cost, node)
        self._finish(node, charge, node.run)

    def _offer(self, exits: _Exits, before: Floats, parent: _Node | None) -> None:
        space = self.space
        total = before + exits.straight
        left = self.goal.left(exits.x1, exits.y1)
        wanted = np.isfinite(total) & (total + left <= self.bound + BOUND_EPS) & (exits.clear != 0)
        wanted &= space.in_wedge(exits.target, exits.arrive)
        picked = np.flatnonzero(wanted)
        if self.goal.centre is not None:
            self._cut(exits, before, parent)
        unknown = picked[exits.clear[picked] < 0]
        if len(unknown):
            free = space.clear(exits.x0[unknown], exits.y0[unknown], exits.x1[unknown], exits.y1[unknown])
            exits.clear[unknown] = free
        for k in picked[exits.clear[picked] == 1].tolist():
            node = _Node(
                disc=int(exits.target[k]),
                way=int(exits.way[k]),
                angle=float(exits.arrive[k]) % TURN,
                cost=float(total[k]),
                parent=parent,
                leave=float(exits.leave[k]),
                straight=float(exits.straight[k]),
            )
            self._push(float(total[k] + left[k]), node)

    def _cut(self, exits: _Exits, before: Floats, parent: _Node | None) -> None:
        """Legs that meet the goal disc on their way end there, whatever lies behind."""
        assert self.goal.centre is not None
        cx, cy = self.goal.centre
        long = np.maximum(exits.straight, EPS)
        ux, uy = (exits.x1 - exits.x0) / long, (exits.y1 - exits.y0) / long
        along = (cx - exits.x0) * ux + (cy - exits.y0) * uy
        off2 = (cx - exits.x0) ** 2 + (cy - exits.y0) ** 2 - along * along
        room = self.goal.radius**2 - off2
        cut = along - np.sqrt(np.maximum(room, 0.0))
        hits = np.flatnonzero(
            np.isfinite(before)
            & (room >= 0)
            & (cut >= -EPS)
            & (cut <= exits.straight)
            & (before + cut <= self.bound + BOUND_EPS)
        )
        self._end(
            exits.x0,
            exits.y0,
            exits.x0 + ux * cut,
            exits.y0 + uy * cut,
            before + cut,
            hits,
            exits.leave,
            parent,
        )

    def _end(
        self,
        x0: Floats,
        y0: Floats,
        x1: Floats,
        y1: Floats,
        total: Floats,
        some: NDArray[np.int64],
        leave: Floats,
        parent: _Node | None,
    ) -> None:
        if not len(some):
            return
        free = self.space.clear(x0[some], y0[some], x1[some], y1[some])
        space = self.space
        free &= space.admits(x1[some], y1[some])
        for k in some[free].tolist():
            end = (float(x1[k]), float(y1[k]))
            trail = self._trail(parent, float(leave[k]), end, float(total[k]))
            self._push(trail.length, trail)

    def _finish(self, node: _Node | None, charge: float, run: float) -> None:
        """Last legs from a node (or the start) to the goal."""
        goal, space = self.goal, self.space
        aims = list(goal.points) if goal.centre is None else [goal.centre]
        if not aims:
            return
        gx = np.array([p[0] for p in aims])
        gy = np.array([p[1] for p in aims])
        if node is None:
            x0 = np.full(len(aims), self.start[0])
            y0 = np.full(len(aims), self.start[1])
            before = np.zeros(len(aims))
            leave = np.zeros(len(aims))
            straight = np.hypot(gx - x0, gy - y0)
        else:
            cx, cy, r = float(space.x[node.disc]), float(space.y[node.disc]), float(space.r[node.disc])
            apart = np.hypot(gx - cx, gy - cy)
            fits = apart >= r - EPS
            bend = np.arccos(np.clip(r / np.maximum(apart, EPS), -1.0, 1.0))
            leave = np.arctan2(gy - cy, gx - cx) - node.way * bend
            delta = np.mod(node.way * (leave - node.angle), TURN)
            delta = np.where(delta > TURN - ANGLE_EPS, 0.0, delta)
            before = np.where(fits & (delta <= run + ANGLE_EPS), node.cost + charge * delta, math.inf)
            x0, y0 = cx + r * np.cos(leave), cy + r * np.sin(leave)
            straight = np.sqrt(np.maximum(apart * apart - r * r, 0.0))
        if goal.centre is not None:
            share = np.maximum(straight - goal.radius, 0.0) / np.maximum(straight, EPS)
            x1, y1 = x0 + (gx - x0) * share, y0 + (gy - y0) * share
            total = before + straight * share
        else:
            x1, y1, total = gx, gy, before + straight
        some = np.flatnonzero(np.isfinite(total) & (total <= self.bound + BOUND_EPS))
        self._end(x0, y0, x1, y1, total, some, leave, node)
        if node is not None and goal.centre is not None:
            self._meet_arc(node, charge, run)

    def _meet_arc(self, node: _Node, charge: float, run: float) -> None:
        """The arc itself may run into the goal disc."""
        space, goal = self.space, self.goal
        assert goal.centre is not None
        cx, cy, r = float(space.x[node.disc]), float(space.y[node.disc]), float(space.r[node.disc])
        dx, dy = goal.centre[0] - cx, goal.centre[1] - cy
        d = math.hypot(dx, dy)
        if r == 0 or not abs(r - goal.radius) < d < r + goal.radius:
            return
        half = math.acos(max(-1.0, min(1.0, (r * r + d * d - goal.radius**2) / (2 * r * d))))
        angle = math.atan2(dy, dx) - node.way * half
        delta = (node.way * (angle - node.angle)) % TURN
        if delta > TURN - ANGLE_EPS:
            delta = 0.0
        total = node.cost + charge * delta
        if delta <= run + ANGLE_EPS and total <= self.bound + BOUND_EPS:
            end = (cx + r * math.cos(angle), cy + r * math.sin(angle))
            trail = self._trail(node, angle, end, total)
            self._push(trail.length, trail)

    def _trail(self, node: _Node | None, leave: float, end: tuple[float, float], length: float) -> Trail:
        legs: list[Leg] = []
        space = self.space
        while node is not None:
            cx, cy, r = float(space.x[node.disc]), float(space.y[node.disc]), float(space.r[node.disc])
            off = (cx + r * math.cos(leave), cy + r * math.sin(leave))
            on = (cx + r * math.cos(node.angle), cy + r * math.sin(node.angle))
            _add_straight(legs, off, end)
            delta = (node.way * (leave - node.angle)) % TURN
            if delta > TURN - ANGLE_EPS:
                delta = 0.0
            if delta > ANGLE_EPS:
                legs.append(
                    Leg(
                        start=on,
                        end=off,
                        cost=space.charge(node.disc) * delta,
                        disc=node.disc,
                        angle=node.angle,
                        sweep=node.way * delta,
                        around=space.owner[node.disc],
                        centre=(cx, cy),
                    )
                )
            end, leave, node = on, node.leave, node.parent
        _add_straight(legs, self.start, end)
        legs.reverse()
        last = legs[-1].end if legs else self.start
        return Trail(legs, length, self.start, last)


def _add_straight(legs: list[Leg], start: tuple[float, float], end: tuple[float, float]) -> None:
    length = math.hypot(end[0] - start[0], end[1] - start[1])
    if length > EPS:
        legs.append(Leg(start=start, end=end, cost=length))
