"""A player at the page: sees what the host tells it, and answers with clicks and keys on what is drawn alone."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Browser, Page, WebSocket

from tests.web.browsers import LAPTOP, visit

TURN_MS = 20
PATIENCE_MS = 20_000


class Player:
    """Plays at a page. `fight` is the last one that the page was told of; `did` counts clicks and keys by kind."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.view: dict[str, Any] = {}
        self.did = {"click": 0, "key": 0, "space": 0, "drag": 0}
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", self._heard)

    def _heard(self, raw: str | bytes) -> None:
        told = json.loads(raw)
        if told["is"] == "view":
            self.view = told

    @property
    def fight(self) -> dict[str, Any]:
        """The fight as it was told last; empty before one is open."""
        return self.view.get("fight") or {}

    @property
    def asked(self) -> str:
        """The id of the question that is open, or nothing."""
        question = self.fight.get("question") or {}
        return str(question.get("id", "")) if self.fight.get("phase") == "open" else ""

    def until(self, what: str, done: Any) -> None:
        """Let the page work until something holds."""
        for _ in range(PATIENCE_MS // TURN_MS):
            if done():
                return
            self.page.wait_for_timeout(TURN_MS)
        raise AssertionError(f"waited in vain for: {what}; the page says {self.page.inner_text('#app')[:600]!r}")

    def answer(self) -> None:
        """Answer the question that is open, by a key where there is one in turn, else by a click."""
        self.until("an open question", lambda: self.asked)
        before, question = self.asked, self.fight["question"]
        by_key = sum(self.did.values()) % 3 == 2
        match question["kind"]:
            case "roll" | "draw":
                self._key("r") if by_key else self._click('[data-do="roll"]')
            case "window":
                self._key("Enter") if by_key else self._click('[data-do="go-on"]')
            case "path":
                self._walk(question)
            case "place":
                self._space(question["options"][0]["at"])
            case "confirm":
                self._click('[data-option="yes"]')
            case _:
                self._choose(question, by_key)
        self.until(f"an answer to {question['prompt']!r}", lambda: self.asked != before)

    def _choose(self, question: dict[str, Any], by_key: bool) -> None:
        options = question["options"]
        several = question["kind"] == "order" or question.get("many") or question.get("most", 1) > 1
        if question["kind"] != "order" and several:
            options = options[: max(1, question.get("least", 1))]
        if not several:
            self._key("1") if by_key else self._click(f'[data-option="{options[0]["id"]}"]')
            return
        for option in options:
            self._click(f'[data-option="{option["id"]}"]')
        self._click('[data-do="ok"]')

    def _walk(self, question: dict[str, Any]) -> None:
        stops = [stop for stop in question["stops"] if stop != question["start"]]
        if not stops:
            self._click(f'[data-option="{question["start"][0]},{question["start"][1]}"]')
            return
        self._space(stops[-1])
        self._space(stops[-1])

    def _space(self, cell: list[int]) -> None:
        self.did["space"] += 1
        self.page.locator(f'[data-cell="{cell[0]},{cell[1]}"]').first.click()

    def _click(self, what: str) -> None:
        self.did["click"] += 1
        self.page.locator(f"{what}:enabled").first.click()

    def _key(self, key: str) -> None:
        self.did["key"] += 1
        self.page.keyboard.press(key)


def begin(browser: Browser, url: str, **more: object) -> tuple[Page, Player]:
    """The laptop at the table, and a fight for two that has just begun. `more` goes to the browser's context."""
    page = visit(browser, "about:blank", LAPTOP, **more)
    player = Player(page)
    page.goto(url)
    page.locator('[data-do="begin"]').click()
    player.until("the fight", lambda: player.asked)
    return page, player
