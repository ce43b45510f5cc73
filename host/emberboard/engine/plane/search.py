"""The exact search for shortest paths: the tangent graph, legs made only when a disc is reached.

A* to a goal (points, or the rim of a disc, which is contact or a distance), or Dijkstra over a whole field.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberboard.engine.plane.freespace import ANGLE_EPS, BOUND_EPS, EPS, TURN, Exits, Floats, FreeSpace
from emberboard.engine.plane.trail import Leg, Trail, add_straight
from emberboard.engine.plane.units import Point


@dataclass(slots=True)
class Node:
    """A point where a leg meets disc `disc` at `angle`, going round in direction `way` (+1 or -1)."""

    disc: int
    way: int
    angle: float
    cost: float
    parent: Node | None
    leave: float = 0.0
    straight: float = 0.0
    run: float = 0.0


@dataclass(slots=True)
class Goal:
    """Where a search ends: at one of some points, or on the rim of a disc (or anywhere within it).

    With a disc, `points` are places on its rim where a way may end besides those it meets head on: the corners where
    the rim leaves the free space.
    """

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
        self.settled: list[Node] = []
        self._at: dict[tuple[int, int], list[Node]] = {}
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

    def flood(self) -> list[Node]:
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

    def _push(self, f: float, item: Node | Trail) -> None:
        self._count += 1
        heapq.heappush(self._heap, (f, self._count, item))

    def _expand_start(self) -> None:
        x, y = self.start
        exits = self.space.entries(x, y)
        self._offer(exits, np.zeros(len(exits.target)), None)
        self._finish(None, 0.0, TURN)

    def _settle(self, node: Node) -> None:
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

    def _offer(self, exits: Exits, before: Floats, parent: Node | None) -> None:
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
            node = Node(
                disc=int(exits.target[k]),
                way=int(exits.way[k]),
                angle=float(exits.arrive[k]) % TURN,
                cost=float(total[k]),
                parent=parent,
                leave=float(exits.leave[k]),
                straight=float(exits.straight[k]),
            )
            self._push(float(total[k] + left[k]), node)

    def _cut(self, exits: Exits, before: Floats, parent: Node | None) -> None:
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
        parent: Node | None,
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

    def _finish(self, node: Node | None, charge: float, run: float) -> None:
        """Last legs from a node (or the start) to the goal."""
        goal, space = self.goal, self.space
        aims = list(goal.points) if goal.centre is None else [goal.centre, *goal.points]
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
            share = np.ones(len(aims))
            share[0] = max(float(straight[0]) - goal.radius, 0.0) / max(float(straight[0]), EPS)
            x1, y1 = x0 + (gx - x0) * share, y0 + (gy - y0) * share
            total = before + straight * share
        else:
            x1, y1, total = gx, gy, before + straight
        some = np.flatnonzero(np.isfinite(total) & (total <= self.bound + BOUND_EPS))
        self._end(x0, y0, x1, y1, total, some, leave, node)
        if node is not None and goal.centre is not None:
            self._meet_arc(node, charge, run)

    def _meet_arc(self, node: Node, charge: float, run: float) -> None:
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

    def _trail(self, node: Node | None, leave: float, end: tuple[float, float], length: float) -> Trail:
        legs: list[Leg] = []
        space = self.space
        while node is not None:
            cx, cy, r = float(space.x[node.disc]), float(space.y[node.disc]), float(space.r[node.disc])
            off = (cx + r * math.cos(leave), cy + r * math.sin(leave))
            on = (cx + r * math.cos(node.angle), cy + r * math.sin(node.angle))
            add_straight(legs, off, end)
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
        add_straight(legs, self.start, end)
        legs.reverse()
        last = legs[-1].end if legs else self.start
        return Trail(legs, length, self.start, last)
