"""How much a page may ask, over real WebSockets: floods, long and odd messages, many pages, readers that stall."""

from __future__ import annotations

import asyncio
import json
import random
import socket
from contextlib import AsyncExitStack
from typing import Any

import msgspec
import pytest
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, InvalidStatus

from emberboard.web import connections, messages, talk
from emberboard.web.connections import MOST_OF_ADDRESS, Line
from emberboard.web.errands import Errands
from emberboard.web.messages import MOST_DEPTH, MOST_TEXT, read_do
from emberboard.web.parlour import Page
from emberboard.web.talk import (
    BURST,
    COSTS,
    MOST_BYTES,
    MOST_OF_BROWSER,
    MOST_PAGES,
    MOST_WAITING,
    RATE,
    Allowance,
    Crowd,
)
from tests.web.house import PHONES, WITHIN_S, House, house

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def closed(one: ClientConnection) -> int:
    """Read until the host closes it: why."""
    with pytest.raises(ConnectionClosed) as caught:
        async with asyncio.timeout(WITHIN_S):
            while True:
                await one.recv()
    return caught.value.rcvd.code if caught.value.rcvd else 0


async def still_works(one: House) -> None:
    """Whatever was tried, the table plays on: the question is answered, and a seat sees it."""
    async with one.page() as table, one.page(2, "east") as east:
        assert table.asked == "way"
        await east.done("answer", question=east.id, value="left")
        await table.until(lambda: "east" not in table.view["fight"]["waiting"])
        await table.done("undo")


# -- the handshake ----------------------------------------------------------------------------------------------------


async def refused(one: House, place: int = 1, **more: Any) -> int:
    """Try a WebSocket that must not come to be: the status."""
    with pytest.raises(InvalidStatus) as caught:
        async with one.socket(place, **more):
            pass
    return caught.value.response.status_code


async def test_no_socket_without_cookie_or_from_another_page() -> None:
    async with house() as one:
        for cookie in ("", f"{one.door.cookie}=", f"{one.door.cookie}=the table", f"{one.door.cookie}={'x' * 32}"):
            assert await refused(one, cookie=cookie) == 403
        for place in (0, 1):
            for origin in (None, "null", "http://evil.example", "https://127.0.0.1", one.url(2), "http://localhost:1"):
                assert await refused(one, place, origin=origin) == 403
        url = one.url(1)
        for site in ("cross-site", "same-site"):
            headers = {"Cookie": one.cookie(1), "Sec-Fetch-Site": site, "Sec-Fetch-Mode": "websocket"}
            assert await refused(one, origin=url, additional_headers=headers) == 403
        for name in ("X-Forwarded-For", "Forwarded", "X-Real-IP"):
            assert await refused(one, origin=url, additional_headers={name: "127.0.0.1"}) == 403
        assert not one.parlour.pages
        await still_works(one)


async def test_a_cookie_that_was_forgotten_opens_nothing() -> None:
    async with house() as one:
        cookie = one.cookie(1)
        one.door._guests.clear()
        assert await refused(one, cookie=cookie) == 403


@pytest.mark.parametrize(
    "first",
    [
        "", "{}", "[]", "null", '{"do": "undo"}', '{"do": "hello"}', '{"do": "hello", "page": "short"}',
        '{"do": "hello", "page": 12345678}', json.dumps({"do": "hello", "page": "x" * 65}), "\x00",
        '{"do": "hello", "page": "long enough", "table": true}', '{"do": "hello", "page": "long enough"',
    ],
)  # fmt: skip
async def test_who_does_not_say_hello_is_not_talked_to(first: str) -> None:
    async with house() as one, one.socket(1) as stranger:
        await stranger.send(first)
        assert await closed(stranger) == 1008
        assert not one.parlour.pages


async def test_who_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talk, "HELLO_S", 0.05)
    async with house() as one, one.socket(1) as stranger:
        assert await closed(stranger) == 1008


# -- messages ---------------------------------------------------------------------------------------------------------


async def test_a_message_that_is_too_long_ends_the_connection() -> None:
    async with house() as one:
        async with one.page(1, "north") as north:
            await north.socket.send(json.dumps({"do": "rule", "id": "x" * MOST_BYTES}))
            assert await north.ended() == 1009
        async with one.page(1) as north:
            # In parts, and packed so that few bytes come over the wire.
            await north.socket.send(["x" * 10_000] * 20)
            assert await north.ended() == 1009
        await still_works(one)


async def test_what_is_no_text_ends_the_connection() -> None:
    async with house() as one:
        async with one.page(1) as north:
            await north.socket.send(b"\x00\xff")
            await north.ended()
        async with one.page(1) as north:
            await north.socket.send(b"\xff\xfe", text=True)
            assert await north.ended() == 1007
        await still_works(one)


NESTED = "[" * 12_000 + "]" * 12_000
ODD = (
    "", "x", "{", "[]", "null", "1", '"hello"', "{}", '{"do": null}', '{"do": "nothing"}', '{"do": ["undo"]}',
    '{"do": "undo", "count": "1"}', '{"do": "undo", "count": 1.5}', '{"do": "undo", "more": 1}',
    '{"do": "hello", "page": "long enough", "ref": 1}', f'{{"do": "answer", "question": "x", "value": {NESTED}}}',
    f'{{"do": "adjust", "change": {{"a": {NESTED}}}}}', NESTED, '{"do": "answer", "question": "x", "value": 1e999}',
    '{"do": "answer", "question": "x", "value": NaN}', '{"do": "answer", "question": "\\ud800", "value": 1}',
    f'{{"do": "answer", "question": "x", "value": {"9" * 5000}}}', '{"do": "rule", "id": "' + "x" * 5000 + '"}',
    '{"do": "claim", "seat": "' + "x" * (MOST_TEXT + 1) + '"}', '{"__proto__": {"do": "undo"}}',
    '{"do": "answer", "question": "x", "value": "' + "x" * (MOST_TEXT + 1) + '"}',
    '{"do": "adjust", "change": {"' + "x" * (MOST_TEXT + 1) + '": 1}}', '{"do": "undo", "ref": "x"}',
)  # fmt: skip


async def test_odd_messages_are_answered_in_words_and_change_nothing() -> None:
    async with house() as one:
        async with one.page(1, "north") as north:
            before = north.question
            for number, raw in enumerate(ODD, 1):
                await north.socket.send(raw)
                await north.until(lambda n=number: sum('"is":"reply"' in told for told in north.told) > n)  # type: ignore[misc]
                reply = json.loads(next(told for told in reversed(north.told) if '"is":"reply"' in told))
                assert not reply["ok"] and reply["words"], raw
                assert len(reply["words"]) < 500
            assert north.question == before
            await north.done("answer", question=north.id, value="left")
            await north.done("undo")
        await still_works(one)


def test_values_are_small() -> None:
    deep: Any = "x" * MOST_TEXT
    for _ in range(MOST_DEPTH):
        deep = [deep]
    for what in ("answer", "what if"):
        say = {"do": what, "question": "q"}
        assert read_do(json.dumps({**say, "value": deep})).value == deep  # type: ignore[union-attr]
        for value in ([deep], {"a": deep}, "x" * (MOST_TEXT + 1), {"x" * (MOST_TEXT + 1): 1}):
            with pytest.raises(msgspec.ValidationError):
                read_do(json.dumps({**say, "value": value}))


async def test_no_errand_at_random_stops_the_table(show: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every errand there is with every kind of field, from a seat, from one who looks on, and from the table."""
    monkeypatch.setattr(talk, "RATE", 1e9)
    rng = random.Random(7)
    values: list[Any] = [
        None, "", "x", 0, -1, 10**30, 1.5, True, [], {}, [[1]], "north", "evershade", "../../etc", "\u202e", "round",
    ]  # fmt: skip
    kinds = [one for one in messages.AnyDo.__args__ if one is not messages.Hello and one is not messages.Close]
    said = 0
    async with house() as one:
        for place, seat in ((1, "north"), (2, ""), (0, "")):
            async with one.page(place, seat) as page:
                for kind in kinds:
                    for _ in range(4):
                        fields = {name: rng.choice(values) for name in kind.__struct_fields__ if name != "ref"}
                        if "question" in fields and rng.random() < 0.5:
                            fields["question"] = page.id
                        raw = json.dumps({"do": kind.__struct_config__.tag, "ref": said + 1000, **fields})
                        try:
                            read_do(raw)
                        except msgspec.MsgspecError:
                            continue
                        said += 1
                        await page.socket.send(raw)
                        await page.reply(said + 999)
        assert one.parlour.fight is not None
        async with one.page() as table:
            await table.done("trust", all=False)
            assert table.asked in ("way", "first")
    show(f"the page: {said} errands at random, each answered")
    assert said > 50


async def test_a_flood_ends_the_connection_and_comes_back_no_richer() -> None:
    async with house() as one:
        async with one.page(1) as flood:
            for number in range(int(BURST * 3)):
                try:
                    await flood.socket.send(json.dumps({"do": "rule", "ref": number, "id": "x"}))
                except ConnectionClosed:
                    break
            assert await flood.ended() == 1008
        async with one.page(1) as again:
            # The same browser: its allowance is as empty as it was.
            for number in range(int(BURST)):
                try:
                    await again.socket.send(json.dumps({"do": "rule", "ref": number, "id": "x"}))
                except ConnectionClosed:
                    break
            assert await again.ended() == 1008
        await still_works(one)


def test_an_allowance_fills_up_again_and_dear_errands_count_more() -> None:
    now = 0.0
    allowance = Allowance(lambda: now)
    assert all(allowance.spend() for _ in range(int(BURST))) and not allowance.spend()
    now = 1.0
    assert [allowance.spend() for _ in range(int(RATE) + 1)] == [True] * int(RATE) + [False]
    now = 1000.0
    assert allowance.whole()
    dear = COSTS[messages.Odds]
    assert [allowance.spend(dear) for _ in range(10)] == [True] * int(BURST // dear) + [False] * (
        10 - int(BURST // dear)
    )


# -- many pages -------------------------------------------------------------------------------------------------------


async def test_one_phone_cannot_fill_the_house() -> None:
    async with house() as one, AsyncExitStack() as stack:
        for _ in range(MOST_OF_BROWSER):
            await stack.enter_async_context(one.page(1))
        assert await refused(one) == 403
        await still_works(one)
        await stack.aclose()
        async with one.page(1) as again:
            assert again.view


def test_guests_are_bounded_by_browser_by_address_and_in_all() -> None:
    crowd = Crowd()
    assert [crowd.enter("phone", "10.0.0.1") for _ in range(9)] == [True] * MOST_OF_BROWSER + [False]
    inside = MOST_OF_BROWSER
    while crowd.enter(f"browser {inside}", "10.0.0.1"):
        inside += 1
    assert inside == talk.MOST_OF_ADDRESS
    for number in range(2, 100):
        for each in range(5):
            inside += crowd.enter(f"browser {number} {each}", f"10.0.0.{number}")
    assert inside == MOST_PAGES
    crowd.leave("phone", "10.0.0.1")
    assert crowd.enter("newcomer", "10.0.1.1")


def test_allowances_of_browsers_that_went_are_forgotten_when_they_are_whole() -> None:
    now = 0.0
    crowd = Crowd(lambda: now)
    crowd.enter("phone", "10.0.0.1")
    crowd.allowance("phone").spend(BURST)
    crowd.leave("phone", "10.0.0.1")
    crowd.allowance("other")
    assert not crowd.allowance("phone").spend(BURST), "it left, and owes all the same"
    now = 60.0
    crowd.allowance("other")
    assert len(crowd._allowances) == 1


# -- readers that do not read -----------------------------------------------------------------------------------------


async def raw_page(one: House, place: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A WebSocket by hand, so that nothing reads from it."""
    near = socket.socket()
    near.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    near.connect(("127.0.0.1", one.ports[place]))
    reader, writer = await asyncio.open_connection(sock=near, limit=1024)
    writer.write(
        f"GET /talk HTTP/1.1\r\nHost: 127.0.0.1:{one.ports[place]}\r\nOrigin: {one.url(place)}\r\n"
        f"Cookie: {one.cookie(place)}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
    )
    assert b"101" in await reader.readuntil(b"\r\n\r\n")
    return reader, writer


def frame(text: str) -> bytes:
    """A masked text frame (RFC 6455, 5.2); the mask is nought."""
    data = text.encode()
    head = bytes([0x81, 0x80 | len(data)]) if len(data) < 126 else b"\x81\xfe" + len(data).to_bytes(2, "big")
    return head + b"\0\0\0\0" + data


async def test_a_reader_that_does_not_read_keeps_the_host_from_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not read from any more as well, so that its replies do not pile up; views never do."""
    monkeypatch.setattr(talk, "RATE", 1e9)
    ran = 0
    run = Errands.run

    async def counted(errands: Errands, what: messages.AnyDo, page: Page) -> messages.Reply:
        nonlocal ran
        ran += isinstance(what, messages.Scenarios)
        return await run(errands, what, page)

    monkeypatch.setattr(Errands, "run", counted)
    async with asyncio.timeout(3 * WITHIN_S), house() as one:
        reader, writer = await raw_page(one, 1)
        writer.write(frame('{"do": "hello", "page": "the slow reader"}'))
        await reader.read(10)
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        async with one.page() as table:
            for number in range(400):
                writer.write(frame(json.dumps({"do": "scenarios", "ref": number})))
            for _ in range(40):
                await table.done("answer", question=table.id, value="left", seat="north")
                await table.done("undo")
            slow = next(page for page in one.parlour.pages if page.who.page == "the slow reader")
            assert slow.number < one.parlour._number, "it has not got the newest, and nothing is kept for it"
            assert MOST_WAITING <= ran < 200
        await still_works(one)
        # It is still there when the house is closed, and holds nobody up.


# -- connections ------------------------------------------------------------------------------------------------------


@pytest.fixture
def all_are_strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bounds of connections go by the address of the connection itself, which here is this machine's."""
    monkeypatch.setattr(connections, "_is_stranger", lambda address: True)


async def ended(reader: asyncio.StreamReader) -> bool:
    """Whether the host hangs up."""
    try:
        async with asyncio.timeout(WITHIN_S):
            return await reader.read() == b""
    except ConnectionResetError:
        return True


@pytest.mark.usefixtures("all_are_strangers")
async def test_one_address_opens_so_many_connections_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_S", 1000 * WITHIN_S)
    async with house() as one:
        inside = [await asyncio.open_connection("127.0.0.1", one.ports[1]) for _ in range(MOST_OF_ADDRESS)]
        reader, _ = await asyncio.open_connection("127.0.0.1", one.ports[1])
        assert await ended(reader)
        for other, writer in inside:
            writer.write_eof()
            assert await ended(other)
        await still_works(one)


@pytest.mark.usefixtures("all_are_strangers")
@pytest.mark.parametrize("said", [b"", b"GET / HT", b"GET /join.html HTTP/1.1\r\nHost: x\r\nX-More: "])
async def test_a_request_that_does_not_come_to_its_end_is_hung_up_on(
    said: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_S", 0.1)
    async with house() as one:
        reader, writer = await asyncio.open_connection("127.0.0.1", one.ports[1])
        writer.write(said)
        assert await ended(reader)
        await still_works(one)


async def test_a_head_without_end_is_refused() -> None:
    async with house() as one:
        reader, writer = await asyncio.open_connection("127.0.0.1", one.ports[1])
        writer.write(b"GET / HTTP/1.1\r\n" + b"X-More: y\r\n" * 5000)
        async with asyncio.timeout(WITHIN_S):
            answer = await reader.read()
        assert answer.startswith(b"HTTP/1.1 400") and b"Traceback" not in answer
        await still_works(one)


async def test_a_connection_counts_until_its_socket_is_gone() -> None:
    """One that the host has closed may for long have something left that the other end does not take."""
    loop, line = asyncio.get_running_loop(), Line()
    pairs = [socket.socketpair() for _ in range(MOST_OF_ADDRESS + 1)]
    transports = [(await loop.create_connection(asyncio.Protocol, sock=near))[0] for near, _ in pairs]
    assert [line.join(one, PHONES[0]) for one in transports] == [True] * MOST_OF_ADDRESS + [False]
    assert line.join(transports[-1], PHONES[1])
    stuck = transports[0]
    stuck.write(b"x" * 10_000_000)
    stuck.close()
    assert stuck.is_closing() and not line.join(transports[-1], PHONES[0])
    stuck.abort()
    await asyncio.sleep(0)
    assert line.join(transports[-1], PHONES[0])
    for one in transports:
        one.abort()
    for _, far in pairs:
        far.close()
