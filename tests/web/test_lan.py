"""`emberboard play --lan` as a process, with strangers that come by this machine's address in its network.

A machine without a network has no such address: there the host is to say so, and strangers are played in
`test_door.py`, `test_talk.py` and `test_seating.py`, where they come from wherever the test says.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from playwright.sync_api import Browser, expect
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from emberboard.engine.players import random_answer
from emberboard.engine.question import AnyQuestion, Question
from emberboard.games.desk import find_scenario
from emberboard.play.new_fight import seats_for
from emberboard.web.door import TRIES
from emberboard.web.qr import qr_terminal
from emberboard.web.serve import lan_addresses
from tests.web.browsers import PHONE, snap, visit

ADDRESS = next(iter(lan_addresses()), "")
WITHIN_S = 30.0


class Open:
    """The process: where it is, as the table and as a stranger see it, and what must never be said by it."""

    def __init__(self, process: subprocess.Popen[str], said: list[str]) -> None:
        self.process, self.said = process, said
        self.here = next(re.findall(r"table is at (http://\S+)/", line)[0] for line in said if "table is at" in line)
        self.port = self.here.rpartition(":")[2]
        self.far = f"http://{ADDRESS}:{self.port}"
        found = re.search(r"join at \S+ with the code (\w{4})-(\w{4})", "\n".join(said))
        self.code = "".join(found.groups()) if found else ""
        self.secrets: list[str] = []

    def joined(self) -> str:
        """The cookie of a browser that joined just now."""
        answer = httpx.post(f"{self.far}/join", content=self.code, headers={"origin": self.far})
        assert answer.status_code == 204, answer.text
        cookie = answer.headers["set-cookie"].partition(";")[0]
        self.secrets.append(cookie.partition("=")[2])
        return cookie


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """The host, told to believe every proxy; at its end all that it said is looked through."""
    process = subprocess.Popen(
        [str(Path(sys.executable).with_name("emberboard")), "play", "--no-open", "--lan"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={
            **os.environ, "EMBERBOARD_HOME": str(tmp_path_factory.mktemp("home")), "PYTHONUNBUFFERED": "1",
            "FORWARDED_ALLOW_IPS": "*",
        },
    )  # fmt: skip
    assert process.stdout is not None
    said: list[str] = []
    try:
        for line in process.stdout:
            said.append(line.rstrip("\n"))
            if line.startswith("Ctrl-C"):
                break
        one = Open(process, said)
        yield one
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read()
        assert process.wait(30) == 0
        assert rest.strip() == "Closed. `emberboard play` goes on where you stopped."
        assert not any(secret in rest for secret in [one.code or "Traceback", "Traceback", *one.secrets])
    finally:
        process.kill()
        process.wait()


class Phone:
    """A page of a stranger, or of the table."""

    names = itertools.count(1)

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.view: dict[str, Any] = {}
        self.replies: dict[int, dict[str, Any]] = {}
        self._refs = itertools.count(1)

    def hear(self) -> None:
        """The next that the host sends."""
        told = json.loads(self.socket.recv(timeout=WITHIN_S))
        if told["is"] == "view":
            self.view = told
        elif told["is"] == "reply":
            self.replies[told["ref"]] = told

    def until(self, wanted: Callable[[], bool]) -> None:
        """Hear until something is so."""
        while not wanted():
            self.hear()

    def ask(self, what: str, /, **fields: Any) -> dict[str, Any]:
        """Ask and wait."""
        ref = next(self._refs)
        self.socket.send(json.dumps({"do": what, "ref": ref, **fields}))
        self.until(lambda: ref in self.replies)
        return self.replies[ref]

    @property
    def id(self) -> str:
        """Of the question that is asked."""
        fight = self.view.get("fight")
        return str(fight["question"]["id"]) if fight and fight["question"] else ""


@contextmanager
def page(url: str, cookie: str = "", **headers: str) -> Iterator[Phone]:
    """A page that is connected and has its first view."""
    given = {**({"Cookie": cookie} if cookie else {}), **headers}
    with connect(
        url.replace("http", "ws") + "/talk", origin=url, additional_headers=given, max_size=None  # type: ignore[arg-type]
    ) as socket:  # fmt: skip
        one = Phone(socket)
        socket.send(json.dumps({"do": "hello", "page": f"page number {next(Phone.names)}"}))
        one.until(lambda: bool(one.view))
        yield one


def test_it_says_where_others_join_or_that_nobody_can(table: Open) -> None:
    said = "\n".join(table.said)
    if not ADDRESS:
        assert "no address in a network just now: nobody else can join" in said and not table.code
        return
    assert f"join at {table.far}/ with the code" in said and len(table.code) == 8
    assert qr_terminal(f"{table.far}/join.html#{table.code}") in said
    with page(table.here) as laptop:
        assert laptop.view["you"]["role"] == "table"
        assert laptop.view["hall"]["join"] == f"{table.far}/join.html#{table.code}"


def test_a_stranger_joins_first_and_then_looks_on(table: Open) -> None:
    url = table.far if ADDRESS else table.here
    if not ADDRESS:
        assert httpx.get(url).status_code == 200
        return
    assert httpx.get(url).headers["location"] == "/join.html"
    for path in ("/index.html", "/js/main.js", "/theme.css", "/join.svg"):
        assert httpx.get(url + path).status_code == 401
    for headers in ({}, {"X-Forwarded-For": "127.0.0.1"}, {"Forwarded": "for=127.0.0.1"}, {"X-Real-IP": "127.0.0.1"}):
        assert httpx.get(f"{url}/join.svg", headers=headers).status_code == 401
        with pytest.raises(InvalidStatus, match="403"), page(url, **headers):
            pass
    cookie = table.joined()
    with page(url, cookie, **{"X-Forwarded-For": "127.0.0.1"}) as phone:
        assert phone.view["you"] == {"role": "watcher", "seats": []}
        assert phone.view["hall"]["join"] == ""
        for what, fields in (("saves", {}), ("close", {}), ("finger", {"what": "press", "name": "OK"})):
            assert not phone.ask(what, **fields)["ok"]
    assert httpx.get(f"{url}/join.svg", headers={"cookie": cookie}).status_code == 403
    for host in ("evil.example", f"evil.example:{table.port}", "127.0.0.1"):
        assert httpx.get(url, headers={"host": host, "cookie": cookie}).status_code == 421


@pytest.mark.slow
def test_one_question_for_all_at_a_real_fight(table: Open, show: Callable[[str], None]) -> None:
    """Five pages; each seat answers its own and no other's; an answer counts once."""
    far = table.far if ADDRESS else table.here
    rng = random.Random(7)
    desk, shown = find_scenario("")
    seats = seats_for(desk, shown.id, 2)
    with ExitStack() as stack:
        laptop = stack.enter_context(page(table.here))
        begun = laptop.ask("begin", game=desk.name, scenario=shown.id, seats=seats)
        assert begun["ok"], begun["words"]
        cookies = [table.joined() if ADDRESS else "" for _ in range(4)]
        phones = [stack.enter_context(page(far, cookie)) for cookie in cookies]
        for phone, seat in zip(phones, seats):
            assert phone.ask("claim", seat=seat)["ok"]
        everybody = [laptop, *phones]
        for one in everybody:
            one.until(lambda one=one: one.id != "" and one.view["fight"]["phase"] == "open")  # type: ignore[misc]
        times = []
        for _ in range(6):
            before = laptop.id
            question: Question = msgspec.convert(laptop.view["fight"]["question"], AnyQuestion)  # type: ignore[arg-type]
            value = random_answer(question, rng)
            for one in everybody:
                one.until(lambda one=one, before=before: one.id == before)  # type: ignore[misc]
            began = time.monotonic()
            if question.chance:
                answered = laptop.ask("roll", question=before)
            else:
                answered = laptop.ask("answer", question=before, value=value)
            assert answered["ok"], answered["words"]
            for one in everybody:
                one.until(lambda one=one, before=before: one.id != before)  # type: ignore[misc]
            times.append(time.monotonic() - began)
            assert len({one.id for one in everybody}) == 1
            for one in everybody:
                late = one.ask("answer", question=before, value=value)
                assert not late["ok"] and late["words"]
                if ADDRESS and one in phones[2:]:
                    assert "looks on" in late["words"]
            assert len({one.id for one in everybody}) == 1
            for one in everybody:
                one.until(lambda one=one: one.view["fight"]["phase"] == "open")  # type: ignore[misc]
        if ADDRESS:
            other = list(seats)[1]
            assert "do not sit" in phones[0].ask("hold", seat=other)["words"]
            assert "do not sit" in phones[0].ask("answer", question=laptop.id, value=None, seat=other)["words"]
            assert not phones[0].ask("trust", all=True)["ok"]
        assert laptop.ask("close")["ok"]
    show(f"the page: an answer on 5 pages after {1000 * sorted(times)[3]:.0f} ms (median of 6, clients in Python)")


@pytest.mark.slow
def test_the_table_shows_the_code_frees_seats_and_lets_them_trust_each_other(table: Open, browser: Browser) -> None:
    laptop = visit(browser, table.here)
    desk, shown = find_scenario("")
    with page(table.here) as other:
        other.ask("begin", game=desk.name, scenario=shown.id, seats={"Ann": ["malah"], "Ben": ["chiri"]})
        if not ADDRESS:
            expect(laptop.get_by_role("main")).to_be_visible()
            expect(laptop.locator("[data-do=join]")).to_have_count(0)
        else:
            with page(table.far, table.joined()) as phone:
                assert phone.ask("claim", seat="Ann")["ok"]
                laptop.locator("[data-do=join]").click()
                dialog = laptop.get_by_role("dialog")
                expect(dialog).to_contain_text(f"{table.code[:4]}-{table.code[4:]}")
                drawn = dialog.get_by_role("img", name="QR code")
                expect(drawn).to_be_visible()
                assert drawn.evaluate("image => image.complete && image.naturalWidth > 0")
                expect(dialog).to_contain_text("at a phone")
                dialog.get_by_label("Seats may answer for each other").check()
                phone.until(lambda: phone.view["hall"]["trust"])
                dialog.locator('[data-do="free Ann"]').click()
                phone.until(lambda: phone.view["you"]["role"] == "watcher")
                dialog.get_by_label("Seats may answer for each other").uncheck()
                phone.until(lambda: not phone.view["hall"]["trust"])
        other.ask("close")
    assert laptop.complaints == []  # type: ignore[attr-defined]
    laptop.context.close()


# -- the page to join at ----------------------------------------------------------------------------------------------


def test_the_page_to_join_at_on_a_phone(table: Open, browser: Browser) -> None:
    if not ADDRESS:
        # At this machine itself there is nothing to join: the page leads straight in.
        inside = visit(browser, f"{table.here}/join.html", PHONE)
        inside.wait_for_url(f"{table.here}/")
        inside.context.close()
        return
    typed = visit(browser, table.far, PHONE)
    expect(typed).to_have_url(f"{table.far}/join.html")
    field, words = typed.get_by_label("The code on the table's page"), typed.locator("#words")
    expect(field).to_be_focused()
    field.press_sequentially("abcd 2345")
    expect(field).to_have_value("ABCD-2345")
    field.press("Enter")
    expect(words).to_contain_text("That is not the code of this table")
    snap(typed, "join-wrong")
    for element in (field, typed.get_by_role("button", name="Join")):
        box = element.bounding_box()
        assert box is not None and box["height"] >= 44
    field.fill(f"{table.code[:4].lower()}-{table.code[4:].lower()}")
    typed.get_by_role("button", name="Join").click()
    typed.wait_for_url(f"{table.far}/")
    typed.context.close()

    scanned = visit(browser, f"{table.far}/join.html#{table.code}", PHONE)
    scanned.wait_for_url(f"{table.far}/")
    assert scanned.evaluate("document.referrer") == ""
    scanned.goto(f"{table.far}/join.html")
    scanned.wait_for_url(f"{table.far}/")
    scanned.go_back()
    assert table.code not in scanned.url, "no way back leads to an address with the code"
    (cookie,) = scanned.context.cookies()
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict"
    table.secrets.append(cookie["value"])
    scanned.context.close()


def test_who_guesses_is_told_to_wait(table: Open, browser: Browser) -> None:
    """The last one at this address for a minute."""
    if not ADDRESS:
        assert httpx.post(f"{table.here}/join", content="WRONG234", headers={"origin": table.here}).status_code == 204
        return
    cookie = table.joined()
    statuses = [
        httpx.post(f"{table.far}/join", content="WRONG234", headers={"origin": table.far}).status_code
        for _ in range(TRIES + 1)
    ]
    assert statuses[-1] == 429 and set(statuses) == {403, 429}
    waiting = visit(browser, f"{table.far}/join.html#{table.code}", PHONE)
    expect(waiting.locator("#words")).to_contain_text("Too many wrong codes. Wait a minute")
    waiting.context.close()
    with page(table.far, cookie) as phone:
        assert phone.view["you"]["role"] == "watcher", "who is inside stays inside"
