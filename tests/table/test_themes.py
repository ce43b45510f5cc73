"""Nobody needs to tell red from green: each theme through the eyes of four kinds of vision, and its patterns in time.

The numbers that are held are CIEDE2000 differences, at the light's brightest moment, for eyes that are used to the
theme's brightest light: dim themes are for dim rooms.
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hardware.data_files import read

from emberboard.devices.rail import scaled
from emberboard.engine.errors import ContentError
from emberboard.table.board_tiles import EFFECTS, PERIOD_UNIT_MS
from emberboard.table.contrast import EYES, Colour
from emberboard.table.hardware import RailPicture, RailSlot
from emberboard.table.rail_view import rail_pixels
from emberboard.table.roles import KNOWN, STANDARD, Look, load_theme, load_theme_named, themes
from emberboard.virtual.firmware_process import FIRMWARE, LINK
from tests.table.colour_vision import VISIONS, XYZ, Triple, difference, lab, of_light, seen

SAME_MOVE = 19.0
"""What nothing but colour and brightness tells apart: nineteen times what can just be seen side by side."""
OTHER_PERIOD = 11.0
"""What the period tells apart as well; nobody should have to count the beats."""
DARK = 14.0
"""Between any role and a dark tile."""
HEALTH = 12.0
"""Between two states of the link: brightness tells them too."""
BRIGHTER = 1.5
"""Times as bright the worse state of the link is, to all eyes."""
SIDES = 50.0
"""Between party and enemy."""
SHIPPED = {name: load_theme_named(name) for name in themes()}
# Over the moment that a glance takes, breath and chase are one: on a single tile both swell and never go out.
MOTION = {"steady": "stays", "blink": "goes out", "breathe": "swells", "chase": "swells"}

# L1 a1 b1, L2 a2 b2, difference: Sharma, Wu, Dalal 2005, table 1.
SHARMA = """
50 2.6772 -79.7751 50 0 -82.7485 2.0425
50 3.1571 -77.2803 50 0 -82.7485 2.8615
50 2.8361 -74.0200 50 0 -82.7485 3.4412
50 -1.3802 -84.2814 50 0 -82.7485 1.0000
50 -1.1848 -84.8006 50 0 -82.7485 1.0000
50 -0.9009 -85.5211 50 0 -82.7485 1.0000
50 0 0 50 -1 2 2.3669
50 -1 2 50 0 0 2.3669
50 2.4900 -0.0010 50 -2.4900 0.0009 7.1792
50 2.4900 -0.0010 50 -2.4900 0.0010 7.1792
50 2.4900 -0.0010 50 -2.4900 0.0011 7.2195
50 2.4900 -0.0010 50 -2.4900 0.0012 7.2195
50 -0.0010 2.4900 50 0.0009 -2.4900 4.8045
50 -0.0010 2.4900 50 0.0010 -2.4900 4.8045
50 -0.0010 2.4900 50 0.0011 -2.4900 4.7461
50 2.5 0 50 0 -2.5 4.3065
50 2.5 0 73 25 -18 27.1492
50 2.5 0 61 -5 29 22.8977
50 2.5 0 56 -27 -3 31.9030
50 2.5 0 58 24 15 19.4535
50 2.5 0 50 3.1736 0.5854 1.0000
50 2.5 0 50 3.2972 0 1.0000
50 2.5 0 50 1.8634 0.5757 1.0000
50 2.5 0 50 3.2592 0.3350 1.0000
60.2574 -34.0099 36.2677 60.4626 -34.1751 39.4387 1.2644
63.0109 -31.0961 -5.8663 62.8187 -29.7946 -4.0864 1.2630
61.2901 3.7196 -5.3901 61.4292 2.2480 -4.9620 1.8731
35.0831 -44.1164 3.7933 35.0232 -40.0716 1.5901 1.8645
22.7233 20.0904 -46.6940 23.0331 14.9730 -42.5619 2.0373
36.4612 47.8580 18.3852 36.2715 50.5065 21.2231 1.4146
90.8027 -2.0831 1.4410 91.1528 -1.6435 0.0447 1.4441
90.9257 -0.5406 -0.9208 88.6381 -0.8985 -0.7239 1.5381
6.7747 -0.2908 -2.4247 5.8714 -0.0985 -2.2286 0.6377
2.0776 0.0795 -1.1350 0.9033 -0.0636 -0.5514 0.9082
"""


@pytest.mark.parametrize("pair", SHARMA.strip().splitlines())
def test_the_differences_are_the_published_ones(pair: str) -> None:
    l1, a1, b1, l2, a2, b2, published = map(float, pair.split())
    assert difference((l1, a1, b1), (l2, a2, b2)) == pytest.approx(published, abs=5e-5)
    assert difference((l2, a2, b2), (l1, a1, b1)) == pytest.approx(published, abs=5e-5)


def test_who_does_not_tell_red_from_green_is_simulated_so() -> None:
    """White stays white to all; a red and a green are found for each of the two that become one, and no blue does."""
    for vision in VISIONS:
        assert difference(lab(seen((1.0, 1.0, 1.0), vision)), lab((1.0, 1.0, 1.0))) < 0.1
    greens = [(0.0, step / 200, 0.0) for step in range(1, 200)]
    for vision, most in (("normal", 0), ("protanopia", 10), ("deuteranopia", 10), ("tritanopia", 0)):
        nearest = min(difference(lab(seen((1.0, 0.0, 0.0), vision)), lab(seen(green, vision))) for green in greens)
        assert nearest < most if most else nearest > 30, (vision, nearest)
        assert difference(lab(seen((1.0, 0.0, 0.0), vision)), lab(seen((0.0, 0.0, 1.0), vision))) > 40


def test_the_loaders_brightness_is_that_of_these_eyes() -> None:
    assert list(EYES) == list(VISIONS)
    for vision, weights in EYES.items():
        through = [sum(XYZ[1][row] * VISIONS[vision][row][column] for row in range(3)) for column in range(3)]
        assert weights == pytest.approx(through, abs=1e-4)


def eyed(colour: Colour, vision: str, full: int = 255) -> Triple:
    """A light's L*, a*, b* to these eyes, used to the light whose parts are `full`."""
    red, green, blue = of_light(colour)
    share = 255 / full
    return lab(seen((red * share, green * share, blue * share), vision))


def apart(one: Colour, other: Colour, vision: str, full: int) -> float:
    """The difference of two lights to these eyes."""
    return difference(eyed(one, vision, full), eyed(other, vision, full))


def alike(roles: tuple[Look, ...]) -> Iterator[tuple[Look, Look, float]]:
    """The pairs whose motion is of one kind, and the difference that they need."""
    for one, other in combinations(roles, 2):
        if MOTION[one.pattern] == MOTION[other.pattern]:
            short, long = sorted((one.period, other.period))
            yield one, other, OTHER_PERIOD if long >= 1.25 * short and long else SAME_MOVE


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("name", SHIPPED)
def test_any_two_roles_are_told_apart(name: str, vision: str) -> None:
    theme = SHIPPED[name]
    full = theme.brightest
    found = {(one.role, other.role): (apart(one.colour, other.colour, vision, full), need)
             for one, other, need in alike(theme.roles)}  # fmt: skip
    assert len(found) > 25
    assert not {pair: held for pair, held in found.items() if held[0] < held[1]}
    for look in theme.roles:
        assert apart(look.colour, (0, 0, 0), vision, full) >= DARK, look.role


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("name", SHIPPED)
def test_the_initiative_row_is_told_apart(name: str, vision: str) -> None:
    """Each side, active or waiting, and who has acted, as the rail's pixels show them."""
    theme = SHIPPED[name]
    full = theme.brightest
    slots = [RailSlot("a", "a", "party", "acted")]
    for side in ("party", "enemy", "other"):
        slots += [RailSlot(side, side, side, "active"), RailSlot(side, side, side, "waiting")]
    pixels = rail_pixels(RailPicture("", tuple(slots), "good", (), ""), theme, len(slots) + 1)[1:]
    assert len(set(pixels)) == len(slots)
    for (one, a), (other, b) in combinations(zip(slots, pixels), 2):
        assert apart(a, b, vision, full) >= SAME_MOVE, (one, other)
    assert apart(theme.rail["party"], theme.rail["enemy"], vision, full) >= SIDES


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("name", SHIPPED)
def test_the_link_gets_brighter_as_it_gets_worse(name: str, vision: str) -> None:
    theme = SHIPPED[name]
    full = theme.brightest
    states = [theme.rail[state] for state in ("good", "limited", "lost")]
    for one, other in combinations(states, 2):
        assert apart(one, other, vision, full) >= HEALTH, (one, other)
    bright = [sum(a * b for a, b in zip(XYZ[1], seen(of_light(colour), vision))) for colour in states]
    assert bright[1] >= BRIGHTER * bright[0] and bright[2] >= BRIGHTER * bright[1], bright


def test_a_red_and_a_green_would_not_pass() -> None:
    """A green that some eyes see as the red falls through for those eyes alone."""
    held = {vision: apart((255, 0, 0), (0, 97, 0), vision, 255) for vision in VISIONS}
    assert held["normal"] > 3 * SAME_MOVE and held["tritanopia"] > 3 * SAME_MOVE, held
    assert held["deuteranopia"] < SAME_MOVE, held


def test_the_motions_are_those_of_the_firmware() -> None:
    """One tile by the boards' own code: what stays, what goes out, what swells; periods as the bus carries them."""
    told = (
        "import sys, effects\n"
        "for said in sys.argv[1:]:\n"
        "    effect, period = map(int, said.split(','))\n"
        "    print(*(effects.level(effect, period, tick, 0) for tick in range(512)))\n"
    )
    looks = SHIPPED[STANDARD].roles
    asked = [f"{EFFECTS[look.pattern]},{look.period // PERIOD_UNIT_MS}" for look in looks]
    ran = subprocess.run(
        [sys.executable, "-c", told, *asked],
        env={"PYTHONPATH": f"{FIRMWARE}:{LINK}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    for look, line in zip(looks, ran.stdout.splitlines(), strict=True):
        levels = [int(level) for level in line.split()]
        distinct = set(levels)
        motion = "stays" if distinct == {255} else "goes out" if distinct == {0, 255} else "swells"
        assert motion == MOTION[look.pattern], look
        assert max(distinct) > 0.9 * 255 and (min(distinct) > 0 or motion == "goes out"), look
        beats = sum(before < 160 <= after for before, after in pairwise(levels))
        due = 512 * PERIOD_UNIT_MS / look.period if look.period else 0
        assert math.isclose(beats, due, abs_tol=1.0), look


def test_what_was_learned_stays_in_every_theme() -> None:
    standard = SHIPPED[STANDARD]
    for theme in SHIPPED.values():
        assert set(theme.rank) == set(KNOWN) and set(theme.rail) == set(standard.rail)
        assert [(look.role, look.pattern, look.period) for look in theme.roles] == [
            (look.role, look.pattern, look.period) for look in standard.roles
        ]
        assert all(look.period % PERIOD_UNIT_MS == 0 for look in theme.roles)
        for look, usual in zip(theme.roles, standard.roles):
            assert look.colour.index(max(look.colour)) == usual.colour.index(max(usual.colour)), look


def test_what_is_wrong_is_red_and_no_other_tile_is() -> None:
    for theme in SHIPPED.values():
        red = [look.role for look in theme.roles if look.colour[1] + look.colour[2] == 0]
        assert red == ["wrong"]
        lost = theme.rail["lost"]
        assert lost[0] > 4 * max(lost[1], lost[2])


def test_the_dim_theme_draws_little_and_its_rail_stays_lit() -> None:
    power = read("power.yaml")
    dim, standard = SHIPPED["dim"], SHIPPED[STANDARD]
    hungriest = max(sum(look.colour) for look in dim.roles) * power["light"]["mark_ma"] / 255
    assert power["board"]["lights"] * hungriest < 200
    assert 5 * dim.brightest < standard.brightest
    for colour in dim.rail.values():
        assert any(scaled(colour, 0.5)), colour


def test_the_high_contrast_theme_has_no_dark_light() -> None:
    """Each role twice as far from a dark tile as other themes must be."""
    for vision in VISIONS:
        for look in SHIPPED["high-contrast"].roles:
            assert apart(look.colour, (0, 0, 0), vision, 255) >= 2 * DARK, (look.role, vision)
        least = [min(apart(look.colour, (0, 0, 0), vision, 255) for look in theme.roles) for theme in SHIPPED.values()]
        assert least[list(SHIPPED).index("high-contrast")] == max(least)


def test_a_theme_is_asked_for_by_name() -> None:
    assert list(themes()) == [STANDARD, "dim", "high-contrast"]
    assert load_theme_named(STANDARD) == load_theme()
    with pytest.raises(ContentError, match=r"no theme 'bright'; choose one of: standard, dim, high-contrast"):
        load_theme_named("bright")


THEME = Path(__file__).parents[2] / "host" / "emberboard" / "table" / "theme.yaml"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        # The same move, and a violet that only eyes without red see no brighter than the grey beside it.
        ("colour: [50, 0, 100], ", "colour: [60, 0, 60], ", r"'blocked' and 'area'.*by eyes with protanopia"),
        ("pattern: breathe, period: 1400", "pattern: breathe, period: 1200", "'option' and 'target'"),
        ("role: area,", "role: Area!,", "roles.10.role"),
    ],
)
def test_a_theme_that_some_eyes_cannot_read_is_refused(tmp_path: Path, old: str, new: str, words: str) -> None:
    text = THEME.read_text()
    assert text.count(old) == 1
    path = tmp_path / "theme.yaml"
    path.write_text(text.replace(old, new))
    with pytest.raises(ContentError, match=words):
        load_theme(path)
