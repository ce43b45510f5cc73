"""Gaps: how long a line is over one, and where a way may bend to cross one straight over.

A gap no wider than the base is crossed without penalty, measured along the line the centre travels (LT-TERRAIN-15).
"""

from __future__ import annotations

import math

from emberboard.engine.plane.freespace import EPS
from emberboard.engine.plane.scene import Plane
from emberboard.engine.plane.units import Point


def gap_chords(plane: Plane, gap_id: str, at: Point, ux: float, uy: float) -> list[tuple[float, float]]:
    """The stretches of a ray inside a gap, as distances from `at`, nearest first."""
    ring = plane.piece(gap_id).shape
    hits: list[float] = []
    for i, b in enumerate(ring):
        a = ring[i - 1]
        sa = ux * (a.y - at.y) - uy * (a.x - at.x)
        sb = ux * (b.y - at.y) - uy * (b.x - at.x)
        if (sa > 0) != (sb > 0):
            t = sa / (sa - sb)
            px, py = a.x + t * (b.x - a.x) - at.x, a.y + t * (b.y - a.y) - at.y
            hits.append(px * ux + py * uy)
    hits.sort()
    return [(n, f) for n, f in zip(hits[::2], hits[1::2], strict=False) if f > 0]


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
