"""New firmware over the bus: the host's steps of an UPDATE, sans-IO.

`update_steps` is a generator: it yields what to ask of the board (type, payload) and is sent the Answer. The board
writes into the slot that does not run; a chunk that got lost is said again from where the board is; a damaged file is
sent once more. After the last step the board restarts into the new slot, *unconfirmed*: once it is back and well (the
BoardFlag "unconfirmed" comes), ask `confirm()`; without it the start after that takes the old slot again.
Source: PROTOCOL.md, "Service".
"""

from __future__ import annotations

import binascii
from collections.abc import Generator, Mapping

from emberboard.link import protocol as p
from emberboard.link.bus_events import Answer

AGAIN = 3  # times a damaged file is sent
BUSY_LIMIT = 200  # times in a row a busy board is asked again


class UpdateError(RuntimeError):
    """A board did not take its new firmware; it runs the old one still. The text says which file, and why."""


Steps = Generator[tuple[int, bytes], Answer, None]


def confirm() -> tuple[int, bytes]:
    """What to ask when the new firmware runs well: keep it."""
    return p.UPDATE, bytes((p.CONFIRM,))


def update_steps(files: Mapping[str, bytes], session: int) -> Steps:
    """The steps for one board: `files` are the new slot's, name -> content. Raises UpdateError."""
    if not files:
        raise UpdateError("an update without files: nothing was sent")
    answer = yield p.HELLO, p.hello_payload(session, p.SERVICE)
    if answer.error:
        raise UpdateError(f"the board does not go into service: {answer.error}")
    for name, content in files.items():
        yield from _file(name, content)
    yield from _step("the update", bytes((p.ACTIVATE,)))
    answer = yield p.RESET, bytes((p.RESTART,))
    if answer.error:
        raise UpdateError(f"the board does not restart: {answer.error}")


def _step(what: str, payload: bytes) -> Generator[tuple[int, bytes], Answer, tuple[int, int]]:
    """Ask until the board is not busy: (error code or 0, offset due next)."""
    for _ in range(BUSY_LIMIT):
        answer = yield p.UPDATE, payload
        if answer.kind == p.PROGRESS:
            _, code, offset = p.read_progress(answer.payload)
            if code and code not in (p.BAD_OFFSET, p.BAD_CRC):
                raise UpdateError(f"{what}: the board {p.ERROR_WORDS.get(code, f'says error {code}')}")
            return code, offset
        if answer.kind != p.ERROR or answer.payload[0] != p.BUSY:
            raise UpdateError(f"{what}: {answer.error}")
    raise UpdateError(f"{what}: the board stayed busy")


def _file(name: str, content: bytes) -> Generator[tuple[int, bytes], Answer, None]:
    begin = p.update_begin_payload(len(content), binascii.crc32(content), name.encode())
    for _ in range(AGAIN):
        _, offset = yield from _step(name, begin)
        while offset < len(content):
            chunk = content[offset : offset + p.CHUNK]
            before = offset
            code, offset = yield from _step(name, p.update_data_payload(offset, chunk))
            if not code and offset <= before:
                raise UpdateError(f"{name}: the board takes no chunk at {before} of {len(content)} bytes")
        code, _ = yield from _step(name, bytes((p.END,)))
        if not code:
            return
    raise UpdateError(f"{name}: it came damaged {AGAIN} times; look at the line's statistics")
