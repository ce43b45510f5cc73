"""The host is killed in the middle of a fight at the wired virtual table; another one goes on with the same boards."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from emberboard.devices.table_file import place_at, table_named
from emberboard.engine.question import Cell
from emberboard.link.registry import Place, Registry
from emberboard.virtual.boards import VirtualBoards
from tests.faults.killed_play import ROOT_OF_TREE
from tests.faults.killed_table import Finger, Order, Reference, Stands

SEED, PLAYERS, TABLE = 7, 2, "2x2"
INPUTS = 40
KILLED_AT = ("touch", "lift", "present", "press", "lift")
"""The move of a finger at which each host is killed; the first is laying out the figures."""
LINES = 20
"""So much each says before."""


class Room:
    """What outlives a host: boards, the magnets on them, its files."""

    def __init__(self, boards: VirtualBoards, folder: Path) -> None:
        self.boards, self.folder = boards, folder
        self.registry = Registry(session=17)
        for number, place in enumerate(table_named(TABLE).places):
            column, row = place_at(place)
            self.registry.put(boards.uid(number), Place(row, column, number % 4))
        self.registry.save(folder / "boards.json")
        self.magnets: set[Cell] = set()
        self.stands: dict[str, Cell] = {}

    def move(self, finger: Finger) -> None:
        """Do what a finger of the host's hands does to a tile."""
        self.stands = dict(finger.stands)
        if finger.cell is not None:
            self._set(finger.cell, finger.move == "touch")

    def _set(self, cell: Cell, there: bool) -> None:
        where = self.registry.tile((cell[1], cell[0]))
        assert where is not None
        uid, tile = where
        number = next(one for one in range(self.boards.count) if self.boards.uid(one) == uid)
        if there:
            self.magnets.add(cell)
            self.boards.touch(number, tile)
        else:
            self.magnets.discard(cell)
            self.boards.lift(number, tile)

    def wand_away(self) -> None:
        """What is on a tile and no figure goes with the hand that held it."""
        for cell in self.magnets - set(self.stands.values()):
            self._set(cell, False)


class Host:
    """A host's process: `next` is the line it says, `kill` ends it."""

    def __init__(self, order: Order) -> None:
        command = [sys.executable, "-m", "tests.faults.killed_table"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT_OF_TREE)
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(msgspec.json.encode(order) + b"\n")
        self._process.stdin.flush()
        self._lines = self._process.stdout

    def next(self) -> Finger | Stands | None:
        """None: it ended."""
        line = self._lines.readline()
        return msgspec.json.decode(line, type=Finger | Stands) if line.endswith(b"\n") else None

    def wait(self) -> int:
        """Its exit status when it has ended by itself."""
        return self._process.wait()

    def kill(self) -> int:
        """Kill it: its exit status."""
        self._process.kill()
        self._process.communicate()
        return self._process.returncode


def life(room: Room, host: Host, reference: Reference, end: str) -> list[Stands]:
    """Follow a host until a finger makes the move `end` for it, or to its own end."""
    said: list[Stands] = []
    lines = 0
    while (told := host.next()) is not None:
        lines += 1
        if isinstance(told, Stands):
            said.append(told)
            assert told.hash == reference.hashes[told.inputs]
            assert told.question == reference.questions[told.inputs]
            continue
        room.move(told)
        if said and lines > LINES and told.move == end:
            break
    return said


@pytest.mark.slow
def test_killed_hosts_are_followed_by_others_that_go_on_with_the_same_boards(
    tmp_path: Path, show: Callable[[str], None]
) -> None:
    reference = Reference(SEED, PLAYERS, INPUTS + 1)
    last = 0
    with VirtualBoards(len(table_named(TABLE).places)) as boards:
        room = Room(boards, tmp_path)
        for end in (*KILLED_AT, ""):
            host = Host(Order(str(tmp_path), boards.port, TABLE, SEED, PLAYERS, INPUTS, room.stands))
            try:
                said = life(room, host, reference, end)
                assert said, "the host found its boards and its question"
                # What a host said was durable; it may have been killed between a commit and its word.
                assert last <= said[0].inputs <= last + 1
                last = said[-1].inputs
                assert end or host.wait() == 0
            finally:
                status = host.kill()
            assert not end or status == -signal.SIGKILL
            room.wand_away()
    assert last == INPUTS
    show(f"{len(KILLED_AT)} hosts killed, {last} inputs, each question and state as in one sitting")
