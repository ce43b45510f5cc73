"""Firmware processes behind one PTY, and the real master in its own process on the other end of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic

import pytest

from emberboard.link import protocol as p
from emberboard.link.bus_events import (
    Answer,
    BoardBack,
    BoardFlag,
    BoardFound,
    BoardLost,
    BoardRefused,
    BoardState,
    TileEvent,
)  # fmt: skip
from emberboard.link.wire import Wire, WireEvent
from emberboard.virtual.boards import VirtualBoards
from emberboard.virtual.firmware_process import LINK, Interpreter, micropython

COUNT = 3
PALETTE = [(10 * i, 100, 5 * i, p.STEADY, 0) for i in range(16)]
INTERPRETERS: list[Interpreter] = ["micropython", "cpython"]


def needed(interpreter: Interpreter) -> Interpreter:
    if interpreter == "micropython" and micropython() is None:
        pytest.skip("MicroPython's Unix port has no wheel for this machine")
    return interpreter


@pytest.fixture(params=INTERPRETERS)
def boards(request: pytest.FixtureRequest) -> Iterator[VirtualBoards]:
    with VirtualBoards(COUNT, needed(request.param)) as some:
        yield some


class Table:
    """Gathers what the bus tells until something holds."""

    def __init__(self, wire: Wire, boards: VirtualBoards) -> None:
        self.wire = wire
        self.boards = boards
        self.told: list[WireEvent] = []

    def until(self, done: Callable[[], bool], limit: float = 30.0) -> None:
        end = monotonic() + limit
        while not done():
            assert monotonic() < end, f"within {limit} s only {self.told[-20:]}"
            self.told += self.wire.events(0.02)
            self.boards.tend()

    def of(self, kind: type[WireEvent], uid: str) -> list[WireEvent]:
        return [event for event in self.told if isinstance(event, kind) and getattr(event, "uid", "") == uid]

    def ready(self, *boards: int) -> None:
        """Until each board's first snapshot is here: what it felt before is a part of that."""
        self.until(lambda: all(self.of(BoardState, self.boards.uid(board)) for board in boards))

    def edges(self, board: int) -> list[tuple[int, bool]]:
        return [(e.tile, e.press) for e in self.told if isinstance(e, TileEvent) and e.uid == self.boards.uid(board)]

    def shows(self, board: int, colours: list[tuple[int, int, int]]) -> None:
        self.until(lambda: self.boards.read_lights(board) == colours)


def roles_of(board: int) -> list[int]:
    return [(tile + board) % 16 for tile in range(36)]


def picture(board: int) -> list[tuple[int, int, int]]:
    return [PALETTE[role][:3] for role in roles_of(board)]


def show_all(table: Table) -> None:
    table.wire.set_palette(PALETTE)
    table.wire.show({table.boards.uid(b): p.pack_roles(roles_of(b)) for b in range(table.boards.count)})


def test_found_touched_lit_unplugged_and_back(boards: VirtualBoards) -> None:
    boards.touch(1, 20)
    with Wire([boards.port], session=3) as wire:
        table = Table(wire, boards)
        table.ready(*range(COUNT))
        assert table.edges(1) == [(20, True)]
        show_all(table)
        for board in range(COUNT):
            table.shows(board, picture(board))
        # Faster than one poll takes them: a figure is put on every tile of the first row of each board.
        for tile in range(6):
            for board in range(COUNT):
                boards.touch(board, tile)
        wanted = [(tile, True) for tile in range(6)]
        table.until(lambda: all(table.edges(board)[-6:] == wanted for board in range(COUNT)))
        boards.lift(2, 3)
        table.until(lambda: table.edges(2)[-1] == (3, False))

        boards.unplug(0)
        table.until(lambda: bool(table.of(BoardLost, boards.uid(0))))
        boards.lift(0, 5)  # while it has no power
        boards.touch(1, 30)
        table.until(lambda: table.edges(1)[-1] == (30, True))
        boards.replug(0)
        table.until(lambda: bool(table.of(BoardBack, boards.uid(0))))
        table.until(lambda: table.edges(0)[-1] == (5, False))
        table.shows(0, picture(0))
        for board in range(COUNT):
            presses = [tile for tile, press in table.edges(board) if press]
            assert len(presses) == len(set(presses)), "no event twice"


def test_the_host_is_started_again_in_the_middle(boards: VirtualBoards) -> None:
    with Wire([boards.port], session=3) as wire:
        table = Table(wire, boards)
        table.ready(*range(COUNT))
        show_all(table)
        table.shows(0, picture(0))
    boards.touch(2, 7)
    with Wire([boards.port], session=4) as wire:
        table = Table(wire, boards)
        table.ready(*range(COUNT))
        assert table.edges(2) == [(7, True)]
        boards.lift(2, 7)
        table.until(lambda: table.edges(2) == [(7, True), (7, False)])


def other_version(folder: Path, **numbers: int) -> Path:
    """A folder with the board's protocol file of another version, to lie over the firmware's."""
    folder.mkdir()
    text = (LINK / "protocol.py").read_text()
    for name, number in numbers.items():
        text, found = re.subn(rf"^{name} = \d+", f"{name} = {number}", text, flags=re.MULTILINE)
        assert found == 1
    (folder / "protocol.py").write_text(text)
    return folder


def test_another_minor_plays_and_another_major_is_named(tmp_path: Path) -> None:
    overlays = {1: [other_version(tmp_path / "minor", MINOR=7)], 2: [other_version(tmp_path / "major", MAJOR=2)]}
    with VirtualBoards(3, None, overlays) as boards, Wire([boards.port], session=3) as wire:
        table = Table(wire, boards)
        table.ready(0, 1)
        table.until(lambda: bool(table.of(BoardRefused, boards.uid(2))))
        refused = table.of(BoardRefused, boards.uid(2))[0]
        assert isinstance(refused, BoardRefused) and refused.major == 2
        boards.touch(1, 0)
        table.until(lambda: table.edges(1) == [(0, True)])
        found = {e.identity.uid: e.identity.minor for e in table.told if isinstance(e, BoardFound)}
        assert found == {boards.uid(0): p.MINOR, boards.uid(1): 7}


def test_service_counters_selftest_locate_and_reset() -> None:
    with VirtualBoards(1) as boards, Wire([boards.port], session=3) as wire:
        table = Table(wire, boards)
        table.ready(0)
        uid = boards.uid(0)

        def ask(kind: int, payload: bytes = b"") -> Answer:
            ticket = wire.ask(uid, kind, payload)
            table.until(lambda: any(isinstance(e, Answer) and e.ticket == ticket for e in table.told))
            return next(e for e in table.told if isinstance(e, Answer) and e.ticket == ticket)

        assert ask(p.CALIBRATE, p.calibrate_payload(p.WRITE, 128, 255, 255, 40)).kind == p.ERROR  # in play
        ask(p.HELLO, p.hello_payload(3, p.SERVICE))
        assert ask(p.CALIBRATE, p.calibrate_payload(p.WRITE, 128, 255, 255, 40)).payload == bytes((128, 255, 255, 40))
        ask(p.LOCATE, p.locate_payload(p.LOCATE_PLACE, 1))
        table.shows(0, [(255, 255, 255)] + [(0, 0, 0)] * 35)
        boards.touch(0, 0)
        table.shows(0, [(0, 0, 0)] * 36)
        findings = ask(p.SELFTEST).payload
        assert p.read_mask(findings, 3 + p.MASK_SIZE) == (1 << 36) - 2
        boards.break_sensors(0)
        table.until(lambda: any(isinstance(e, BoardFlag) and e.flag == "fault" and e.on for e in table.told))
        counters = p.read_counters(ask(p.STATS).payload)
        assert counters["frames"] > 10 and counters["lost_events"] == 0
        ask(p.RESET, bytes((p.RESTART,)))
        table.until(lambda: len(table.of(BoardState, uid)) >= 2)
        assert ask(p.CALIBRATE, bytes((p.READ,))).payload == bytes((128, 255, 255, 40))  # it outlived the restart
