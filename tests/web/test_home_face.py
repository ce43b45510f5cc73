"""The home face in a real browser: a fight with one click, saves that travel, and second questions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.browsers import PHONE, host, visit

pytestmark = pytest.mark.slow


def begin(page: Page) -> None:
    """Start what the form proposes, and go to the saves."""
    page.locator("[data-do=begin]").click()
    page.locator(".face-table").wait_for()
    page.evaluate("location.hash = '#home'")
    page.locator("[data-do=back]").wait_for()


def test_two_players_start_with_one_click_and_find_their_fight_again(browser: Browser, tmp_path: Path) -> None:
    with host(tmp_path) as table:
        page = visit(browser, table.url)
        expect(
            page.get_by_role("status").filter(has_text="Player 1 plays Malah, Player 2 plays Chiri.")
        ).to_be_visible()
        begin(page)
        save = page.locator("[data-save]")
        expect(save).to_contain_text("Player 1: Malah · Player 2: Chiri")
        expect(save.get_by_role("img")).to_have_attribute("alt", re.compile("Round 1; .*Malah 14 HP"))
        expect(save).to_contain_text("Round 1 begins.")
        expect(save.locator("[data-do=delete]")).to_have_count(0)
        assert page.complaints == []  # type: ignore[attr-defined]
        page.context.close()


def test_names_and_characters_are_chosen_and_remembered(browser: Browser, tmp_path: Path) -> None:
    with host(tmp_path) as table:
        page = visit(browser, table.url, PHONE)
        words, start = page.locator(".start-words"), page.locator("[data-do=begin]")
        page.get_by_label("Name of player 1").fill("Ann")
        page.locator("[data-do=players-1]").click()
        expect(words).to_have_text("Ann plays Malah and Chiri.")
        page.get_by_text("Choose who plays whom").click()
        for name in ("Malah", "Chiri"):
            page.get_by_role("group", name=f"Who plays {name}?").get_by_role("button").click()
        expect(words).to_have_text("Ann has no Character yet: choose one.")
        expect(start).to_be_disabled()
        page.get_by_role("group", name="Who plays Oswin?").get_by_role("button").click()
        expect(words).to_have_text("Ann plays Oswin.")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
        page.locator("[data-do=players-2]").click()
        page.get_by_label("Name of player 2").fill("Ann")
        expect(words).to_contain_text("Two players are called Ann")
        page.reload()
        expect(page.get_by_label("Name of player 1")).to_have_value("Ann")
        page.context.close()


def test_a_save_travels_as_a_file_and_is_deleted_after_a_second_question(browser: Browser, tmp_path: Path) -> None:
    with host(tmp_path) as table:
        page = visit(browser, table.url)
        begin(page)
        with page.expect_download() as taken:
            page.locator("[data-do=export]").click()
        file = tmp_path / "Our fight.ember"
        taken.value.save_as(file)
        page.locator("#bring").set_input_files(file)
        brought = page.locator("[data-save=our-fight]")
        expect(brought).to_contain_text("Player 1: Malah")
        brought.locator("[data-do=delete]").click()
        expect(brought.locator("[data-do=not-sure]")).to_be_focused()
        page.keyboard.press("Enter")
        expect(brought.locator("[data-do=go-on-save]")).to_be_visible()
        brought.locator("[data-do=delete]").click()
        brought.locator("[data-do=sure]").click()
        expect(brought).to_have_count(0)
        assert (tmp_path / "saves" / "trash" / "our-fight.ember").is_file()
        file.write_bytes(b"no save at all")
        page.locator("#bring").set_input_files(file)
        expect(page.get_by_role("status").filter(has_text="no save of Emberboard")).to_be_visible()
        page.context.close()


def test_a_damaged_save_is_recovered_only_when_the_table_says_so(browser: Browser, tmp_path: Path) -> None:
    with host(tmp_path) as table:
        page = visit(browser, table.url)
        page.locator("[data-do=begin]").click()
        page.locator("#question").filter(has_text="Draw a token").wait_for()
        page.locator("[data-option=black]").click()
        page.locator("#log").filter(has_text="The token is black.").wait_for()
        page.context.close()
        table.end()
    (save,) = (tmp_path / "saves").glob("*.ember")
    data = save.read_bytes()
    at = data.rindex(b'"black"')
    save.write_bytes(data[: at + 1] + b"B" + data[at + 2 :])
    with host(tmp_path) as table:
        page = visit(browser, table.url)
        card = page.locator("[data-save]")
        expect(card).to_contain_text("This save is damaged.")
        card.locator("[data-do=go-on-save]").click()
        second = page.get_by_role("alertdialog")
        expect(second).to_contain_text("Recover it?")
        second.locator("[data-do=not-sure]").click()
        assert not list(save.parent.glob("*damaged*"))
        card.locator("[data-do=go-on-save]").click()
        second.locator("[data-do=sure]").click()
        page.locator(".face-table").wait_for()
        assert list(save.parent.glob("*damaged*"))
        page.context.close()
