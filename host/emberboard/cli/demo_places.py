"""`emberboard demo --learn`: the host knows no board, and a virtual finger touches the lit tiles that it asks for."""

from __future__ import annotations

import re
from collections.abc import Callable
from time import monotonic

from emberboard.cli.board_checks import listen
from emberboard.cli.board_places import found_in, learn
from emberboard.cli.demo_hands import HandsError
from emberboard.engine.question import Cell
from emberboard.link.registry import SIDE
from emberboard.virtual.table import VirtualTable

FOUND_WITHIN = 60.0
"""All boards are found within this time (s), on a loaded machine too."""
LIT_WITHIN = 20.0
"""A tile that is to be touched is lit within this time (s)."""
ASKED = re.compile(r"row (\d+), column (\d+): touch its lit tile at the NORTH-(WEST|EAST)")


def corner(row: int, column: int, east: bool) -> Cell:
    """The cell at the north-west or north-east of the board at a place, counted from 0."""
    return SIDE * column + (SIDE - 1 if east else 0), SIDE * row


class Finger:
    """Touches what the words ask for, once it is lit, and stays there until the next words."""

    def __init__(self, virtual: VirtualTable, say: Callable[[str], None]) -> None:
        self.virtual, self._say = virtual, say
        self.touches = 0
        self._on: Cell | None = None

    def hear(self, words: str) -> None:
        """Do what is asked. Raises HandsError when nothing is lit there."""
        found = ASKED.search(words)
        if found is None:
            self._say(words)
            return
        cell = corner(int(found[1]) - 1, int(found[2]) - 1, found[3] == "EAST")
        end = monotonic() + LIT_WITHIN
        while not any(self.virtual.read_lights()[cell]):
            if monotonic() > end:
                raise HandsError(f"the tile at {cell[0]},{cell[1]} is not lit: {words}")
        self.leave()
        self.virtual.touch(cell)
        self._on = cell
        self.touches += 1

    def leave(self) -> None:
        """Take the finger off the table."""
        if self._on is not None:
            self.virtual.lift(self._on)
            self._on = None


def learn_places(virtual: VirtualTable, say: Callable[[str], None]) -> int:
    """Forget where the boards lie and learn it anew by touches, on a bus that ends with it; how many touches it took.

    Raises HandsError when a board is not found or a tile stays dark, Refused, WireError.
    """
    file, known = virtual.file, virtual.registry
    known.places.clear()
    told = listen(virtual.wire, len(file.segments), FOUND_WITHIN)
    end = monotonic() + FOUND_WITHIN
    while len(found_in(told)) < len(file.places):
        if monotonic() > end:
            raise HandsError(f"only {len(found_in(told))} of {len(file.places)} boards are found")
        told += virtual.wire.events(0.05)
    finger = Finger(virtual, say)
    known.places.update(learn(file, virtual.wire, told, finger.hear))
    finger.leave()
    # The table starts on a bus of its own, as it does after `emberboard boards --learn`.
    virtual.restart_bus()
    say(f"{len(known.places)} places learnt by {finger.touches} touches of lit tiles.")
    return finger.touches
