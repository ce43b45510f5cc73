"""`emberboard play` in a browser: the host serves the page until it is stopped."""

from __future__ import annotations

import asyncio
import errno
import logging
import signal
import socket
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic

import uvicorn
from starlette.types import ASGIApp

from emberboard.engine.errors import Refused
from emberboard.play.opening import refuse_losses
from emberboard.play.reports import report_error
from emberboard.table.roles import Theme
from emberboard.table.works import Works
from emberboard.web.app import build_app
from emberboard.web.connections import STALLED_MS, Line, protocol_of
from emberboard.web.door import JOIN_PAGE, Door, new_code, spoken
from emberboard.web.parlour import Parlour
from emberboard.web.qr import qr_terminal
from emberboard.web.talk import MOST_BYTES

PORT = 8460
"""Where the page is served when nothing else is said; the next free one when it is taken."""
TRIES = 20
LEAVE_S = 1
"""So long pages may take to go when the host is stopped."""
MOST_HEAD = 16_384
"""Bytes of a request's head."""
MOST_REPORTS = 20
ENDS = (signal.SIGINT, signal.SIGTERM)


def bind(port: int, lan: bool) -> socket.socket:
    """A listening socket at `port`, or (0) at the first free one from PORT on. Raises Refused."""
    address = "0.0.0.0" if lan else "127.0.0.1"
    for number in [port] if port else range(PORT, PORT + TRIES):
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STALLED_MS)
            sock.bind((address, number))
            # At once: two that only bound the port would both believe that it is theirs.
            sock.listen(128)
        except OSError as error:
            sock.close()
            if error.errno != errno.EADDRINUSE:
                raise Refused(
                    f"Port {number} cannot be used: {error.strerror}. Choose another with --port, 1024 or higher."
                ) from error
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
    return [one for one in dict.fromkeys(found) if not one.startswith(("127.", "0."))]


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
    sock: socket.socket,
    *,
    lan: bool = False,
    browser: bool = True,
    say: Callable[[str], None],
    resume: Path | None = None,
    theme: Theme | None = None,
) -> None:
    """Serve at a listening socket until Ctrl-C or SIGTERM, and close the table then.

    `resume` is a save to go on with at once; when that cannot be opened its EmberboardError is raised.
    """
    port = sock.getsockname()[1]
    code = new_code() if lan else ""
    outside = next(iter(lan_addresses()), "") if lan else ""
    join = f"http://{outside}:{port}{JOIN_PAGE}#{code}" if outside else ""
    parlour = Parlour(works, tags, join, theme)
    url = f"http://127.0.0.1:{port}/"

    def begun() -> None:
        say(f"The table is at {url}")
        if join:
            say(f"Others in your network join at http://{outside}:{port}/ with the code {spoken(code)}, or scan this:")
            say(qr_terminal(join))
        elif lan:
            say("This machine has no address in a network just now: nobody else can join.")
        say("Ctrl-C closes it; the fight is kept at every input.")
        if browser and not _open(url):
            say("Open that address in a browser on this machine.")

    app = build_app(parlour, lambda inner: Door(inner, host_names(port, lan), code, monotonic))
    with _reporting(say):
        asyncio.run(_run(parlour, server_of(app, begun), sock, resume))


class Server(uvicorn.Server):
    """Calls `begun` when pages can come, and leaves signals to who runs it."""

    def __init__(self, config: uvicorn.Config, begun: Callable[[], None]) -> None:
        super().__init__(config)
        self.begun = begun

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say so."""
        await super().startup(sockets)
        self.begun()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """None: uvicorn would end the process by SIGTERM before the table is closed."""
        yield

    def stop(self) -> None:
        """End: pages are told; asked a second time, without waiting for them."""
        self.force_exit = self.should_exit
        self.should_exit = True


def server_of(app: ASGIApp, begun: Callable[[], None]) -> Server:
    """A server of the application, with every bound that is kept before the application is asked."""
    config = uvicorn.Config(
        app,
        http=protocol_of(Line()),
        lifespan="off",
        log_config=None,
        log_level="error",
        access_log=False,
        # Who is at this machine is told by the connection alone; a header can be made up.
        proxy_headers=False,
        server_header=False,
        ws_max_size=MOST_BYTES,
        ws_ping_interval=15,
        h11_max_incomplete_event_size=MOST_HEAD,
        timeout_graceful_shutdown=LEAVE_S,
    )
    return Server(config, begun)


async def _run(parlour: Parlour, server: Server, sock: socket.socket, resume: Path | None) -> None:
    loop = asyncio.get_running_loop()
    try:
        if resume is not None:
            await parlour.go_on(resume, refuse_losses)
        for number in ENDS:
            loop.add_signal_handler(number, server.stop)
        await server.serve(sockets=[sock])
    finally:
        for number in ENDS:
            loop.remove_signal_handler(number)
        await parlour.close()


def _open(url: str) -> bool:
    """Open a browser in a window; whether there is one. A browser in the terminal would cover what is said there."""
    with suppress(webbrowser.Error):
        found = webbrowser.get()
        return type(found) is not webbrowser.GenericBrowser and found.open(url)
    return False


@contextmanager
def _reporting(say: Callable[[str], None]) -> Iterator[None]:
    """What breaks while pages are served goes into reports; players get a line, and no traceback."""
    handler = _Reports(say)
    loggers = [logging.getLogger(name) for name in ("uvicorn.error", "asyncio")]
    for logger in loggers:
        logger.addHandler(handler)
        logger.propagate = False
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
            logger.propagate = True


class _Reports(logging.Handler):
    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__(logging.ERROR)
        self._say, self._left = say, MOST_REPORTS

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is None or isinstance(error, asyncio.CancelledError) or not self._left:
            return
        self._left -= 1
        self._say(f"{report_error(error, 'while the page was served')} Play goes on.")
