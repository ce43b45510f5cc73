"""Line of Sight against densely sampled rays, and its invariants."""

from __future__ import annotations

import msgspec
from hypothesis import given, settings

from emberboard.engine.plane.scene import Model, Piece, Plane, Scene, Terrain
from emberboard.engine.plane.sight import Effect, Sight, SightRules, cover, sight
from emberboard.engine.plane.units import Point

from .oracles import sampled_view
from .scenes import random_plane

RAYS = 1500
ONE_WAY = SightRules(mutual_sight=False)


def pairs(plane: Plane) -> list[tuple[Model, Model]]:
    models = list(plane.models.values())
    return [(a, b) for a in models for b in models if a.id != b.id]


@settings(max_examples=120, deadline=None)
@given(random_plane(pieces=6, models=5, sizes=(1, 1, 2, 3)))
def test_every_view_agrees_with_sampled_rays(plane: Plane) -> None:
    for own, other in pairs(plane):
        view = sight(plane, own, other, ONE_WAY)
        blocked, obscured = sampled_view(plane, own, other, RAYS)
        free = ~(blocked | obscured)
        # a stretch of view counts its samples to within one at each end; things change at a few dozen angles
        tolerance = 60 / RAYS * 1000
        assert abs(view.free - free.mean() * 1000) <= tolerance
        assert abs(view.blocked - blocked.mean() * 1000) <= tolerance
        if view.sight is Sight.CLEAR:
            assert free.all()
        elif view.sight is Sight.BLOCKED:
            assert blocked.all()
        if not free.all():
            assert view.sight is not Sight.CLEAR
        if free.any():
            assert view.sight is not Sight.BLOCKED and view.free >= 0
        if not blocked.all():
            assert view.sight is not Sight.BLOCKED
        assert bool(view.obstructions) is (view.sight is not Sight.CLEAR)
        if view.sight is Sight.BLOCKED:
            assert any(o.effect is Effect.BLOCKS for o in view.obstructions)


@settings(max_examples=80, deadline=None)
@given(random_plane(pieces=8, models=5, sizes=(1, 2, 3)))
def test_scenery_never_blocks_one_way_only(plane: Plane) -> None:
    """LT-LOS-03, flag mutual_sight: without bodies between, Blocked holds both ways or not at all."""
    for own, other in pairs(plane):
        bare = Plane(
            Scene(width=plane.scene.width, height=plane.scene.height, models=(own, other), pieces=plane.scene.pieces)
        )
        there, back = sight(bare, own, other), sight(bare, other, own)
        assert (there.sight is Sight.BLOCKED) == (back.sight is Sight.BLOCKED)
        plain = sight(bare, own, other, ONE_WAY)
        if plain.sight is not there.sight:
            assert plain.sight is Sight.BLOCKED and there.sight is Sight.OBSCURED
            assert sight(bare, other, own, ONE_WAY).sight is not Sight.BLOCKED


@settings(max_examples=60, deadline=None)
@given(random_plane(pieces=6, models=6, sizes=(1, 2)))
def test_friends_are_looked_through_and_removal_only_opens(plane: Plane) -> None:
    """LT-LOS-08: a view is the same without the viewer's friends; without one more thing it is never worse."""
    order = [Sight.CLEAR, Sight.OBSCURED, Sight.BLOCKED]
    for own, other in pairs(plane):
        view = sight(plane, own, other)
        friendless = msgspec.structs.replace(
            plane.scene,
            contacts=(),
            models=tuple(m for m in plane.scene.models if m.side != own.side or m.id in (own.id, other.id)),
        )
        assert sight(plane.with_scene(friendless), own, other) == view
        for gone in view.obstructions:
            fewer = msgspec.structs.replace(
                plane.scene,
                contacts=(),
                models=tuple(m for m in plane.scene.models if m.id != gone.id),
                pieces=tuple(p for p in plane.scene.pieces if p.id != gone.id),
            )
            open_view = sight(Plane(fewer), own, other)
            assert order.index(open_view.sight) <= order.index(view.sight)
            assert open_view.free >= view.free


@settings(max_examples=60, deadline=None)
@given(random_plane(pieces=6, models=5, sizes=(1, 2)))
def test_hidden_and_cover_follow_from_the_view(plane: Plane) -> None:
    """LT-LOS-09, LT-COVER-01..03."""
    for own, other in pairs(plane):
        view = sight(plane, own, other)
        shade = cover(plane, view)
        if shade.cover:
            assert view.dense or (view.sight is Sight.OBSCURED and shade.by)
        elif view.sight is Sight.OBSCURED:
            assert plane.in_contact(own.id, shade.leaning) and {o.id for o in view.obstructions} == {shade.leaning}
        hidden = sight(plane, own, msgspec.structs.replace(other, hidden=True))
        if own.side == other.side or view.sight is Sight.CLEAR:
            assert hidden.sight is view.sight
        else:
            assert hidden.sight is Sight.BLOCKED


def test_one_way_views_exist_and_are_mended() -> None:
    """A corner that hides a model from one side only: the case the flag is for."""
    found = 0
    for y in range(5000, 9000, 40):
        scene = Scene(
            width=20_000,
            height=20_000,
            models=(
                Model(id="a", side="x", at=Point(4000, 10_000)),
                Model(id="b", side="y", at=Point(14_000, y), size=3),
            ),
            pieces=(
                msgspec.convert(
                    {
                        "id": "house",
                        "shape": [[8000, 0], [9000, 0], [9000, 9300], [8000, 9300]],
                        "kinds": [Terrain.IMPASSABLE],
                        "height": 6000,
                    },
                    Piece,
                ),
            ),
        )
        plane = Plane(scene)
        one = sight(plane, "a", "b", ONE_WAY).sight
        two = sight(plane, "b", "a", ONE_WAY).sight
        if (one is Sight.BLOCKED) != (two is Sight.BLOCKED):
            found += 1
            assert sight(plane, "a", "b").sight is not Sight.BLOCKED
            assert sight(plane, "b", "a").sight is not Sight.BLOCKED
    assert found > 0
