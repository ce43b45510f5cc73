"""The fight through firmware processes: virtual hands, boards, bus, keys, reader, rail, as `emberboard demo` has it."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from emberboard.cli.demo import Demo, DemoOutcome, decide
from emberboard.cli.demo_hands import DemoHands
from emberboard.devices.table_file import table_named
from emberboard.engine.errors import Refused
from emberboard.engine.session import Session
from emberboard.table.wired_table import WiredTable

SEED = 7


FIGHTS = int(os.environ.get("EMBERBOARD_FIRMWARE_FIGHTS", "100"))
GROWTH_MB = 60
"""What all fights after the third may add to the memory: nothing, but for what the allocator rounds."""


def played(show: Callable[[str], None], rounds: int, *, faults: bool = False) -> tuple[DemoOutcome, list[str]]:
    """A fight of so many Rounds; what came of it, and what was said."""
    said: list[str] = []
    demo = Demo(SEED, 2, "2x2", said.append, faults=faults)
    try:
        demo.play(rounds)
        outcome = demo.outcome(0)
        again = Session.load(type(demo.session.game), demo.session.journal)
        assert again.state_hash() == outcome.state_hash
        assert {entry.source for entry in demo.session.journal.tree.path()} == {"physical"}
        while demo.table.controller.phase == "mending":
            demo.hands.step()
        question = demo.session.question
        wanted = {one.id: one.at for one in demo.session.game.scene(question).figures}
        assert demo.hands.stands == wanted, "figures truly stand as the state has them"
    finally:
        demo.close()
    show(f"touch to light through firmware: slowest {outcome.slowest_touch_to_light} ms of {outcome.touches} touches")
    return outcome, said


@pytest.mark.slow
def test_a_round_through_firmware_is_the_same_with_faults(show: Callable[[str], None]) -> None:
    quiet, _ = played(show, 1)
    assert quiet.rounds == 2 and quiet.draws > 2 and quiet.presses > 20 and quiet.frames > 1000
    troubled, said = played(show, 1, faults=True)
    assert troubled.faults == 1 and any("without power" in line for line in said)
    assert troubled.state_hash == quiet.state_hash


@pytest.mark.slow
def test_a_host_that_is_killed_and_started_again_goes_on_with_the_figures_as_they_stand() -> None:
    demo = Demo(SEED, 2, "2x2", lambda words: None)
    try:
        demo.play(1)
        while demo.table.controller.phase == "mending":
            demo.hands.step()
        before = demo.session.state_hash()
        session = Session.load(type(demo.session.game), demo.session.journal, rng=random.Random(SEED))
        bus, virtual, tags = demo.virtual.restart_bus(), demo.virtual, demo.hands.tags
        table = WiredTable(session, bus, virtual.registry, virtual.devices, virtual, pixels=24, tags=tags)
        hands = DemoHands(table, virtual, tags, demo.hands.rng, decide)
        hands.stands, hands.sizes = demo.hands.stands, demo.hands.sizes
        table.start()
        assert hands.until(lambda: len(table.heard) == 4 and table.controller.phase != "mending", 30_000)
        assert hands.touches == 0, "no figure had to be touched"
        assert session.state_hash() == before
        inputs = len(session.journal.tree.path())
        for _ in range(200):
            hands.step()
            if len(session.journal.tree.path()) >= inputs + 10:
                break
        assert len(session.journal.tree.path()) >= inputs + 10 and session.trouble is None
    finally:
        demo.close()


def resident_mb() -> float:
    """Memory of this process now, in MB (proc(5), statm)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@pytest.mark.soak
def test_fights_through_firmware_with_faults(show: Callable[[str], None]) -> None:
    used = []
    for seed in range(FIGHTS):
        demo = Demo(seed, 2 + seed % 2, "2x2", lambda words: None, faults=True)
        try:
            demo.play()
            outcome = demo.outcome(0)
        finally:
            demo.close()
        assert outcome.result in ("victory", "defeat"), f"seed {seed}"
        assert outcome.faults >= 2, f"seed {seed}"
        used.append(resident_mb())
    show(f"{FIGHTS} fights through firmware with faults: memory {used[0]:.0f} MB, at the end {used[-1]:.0f} MB")
    assert used[-1] - used[min(2, FIGHTS - 1)] < GROWTH_MB


def test_a_table_that_is_not_there_is_said_before_anything_starts() -> None:
    with pytest.raises(Refused, match=r"there is no table '9x9'; ready ones are 2x2, 4x3, 6x6"):
        table_named("9x9")
