"""The free space of one mover: discs, walls and gaps its centre keeps out of, and the tangents between discs.

A base of radius r moves along a path of its centre. Around every convex corner of a solid piece lies a disc of radius
r, around every other base one of both radii together; the centre keeps out of the discs and does not cross an outline.
A shortest path then consists of straight legs tangent to discs and of arcs along them (see `search`).

Openings count from base width minus 0.001 inch (LT-ENG-06, LT-MOVE-06), so discs are taken half a thousandth smaller;
arcs are charged at the full radius, so lengths are those of the true base. Doubles are used inside, in thousandths;
nothing here decides whether a base may *stand* somewhere (that is exact, in `ground`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import msgspec
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


class Via(msgspec.Struct, frozen=True):
    """How a path may go: what is passed through, whether Difficult Terrain is avoided, what is solid for once."""

    passing: frozenset[str] = frozenset()
    avoid_slow: bool = False
    solid: frozenset[str] = frozenset()


DEFAULT = Via()


@dataclass(slots=True)
class Exits:
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
        self._exits: dict[tuple[int, int], Exits] = {}

    def shapes(self) -> tuple[list[str], list[shapely.Polygon]]:
        """What the centre keeps out of, as names and drawn shapes: for naming, not for deciding."""
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
        walls = np.flatnonzero((lo_x < cx + reach) & (hi_x > cx - reach) & (lo_y < cy + reach) & (hi_y > cy - reach))
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
                rim = shapely.intersection(gap.boundary, shapely.Point(cx, cy).buffer(a, quad_segs=64).exterior)
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
        bad: Bools = (x < self.low - EPS) | (x > self.high_x + EPS) | (y < self.low - EPS) | (y > self.high_y + EPS)
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

    def exits(self, disc: int, way: int) -> Exits:
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
        made = Exits(
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

    def entries(self, x: float, y: float) -> Exits:
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
        return Exits(
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
