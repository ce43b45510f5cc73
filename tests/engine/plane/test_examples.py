"""The worked examples of the Lasting Tales catalogue that have geometry, each by its id and with its own numbers."""

from __future__ import annotations

import math

from emberboard.engine.plane.approach import Approach, engage
from emberboard.engine.plane.climb import ClimbClass, climb, climb_class
from emberboard.engine.plane.contact import displace, engagement, supporters
from emberboard.engine.plane.distance import gap, in_reach, range_band, within
from emberboard.engine.plane.ethereal import first_stop, through_move
from emberboard.engine.plane.ground import standing
from emberboard.engine.plane.paths import Path, path_to
from emberboard.engine.plane.scene import Plane, Terrain
from emberboard.engine.plane.sight import Sight, cover, sight
from emberboard.engine.plane.stops import allowance_used, stop_along
from emberboard.engine.plane.straight import move_away, push, straight_move
from emberboard.engine.plane.surround import surrounded
from emberboard.engine.plane.units import Point

from .scenes import disc, model, piece, plane, pt, rect, wall


def test_ltx_b06_marek_moves_five_inches() -> None:
    board = plane(model("marek", 10, 10))
    way = straight_move(board, "marek", pt(20, 10), 5000)
    assert (way.end, way.length) == (pt(15, 10), 5000)
    assert path_to(board, "marek", pt(15, 10)).length == 5000  # type: ignore[union-attr]
    wrong = path_to(board, "marek", pt(16, 10), within=5000)
    assert not isinstance(wrong, Path)


def test_ltx_b09_and_d34_into_ruins() -> None:
    ruins = piece("ruins", rect(10, 5, 6, 6), Terrain.DIFFICULT, Terrain.AREA)
    board = plane(model("ellessa", 5.5, 8), ruins)
    path = path_to(board, "ellessa", pt(13, 8))
    assert isinstance(path, Path) and path.slow_at == 4000
    # case 1: 5 rolled, 1 further; case 2: 3 rolled, the move ends touching the edge after 4
    first = stop_along(board, "ellessa", path, allowance_used(path, 6000, 5000))
    assert (first.at, first.length) == (pt(10.5, 8), 5000)
    second = stop_along(board, "ellessa", path, allowance_used(path, 6000, 3000))
    assert (second.at, second.length) == (pt(9.5, 8), 4000)
    assert Plane(displace(board, "ellessa", second.at).scene).in_contact("ellessa", "ruins")
    assert allowance_used(path, 6000, 4000) == 4000
    # B09: starting inside, the whole allowance is the roll
    inside = plane(model("elf", 12, 8), ruins)
    out = path_to(inside, "elf", pt(20, 8))
    assert isinstance(out, Path) and out.slow_at == 0 and allowance_used(out, 6000, 5000) == 5000
    clear = plane(model("elf", 12, 8))
    assert allowance_used(path_to(clear, "elf", pt(20, 8)), 6000, None) == 6000  # type: ignore[arg-type]


def test_ltx_b13_single_trees_or_a_forest() -> None:
    trunks = [(12, 10), (13, 10.8), (12, 11.6), (13, 12.4)]
    trees = [piece(f"tree{i}", disc(x, y, 0.3), Terrain.IMPASSABLE, height=5) for i, (x, y) in enumerate(trunks)]
    apart = plane(model("a", 8, 11), model("b", 17, 11, "foe"), *trees)
    around = path_to(apart, "a", pt(15, 11))
    assert isinstance(around, Path) and around.around and around.length > around.straight
    assert sight(apart, "a", "b").sight is Sight.OBSCURED
    forest = piece("forest", rect(11.5, 9.5, 2, 3.4), Terrain.DIFFICULT, Terrain.AREA, Terrain.DENSE)
    grouped = plane(model("a", 8, 11), model("b", 17, 11, "foe"), model("c", 12.5, 11, "foe"), forest)
    through = path_to(grouped, "a", pt(12.5, 12.3))
    assert isinstance(through, Path) and through.slow_at is not None
    assert sight(grouped, "a", "b").sight is Sight.BLOCKED
    inside = sight(grouped, "a", "c")
    assert inside.sight is Sight.CLEAR and cover(grouped, inside).rule == "LT-AREA-02"


def test_ltx_b14_civilian_meets_the_board_edge() -> None:
    board = plane(model("civilian", 33.5, 18), model("enemy", 28, 18, "foe"))
    away = move_away(board, "civilian", "enemy", 6000)
    assert len(away.ways) == 2
    for first, second in away.ways:
        assert (first.end, first.length, first.stopped_by) == (pt(35.5, 18), 2000, "edge:right")
        assert second.length == 4000
    assert {way[1].end for way in away.ways} == {pt(35.5, 22), pt(35.5, 14)}


def test_ltx_b15_ethereal_creature_and_an_obstacle() -> None:
    board = plane(
        model("banshee", 9, 14, "foe", ethereal=True),
        model("adric", 9, 1),
        wall("building", rect(0, 9, 20, 3), height=8),
        board=(36, 36),
    )
    assert gap(board, "banshee", "adric").gap == 12_000
    stop = first_stop(board, "banshee", pt(9, 1), 6000, "adric", 8000)
    assert stop is not None and (stop.at, stop.length) == (pt(9, 8.5), 5500)
    moved = Plane(displace(board, "banshee", stop.at).scene)
    assert gap(moved, "banshee", "adric").gap == 6500
    assert sight(moved, "banshee", "adric").sight is Sight.CLEAR
    # with 5 inches of Speed the building cannot be passed: it is solid for this move (LT-SPECIAL-03)
    _, _, solid = through_move(board, "banshee", pt(9, 2.1), 5000)
    assert solid == ("building",)
    done, path, solid = through_move(board, "banshee", pt(9, 2.1), 6000)
    assert solid == () and done.at == pt(9, 8) and path.crossings[0].piece == "building"


def test_ltx_b16_keyword_water_does_nothing_alone() -> None:
    brook = piece("brook", rect(10, 0, 3, 20), Terrain.DIFFICULT, Terrain.WATER)
    board = plane(model("a", 8, 10), model("b", 8, 14, ignores=["water"]), brook)
    wet, dry = path_to(board, "a", pt(15, 10)), path_to(board, "b", pt(15, 14))
    assert isinstance(wet, Path) and isinstance(dry, Path)
    assert wet.slow_at == 1500 and allowance_used(wet, 6000, 2000) == 2000
    assert dry.slow_at is None and allowance_used(dry, 6000, 2000) == 6000


def around(names: str, degrees: list[float], side: str = "foe") -> list[object]:
    return [
        model(f"{names}{d:g}", *(_on_ring(10, 10, 1, d)), side)  # type: ignore[arg-type]
        for d in degrees
    ]


def _on_ring(x: float, y: float, apart: float, degrees: float) -> tuple[str, str]:
    def outward(value: float) -> str:
        return f"{math.copysign(math.ceil(abs(round(value * 1000, 6))), value) / 1000:.3f}"

    a = math.radians(degrees)
    dx, dy = outward(apart * math.cos(a)), outward(apart * math.sin(a))
    return f"{x + float(dx):.3f}", f"{y + float(dy):.3f}"


def test_ltx_d03_surrounded_marek() -> None:
    board = plane(model("marek", 10, 10), *around("z", [0, 120, 240]))  # type: ignore[arg-type]
    answer = surrounded(board, "marek")
    assert answer.surrounded and set(answer.blockers) == {"z0", "z120", "z240"}
    assert [round(o.angle / 1000) for o in answer.openings] == [120, 120, 120]


def test_ltx_d15_cover_with_friends_and_enemies_between() -> None:
    def view(viewer: str, target: str, *things: tuple[str, str, int]) -> tuple[Sight, bool]:
        board = plane(*(model(name, x, 18, side) for name, side, x in things))
        found = sight(board, viewer, target)
        return found.sight, cover(board, found).cover

    fale, skeleton, banshee = ("fale", "party", 10), ("skeleton", "foe", 18), ("banshee", "foe", 18)
    marek, zombie = ("marek", "party", 14), ("zombie", "foe", 14)
    board = plane(model("fale", 10, 18), model("skeleton", 18, 18, "foe"))
    assert gap(board, "fale", "skeleton").gap == 7000
    assert range_band(board, "fale", "skeleton", 8000, 18_000).band == "short"
    assert view("fale", "skeleton", fale, skeleton, marek) == (Sight.CLEAR, False)
    assert view("fale", "skeleton", fale, skeleton, zombie) == (Sight.OBSCURED, True)
    assert view("banshee", "fale", fale, banshee, zombie) == (Sight.CLEAR, False)
    assert view("banshee", "fale", fale, banshee, marek) == (Sight.OBSCURED, True)


def test_ltx_d16_and_d01_leaning_over_a_wall() -> None:
    low = piece("wall", rect(10.5, 8, 0.5, 4), Terrain.BARRIER, height=0.6)
    barrel = piece("barrel", disc(14, 10, 0.4), Terrain.IMPASSABLE, height=1)
    fale, skeleton = model("fale", 10, 10), model("skeleton", 17, 10, "foe")
    one = plane(fale, skeleton, low)
    assert one.in_contact("fale", "wall")
    first = sight(one, "fale", "skeleton")
    assert first.sight is Sight.OBSCURED and cover(one, first).cover is False
    assert cover(one, first).leaning == "wall"
    two = plane(fale, skeleton, low, barrel)
    second = cover(two, sight(two, "fale", "skeleton"))
    assert second.cover and set(second.by) == {"wall", "barrel"}
    # D01: a barrel in mid-field, 7 inches away
    mid = plane(model("fale", 10, 10), model("skeleton", 18, 10, "foe"), barrel)
    assert gap(mid, "fale", "skeleton").gap == 7000
    assert cover(mid, sight(mid, "fale", "skeleton")).cover


def test_ltx_d19_a_taunt_pulls_a_zombie_away() -> None:
    board = plane(model("zombie", 10, 10, "foe"), model("zath", 9, 10), model("marek", 15, 10))
    assert engagement(board, "zombie").by[0].enemy == "zath"
    move = engage(board, "zombie", "marek", 5000)
    assert isinstance(move, Approach) and move.path.length == 4000 and move.reached
    after = Plane(displace(board, "zombie", move.stop.at).scene)
    assert after.in_contact("zombie", "marek") and not engagement(after, "zath").engaged
    short = engage(board, "zombie", "marek", 3000)
    assert isinstance(short, Approach) and not short.reached and short.stop.at == pt(13, 10)


def test_ltx_d10_and_d39_running_around_a_house() -> None:
    board = plane(model("kreeves", 5, 5), model("skeleton", 15, 5, "foe"))
    run = engage(board, "kreeves", "skeleton", 10_000)
    assert isinstance(run, Approach) and run.path.length == 9000 and run.reached
    house = plane(model("zath", 5, 5), model("skeleton", 10, 9, "foe"), wall("house", rect(6, 3, 4, 3), height=6))
    assert sight(house, "zath", "skeleton").sight is Sight.OBSCURED
    hidden = plane(
        model("zath", 5, 4.6), model("skeleton", 13, 4.6, "foe"), wall("house", rect(6, 2, 4, 6), height=6)
    )
    assert sight(hidden, "zath", "skeleton").sight is Sight.BLOCKED
    path = path_to(hidden, "zath", pt(9, 8.6))
    assert isinstance(path, Path) and path.around == ("house",)
    after = Plane(displace(hidden, "zath", pt(9, 8.6)).scene)
    assert sight(after, "zath", "skeleton").sight is not Sight.BLOCKED


def test_ltx_d40_climb_with_rope() -> None:
    high = piece("wall", rect(13.5, 8, 2, 4), Terrain.OPEN, height=2)
    board = plane(model("adric", 11.5, 10), high)
    way = straight_move(board, "adric", pt(20, 10), 6000)
    assert (way.length, way.stopped_by, way.rule) == (1500, "wall", "LT-CLIMB-01")
    at_wall = Plane(displace(board, "adric", way.end).scene)
    found = climb(at_wall, "adric", "wall", 6000 - 1500)
    assert found.climb is ClimbClass.NORMAL and found.allowed
    assert (found.vertical, found.left) == (2000, 2500)
    assert found.on_top and found.landing == pt(14, 10) and found.level == 2000
    assert climb_class(board.model("adric"), 2000) is ClimbClass.NORMAL


def test_ltx_d42_hidden_in_darkness() -> None:
    zath = model("zath", 18, 18, hidden=True)
    board = plane(zath, model("skeleton", 32, 18, "foe"), model("banshee", 18, 10, "foe"), darkness=12_000)
    assert gap(board, "skeleton", "zath").gap == 13_000 and gap(board, "banshee", "zath").gap == 7000
    assert sight(board, "skeleton", "zath").sight is Sight.BLOCKED
    assert sight(board, "skeleton", "zath").rule == "LT-VILLAGE-16"
    assert sight(board, "banshee", "zath").sight is Sight.CLEAR


def test_ltx_d46_spear_support_through_a_friend() -> None:
    board = plane(model("fale", 8, 10), model("marek", 9, 10), model("skeleton", 10, 10, "foe"))
    assert supporters(board, "fale", "skeleton") == ("marek",)
    assert not engagement(board, "fale").engaged and engagement(board, "marek").engaged


def test_ltx_d49_push_into_a_wall() -> None:
    board = plane(model("adric", 9, 10), model("skeleton", 10, 10, "foe"), wall("wall", rect(11.5, 8, 1, 4)))
    done = push(board, "skeleton", "adric", 4000)
    assert (done.way.length, done.way.stopped_by, done.staggered) == (1000, "wall", True)
    after = Plane(displace(board, "skeleton", done.way.end).scene)
    assert not engagement(after, "skeleton").engaged and after.in_contact("skeleton", "wall")


def test_ltx_d51_d27_d45_within_a_distance() -> None:
    board = plane(
        model("zath", 10, 10), model("fale", 13, 10), model("zombie", 10, 12, "foe"), model("marek", 6.5, 10)
    )
    near = in_reach(board, "zath", ["fale", "zombie", "marek"], 2000)
    assert [(g.b, g.gap) for g in near] == [("zombie", 1000), ("fale", 2000)]
    assert gap(board, "zath", "marek").gap == 2500
    assert within(board, "zath", "marek", 3000) and sight(board, "zath", "marek").sight is Sight.CLEAR
    assert standing(board, board.model("zath"), Point(10_000, 10_000)).legal
