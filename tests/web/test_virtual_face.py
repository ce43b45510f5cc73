"""The virtual hardware in a real Chromium: figures dragged and carried by keys, tokens, keys, a plug pulled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.browsers import host
from tests.web.players import begin

pytestmark = pytest.mark.slow


def tile(page: Page, cell: list[int]) -> Any:
    """The tile of the virtual table's top."""
    return page.locator(f'[data-tile="{cell[0]},{cell[1]}"]')


def middle(page: Page, cell: list[int]) -> tuple[float, float]:
    box = tile(page, cell).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, start: list[int], end: tuple[float, float]) -> None:
    page.mouse.move(*middle(page, start))
    page.mouse.down()
    page.mouse.move(*end, steps=6)
    page.mouse.up()


def test_hands_at_the_virtual_table(browser: Browser, tmp_path: Path) -> None:
    with host(tmp_path) as table:
        page, player = begin(browser, table.url)
        page.keyboard.press("v")
        expect(page.locator(".piece")).to_have_count(len(player.fight["scene"]["figures"]))
        page.locator('[data-do="hands"]').uncheck()

        # A token out of the bag, blindly: the reader's tag is the answer.
        first = player.asked
        page.locator('[data-do="draw-blind"]').click()
        player.until("the draw", lambda: player.asked not in ("", first))
        expect(page.locator(".reader")).to_have_text("reader")

        # A figure dragged away is missed, and carried back by keys alone.
        hero = next(one for one in player.fight["scene"]["figures"] if one["side"] == "party")
        away = [0, 11]
        drag(page, hero["at"], middle(page, away))
        player.until("that it is missed", lambda: player.fight["phase"] == "mending" and player.fight["step"]["to"])
        assert player.fight["step"]["figure"] == hero["id"]
        tile(page, away).focus()
        page.keyboard.press("Enter")
        expect(page.locator(".asks")).to_contain_text("in your hand")
        for key, count in (("ArrowRight", hero["at"][0]), ("ArrowUp", 11 - hero["at"][1])):
            for _ in range(count):
                page.keyboard.press(key)
        page.keyboard.press("Enter")
        player.until("that it is back", lambda: player.fight["phase"] == "open")

        expect(page.locator(".piece")).to_have_count(len(player.fight["scene"]["figures"]))

        # Off the tiles, into the box, and out of it again.
        box = page.locator(".box").bounding_box()
        assert box is not None
        drag(page, hero["at"], (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
        chip = page.locator(f'.box [data-figure="{hero["id"]}"]')
        expect(chip).to_be_visible()
        # A reload forgets nothing of where things are.
        page.reload()
        chip.focus()
        page.keyboard.press("Enter")
        tile(page, hero["at"]).click()
        expect(page.locator(".box .chip")).to_have_count(0)
        player.until("that it is back", lambda: player.fight["phase"] == "open")

        # A key, by mouse; a board without power, and with it again.
        page.locator('[data-key="Help"]').click()
        player.until("the help", lambda: player.fight["notice"])
        page.locator(".bench summary").click()
        page.locator('[data-place="B1"]').click()
        page.locator('[data-do="unplug"]').click()
        player.until("dark tiles", lambda: len(player.fight["dark"]) == 36)
        page.locator('[data-do="replug"]').click()
        player.until("all tiles", lambda: not player.fight["dark"])
        assert page.complaints == []  # type: ignore[attr-defined]
        page.context.close()
        assert table.end() == 0


def test_a_move_is_made_by_dragging_the_figure(browser: Browser, tmp_path: Path) -> None:
    """Through sensors, bus and tracker: the figure that is put down is the answer; the key OK confirms it."""
    with host(tmp_path) as table:
        page, player = begin(browser, table.url)
        while player.fight["question"]["kind"] != "path":
            player.answer()
            player.until("an open question", lambda: player.asked)
        page.keyboard.press("v")
        page.locator('[data-do="hands"]').uncheck()
        question, asked = player.fight["question"], player.asked
        who = question["figure"]
        expect(page.locator(".piece")).to_have_count(len(player.fight["scene"]["figures"]))
        # Beside another figure a hand that slides looks like two: the goal stands free.
        taken = [one["at"] for one in player.fight["scene"]["figures"] if one["id"] != who]
        goal = next(
            stop
            for stop in question["stops"]
            if stop != question["start"] and all(abs(stop[0] - x) + abs(stop[1] - y) > 1 for x, y in taken)
        )
        drag(page, question["start"], middle(page, goal))
        player.until("the walk is felt", lambda: player.asked != asked or player.fight["echo"])
        if player.asked == asked:
            page.locator('[data-key="OK"]').click()
        player.until("the move", lambda: player.asked not in ("", asked))
        stands = next(one["at"] for one in player.fight["scene"]["figures"] if one["id"] == who)
        assert stands == goal
        assert player.fight["phase"] == "open", "the figure stands where the state has it: nothing to mend"
