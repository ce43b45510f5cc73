"""The page for everybody: axe-core's rules of WCAG 2 A and AA, the keyboard alone, no motion where none is wanted, and
lit tiles that all eyes can tell from dark ones (WCAG's contrast of 3 for what is no text).
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.web.browsers import LAPTOP, PHONE, Host, host, visit
from tests.web.players import Player, begin

pytestmark = pytest.mark.slow
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], "resultTypes": ["violations"]}


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Host]:
    """A host of the test's own."""
    with host(tmp_path) as one:
        yield one


def faults(page: Page) -> list[str]:
    """What axe-core finds: rule, what is wrong, where."""
    found = Axe().run(page, options=RULES).response["violations"]
    return [f"{one['id']}: {one['help']}: {node['html'][:160]}" for one in found for node in one["nodes"]]


def test_axe_finds_no_fault_on_any_face(browser: Browser, table: Host) -> None:
    page = visit(browser, table.url)
    expect(page.locator('[data-do="begin"]')).to_be_visible()
    assert faults(page) == []
    page, player = begin(browser, table.url)
    kinds: set[str] = set()
    for _ in range(24):
        player.until("an open question", lambda: player.asked)
        kind = player.fight["question"]["kind"]
        if kind not in kinds:
            assert faults(page) == [], f"while asked to {kind}"
        kinds.add(kind)
        player.answer()
    assert {"draw", "choose", "path"} <= kinds, kinds
    page.keyboard.press("v")
    expect(page.get_by_role("region", name="Virtual table")).to_be_visible()
    assert faults(page) == []
    phone = visit(browser, f"{table.url}#seat", PHONE)
    phone.locator('[data-seat="Player 1"]').first.click()
    expect(phone.locator("#question")).to_be_visible()
    assert faults(phone) == []


def test_a_round_is_played_by_keys_alone(browser: Browser, table: Host) -> None:
    page = visit(browser, "about:blank", LAPTOP)
    player = Player(page)
    page.goto(table.url)
    expect(page.locator('[data-do="begin"]')).to_be_visible()
    tab_to(page, '[data-do="begin"]')
    page.keyboard.press("Enter")
    while not player.fight or player.fight["scene"]["round"] < 2:
        player.until("an open question", lambda: player.asked)
        by_keys(page, player)


def tab_to(page: Page, what: str) -> None:
    """Press Tab until something has the focus."""
    for _ in range(60):
        if page.evaluate(f"() => document.activeElement.matches({what!r})"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no way to {what} by Tab")


def by_keys(page: Page, player: Player) -> None:
    """Answer the open question by keys."""
    before, question = player.asked, player.fight["question"]
    match question["kind"]:
        case "roll" | "draw":
            page.keyboard.press("r")
        case "window":
            page.keyboard.press("Enter")
        case "confirm":
            page.keyboard.press("y")
        case "path" | "place":
            tab_to(page, '[role="gridcell"]')
            goal = question["stops"][-1] if question["kind"] == "path" else question["options"][0]["at"]
            move_to(page, goal)
            page.keyboard.press("Enter")
            if question["kind"] == "path" and player.asked == before:
                page.keyboard.press("Enter")
        case _:
            least = max(1, question.get("least", 1))
            several = question["kind"] == "order" or question.get("many") or question.get("most", 1) > 1
            count = len(question["options"]) if question["kind"] == "order" else least
            for number in range(1, (count if several else 1) + 1):
                page.keyboard.press(str(number))
            if several:
                page.keyboard.press("Enter")
    player.until(f"an answer to {question['prompt']!r}", lambda: player.asked != before)


def move_to(page: Page, goal: list[int]) -> None:
    """Arrow keys on the board, from the space that has the focus; where a row ends, by another row."""
    where = "() => document.activeElement.dataset.cell"
    before = ""
    for _ in range(60):
        here = page.evaluate(where)
        x, y = map(int, here.split(","))
        if [x, y] == goal:
            return
        along = "ArrowRight" if x < goal[0] else "ArrowLeft"
        across = "ArrowDown" if y < goal[1] else "ArrowUp"
        page.keyboard.press(across if x == goal[0] or (here == before and y != goal[1]) else along)
        before = here
    raise AssertionError(f"arrow keys do not reach {goal}")


def test_nothing_moves_for_whom_motion_is_too_much(browser: Browser, table: Host) -> None:
    page, player = begin(browser, table.url, reduced_motion="reduce")
    for _ in range(4):
        player.answer()
    player.until("an open question", lambda: player.asked)
    running = "() => document.getAnimations().filter((one) => one.playState === 'running').length"
    assert page.evaluate(running) == 0
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(running) > 0, "lit tiles move for everybody else"


@pytest.mark.parametrize("eyes", ["none", "protanopia", "deuteranopia", "tritanopia", "achromatopsia"])
def test_lit_tiles_are_seen_by_all_eyes(browser: Browser, table: Host, eyes: str) -> None:
    page, player = begin(browser, table.url, reduced_motion="reduce")
    player.until("an open question", lambda: player.asked)
    while player.fight["question"]["kind"] != "path":
        player.answer()
        player.until("an open question", lambda: player.asked)
    page.context.new_cdp_session(page).send("Emulation.setEmulatedVisionDeficiency", {"type": eyes})
    page.mouse.move(2, 2)
    for role in ("reachable", "danger"):
        bright, dark = lit_and_dark(page, player, role)
        assert contrast(bright, dark) >= 3, f"{role} is as dark as the table to {eyes}"


def lit_and_dark(page: Page, player: Player, role: str) -> tuple[float, float]:
    """How bright a tile of this role is, and one without light; looked at again when the table changed meanwhile."""
    for _ in range(10):
        player.until("all boards", lambda: not player.fight["dark"])
        fight = player.fight
        stands = {tuple(one["at"]) for one in fight["scene"]["figures"]}
        cells = [f"{x},{y}" for x in range(fight["scene"]["width"]) for y in range(fight["scene"]["height"])]
        free = [one for one in cells if one not in fight["lights"] and tuple(map(int, one.split(","))) not in stands]
        lit = next(cell for cell, shown in fight["lights"].items() if shown == role)
        seen = luminance(page, lit), luminance(page, free[len(free) // 2])
        if player.fight["lights"] == fight["lights"] and not player.fight["dark"]:
            return seen
    raise AssertionError("the table does not come to rest")


def luminance(page: Page, cell: str) -> float:
    """How bright the frame of a space is drawn, 0 to 1 (WCAG's relative luminance)."""
    shot = b64encode(page.locator(f'[data-cell="{cell}"]').first.screenshot()).decode()
    mean = page.evaluate(MEAN, f"data:image/png;base64,{shot}")
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in mean]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: float, other: float) -> float:
    """WCAG's contrast ratio."""
    bright, dim = max(one, other), min(one, other)
    return (bright + 0.05) / (dim + 0.05)


MEAN = """async (source) => {
  const picture = new Image();
  picture.src = source;
  await picture.decode();
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const pen = canvas.getContext("2d");
  pen.drawImage(picture, 0, 0);
  const [w, h] = [picture.width, picture.height];
  const [left, wide] = [Math.round(w * 0.04), Math.max(1, Math.round(w * 0.02))];
  const { data } = pen.getImageData(left, Math.round(h * 0.45), wide, Math.round(h * 0.1));
  const sum = [0, 0, 0];
  for (let at = 0; at < data.length; at += 4) for (let part = 0; part < 3; part++) sum[part] += data[at + part];
  return sum.map((one) => one / (data.length / 4) / 255);
}"""
