"""A house without boards: the whole web part as it is served, a small game with secrets, and guests from anywhere.

The server listens at several ports of this machine. Requests at the first are the table's; at each of the others they
come, as far as the application is told, from the address of a phone. All else is as it is in play.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from emberboard.devices.bell import DeviceQueue
from emberboard.devices.table_file import table_named
from emberboard.engine.question import Ask
from emberboard.engine.timing import Proc
from emberboard.games.desk import GameDesk
from emberboard.link.registry import Registry
from emberboard.web.app import build_app
from emberboard.web.door import Door
from emberboard.web.parlour import Parlour
from emberboard.web.serve import server_of
from tests.engine.toys.playground import Playground, did, opened, pick, used, window

CODE = "ABCD2345"
PHONES = ("192.168.1.50", "192.168.1.51")
WITHIN_S = 20.0
SECRET = "North alone knows: the key lies under the mat."
SPY = "East alone knows: the butler listens."


# -- a game with secrets ----------------------------------------------------------------------------------------------


def main(game: Playground) -> Proc[None]:
    """Each in secret, any, one alone, a window, and all over again."""
    game.note("It begins.")
    game.note(SECRET, seat="north")
    game.note(SPY, seat="east")
    while True:
        ways = yield Ask(pick, "way", ["left", "right"], "north east south", "each")
        game.note("ways: " + ", ".join(f"{seat} {way}" for seat, way in ways.items()))
        first = yield Ask(pick, "first", ["bell", "horn"], "north east south", "any")
        game.note(f"first: {first}")
        mine = yield Ask(pick, "mine", ["stay", "go"], "north")
        game.note(f"mine: {mine}")
        yield Ask(window, "anyone?", {"duck": "east"})
        game.note("all went by")


def duck(game: Playground) -> Proc[None]:
    used(game, "duck")
    did(game, "east ducks")
    game.note("east ducks")
    yield from ()


DESK = GameDesk(
    name="playground",
    scenarios=list,
    characters=lambda scenario: [],
    setup=lambda scenario, held: {},
    title=lambda game: "The house",
    boards=lambda game: [],
    label=lambda game, name: name,
    policy=lambda: lambda session: None,
    check_pack=lambda pack: "",
    scopes=("round",),
    adjustable=(),
)


# -- a table without boards -------------------------------------------------------------------------------------------


class QuietWire:
    """A bus on which nobody is."""

    def __init__(self) -> None:
        self._here, self._there = socket.socketpair()

    def fileno(self) -> int:
        return self._here.fileno()

    def events(self, timeout: float = 0.0) -> list[Any]:
        return []

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_: None

    def stop(self) -> None:
        self._here.close()
        self._there.close()


class QuietWorks:
    """A real table as far as pages can tell, without boards and devices."""

    def __init__(self) -> None:
        self.file, self.registry, self.devices = table_named("2x2"), Registry(), DeviceQueue()
        self.wire: Any = QuietWire()

    def show_seats(self, lights: object) -> None:
        pass

    def show_rail(self, pixels: object) -> None:
        pass

    def restart_bus(self) -> Any:
        return self.wire

    def close(self) -> None:
        self.wire.stop()
        self.devices.close()


# -- pages ------------------------------------------------------------------------------------------------------------


class Caller:
    """A page as scripts see it: asks, and keeps the newest view and the whole log."""

    names = itertools.count(1)

    def __init__(self, socket_: ClientConnection) -> None:
        self.socket = socket_
        self.view: dict[str, Any] = {}
        self.log: list[str] = []
        self.told: list[str] = []
        self._replies: dict[int, dict[str, Any]] = {}
        self._refs = itertools.count(1)
        self._news = asyncio.Condition()
        self.listening = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        with suppress(ConnectionClosed):
            async for raw in self.socket:
                self.told.append(str(raw))
                told = json.loads(raw)
                async with self._news:
                    if told["is"] == "view":
                        log = told["log"]
                        self.log = self.log[: log["keep"]] + [line["note"]["text"] for line in log["lines"]]
                        self.view = told
                    elif told["is"] == "reply":
                        self._replies[told["ref"]] = told
                    self._news.notify_all()
        async with self._news:
            self._news.notify_all()

    async def until(self, wanted: Callable[[], bool]) -> None:
        """Wait until something is so."""
        async with asyncio.timeout(WITHIN_S), self._news:
            await self._news.wait_for(wanted)

    async def until_asked(self, name: str) -> None:
        """Wait until the question of that name is here."""
        await self.until(lambda: self.asked == name)

    async def say(self, what: str, /, **fields: Any) -> int:
        """Ask without waiting: the ref of the reply."""
        ref = next(self._refs)
        await self.socket.send(json.dumps({"do": what, "ref": ref, **fields}))
        return ref

    async def reply(self, ref: int) -> dict[str, Any]:
        """The reply to that, when it is here."""
        await self.until(lambda: ref in self._replies or self.listening.done())
        return self._replies[ref]

    async def ask(self, what: str, /, **fields: Any) -> dict[str, Any]:
        """Ask and wait."""
        return await self.reply(await self.say(what, **fields))

    async def done(self, what: str, /, **fields: Any) -> Any:
        """Ask for what must not be refused: its data."""
        answered = await self.ask(what, **fields)
        assert answered["ok"], answered["words"]
        return answered["data"]

    async def refused(self, what: str, /, **fields: Any) -> str:
        """Ask for what must be refused: the words; and nothing is changed by it."""
        before = self.question
        answered = await self.ask(what, **fields)
        assert not answered["ok"], f"{what} was done"
        assert answered["words"], "refused without a word"
        assert self.question == before
        return str(answered["words"])

    async def ended(self) -> int:
        """Wait until the host ends the connection: why (RFC 6455, 7.4)."""
        async with asyncio.timeout(WITHIN_S):
            await self.listening
        return self.socket.close_code or 0

    @property
    def question(self) -> dict[str, Any] | None:
        """What is asked, as far as this page knows."""
        fight = self.view.get("fight")
        return fight["question"] if fight else None

    @property
    def id(self) -> str:
        """Of the question."""
        assert self.question is not None
        return str(self.question["id"])

    @property
    def asked(self) -> str:
        """The question's name."""
        assert self.question is not None
        return str(self.question["name"])


class House:
    """The house that is open: its ports, its door, its parlour."""

    def __init__(self, parlour: Parlour, door: Door, ports: list[int]) -> None:
        self.parlour, self.door, self.ports = parlour, door, ports
        self.cookies: dict[int, str] = {}

    def url(self, place: int = 0) -> str:
        """The address at which the table (0) or the phone of that number comes."""
        return f"http://127.0.0.1:{self.ports[place]}"

    def cookie(self, place: int) -> str:
        """A guest's cookie: of one browser for each phone."""
        if place not in self.cookies:
            self.cookies[place] = f"{self.door.cookie}={self.door._remember(PHONES[place - 1])}"
        return self.cookies[place]

    @asynccontextmanager
    async def socket(self, place: int = 0, cookie: str | None = None, **more: Any) -> AsyncIterator[ClientConnection]:
        """A WebSocket that has said nothing yet."""
        url = self.url(place)
        headers = {"Cookie": self.cookie(place) if cookie is None else cookie} if place else {}
        fields: dict[str, Any] = {"origin": url, "additional_headers": headers, "max_size": None, **more}
        async with connect(url.replace("http", "ws") + "/talk", **fields) as one:
            yield one

    @asynccontextmanager
    async def page(
        self, place: int = 0, seat: str = "", name: str = "", cookie: str | None = None
    ) -> AsyncIterator[Caller]:
        """A page that is up to date; with a seat, when it is to sit there."""
        async with self.socket(place, cookie) as one:
            caller = Caller(one)
            await caller.say("hello", page=name or f"page number {next(Caller.names)}")
            await caller.until(lambda: bool(caller.view) or caller.listening.done())
            if seat:
                await caller.done("claim", seat=seat)
            yield caller


def listening() -> socket.socket:
    """A socket at a free port."""
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16_384)  # so that a reader that stalls is soon noticed
    one.bind(("127.0.0.1", 0))
    one.listen(64)
    return one


@asynccontextmanager
async def house(
    code: str = CODE, clock: Callable[[], float] = monotonic, *, fight: bool = True
) -> AsyncIterator[House]:
    """A house with its fight open, for the length of a test."""
    sockets = [listening() for _ in range(1 + len(PHONES))]
    ports = [one.getsockname()[1] for one in sockets]
    parlour = Parlour(QuietWorks(), None, f"http://127.0.0.1:{ports[0]}/join.html#{code}")  # type: ignore[arg-type]
    doors: list[Door] = []

    def door(inner: ASGIApp) -> Door:
        doors.append(Door(inner, [f"127.0.0.1:{port}" for port in ports], code, clock))
        return doors[0]

    app = build_app(parlour, door)
    from_phones = dict(zip(ports[1:], PHONES))

    async def far(scope: Scope, receive: Receive, send: Send) -> None:
        address = from_phones.get(scope["server"][1])
        if address:
            scope["client"] = (address, scope["client"][1])
        await app(scope, receive, send)

    begun = asyncio.Event()
    server = server_of(far, begun.set)
    serving = asyncio.create_task(server.serve(sockets=sockets))
    try:
        await begun.wait()
        if fight:
            # Laid as `begin` does, but from memory: the game is none that is shipped.
            await parlour._lay(opened(main=main, duck=duck), DESK, Path("house.ember"))
        yield House(parlour, doors[0], ports)
    finally:
        server.stop()
        await serving
        await parlour.close()
