"""The door of the host: who may come in, from where, and what each browser is.

Requests are let in only for the table's own names and address (so that a stranger's page cannot reach it by a name of
its own), and whatever can change something only from the table's own page. Requests from this machine are the table's.
All others (only with `--lan`) need the join code once; then a cookie knows the browser. Secrets are never logged.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections import OrderedDict, deque
from collections.abc import Callable, Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "emberboard"
LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Of join codes: none that is taken for another."""
MOST_BROWSERS = 200
TRIES, TRIES_S = 8, 60.0
"""So many wrong codes in so many seconds are heard from one address."""
OPEN = ("/join", "/join.html", "/page.css", "/join.js")
"""What a browser gets that has not joined yet."""
HEADERS = {
    "content-security-policy": (
        "default-src 'self'; img-src 'self' data: blob:; style-src 'self'; script-src 'self'; connect-src 'self'; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}


def new_code() -> str:
    """A join code of eight letters: 40 bits."""
    return "".join(secrets.choice(LETTERS) for _ in range(8))


class Door:
    """ASGI middleware. `hosts` are the names with port that the table goes by; without a `code` only this machine may.

    Lets through with `scope["browser"]` (its secret) and `scope["table"]` (whether it is the table's own).
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str], code: str, clock: Callable[[], float]) -> None:
        self.app, self.hosts, self.code, self.clock = app, frozenset(hosts), code, clock
        self._browsers: OrderedDict[str, bool] = OrderedDict()
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let in, or turn away."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        headers, here = connection.headers, _is_here(scope)
        answer = self._stranger(scope, headers, here)
        secret = connection.cookies.get(COOKIE, "")
        known = secret in self._browsers
        fresh = ""
        if answer is None and not known and here:
            secret = fresh = self._remember()
        elif answer is None and not known:
            answer, fresh = self._at_the_door(connection)
        if answer is not None:
            if fresh:
                _set_cookie(answer, fresh)
            await self._turn_away(answer, scope, receive, send)
            return
        scope["browser"], scope["table"] = secret, here
        await self.app(scope, receive, _with_headers(send, fresh))

    def _stranger(self, scope: Scope, headers: Headers, here: bool) -> Response | None:
        """Who asks for another name, or from another page, is a stranger."""
        if headers.get("host", "") not in self.hosts:
            return PlainTextResponse("This is not the address of the table.", 421)
        if not here and not self.code:
            return PlainTextResponse("This table is played at its own machine only.", 403)
        origin = headers.get("origin")
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if origin is not None and origin.partition("://")[2] not in self.hosts:
            return PlainTextResponse("Another site's page may not use the table.", 403)
        if changes and origin is None:
            return PlainTextResponse("Only the table's own page may do this.", 403)
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate":
            return PlainTextResponse("Another site's page may not use the table.", 403)
        return None

    def _at_the_door(self, connection: HTTPConnection) -> tuple[Response | None, str]:
        """A browser that has not joined: what it gets, and its secret when its code was right."""
        path = connection.url.path
        if path == "/join" and "code" in connection.query_params:
            address = connection.client.host if connection.client else ""
            if not self._may_try(address):
                return PlainTextResponse("Too many wrong codes: wait a minute.", 429), ""
            given = connection.query_params["code"].upper().replace("-", "").replace(" ", "")
            if hmac.compare_digest(given.encode(), self.code.encode()):
                return RedirectResponse("/", 303), self._remember()
            self._wrong[address].append(self.clock())
            return RedirectResponse("/join.html?wrong=1", 303), ""
        if path in OPEN:
            return None, ""
        if connection.scope["type"] == "http" and path == "/":
            return RedirectResponse("/join.html", 303), ""
        return PlainTextResponse("Join first: scan the code on the table's page.", 401), ""

    def _may_try(self, address: str) -> bool:
        wrong = self._wrong.setdefault(address, deque())
        self._wrong.move_to_end(address)
        while len(self._wrong) > MOST_BROWSERS:
            self._wrong.popitem(last=False)
        while wrong and self.clock() - wrong[0] > TRIES_S:
            wrong.popleft()
        return len(wrong) < TRIES

    def _remember(self) -> str:
        secret = secrets.token_urlsafe(24)
        self._browsers[secret] = True
        while len(self._browsers) > MOST_BROWSERS:
            self._browsers.popitem(last=False)
        return secret

    async def _turn_away(self, answer: Response, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": ""})
            return
        await answer(scope, receive, _with_headers(send, ""))


def _is_here(scope: Scope) -> bool:
    client = scope.get("client")
    if not client:
        return False
    try:
        return ipaddress.ip_address(client[0]).is_loopback
    except ValueError:
        return False


def _cookie(secret: str) -> str:
    return f"{COOKIE}={secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age=604800"


def _set_cookie(answer: Response, secret: str) -> None:
    answer.headers.append("set-cookie", _cookie(secret))


def _with_headers(send: Send, secret: str) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.accept"):
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            if secret:
                headers.append("set-cookie", _cookie(secret))
        await send(message)

    return sent
