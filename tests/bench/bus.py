"""The tile bus: cycles on the virtual clock beside what the arithmetic allows, and frames coded a second."""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from time import process_time

from emberboard.link import protocol as p
from emberboard.link.board_side import BoardSide
from emberboard.virtual.bus import ROUGH, SimulatedBus, make_boards
from tests.bench.row import Row
from tests.bench.timing import median_time

BYTE_US = 10
TURNAROUND_US = 1_000
POLL_BYTES = p.OVERHEAD + p.POLL_SIZE
EVENTS_BYTES = p.OVERHEAD + p.STATUS_SIZE
BATCH = 200


def modelled_cycle(boards: int) -> float:
    """What no host can beat, in ms: a poll, the turnaround and an empty reply for each board of a segment."""
    return boards * (BYTE_US * (POLL_BYTES + EVENTS_BYTES) + TURNAROUND_US) / 1000


def cycles(boards: int, segments: int, rough: bool) -> list[float]:
    """Times between two turns of a board in ms, over 4 s of the virtual clock, search and pauses included."""
    sim = SimulatedBus(make_boards(boards, segments, TURNAROUND_US), seed=3)
    sim.run_until(lambda: sum(len(master.boards) for master in sim.masters) == boards, 20_000_000)
    sim.run(sim.now + 1_000_000)
    if rough:
        sim.set_faults(ROUGH)
    polls: dict[tuple[int, int], list[int]] = {}
    began, until = sim.now, sim.now + 4_000_000
    while sim.now < until:
        # Each master keeps its last 100 frames; 16 boards send about 50 in 60 ms.
        sim.run(sim.now + 40_000)
        for master in sim.masters:
            for at, wire in master.sent:
                key = (master.segment, p.peek_dst(bytearray(wire)))
                times = polls.setdefault(key, [began])
                if wire[0] and key[1] and at > times[-1]:
                    times.append(at)
    return [(b - a) / 1000 for times in polls.values() for a, b in pairwise(times[1:])]


def cycle_row(boards: int, segments: int) -> Row:
    """The median cycle beside the model's; the aim is 1.35 times at most."""
    took = cycles(boards, segments, rough=False)
    rough = cycles(boards, segments, rough=True)
    limit = modelled_cycle(boards // segments)
    note = (
        f"{segments} segment(s), 1 Mbaud, turnaround 1 ms; {median(took) / limit:.2f} times the limit (aim 1.35), "
        f"worst {max(took):.1f} ms; on a rough line median {median(rough):.1f}, worst {max(rough):.1f} ms"
    )
    return Row(f"bus cycle, {boards} boards", "ms", median(took), {"modelled limit": limit}, note)


def _host_frame() -> float:
    payload = p.lights_payload(1, bytes(range(18)))

    def encode() -> None:
        for _ in range(BATCH):
            p.frame(5, 0x31, p.LIGHTS, payload)

    return BATCH / median_time(encode, clock=process_time)


def _opened() -> float:
    stream = p.frame(5, 0x31, p.EVENTS, bytes(24)) * BATCH
    reader = p.FrameReader()

    def decode() -> None:
        at = 0
        while (at := reader.take(stream, at, len(stream))) >= 0:
            reader.open()

    return BATCH / median_time(decode, clock=process_time)


def _answered() -> float:
    side = BoardSide(b"abcdefgh", 1)
    assign = p.frame(0, 0, p.ASSIGN, p.assign_payload(1, side.uid, 5))
    side.receive(assign, 0, len(assign), 0)
    polls = [p.frame(5, p.ctl(i % 15 + 1, 0), p.POLL, p.poll_payload(0, 255)) for i in range(BATCH)]

    def talk() -> None:
        for wire in polls:
            side.receive(wire, 0, len(wire), 0)

    return BATCH / median_time(talk, clock=process_time)


def measure() -> list[Row]:
    """Cycles for 9, 16 and 36 boards, and the codec's speed."""
    line = 1e6 / BYTE_US / (p.LIGHTS_SIZE + p.OVERHEAD)
    need = {"line full of LIGHTS": line}
    return [
        cycle_row(9, 1),
        cycle_row(16, 1),
        cycle_row(36, 3),
        Row("frames encoded", "1/s", _host_frame(), need, "LIGHTS, 28 bytes, one core", less_is_better=False),
        Row("frames cut and decoded", "1/s", _opened(), need, "EVENTS, 33 bytes, one core", less_is_better=False),
        Row("polls answered by a board", "1/s", _answered(), need, "whole board side, CPython", less_is_better=False),
    ]
