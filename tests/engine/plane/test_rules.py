"""The checks of the catalogue's rules that are geometry, with the checks' own numbers."""

from __future__ import annotations

import math

import msgspec
import pytest

from emberboard.engine.plane.approach import Approach, approach, engage, move_near
from emberboard.engine.plane.climb import (
    ClimbClass,
    FallClass,
    climb,
    climb_class,
    drop,
    fall_class,
    jump,
    leaves_board,
    must_climb,
)
from emberboard.engine.plane.contact import across_barrier, add, displace, engagement, find_contacts, remove, snap
from emberboard.engine.plane.distance import gap, nearest, range_band, wholly_within, within
from emberboard.engine.plane.ethereal import through_move
from emberboard.engine.plane.firing import Firing, fire_from
from emberboard.engine.plane.flight import flee
from emberboard.engine.plane.freespace import Via
from emberboard.engine.plane.ground import Passage, is_barrier, may_stand, passage, standing
from emberboard.engine.plane.nearest import nearest_place
from emberboard.engine.plane.paths import NoPath, Path, path_to, paths_to
from emberboard.engine.plane.placing import (
    Apart,
    Near,
    Off,
    Touching,
    Unengaged,
    Wholly,
    closest_outside,
    deadly_under,
    place,
)
from emberboard.engine.plane.reach import reach
from emberboard.engine.plane.scene import Light, Marker, Model, Plane, Scene, SceneError, Terrain
from emberboard.engine.plane.sight import Effect, Sight, SightRules, cover, in_the_dark, sight
from emberboard.engine.plane.stops import stop_along
from emberboard.engine.plane.straight import move_away, push, straight_move
from emberboard.engine.plane.surround import narrow_openings, surrounded
from emberboard.engine.plane.units import PlaneError, Point, inches

from .scenes import disc, model, piece, plane, pt, rect, wall

HERO = model("hero", 10, 10)


# ---- BASE, MEAS


def test_base_occupancy_sizes_and_heights() -> None:
    """LT-BASE-01..06."""
    board = plane(HERO)
    other = model("o", 10.4, 10)
    assert gap(board, other, "hero").gap == 0 and not place(board, other, other.at).legal
    assert gap(board, Point(10_400, 10_000), "hero").gap == 0
    assert gap(board, Point(10_600, 10_000), "hero").gap == 100
    assert [model("m", 5, 5, size=s).radius for s in (1, 2, 3)] == [500, 1000, 1500]
    assert [model("m", 5, 5, size=s).tall for s in (1, 2, 3)] == [1250, 2500, 4000]
    touching = plane(HERO, model("b", 11, 10, "foe"))
    assert math.dist((10_000, 10_000), (11_000, 10_000)) == 1000 and touching.in_contact("hero", "b")
    assert passage(HERO, piece("w", rect(0, 0, 1, 1), Terrain.BARRIER, height=0.6)) is Passage.FREE


def test_measuring_edge_to_edge() -> None:
    """LT-MEAS-01, -02, -04, -05: 9 inches between centres are 8 between edges; 8.0 is in range 8, 8.01 is not."""
    board = plane(HERO, model("b", 19, 10, "foe"))
    before = board.scene
    assert gap(board, "hero", "b").gap == 8000 and within(board, "hero", "b", 8000)
    assert board.scene is before
    assert not within(plane(HERO, model("b", 19.01, 10, "foe")), "hero", "b", 8000)
    # a diagonal a hair too long: the true gap is 8000.0002 thousandths
    assert not within(plane(HERO, model("b", 10.06, 19, "foe")), "hero", "b", 8000)
    assert gap(plane(HERO, model("b", 13, 10)), "hero", "b").gap == 2000
    assert wholly_within(board, "hero", pt(18, 18), 12_000) is True
    assert wholly_within(plane(model("h", 12.5, 18)), "h", pt(18, 18), 6000)
    assert not wholly_within(plane(model("h", 12.499, 18)), "h", pt(18, 18), 6000)


def test_contact_is_a_gap_of_at_most_a_thirty_second() -> None:
    """LT-MEAS-06: 31 thousandths touch, 32 do not; 0.02 inch snaps into exact contact."""
    assert plane(HERO, model("b", 11.031, 10)).in_contact("hero", "b")
    assert not plane(HERO, model("b", 11.032, 10)).in_contact("hero", "b")
    board = plane(HERO)
    assert snap(board, model("b", 11.02, 10), pt(11.02, 10)) == pt(11, 10)
    assert snap(board, model("b", 11.2, 10), pt(11.2, 10)) == pt(11.2, 10)
    slanted = snap(board, model("b", 10.72, 10.72), pt(10.72, 10.72))
    assert may_stand(board, model("b", 10.72, 10.72), slanted)
    assert gap(board, model("b", 1, 1), "hero").gap > 0
    assert gap(board, msgspec.structs.replace(model("b", 1, 1), at=slanted), "hero").gap <= 1


def test_levels_limit_contact() -> None:
    """LT-MEAS-06: levels may differ by half the height of the shorter, 0.625 inch here."""
    for height, touches in ((0.625, True), (0.626, False)):
        ledge = piece("ledge", rect(9, 9.5, 1.5, 1.5), Terrain.OPEN, height=height)
        board = plane(model("a", 9.5, 10.1, level=int(height * 1000)), model("b", 11, 10.1, "foe"), ledge)
        assert gap(board, "a", "b").gap == 500
        near = plane(model("a", 9.9, 10.1, level=int(height * 1000)), model("b", 11.01, 10.1, "foe"), ledge)
        assert gap(near, "a", "b").gap == 110
        close = plane(model("a", 10, 10.1, level=int(height * 1000)), model("b", 11.0, 10.1, "foe"), ledge)
        assert close.in_contact("a", "b") is touches


def test_ties_are_reported_as_sets() -> None:
    """LT-MEAS-06, LT-GEN-03: closer than 0.01 inch is a tie."""
    tied = plane(HERO, model("b", 15, 10, "foe"), model("c", 10, 15.009, "foe"), model("d", 10, 4.9, "foe"))
    assert nearest(tied, "hero", ["d", "c", "b"]).ids == ("b", "c")
    apart = plane(HERO, model("b", 15, 10, "foe"), model("c", 10, 15.01, "foe"))
    assert nearest(apart, "hero", ["c", "b"]).ids == ("b",)
    assert nearest(apart, "hero", []).ids == ()


# ---- MOVE


def test_a_move_is_measured_along_its_path() -> None:
    """LT-MOVE-01, -02: around a pillar's corner; at most the allowance."""
    board = plane(HERO, wall("pillar", rect(10.5, 5, 9, 4.4)))
    path = path_to(board, "hero", pt(20.1, 8))
    assert isinstance(path, Path) and path.length > path.straight and path.around == ("pillar",)
    stop = stop_along(board, "hero", path, 3500)
    assert stop.length <= 3500 and stop.length >= 3497 and not stop.whole


def test_a_base_needs_a_space_it_can_fill() -> None:
    """LT-MOVE-03: a ledge 0.6 inch deep holds no 1 inch base."""
    ledge = piece("ledge", rect(12, 5, 0.6, 8), Terrain.OPEN, height=0.5)
    board = plane(HERO, ledge)
    assert not may_stand(board, HERO, pt(12.3, 9))
    assert [h.rule for h in standing(board, HERO, pt(12.3, 9)).hindrances] == ["LT-MOVE-03"]
    across = path_to(board, "hero", pt(14, 10))
    assert isinstance(across, Path) and across.length == 4000 and across.crossings[0].piece == "ledge"
    wide = plane(HERO, piece("step", rect(12, 5, 3, 8), Terrain.OPEN, height=0.5))
    on_top = standing(wide, HERO, pt(13.5, 9))
    assert on_top.legal and on_top.level == 500


def test_bases_never_overlap_and_models_block() -> None:
    """LT-MOVE-04, -05: 0.9 inch between centres is refused; a friend fills a 1 inch corridor."""
    board = plane(HERO)
    assert not may_stand(board, model("b", 1, 1), pt(10.9, 10))
    with pytest.raises(SceneError, match="overlaps 'hero'"):
        Plane(Scene(models=(HERO, model("b", 10.9, 10))))
    corridor = (wall("n", rect(12, 0, 2, 9.5)), wall("s", rect(12, 10.5, 2, 25.5)))
    free = path_to(plane(HERO, *corridor), "hero", pt(16, 10))
    assert isinstance(free, Path) and free.length == 6000
    shut = path_to(plane(HERO, model("friend", 13, 10), *corridor), "hero", pt(16, 10))
    assert isinstance(shut, NoPath) and "friend" in shut.blockers


@pytest.mark.parametrize(("width", "passes"), [("0.9", False), ("0.998", False), ("0.999", True), ("1", True)])
def test_openings_must_be_as_wide_as_the_base(width: str, passes: bool) -> None:
    """LT-MOVE-06, LT-ENG-06: base width less 0.001 inch."""
    below = f"{9.5 + float(width):.3f}"
    board = plane(HERO, wall("n", rect(12, 0, 2, 9.5)), wall("s", rect(12, below, 2, f"{36 - float(below):.3f}")))
    assert isinstance(path_to(board, "hero", pt(16, 10)), Path) is passes
    posts = plane(model("h", 2, 10), *(model(f"p{i}", 12, i, "foe") for i in range(2, 36, 2) if i != 10))
    assert isinstance(path_to(posts, "h", pt(16, 10)), Path)


def test_markers_solid_and_not() -> None:
    """LT-MOVE-12: a chest can be touched, not overlapped, and hides nothing; a Clue token is nothing in the way."""
    chest = Marker(id="chest", at=pt(20, 20), solid=True)
    board = plane(model("h", 15, 20), model("foe", 25, 20, "foe"), chest, Marker(id="clue", at=pt(18, 20)))
    assert not may_stand(board, board.model("h"), pt(20.3, 20))
    assert may_stand(board, board.model("h"), pt(19, 20))
    assert sight(board, "h", "foe").sight is Sight.CLEAR
    way = engage(board, "h", "chest", 6000)
    assert isinstance(way, Approach) and way.reached and way.stop.at == pt(19, 20)
    assert displace(board, "h", pt(19, 20)).set[0].a == "chest"


# ---- ENG


def test_engagement_is_present_and_symmetric() -> None:
    """LT-ENG-01, -09, -10."""
    board = plane(HERO, model("rat", 11, 10, "foe"), model("fale", 9, 10), Marker(id="fallen", at=pt(12.5, 10)))
    assert engagement(board, "hero").engaged and engagement(board, "rat").engaged
    assert not engagement(board, "fale").engaged
    gone = remove(board, "rat")
    assert gone.cleared and not engagement(Plane(gone.scene), "hero").engaged
    moved = displace(board, "rat", pt(13.5, 10))
    assert moved.cleared == find_contacts(board.scene).contacts[-1:] or moved.cleared
    assert not engagement(Plane(moved.scene), "hero").engaged
    assert not engagement(Plane(moved.scene), "rat").engaged
    back = add(Plane(gone.scene), model("rat", 11, 10, "foe"))
    assert engagement(Plane(back.scene), "hero").by[0].enemy == "rat"


def ring(*degrees: float, apart: float = 1.0, side: str = "foe") -> list[Model]:
    """Models around (10, 10) at the given angles, pushed out to the next thousandth so that none overlaps."""
    found = []
    for d in degrees:
        a = math.radians(d)
        dx, dy = (math.copysign(math.ceil(abs(round(1000 * apart * v, 6))), v) for v in (math.cos(a), math.sin(a)))
        found.append(Model(id=f"{side}{d:g}", side=side, at=Point(10_000 + int(dx), 10_000 + int(dy))))
    return found


def test_surrounded_by_enemies_not_by_friends() -> None:
    """LT-ENG-02, -03, -05, -08, -10."""
    assert surrounded(plane(HERO, *ring(0, 120, 240)), "hero").surrounded
    mixed = plane(HERO, *ring(0, 120), *ring(240, side="party"))
    assert not surrounded(mixed, "hero").surrounded
    ghost = plane(model("hero", 10, 10, ethereal=True), *ring(0, 120, 240))
    assert surrounded(ghost, "hero").rule == "LT-ENG-08" and not surrounded(ghost, "hero").surrounded
    chest = plane(HERO, *ring(0, 120), Marker(id="chest", at=ring(240)[0].at, solid=True))
    assert not surrounded(chest, "hero").surrounded
    walled = plane(HERO, *ring(90, 270), wall("w", rect(10.5, 8, 2, 4)), *ring(180))
    assert surrounded(walled, "hero").surrounded
    assert "w" not in surrounded(plane(HERO, *ring(180), wall("w", rect(10.5, 8, 2, 4))), "hero").blockers
    edge = plane(
        model("hero", 0.5, 10),
        *(msgspec.structs.replace(m, at=Point(m.at.x - 9500, m.at.y)) for m in ring(60, 0, -60)),
    )
    answer = surrounded(edge, "hero")
    assert answer.surrounded and "edge:left" in answer.blockers


@pytest.mark.parametrize(
    ("degrees", "caught"), [(180, False), (179.9, False), (179.7, True), (177, True), (173, True), (150, True)]
)
def test_surrounded_by_the_angle_for_equal_bases(degrees: float, caught: bool) -> None:
    """LT-ENG-06: open from 179.8 degrees; between 176 and 180 only the angle decides."""
    found = surrounded(plane(HERO, *ring(180 - degrees / 2, 180 + degrees / 2, 0)), "hero")
    widest = max(found.openings, key=lambda o: o.angle)
    assert abs(widest.angle / 1000 - degrees) < 0.12
    assert found.surrounded is caught


@pytest.mark.parametrize(("opening", "caught"), [(998, True), (999, False), (1000, False)])
def test_surrounded_by_the_width_for_other_bases(opening: int, caught: bool) -> None:
    """LT-ENG-06: in all other cases an opening is wide enough from base width less 0.001 inch."""
    upper = 1500 - (1000 - opening + 1) // 2
    lower = 2000 + opening - upper
    large = [
        Model(id="troll1", side="foe", at=Point(10_055, 10_000 + upper), size=2),
        Model(id="troll2", side="foe", at=Point(10_055, 10_000 - lower), size=2),
    ]
    found = surrounded(plane(HERO, *large, *ring(180)), "hero")
    assert {o.width for o in found.openings if {o.a, o.b} == {"troll1", "troll2"}} == {opening}
    assert found.surrounded is caught
    assert (found.escape is None) is caught


def test_fighting_across_a_barrier() -> None:
    """LT-ENG-07: a half inch wall, both touching it, in line; slanted too far apart it is no engagement."""
    low = piece("wall", rect(10.5, 5, 0.5, 10), Terrain.BARRIER, height=1)
    board = plane(HERO, model("zombie", 11.5, 10, "foe"), low)
    assert across_barrier(board, board.model("hero"), board.model("zombie")) == "wall"
    found = engagement(board, "hero").by[0]
    assert (found.enemy, found.across, found.gap) == ("zombie", "wall", 500)
    assert engagement(plane(HERO, model("zombie", 11.5, 10.9, "foe"), low), "hero").engaged
    assert not engagement(plane(HERO, model("zombie", 11.5, 11.2, "foe"), low), "hero").engaged
    assert not engagement(plane(HERO, model("zombie", 11.6, 10, "foe"), low), "hero").engaged
    house = msgspec.structs.replace(low, kinds=(Terrain.IMPASSABLE,))
    assert not engagement(plane(HERO, model("zombie", 11.5, 10, "foe"), house), "hero").engaged


# ---- LOS, COVER, AREA


def test_sight_in_the_open_and_in_contact() -> None:
    """LT-LOS-02, -03, -12."""
    board = plane(HERO, model("b", 30, 25, "foe"), model("c", 11, 10, "foe"))
    assert sight(board, "hero", "b").free == 1000
    assert sight(board, "hero", "c").sight is Sight.CLEAR
    assert sight(board, "hero", "hero").sight is Sight.CLEAR


def test_friends_are_ignored_relative_to_the_viewer() -> None:
    """LT-LOS-08, -10: an equal enemy obscures, a larger one than both can block."""
    board = plane(model("banshee", 5, 10, "foe"), model("zombie", 10, 10, "foe"), model("adric", 15, 10))
    assert sight(board, "banshee", "adric").sight is Sight.CLEAR
    back = sight(board, "adric", "banshee")
    assert back.sight is Sight.OBSCURED and back.obstructions[0].id == "zombie"
    assert back.obstructions[0].effect is Effect.OBSCURES and back.obstructions[0].rule == "LT-LOS-10"
    troll = plane(model("a", 5, 10), model("troll", 8, 10, "foe", size=2), model("b", 15, 10, "foe"))
    assert sight(troll, "a", "b").sight is Sight.BLOCKED
    as_large = plane(model("a", 5, 10, size=2), model("troll", 8, 10, "foe", size=2), model("b", 15, 10, "foe"))
    assert sight(as_large, "a", "b").sight is Sight.OBSCURED


def test_scenery_by_height_blocks_or_obscures() -> None:
    """LT-LOS-06, -07, -11: 0.6 inch obscures, 3 inches blocks, ground obstructs nothing; levels count."""

    def state(height: float, *, rules: SightRules | None = None, **level: int) -> Sight:
        kind = Terrain.BARRIER if height else Terrain.DIFFICULT
        parts = [piece("w", rect(14, 5, 1, 10), kind, height=height), model("b", 20, 10, "foe")]
        who = model("a", 10, 10)
        if level:
            who = model("a", 10, 10, level=3000)
            parts.append(piece("tower", rect(9, 9, 2, 2), Terrain.OPEN, height=3))
        return sight(plane(who, *parts), "a", "b", rules or SightRules()).sight

    assert state(0) is Sight.CLEAR
    assert state(0.6) is Sight.OBSCURED
    assert state(1.249) is Sight.OBSCURED
    assert state(1.25) is Sight.BLOCKED
    assert state(3) is Sight.BLOCKED
    # seen from a tower: the viewer's head is at 4.25
    assert state(3, level=3000) is Sight.OBSCURED
    assert state(4.25, level=3000) is Sight.BLOCKED
    low = SightRules(low_scenery_ignored=True)
    assert state(0.6, rules=low) is Sight.CLEAR
    assert state(0.7, rules=low) is Sight.OBSCURED


def test_hidden_turns_obscured_into_blocked() -> None:
    """LT-LOS-09."""
    barrel = piece("barrel", disc(14, 10, 0.4), Terrain.IMPASSABLE, height=1)
    board = plane(model("banshee", 10, 10, "foe"), model("zath", 16, 10, hidden=True), barrel)
    found = sight(board, "banshee", "zath")
    assert found.sight is Sight.BLOCKED and found.rule == "LT-LOS-09"
    assert sight(plane(model("b", 10, 10, "foe"), model("z", 16, 10, hidden=True)), "b", "z").sight is Sight.CLEAR


def test_single_trees_obscure_near_the_target_and_hide_near_the_viewer() -> None:
    """LT-AREA-06: radius 0.3, centres 10 inches apart; 0.3/8 < 0.5/10, at 5 inches the base is hidden."""

    def state(at: float, mutual: bool) -> Sight:
        tree = piece("tree", disc(10 + at, 10, 0.3, 96), Terrain.IMPASSABLE, height=5)
        board = plane(HERO, model("b", 20, 10, "foe"), tree)
        return sight(board, "hero", "b", SightRules(mutual_sight=mutual)).sight

    assert state(8, True) is Sight.OBSCURED
    assert state(5, True) is Sight.BLOCKED
    assert state(2.5, False) is Sight.BLOCKED
    assert state(2.5, True) is Sight.OBSCURED


def test_a_body_that_hides_all_hides_it_behind_a_one_way_tree_too() -> None:
    """LT-LOS-03 mends what scenery blocks one way; LT-LOS-10: an enemy larger than both blocks by itself."""
    tree = piece("tree", disc(12.5, 10, 0.3, 96), Terrain.IMPASSABLE, height=5)
    ogre = model("ogre", 17, 10, "foe", size=3)
    assert sight(plane(HERO, model("b", 20, 10, "foe"), ogre), "hero", "b").sight is Sight.BLOCKED
    assert sight(plane(HERO, model("b", 20, 10, "foe"), tree), "hero", "b").sight is Sight.OBSCURED
    assert sight(plane(HERO, model("b", 20, 10, "foe"), ogre, tree), "hero", "b").sight is Sight.BLOCKED


def test_dense_areas() -> None:
    """LT-AREA-02..05."""
    forest = piece("forest", rect(13, 7, 6, 6), Terrain.DIFFICULT, Terrain.AREA, Terrain.DENSE)

    def look(viewer: Model, target: Model, flag: bool = False) -> tuple[Sight, bool]:
        board = plane(viewer, target, forest)
        view = sight(board, viewer.id, target.id, SightRules(dense_area_counts_as_obscured=flag))
        return view.sight, cover(board, view).cover

    assert look(HERO, model("b", 16, 10, "foe")) == (Sight.CLEAR, True)
    assert look(HERO, model("b", 16, 10, "foe"), flag=True) == (Sight.OBSCURED, True)
    # half inside: on the viewer's side Clear, on the far side Obscured
    assert look(HERO, model("b", 13, 10, "foe")) == (Sight.CLEAR, False)
    assert look(HERO, model("b", 19, 10, "foe")) == (Sight.OBSCURED, True)
    assert look(HERO, model("b", 22, 10, "foe")) == (Sight.BLOCKED, False)
    assert look(model("a", 16, 10), model("b", 22, 10, "foe")) == (Sight.CLEAR, False)
    assert look(model("a", 13.2, 10), model("b", 22, 10, "foe")) == (Sight.CLEAR, False)
    assert look(model("a", 15, 10), model("b", 17, 10, "foe")) == (Sight.CLEAR, True)


def test_cover_leans_only_on_what_it_touches() -> None:
    """LT-COVER-01..04, -06: three barrels are one Cover."""
    barrels = [piece(f"b{i}", disc(13 + i, 10, 0.4), Terrain.IMPASSABLE, height=1) for i in range(3)]
    board = plane(HERO, model("foe", 18, 10, "foe"), *barrels)
    found = cover(board, sight(board, "hero", "foe"))
    assert found.cover and found.by == ("b0", "b1", "b2") and found.rule == "LT-COVER-03"


def test_darkness_and_light() -> None:
    """LT-VILLAGE-15, -16, -18, LT-ARTIFACT-06."""

    def board(gap_in: float, **more: object) -> Plane:
        return plane(
            model("s", 4, 10, "foe"), model("z", f"{5 + gap_in:.3f}", 10, hidden=True), darkness=12_000, **more
        )

    assert sight(board(13), "s", "z").sight is Sight.BLOCKED
    assert sight(board(12), "s", "z").sight is Sight.CLEAR
    assert sight(board(13), "s", "z", darkness=18_000).sight is Sight.CLEAR
    lamp = (Light(radius=3000, at=pt(21, 10)),)
    assert sight(board(13, lights=lamp), "s", "z").sight is Sight.CLEAR
    assert in_the_dark(board(14), "s", "z") and not in_the_dark(board(14, lights=lamp), "s", "z")
    assert not in_the_dark(board(12), "s", "z")
    carried = plane(
        model("s", 4, 10, "foe"),
        model("z", 20, 10, hidden=True),
        model("c", 24, 10),
        darkness=12_000,
        lights=(Light(radius=3000, bearer="c"),),
    )
    assert sight(carried, "s", "z").sight is Sight.CLEAR


# ---- TERRAIN


def test_every_piece_needs_a_type() -> None:
    """LT-TERRAIN-01."""
    with pytest.raises(SceneError, match="LT-TERRAIN-01"):
        plane(piece("thing", rect(0, 0, 1, 1), Terrain.WATER))


def test_difficult_routes_are_taken_when_shorter() -> None:
    """LT-ADVERS-16, -17, LT-TERRAIN-05: 7 inches through a field, longer around it."""
    field = piece("field", rect(12, 4, 3, 12), Terrain.DIFFICULT, Terrain.AREA, Terrain.WOODLAND)
    board = plane(HERO, field)
    through = path_to(board, "hero", pt(17, 10))
    assert isinstance(through, Path) and through.length == 7000
    assert (through.crossings[0].enter, through.crossings[0].leave) == (1500, 5500)
    around = path_to(board, "hero", pt(17, 10), Via(avoid_slow=True))
    assert isinstance(around, Path) and around.slow_at is None and around.length > 14_000
    fale = plane(model("fale", 10, 10, ignores=["woodland"]), field)
    free = path_to(fale, "fale", pt(17, 10), Via(avoid_slow=True))
    assert isinstance(free, Path) and free.length == 7000


def test_touching_the_outline_is_not_entering() -> None:
    """LT-TERRAIN-03."""
    field = piece("field", rect(12, 4, 3, 5.5), Terrain.DIFFICULT, Terrain.AREA)
    past = path_to(plane(HERO, field), "hero", pt(17, 10))
    assert isinstance(past, Path) and past.crossings == ()
    deeper = plane(HERO, piece("field", rect(12, 4, 3, 5.6), Terrain.DIFFICULT, Terrain.AREA))
    into = path_to(deeper, "hero", pt(17, 10))
    assert isinstance(into, Path) and into.slow_at is not None


def test_impassable_and_forded() -> None:
    """LT-TERRAIN-11, -16, LT-ARTIFACT-05."""
    river = piece("river", rect(12, 0, 2, 36), Terrain.IMPASSABLE, Terrain.WATER)
    assert isinstance(path_to(plane(HERO, river), "hero", pt(17, 10)), NoPath)
    assert not place(plane(HERO, river), HERO, pt(13, 10)).legal
    diver = plane(model("d", 10, 10, fords=["water"]), river)
    over = path_to(diver, "d", pt(17, 10))
    assert isinstance(over, Path) and over.slow_at == 1500


def test_barriers_depend_on_the_model() -> None:
    """LT-TERRAIN-13, -14."""

    def hedge(height: float, width: float) -> Plane:
        return plane(HERO, piece("h", rect(12, 5, width, 9), Terrain.BARRIER, height=height))

    assert is_barrier(hedge(3.5, 0.8), HERO, hedge(3.5, 0.8).piece("h"))
    assert not is_barrier(hedge(3.5, 1.2), HERO, hedge(3.5, 1.2).piece("h"))
    assert not is_barrier(hedge(3.8, 0.8), HERO, hedge(3.8, 0.8).piece("h"))
    free = path_to(hedge(0.6, 0.5), "hero", pt(15, 10))
    assert isinstance(free, Path) and free.length == 5000 and free.crossings[0].piece == "h"
    high = path_to(hedge(0.7, 0.5), "hero", pt(15, 10))
    assert isinstance(high, Path) and high.around == ("h",)
    assert passage(HERO, hedge(0.7, 0.5).piece("h")) is Passage.CLIMB


@pytest.mark.parametrize(("width", "free"), [(0.8, True), (1.0, True), (1.1, False)])
def test_gaps_as_wide_as_the_base_are_crossed(width: float, free: bool) -> None:
    """LT-TERRAIN-15, also on the slant: the way bends to cross straight over."""
    board = plane(HERO, piece("trench", rect(0, 12, 36, width), Terrain.GAP, depth=3))
    for x in (10, 13, 16):
        found = path_to(board, "hero", pt(x, 16))
        assert isinstance(found, Path) is free
        if isinstance(found, Path):
            over = [c for c in found.crossings if c.piece == "trench"]
            assert len(over) == 1 and over[0].leave - over[0].enter <= 1001
            # taken out, the trench leaves a straight way; crossing costs at most its width more than nothing
            shortest = math.hypot(x * 1000 - 10_000, 6000 - 1000 * width) + 1000 * width
            assert found.length <= max(shortest, found.straight) + 1
    straight = straight_move(board, "hero", pt(10, 20), 6000)
    assert straight.full is free
    if not free:
        assert (straight.length, straight.stopped_by, straight.rule) == (1500, "trench", "LT-TERRAIN-15")
    assert not may_stand(board, HERO, pt(10, 12.5))


def test_openings_between_impassable_pieces_are_warned_about() -> None:
    """LT-TERRAIN-20."""
    board = plane(wall("a", rect(5, 5, 3, 3)), wall("b", rect(8.8, 5, 3, 3)), wall("c", rect(20, 5, 3, 3)))
    found = narrow_openings(board, 1000)
    assert [(o.a, o.b, o.width) for o in found] == [("a", "b", 800)]


# ---- CLIMB, FALL


def test_climb_classes_and_movement() -> None:
    """LT-CLIMB-01..05."""
    heights = {
        600: "free",
        625: "free",
        700: "simple",
        1250: "simple",
        2500: "normal",
        3750: "hard",
        3800: "impossible",
    }
    for height, name in heights.items():
        assert climb_class(HERO, height) is ClimbClass(name)
    board = plane(HERO, piece("w", rect(10.5, 8, 0.6, 4), Terrain.BARRIER, height=1.2))
    assert must_climb(board, "hero") == ("w",)
    short = climb(board, "hero", "w", 1000)
    assert not short.allowed and "LT-CLIMB-02" in short.why
    enough = climb(board, "hero", "w", 4000)
    assert enough.allowed and enough.left == 2800
    # the base does not fit on top: the first free place beyond
    assert not enough.on_top and enough.landing == pt(11.6, 10) and enough.level == 0
    top = climb(plane(HERO, piece("w", rect(10.5, 8, 2, 4), Terrain.OPEN, height=1)), "hero", "w", 4000)
    assert top.on_top and top.landing == pt(11, 10) and top.level == 1000 and top.left == 3000
    house = climb(plane(HERO, wall("w", rect(10.5, 8, 2, 4), height=1)), "hero", "w", 4000)
    assert not house.allowed and "LT-TERRAIN-11" in house.why


def test_jumps() -> None:
    """LT-CLIMB-07..09, LT-ARTIFACT-04."""
    board = plane(HERO, piece("pit", rect(10.5, 7, 1.5, 6), Terrain.GAP, depth=6))
    near = jump(board, "hero", "pit", pt(14, 10), 2000)
    assert (near.width, near.travel, near.allowed, near.landing) == (1500, 2500, False, pt(12.5, 10))
    far = jump(board, "hero", "pit", pt(14, 10), 5000)
    assert far.allowed and far.left == 2500
    assert far.failed == pt(11, 10) and far.failed_level == -6000 and far.fall == 6000
    wide = plane(HERO, piece("pit", rect(10.5, 7, 3, 6), Terrain.GAP, depth=6))
    assert jump(wide, "hero", "pit", pt(14, 10), 6000, halved=True).travel == 2500
    small = plane(HERO, piece("pit", rect(10.5, 7, 1, 6), Terrain.GAP, depth=6))
    assert "no jump needed" in jump(small, "hero", "pit", pt(14, 10), 6000).why
    # a 40 mm pit (LT-TRAP-07): crossed through the middle it must be jumped
    trap = plane(HERO, piece("pit", disc(13, 10, 0.8), Terrain.GAP, depth=6))
    assert jump(trap, "hero", "pit", pt(20, 10), 6000).width == 1600
    with pytest.raises(PlaneError, match="misses"):
        jump(trap, "hero", "pit", pt(10, 20), 6000)


def test_falls() -> None:
    """LT-FALL-01..03, -05, -06, LT-CLIMB-10, -11."""
    expected = {2500: "none", 2600: "D3", 3750: "D3", 5000: "D6", 6000: "2D6", 6250: "2D6", 6300: "removed"}
    for height, name in expected.items():
        assert fall_class(HERO, height) is FallClass(name)
    assert fall_class(model("banshee", 5, 5, ethereal=True), 6000) is FallClass.NONE
    ledge = piece("ledge", rect(8, 8, 4, 4), Terrain.OPEN, height=2)
    board = plane(model("hero", 11.2, 10, level=2000), ledge)
    down = drop(board, "hero")
    assert (down.height, down.damage, down.landing, down.move_goes_on) == (2000, FallClass.NONE, pt(12.5, 10), True)
    stacked = plane(model("h", 10, 10, level=4000), piece("t", rect(8, 8, 4, 4), Terrain.OPEN, height=4))
    assert drop(stacked, "h", to_level=1000).height == 3000


# ---- EDGE, SPECIAL


def test_the_edge_stops_and_can_be_left() -> None:
    """LT-EDGE-01, LT-EDGE-03."""
    board = plane(model("a", 33, 10), model("b", 34.5, 10, "foe"))
    done = push(board, "b", "a", 4000)
    assert (done.way.length, done.way.stopped_by, done.staggered) == (1000, "edge:right", True)
    touching = plane(model("a", 35.5, 10))
    assert leaves_board(touching, "a", 900) == ("edge:right", 1000, False)
    assert leaves_board(touching, "a", 1000) == ("edge:right", 1000, True)


def test_push() -> None:
    """LT-SPECIAL-11, -12: straight away; areas do not stop it; what it touches already staggers it."""
    free = push(plane(HERO, model("b", 11, 10, "foe")), "b", "hero", 3000)
    assert (free.way.end, free.staggered, free.way.full) == (pt(14, 10), False, True)
    swamp = piece("swamp", rect(12, 8, 2, 4), Terrain.DIFFICULT, Terrain.AREA)
    over = push(plane(HERO, model("b", 11, 10, "foe"), swamp), "b", "hero", 3000)
    assert over.way.end == pt(14, 10) and over.way.entered == ("swamp",) and not over.staggered
    against = push(plane(HERO, model("b", 11, 10, "foe"), model("c", 12, 10)), "b", "hero", 3000)
    assert against.way.length == 0 and against.staggered and against.way.stopped_by == "c"
    low = piece("low", rect(12, 8, 0.5, 4), Terrain.BARRIER, height=0.5)
    stepped = push(plane(HERO, model("b", 11, 10, "foe"), low), "b", "hero", 3000)
    assert stepped.way.end == pt(14, 10)
    high = piece("high", rect(12, 8, 0.5, 4), Terrain.BARRIER, height=1)
    assert push(plane(HERO, model("b", 11, 10, "foe"), high), "b", "hero", 3000).staggered
    pit = piece("pit", rect(13, 8, 2, 4), Terrain.GAP, depth=6)
    falls = push(plane(HERO, model("b", 11, 10, "foe"), pit), "b", "hero", 3000)
    assert falls.falls_into == "pit" and falls.fall_from == pt(13, 10) and not falls.staggered
    ledge = piece("ledge", rect(8, 8, 4, 4), Terrain.OPEN, height=3)
    up = plane(model("a", 9.5, 10, level=3000), model("b", 10.5, 10, "foe", level=3000), ledge)
    off = push(up, "b", "a", 3000)
    assert off.falls_into == "ledge" and off.fall_from == pt(12, 10)
    fall = drop(up, "b", start=off.fall_from)
    assert (fall.height, fall.landing) == (3000, pt(12.5, 10))


def test_ethereal_moves() -> None:
    """LT-SPECIAL-02, -03, LT-ADVERS-19."""
    board = plane(model("banshee", 5, 10, "foe", ethereal=True), model("hero", 8, 10), wall("w", rect(10, 0, 2, 36)))
    done, path, solid = through_move(board, "banshee", pt(14, 10), 9000)
    assert done.at == pt(14, 10) and path.length == 9000 and solid == ()
    # ending inside the wall is not allowed: it is solid for this move, and the hero is passed all the same
    stop, _, solid = through_move(board, "banshee", pt(14, 10), 6000)
    assert (solid, stop.at, stop.length) == (("w",), pt(9.5, 10), 4500)
    hole = plane(model("banshee", 5, 10, "foe", ethereal=True), piece("pit", rect(8, 0, 2, 36), Terrain.GAP, depth=6))
    assert isinstance(path_to(hole, "banshee", pt(12, 10)), NoPath)


def test_away_and_flight() -> None:
    """LT-VILLAGE-12, -14, LT-PANIC-03, -04, LT-EDGE-02."""
    board = plane(HERO, model("zombie", 6, 10, "foe"))
    assert move_away(board, "hero", "zombie", 6000).ways[0][0].end == pt(16, 10)
    stop, _, threat = flee(board, "hero", 4000)
    assert stop.at == pt(14, 10) and threat == "zombie"
    second = plane(HERO, model("zombie", 8, 10, "foe"), model("other", 15.5, 10, "foe"))
    stop, _, _ = flee(second, "hero", 5000)
    moved = msgspec.structs.replace(HERO, at=stop.at)
    assert min(gap(second, moved, e).gap for e in ("zombie", "other")) >= 1000 and stop.length > 0
    housed = plane(HERO, model("zombie", 8.5, 10, "foe"), wall("house", rect(11, 8, 2, 4)))
    stop, path, _ = flee(housed, "hero", 6000)
    assert isinstance(path, Path) and path.around == ("house",) and stop.length <= 6000
    corner = plane(model("hero", 35, 18), model("zombie", 33, 17.9, "foe"))
    stop, _, _ = flee(corner, "hero", 4000)
    assert stop.at.x >= 35_400 and stop.at.y > 20_000


# ---- ADVERS, SPAWN, SPELL, VILLAGE: approaching and placing


def test_melee_approach() -> None:
    """LT-ADVERS-06..08, -16, LT-MOVE-11."""
    board = plane(model("s", 5, 10, "foe"), model("marek", 14, 10), model("adric", 9, 10.9))
    move = engage(board, "s", "marek", 9000)
    assert isinstance(move, Approach) and move.stopped_by == "adric" and not move.reached
    after = Plane(displace(board, "s", move.stop.at).scene)
    assert engagement(after, "s").by[0].enemy == "adric"
    passing = engage(board, "s", "marek", 9000, stop_at_enemies=False)
    assert isinstance(passing, Approach) and passing.reached
    far = plane(model("s", 5, 10, "foe"), model("m", 14, 10))
    short = engage(far, "s", "m", 6000)
    assert isinstance(short, Approach) and short.stop.at == pt(11, 10) and not short.reached


def test_ties_between_two_ways_around() -> None:
    """LT-ADVERS-22: equally short ways are both told."""
    board = plane(model("s", 5, 10, "foe"), model("m", 14, 10), wall("w", rect(9, 8, 1, 4)))
    move = engage(board, "s", "m", 20_000)
    assert isinstance(move, Approach) and len(move.ties) == 1
    assert move.ties[0].length == move.path.length and move.ties[0].end != move.path.end
    both = paths_to(board, "s", pt(13, 10))
    assert len(both) == 2 and {p.legs[1].clockwise for p in both} == {True, False}


def test_a_target_that_cannot_be_touched() -> None:
    """LT-ADVERS-37: ringed by six, the seventh is told so, and may move as near as possible."""
    board = plane(HERO, *ring(0, 60, 120, 180, 240, 300, side="foe"), model("late", 16, 10, "foe"))
    found = engage(board, "late", "hero", 9000)
    assert isinstance(found, NoPath) and "taken" in found.why and "foe0" in found.blockers
    near = move_near(board, "late", "hero", 9000)
    assert isinstance(near, Approach) and not near.reached
    end = msgspec.structs.replace(board.model("late"), at=near.stop.at)
    # between two of the ring, at the square root of three
    assert gap(board, end, "hero").gap in range(730, 740)


def test_moving_just_far_enough() -> None:
    """LT-ADVERS-13: 10.5 inches away, range 8, it moves exactly 2.5."""
    board = plane(model("banshee", 5, 10, "foe"), model("hero", 16.5, 10))
    move = approach(board, "banshee", "hero", 8000, 6000)
    assert isinstance(move, Approach) and move.reached and move.stop.length == 2500
    assert gap(Plane(displace(board, "banshee", move.stop.at).scene), "banshee", "hero").gap == 8000
    far = approach(board, "banshee", "hero", 8000, 2000)
    assert isinstance(far, Approach) and not far.reached and far.stop.length == 2000


def test_spawning_near_a_point() -> None:
    """LT-SPAWN-06, -09, LT-VILLAGE-05: on the point, or as near as possible, in contact with a hero if need be."""
    zombie = model("new", 5, 5, "foe")
    free = nearest_place(plane(), zombie, pt(18, 1))
    assert free.places[0] == pt(18, 1) and free.distance == 0 and free.hindered_by == ()
    crowded = plane(model("hero", 18, 1.7))
    found = nearest_place(crowded, zombie, pt(18, 1))
    assert found.hindered_by[0].id == "hero" and found.distance == 0
    assert all(gap(crowded, msgspec.structs.replace(zombie, at=p), "hero").gap <= 1 for p in found.places[:2])
    on_it = nearest_place(plane(model("hero", 18, 2)), zombie, pt(18, 2))
    assert on_it.distance == 500


def test_summoned_models_are_not_placed_in_contact() -> None:
    """LT-SPELL-10: the nearest point with a gap of more than 1/32 inch to every enemy."""
    board = plane(model("enemy", 10, 10, "foe"))
    guard = model("new", 5, 5)
    found = nearest_place(board, guard, pt(10.8, 10), (Unengaged(),))
    apart = gap(board, msgspec.structs.replace(guard, at=found.places[0]), "enemy").gap
    assert apart == 32 and found.places[0] == pt(11.032, 10)


def test_placing_conditions() -> None:
    """LT-ADVERS-35, LT-VILLAGE-06, -24..29, LT-RECOV-04, LT-TERRAIN-11."""
    board = plane(
        HERO,
        model("zombie", 12.5, 10, "foe"),
        wall("barn", rect(4, 8, 4, 4)),
        Marker(id="fallen", at=pt(20, 20)),
        piece("lava", rect(24, 24, 4, 4), Terrain.DEADLY, Terrain.AREA),
    )
    new = model("new", 1, 1, "foe")
    assert place(board, new, pt(10, 11), (Touching("hero"),)).legal
    assert place(board, new, pt(10, 11.2), (Touching("hero"),)).unmet[0].measured == 200
    assert place(board, new, pt(8.5, 10), (Touching("barn"), Near("hero", 3000))).legal
    assert not place(board, new, pt(7.9, 10), ()).legal
    assert place(board, new, pt(10, 20.9), (Apart("hero", 9900),)).legal
    assert not place(board, new, pt(10, 20.9), (Apart("hero", 9901),)).legal
    assert not place(board, new, pt(18, 13), (Wholly(pt(18, 18), 5000),)).legal
    assert place(board, new, pt(18, 13.5), (Wholly(pt(18, 18), 5000),)).legal
    assert not place(board, new, pt(24, 26), (Off(Terrain.DEADLY),)).legal
    assert place(board, new, pt(23.5, 26), (Off(Terrain.DEADLY),)).legal
    # a returning hero: on his marker or touching it, unengaged
    hero = model("back", 1, 1)
    found = nearest_place(board, hero, "fallen", (Touching("fallen"), Unengaged()))
    assert found.places[0] == pt(20, 20)
    beside = nearest_place(board, new, "barn", (Touching("barn"),))
    assert beside.places and beside.distance <= 31
    third = nearest_place(board, new, pt(12.5, 10), (Near("zombie", 3000), Unengaged(("hero",))))
    assert third.places and third.distance <= 520


def test_a_place_to_shoot_from_behind_a_house() -> None:
    """LT-ADVERS-13, -19: far enough round the corner to see, no further; where only range is short, exactly that."""
    banshee, hero = model("banshee", 5, 10, "foe"), model("hero", 12, 10)
    open_ground = fire_from(plane(model("banshee", 5, 10, "foe"), model("hero", 16.5, 10)), "banshee", 8000, 6000)
    assert isinstance(open_ground, Firing) and open_ground.exact and open_ground.path.length == 2500
    house = wall("house", rect(8, 7, 2, 6), height=6)
    board = plane(banshee, hero, house)
    assert sight(board, "banshee", "hero").sight is Sight.BLOCKED
    found = fire_from(board, "banshee", 8000, 6000)
    assert isinstance(found, Firing) and not found.exact
    assert found.views[0].target == "hero" and found.views[0].sight is Sight.OBSCURED
    # seen back around the corner only, so by the flag mutual_sight (LT-LOS-03); a hundredth of an inch less will not do
    assert found.views[0].rule == "LT-LOS-03" and found.path.around == ("house",)
    assert isinstance(fire_from(board, "banshee", 8000, found.path.length - 20), NoPath)
    assert isinstance(fire_from(board, "banshee", 8000, 1000), NoPath)


def test_deadly_terrain() -> None:
    """LT-TERRAIN-08..10: the centre decides at start and end, the marker goes to the nearest edge."""
    lava = piece("lava", rect(10, 10, 4, 4), Terrain.DEADLY, Terrain.AREA)
    board = plane(model("in", 10.2, 12), model("rim", 14.3, 12), lava)
    assert deadly_under(board, "in") == ("lava",) and deadly_under(board, "rim") == ()
    assert closest_outside(board, "lava", board.model("in").at) == pt(10, 12)
    through = path_to(plane(model("h", 8, 12), lava), "h", pt(16, 12))
    assert isinstance(through, Path) and [c.piece for c in through.crossings] == ["lava"] and through.slow_at == 1500


def test_platforms_are_walked_to_their_rim() -> None:
    """LT-CLIMB-10, LT-MOVE-03: a walk stays on top, a step of half the height does not matter."""
    tower = piece("tower", rect(8, 8, 4, 4), Terrain.OPEN, height=3)
    far = piece("other", rect(14, 8, 4, 4), Terrain.OPEN, height=3)
    board = plane(model("h", 9, 10, level=3000), tower, far)
    way = straight_move(board, "h", pt(20, 10), 8000)
    assert (way.end, way.stopped_by, way.rule, way.level) == (pt(11.5, 10), "tower", "LT-CLIMB-10", 3000)
    assert isinstance(path_to(board, "h", pt(15, 10)), NoPath)
    assert isinstance(path_to(board, "h", pt(11.5, 8.5)), Path)
    field = reach(board, "h", 6000)
    assert {(t.x, t.y) for t in field.tiles} == {(x, y) for x in range(8, 12) for y in range(8, 12)}
    low = piece("step", rect(12, 8, 4, 4), Terrain.OPEN, height=0.6)
    ground = plane(model("h", 10, 10), low)
    up = straight_move(ground, "h", pt(14, 10), 4000)
    assert (up.end, up.level, up.entered) == (pt(14, 10), 600, ("step",))
    half = straight_move(ground, "h", pt(14, 10), 2000)
    assert half.end == pt(11.5, 10) and half.hindered_by == ("step",)


# ---- the scene itself


def test_contact_survives_saving() -> None:
    """table_model: the relation is part of the scene, set by moving and cleared by displacement."""
    board = plane(HERO, model("b", 13, 10, "foe"))
    moved = displace(board, "b", pt(11, 10))
    assert [(c.a, c.b) for c in moved.set] == [("b", "hero")]
    saved = msgspec.json.encode(moved.scene)
    again = Plane(msgspec.json.decode(saved, type=Scene))
    assert again.scene == moved.scene and again.in_contact("hero", "b")
    away = displace(again, "b", pt(11.1, 10))
    assert [(c.a, c.b) for c in away.cleared] == [("b", "hero")]
    assert not Plane(away.scene).in_contact("hero", "b")


def test_scenes_that_cannot_stand_are_refused() -> None:
    bow = (pt(0, 0), pt(2, 2), pt(2, 0), pt(0, 2))
    with pytest.raises(SceneError, match=r"encloses no area|simple polygon"):
        plane(piece("bow", bow, Terrain.OPEN))
    with pytest.raises(SceneError, match="at least 3 corners"):
        plane(piece("line", (pt(0, 0), pt(1, 1)), Terrain.OPEN))
    with pytest.raises(SceneError, match="impassable 'w'"):
        Plane(Scene(models=(HERO,), pieces=(wall("w", rect(9, 9, 2, 2)),)))
    with pytest.raises(SceneError, match="given once"):
        Plane(Scene(models=(HERO, model("hero", 20, 20))))
    with pytest.raises(SceneError, match="on the board"):
        Plane(Scene(models=(model("x", 0.4, 3),)))
    with pytest.raises(SceneError, match="size must be"):
        Plane(Scene(models=(model("x", 4, 3, size=4),)))
    far = msgspec.structs.replace(plane(HERO, model("b", 20, 10)).scene, contacts=(("b", "hero"),))
    with pytest.raises((SceneError, AttributeError)):
        Plane(far)
    with pytest.raises(PlaneError, match="expected the id of a model"):
        plane(HERO).model("nobody")
    with pytest.raises(PlaneError, match="may stand"):
        displace(plane(HERO, model("b", 20, 10)), "b", pt(10.5, 10))
    assert inches(2500) == "2.5" and inches(-31) == "-0.031"
    assert range_band(plane(HERO, model("b", 28.1, 10, "foe")), "hero", "b", 8000, 18_000).band == "long"
    assert range_band(plane(HERO, model("b", 20.1, 10, "foe")), "hero", "b", 8000).band == "out"
