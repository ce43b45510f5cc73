"""What is told of boards on a simulated line, as the doctor's findings: the same seed is the same trouble."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, replace

import msgspec
import pytest

from emberboard.cli.board_checks import Examined, findings
from emberboard.devices.table_file import WIRING, read_table
from emberboard.link.bus_events import BoardBack, BoardDoubled, BoardFlag, BoardFound, Discovered, Identity
from emberboard.link.registry import Place, Registry
from emberboard.link.wire import PortDown
from emberboard.virtual.board_model import BoardModel
from emberboard.virtual.bus import Faults, SimulatedBus, make_boards

pytestmark = pytest.mark.slow  # seconds of a virtual clock, exchange by exchange

FILE = read_table(WIRING / "2x2.yaml")
SECOND = 1_000_000


def heard(bus: SimulatedBus) -> Examined:
    """What a host has heard on the simulated bus until now."""
    lines = {board.name: asdict(board.statistics) for master in bus.masters for board in master.boards.values()}
    return Examined(told=[event for _, event in bus.told], lines=lines)


def faults(bus: SimulatedBus, known: Registry | None = None) -> dict[str, str]:
    return {one.device: one.words for one in findings(FILE, heard(bus), known) if not one.well}


def known(bus: SimulatedBus) -> Registry:
    """The places of the boards, in the order of the chain."""
    spots = [(0, 0), (0, 1), (1, 1), (1, 0)]
    return Registry({board.uid.hex(): Place(*spot) for board, spot in zip(bus.boards, spots)})


def test_a_sound_line_is_well() -> None:
    bus = SimulatedBus(make_boards(4))
    bus.run(5 * SECOND)
    (found,) = findings(FILE, heard(bus))
    assert found.well and re.fullmatch(r"all 4 boards answer; 0 of \d{3,4} tries without a good reply", found.words)


@pytest.mark.parametrize(
    "bad",
    [Faults(drop=0.08), Faults(flip=6e-4), Faults(noise=60.0), Faults(late=0.15, late_us=3_000), Faults(double=0.06)],
    ids=["dropped", "flipped", "noise", "late", "doubled"],
)
def test_a_line_that_loses_frames_is_named_before_it_fails(bad: Faults) -> None:
    bus = SimulatedBus(make_boards(4), seed=3)
    bus.run(2 * SECOND)
    bus.set_faults(bad)
    bus.run(6 * SECOND)
    found = faults(bus, known(bus))
    boards = [words for device, words in found.items() if device.startswith("board ")]
    assert boards and all("check plug, ground and the terminator" in words for words in boards), found
    assert all(re.search(r"\(\d+ of \d+ tries\)\.$", words) for words in boards)


def test_an_adapter_that_hands_bytes_on_a_little_late_is_no_fault() -> None:
    bus = SimulatedBus(make_boards(4), seed=3, faults=Faults(delay=0.02, delay_us=500))
    bus.run(5 * SECOND)
    assert faults(bus) == {}


def test_a_board_that_never_stops_sending() -> None:
    bus = SimulatedBus(make_boards(4))
    bus.run(2 * SECOND)
    bus.hold_line(0, 5 * SECOND)
    bus.run(6 * SECOND)
    assert "noise: look for a board that never stops sending, and at bias and termination" in faults(bus)["bus"]
    stuck = SimulatedBus(make_boards(4))
    stuck.hold_line(0, 20 * SECOND)
    stuck.run(10 * SECOND)
    assert re.search(r"0 of 4 boards answer: .*The line is noisy", faults(stuck)["segment A"])


def lost(bus: SimulatedBus, board: BoardModel) -> None:
    board.power(False, bus.now)
    bus.run(5 * SECOND)


def restarted(bus: SimulatedBus, board: BoardModel) -> None:
    board.restart(bus.now)
    bus.run(5 * SECOND)


def away(bus: SimulatedBus, board: BoardModel) -> None:
    board.powered = False
    bus.run(4 * SECOND)
    board.powered = True
    bus.run(8 * SECOND)


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lost, "answered, then fell silent: check its power and plugs; then restart it"),
        (restarted, "started anew while it was lit: check its plugs and the feed's fuse, cable and length"),
        (away, "fell silent and came back: check its plugs"),
    ],
)
def test_a_board_that_goes(act: Callable[[SimulatedBus, BoardModel], None], words: str) -> None:
    bus = SimulatedBus(make_boards(4))
    bus.run(3 * SECOND)
    board = bus.boards[2]
    act(bus, board)
    found = faults(bus, known(bus))
    assert words in found[f"board B2 ({board.uid.hex()})"]
    assert set(found) == {f"board B2 ({board.uid.hex()})"}


def test_two_boards_of_one_uid_drown_each_other_on_a_real_line() -> None:
    """They answer at the same moment, so neither is ever understood: the search stays noisy."""
    boards = make_boards(4)
    boards[0][3] = BoardModel(boards[0][0].uid)
    bus = SimulatedBus(boards)
    bus.run(5 * SECOND)
    found = faults(bus)
    assert re.search(r"2 of 4 boards answer.*two boards answer as one: check .* take boards off", found["segment A"])


def test_two_boards_of_one_uid_on_two_segments_are_named() -> None:
    boards = make_boards(4, segments=2)
    boards[1][0] = BoardModel(boards[0][0].uid)
    bus = SimulatedBus(boards)
    bus.run(5 * SECOND)
    (first,) = FILE.segments
    file = msgspec.structs.replace(
        FILE, segments=(msgspec.structs.replace(first, chain=("A1", "B1")), msgspec.structs.replace(first, name="B"))
    )
    named = [one.words for one in findings(file, heard(bus)) if boards[0][0].uid.hex() in one.device]
    assert any("two boards say that they are this one: take one off" in words for words in named)


def test_events_that_only_real_hardware_makes() -> None:
    identity = Identity("ab" * 8, 1, 0, (1, 0, 0), 0, 7)
    told = [
        *(BoardFound(0, address, replace(identity, uid=f"{address:02d}" * 8)) for address in range(1, 5)),
        Discovered(0, 4, 2, True),
        BoardDoubled(0, "01" * 8),
        PortDown(0, "/dev/serial/by-id/x", "/dev/serial/by-id/x went away: plug its cable in again"),
        BoardFlag(0, "02" * 8, "fault", True),
        BoardFlag(0, "02" * 8, "fault", False),
        BoardFlag(0, "03" * 8, "limiting", True),
        BoardFlag(0, "03" * 8, "limiting", False),
        BoardBack(0, "04" * 8, True),
    ]
    found = {one.device: one.words for one in findings(FILE, Examined(told=list(told))) if not one.well}
    assert set(found) == {f"board {'01' * 8}", "port /dev/serial/by-id/x", f"board {'03' * 8}", f"board {'04' * 8}"}, (
        "a fault that is over is none, dimming that came once is"
    )


def test_a_bus_that_told_nothing_is_not_well() -> None:
    (found,) = findings(FILE, Examined())
    assert not found.well
