"""The door, attacked over HTTP: wrong names, other sites' pages, made-up headers, guessed codes, odd paths, bodies."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from emberboard.web import door as doors
from emberboard.web.app import build_app
from emberboard.web.door import (
    HEADERS,
    LETTERS,
    MOST_GUESTS,
    MOST_OF_ONE,
    OPEN,
    TRIES,
    TRIES_IN_ALL,
    TRIES_S,
    Door,
    host_named,
    is_here,
    new_code,
    spoken,
)
from emberboard.web.parlour import Parlour
from tests.web.house import CODE, PHONES, QuietWorks

AT = "192.168.1.9:8460"
URL = f"http://{AT}"
HERE = "127.0.0.1"
PHONE = PHONES[0]


class Asker:
    """Asks an application whose clock the test turns, from any address."""

    def __init__(self, code: str = CODE) -> None:
        self.now = 1000.0
        self.works = QuietWorks()
        parlour = Parlour(self.works, None, f"{URL}/join.html#{code}")  # type: ignore[arg-type]
        made: list[Door] = []

        def door(inner: Any) -> Door:
            made.append(Door(inner, ["127.0.0.1:8460", "localhost:8460", AT], code, lambda: self.now))
            return made[0]

        self.app = build_app(parlour, door)
        self.door = made[0]

    def ask(
        self,
        method: str = "GET",
        path: str = "/",
        *,
        at: str = PHONE,
        host: str = AT,
        origin: str | None = None,
        headers: dict[str, str] | Sequence[tuple[str, str]] = (),
        body: bytes | AsyncIterator[bytes] | None = None,
    ) -> httpx.Response:
        """One request."""
        given = [("host", host), *(headers.items() if isinstance(headers, dict) else headers)]
        if origin is not None:
            given.append(("origin", origin))

        async def run() -> httpx.Response:
            transport = httpx.ASGITransport(app=self.app, client=(at, 50000))
            async with httpx.AsyncClient(transport=transport, base_url=URL) as client:
                return await client.request(method, path, headers=given, content=body)

        return asyncio.run(run())

    def join(self, code: str = CODE, at: str = PHONE) -> httpx.Response:
        """Give a code as the table's page does."""
        return self.ask("POST", "/join", at=at, origin=URL, body=code.encode())

    def cookie(self, at: str = PHONE) -> str:
        """The cookie of a browser that joins."""
        answer = self.join(at=at)
        assert answer.status_code == 204, answer.text
        return answer.headers["set-cookie"].partition(";")[0]

    def is_in(self, cookie: str, at: str = PHONE) -> bool:
        """Whether a browser with that cookie is let in."""
        answer = self.ask(at=at, headers={"cookie": cookie})
        assert answer.status_code in (200, 303)
        return answer.status_code == 200


@pytest.fixture
def asker() -> Iterator[Asker]:
    """A table with a join code."""
    one = Asker()
    yield one
    one.works.close()


# -- names and pages --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [HERE, PHONE])
@pytest.mark.parametrize(
    "host",
    [
        "evil.example:8460", "127.0.0.1.evil.example:8460", "localhost.evil.example:8460", "evil.example",
        "127.0.0.1", "localhost:80", "127.0.0.1:8461", "0.0.0.0:8460", "[::1]:8460", "user@127.0.0.1:8460",
        "2130706433:8460", "127.1:8460", "127.0.0.1:8460, evil.example:8460", "127.0.0.1:8460/", "..:8460", "",
    ],
)  # fmt: skip
def test_another_name_is_not_heard(asker: Asker, at: str, host: str) -> None:
    """DNS rebinding: a stranger's page gives its own name the table's address."""
    assert asker.ask(at=at, host=host).status_code == 421
    assert asker.ask("POST", "/join", at=at, host=host, origin=f"http://{host}", body=CODE.encode()).status_code == 421


@pytest.mark.parametrize("host", ["LOCALHOST:8460", "localhost.:8460", " localhost:8460 ", "127.0.0.1:8460"])
def test_the_tables_names_are_known_however_they_are_written(asker: Asker, host: str) -> None:
    assert asker.ask(at=HERE, host=host).status_code == 200


def test_hosts_are_compared_with_their_port() -> None:
    assert host_named("Table") == host_named("table:80") == host_named("table.:80") == "table:80"
    assert host_named("[::1]:8460") == "[::1]:8460"
    assert host_named("") == host_named(":8460") == host_named(".") == ""


def test_two_host_headers_are_none(asker: Asker) -> None:
    assert asker.ask(at=HERE, headers=[("host", "evil.example:8460")]).status_code == 421


def test_an_address_that_the_network_gave_later_is_known_and_no_name_is(asker: Asker) -> None:
    async def status(server: tuple[str, int], host: str) -> int:
        told: list[Any] = []

        async def send(message: Any) -> None:
            told.append(message)

        scope = {
            "type": "http", "method": "GET", "path": "/join.html", "query_string": b"", "client": (PHONE, 5),
            "server": server, "headers": [(b"host", host.encode())], "scheme": "http", "root_path": "",
        }  # fmt: skip
        await asker.app(scope, lambda: asyncio.sleep(0, {"type": "http.request"}), send)
        return int(told[0]["status"])

    assert asyncio.run(status(("10.0.0.7", 8460), "10.0.0.7:8460")) == 200
    assert asyncio.run(status(("10.0.0.7", 8460), "10.0.0.8:8460")) == 421
    assert asyncio.run(status(("evil.example", 8460), "evil.example:8460")) == 421


FOREIGN = [
    "http://evil.example",
    "http://evil.example:8460",
    "https://192.168.1.9:8460",
    "http://192.168.1.9",
    "http://192.168.1.9:9999",
    "http://127.0.0.1:8460",
    "http://192.168.1.9:8460.evil.example",
    "http://192.168.1.9:8460/",
    "http://user@192.168.1.9:8460",
    "null",
    "",
    "file://",
    AT,
]


@pytest.mark.parametrize("at", [HERE, PHONE])
@pytest.mark.parametrize("origin", FOREIGN)
def test_another_sites_page_does_nothing(asker: Asker, at: str, origin: str) -> None:
    cookie = asker.cookie()
    for method, path in (("GET", "/"), ("GET", "/theme.css"), ("POST", "/join"), ("POST", "/saves"), ("PUT", "/")):
        answer = asker.ask(method, path, at=at, origin=origin, headers={"cookie": cookie}, body=b"x")
        assert answer.status_code == 403, (method, path)
        assert "access-control-allow-origin" not in answer.headers


def test_two_origins_are_none(asker: Asker) -> None:
    answer = asker.ask("POST", "/join", origin=URL, headers=[("origin", "http://evil.example")], body=CODE.encode())
    assert answer.status_code == 403 and "set-cookie" not in answer.headers


@pytest.mark.parametrize("at", [HERE, PHONE])
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"])
def test_what_may_change_something_needs_the_tables_own_page(asker: Asker, at: str, method: str) -> None:
    """A form of another site is sent without being asked; old browsers leave the Origin out."""
    for path in ("/", "/join", "/saves", "/talk"):
        assert asker.ask(method, path, at=at, body=CODE.encode()).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_sites_may_link_to_the_table_and_nothing_else(asker: Asker, site: str) -> None:
    """`same-site` is another port of the same machine."""
    for mode, status in (("no-cors", 403), ("cors", 403), ("websocket", 403), ("", 403), ("navigate", 200)):
        headers = {"sec-fetch-site": site, "sec-fetch-mode": mode}
        assert asker.ask(at=HERE, headers=headers).status_code == status, mode
    assert asker.ask("POST", "/join", headers={"sec-fetch-site": site, "sec-fetch-mode": "navigate"}).status_code == 403


def test_every_answer_forbids_frames_sniffing_and_foreign_scripts(asker: Asker) -> None:
    for path, at, headers in (
        ("/", HERE, {}), ("/", PHONE, {}), ("/nothing", HERE, {}), ("/theme.css", HERE, {}), ("/join.html", PHONE, {}),
        ("/", HERE, {"sec-fetch-site": "cross-site"}), ("/join.svg", HERE, {}),
    ):  # fmt: skip
        answer = asker.ask(path=path, at=at, headers=headers)
        for name, value in HEADERS.items():
            assert answer.headers[name] == value, (path, name)
        assert "server" not in answer.headers
    policy = HEADERS["content-security-policy"]
    assert "frame-ancestors 'none'" in policy and "unsafe" not in policy and "http" not in policy


# -- who is here ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("client", "here"),
    [
        (("127.0.0.1", 1), True), (("127.9.9.9", 1), True), (("::1", 1), True),
        (("192.168.1.50", 1), False), (("::ffff:192.168.1.50", 1), False), (("localhost", 1), False),
        (("", 0), False), (None, False),
    ],
)  # fmt: skip
def test_only_this_machine_is_here(client: tuple[str, int] | None, here: bool) -> None:
    assert is_here({"type": "http", "client": client}) is here


@pytest.mark.parametrize(
    "header",
    ["x-forwarded-for", "x-real-ip", "forwarded", "x-client-ip", "cf-connecting-ip", "true-client-ip", "via"],
)
def test_no_header_makes_a_stranger_one_of_the_house(asker: Asker, header: str) -> None:
    for value in (HERE, "for=127.0.0.1", "::1", "127.0.0.1, 127.0.0.1"):
        assert asker.ask(headers={header: value}).headers["location"] == "/join.html"
        assert asker.ask(path="/join.svg", headers={header: value}).status_code == 401
    assert asker.ask(headers={"x-forwarded-host": AT}, host="evil.example").status_code == 421


def test_without_a_code_only_this_machine_comes_in() -> None:
    asker = Asker(code="")
    for method, path in (("GET", "/"), ("GET", "/join.html"), ("POST", "/join"), ("GET", "/join.svg")):
        answer = asker.ask(method, path, origin=URL, body=b"")
        assert (answer.status_code, "set-cookie" in answer.headers) == (403, False), path
    assert asker.ask(at=HERE).status_code == 200
    asker.works.close()


# -- joining ----------------------------------------------------------------------------------------------------------


def test_codes_are_of_letters_that_nobody_confuses_and_no_two_alike() -> None:
    codes = {new_code() for _ in range(500)}
    assert len(codes) == 500
    assert {letter for code in codes for letter in code} == set(LETTERS)
    assert not set("01IO") & set(LETTERS) and len(LETTERS) ** 8 >= 2**39
    assert spoken("ABCD2345") == "ABCD-2345"


def test_a_stranger_sees_the_page_to_join_at_and_nothing_else(asker: Asker) -> None:
    page = Path(doors.__file__).parent / "page"
    served = ["/" + str(file.relative_to(page)) for file in page.rglob("*") if file.is_file()]
    assert set(OPEN) <= set(served)
    for path in (*served, "/theme.css", "/join.svg", "/saves/x.svg", "/saves/x.ember", "/capsule", "/nothing"):
        for method in ("GET", "HEAD"):
            assert asker.ask(method, path).status_code == (200 if path in OPEN else 401), path
        assert asker.ask("POST", path, origin=URL).status_code == 401, path
    assert asker.ask().headers["location"] == "/join.html"
    links = re.findall(r'(?:href|src)="(/[^"]+)"', (page / "join.html").read_text())
    assert links and set(links) <= set(OPEN), "the page to join at needs no more than it gets"


@pytest.mark.parametrize("given", [CODE, "abcd2345", "ABCD-2345", " abcd 2345\n", "a-b-c-d-2-3-4-5"])
def test_the_code_lets_a_browser_in_however_it_is_typed(asker: Asker, given: str) -> None:
    answer = asker.join(given)
    assert answer.status_code == 204 and answer.content == b""
    cookie = answer.headers["set-cookie"]
    shape = r"emberboard-8460=[\w-]{32}; HttpOnly; SameSite=Strict; Path=/; Max-Age=604800"
    assert re.fullmatch(shape, cookie), "no script reads it, no other site sends it"
    assert asker.is_in(cookie.partition(";")[0])


@pytest.mark.parametrize(
    "given", ["", "ABCD234", "ABCD23456", "BBCD2345", "ABCD2346", "*", "ABCD2345\x00", "Ａ" * 8, "\udcff"]
)
def test_a_wrong_code_lets_nobody_in(asker: Asker, given: str) -> None:
    answer = asker.ask("POST", "/join", origin=URL, body=given.encode("utf-8", "surrogatepass"))
    assert answer.status_code == 403 and "set-cookie" not in answer.headers
    assert "not the code" in answer.text and CODE not in answer.text


def test_no_address_takes_a_code(asker: Asker) -> None:
    """It would stay in the history, in logs and in what the next site is told."""
    for path in (f"/join?code={CODE}", f"/join.html?code={CODE}", f"/?code={CODE}", f"/join/{CODE}"):
        assert "set-cookie" not in asker.ask(path=path).headers
        assert "set-cookie" not in asker.ask("POST", path, origin=URL, body=b"").headers


def test_a_browser_that_joined_goes_straight_in_and_keeps_its_cookie(asker: Asker) -> None:
    assert asker.ask(path="/join").status_code == 401
    cookie = asker.cookie()
    for method, body in (("GET", None), ("POST", b"WRONGWRO"), ("POST", CODE.encode())):
        answer = asker.ask(method, "/join", origin=URL, headers={"cookie": cookie}, body=body)
        assert (answer.status_code, "set-cookie" in answer.headers) == (204, False)
    assert asker.ask(path="/join", at=HERE).status_code == 204, "this machine is always in"
    assert asker.is_in(cookie)


def test_guessing_ends_after_a_few_tries_and_others_may_still_join(asker: Asker) -> None:
    for _ in range(TRIES):
        assert asker.join("WRONG234").status_code == 403
    for code in ("WRONG234", CODE):
        answer = asker.join(code)
        assert answer.status_code == 429 and "set-cookie" not in answer.headers
        assert "Wait a minute" in answer.text
    assert asker.join(at=PHONES[1]).status_code == 204
    asker.now += TRIES_S + 1
    assert asker.join().status_code == 204


def test_guessing_from_many_addresses_ends_as_well(asker: Asker) -> None:
    for number in range(TRIES_IN_ALL):
        assert asker.join("WRONG234", at=f"10.0.{number // 250}.{number % 250 + 1}").status_code == 403
    assert asker.join(at="10.9.9.9").status_code == 429
    assert asker.ask(at=HERE).status_code == 200
    asker.now += TRIES_S + 1
    assert asker.join(at="10.9.9.9").status_code == 204
    assert len(asker.door._wrong) <= MOST_GUESTS


def test_who_joined_stays_in_while_others_guess(asker: Asker) -> None:
    cookie = asker.cookie()
    for _ in range(TRIES + 1):
        asker.join("WRONG234")
    assert asker.is_in(cookie)


def test_codes_held_back_are_counted_all_the_same(asker: Asker) -> None:
    """Many requests at once, each with its body held back until all have passed the count."""
    tries = TRIES * 4

    async def run() -> list[int]:
        transport = httpx.ASGITransport(app=asker.app, client=(PHONE, 50000))
        ready, released = asyncio.Semaphore(0), asyncio.Event()

        async def body() -> AsyncIterator[bytes]:
            ready.release()
            await released.wait()
            yield b"WRONG234"

        async with httpx.AsyncClient(transport=transport, base_url=URL) as client:
            sent = [
                asyncio.create_task(client.post("/join", headers={"origin": URL}, content=body())) for _ in range(tries)
            ]
            for _ in range(tries):
                await ready.acquire()
            released.set()
            return [answer.status_code for answer in await asyncio.gather(*sent)]

    assert sorted(asyncio.run(run())) == [403] * TRIES + [429] * (tries - TRIES)


def test_a_long_body_is_not_read_to_its_end(asker: Asker) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        for _ in range(10_000):
            sent += 1
            yield b"A" * 50

    assert asker.ask("POST", "/join", origin=URL, body=endless()).status_code == 413
    assert sent < 10


def test_a_body_that_does_not_come_is_not_waited_for(asker: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "BODY_S", 0.05)

    async def never() -> AsyncIterator[bytes]:
        yield b"ABCD"
        await asyncio.Event().wait()

    assert asker.ask("POST", "/join", origin=URL, body=never()).status_code == 413


# -- cookies ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["", "the table", "admin", "x" * 32, "%00", "a" * 4000, '""'])
def test_a_cookie_that_a_browser_made_up_is_none(asker: Asker, value: str) -> None:
    """Fixation: a value that an attacker planted is never taken over, neither before nor after joining."""
    planted = f"emberboard-8460={value}"
    assert not asker.is_in(planted)
    answer = asker.ask("POST", "/join", origin=URL, headers={"cookie": planted}, body=CODE.encode())
    assert answer.status_code == 204
    given = answer.headers["set-cookie"].partition(";")[0]
    assert given != planted and asker.is_in(given) and not asker.is_in(planted)


def test_each_browser_gets_another_cookie_and_the_table_none(asker: Asker) -> None:
    assert len({asker.cookie(at=f"10.0.0.{number}") for number in range(1, 30)}) == 29
    assert "set-cookie" not in asker.ask(at=HERE).headers
    assert "set-cookie" not in asker.ask("POST", "/join", at=HERE, origin=URL, body=CODE.encode()).headers


def test_a_cookie_of_a_table_at_another_port_is_none(asker: Asker) -> None:
    cookie = asker.cookie()
    assert not asker.is_in(cookie.replace("8460", "8461"))


def test_one_address_cannot_push_the_others_out(asker: Asker) -> None:
    mine = asker.cookie(at=PHONES[1])
    theirs = [asker.cookie() for _ in range(MOST_OF_ONE + 5)]
    assert asker.is_in(mine, at=PHONES[1])
    assert [asker.is_in(one) for one in theirs] == [False] * 5 + [True] * MOST_OF_ONE
    assert len(asker.door._guests) == MOST_OF_ONE + 1


def test_requests_of_this_machine_push_nobody_out(asker: Asker) -> None:
    cookie = asker.cookie()
    for _ in range(MOST_GUESTS + 20):
        asker.ask(path="/icon.svg", at=HERE)
    assert asker.is_in(cookie) and len(asker.door._guests) == 1


def test_a_full_house_forgets_who_was_not_heard_for_the_longest_time(asker: Asker) -> None:
    first, second = asker.cookie(at="10.1.0.1"), asker.cookie(at="10.1.0.2")
    assert asker.is_in(first, at="10.1.0.1")
    for number in range(MOST_GUESTS - 1):
        asker.door._remember(f"10.2.{number // 200}.{number % 200}")
    assert asker.is_in(first, at="10.1.0.1")
    assert not asker.is_in(second, at="10.1.0.2"), "it scans the code again"
    assert len(asker.door._guests) == MOST_GUESTS


# -- files ------------------------------------------------------------------------------------------------------------


OUT = (
    "/../door.py", "/js/../../door.py", "/%2e%2e/door.py", "/..%2fdoor.py", "/js/..%2f..%2fdoor.py", "/....//door.py",
    "/..\\door.py", "/..%5cdoor.py", "/%252e%252e/door.py", "//etc/passwd", "/%2fetc%2fpasswd", "/etc/passwd", "/js",
    "/js/", "/vendor/", "/%00", "/js/main.js%00.html", "/JOIN.HTML", "/" + "a" * 5000, "/js/\u202emain.js",
    "/saves/..%2f..%2fx.ember",
)  # fmt: skip


@pytest.mark.parametrize("path", OUT)
def test_no_path_leads_out_of_the_pages_folder(asker: Asker, path: str) -> None:
    answer = asker.ask(path=path, at=HERE)
    assert answer.status_code in (404, 405) or answer.headers.get("location", "").startswith(URL)
    assert "from __future__" not in answer.text and "root:" not in answer.text


@pytest.mark.parametrize(
    "path", [*OUT, "/join.html/../js/main.js", "/join.html/", "/join.html%2f..%2findex.html", "/./js/main.js"]
)
def test_no_path_leads_a_stranger_past_the_door(asker: Asker, path: str) -> None:
    answer = asker.ask(path=path)
    assert answer.status_code == 401 or answer.headers.get("location") == "/join.html"


def test_a_changed_theme_or_script_is_seen_at_once(asker: Asker) -> None:
    for path in ("/theme.css", "/page.css", "/"):
        first = asker.ask(path=path, at=HERE)
        assert first.headers["cache-control"] == "no-cache" and first.headers["etag"]
        again = asker.ask(path=path, at=HERE, headers={"if-none-match": first.headers["etag"]})
        assert again.status_code == 304 or (path == "/" and again.content == first.content)
        assert asker.ask(path=path, at=HERE, headers={"if-none-match": '"other"'}).content == first.content
    assert asker.ask(path="/theme.css", at=HERE).headers["content-type"].startswith("text/css")
    assert ".role-put-here" in asker.ask(path="/theme.css", at=HERE).text


def test_the_code_as_a_drawing_is_for_the_tables_page_only(asker: Asker) -> None:
    drawn = asker.ask(path="/join.svg", at=HERE)
    assert drawn.headers["content-type"] == "image/svg+xml" and drawn.text.startswith("<svg")
    cookie = asker.cookie()
    assert asker.ask(path="/join.svg", headers={"cookie": cookie}).status_code == 403
    assert asker.ask(path="/join.svg").status_code == 401
