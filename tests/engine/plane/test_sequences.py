"""Long sequences of moves: nothing overlaps, contacts are those of the last displacement, scenes survive saving."""

from __future__ import annotations

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from emberboard.engine.plane.approach import Approach, approach, engage, move_near
from emberboard.engine.plane.contact import contacts_of, displace, engagement
from emberboard.engine.plane.ethereal import through_move
from emberboard.engine.plane.firing import Firing, fire_from, views_from
from emberboard.engine.plane.flight import flee
from emberboard.engine.plane.ground import may_stand
from emberboard.engine.plane.nearest import nearest_place
from emberboard.engine.plane.paths import Path, path_to
from emberboard.engine.plane.placing import Unengaged
from emberboard.engine.plane.scene import Plane, Scene
from emberboard.engine.plane.sight import DEFAULT_RULES, Sight, sight
from emberboard.engine.plane.straight import move_away, push
from emberboard.engine.plane.units import Point

from .scenes import random_plane

KINDS = ["engage", "push", "away", "flee", "through", "near", "within", "place"]


def step(plane: Plane, kind: str, who: str, other: str, length: int) -> tuple[Point, int]:
    """Where one random move ends, and how long it may be."""
    here = plane.model(who).at
    match kind:
        case "engage":
            move = engage(plane, who, other, length)
            return (move.stop.at, move.stop.length) if isinstance(move, Approach) else (here, 0)
        case "near":
            move = move_near(plane, who, other, length)
            return (move.stop.at, move.stop.length) if isinstance(move, Approach) else (here, 0)
        case "within":
            move = approach(plane, who, other, 2000, length)
            return (move.stop.at, move.stop.length) if isinstance(move, Approach) else (here, 0)
        case "push":
            done = push(plane, who, other, length)
            return (done.way.end, done.way.length)
        case "away":
            last = move_away(plane, who, other, length).ways[0]
            return last[-1].end, sum(part.length for part in last)
        case "flee":
            stop, _, _ = flee(plane, who, length)
            return stop.at, stop.length
        case "through":
            stop, _, _ = through_move(plane, who, plane.model(other).at, length)
            return stop.at, stop.length
        case _:
            spots = nearest_place(plane, who, plane.model(other).at, (Unengaged(),)).places
            return (spots[0], 0) if spots else (here, 0)


@settings(max_examples=60, deadline=None)
@given(
    random_plane(pieces=5, models=6),
    st.lists(
        st.tuples(st.sampled_from(KINDS), st.integers(0, 5), st.integers(1, 5), st.integers(0, 7000)),
        min_size=4,
        max_size=10,
    ),
)
def test_nothing_overlaps_and_contact_is_kept(plane: Plane, moves: list[tuple[str, int, int, int]]) -> None:
    names = list(plane.models)
    if len(names) < 2:
        return
    for kind, a, b, length in moves:
        who = names[a % len(names)]
        other = names[(a + 1 + b % (len(names) - 1)) % len(names)]
        if who == other:
            continue
        end, used = step(plane, kind, who, other, length)
        assert used <= length or kind == "place"
        assert may_stand(plane, plane.model(who), end)
        moved = displace(plane, who, end)
        saved = msgspec.json.decode(msgspec.json.encode(moved.scene), type=Scene)
        assert saved == moved.scene
        before = [c for c in plane.scene.contacts if who not in (c.a, c.b)]
        plane = Plane(saved)
        # contacts of others stay, those of the model are what its place gives
        assert [c for c in plane.scene.contacts if who not in (c.a, c.b)] == before
        assert tuple(c for c in plane.scene.contacts if who in (c.a, c.b)) == contacts_of(plane, who)
        for enemy in engagement(plane, who).by:
            assert who in {e.enemy for e in engagement(plane, enemy.enemy).by}


@settings(max_examples=40, deadline=None)
@given(random_plane(pieces=5, models=5), st.integers(500, 5000), st.integers(1000, 8000))
def test_a_place_to_fire_from_fires_and_is_not_beaten_by_a_raster(
    plane: Plane, distance: int, allowance: int
) -> None:
    """LT-ADVERS-13: in range, in sight, unengaged, within the allowance; no place of a coarse raster is nearer."""
    own = plane.model("m0")
    enemies = plane.enemies(own)
    found = fire_from(plane, "m0", distance, allowance)
    best = float(allowance)
    if isinstance(found, Firing):
        best = found.path.length
        assert best <= allowance and found.views
        moved = Plane(displace(plane, "m0", found.path.end).scene)
        assert not engagement(moved, "m0").engaged
        assert all(sight(moved, "m0", v.target).sight is not Sight.BLOCKED for v in found.views)
    for dx in range(-4000, 4001, 800):
        for dy in range(-4000, 4001, 800):
            at = Point(own.at.x + dx, own.at.y + dy)
            # a place this much nearer would have been met on the quarter-inch raster
            if dx * dx + dy * dy < (best - 500) ** 2 and may_stand(plane, own, at) and best > 500:
                way = path_to(plane, "m0", at, within=int(best - 500))
                if isinstance(way, Path) and way.length < best - 500:
                    near = [Point(at.x + i, at.y + j) for i in (-130, 0, 130) for j in (-130, 0, 130)]
                    open_all = all(
                        may_stand(plane, own, p) and views_from(plane, own, p, enemies, distance, DEFAULT_RULES)
                        for p in near
                    )
                    assert not open_all
