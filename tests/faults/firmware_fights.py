"""Whole fights through firmware one after the other in one process, weighed at the same two points of each.

`python -m tests.faults.firmware_fights FIRST COUNT` plays the seeds from FIRST on, with faults, and says a line of JSON
for each. Several such processes play at once: a fight mostly waits for hands.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from emberboard.cli.demo import Demo, DemoOutcome
from emberboard.engine.errors import EmberboardError
from emberboard.link.wire import WireError
from emberboard.virtual.firmware_process import FirmwareError
from tests.faults.killed_play import ROOT_OF_TREE


class Weights(msgspec.Struct, frozen=True):
    """Resident memory in MB: of the host with its devices, of the bus process, of all boards together."""

    host: float
    bus: float
    boards: float


class Fight(msgspec.Struct, frozen=True, tag=True):
    """A fight that is over: how it went, its weights after Round 1 and at its end, in the order of this process."""

    seed: int
    order: int
    outcome: DemoOutcome
    early: Weights
    late: Weights


class Stuck(msgspec.Struct, frozen=True, tag=True):
    """A fight that did not reach its end, and what it said."""

    seed: int
    words: str


def resident_mb(process: int) -> float:
    """Memory of a process now (proc(5), statm)."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def board_processes() -> list[int]:
    """The children of this process that run the firmware."""
    told = [Path(thread, "children").read_text() for thread in Path("/proc/self/task").iterdir()]
    children = [int(number) for line in told for number in line.split()]
    return [child for child in children if b"shim/start.py" in Path(f"/proc/{child}/cmdline").read_bytes()]


def weigh(demo: Demo) -> Weights:
    """Everything that belongs to the fight."""
    boards = sum(resident_mb(child) for child in board_processes())
    return Weights(resident_mb(os.getpid()), resident_mb(demo.virtual.wire.pid), boards)


def fight(seed: int, order: int) -> Fight:
    """Play one with faults. Raises HandsError and what a fight raises."""
    demo = Demo(seed, 2 + seed % 2, "2x2", lambda words: None, faults=True)
    try:
        demo.play(1)
        early = weigh(demo)
        demo.play()
        return Fight(seed, order, demo.outcome(0), early, weigh(demo))
    finally:
        demo.close()


def start(first: int, count: int, output: Path) -> subprocess.Popen[bytes]:
    """Play so many seeds from `first` on in a process of its own; its lines go to the file `output`."""
    command = [sys.executable, "-m", "tests.faults.firmware_fights", str(first), str(count)]
    with output.open("wb") as lines:
        return subprocess.Popen(command, stdout=lines, cwd=ROOT_OF_TREE)


def main(arguments: Sequence[str]) -> None:
    """A fight that does not reach its end is said, and the next one is played."""
    first, count = map(int, arguments)
    for order, seed in enumerate(range(first, first + count)):
        try:
            told: Fight | Stuck = fight(seed, order)
        except (EmberboardError, WireError, FirmwareError) as error:
            told = Stuck(seed, f"{type(error).__name__}: {error}")
        print(msgspec.json.encode(told).decode(), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
