"""A whole Round in a real Chromium, from the first page to the next Round; reloads; a killed host; two seats."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.web.browsers import PHONE, TABLET, host, snap, visit
from tests.web.players import Player, begin

pytestmark = pytest.mark.slow


def test_a_round_by_click_and_key_with_a_reload_in_the_middle(browser: Browser, tmp_path: Path) -> None:
    with host(tmp_path) as table:
        page, player = begin(browser, table.url)
        expect(page.locator("#question")).to_contain_text("Initiative bag")
        snap(page, "table-laptop")
        answers = reloaded = 0
        while player.fight["scene"]["round"] < 2:
            player.answer()
            answers += 1
            if answers == 6:
                player.until("an open question", lambda: player.asked)
                asked, lines = player.asked, page.locator("#log > *").count()
                page.reload()
                player.until("the same question", lambda asked=asked: player.asked == asked)
                expect(page.locator("#log > *")).to_have_count(lines)
                reloaded += 1
            assert player.fight["phase"] != "over", "the fight ended before its second Round"
        assert reloaded == 1 and all(player.did[kind] for kind in ("click", "key", "space")), player.did
        page.set_viewport_size({"width": TABLET[0], "height": TABLET[1]})
        snap(page, "table-tablet")
        page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        snap(page, "table-phone")
        wide = page.evaluate("() => document.documentElement.scrollWidth")
        assert wide <= PHONE[0], "the page scrolls sideways on a phone"
        assert page.complaints == []  # type: ignore[attr-defined]


def test_the_host_is_killed_and_comes_back_to_the_same_question(browser: Browser, tmp_path: Path) -> None:
    with host(tmp_path) as table:
        page, player = begin(browser, table.url)
        for _ in range(6):
            player.answer()
        player.until("an open question", lambda: player.asked)
        asked, save, port = player.asked, player.fight["save"], int(table.url.rstrip("/").rsplit(":", 1)[1])
        table.kill()
        expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
    with host(tmp_path, "--resume", save, port=port):
        player.view = {}
        player.until("the same question", lambda: player.asked == asked)
        expect(page.get_by_text("cannot be reached")).to_have_count(0)
        player.answer()


def test_two_seats_and_a_watcher_see_the_same_question(browser: Browser, tmp_path: Path) -> None:
    with host(tmp_path) as table:
        _, at_table = begin(browser, table.url)
        seats: list[Player] = []
        for number in (1, 2):
            phone = visit(browser, "about:blank", PHONE)
            player = Player(phone)
            phone.goto(f"{table.url}#seat")
            phone.locator(f'[data-seat="Player {number}"]').first.click()
            mine = [f"Player {number}"]
            player.until("the seat", lambda player=player, mine=mine: player.view["you"]["seats"] == mine)
            seats.append(player)
        turns = 0
        while turns < 14:
            at_table.until("an open question", lambda: at_table.asked)
            asked = at_table.asked
            for player in seats:
                player.until("the same question", lambda player=player, asked=asked: player.asked == asked)
            who = at_table.fight["question"]["who"]["seats"]
            speaker = next(player for player in seats if player.view["you"]["seats"][0] in who)
            speaker.answer()
            turns += 1
            snap(speaker.page, "seat-phone")
        for player in seats:
            assert player.page.complaints == []  # type: ignore[attr-defined]
            assert player.page.evaluate("() => document.documentElement.scrollWidth") <= PHONE[0]
