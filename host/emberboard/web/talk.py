"""One page's WebSocket, and how much all of them may ask: what a page wants goes in, what is new goes out.

A guest can fill neither the house nor its time nor its memory: pages are bounded for each browser, each address and in
all, messages by an allowance for each browser, and who does not take what was sent is not read from any more.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import monotonic

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from emberboard.web import messages as m
from emberboard.web.errands import Errands
from emberboard.web.parlour import Page, Parlour
from emberboard.web.seating import Visitor

MOST_BYTES = 32_768
"""Of one message from a page."""
RATE, BURST = 30.0, 90.0
"""Messages a second from one guest's browser (or one page of the table), and how many at once."""
COSTS: Mapping[type[msgspec.Struct], float] = {m.Odds: 10, m.WhatIf: 10, m.Fixable: 10, m.NotNow: 3, m.Capsule: 10}
"""What counts as more than one message, because it takes the host so much longer."""
HELLO_S = 10.0
MOST_PAGES, MOST_OF_ADDRESS, MOST_OF_BROWSER = 60, 20, 8
"""Of guests: in all, from one address, of one browser. The table's own pages always come in."""
MOST_WAITING = 32
"""Replies that wait for a page to take them; it is not read from until it does."""
POLICY, FULL = 1008, 1013
"""Why a WebSocket is closed (RFC 6455, 7.4)."""


class Allowance:
    """So many messages: BURST at once, RATE a second in the long run."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock, self._left, self._at = clock, BURST, clock()

    def spend(self, cost: float = 1.0) -> bool:
        """One message, or what counts as several; whether it is allowed."""
        now = self._clock()
        self._left = min(BURST, self._left + (now - self._at) * RATE)
        self._at = now
        if self._left < cost:
            return False
        self._left -= cost
        return True

    def whole(self) -> bool:
        """Whether nothing of it is spent."""
        return self._left + (self._clock() - self._at) * RATE >= BURST


class Crowd:
    """The guests' pages that are connected, counted, and each browser's allowance, which outlives its pages."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._of_browser: Counter[str] = Counter()
        self._of_address: Counter[str] = Counter()
        self._allowances: dict[str, Allowance] = {}

    def enter(self, browser: str, address: str) -> bool:
        """A guest's page comes; whether there is room for it."""
        if (
            self._of_address.total() >= MOST_PAGES
            or self._of_address[address] >= MOST_OF_ADDRESS
            or self._of_browser[browser] >= MOST_OF_BROWSER
        ):
            return False
        self._of_address[address] += 1
        self._of_browser[browser] += 1
        return True

    def leave(self, browser: str, address: str) -> None:
        """It goes."""
        for counted, who in ((self._of_address, address), (self._of_browser, browser)):
            counted[who] -= 1
            if not counted[who]:
                del counted[who]

    def allowance(self, browser: str) -> Allowance:
        """What a guest's browser may ask, however many pages it has and however often they come back."""
        self._allowances = {
            who: one for who, one in self._allowances.items() if self._of_browser[who] or not one.whole()
        }
        return self._allowances.setdefault(browser, Allowance(self._clock))


class Talk:
    """One page's WebSocket."""

    def __init__(self, socket: WebSocket, parlour: Parlour, errands: Errands, crowd: Crowd) -> None:
        self.socket, self.parlour, self.errands, self.crowd = socket, parlour, errands, crowd
        self._browser: str = socket.scope["browser"]
        self._table: bool = socket.scope["table"]
        self._replies: list[m.Reply] = []
        self._taken = asyncio.Event()

    async def run(self) -> None:
        """Until the page goes."""
        if self._table:
            await self._talk(Allowance())
            return
        address = self.socket.client.host if self.socket.client else ""
        if not self.crowd.enter(self._browser, address):
            await self._close(FULL)
            return
        try:
            await self._talk(self.crowd.allowance(self._browser))
        finally:
            self.crowd.leave(self._browser, address)

    async def _talk(self, allowance: Allowance) -> None:
        await self.socket.accept()
        page = await self._hello()
        if page is None:
            await self._close(POLICY)
            return
        sending = asyncio.create_task(self._send(page))
        sending.add_done_callback(lambda _: self._taken.set())
        try:
            await self._read(page, allowance, sending)
        finally:
            sending.cancel()
            with suppress(asyncio.CancelledError):
                await sending
            self.parlour.depart(page)

    async def _hello(self) -> Page | None:
        try:
            async with asyncio.timeout(HELLO_S):
                one = m.read_do(await self.socket.receive_text())
        except (TimeoutError, WebSocketDisconnect, KeyError, msgspec.MsgspecError):
            return None
        if not isinstance(one, m.Hello):
            return None
        return self.parlour.enter(Visitor(self._browser, one.page, self._table))

    async def _close(self, code: int) -> None:
        with suppress(RuntimeError, WebSocketDisconnect):
            await self.socket.close(code)

    async def _read(self, page: Page, allowance: Allowance, sending: asyncio.Task[None]) -> None:
        while not sending.done():
            if len(self._replies) >= MOST_WAITING:
                self._taken.clear()
                await self._taken.wait()
                continue
            try:
                raw = await self.socket.receive_text()
            except (WebSocketDisconnect, KeyError):
                return
            one: m.AnyDo | m.Reply
            try:
                one = m.read_do(raw)
            except msgspec.MsgspecError as error:
                one = m.Reply(ref=0, ok=False, words=f"This page is not of this table: {error}. Reload it.")
            if not allowance.spend(COSTS.get(type(one), 1.0)):
                await self._close(POLICY)
                return
            # Not within append(): while the errand runs, `_send` puts another list in this one's place.
            reply = one if isinstance(one, m.Reply) else await self.errands.run(one, page)
            self._replies.append(reply)
            page.wake.set()

    async def _send(self, page: Page) -> None:
        while True:
            await page.wake.wait()
            page.wake.clear()
            view = self.parlour.view(page)
            told: list[m.Told] = [] if view is None else [view]
            replies, self._replies = self._replies, []
            told += replies
            lamps = self.parlour.lamps(page)
            if lamps is not None:
                told.append(lamps)
            for one in told:
                try:
                    await self.socket.send_text(msgspec.json.encode(one).decode())
                except (WebSocketDisconnect, RuntimeError):
                    return
            self._taken.set()
