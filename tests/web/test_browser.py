"""The page in a real Chromium: it comes up without a complaint, and comes back."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.web.browsers import host, visit


def test_the_page_comes_up_without_a_complaint(browser: Browser, tmp_path: Path) -> None:
    with host(tmp_path) as table:
        page = visit(browser, table.url)
        expect(page.get_by_role("heading", name="Emberboard")).to_be_visible()
        assert page.complaints == []  # type: ignore[attr-defined]
        page.context.close()
        assert table.end() == 0
