"""The page is small: its bytes in all and what a phone loads; no module and no class is there that nothing uses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Response

import emberboard.web
from tests.web.browsers import PHONE, host, visit
from tests.web.players import begin

PAGE = Path(emberboard.web.__file__).with_name("page")
KINDS = (".html", ".css", ".js", ".svg")
MOST_IN_ALL, MOST_ON_A_PHONE = 200_000, 180_000
"""Bytes, as they lie there: nothing is compressed or minified, and what others wrote counts too."""
FAMILIES = ("role-", "pattern-", "side-", "terrain-", "face-", "token-", "paint-", "tool-")
"""Classes whose end comes from the game, the theme or the page's face."""
IMPORTED = re.compile(r"""(?:\bfrom |\bimport |\bimport\()"(\.[^"]+)\"""")


def test_the_page_is_small_in_all() -> None:
    sizes = {str(path.relative_to(PAGE)): path.stat().st_size for path in PAGE.rglob("*") if path.suffix in KINDS}
    assert "index.html" in sizes and "vendor/preact-htm.js" in sizes
    largest = sorted(sizes.items(), key=lambda item: -item[1])[:5]
    assert sum(sizes.values()) < MOST_IN_ALL, f"{sum(sizes.values())} bytes; the largest are {largest}"


def test_every_module_is_reached() -> None:
    found: set[Path] = set()
    ahead = [PAGE / "js" / "main.js", PAGE / "js" / "join.js"]
    while ahead:
        module = ahead.pop()
        if module in found:
            continue
        found.add(module)
        ahead += [(module.parent / name).resolve() for name in IMPORTED.findall(module.read_text())]
    assert found == {path.resolve() for path in PAGE.rglob("*.js")}


def test_every_class_of_a_stylesheet_is_used() -> None:
    written = "".join(path.read_text() for path in (*PAGE.rglob("js/*.js"), *PAGE.glob("*.html")))
    written = re.sub(r"^\s*(?://|/\*\*|\*).*$", "", written, flags=re.MULTILINE)
    words = set(re.findall(r"[A-Za-z][\w-]*", written))
    unused = {f"{path.name}: .{name}" for path in PAGE.glob("*.css") for name in classes(path) if name not in words}
    assert not unused


def classes(sheet: Path) -> set[str]:
    """The classes that a stylesheet's selectors name, without the families."""
    selectors = re.sub(r"/\*.*?\*/|\"[^\"]*\"|\{[^{}]*\}", " ", sheet.read_text(), flags=re.DOTALL)
    named = set(re.findall(r"\.([A-Za-z][\w-]*)", selectors))
    assert named
    return {name for name in named if not name.startswith(FAMILIES)}


@pytest.mark.slow
def test_a_phone_loads_less_still(browser: Browser, tmp_path: Path) -> None:
    with host(tmp_path) as table:
        begin(browser, table.url)
        phone = visit(browser, "about:blank", PHONE)
        answers: list[Response] = []
        phone.on("response", lambda answer: answers.append(answer))
        phone.goto(f"{table.url}#seat")
        phone.locator('[data-seat="Player 1"]').click()
        phone.locator(".seat-table [data-cell]").first.wait_for()
        loaded = {answer.url.removeprefix(table.url): len(answer.body()) for answer in answers}
        assert "js/seat.js" in {path.lstrip("/") for path in loaded}
        assert not [path for path in loaded if "virtual" in path]
        assert sum(loaded.values()) < MOST_ON_A_PHONE, f"{sum(loaded.values())} bytes: {loaded}"
        print(f"a phone's seat loads {sum(loaded.values())} bytes in {len(loaded)} answers")
