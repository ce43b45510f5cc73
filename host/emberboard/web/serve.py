"""`emberboard play` in a browser: the host serves the page until it is stopped."""

from __future__ import annotations

import asyncio
import socket
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic

import uvicorn

from emberboard.engine.errors import Refused
from emberboard.play.opening import refuse_losses
from emberboard.table.works import Works
from emberboard.web.app import build_app
from emberboard.web.door import Door, new_code
from emberboard.web.parlour import Parlour

PORT = 8460
"""Where the page is served when nothing else is said; the next free one when it is taken."""
TRIES = 20


def bind(port: int, lan: bool) -> socket.socket:
    """A listening socket at `port`, or (0) at the first free one from PORT on. Raises Refused."""
    address = "0.0.0.0" if lan else "127.0.0.1"
    wanted = [port] if port else range(PORT, PORT + TRIES)
    for number in wanted:
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((address, number))
        except OSError:
            sock.close()
            continue
        return sock
    if port:
        raise Refused(f"Port {port} is taken by another program: choose another with --port, or leave it out.")
    raise Refused(f"The ports {PORT} to {PORT + TRIES - 1} are all taken: name a free one with --port.")


def lan_addresses() -> list[str]:
    """This machine's addresses in its network, the one that leads out first."""
    found: list[str] = []
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # nothing is sent: only the way out is chosen (RFC 5737)
        found.append(probe.getsockname()[0])
    with suppress(OSError):
        for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET):
            found.append(str(info[4][0]))
    return [one for one in dict.fromkeys(found) if not one.startswith("127.")]


def host_names(port: int, lan: bool) -> list[str]:
    """The names with port that the table goes by."""
    names = ["127.0.0.1", "localhost"]
    if lan:
        own = socket.gethostname()
        names += [*lan_addresses(), own, f"{own}.local"]
    return [f"{name}:{port}" for name in names]


def serve(
    works: Works,
    tags: Mapping[str, str] | None,
    *,
    port: int = 0,
    lan: bool = False,
    browser: bool = True,
    say: Callable[[str], None],
    resume: Path | None = None,
) -> None:
    """Serve until stopped; `resume` is a save to go on with at once. Raises Refused."""
    sock = bind(port, lan)
    number = sock.getsockname()[1]
    code = new_code() if lan else ""
    outside = next(iter(lan_addresses()), "") if lan else ""
    join = f"http://{outside}:{number}/join?code={code}" if outside else ""
    asyncio.run(_run(works, tags, sock, host_names(number, lan), code, join, browser, say, resume))


async def _run(
    works: Works,
    tags: Mapping[str, str] | None,
    sock: socket.socket,
    hosts: list[str],
    code: str,
    join: str,
    browser: bool,
    say: Callable[[str], None],
    resume: Path | None,
) -> None:
    parlour = Parlour(works, tags, join)
    app = build_app(parlour, lambda inner: Door(inner, hosts, code, monotonic))
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, ws_max_size=65_536, ws_ping_interval=15
    )
    server = uvicorn.Server(config)
    url = f"http://{hosts[0]}/"
    serving = asyncio.create_task(server.serve(sockets=[sock]))
    try:
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        say(f"The table is at {url}")
        if join:
            say(f"Others in your network join at {join}")
        say("Ctrl-C closes it; the fight is kept at every input.")
        if resume is not None:
            await parlour.go_on(resume, refuse_losses)
        if browser:
            await asyncio.to_thread(webbrowser.open, url)
        await serving
    finally:
        await parlour.close()
