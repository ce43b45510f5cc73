"""A parlour for tests of errands and routes: a virtual table that a module shares, pages of table and guests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from emberboard.engine.question import Json
from emberboard.games.desk import desk_of
from emberboard.virtual.table import VirtualTable, box_tags
from emberboard.web import messages as m
from emberboard.web.errands import Errands
from emberboard.web.parlour import Page, Parlour
from emberboard.web.seating import Visitor

SCENARIO = "outlaws-of-bear-peak"
HELD = {"Ann": ["malah"], "Ben": ["chiri", "doran"]}


class Room:
    """The parlour, its errands, and the pages in it: the table's own, and guests by name."""

    def __init__(self, parlour: Parlour) -> None:
        self.parlour, self.errands = parlour, Errands(parlour)
        self.table = self.page("table")

    def page(self, name: str) -> Page:
        """A page comes in; it is the table's when it is called so."""
        who = Visitor("the table", name, True) if name.startswith("table") else Visitor(f"{name}'s phone", name, False)
        return self.parlour.enter(who)

    async def do(self, one: m.AnyDo, page: Page | None = None) -> m.Reply:
        """One errand of a page, or of the table."""
        return await self.errands.run(one, page or self.table)

    async def done(self, one: m.AnyDo, page: Page | None = None) -> Any:
        """The data of an errand that is done."""
        reply = await self.do(one, page)
        assert reply.ok, reply.words
        return reply.data

    async def refused(self, one: m.AnyDo, page: Page | None = None) -> m.Reply:
        """The reply to an errand that is refused with words."""
        reply = await self.do(one, page)
        assert not reply.ok and reply.words
        return reply

    async def begin(self, held: dict[str, list[str]] | None = None) -> None:
        """A new fight, without hands: what rules say needs no figures."""
        await self.parlour.begin(desk_of("evershade"), SCENARIO, held or HELD)

    def answer(self, value: Json, seat: str = "") -> None:
        """An answer to the pending question as the rules take it, whatever the table still waits for."""
        session = self.parlour.playing().session
        assert session.question is not None
        session.answer(session.question.id, value, seat=seat)


@asynccontextmanager
async def room(works: VirtualTable) -> AsyncIterator[Room]:
    """A parlour around a table that others go on to use."""
    parlour = Parlour(works, box_tags())
    assert parlour.fingers is not None
    parlour.fingers.help = False
    try:
        yield Room(parlour)
    finally:
        await parlour.close_fight()
        parlour.fingers.close()


def in_a_room(works: VirtualTable, act: Callable[[Room], Awaitable[None]]) -> None:
    """Do something in a room of its own."""

    async def whole() -> None:
        async with room(works) as one:
            await act(one)

    asyncio.run(whole())


def let_in(browser: str, *, table: bool) -> Callable[[ASGIApp], ASGIApp]:
    """A door that lets everybody in as this browser; the real one has its own tests."""

    def door(app: ASGIApp) -> ASGIApp:
        async def passed(scope: Scope, receive: Receive, send: Send) -> None:
            await app({**scope, "browser": browser, "table": table}, receive, send)

        return passed

    return door
