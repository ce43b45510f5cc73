"""Saves over HTTP: what the table may take away and bring in, and what a guest is told instead."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from xml.etree import ElementTree

import httpx
import pytest

from emberboard.play.opening import open_save
from emberboard.store.exchange import MOST_BYTES
from emberboard.store.saves import folder, list_saves
from emberboard.virtual.table import VirtualTable
from emberboard.web import messages as m
from emberboard.web.app import build_app
from tests.web.parlours import Room, in_a_room, let_in

pytestmark = pytest.mark.usefixtures("place")


def browser(room: Room, name: str = "table") -> httpx.AsyncClient:
    """The browser of the page of that name."""
    secret = "the table" if name == "table" else f"{name}'s phone"
    app = build_app(room.parlour, let_in(secret, table=name == "table"))
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://table")


def test_an_open_fight_is_taken_away_and_brought_in_again(works: VirtualTable, tmp_path: Path) -> None:
    async def act(room: Room) -> None:
        await room.begin()
        room.answer("white")
        fight = room.parlour.playing()
        async with browser(room) as page:
            taken = await page.get(f"/saves/{fight.path.stem}.ember")
            assert taken.status_code == 200
            assert taken.headers["content-disposition"] == f"attachment; filename*=UTF-8''{fight.path.stem}.ember"
            back = await page.post("/saves", params={"name": "Bear Peak.ember"}, content=taken.content)
        assert back.json() == {"name": "bear-peak"}
        session, _ = open_save(folder() / "bear-peak.ember")
        try:
            assert session.state_hash() == fight.session.state_hash()
            assert session.question is not None and fight.session.question is not None
            assert session.question.id == fight.session.question.id
        finally:
            session.close()

    in_a_room(works, act)


def test_a_picture_shows_the_figures_and_follows_the_fight(works: VirtualTable) -> None:
    async def act(room: Room) -> None:
        await room.begin()
        stem = room.parlour.playing().path.stem
        async with browser(room) as page:
            first = await page.get(f"/saves/{stem}.svg")
            assert first.headers["content-type"] == "image/svg+xml"
            title = ElementTree.fromstring(first.text).findtext("{http://www.w3.org/2000/svg}title") or ""
            assert title.startswith("Round 1") and "Malah 14 HP" in title
            room.parlour.playing().session.adjust({"who": "malah", "hp": 5})
            assert "Malah 5 HP" in (await page.get(f"/saves/{stem}.svg")).text

    in_a_room(works, act)


def test_what_is_no_save_has_neither_picture_nor_file(works: VirtualTable, place: Path) -> None:
    (place / "saves").mkdir()
    (place / "saves" / "broken.ember").write_bytes(b"no save at all")
    (place / "outside.ember").write_bytes(b"not in the folder")

    async def act(room: Room) -> None:
        async with browser(room) as page:
            for path in (
                "/saves/nowhere.svg",
                "/saves/nowhere.ember",
                "/saves/broken.svg",
                "/saves/..%2Foutside.ember",
            ):
                assert (await page.get(path)).status_code == 404, path
            broken = await page.get("/saves/broken.ember")
            assert broken.status_code == 409 and "broken" in broken.text

    in_a_room(works, act)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("poem.txt", b"Roses are red", "no save of Emberboard"),
        ("", b"", "needs a name"),
        ("a\nb", b"", "needs a name"),
        ("x" * 121, b"", "needs a name"),
    ],
)
def test_what_is_no_save_is_not_brought_in(works: VirtualTable, name: str, data: bytes, words: str) -> None:
    async def act(room: Room) -> None:
        async with browser(room) as page:
            answer = await page.post("/saves", params={"name": name}, content=data)
        assert answer.status_code == 400 and words in answer.text
        assert list_saves() == []

    in_a_room(works, act)


def test_a_file_larger_than_any_save_is_refused_before_it_is_there(works: VirtualTable) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 1 << 20
            yield bytes(1 << 20)

    async def act(room: Room) -> None:
        async with browser(room) as page:
            told = await page.post("/saves", params={"name": "big"}, headers={"content-length": str(MOST_BYTES + 1)})
            assert told.status_code == 400 and "larger than 64 MiB" in told.text
            streamed = await page.post("/saves", params={"name": "big"}, content=endless())
        assert streamed.status_code == 400 and "larger than 64 MiB" in streamed.text
        assert sent <= MOST_BYTES + (2 << 20)

    in_a_room(works, act)


def test_a_guest_gets_no_save_even_with_a_seat(works: VirtualTable) -> None:
    async def act(room: Room) -> None:
        await room.begin()
        stem = room.parlour.playing().path.stem
        await room.done(m.Claim(seat="Ann"), room.page("Ann"))
        async with browser(room, "Ann") as page:
            for path in (f"/saves/{stem}.svg", f"/saves/{stem}.ember", "/saves/nowhere.svg"):
                assert (await page.get(path)).status_code == 403
            assert (await page.post("/saves", params={"name": "x"}, content=b"x")).status_code == 403

    in_a_room(works, act)
