"""Who sits where: seats are claimed by pages, and nobody answers for another unless the table allows it.

A browser is known by its cookie, a page in it by a name of its own, which survives a reload. The laptop at the table
(`table`) may do everything. Everybody else is a guest: with a seat one plays it, without one only looks on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from emberboard.engine.errors import Refused

TABLE_ONLY = "Only the page at the table itself can do this."


class Visitor(msgspec.Struct, frozen=True):
    """A page: its browser's secret, its own name, and whether that browser is the table's."""

    browser: str
    page: str
    table: bool


class Seating:
    """The seats of one fight. Raises Refused with words for players wherever something may not be."""

    def __init__(self) -> None:
        self.seats: tuple[str, ...] = ()
        self.trust = False
        self._taken: dict[str, Visitor] = {}

    def lay(self, seats: Sequence[str]) -> None:
        """Another fight: who sits at a seat of the same name stays there."""
        self.seats = tuple(seats)
        self._taken = {seat: who for seat, who in self._taken.items() if seat in self.seats}

    def of(self, who: Visitor) -> tuple[str, ...]:
        """The seats of a page, in the game's order."""
        return tuple(seat for seat in self.seats if self._taken.get(seat) == who)

    def role(self, who: Visitor) -> Literal["table", "seat", "watcher"]:
        """What a page may do."""
        if who.table:
            return "table"
        return "seat" if self.of(who) else "watcher"

    def holder(self, seat: str) -> Visitor | None:
        """The page that sits there."""
        return self._taken.get(seat)

    def claim(self, who: Visitor, seat: str) -> None:
        """Sit down. A browser may take its own seat over into another of its pages; the table may take any."""
        if seat not in self.seats:
            raise Refused(f"There is no seat {seat!r}; seats: {', '.join(self.seats) or 'none yet'}.")
        holder = self._taken.get(seat)
        if holder is not None and holder.browser != who.browser and not who.table:
            raise Refused(f"{seat} is taken. Whoever sits there can stand up, or the table can free the seat.")
        self._taken[seat] = who

    def leave(self, who: Visitor, seat: str) -> None:
        """Stand up; the table may free any seat."""
        holder = self._taken.get(seat)
        if holder is None:
            raise Refused(f"Nobody sits at {seat}.")
        if holder != who and not who.table:
            raise Refused(f"Only who sits at {seat}, or the table, can free it.")
        del self._taken[seat]

    def speaker(self, who: Visitor, seat: str) -> str:
        """The seat that a page speaks for, checked; an empty one is the table itself, or a page's only seat."""
        mine = self.of(who)
        if not seat:
            if who.table:
                return ""
            if len(mine) == 1:
                return mine[0]
            raise Refused("Say for which seat." if mine else "Take a seat first: whoever looks on cannot play.")
        if seat not in self.seats:
            raise Refused(f"There is no seat {seat!r}; seats: {', '.join(self.seats) or 'none yet'}.")
        if seat in mine or who.table or (self.trust and mine):
            return seat
        raise Refused(f"You do not sit at {seat}. The table can allow that seats answer for each other.")

    def player(self, who: Visitor) -> None:
        """Raise Refused unless this page plays: sits at a seat, or is the table."""
        if self.role(who) == "watcher":
            raise Refused("Take a seat first: whoever looks on cannot play.")

    def table(self, who: Visitor) -> None:
        """Raise Refused unless this page is the table's."""
        if not who.table:
            raise Refused(TABLE_ONLY)
