"""Whole fights through firmware processes, bus and devices: one in every run, many with faults in the soak."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import median

import msgspec
import pytest

from tests.faults.firmware_fights import Fight, Stuck, Weights, start
from tests.faults.killed_table import Reference

FIGHTS = int(os.environ.get("EMBERBOARD_FIRMWARE_FIGHTS", "100"))
AT_ONCE = int(os.environ.get("EMBERBOARD_FIRMWARE_AT_ONCE", "0")) or 2 * (os.cpu_count() or 1)
"""A fight takes a third of a core: it waits for hands. Boards that get no turn in time answer nothing."""
GROWTH_MB = Weights(host=3.0, bus=1.0, boards=1.0)
"""What the last tenth of a process's fights may weigh beyond the first, each weighed after Round 1."""
WARM = 6
"""The caches of rules and views are full after so many fights; the first tenth comes then."""


def shares(fights: int, processes: int) -> list[tuple[int, int]]:
    """First seed and count of each process."""
    bounds = [fights * number // processes for number in range(processes + 1)]
    return [(first, last - first) for first, last in pairwise(bounds) if last > first]


def growth(fights: list[Fight], of: Callable[[Weights], float]) -> tuple[float, float]:
    """MB at the median in the first tenth of each process's fights, once it is warm, and in the last."""
    count = max(one.order for one in fights) + 1
    tenth, warm = max(1, count // 10), min(WARM, count // 2)
    first = [of(one.early) for one in fights if warm <= one.order < warm + tenth]
    last = [of(one.early) for one in fights if one.order >= count - tenth]
    return median(first), median(last)


@pytest.mark.soak
def test_fights_through_firmware_with_faults(tmp_path: Path, show: Callable[[str], None]) -> None:
    outputs = []
    processes = []
    for first, count in shares(FIGHTS, AT_ONCE):
        outputs.append(tmp_path / f"{first}.jsonl")
        processes.append(start(first, count, outputs[-1]))
    try:
        ends = [process.wait() for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    lines = [line for output in outputs for line in output.read_bytes().splitlines()]
    told = [msgspec.json.decode(line, type=Fight | Stuck) for line in lines]
    fights = [one for one in told if isinstance(one, Fight)]
    assert not [one for one in told if isinstance(one, Stuck)]
    assert not any(ends) and len(fights) == FIGHTS
    assert {one.outcome.result for one in fights} <= {"victory", "defeat"}
    assert all(one.outcome.faults >= 2 for one in fights)
    for one in fights:
        alone = Reference(one.seed, one.outcome.players, one.outcome.inputs)
        assert one.outcome.state_hash == alone.hashes[-1], f"seed {one.seed}: not the fight that the program plays"
    faults, inputs = sum(one.outcome.faults for one in fights), sum(one.outcome.inputs for one in fights)
    show(f"{FIGHTS} fights through firmware, {faults} faults, {inputs} inputs, {len(processes)} processes at once")
    for part in ("host", "bus", "boards"):
        before, after = growth(fights, lambda weights: getattr(weights, part))  # noqa: B023 run at once
        within = max(getattr(one.late, part) - getattr(one.early, part) for one in fights)
        show(f"memory of the {part}: first tenth {before:.1f} MB, last {after:.1f}; most within a fight {within:.1f}")
        assert after - before < getattr(GROWTH_MB, part), part
