"""A theme on a page: what is seen, what is read, what is told apart, and the CSS that says so."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from emberboard.table.contrast import Colour, contrast, lifted, luminance
from emberboard.table.roles import Theme, load_theme_named, themes
from emberboard.web.theme_css import (
    BACKGROUND,
    BLACK,
    PATTERN_MARKS,
    READABLE,
    STANDS_OUT,
    WHITE,
    Shown,
    class_of,
    css_of,
    shown,
)
from tests.table.colour_vision import VISIONS, XYZ, difference, lab, of_screen, seen

SHIPPED = {name: load_theme_named(name) for name in themes()}
SAME_MARK = 19.0
"""Between two fills with the same mark and the same period; CIEDE2000, to all eyes."""
OTHER_PERIOD = 11.0


def ratio(one: Colour, other: Colour) -> float:
    """WCAG 2.1's contrast ratio, from this test's own luminance."""
    low, high = sorted(sum(a * b for a, b in zip(XYZ[1], of_screen(colour))) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def on_page(theme: Theme) -> dict[str, Shown]:
    """Each role and each colour of the rail, read back from the CSS itself."""
    text = css_of(theme)

    def read(name: str) -> Colour:
        found = re.findall(rf"^  --{name}: rgb\((\d+), (\d+), (\d+)\);$", text, re.MULTILINE)
        assert len(found) == 1, name
        red, green, blue = map(int, found[0])
        return red, green, blue

    names = [*(class_of(look.role) for look in theme.roles), *(f"rail-{place}" for place in theme.rail)]
    return {name: Shown(read(name), read(f"{name}-edge"), read(f"{name}-text")) for name in names}


def test_contrast_is_that_of_the_standard() -> None:
    """Black on white is 21, and #767676 the darkest of the greys on which white is just readable."""
    assert contrast(BLACK, WHITE) == pytest.approx(21)
    assert contrast((118, 118, 118), WHITE) >= READABLE > contrast((119, 119, 119), WHITE)
    for colour in ((0, 0, 0), (20, 17, 15), (61, 61, 61), (255, 0, 0), (3, 200, 90), (255, 255, 255)):
        assert contrast(colour, BACKGROUND) == pytest.approx(ratio(colour, BACKGROUND), abs=1e-9)


@pytest.mark.parametrize("name", SHIPPED)
def test_all_is_seen_on_the_page_and_what_is_written_on_it_can_be_read(name: str) -> None:
    for role, part in on_page(SHIPPED[name]).items():
        assert ratio(part.edge, BACKGROUND) >= STANDS_OUT, role
        assert ratio(part.text, part.fill) >= READABLE, role
        if ratio(part.fill, BACKGROUND) >= 1.03 * STANDS_OUT:
            assert part.edge == part.fill, role


def test_a_dark_light_is_lifted_by_the_screens_curve_and_outlined() -> None:
    grey = shown((12, 12, 12), 255)
    assert grey.fill == (61, 61, 61) and grey.text == WHITE
    assert grey.edge[0] == grey.edge[1] == grey.edge[2] > 90
    assert ratio(grey.fill, BACKGROUND) < STANDS_OUT <= ratio(grey.edge, BACKGROUND) < 1.05 * STANDS_OUT


def test_an_outline_keeps_the_hue_as_long_as_it_can() -> None:
    red, green, blue = lifted((0.1, 0.05, 0.0), 0.12)
    assert red / green == pytest.approx(2) and blue == 0
    assert luminance((red, green, blue)) == pytest.approx(0.12)
    deep = lifted((0.0, 0.0, 0.4), 0.12)
    assert deep[2] == pytest.approx(1) and 0 < deep[0] == pytest.approx(deep[1])
    assert luminance(deep) == pytest.approx(0.12)
    assert luminance(lifted((0.0, 0.0, 0.0), 0.12)) == pytest.approx(0.12)
    assert lifted((0.5, 0.5, 0.5), 0.12) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("name", SHIPPED)
def test_fills_with_the_same_mark_are_told_apart_by_all_eyes(name: str, vision: str) -> None:
    theme = SHIPPED[name]
    parts = on_page(theme)
    pairs = 0
    for one, other in combinations(theme.roles, 2):
        if one.pattern != other.pattern:
            continue
        pairs += 1
        fills = [lab(seen(of_screen(parts[class_of(look.role)].fill), vision)) for look in (one, other)]
        need = SAME_MARK if one.period == other.period else OTHER_PERIOD
        assert difference(*fills) >= need, (one.role, other.role)
    assert pairs == 20, "6 pairs steady, 3 blink, 1 chase, 10 breathe"
    party, enemy = (lab(seen(of_screen(parts[f"rail-{side}"].fill), vision)) for side in ("party", "enemy"))
    assert difference(party, enemy) > 2 * SAME_MARK


@pytest.mark.parametrize("name", SHIPPED)
def test_the_css_has_a_class_and_all_facts_for_each_role(name: str) -> None:
    theme = SHIPPED[name]
    text = css_of(theme)
    root, _, classes = text.partition("\n}\n")
    assert root.startswith(":root {\n") and text.count("{") == text.count("}") == 1 + len(theme.roles)
    properties = re.findall(r"^  (--[a-z-]+): [^;{}]+;$", root, re.MULTILINE)
    wanted = 6 * len(theme.roles) + 2 * len(PATTERN_MARKS) + 3 * len(theme.rail)
    assert len(properties) == len(set(properties)) == root.count("\n") == wanted
    for look in theme.roles:
        role = class_of(look.role)
        assert f"  --{role}-period: {look.period}ms;" in root
        assert f"  --{role}-pattern: {look.pattern};" in root
        mark = PATTERN_MARKS[look.pattern]
        assert f"  --{role}-mark: {mark.name};" in root
        assert f'  --mark-{mark.name}-path: "{mark.path}";' in root
        assert f"  --mark-{mark.name}-stroke: {mark.stroke};" in root
    assert set(re.findall(r"var\((--[a-z-]+)\)", classes)) <= set(properties)
    assert (
        ".role-put-here { --fill: var(--role-put-here); --edge: var(--role-put-here-edge); "
        "--text: var(--role-put-here-text); --period: var(--role-put-here-period); }"
    ) in classes.splitlines()


def test_each_pattern_has_a_mark_of_its_own_within_the_tile() -> None:
    assert set(PATTERN_MARKS) == {look.pattern for look in SHIPPED["standard"].roles}
    for field in ("name", "words", "path"):
        assert len({getattr(mark, field) for mark in PATTERN_MARKS.values()}) == len(PATTERN_MARKS)
    for mark in PATTERN_MARKS.values():
        assert re.fullmatch(r"(M[\d. ]+([LaZz][\d. -]*)+)+", mark.path), mark
        lines = re.findall(r"[ML]([\d.]+) ([\d.]+)", mark.path)
        assert all(0 <= float(part) <= 24 for point in lines for part in point), mark
