"""The picture of a segment on its way to the boards: who still lacks what, and when LATCH is due.

Only boards that differ are sent anything. A picture is open from its first LIGHTS or PALETTE until LATCH; who cannot be
reached is left out of it, so that nobody waits for a lost board, and is served in the next one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from emberboard.link import protocol as p
from emberboard.link.board_record import Board

Entry = tuple[int, int, int, int, int]


@dataclass(slots=True)
class Picture:
    """`wanted` is uid -> 18 bytes of roles, `version` counts palettes, `number` is the open or last frame number,
    `latched` the last that was latched (both mod 256), `serving` who is still to be served in the open picture."""

    wanted: dict[bytes, bytes] = field(default_factory=dict)
    palette: list[Entry] = field(default_factory=list)
    version: int = 0
    number: int = 0
    latched: int = 0
    serving: dict[bytes, Board] | None = None

    def want_palette(self, entries: list[Entry]) -> None:
        """Another palette for all. Raises ProtocolError."""
        p.palette_payload(0, 0, entries)
        self.palette = list(entries)
        self.version += 1

    def lacks(self, board: Board) -> bool:
        """Whether the board was not sent what is wanted."""
        roles = board.want_roles is not None and board.want_roles != board.sent_roles
        return roles or board.sent_palette != self.version

    def leave_out(self, uid: bytes) -> None:
        """The open picture does not wait for this board."""
        if self.serving is not None:
            self.serving.pop(uid, None)

    def sent(self, board: Board, kind: int, payload: bytes, version: int) -> None:
        """The board took LIGHTS or PALETTE (or refused it: saying it again and again would stop the line)."""
        if kind == p.LIGHTS:
            board.sent_mark, board.sent_roles = payload[0], payload[1:]
        else:
            board.sent_palette = version
        if not self.lacks(board):
            self.leave_out(board.uid)

    def check(self, board: Board, latched: int, status: int, shown: int) -> None:
        """Hold what a board says it shows against what it was sent, after a POLL that carried `latched`."""
        if board.sent_roles is None or (latched - board.sent_mark) & 255 >= 128:
            return
        if shown != board.sent_mark:
            board.sent_roles = None
        if status & p.DARK and board.sent_palette:
            board.forget_light()

    def next_step(self, ready: list[Board], now: int) -> tuple[Board, int, bytes] | None:
        """(board, LIGHTS or PALETTE, payload), opening a picture if one is due; None: `latch_due` tells."""
        if self.serving is None:
            lacking = {board.uid: board for board in ready if board.exchange is None and self.lacks(board)}
            if not lacking:
                return None
            self.number = (self.number + 1) & 255
            self.serving = lacking
        while self.serving:
            board = next(iter(self.serving.values()))
            if not board.alive or board.exchange is not None or board.quiet_until > now or not self.lacks(board):
                del self.serving[board.uid]
                continue
            if board.sent_palette != self.version:
                return board, p.PALETTE, p.palette_payload(self.number, 0, self.palette)
            assert board.want_roles is not None
            return board, p.LIGHTS, p.lights_payload(self.number, board.want_roles)
        return None

    @property
    def latch_due(self) -> bool:
        """An open picture has nobody left to serve."""
        return self.serving is not None and not self.serving

    def latch(self) -> int:
        """Close the picture: the number for LATCH."""
        self.serving = None
        self.latched = self.number
        return self.latched
