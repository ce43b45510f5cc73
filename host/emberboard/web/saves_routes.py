"""Saves over HTTP: their pictures, files to take away, a file to bring in.

Saves are the table's; a guest's page gets none of them. Each refusal is one line of words.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import quote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from emberboard.engine.errors import EmberboardError, Refused
from emberboard.games.desk import DESKS
from emberboard.play.pictures import Pictures
from emberboard.store.exchange import MOST_BYTES, export_bytes, export_name, import_bytes
from emberboard.store.saves import save_named
from emberboard.web.seating import TABLE_ONLY

BODY_S = 120.0
"""So long a file may take to come in."""
MOST_NAME = 120
"""Letters of the name that a file comes in under."""


def save_routes() -> list[BaseRoute]:
    """The routes of saves."""
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

    return [
        Route("/saves/{name}.svg", picture),
        Route("/saves/{name}.ember", _export),
        Route("/saves", _import, methods=["POST"]),
    ]


def _save(request: Request) -> Path | Response:
    """The save that is asked for, or why not."""
    if not request.scope["table"]:
        return PlainTextResponse(TABLE_ONLY, 403)
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
    named = {"content-disposition": f"attachment; filename*=UTF-8''{quote(export_name(found))}"}
    return Response(data, media_type="application/vnd.sqlite3", headers=named)


async def _import(request: Request) -> Response:
    if not request.scope["table"]:
        return PlainTextResponse(TABLE_ONLY, 403)
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
