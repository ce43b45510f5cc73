"""Ways over gaps no wider than the base (LT-TERRAIN-15): against the analytic optimum, and legal on any gap."""

from __future__ import annotations

import math

import msgspec
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from emberboard.engine.plane.ground import may_stand
from emberboard.engine.plane.paths import NoPath, Path, path_to
from emberboard.engine.plane.scene import Plane, SceneError, Terrain
from emberboard.engine.plane.units import Point

from .scenes import model, piece, plane, random_plane, rect


def best_over(dx: float, dy: float, width: float, base: float) -> float:
    """The shortest way over a straight trench when the part over it may be `base` long: one slant to choose."""
    most = math.sqrt(base * base - width * width)
    best = math.inf
    for k in range(20_001):
        slant = most * k / 20_000
        best = min(best, math.hypot(slant, width) + math.hypot(dx - slant, dy - width))
    return best


@settings(max_examples=60, deadline=None)
@given(st.integers(100, 1000), st.integers(0, 9000), st.integers(600, 4000), st.integers(600, 4000))
def test_a_straight_trench_is_crossed_by_the_best_slant(width: int, dx: int, above: int, below: int) -> None:
    trench = piece("trench", rect(0, 12, 36, width / 1000), Terrain.GAP, depth=3)
    start = model("h", 10, (12_000 - above) / 1000)
    found = path_to(plane(start, trench), "h", Point(10_000 + dx, 12_000 + width + below))
    assert isinstance(found, Path)
    over = [c for c in found.crossings if c.piece == "trench"]
    assert len(over) == 1 and over[0].leave - over[0].enter <= 1001
    assert abs(found.length - best_over(dx, above + width + below, width, 1000)) <= 2


@settings(max_examples=60, deadline=None)
@given(random_plane(pieces=3, models=3, sizes=(1,)), st.integers(0, 10_000), st.integers(0, 2))
def test_no_way_is_over_a_gap_for_longer_than_the_base(board: Plane, pick: int, which: int) -> None:
    pieces = [
        msgspec.structs.replace(p, kinds=(Terrain.GAP,), height=0, depth=3000) if k == which else p
        for k, p in enumerate(board.scene.pieces)
    ]
    models = [msgspec.structs.replace(m, level=0) for m in board.scene.models[:1]]
    try:
        gapped = Plane(msgspec.structs.replace(board.scene, pieces=tuple(pieces), models=tuple(models), contacts=()))
    except SceneError:
        return
    mover = gapped.model("m0")
    spots = [Point(x, y) for x in range(600, 12_000, 1100) for y in range(600, 12_000, 1100)]
    spots = [p for p in spots if may_stand(gapped, mover, p)]
    for k in range(min(4, len(spots))):
        found = path_to(gapped, "m0", spots[(pick + 37 * k) % len(spots)])
        if isinstance(found, NoPath):
            continue
        line = shapely.LineString([(p.x, p.y) for p in (found.start, *(leg.end for leg in found.legs))])
        for name, p in gapped.pieces.items():
            if p.gap and all(leg.centre is None or leg.length == 0 for leg in found.legs):
                over = shapely.intersection(gapped.scenery.polygon(name).buffer(-1), line)
                assert all(part.length <= 2 * mover.radius + 4 for part in shapely.get_parts(over))
