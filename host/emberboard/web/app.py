"""The web application: the page's files, its theme, the code to join by, and one WebSocket a page."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from importlib.resources import files

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from emberboard.web.errands import Errands
from emberboard.web.parlour import Parlour
from emberboard.web.qr import qr_svg
from emberboard.web.saves_routes import save_routes
from emberboard.web.talk import Crowd, Talk
from emberboard.web.theme_css import css_of

PAGE = files("emberboard.web") / "page"


def build_app(parlour: Parlour, door: Callable[[ASGIApp], ASGIApp]) -> ASGIApp:
    """The whole application behind its door."""
    errands, crowd = Errands(parlour), Crowd()
    css = css_of(parlour.theme)
    mark = f'"{sha256(css.encode()).hexdigest()[:16]}"'

    async def talk(socket: WebSocket) -> None:
        await Talk(socket, parlour, errands, crowd).run()

    async def index(request: Request) -> Response:
        return FileResponse(str(PAGE / "index.html"))

    async def theme(request: Request) -> Response:
        if request.headers.get("if-none-match") == mark:
            return Response(status_code=304, headers={"etag": mark})
        return Response(css, media_type="text/css", headers={"etag": mark})

    async def join_code(request: Request) -> Response:
        if not request.scope["table"]:
            return PlainTextResponse("The code is shown on the table's own page.", 403)
        if not parlour.join:
            return PlainTextResponse("Nobody else can join: start the table with --lan.", 404)
        return Response(qr_svg(parlour.join), media_type="image/svg+xml", headers={"cache-control": "no-store"})

    routes = [
        Route("/", index),
        Route("/theme.css", theme),
        Route("/join.svg", join_code),
        WebSocketRoute("/talk", talk),
        *save_routes(),
        Mount("/", StaticFiles(directory=str(PAGE))),
    ]
    return door(Starlette(routes=routes))
