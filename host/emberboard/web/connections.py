"""Connections, before anything is asked on them: bounded for each address and in all, and hung up on when they stall.

What the application bounds (pages, messages, bodies) begins only with a whole request. A stranger who opens hundreds of
connections, or sends a request letter by letter, would use up the host's files before that. The table's own machine is
not bounded, so that the table's page always comes in.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections import Counter

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST, MOST_OF_ADDRESS = 200, 40
"""Open connections of strangers, in all and from one address: a phone's browser opens six, and one a page."""
HEAD_S = 10.0
"""So long a request's head may take."""
STALLED_MS = 30_000
"""So long the other end may leave what was sent to it unconfirmed."""


class Line:
    """The connections of strangers that are open now."""

    def __init__(self) -> None:
        self._open: dict[asyncio.Transport, str] = {}

    def join(self, transport: asyncio.Transport, address: str) -> bool:
        """A connection was opened; whether there is room for it."""
        # Asked of the socket itself: a transport that closes may for long have something left to send.
        self._open = {one: at for one, at in self._open.items() if one.get_extra_info("socket").fileno() >= 0}
        if len(self._open) >= MOST or Counter(self._open.values())[address] >= MOST_OF_ADDRESS:
            return False
        self._open[transport] = address
        return True


def protocol_of(line: Line) -> type[asyncio.Protocol]:
    """The protocol of one server: HTTP with these bounds."""

    class Bounded(H11Protocol):
        _late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            address = self.client[0] if self.client else ""
            if _is_stranger(address) and not line.join(transport, address):
                transport.abort()
                return
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
            super().connection_lost(exc)

        def _watch(self) -> None:
            """Between requests uvicorn's own timer runs; this one from the first byte of a head to its last."""
            if self.conn.their_state is not h11.IDLE:
                self._stop()
            elif self._late is None:
                self._late = self.loop.call_later(HEAD_S, self.transport.abort)

        def _stop(self) -> None:
            if self._late is not None:
                self._late.cancel()
                self._late = None

    return Bounded


def _is_stranger(address: str) -> bool:
    try:
        return not ipaddress.ip_address(address).is_loopback
    except ValueError:
        return True
