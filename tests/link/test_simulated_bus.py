"""The bus on the virtual clock under every fault: no event lost, none doubled, the boards show the host's picture."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from emberboard.link import protocol as p
from emberboard.link.bus_events import (
    BoardBack,
    BoardFlag,
    BoardFound,
    BoardLost,
    BoardRefused,
    BoardState,
    LineDown,
    LineUp,
)
from emberboard.virtual.board_model import BoardModel
from emberboard.virtual.bus import NONE, ROUGH, Faults, SimulatedBus, make_boards
from tests.link.bus_truth import (
    PALETTE,
    check_events,
    check_lights,
    gaps_of,
    play_hands,
    play_pictures,
    settled,
    start,
    told_of,
)

SECOND = 1_000_000
# A seed made smaller says nothing, so nothing is shrunk.
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
WHAT = ("restart", "off", "pause", "hold", "host")


def kinds(sim: SimulatedBus, kind: type) -> list[object]:
    return [event for _, event in sim.told if isinstance(event, kind)]


def ready_bus(count: int, segments: int = 1, seed: int = 0, faults: Faults = NONE) -> SimulatedBus:
    sim = SimulatedBus(make_boards(count, segments, seed=seed), seed=seed, faults=faults)
    start(sim)
    for master in sim.masters:
        master.set_palette(PALETTE)
    sim.poke()
    return sim


def play(sim: SimulatedBus, seed: int, length: int) -> None:
    """Hands and pictures for `length` us, then a calm line until all has settled."""
    random = Random(seed)
    begin = sim.now
    play_hands(sim, random, begin, begin + length, 8_000)
    play_pictures(sim, random, begin, begin + length, 60_000)
    sim.run(begin + length)


def calm(sim: SimulatedBus, limit: int = 4 * SECOND) -> None:
    assert sim.run_until(lambda: settled(sim), sim.now + limit), "the bus did not settle"


@pytest.mark.parametrize(("count", "segments"), [(1, 1), (16, 1), (36, 3), (64, 4)])
def test_a_sound_line(count: int, segments: int) -> None:
    sim = ready_bus(count, segments)
    play(sim, count, SECOND)
    calm(sim)
    assert check_events(sim) > 100
    check_lights(sim)
    assert not kinds(sim, BoardLost)


@settings(max_examples=20, deadline=None, phases=PHASES)
@given(st.integers(0, 1 << 30))
def test_a_rough_line_loses_and_doubles_nothing(seed: int) -> None:
    """Flips 1e-4, drops 2 %, doubles, delays, late boards, noise."""
    sim = ready_bus(16, seed=seed, faults=ROUGH)
    play(sim, seed, SECOND)
    calm(sim)
    assert check_events(sim) > 50
    check_lights(sim)


@settings(max_examples=12, deadline=None, phases=PHASES)
@given(st.integers(0, 1 << 30), st.sampled_from(("flip", "drop", "double", "delay", "late", "noise")))
def test_each_fault_at_its_worst(seed: int, fault: str) -> None:
    worst = {"flip": 2e-3, "drop": 0.2, "double": 0.5, "delay": 0.3, "late": 0.5, "noise": 40.0}
    sim = ready_bus(6, seed=seed)
    sim.set_faults(Faults(**{fault: worst[fault]}))
    play(sim, seed, SECOND)
    sim.set_faults(NONE)
    calm(sim)
    check_events(sim)
    check_lights(sim)


@settings(max_examples=15, deadline=None, phases=PHASES)
@given(st.integers(0, 1 << 30), st.data())
def test_whatever_happens_it_finds_back(seed: int, data: st.DataObject) -> None:
    """Restarts, deaths, a pause and a restart of the host, a stuck line, in any order on a rough line."""
    sim = ready_bus(9, seed=seed, faults=ROUGH)
    begin = sim.now
    since = 0
    happenings = st.lists(
        st.tuples(st.integers(0, SECOND), st.integers(0, 8), st.sampled_from(WHAT)),
        max_size=5,
    )
    for after, index, what in sorted(data.draw(happenings)):
        board = sim.boards[index]
        time = begin + after
        if what == "restart":
            sim.at(time, lambda b=board, t=time: b.restart(t))
        elif what == "off":
            sim.at(time, lambda b=board, t=time: b.power(False, t))
            sim.at(time + SECOND // 3, lambda b=board: b.power(True, sim.now))
        elif what == "pause":
            sim.at(time, lambda: sim.pause_host(SECOND // 2))
        elif what == "hold":
            sim.at(time, lambda: sim.hold_line(0, SECOND // 5))
        else:

            def restart() -> None:
                nonlocal since
                since = sim.now
                sim.restart_host(2 + sim.now)
                sim.masters[0].set_palette(PALETTE)
                sim.masters[0].show({b.uid: bytes([0x21]) * 18 for b in sim.boards})

            sim.at(time, restart)
    play(sim, seed, SECOND + SECOND // 2)
    sim.set_faults(NONE)
    assert sim.run_until(lambda: settled(sim), sim.now + 15 * SECOND), "the bus did not settle"
    check_events(sim, since, gaps_allowed=True)
    check_lights(sim)


def test_a_board_that_restarts_is_taken_up_again() -> None:
    sim = ready_bus(4)
    board = sim.boards[2]
    sim.masters[0].show({board.uid: p.pack_roles([5] * 36)})
    sim.poke()
    sim.run(sim.now + SECOND)
    board.touch(7, sim.now)
    sim.run(sim.now + 100_000)
    board.restart(sim.now)
    calm(sim)
    assert [event.uid for event in kinds(sim, BoardLost)] == [board.uid.hex()]
    assert [(event.uid, event.restarted) for event in kinds(sim, BoardBack)] == [(board.uid.hex(), True)]
    assert gaps_of(sim, board) == 1
    check_lights(sim)
    check_events(sim, gaps_allowed=True)


def test_a_dead_board_costs_the_others_nothing_but_a_probe_a_second() -> None:
    sim = ready_bus(16)
    dead, other = sim.boards[3], sim.boards[4]
    dead.power(False, sim.now)
    sim.run(sim.now + SECOND)
    record = sim.masters[0].boards[dead.uid]
    begin, misses = sim.now, record.statistics.misses
    for k in range(40):
        sim.at(begin + 50_000 * k, lambda k=k: (other.lift if k % 2 else other.touch)(9, sim.now))
    sim.run(begin + 2 * SECOND)
    sim.run(begin + 2 * SECOND + 100_000)
    assert record.statistics.misses - misses in (2, 3)
    assert len(told_of(sim, other)) == 40
    late = [event_at - at for (event_at, _), (at, _, _) in zip(_told_times(sim, other), other.history)]
    assert max(late) <= 25_000 + 3_500
    dead.power(True, sim.now)
    calm(sim)
    check_events(sim, gaps_allowed=True)


def _told_times(sim: SimulatedBus, board: BoardModel) -> list[tuple[int, object]]:
    uid = board.uid.hex()
    return [(at, event) for at, event in sim.told if getattr(event, "uid", "") == uid and hasattr(event, "press")]


def test_a_board_cut_off_for_a_while_loses_nothing() -> None:
    """It keeps its queue over a lost connection, so no snapshot and no gap are needed."""
    sim = ready_bus(4)
    board = sim.boards[0]
    cut = sim.segments[0].boards.pop(0)
    for k in range(40):
        sim.at(sim.now + 30_000 * k, lambda k=k: (board.lift if k % 2 else board.touch)(k // 2, sim.now))
    sim.run(sim.now + 2 * SECOND)
    assert len(kinds(sim, BoardLost)) == 1
    sim.segments[0].boards.insert(0, cut)
    calm(sim)
    assert kinds(sim, BoardBack)[0].restarted is False
    told = [event for _, event in sim.told if getattr(event, "uid", "") == board.uid.hex()]
    back = next(n for n, event in enumerate(told) if isinstance(event, BoardBack))
    assert isinstance(told[back + 1], BoardState), "whoever took its tiles for dark is told what they feel"
    assert gaps_of(sim, board) == 0
    assert check_events(sim) == 40


def test_a_host_that_pauses_two_seconds() -> None:
    sim = ready_bus(16)
    play_hands(sim, Random(5), sim.now, sim.now + 3 * SECOND, 10_000)
    sim.run(sim.now + SECOND // 2)
    sim.pause_host(2 * SECOND)
    sim.run(sim.now + 3 * SECOND)
    calm(sim)
    assert check_events(sim) > 250
    ages = [at - event.at for at, event in sim.told if hasattr(event, "press")]
    assert max(ages) > SECOND, "the ages tell that they waited"
    for board in sim.boards:
        for event, (felt, _, _) in zip(told_of(sim, board), board.history):
            assert abs(event.at - felt) < 8_000


def test_an_overflow_is_told_and_mended() -> None:
    sim = ready_bus(2)
    board = sim.boards[0]
    sim.pause_host(SECOND)
    for k in range(201):
        sim.at(sim.now + 4_000 * k, lambda k=k: (board.lift if k % 2 else board.touch)(k // 2 % 36, sim.now))
    sim.run(sim.now + SECOND)
    calm(sim)
    assert gaps_of(sim, board) == 1
    told = [(event.tile, event.press) for event in told_of(sim, board) if event.told]
    assert told[:64] == [(tile, press) for _, tile, press in board.history[:64]]
    check_events(sim, gaps_allowed=True)


def test_a_host_that_restarts_meets_nothing_old() -> None:
    sim = ready_bus(9)
    play(sim, 3, SECOND)
    begin = sim.now
    sim.restart_host(77)
    start(sim, sim.now + 3 * SECOND)
    for master in sim.masters:
        master.set_palette(PALETTE)
        master.show({board.uid: bytes([0x43]) * 18 for board in sim.boards})
    play_hands(sim, Random(9), sim.now, sim.now + SECOND, 8_000)
    sim.run(sim.now + SECOND)
    calm(sim)
    check_events(sim, since=begin)
    check_lights(sim)


def test_two_boards_with_one_address() -> None:
    sim = ready_bus(4)
    first, second = sim.boards[:2]
    second.side.address = first.side.address
    play(sim, 8, SECOND)
    assert sim.run_until(lambda: settled(sim), sim.now + 20 * SECOND)
    assert first.side.address != second.side.address
    check_events(sim, gaps_allowed=True)
    check_lights(sim)


def test_a_stuck_line_is_named_and_comes_back() -> None:
    sim = ready_bus(4)
    sim.hold_line(0, SECOND)
    play(sim, 8, 2 * SECOND)
    calm(sim)
    assert "noise" in kinds(sim, LineDown)[0].what
    assert len(kinds(sim, LineUp)) == len(kinds(sim, LineDown))
    check_events(sim, gaps_allowed=True)
    check_lights(sim)


def test_a_silent_line_is_named() -> None:
    sim = ready_bus(3)
    for board in sim.boards:
        board.power(False, sim.now)
    sim.run(sim.now + SECOND)
    assert "silence" in kinds(sim, LineDown)[0].what


def test_a_board_plugged_in_later_is_found_within_fifteen_seconds() -> None:
    sim = ready_bus(4)
    late = BoardModel(b"latecome")
    sim.segments[0].boards.append(late)
    assert sim.run_until(lambda: late.uid in sim.masters[0].boards, sim.now + 15 * SECOND)


def test_another_minor_is_accepted_another_major_refused_and_named() -> None:
    boards = make_boards(3)
    boards[0][0].side.minor = boards[0][0].minor = p.MINOR + 3
    boards[0][1].side.major = boards[0][1].major = p.MAJOR + 1
    sim = SimulatedBus(boards)
    sim.run(2 * SECOND)
    found = {event.identity.uid for event in kinds(sim, BoardFound)}
    assert found == {boards[0][0].uid.hex(), boards[0][2].uid.hex()}
    assert [(event.uid, event.major) for event in kinds(sim, BoardRefused)] == [(boards[0][1].uid.hex(), p.MAJOR + 1)]


def test_a_rising_error_rate_is_an_alarm_before_the_board_is_lost() -> None:
    sim = ready_bus(4)
    sim.set_faults(Faults(drop=0.08))
    sim.run(sim.now + 8 * SECOND)
    assert any(event.flag == "errors" and event.on and event.rate > 0.05 for event in kinds(sim, BoardFlag))
    assert not kinds(sim, BoardLost)
    sim.set_faults(NONE)
    sim.run(sim.now + 15 * SECOND)
    last = {event.uid: event.on for event in kinds(sim, BoardFlag)}
    assert not any(last.values())


def test_the_last_hundred_frames_each_way_are_kept() -> None:
    sim = ready_bus(2)
    sim.run(sim.now + SECOND)
    master = sim.masters[0]
    assert len(master.sent) == len(master.received) == 100
    assert all(wire.endswith(b"\0") for _, wire in master.sent)


def test_the_same_seed_gives_the_same_run() -> None:
    def run() -> list[tuple[int, object]]:
        sim = ready_bus(6, seed=4, faults=ROUGH)
        play(sim, 4, SECOND)
        return list(sim.told)

    assert run() == run()


@pytest.mark.soak
@settings(max_examples=400, deadline=None, phases=PHASES)
@given(st.integers(0, 1 << 30), st.sampled_from(((16, 1), (36, 3), (64, 4))))
def test_many_seeds(seed: int, size: tuple[int, int]) -> None:
    sim = ready_bus(*size, seed=seed, faults=ROUGH)
    play(sim, seed, 2 * SECOND)
    calm(sim)
    check_events(sim)
    check_lights(sim)
