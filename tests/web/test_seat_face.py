"""A seat's own face in a real browser: its seat, its Characters, what they can do and why not the rest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.browsers import LAPTOP, PHONE, Host, host, visit

pytestmark = pytest.mark.slow


@pytest.fixture
def table(browser: Browser, tmp_path: Path) -> Iterator[Host]:
    """A host with a fight of two players on it, its first question open."""
    with host(tmp_path) as one:
        laptop = visit(browser, one.url)
        laptop.locator("[data-do=begin]").click()
        laptop.locator("#question").filter(has_text="Draw a token").wait_for()
        laptop.context.close()
        yield one


def sit(browser: Browser, table: Host, seat: str, size: tuple[int, int] = PHONE) -> Page:
    """A page that has taken a seat."""
    page = visit(browser, f"{table.url}#seat", size)
    page.locator(f"[data-seat='{seat}']").click()
    page.locator(".character").first.wait_for()
    return page


def activate_malah(page: Page) -> None:
    """Draw white and let Malah act."""
    page.locator("[data-option=white]").click()
    page.locator("#question").filter(has_text="Which Character acts?").wait_for()
    page.locator(".seat-ask [data-option=malah]").click()
    page.locator("#question").filter(has_text="What now?").wait_for()


def test_each_card_can_be_used_or_says_why_not(browser: Browser, table: Host) -> None:
    ann, ben = sit(browser, table, "Player 1"), sit(browser, table, "Player 2")
    activate_malah(ann)
    expect(ann.locator(".turn")).to_contain_text("Your turn")
    expect(ben.locator(".turn")).to_contain_text("Not your turn: Player 1 is choosing")
    hotbar = ann.get_by_role("list", name="Hotbar of Malah")
    expect(hotbar.locator(".card.ready, .card.cannot")).to_have_count(6)
    expect(hotbar.locator(".card.cannot .why-not").first).not_to_be_empty()
    expect(ben.locator(".card.ready")).to_have_count(0)
    expect(ben.get_by_role("list", name="Hotbar of Chiri").locator(".card.cannot")).to_have_count(5)
    hotbar.locator("[data-card=command]").click()
    expect(ann.locator("#question")).not_to_contain_text("What now?")
    for page in (ann, ben):
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
        assert page.complaints == []  # type: ignore[attr-defined]
        page.context.close()


def test_a_card_in_the_hand_shows_its_text_when_it_is_touched(browser: Browser, table: Host) -> None:
    page = sit(browser, table, "Player 1")
    card = page.locator("[data-card=taunt]")
    expect(card.locator(".card-text")).to_be_hidden()
    card.click()
    expect(card.locator(".card-text")).to_contain_text("You become the target")
    expect(card).to_have_attribute("aria-expanded", "true")
    page.context.close()


def test_a_seat_is_kept_over_a_reload_and_two_seats_fit_one_page(browser: Browser, table: Host) -> None:
    page = sit(browser, table, "Player 1")
    page.reload()
    expect(page.get_by_role("heading", name="Player 1")).to_be_visible()
    page.locator("[data-do=seats]").click()
    page.locator("[data-seat='Player 2']").click()
    expect(page.get_by_role("heading", name="Player 1, Player 2")).to_be_visible()
    expect(page.locator("[data-character]")).to_have_count(2)
    page.locator("[data-do=seats]").click()
    page.locator("[data-do='leave-Player 1']").click()
    page.locator("[data-do=seated]").click()
    expect(page.locator("[data-character]")).to_have_count(1)
    page.context.close()


def test_moments_are_passed_ahead_and_taken_back(browser: Browser, table: Host) -> None:
    page = sit(browser, table, "Player 1", LAPTOP)
    page.locator(".moments summary").click()
    page.locator("[data-do=pass-round]").click()
    expect(page.locator("[data-do=pass-round]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".moments summary")).to_contain_text("not this Round")
    page.locator("[data-do=pass-none]").click()
    expect(page.locator("[data-do=pass-none]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".moments summary")).to_contain_text("ask me")
    page.context.close()


def test_the_board_comes_first_when_a_space_is_asked_for(browser: Browser, table: Host) -> None:
    page = sit(browser, table, "Player 1")
    activate_malah(page)
    page.locator(".seat-ask [data-option=move]").click()
    page.locator("#question").filter(has_text="Malah moves").wait_for()
    board, own = page.locator(".seat-table").bounding_box(), page.locator("[data-character=malah]").bounding_box()
    assert board is not None and own is not None and board["y"] < own["y"]
    page.context.close()


def test_a_disputed_moment_is_a_file_with_one_click(browser: Browser, table: Host, tmp_path: Path) -> None:
    page = sit(browser, table, "Player 1")
    with page.expect_download() as made:
        page.locator("[data-do=capsule]").click()
    file = tmp_path / made.value.suggested_filename
    made.value.save_as(file)
    assert "Draw a token from the Initiative bag." in file.read_text(encoding="utf-8")
    page.context.close()
