"""Straight moves, pushes, approaches, placing and Surrounded against brute force."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from emberboard.engine.plane.approach import Approach, engage, move_near
from emberboard.engine.plane.contact import displace, find_contacts
from emberboard.engine.plane.distance import gap
from emberboard.engine.plane.ground import may_stand
from emberboard.engine.plane.nearest import nearest_place
from emberboard.engine.plane.paths import NoPath
from emberboard.engine.plane.placing import Apart, Near, Touching, Unengaged, place
from emberboard.engine.plane.scene import Model, Plane, Scene, SceneError
from emberboard.engine.plane.straight import push, straight_move
from emberboard.engine.plane.surround import surrounded
from emberboard.engine.plane.units import Point, square_between

from .oracles import can_lose_contact, clearance, raster_lengths
from .scenes import random_plane, wall

BOARD = random_plane(pieces=5, models=6)


def swept(plane: Plane, a: Point, b: Point, model: str) -> float:
    line = shapely.linestrings([[(a.x, a.y), (b.x, b.y)]]) if a != b else shapely.points([(a.x, a.y)])
    return float(clearance(plane, plane.model(model), np.asarray(line))[0])


@settings(max_examples=150, deadline=None)
@given(BOARD, st.integers(0, 359), st.integers(0, 8000))
def test_straight_move_goes_as_far_as_it_can_and_no_further(plane: Plane, degrees: int, length: int) -> None:
    mover = plane.model("m0")
    ux, uy = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    toward = Point(mover.at.x + round(ux * 100_000), mover.at.y + round(uy * 100_000))
    way = straight_move(plane, mover, toward, length)
    assert may_stand(plane, mover, way.end)
    assert way.length <= length
    assert square_between(mover.at, way.end) <= way.length**2
    # the end lies on the line, and the base was clear all along
    off = (way.end.x - mover.at.x) * uy - (way.end.y - mover.at.y) * ux
    assert abs(off) <= 6
    assert swept(plane, mover.at, way.end, "m0") >= -2
    if way.full:
        assert way.length >= length - 6
    elif not way.hindered_by:
        # a little further it would be in what stopped it
        further = way.length + 8
        if further <= length:
            spot = Point(mover.at.x + round(ux * further), mover.at.y + round(uy * further))
            assert swept(plane, spot, spot, "m0") < 6


@settings(max_examples=80, deadline=None)
@given(BOARD, st.integers(0, 6000))
def test_push_never_overlaps_and_staggers_on_what_stops_it(plane: Plane, length: int) -> None:
    """LT-SPECIAL-11, LT-SPECIAL-12."""
    mover = plane.model("m0")
    for source in plane.models.values():
        if source.id == "m0":
            continue
        done = push(plane, "m0", source.id, length)
        moved = displace(plane, "m0", done.way.end)
        Plane(moved.scene)
        before, after = gap(plane, "m0", source.id).gap, gap(Plane(moved.scene), "m0", source.id).gap
        assert after >= before - 1
        assert done.staggered is bool(done.way.stopped_by)
        if not done.staggered:
            assert abs(math.dist((mover.at.x, mover.at.y), (done.way.end.x, done.way.end.y)) - length) <= 6


@settings(max_examples=60, deadline=None)
@given(BOARD, st.integers(0, 14_000))
def test_engage_ends_in_contact_by_the_shortest_way(plane: Plane, allowance: int) -> None:
    """LT-ADVERS-07, -16, -37: against a raster of walks to every contact place."""
    mover = plane.model("m0")
    pitch = 300
    walks = raster_lengths(plane, mover, pitch)
    for other in plane.models.values():
        if other.id == "m0":
            continue
        found = engage(plane, "m0", other.id, allowance, stop_at_enemies=False)
        reach = mover.radius + other.radius
        # a walk that ends within a band of the target and then goes straight on into contact
        bounds = []
        for spot, length in walks.items():
            apart = math.dist((spot.x, spot.y), (other.at.x, other.at.y))
            if reach <= apart <= reach + 1.5 * pitch:
                share = reach / apart
                touch = Point(
                    round(other.at.x + (spot.x - other.at.x) * share),
                    round(other.at.y + (spot.y - other.at.y) * share),
                )
                bounds.append((length + apart - reach, spot, touch))
        bounds.sort(key=lambda b: b[0])
        for bound, spot, touch in bounds[:3]:
            if swept(plane, spot, touch, "m0") >= -0.4 and place(plane, mover, touch, (Touching(other.id),)).legal:
                assert isinstance(found, Approach)
                assert found.path.length <= bound + 3
                break
        if isinstance(found, NoPath):
            continue
        assert may_stand(plane, mover, found.stop.at)
        assert found.stop.length <= allowance
        assert 16 * square_between(found.path.end, other.at) <= (4 * reach + 125) ** 2
        moved = displace(plane, "m0", found.stop.at)
        assert Plane(moved.scene).in_contact("m0", other.id) is found.reached
        if allowance >= found.path.length:
            assert found.reached and found.stop.length == found.path.length
        for tie in found.ties:
            assert tie.length - found.path.length <= 11


@settings(max_examples=60, deadline=None)
@given(BOARD, st.integers(0, 12_000), st.integers(0, 12_000), st.sampled_from(["free", "unengaged", "near", "apart"]))
def test_nearest_place_beats_every_place_of_a_raster(plane: Plane, x: int, y: int, kind: str) -> None:
    mover = msgspec.structs.replace(plane.model("m0"), id="new")
    wish = Point(x, y)
    other = plane.model("m0")
    conditions = {
        "free": (),
        "unengaged": (Unengaged(),),
        "near": (Near("m0", 2500),),
        "apart": (Apart("m0", 2000), Near(wish, 6000)),
    }[kind]
    found = nearest_place(plane, mover, wish, conditions)
    assert other.id in plane.models
    for spot in found.places:
        assert place(plane, mover, spot, conditions).legal
    best = math.dist((found.places[0].x, found.places[0].y), (x, y)) if found.places else math.inf
    step = 250
    for i in range(-16, 17):
        for j in range(-16, 17):
            spot = Point(x + i * step, y + j * step)
            if math.dist((spot.x, spot.y), (x, y)) < best - 4:
                assert not place(plane, mover, spot, conditions).legal
    if found.places and best > 0:
        # and of a fine fan just inside the best distance
        for k in range(360):
            a = math.radians(k)
            spot = Point(round(x + (best - 5) * math.cos(a)), round(y + (best - 5) * math.sin(a)))
            if best > 5:
                assert not place(plane, mover, spot, conditions).legal


@settings(max_examples=40, deadline=None)
@given(BOARD)
def test_move_near_never_ends_further_away(plane: Plane) -> None:
    for other in plane.models.values():
        if other.id == "m0":
            continue
        found = move_near(plane, "m0", other.id, 100_000)
        if isinstance(found, Approach):
            end = gap(plane, msgspec.structs.replace(plane.model("m0"), at=found.stop.at), other.id).gap
            assert end <= gap(plane, "m0", other.id).gap + 1
            assert may_stand(plane, plane.model("m0"), found.stop.at)


@st.composite
def rings(draw: st.DrawFn) -> Plane:
    """A model with enemies, walls and a friend pressed around it."""
    own = Model(id="m0", side="party", at=Point(6000, 6000), size=draw(st.sampled_from([1, 1, 2])))
    board = Plane(Scene(width=12_000, height=12_000, models=(own,)))
    models = [own]
    for i in range(draw(st.integers(1, 7))):
        size = draw(st.sampled_from([1, 1, 1, 2]))
        side = draw(st.sampled_from(["foe", "foe", "foe", "party"]))
        angle = math.radians(draw(st.integers(0, 359)))
        apart = own.radius + size * 500 + draw(st.sampled_from([1, 1, 1, 20, 300, 900]))
        at = Point(6000 + math.ceil(apart * math.cos(angle)), 6000 + math.ceil(apart * math.sin(angle)))
        candidate = Model(id=f"m{i + 1}", side=side, at=at, size=size)
        if may_stand(board, candidate, at):
            models.append(candidate)
            board = Plane(Scene(width=12_000, height=12_000, models=tuple(models)))
    left = draw(st.integers(6000 + own.radius, 8000))
    walls = ()
    if draw(st.booleans()):
        candidate_wall = wall("w", (Point(left, 4000), Point(9000, 4000), Point(9000, 8000), Point(left, 8000)))
        try:
            Plane(Scene(width=12_000, height=12_000, models=tuple(models), pieces=(candidate_wall,)))
            walls = (candidate_wall,)
        except SceneError:
            walls = ()
    return Plane(find_contacts(Scene(width=12_000, height=12_000, models=tuple(models), pieces=walls)))


@settings(max_examples=60, deadline=None)
@given(rings())
def test_surrounded_agrees_with_a_flood_of_centres(plane: Plane) -> None:
    """LT-ENG-06, sandwiched: a flood that needs more room and one that needs less must agree with the answer."""
    own = plane.model("m0")
    answer = surrounded(plane, "m0")
    if not answer.touching:
        assert not answer.surrounded
        return
    by_angle = any(176_000 <= o.angle < 180_000 for o in answer.openings)
    if can_lose_contact(plane, own, 25, 0.0) and not by_angle:
        assert not answer.surrounded
    if not can_lose_contact(plane, own, 10, 15.0):
        assert answer.surrounded
    if not answer.surrounded:
        assert answer.escape is not None
        moved = msgspec.structs.replace(own, at=answer.escape)
        assert all(gap(plane, moved, e.id).gap >= 31 for e in plane.enemies(own))
    else:
        assert set(answer.touching) <= {m.id for m in plane.models.values() if m.side == "foe"}
