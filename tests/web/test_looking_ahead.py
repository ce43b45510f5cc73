"""What if and odds in a real Chromium: something is shown, and nothing has happened."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from emberboard.engine.question import Roll
from emberboard.store.saves import HOME
from tests.web.browsers import host, snap, visit
from tests.web.players import Player, begin
from tests.web.tables import fight_at

pytestmark = pytest.mark.slow


def play_until(player: Player, kind: str) -> None:
    """Answer until a question of this kind is open."""
    for _ in range(80):
        player.until("an open question", lambda: player.asked)
        if player.fight["question"]["kind"] == kind:
            return
        player.answer()
    raise AssertionError(f"no {kind} came in 80 answers")


def test_what_if_shows_what_would_come_and_nothing_happens(browser: Browser, tmp_path: Path) -> None:
    with host(tmp_path) as table:
        page, player = begin(browser, table.url)
        play_until(player, "path")
        asked, lines, question = player.asked, page.locator("#log > *").count(), player.fight["question"]
        stood = next(one["at"] for one in player.fight["scene"]["figures"] if one["id"] == question["figure"])
        goal = next(stop for stop in reversed(question["stops"]) if stop != question["start"])
        page.locator('[data-do="what-if"]').click()
        space = page.locator(f'[data-cell="{goal[0]},{goal[1]}"]').first
        space.click()
        space.click()
        preview = page.get_by_role("region", name="What if")
        expect(preview).to_contain_text("nothing has happened yet")
        expect(preview).to_contain_text("Then:")
        snap(page, "what-if")
        page.keyboard.press("Escape")
        expect(preview).to_have_count(0)
        assert player.asked == asked and page.locator("#log > *").count() == lines
        now = next(one["at"] for one in player.fight["scene"]["figures"] if one["id"] == question["figure"])
        assert now == stood
        space.click()
        space.click()
        expect(preview).to_be_visible()
        page.locator('[data-do="what-if-do"]').click()
        player.until("the move in earnest", lambda: player.asked not in ("", asked))
        assert page.complaints == []  # type: ignore[attr-defined]


def test_odds_stand_beside_the_dice(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME, str(tmp_path))
    save = fight_at(Roll)
    with host(tmp_path, "--resume", save.stem) as table:
        page = visit(browser, "about:blank")
        player = Player(page)
        page.goto(table.url)
        player.until("the roll", lambda: player.asked)
        assert player.fight["question"]["kind"] == "roll"
        rows = page.locator(".odds-row")
        expect(rows.first).to_be_visible()
        assert all("%" in words for words in rows.all_inner_texts())
        snap(page, "odds")
        assert page.complaints == []  # type: ignore[attr-defined]
