"""`emberboard play` as a process: what it says, how it ends, what it refuses; and the bound port."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import segno
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from emberboard.cli.main import main
from emberboard.engine.errors import Refused
from emberboard.games.desk import find_scenario
from emberboard.play.new_fight import begin_fight, seats_for
from emberboard.web import serve as serving
from emberboard.web.qr import qr_svg, qr_terminal
from emberboard.web.serve import bind, host_names, lan_addresses, serve
from tests.web.browsers import host
from tests.web.house import QuietWorks

Play = Callable[..., tuple[str, str]]


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Play:
    """Type `emberboard play` where it is to be refused: what was said, and the words of the refusal."""

    def typed(*args: str, home: Path = tmp_path) -> tuple[str, str]:
        monkeypatch.setenv("EMBERBOARD_HOME", str(home))
        monkeypatch.setattr(sys, "argv", ["emberboard", "play", "--no-open", *args])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        assert ended.value.code in (1, 2)
        assert "Traceback" not in said.out + said.err and "table is at" not in said.out
        return said.out, said.err

    return typed


# -- what it refuses --------------------------------------------------------------------------------------------------


def test_a_taken_port_is_said_before_the_table_wakes(play: Play) -> None:
    with bind(0, False) as taken:
        port = taken.getsockname()[1]
        said, words = play("--port", str(port))
        assert f"Port {port} is taken by another program: choose another with --port" in words
        assert not said


@pytest.mark.parametrize("lan", [False, True])
def test_no_two_hosts_believe_that_a_port_is_theirs(lan: bool) -> None:
    with bind(0, lan) as one, bind(0, lan) as other, bind(0, not lan) as third:
        ports = [each.getsockname()[1] for each in (one, other, third)]
        assert len(set(ports)) == 3, "without a number the next free one is taken"
        for port in ports:
            with pytest.raises(Refused, match=f"Port {port} is taken"):
                bind(port, lan)


def test_all_ports_taken_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with bind(0, False) as taken:
        monkeypatch.setattr(serving, "PORT", taken.getsockname()[1])
        monkeypatch.setattr(serving, "TRIES", 1)
        with pytest.raises(Refused, match="are all taken: name a free one with --port"):
            bind(0, False)


def test_a_port_that_may_not_be_used_is_not_called_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(self: socket.socket, address: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(socket.socket, "bind", denied)
    with pytest.raises(Refused, match=r"Port 80 cannot be used: Permission denied\. .*1024 or higher"):
        bind(80, False)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--port", "65536"), ("--port", "65535")),
        (("--port", "-1"), ("--port", "0")),
        (("--theme", "neon"), ("there is no theme 'neon'", "standard", "dim", "high-contrast")),
        (("--table", "9x9"), ("there is no table '9x9'", "2x2")),
        (("--resume", "nothing"), ("there is no save 'nothing'", "emberboard saves")),
    ],
)
def test_what_cannot_be_is_said_with_what_can(args: tuple[str, ...], words: tuple[str, ...], play: Play) -> None:
    _, said = play(*args)
    for word in words:
        assert word in said


def test_a_folder_that_cannot_be_written_is_said_at_the_start(play: Play, tmp_path: Path) -> None:
    """A file stands where the folder should be: that stops even the superuser."""
    (tmp_path / "file").write_text("")
    said, words = play(home=tmp_path / "file")
    assert f"Saves cannot be kept in {tmp_path / 'file' / 'saves'}: " in words and "EMBERBOARD_HOME" in words
    assert not said


@pytest.mark.slow
def test_a_save_that_is_played_elsewhere_is_not_played_twice(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBERBOARD_HOME", str(tmp_path))
    desk, shown = find_scenario("")
    session, path = begin_fight(desk, shown.id, seats_for(desk, shown.id, 2))
    try:
        _, words = play("--resume", path.stem)
        assert f"is open in another process (number {os.getpid()}). Close the game there" in words
    finally:
        session.close()


# -- how it ends ------------------------------------------------------------------------------------------------------


async def told_of_the_end(url: str, end: Callable[[], None]) -> int:
    """Be a page that is connected when the host is told to end: why the host closed it."""
    async with connect(url.replace("http", "ws") + "/talk", origin=url) as page:
        await page.send(json.dumps({"do": "hello", "page": "the page at the end"}))
        await page.recv()
        end()
        async with asyncio.timeout(30):
            with suppress(ConnectionClosed):
                while True:
                    await page.recv()
        return page.close_code or 0


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_closes_the_table_with_pages_connected(
    number: signal.Signals, tmp_path: Path, show: Callable[[str], None]
) -> None:
    with host(tmp_path) as table:
        began = 0.0

        def end() -> None:
            nonlocal began
            began = time.monotonic()
            table.process.send_signal(number)

        assert asyncio.run(told_of_the_end(table.url.rstrip("/"), end)) == 1012, "restart or end: the page comes back"
        pages = time.monotonic() - began
        assert table.process.wait(30) == 0
        show(
            f"the page: {number.name} with a page, {pages:.1f} s until it went, {time.monotonic() - began:.1f} s in all"
        )
    left = subprocess.run(["pgrep", "-P", str(table.process.pid)], capture_output=True, text=True)
    assert not left.stdout, "boards and bus are ended as well"


# -- what it says -----------------------------------------------------------------------------------------------------


def test_its_names_are_those_of_this_machine() -> None:
    assert host_names(8460, False) == ["127.0.0.1:8460", "localhost:8460"]
    with_lan = host_names(8460, True)
    assert {f"{one}:8460" for one in lan_addresses()} <= set(with_lan)
    assert f"{socket.gethostname()}.local:8460" in with_lan
    assert not any(one.startswith(("127.", "0.")) for one in lan_addresses())


def test_only_a_browser_in_a_window_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    class Windowed(webbrowser.BackgroundBrowser):
        def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:
            opened.append(url)
            return True

    monkeypatch.setattr(webbrowser, "get", lambda: Windowed("firefox"))
    assert serving._open("http://here/") and opened == ["http://here/"]
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser("w3m"))
    assert not serving._open("http://here/") and len(opened) == 1

    def none() -> Any:
        raise webbrowser.Error("could not locate runnable browser")

    monkeypatch.setattr(webbrowser, "get", none)
    assert not serving._open("http://here/")


def test_what_breaks_goes_into_a_report_and_players_get_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBERBOARD_HOME", str(tmp_path))
    said: list[str] = []
    logger = logging.getLogger("uvicorn.error")
    with serving._reporting(said.append):
        for _ in range(serving.MOST_REPORTS + 5):
            try:
                raise LookupError("the secret of it")
            except LookupError:
                logger.exception("Exception in ASGI application")
        logger.error("Cancel 1 running task(s), timeout graceful shutdown exceeded")
    assert len(said) == serving.MOST_REPORTS == len(list((tmp_path / "saves" / "reports").iterdir()))
    assert said[0].startswith("Something broke that should not have: LookupError. A report of it is in ")
    assert "Traceback" not in "".join(said) and "secret" not in "".join(said)
    assert not logger.handlers


def test_the_drawings_are_the_code() -> None:
    """Module by module as segno makes it, dark on light, with a quiet zone."""
    text = "http://192.168.1.9:8460/join.html#ABCD2345"
    wanted = [list(row) for row in segno.make(text, micro=False).matrix]
    size = len(wanted)
    lines = qr_terminal(text).splitlines()
    halves = {"█": (0, 0), "▀": (0, 1), "▄": (1, 0), " ": (1, 1)}  # a block is light: terminals are dark
    seen = [[halves[char][half] for char in line] for line in lines for half in (0, 1)]
    assert [row[2 : 2 + size] for row in seen[2 : 2 + size]] == wanted
    assert {len(line) for line in lines} == {size + 4}
    svg = qr_svg(text).decode()
    assert svg.startswith("<svg ") and f'viewBox="0 0 {size + 8} {size + 8}"' in svg
    assert "<script" not in svg and "ABCD2345" not in svg


@pytest.mark.parametrize(
    ("addresses", "lan"), [([], False), (["192.168.7.7"], False), ([], True), (["192.168.7.7"], True)]
)
def test_what_is_said_at_the_start(
    addresses: list[str], lan: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EMBERBOARD_HOME", str(tmp_path))
    monkeypatch.setattr(serving, "lan_addresses", lambda: addresses)
    said: list[str] = []

    def say(words: str) -> None:
        said.append(words)
        if words.startswith("Ctrl-C"):
            os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    with bind(0, False) as sock:
        port = sock.getsockname()[1]
        serve(QuietWorks(), None, sock, lan=lan, browser=False, say=say)  # type: ignore[arg-type]
    assert signal.getsignal(signal.SIGTERM) == before
    assert said[0] == f"The table is at http://127.0.0.1:{port}/"
    assert said[-1] == "Ctrl-C closes it; the fight is kept at every input."
    between = said[1:-1]
    if not lan:
        assert not between
    elif not addresses:
        assert between == ["This machine has no address in a network just now: nobody else can join."]
    else:
        found = re.fullmatch(
            rf"Others in your network join at http://192\.168\.7\.7:{port}/ with the code (\w{{4}})-(\w{{4}}), "
            "or scan this:",
            between[0],
        )
        assert found and between[1:] == [qr_terminal(f"http://192.168.7.7:{port}/join.html#{''.join(found.groups())}")]
