"""All segments of a table as one bus: a master each, boards addressed by uid wherever they hang. Still sans-IO."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from emberboard.link.bus_events import BoardBack, BoardFound, BoardLost, BoardState, BusEvent, LineDown
from emberboard.link.master import SegmentMaster
from emberboard.link.timing import Timing


class Segments:
    """The masters of a table's segments. Uids are hex here, as in the events. Times are in us."""

    def __init__(self, count: int, session: int, timing: Timing | None = None) -> None:
        if count < 1:
            raise ValueError("a table has one segment at least")
        self.masters = [SegmentMaster(i, session, timing) for i in range(count)]
        self._home: dict[str, int] = {}

    def show(self, roles: Mapping[str, bytes]) -> None:
        """The picture wanted: uid -> 18 bytes of roles. Boards not named keep theirs."""
        for i, master in enumerate(self.masters):
            # A board not found yet may turn up on any segment.
            part = {bytes.fromhex(uid): packed for uid, packed in roles.items() if self._home.get(uid, i) == i}
            if part:
                master.show(part)

    def set_palette(self, entries: list[tuple[int, int, int, int, int]]) -> None:
        """The palette of all boards: up to 16 of red, green, blue, effect, period in 20 ms."""
        for master in self.masters:
            master.set_palette(entries)

    def set_scale(self, scale: int) -> None:
        """The table-wide power scale, 0..255."""
        for master in self.masters:
            master.set_scale(scale)

    def ask(self, uid: str, kind: int, payload: bytes, ticket: int) -> None:
        """Ask a board something: an Answer with `ticket` (not 0) comes."""
        self.masters[self._home.get(uid, 0)].ask(bytes.fromhex(uid), kind, payload, ticket)

    def events(self) -> list[BusEvent]:
        """What happened on all segments since the last call."""
        told = [event for master in self.masters for event in master.events()]
        for event in told:
            if isinstance(event, BoardFound):
                self._moved_to(event.identity.uid, event.segment)
            elif isinstance(event, BoardBack):
                self._moved_to(event.uid, event.segment)
        return told

    def standing(self) -> list[BusEvent]:
        """How things stand, for somebody who did not hear the events so far: what boards feel, which are lost."""
        told: list[BusEvent] = []
        for master in self.masters:
            for board in master.boards.values():
                if board.found and not board.alive:
                    told.append(BoardLost(master.segment, board.name))
                elif board.known is not None:
                    told.append(BoardState(master.segment, board.name, board.known, False))
            if master.down:
                told.append(LineDown(master.segment, f"segment {master.segment}: no board answers"))
        return told

    def _moved_to(self, uid: str, segment: int) -> None:
        """A board plugged into another segment is no longer one of the first."""
        before = self._home.get(uid, segment)
        self._home[uid] = segment
        if before != segment:
            self.masters[before].forget(bytes.fromhex(uid))

    def statistics(self) -> dict[str, dict[str, float]]:
        """Counters of each board's line by uid."""
        return {board.name: asdict(board.statistics) for master in self.masters for board in master.boards.values()}

    def trace(self, segment: int) -> list[tuple[int, str, bytes]]:
        """The last 100 frames each way, in order: us, ">" to the boards or "<" from them, the bytes on the wire."""
        master = self.masters[segment]
        both = [(at, ">", wire) for at, wire in master.sent] + [(at, "<", wire) for at, wire in master.received]
        return sorted(both, key=lambda row: row[0])
