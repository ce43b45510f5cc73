"""The reach field: every sample's length is that of the path to it; growing an obstacle never grows it."""

from __future__ import annotations

import math

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from emberboard.engine.plane.freespace import Via
from emberboard.engine.plane.paths import Path, path_to
from emberboard.engine.plane.reach import Reached, reach, starts_slow
from emberboard.engine.plane.scene import Plane, Scene, SceneError, Terrain
from emberboard.engine.plane.units import Point

from .scenes import model, piece, plane, random_plane, rect, wall


@settings(max_examples=60, deadline=None)
@given(
    random_plane(pieces=6, models=6),
    st.integers(500, 9000),
    st.sampled_from([None, 2500, 9000]),
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), min_size=8, max_size=8),
)
def test_tiles_agree_with_paths_to_their_samples(
    board: Plane, allowance: int, slow: int | None, picked: list[tuple[int, int]]
) -> None:
    mover = board.model("m0")
    field = reach(board, "m0", allowance, slow)
    open_ground = not starts_slow(board, mover)

    def length(at: Point) -> float:
        found = [math.inf]
        if open_ground:
            free = path_to(board, "m0", at, Via(avoid_slow=True), within=allowance)
            found += [free.length] if isinstance(free, Path) and free.length <= allowance else []
        if slow is not None:
            through = path_to(board, "m0", at, within=slow)
            found += [through.length] if isinstance(through, Path) and through.length <= slow else []
        return min(found)

    for x, y in picked:
        offsets = [100 + 200 * k for k in range(5)]
        lengths = [length(Point(x * 1000 + a, y * 1000 + b)) for a in offsets for b in offsets]
        tile = field.at(x, y)
        reached = [v for v in lengths if v < math.inf]
        if tile is None:
            assert not reached
            continue
        assert abs(tile.length - min(reached)) <= 1
        assert (tile.reached is Reached.FULLY) is (len(reached) == 25)
        assert abs(tile.centre - lengths[12]) <= 1 if lengths[12] < math.inf else tile.centre == -1


@settings(max_examples=50, deadline=None)
@given(random_plane(pieces=5, models=5), st.integers(1000, 9000), st.integers(0, 4), st.integers(105, 180))
def test_growing_an_obstacle_never_grows_reach(board: Plane, allowance: int, which: int, percent: int) -> None:
    pieces = [p for p in board.scene.pieces if p.impassable]
    if not pieces:
        return
    old = pieces[which % len(pieces)]
    cx = sum(p.x for p in old.shape) // len(old.shape)
    cy = sum(p.y for p in old.shape) // len(old.shape)
    shape = tuple(Point(cx + (p.x - cx) * percent // 100, cy + (p.y - cy) * percent // 100) for p in old.shape)
    if (
        not Plane(Scene(pieces=(msgspec.structs.replace(old, shape=shape),)))
        .scenery.polygons[0]
        .contains(board.scenery.polygon(old.id))
    ):
        return
    grown = tuple(msgspec.structs.replace(p, shape=shape) if p.id == old.id else p for p in board.scene.pieces)
    try:
        larger = Plane(msgspec.structs.replace(board.scene, pieces=grown, contacts=()))
    except SceneError:
        return
    before, after = reach(board, "m0", allowance, allowance), reach(larger, "m0", allowance, allowance)
    for tile in after.tiles:
        old_tile = before.at(tile.x, tile.y)
        assert old_tile is not None
        assert old_tile.length <= tile.length
        assert tile.reached is not Reached.FULLY or old_tile.reached is Reached.FULLY


def test_tiles_name_what_hinders_them() -> None:
    board = plane(model("a", 10.5, 10.5), wall("barn", rect(12, 8, 4, 6)), model("b", 9.5, 12.5))
    field = reach(board, "a", 6000)
    half = field.at(11, 10)
    assert half is not None and half.reached is Reached.PARTLY and half.hindered_by == ("barn",)
    whole = field.at(10, 9)
    assert whole is not None and whole.reached is Reached.FULLY and whole.length == 600 and whole.centre == 1000
    assert field.at(13, 10) is None
    assert field.at(9, 12) is None


def test_difficult_terrain_asks_for_the_roll() -> None:
    """LT-TERRAIN-03: in the open up to the primary Speed, through a field only up to the rolled secondary Speed."""
    board = plane(model("a", 5.5, 5.5), piece("field", rect(7, 0, 5, 12), Terrain.DIFFICULT, Terrain.AREA))
    before = reach(board, "a", 6000)
    assert before.at(8, 5) is None
    rolled = reach(board, "a", 6000, 4000)
    tile = rolled.at(8, 5)
    assert tile is not None and tile.slow and tile.length == 2600 and tile.centre == 3000
    assert rolled.at(10, 5) is None
    # immune to the terrain it is open ground (LT-TERRAIN-05)
    free = plane(model("a", 5.5, 5.5, ignores=["difficult"]), *board.scene.pieces)
    assert reach(free, "a", 6000).at(10, 5) is not None
