"""Files that come and go over HTTP: pictures of saves, saves to take away and to bring in, the dispute capsule.

Saves are the table's; a guest's page gets none of them. Each refusal is one line of words.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from pathlib import Path
from urllib.parse import quote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from emberboard.engine.errors import EmberboardError, Refused
from emberboard.engine.example_file import Sensed
from emberboard.engine.session import Session
from emberboard.games.desk import DESKS
from emberboard.play.capsule import write_capsule
from emberboard.play.pictures import Pictures
from emberboard.store.exchange import MOST_BYTES, export_bytes, export_name, import_bytes
from emberboard.store.saves import save_named
from emberboard.web.parlour import Parlour

BODY_S = 120.0
"""So long a file may take to come in."""
MOST_NAME = 120
"""Letters of the name that a file comes in under."""
GUEST = "Only the page at the table itself can do this."


def save_routes(parlour: Parlour) -> list[BaseRoute]:
    """The routes of saves and of the capsule."""
    pictures, drawing = Pictures(), asyncio.Lock()

    async def picture(request: Request) -> Response:
        found = _save(request)
        if isinstance(found, Response):
            return found
        async with drawing:  # pictures are of one thread
            svg = await asyncio.to_thread(pictures.svg, found)
        if svg is None:
            return PlainTextResponse("There is no picture of this save.", 404)
        return Response(svg, media_type="image/svg+xml")

    async def capsule(request: Request) -> Response:
        browser = request.scope["browser"]
        mine = [one for one in parlour.seating.seats if _sits(parlour, one, browser)]
        try:
            name, text = capsule_of(parlour, mine, table=request.scope["table"])
        except EmberboardError as error:
            return PlainTextResponse(str(error), 409)
        return _download(text.encode(), name, "application/yaml")

    return [
        Route("/saves/{name}.svg", picture),
        Route("/saves/{name}.ember", _export),
        Route("/saves", _import, methods=["POST"]),
        Route("/capsule", capsule),
    ]


def _sits(parlour: Parlour, seat: str, browser: str) -> bool:
    holder = parlour.seating.holder(seat)
    return holder is not None and holder.browser == browser


def _download(data: bytes, name: str, kind: str) -> Response:
    named = {"content-disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
    return Response(data, media_type=kind, headers=named)


def _save(request: Request) -> Path | Response:
    """The save that is asked for, or why not."""
    if not request.scope["table"]:
        return PlainTextResponse(GUEST, 403)
    try:
        return save_named(request.path_params["name"])
    except EmberboardError as error:
        return PlainTextResponse(str(error), 404)


async def _export(request: Request) -> Response:
    found = _save(request)
    if isinstance(found, Response):
        return found
    try:
        data = await asyncio.to_thread(export_bytes, found)
    except EmberboardError as error:
        return PlainTextResponse(str(error), 409)
    return _download(data, export_name(found), "application/vnd.sqlite3")


async def _import(request: Request) -> Response:
    if not request.scope["table"]:
        return PlainTextResponse(GUEST, 403)
    name = request.query_params.get("name", "")
    if not 0 < len(name) <= MOST_NAME or not name.isprintable():
        return PlainTextResponse(f"A file needs a name of 1 to {MOST_NAME} letters.", 400)
    try:
        async with asyncio.timeout(BODY_S):
            data = await _body(request)
        path = await asyncio.to_thread(import_bytes, data, name, DESKS)
    except TimeoutError:
        return PlainTextResponse("The file did not come through in time. Bring it in again.", 408)
    except ClientDisconnect:
        return PlainTextResponse("The file broke off. Bring it in again.", 400)
    except Refused as error:
        return PlainTextResponse(str(error), 400)
    except EmberboardError as error:
        return PlainTextResponse(str(error), 409)
    return JSONResponse({"name": path.stem})


async def _body(request: Request) -> bytes:
    """All that comes, never more than a save can be. Raises Refused."""
    told = request.headers.get("content-length", "0")
    data = bytearray()
    if told.isdecimal() and int(told) <= MOST_BYTES:
        async for chunk in request.stream():
            data += chunk
            if len(data) > MOST_BYTES:
                break
        else:
            return bytes(data)
    raise Refused(f"The file is larger than {MOST_BYTES >> 20} MiB, and no save is. Choose an exported save.")


# -- the dispute capsule ----------------------------------------------------------------------------------------------


def capsule_of(parlour: Parlour, mine: Collection[str], *, table: bool) -> tuple[str, str]:
    """The capsule of this moment for a page of the seats `mine`: the file's name, and its text.

    It holds the state and the last inputs whole, so a guest gets it only while nothing in there is hidden from it.
    Raises EmberboardError.
    """
    fight = parlour.playing()
    if not table:
        if not mine:
            raise Refused("Take a seat first: whoever looks on cannot take a capsule away.")
        _nothing_hidden(fight.session, mine)
    trace = [Sensed(at, text) for at, text in parlour.trace]
    text = write_capsule(fight.session, sensor_trace=trace)
    return f"{fight.path.stem}-at-{fight.session.head}.yaml", text


def _nothing_hidden(session: Session, mine: Collection[str]) -> None:
    pending = session.question
    others = {note.seat for note in session.log if note.seat} - set(mine)
    if pending is not None and pending.who.mode == "each":
        others |= set(pending.who.seats) - set(session.waiting()) - set(mine)
    if others:
        raise Refused(f"It would show what only {', '.join(sorted(others))} may know: write it at the table's page.")
