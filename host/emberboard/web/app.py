"""The web application: the page's files, one WebSocket a page, saves to take away and bring in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from importlib.resources import files
from time import monotonic

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from emberboard.web.errands import Errands
from emberboard.web.messages import Hello, Reply, Told, read_do
from emberboard.web.parlour import Page, Parlour
from emberboard.web.seating import Visitor

PAGE = files("emberboard.web") / "page"
MOST_BYTES = 32_768
"""Of one message from a page."""
RATE, BURST = 30.0, 90.0
"""Messages a second from one page, and how many at once."""
HELLO_S = 10.0
MOST_PAGES = 60


class Allowance:
    """So many messages: BURST at once, RATE a second in the long run."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock, self._left, self._at = clock, BURST, clock()

    def spend(self) -> bool:
        """One message; whether it is allowed."""
        now = self._clock()
        self._left = min(BURST, self._left + (now - self._at) * RATE)
        self._at = now
        self._left -= 1
        return self._left >= 0


class Talk:
    """One page's WebSocket: reads what it wants, sends what is new."""

    def __init__(self, socket: WebSocket, parlour: Parlour, errands: Errands) -> None:
        self.socket, self.parlour, self.errands = socket, parlour, errands
        self._replies: list[Reply] = []

    async def run(self) -> None:
        """Until the page goes."""
        await self.socket.accept()
        page = await self._hello()
        if page is None:
            return
        sending = asyncio.create_task(self._send(page))
        try:
            await self._read(page)
        finally:
            sending.cancel()
            with suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
                await sending
            self.parlour.depart(page)

    async def _hello(self) -> Page | None:
        try:
            async with asyncio.timeout(HELLO_S):
                one = read_do(await self.socket.receive_text())
        except (TimeoutError, WebSocketDisconnect, KeyError, msgspec.MsgspecError):
            one = None
        if not isinstance(one, Hello) or not 8 <= len(one.page) <= 64 or len(self.parlour.pages) >= MOST_PAGES:
            await self._close(1008)
            return None
        who = Visitor(self.socket.scope["browser"], one.page, self.socket.scope["table"])
        return self.parlour.enter(who)

    async def _close(self, code: int) -> None:
        with suppress(RuntimeError):
            await self.socket.close(code)

    async def _read(self, page: Page) -> None:
        allowance = Allowance()
        while True:
            try:
                raw = await self.socket.receive_text()
            except (WebSocketDisconnect, KeyError):
                return
            if len(raw) > MOST_BYTES or not allowance.spend():
                await self._close(1008)
                return
            try:
                one = read_do(raw)
            except msgspec.MsgspecError as error:
                self._replies.append(
                    Reply(ref=0, ok=False, words=f"This page is not of this table: {error}. Reload it.")
                )
            else:
                self._replies.append(await self.errands.run(one, page))
            page.wake.set()

    async def _send(self, page: Page) -> None:
        while True:
            await page.wake.wait()
            page.wake.clear()
            view = self.parlour.view(page)
            told: list[Told] = [] if view is None else [view]
            replies, self._replies = self._replies, []
            told += replies
            while page.lamps:
                told.append(page.lamps.popleft())
            for one in told:
                try:
                    await self.socket.send_text(msgspec.json.encode(one).decode())
                except (WebSocketDisconnect, RuntimeError):
                    return


def build_app(parlour: Parlour, door: Callable[[ASGIApp], ASGIApp]) -> ASGIApp:
    """The whole application behind its door."""
    errands = Errands(parlour)

    async def talk(socket: WebSocket) -> None:
        await Talk(socket, parlour, errands).run()

    async def index(request: Request) -> Response:
        return FileResponse(str(PAGE / "index.html"))

    routes = [
        Route("/", index),
        WebSocketRoute("/talk", talk),
        Mount("/", StaticFiles(directory=str(PAGE))),
    ]
    return door(Starlette(routes=routes))
