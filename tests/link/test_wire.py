"""The bus master in its own process, on a real serial port (a PTY), with the board side of the protocol behind it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic

import pytest

from emberboard.link import protocol as p
from emberboard.link.bus_events import Answer, BoardBack, BoardFound, BoardLost, BoardState, TileEvent
from emberboard.link.wire import PROCESS_TIMING, PortDown, PortUp, Wire, WireError, WireEvent
from tests.link.pty_boards import PtyBoards

UIDS = [b"board--" + bytes([65 + i]) for i in range(3)]
PALETTE = [(i, i, i, 0, 0) for i in range(16)]


@pytest.fixture
def boards() -> Iterator[PtyBoards]:
    some = PtyBoards(UIDS)
    yield some
    some.close()


def gather(wire: Wire, told: list[WireEvent], done: Callable[[], bool], limit: float = 20.0) -> None:
    """Take events until `done` holds."""
    end = monotonic() + limit
    while not done():
        assert monotonic() < end, f"only {told} within {limit} s"
        told += wire.events(0.05)


def test_touches_lights_and_questions_go_through(boards: PtyBoards) -> None:
    told: list[WireEvent] = []
    with Wire([boards.port], session=5, timing=PROCESS_TIMING) as wire:
        # What is touched before a board's first snapshot is a part of that.
        gather(wire, told, lambda: sum(isinstance(event, BoardState) for event in told) == 3)
        wire.set_palette(PALETTE)
        wire.show({uid.hex(): bytes([17 * i]) * 18 for i, uid in enumerate(UIDS, 1)})
        for k in range(40):
            boards.edge(k % 3, k // 6, k // 3 % 2 == 0)
        gather(wire, told, lambda: sum(isinstance(event, TileEvent) for event in told) >= 40)
        gather(wire, told, lambda: all(side.roles[0] == 17 * i for i, side in enumerate(boards.sides, 1)))
        for i, uid in enumerate(UIDS):
            mine = [(e.tile, e.press) for e in told if isinstance(e, TileEvent) and e.uid == uid.hex() and e.told]
            assert mine == [(k // 6, k // 3 % 2 == 0) for k in range(40) if k % 3 == i]
        ticket = wire.ask(UIDS[0].hex(), p.STATS)
        gather(wire, told, lambda: any(isinstance(event, Answer) for event in told))
        answer = next(event for event in told if isinstance(event, Answer))
        assert answer.ticket == ticket and p.read_counters(answer.payload)["frames"] > 10
        assert set(wire.statistics()) == {uid.hex() for uid in UIDS}
        assert {way for _, way, _ in wire.trace()} == {"<", ">"}
    with pytest.raises(OSError):
        os.kill(wire.pid, 0)


def test_a_table_that_starts_again_finds_the_boards(boards: PtyBoards) -> None:
    for session in (8, 9):
        told: list[WireEvent] = []
        with Wire([boards.port], session=session, timing=PROCESS_TIMING) as wire:
            gather(wire, told, lambda told=told: sum(isinstance(event, BoardFound) for event in told) == 3)  # type: ignore[misc]


def test_a_missing_port_says_what_to_look_at() -> None:
    with pytest.raises(WireError, match=r"/dev/ttyNONE is not there: is the adapter plugged in"):
        Wire(["/dev/ttyNONE"], session=1)


def test_a_port_in_use_names_who_it_may_be(boards: PtyBoards) -> None:
    with (
        Wire([boards.port], session=1, timing=PROCESS_TIMING),
        pytest.raises(WireError, match=r"in use by another program.*ModemManager"),
    ):
        Wire([boards.port], session=2, timing=PROCESS_TIMING)


def test_a_port_that_is_pulled_in_play_is_named_and_back_when_it_is_plugged_in(tmp_path: Path) -> None:
    told: list[WireEvent] = []
    port = tmp_path / "adapter"
    boards = PtyBoards(UIDS, port)
    try:
        with Wire([str(port)], session=6, timing=PROCESS_TIMING) as wire:
            gather(wire, told, lambda: sum(isinstance(event, BoardState) for event in told) == 3)
            boards.close()
            gather(wire, told, lambda: any(isinstance(event, PortDown) for event in told))
            (down,) = [event for event in told if isinstance(event, PortDown)]
            assert (down.segment, down.port) == (0, str(port))
            assert f"{port} went away" in down.what and "plug its cable in again" in down.what
            gather(wire, told, lambda: sum(isinstance(event, BoardLost) for event in told) == 3)
            boards = PtyBoards(UIDS, port)
            gather(wire, told, lambda: PortUp(0, str(port)) in told)
            gather(wire, told, lambda: sum(isinstance(event, BoardBack) for event in told) == 3)
            boards.edge(1, 7, True)
            gather(wire, told, lambda: any(isinstance(event, TileEvent) and event.tile == 7 for event in told))
            assert sum(isinstance(event, PortDown) for event in told) == 1, "it is said once"
    finally:
        boards.close()


def test_the_bus_ends_with_its_table(boards: PtyBoards, tmp_path: Path) -> None:
    """A table that is killed leaves no process behind that holds the port."""
    script = tmp_path / "table.py"
    script.write_text(
        textwrap.dedent(
            f"""
            from emberboard.link.wire import Wire

            if __name__ == "__main__":
                wire = Wire([{boards.port!r}], session=3)
                print(wire.pid, flush=True)
                while True:
                    wire.events(1.0)
            """
        )
    )
    table = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert table.stdout is not None
    int(table.stdout.readline())
    table.send_signal(signal.SIGKILL)
    table.wait()
    table.stdout.close()
    end = monotonic() + 10
    while True:
        try:
            Wire([boards.port], session=4, timing=PROCESS_TIMING).stop()
            break
        except WireError:
            assert monotonic() < end, "the port is still held"
