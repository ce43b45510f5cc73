"""The door of the host: who may come in, from where, and what each browser is.

Requests are heard only for the table's own names and address (a stranger's page that renames itself, DNS rebinding, is
turned away), and whatever can change something only from the table's own page. Requests from this machine are the
table's. All others (only with `--lan`) give the join code once, in a body and never in an address; then a cookie knows
the browser. No secret is ever logged. `docs/network.md` says what that keeps out, and what it does not.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import secrets
from collections import OrderedDict, deque
from collections.abc import Callable, Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TABLE = "the table"
"""What stands for a browser's secret where the browser is the table's own: there it needs none."""
LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Of join codes: none that is taken for another."""
CODE_LENGTH = 8
JOIN = "/join"
JOIN_PAGE = "/join.html"
OPEN = (JOIN_PAGE, "/join.css", "/js/join.js", "/page.css", "/icon.svg")
"""What a browser gets that has not joined yet."""
MOST_GUESTS, MOST_OF_ONE = 200, 20
"""So many browsers are remembered in all, and of one address; who was not heard for the longest time goes first."""
TRIES, TRIES_IN_ALL, TRIES_S = 8, 120, 60.0
"""So many wrong codes in so many seconds are heard from one address, and from all."""
BODY, BODY_S = 64, 5.0
"""A code's body: so many bytes at most, within so many seconds."""
HEADERS = {
    "content-security-policy": (
        "default-src 'self'; img-src 'self' data: blob:; style-src 'self'; script-src 'self'; connect-src 'self'; "
        "object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}
HEADERS_HERE = {"cross-origin-opener-policy": "same-origin"}
"""Only at this machine: browsers heed it there, and complain of it at a bare address without TLS."""


def new_code() -> str:
    """A join code of eight letters: 40 bits."""
    return "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))


def spoken(code: str) -> str:
    """A code as people read it out: `ABCD-EFGH`."""
    return f"{code[:4]}-{code[4:]}"


class Tries:
    """Wrong codes of late: `full` when there were `most` of them within TRIES_S."""

    def __init__(self, most: int, clock: Callable[[], float]) -> None:
        self._most, self._clock = most, clock
        self._at: deque[float] = deque(maxlen=most)

    def full(self) -> bool:
        """Whether no more is heard just now."""
        return len(self._at) == self._most and self._clock() - self._at[0] <= TRIES_S

    def count(self) -> None:
        """One more."""
        self._at.append(self._clock())


class Door:
    """ASGI middleware. `hosts` are the names with port that the table goes by; without a `code` only this machine may.

    Lets through with `scope["browser"]` (a guest's secret, or TABLE) and `scope["table"]` (whether it is the table's
    own). The cookie bears the port in its name, because a browser keeps one jar for all ports of a machine.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str], code: str, clock: Callable[[], float]) -> None:
        self.app, self.hosts, self.code, self.clock = app, frozenset(map(host_named, hosts)), code, clock
        ports = {host.rpartition(":")[2] for host in self.hosts}
        self.cookie = f"emberboard-{min(ports, default='')}"
        self._guests: OrderedDict[str, str] = OrderedDict()
        self._wrong: OrderedDict[str, Tries] = OrderedDict()
        self._wrong_in_all = Tries(TRIES_IN_ALL, clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let in, or turn away."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        here = is_here(scope)
        answer = self._stranger(scope, here)
        browser = TABLE if here else self._guest(scope)
        if answer is None and scope["type"] == "http" and scope["path"] == JOIN:
            answer = Response(status_code=204) if browser else await self._join(Request(scope, receive))
        elif answer is None and not browser:
            answer = _at_the_door(scope)
        if answer is not None:
            await _turn_away(answer, scope, receive, send, here)
            return
        scope["browser"], scope["table"] = browser, here
        await self.app(scope, receive, _with_headers(send, here))

    def _stranger(self, scope: Scope, here: bool) -> Response | None:
        """Who asks for another name, or from another page, is a stranger."""
        headers = Headers(scope=scope)
        host = host_named(_only(headers, "host"))
        if host not in self.hosts and host != _own_address(scope):
            return PlainTextResponse("This is not the address of the table.", 421)
        if not here and not self.code:
            return PlainTextResponse("This table is played at its own machine only.", 403)
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if "origin" in headers and _page_of(_only(headers, "origin")) != host:
            return PlainTextResponse("Another site's page may not use the table.", 403)
        if changes and "origin" not in headers:
            return PlainTextResponse("Only the table's own page may do this.", 403)
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate":
            return PlainTextResponse("Another site's page may not use the table.", 403)
        return None

    def _guest(self, scope: Scope) -> str:
        """The secret of a browser that has joined, or nothing. What a browser made up itself is never one."""
        secret = HTTPConnection(scope).cookies.get(self.cookie, "")
        if secret not in self._guests:
            return ""
        self._guests.move_to_end(secret)
        return secret

    async def _join(self, request: Request) -> Response:
        """A code is given: whether it is the right one."""
        if request.method != "POST":
            return PlainTextResponse("Join first: scan the code on the table's page.", 401)
        given = await _body(request)
        if given is None:
            return PlainTextResponse("That is not a code.", 413)
        # Counted after the body is here: who sends many at once and holds them back gains nothing.
        address = request.client.host if request.client else ""
        tries = self._tries(address)
        if tries.full() or self._wrong_in_all.full():
            return PlainTextResponse("Too many wrong codes. Wait a minute, then try again.", 429)
        plain = "".join(given.upper().split()).replace("-", "")
        if hmac.compare_digest(plain.encode(), self.code.encode()):
            answer = Response(status_code=204)
            answer.headers["set-cookie"] = (
                f"{self.cookie}={self._remember(address)}; HttpOnly; SameSite=Strict; Path=/; Max-Age=604800"
            )
            return answer
        tries.count()
        self._wrong_in_all.count()
        return PlainTextResponse("That is not the code of this table. It is shown on the table's own page.", 403)

    def _tries(self, address: str) -> Tries:
        tries = self._wrong.setdefault(address, Tries(TRIES, self.clock))
        self._wrong.move_to_end(address)
        while len(self._wrong) > MOST_GUESTS:
            self._wrong.popitem(last=False)
        return tries

    def _remember(self, address: str) -> str:
        same = [secret for secret, at in self._guests.items() if at == address]
        if len(same) >= MOST_OF_ONE:
            del self._guests[same[0]]
        elif len(self._guests) >= MOST_GUESTS:
            self._guests.popitem(last=False)
        secret = secrets.token_urlsafe(24)
        self._guests[secret] = address
        return secret


def host_named(host: str) -> str:
    """A host as it is compared: small letters, no dot at the end, always with its port; empty for none."""
    name, colon, port = host.strip().lower().rpartition(":")
    if not colon or not port.isdecimal():
        name, port = host.strip().lower(), "80"
    name = name.removesuffix(".")
    return f"{name}:{port}" if name else ""


def is_here(scope: Scope) -> bool:
    """Whether a request comes from this very machine. Headers of proxies are not asked."""
    client = scope.get("client")
    if not client:
        return False
    try:
        return ipaddress.ip_address(client[0]).is_loopback
    except ValueError:
        return False


def _only(headers: Headers, name: str) -> str:
    """The header, where it stands exactly once."""
    found = headers.getlist(name)
    return found[0] if len(found) == 1 else ""


def _page_of(origin: str) -> str:
    scheme, _, host = origin.partition("://")
    return host_named(host) if scheme == "http" and "/" not in host else "no page of ours"


def _own_address(scope: Scope) -> str:
    """The address that this connection came to: a network may have given the machine another since it started.

    A page that renames itself cannot use it, since it would have to be loaded from a bare address.
    """
    address, port = scope.get("server") or ("", 0)
    try:
        return host_named(f"{ipaddress.IPv4Address(address)}:{port}")
    except ValueError:
        return "no address of ours"


def _at_the_door(scope: Scope) -> Response | None:
    """What a browser gets that has not joined."""
    if scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
        if scope["path"] in OPEN:
            return None
        if scope["path"] == "/":
            return RedirectResponse(JOIN_PAGE, 303)
    return PlainTextResponse("Join first: scan the code on the table's page.", 401)


async def _body(request: Request) -> str | None:
    """A short body in time, or None."""
    body = b""
    try:
        async with asyncio.timeout(BODY_S):
            async for part in request.stream():
                body += part
                if len(body) > BODY:
                    return None
    except (TimeoutError, ClientDisconnect):
        return None
    return body.decode("utf-8", "replace")


async def _turn_away(answer: Response, scope: Scope, receive: Receive, send: Send, here: bool) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": ""})
        return
    await answer(scope, receive, _with_headers(send, here))


def _with_headers(send: Send, here: bool) -> Send:
    given = HEADERS | HEADERS_HERE if here else HEADERS

    async def sent(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.accept"):
            headers = MutableHeaders(scope=message)
            for name, value in given.items():
                headers[name] = value
        await send(message)

    return sent
