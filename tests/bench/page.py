"""The page: an answer to the next question on five pages, the page's size, its first paint in Chromium.

The host is `emberboard play` in a process of its own on the virtual table, every answer durable before it is applied.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Any

from playwright.sync_api import sync_playwright
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, broadcast, serve

import emberboard.web
from tests.web.browsers import host, open_browser

from .row import Row

PAGES = 5
ANSWERS = 120
PAINTS = 7
LIMIT_KB = 200.0
PAINTED = """() => new Promise((done) => new PerformanceObserver((list) => {
  for (const one of list.getEntries()) if (one.name === "first-contentful-paint") done(one.startTime);
}).observe({ type: "paint", buffered: true }))"""
ROOT = Path(emberboard.web.__file__).parent / "page"


def measure() -> list[Row]:
    """The rows of this benchmark."""
    with tempfile.TemporaryDirectory() as folder, host(Path(folder)) as table:
        taken, view_bytes = asyncio.run(_answers(table.url))
        bare = asyncio.run(_bare(view_bytes))
        ours, empty = _paints(table.url)
    late = quantiles(taken, n=20)[-1]
    size = (
        sum(path.stat().st_size for path in ROOT.rglob("*") if path.suffix in (".html", ".css", ".js", ".svg")) / 1000
    )
    note = f"from sending the answer to its successor on {PAGES} pages over loopback, {ANSWERS} answers; asked: 100 ms"
    return [
        Row(
            "answer to next question, 5 pages, median",
            "ms",
            median(taken) * 1000,
            {"bare broadcast": bare * 1000},
            note,
        ),
        Row("answer to next question, 5 pages, 95 %", "ms", late * 1000, {"asked": 100.0}, note),
        Row("size of the page", "kB", size, {"asked": LIMIT_KB}, "all files that a browser loads, uncompressed"),
        Row("first contentful paint", "ms", ours, {"empty page": empty}, "Chromium, loopback, empty cache"),
    ]


class _Client:
    """One page's end of the wire."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.fight: dict[str, Any] | None = None
        self.data: Any = None
        self.size = 0

    async def hello(self, name: str) -> None:
        await self.socket.send(json.dumps({"do": "hello", "page": name}))
        await self.until(lambda: True)

    async def hear(self) -> None:
        raw = await self.socket.recv()
        told = json.loads(raw)
        if told["is"] == "view":
            self.fight, self.size = told["fight"], len(raw)
        elif told["is"] == "reply" and not told["ok"]:
            raise AssertionError(f"refused: {told['words']} ({self.question.get('prompt')})")
        elif told["is"] == "reply":
            self.data = told["data"] or self.data

    async def until(self, done: Any) -> None:
        while True:
            await self.hear()
            if done():
                return

    @property
    def question(self) -> dict[str, Any]:
        asked: dict[str, Any] = (self.fight or {}).get("question") or {}
        return asked


async def _answers(url: str) -> tuple[list[float], int]:
    """Seconds from each answer to the next question on all pages, and the bytes of a view."""
    sockets = [await connect(url.replace("http", "ws") + "talk", origin=url.rstrip("/")) for _ in range(PAGES)]
    clients = [_Client(socket) for socket in sockets]
    for number, client in enumerate(clients):
        await client.hello(f"page number {number}")
    first = clients[0]
    await first.socket.send(json.dumps({"do": "scenarios", "ref": 1}))
    await first.until(lambda: first.data)
    shown = first.data[0]
    held = {f"Player {n}": [one["id"]] for n, one in enumerate(shown["characters"][:3], 1)}
    begin = {"do": "begin", "ref": 2, "game": shown["game"], "scenario": shown["id"], "seats": held}
    await first.socket.send(json.dumps(begin))
    taken: list[float] = []
    sizes: list[int] = []
    while len(taken) < ANSWERS:
        while not first.fight or first.fight["phase"] != "open":
            await first.hear()
        asked = first.question
        for client in clients[1:]:
            while client.question.get("id") != asked["id"]:
                await client.hear()
        started = perf_counter()
        await first.socket.send(json.dumps(_reply(asked)))
        await asyncio.gather(*(client.until(_another(client, asked["id"])) for client in clients))
        taken.append(perf_counter() - started)
        sizes.append(first.size)
        if first.fight is None or first.fight["phase"] == "over":
            break
    for socket in sockets:
        await socket.close()
    return taken, int(median(sizes))


def _another(client: _Client, asked: str) -> Any:
    return lambda: client.question.get("id") != asked


def _reply(asked: dict[str, Any]) -> dict[str, Any]:
    """What a page sends for this question: the program's dice, or the first answer there is."""
    common = {"ref": 3, "question": asked["id"], "seat": ""}
    match asked["kind"]:
        case "roll" | "draw":
            return {"do": "roll", **common}
        case "window":
            value: Any = "go on"
        case "confirm":
            value = True
        case "number":
            value = asked["low"]
        case "path":
            value = asked["stops"][-1]
        case "order":
            value = [one["id"] for one in asked["options"]]
        case _:
            ids = [one["id"] for one in asked["options"]]
            several = asked.get("many") or asked.get("most", 1) > 1 or asked.get("least", 1) != 1
            value = ids[: max(1, asked.get("least", 1))] if several else ids[0]
    return {"do": "answer", "value": value, **common}


async def _bare(size: int) -> float:
    """Seconds for a message to a server that does nothing but send `size` bytes to five sockets."""
    present: set[ServerConnection] = set()

    async def serve_one(socket: ServerConnection) -> None:
        present.add(socket)
        async for _ in socket:
            broadcast(present, "x" * size)

    taken = []
    async with serve(serve_one, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        sockets = [await connect(f"ws://127.0.0.1:{port}") for _ in range(PAGES)]
        for _ in range(ANSWERS):
            started = perf_counter()
            await sockets[0].send("!")
            await asyncio.gather(*(socket.recv() for socket in sockets))
            taken.append(perf_counter() - started)
        for socket in sockets:
            await socket.close()
    return median(taken)


def _paints(url: str) -> tuple[float, float]:
    """Medians of the first contentful paint (ms) of the page, and of a picture alone from the same host."""
    found: dict[str, list[float]] = {url: [], f"{url}icon.svg": []}
    with sync_playwright() as playwright:
        browser = open_browser(playwright)
        for _ in range(PAINTS):
            for address, times in found.items():
                page = browser.new_page()
                page.goto(address)
                times.append(float(page.evaluate(PAINTED)))
                page.close()
        browser.close()
    ours, empty = (median(times) for times in found.values())
    return ours, empty
