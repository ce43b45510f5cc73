"""Points, fixed-point lengths and the exact integer predicates everything else stands on.

Every length and coordinate is an int in 1/1000 inch (LT-MEAS-06). A predicate here is exact: it compares squares
of integers, never roots. Where a root must become a number it is rounded *up*, so that for any whole limit N
"rounded distance <= N" says the same as "true distance <= N" (LT-MEAS-04).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from emberboard.engine.errors import EmberboardError

INCH = 1000
#: Distances that differ by less than this are ties, settled by the First Player (LT-MEAS-06).
TIE = 10
#: Contact is a gap of at most 1/32 inch = 31.25 thousandths; kept in quarters to stay whole (LT-MEAS-06).
CONTACT_QUARTERS = 125
#: The whole-number part of the contact limit, for messages and drawings.
CONTACT = 31
#: An opening is wide enough from base width minus this (LT-ENG-06, LT-MOVE-06).
OPENING_SLACK = 1
#: Roots and arcs are computed in doubles; this many thousandths is below anything the rules can see.
FLOAT_NOISE = 1e-6


class PlaneError(EmberboardError):
    """Something asked of the plane that it cannot answer: says what was expected and what came."""


class Point(msgspec.Struct, frozen=True, array_like=True, order=True):
    """A place on the board: x to the right, y downwards from the top left corner, 1/1000 inch."""

    x: int
    y: int


Ring = Sequence[Point]


def inches(value: int) -> str:
    """A length as people read it: 2500 -> '2.5'."""
    sign, value = ("-" if value < 0 else ""), abs(value)
    whole, rest = divmod(value, INCH)
    return f"{sign}{whole}" + (f".{rest:03d}".rstrip("0") if rest else "")


def length_up(value: float) -> int:
    """A computed length as a whole number, rounded up: a move is never accepted beyond its allowance."""
    return math.ceil(value - FLOAT_NOISE)


def length_down(value: float) -> int:
    """A computed length as a whole number, rounded down: what is promised as free is free."""
    return math.floor(value + FLOAT_NOISE)


def root_up(square: int) -> int:
    """The smallest whole n with n * n >= square."""
    return math.isqrt(square - 1) + 1 if square > 0 else 0


def square_between(a: Point, b: Point) -> int:
    """The squared distance of two points, exact."""
    return (a.x - b.x) ** 2 + (a.y - b.y) ** 2


def distance_up(a: Point, b: Point) -> int:
    """The distance of two points, rounded up."""
    return root_up(square_between(a, b))


def cross(o: Point, a: Point, b: Point) -> int:
    """Twice the signed area of the triangle o, a, b (positive when b lies to the left of o -> a)."""
    return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x)


def near_segment(p: Point, a: Point, b: Point, limit: int) -> bool:
    """Whether p is closer to the segment a-b than `limit`, strictly and exactly."""
    ex, ey = b.x - a.x, b.y - a.y
    along = (p.x - a.x) * ex + (p.y - a.y) * ey
    length2 = ex * ex + ey * ey
    if along <= 0:
        return square_between(p, a) < limit * limit
    if along >= length2:
        return square_between(p, b) < limit * limit
    return cross(a, b, p) ** 2 < limit * limit * length2


def inside(p: Point, ring: Ring) -> bool:
    """Whether p lies strictly inside the ring; on the outline is outside. Exact."""
    within = False
    a = ring[-1]
    for b in ring:
        turn = cross(a, b, p)
        if turn == 0 and min(a.x, b.x) <= p.x <= max(a.x, b.x) and min(a.y, b.y) <= p.y <= max(a.y, b.y):
            return False
        if (a.y > p.y) != (b.y > p.y) and (turn > 0) == (b.y > a.y):
            within = not within
        a = b
    return within


def near_ring(p: Point, ring: Ring, limit: int) -> bool:
    """Whether p is inside the ring or closer than `limit` to its outline, exactly."""
    a = ring[-1]
    for b in ring:
        if near_segment(p, a, b, limit):
            return True
        a = b
    return inside(p, ring)


def wholly_inside(p: Point, radius: int, ring: Ring) -> bool:
    """Whether the whole disc lies inside the ring (touching the outline from within counts), exactly."""
    if not inside(p, ring):
        return False
    a = ring[-1]
    for b in ring:
        if near_segment(p, a, b, radius):
            return False
        a = b
    return True


def ring_distance(p: Point, ring: Ring) -> int:
    """The distance from p to the filled ring, rounded up; 0 when p is inside or on it."""
    if inside(p, ring):
        return 0
    best = min(_segment_distance(p, ring[i - 1], ring[i]) for i in range(len(ring)))
    limit = max(0, math.floor(best) - 1)
    # near_segment is strict, so the smallest limit whose successor is beaten is the distance rounded up
    while not any(not_farther(p, ring[i - 1], ring[i], limit) for i in range(len(ring))):
        limit += 1
    return limit


def not_farther(p: Point, a: Point, b: Point, limit: int) -> bool:
    """Whether p is at most `limit` away from the segment a-b, exactly."""
    return not_farther_quarters(p, a, b, 4 * limit)


def not_farther_quarters(p: Point, a: Point, b: Point, limit: int) -> bool:
    """Whether p is at most `limit` quarters of a thousandth away from the segment a-b, exactly."""
    ex, ey = b.x - a.x, b.y - a.y
    along = (p.x - a.x) * ex + (p.y - a.y) * ey
    length2 = ex * ex + ey * ey
    if along <= 0:
        return 16 * square_between(p, a) <= limit * limit
    if along >= length2:
        return 16 * square_between(p, b) <= limit * limit
    return 16 * cross(a, b, p) ** 2 <= limit * limit * length2


def _segment_distance(p: Point, a: Point, b: Point) -> float:
    ex, ey = b.x - a.x, b.y - a.y
    length2 = ex * ex + ey * ey
    t = min(1.0, max(0.0, ((p.x - a.x) * ex + (p.y - a.y) * ey) / length2)) if length2 else 0.0
    return math.hypot(p.x - a.x - t * ex, p.y - a.y - t * ey)


def twice_area(ring: Ring) -> int:
    """Twice the signed area of the ring, exact."""
    return sum(ring[i - 1].x * ring[i].y - ring[i].x * ring[i - 1].y for i in range(len(ring)))


def hull(points: Ring) -> list[Point]:
    """The convex hull, counter-clockwise in mathematical axes, without collinear points."""
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return ordered
    chains: list[list[Point]] = []
    for run in (ordered, ordered[::-1]):
        chain: list[Point] = []
        for p in run:
            while len(chain) >= 2 and cross(chain[-2], chain[-1], p) <= 0:
                chain.pop()
            chain.append(p)
        chains.append(chain[:-1])
    return chains[0] + chains[1]


def width_up(points: Ring) -> int:
    """The smallest width of the shape between two parallel lines, rounded up (LT-TERRAIN-13, LT-ENG-07)."""
    shell = hull(points)
    best: int | None = None
    for i, b in enumerate(shell):
        a = shell[i - 1]
        far = max(cross(a, b, p) for p in shell)
        length2 = square_between(a, b)
        # smallest whole n with n^2 * length2 >= far^2
        n = root_up(-(-far * far // length2))
        best = n if best is None else min(best, n)
    return best or 0
