"""A path of a base's centre in doubles: straight legs and arcs, as a search finds it and before it is made data.

Lengths are in thousandths of an inch; arcs are charged at the full radius of the base (see `freespace`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from emberboard.engine.plane.units import FLOAT_NOISE, Point, distance_up, length_up


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


def add_straight(legs: list[Leg], start: tuple[float, float], end: tuple[float, float]) -> None:
    length = math.hypot(end[0] - start[0], end[1] - start[1])
    if length > FLOAT_NOISE:
        legs.append(Leg(start=start, end=end, cost=length))


def polyline(trail: Trail) -> tuple[np.ndarray, np.ndarray]:
    """A trail as points (n, 2) and the length at each; arcs in steps whose sagitta is below 1/50 of a thousandth."""
    points = [trail.start]
    lengths = [0.0]
    for leg in trail.legs:
        steps = 1 if leg.disc < 0 else max(1, math.ceil(abs(leg.sweep) / 0.01))
        for k in range(1, steps + 1):
            points.append(on_leg(leg, k / steps))
            lengths.append(lengths[-1] + leg.cost / steps)
    return np.array(points), np.array(lengths)


def trail_length(trail: Trail, start: Point, end: Point) -> int:
    """The length of a trail whose last leg leads to the grid place `end`, rounded up; exact for a straight one."""
    if len(trail.legs) <= 1 and (not trail.legs or trail.legs[0].disc < 0):
        return distance_up(start, end)
    last = trail.legs[-1]
    if last.disc < 0:
        before = trail.length - last.cost
        along = before + math.dist((end.x, end.y), last.start)
    else:
        along = trail.length + math.dist((end.x, end.y), last.end)
    return max(length_up(along), distance_up(start, end))
