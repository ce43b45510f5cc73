"""The table's face in a real Chromium, on a table without boards: what its keys, clicks and explanations do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page, async_playwright, expect

from emberboard.engine.session import Session
from emberboard.games.desk import desk_of
from emberboard.table.hardware import Key
from emberboard.web.parlour import Parlour
from tests.web.browsers import CHROMIUM, FLAGS, LAPTOP, PHONE
from tests.web.house import house
from tests.web.parlours import HELD, SCENARIO

pytestmark = pytest.mark.slow


class Face:
    """The page of the table, and the fight behind it. `complaints` is what its scripts complained of."""

    def __init__(self, page: Page, parlour: Parlour) -> None:
        self.page, self.parlour = page, parlour
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda line: self.complaints.append(line.text) if line.type == "error" else None)

    @property
    def session(self) -> Session:
        return self.parlour.playing().session

    @property
    def answered(self) -> int:
        """How many inputs led here."""
        return len(self.session.journal.tree.path())

    def settle(self) -> None:
        """OK: the figures stand as they should, which no hand has put here."""
        table = self.parlour.playing().table
        for _ in range(10):
            if table.controller.phase not in ("mending", "bag"):
                return
            table.submit(Key(at=table.clock(), name="OK"))
        raise AssertionError(f"the table is not content: {table.controller.view().words}")

    async def asked(self, name: str) -> None:
        """The page shows the question of this name."""
        for _ in range(400):
            if self.session.question is not None and self.session.question.name == name:
                break
            await asyncio.sleep(0.025)
        assert self.session.question is not None and self.session.question.name == name
        self.settle()
        await expect(self.page.locator("#question")).to_have_text(self.session.question.prompt)

    async def until_attacked(self) -> None:
        """A black token: the first Enemy acts and attacks."""
        await self.page.locator('[data-option="black"]').click()
        await self.asked("enemy_revealed")
        await self.page.keyboard.press("Enter")
        await self.asked("attacked")


@asynccontextmanager
async def face(size: tuple[int, int]) -> AsyncIterator[Face]:
    """A fight that has just begun, and the table's page."""
    async with house(fight=False) as one, async_playwright() as playwright:
        await one.parlour.begin(desk_of("evershade"), SCENARIO, HELD)
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        page = await browser.new_page(viewport={"width": size[0], "height": size[1]})
        shown = Face(page, one.parlour)
        shown.settle()
        await page.goto(f"{one.url()}#table")
        await shown.asked("initiative")
        yield shown
        assert shown.complaints == []
        await browser.close()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Saves are kept under the test's own folder."""
    if not CHROMIUM:
        pytest.skip("no Chromium here: 'apt install chromium'")
    monkeypatch.setenv("EMBERBOARD_HOME", str(tmp_path))


def on_the_face(act: Callable[[Face], Awaitable[None]], size: tuple[int, int] = LAPTOP) -> None:
    """Do something at the table's page."""

    async def whole() -> None:
        async with face(size) as one:
            await act(one)

    asyncio.run(whole())


def test_a_double_click_answers_one_question() -> None:
    async def act(at: Face) -> None:
        await at.page.locator('[data-option="black"]').click()
        await at.asked("enemy_revealed")
        answered = at.answered
        await at.page.locator('[data-do="go-on"]').dblclick()
        await at.asked("attacked")
        assert at.answered == answered + 1

    on_the_face(act)


def test_dice_are_keyed_in_and_handed_in_by_keys() -> None:
    async def act(at: Face) -> None:
        page = at.page
        await at.until_attacked()
        await page.locator('[data-offer^="endurance"]').first.click()
        while at.session.question is not None and at.session.question.name != "roll":
            await at.asked("before_roll")
            await page.keyboard.press("Enter")
            await asyncio.sleep(0.05)
        await at.asked("roll")
        await expect(page.locator(".odds")).to_be_visible()
        answered = at.answered
        wanted = await page.locator(".die").count()
        await page.keyboard.press("+")
        await page.keyboard.press("2")
        for _ in range(wanted):
            await page.keyboard.press("0")
        await expect(page.locator(".die.in")).to_have_text(["12", *["10"] * (wanted - 1)])
        await page.keyboard.press("Backspace")
        await page.keyboard.press("7")
        assert at.answered == answered, "dice wait for OK"
        await page.keyboard.press("Enter")
        await expect(page.locator("#log")).to_contain_text(" ".join(["12", *["10"] * (wanted - 2), "7"]))

    on_the_face(act)


def test_a_decision_is_drawn_criterion_by_criterion_and_its_rule_can_be_read() -> None:
    async def act(at: Face) -> None:
        page = at.page
        await at.until_attacked()
        await page.locator('[data-do="weigh"]').click()
        panel = page.get_by_role("region", name="How it was decided")
        await expect(panel).to_contain_text("1 of ")
        await expect(page.locator(".kept")).not_to_have_count(0)
        await page.keyboard.press("ArrowRight")
        await expect(panel).to_contain_text("2 of ")
        await expect(page.locator(".dropped")).not_to_have_count(0)
        rule = panel.locator("[data-rule]")
        await rule.click()
        await expect(panel.locator(".rule-text")).not_to_be_empty()
        await page.keyboard.press("Escape")
        await expect(panel).to_have_count(0)

    on_the_face(act)


def test_a_line_of_the_log_opens_with_its_rules() -> None:
    async def act(at: Face) -> None:
        line = at.page.locator("#log > li", has_text="Round 1 begins.")
        await line.locator("button").first.click()
        await line.locator('[data-rule="EV-COMBAT-03"]').click()
        await expect(line.locator(".rule-text")).not_to_be_empty()

    on_the_face(act)


def test_an_earlier_answer_is_taken_back_from_the_list() -> None:
    async def act(at: Face) -> None:
        await at.until_attacked()
        await at.page.locator('[data-do="further"]').click()
        await at.page.locator(".earlier li", has_text="Initiative bag").locator('[data-do="back-to"]').click()
        await at.asked("initiative")
        assert at.answered == 0

    on_the_face(act)


def test_enter_goes_on_after_a_space_without_an_answer_had_the_focus() -> None:
    async def act(at: Face) -> None:
        await at.page.locator('[data-option="black"]').click()
        await at.asked("enemy_revealed")
        await at.page.keyboard.press("b")
        await at.page.keyboard.press("ArrowUp")
        await expect(at.page.locator("[data-cell]:focus")).to_have_count(1)
        await at.page.keyboard.press("Enter")
        await at.asked("attacked")

    on_the_face(act)


def test_hp_is_changed_by_agreement() -> None:
    async def act(at: Face) -> None:
        await at.page.locator('[data-do="adjust"]').click()
        hp = at.page.locator(".adjusted", has_text="HP")
        await hp.get_by_role("button", name="HP less").click()
        await hp.get_by_role("button", name="Set").click()
        await expect(at.page.locator("#log")).to_contain_text("By agreement: Malah has 13 HP.")

    on_the_face(act)


def test_nothing_reaches_past_the_edge_of_a_phone() -> None:
    async def act(at: Face) -> None:
        await at.until_attacked()
        assert await at.page.evaluate("() => document.documentElement.scrollWidth") <= PHONE[0]

    on_the_face(act, PHONE)
