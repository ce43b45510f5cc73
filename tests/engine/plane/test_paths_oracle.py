"""Shortest paths against a raster walk: legal everywhere, and neither longer nor shorter than can be."""

from __future__ import annotations

import math

import numpy as np
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from emberboard.engine.plane.freespace import Via
from emberboard.engine.plane.ground import may_stand
from emberboard.engine.plane.paths import Path, describe, path_to, trails_to
from emberboard.engine.plane.scene import Plane
from emberboard.engine.plane.search import Goal
from emberboard.engine.plane.stops import stop_on
from emberboard.engine.plane.trail import polyline
from emberboard.engine.plane.units import Point, distance_up

from .oracles import clearance, raster_lengths
from .scenes import random_plane

PITCH = 300


@settings(max_examples=60, deadline=None)
@given(random_plane(), st.integers(0, 10_000), st.booleans())
def test_shortest_path_lies_between_two_rasters(plane: Plane, pick: int, avoid_slow: bool) -> None:
    mover = plane.model("m0")
    via = Via(avoid_slow=avoid_slow)
    # a walk of the base itself is a legal way: the shortest path is no longer
    walks = raster_lengths(plane, mover, PITCH, avoid_slow=avoid_slow)
    # a base smaller by one pitch can follow any way of the true one on the raster, at most 8.3% longer
    loose = raster_lengths(plane, mover, PITCH, spare=float(PITCH), avoid_slow=avoid_slow)
    places = [p for p in sorted(loose) if may_stand(plane, mover, p)]
    if avoid_slow:
        points = shapely.points([(p.x, p.y) for p in places])
        room = clearance(plane, mover, points, avoid_slow=True) if places else []
        places = [p for p, free in zip(places, room, strict=True) if free >= 0]
    for k in range(6):
        if not places:
            break
        to = places[(pick + k * 7919) % len(places)]
        found = path_to(plane, mover, to, via)
        if to in walks:
            assert isinstance(found, Path)
            assert found.length <= math.ceil(walks[to]) + 1
        if isinstance(found, Path):
            assert found.length >= distance_up(mover.at, to)
            assert found.length >= (loose[to] - 4 * PITCH) / 1.0824
            trail = trails_to(plane, mover, Goal(points=[(to.x, to.y)]), via)[0]
            points, lengths = polyline(trail)
            assert abs(lengths[-1] - trail.length) < 1e-3
            if len(points) > 1:
                lines = shapely.linestrings(np.stack([points[:-1], points[1:]], 1))
                assert clearance(plane, mover, lines, avoid_slow).min() >= -0.5 - 0.05
            for part in (0.3, 0.77):
                stop = stop_on(plane, mover, trail, float(int(found.length * part)))
                assert may_stand(plane, mover, stop.at)
                assert stop.length <= int(found.length * part)
            again = describe(plane, mover, trail, via, to, found.end_level)
            assert again == found


@settings(max_examples=40, deadline=None)
@given(random_plane(pieces=4, models=4), st.integers(0, 10_000), st.integers(0, 10_000))
def test_paths_are_symmetric(plane: Plane, a: int, b: int) -> None:
    mover = plane.model("m0")
    spots = [Point(x, y) for x in range(700, 12_000, 900) for y in range(650, 12_000, 800)]
    spots = [p for p in spots if may_stand(plane, mover, p)]
    if not spots:
        return
    to = spots[a % len(spots)]
    forth = path_to(plane, mover, to)
    moved = plane.with_scene(
        type(plane.scene)(
            width=plane.scene.width,
            height=plane.scene.height,
            pieces=plane.scene.pieces,
            models=tuple(
                type(m)(id=m.id, side=m.side, at=to if m.id == "m0" else m.at, size=m.size)
                for m in plane.scene.models
            ),
        )
    )
    back = path_to(moved, "m0", mover.at)
    assert isinstance(forth, Path) == isinstance(back, Path)
    if isinstance(forth, Path) and isinstance(back, Path):
        assert abs(forth.length - back.length) <= 1
