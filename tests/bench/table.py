"""The virtual table through firmware: touch to light, and the bus beside a host that computes without a pause."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from threading import Event, Thread
from time import perf_counter

from emberboard.cli.demo import Demo, Spread
from emberboard.link import protocol as p
from emberboard.link import wire as bus
from emberboard.link.bus_events import BoardState
from emberboard.virtual.boards import VirtualBoards
from tests.bench.row import Row

BUDGET_MS = 50.0
"""Touch to light by way of the host (DESIGN section 4)."""
BOARDS = 4
SECONDS = 3.0
FOUND_WITHIN = 60.0


def touch_rows() -> list[Row]:
    """Two Rounds of a fight by virtual hands: the whole way, engine and controller in it, the journal in memory."""
    demo = Demo(7, 3, "2x2", lambda words: None)
    try:
        demo.play(2)
        touches, lifts = Spread.of(demo.table.touch_to_light), Spread.of(demo.table.lift_to_light)
    finally:
        demo.close()
    note = (
        f"2x2 boards of firmware processes on this machine, {touches.count} touches of a fight, worst {touches.worst} "
        f"ms; a lift is told when it has lasted 60 ms: median {lifts.median}, worst {lifts.worst} ms of {lifts.count}"
    )
    budget = {"budget": BUDGET_MS}
    return [
        Row("touch to light, median", "ms", float(touches.median), budget, note),
        Row("touch to light, 95 % within", "ms", float(touches.most), budget, note),
    ]


def _boards(pipe: Connection) -> None:
    """Boards in a process of their own, so that a busy host does not hold up their line: it is no part of a host."""
    with VirtualBoards(BOARDS) as boards:
        pipe.send(boards.port)
        pipe.recv()


@contextmanager
def boards_apart() -> Iterator[str]:
    """The port of boards that are in another process."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_boards, args=(theirs,))
    process.start()
    try:
        yield ours.recv()
        ours.send("end")
    finally:
        process.join(10.0)
        process.kill()
        process.join()


@contextmanager
def busy() -> Iterator[None]:
    """A thread of this interpreter that computes without a pause."""
    enough = Event()

    def compute() -> None:
        while not enough.is_set():
            sum(range(1000))

    thread = Thread(target=compute)
    thread.start()
    try:
        yield
    finally:
        enough.set()
        thread.join()


def cycle_ms(exchanges: Callable[[], float]) -> float:
    """Time between two turns of a board, over some seconds."""
    before, began = exchanges(), perf_counter()
    Event().wait(SECONDS)
    return BOARDS * (perf_counter() - began) * 1000 / (exchanges() - before)


def in_process(port: str) -> tuple[float, float]:
    """Cycles (ms) of the bus process, beside an idle and a busy host."""
    with bus.Wire([port], 1) as wire:
        heard: set[str] = set()
        end = perf_counter() + FOUND_WITHIN
        while len(heard) < BOARDS and perf_counter() < end:
            heard |= {event.uid for event in wire.events(0.1) if isinstance(event, BoardState)}
        exchanges = lambda: sum(one["exchanges"] for one in wire.statistics().values())  # noqa: E731
        idle = cycle_ms(exchanges)
        with busy():
            return idle, cycle_ms(exchanges)


def in_thread(port: str) -> float:
    """The cycle (ms) of the same master in a thread of a busy host."""
    ours, theirs = multiprocessing.Pipe()
    thread = Thread(target=bus._main, args=(theirs, (port,), 2, bus.USB_TIMING, p.BAUD))
    thread.start()

    def statistics() -> dict[str, dict[str, float]]:
        ours.send(("statistics",))
        while (said := ours.recv())[0] != "statistics":
            pass
        found: dict[str, dict[str, float]] = said[1]
        return found

    try:
        end = perf_counter() + FOUND_WITHIN
        while len(statistics()) < BOARDS and perf_counter() < end:
            pass
        with busy():
            return cycle_ms(lambda: sum(one["exchanges"] for one in statistics().values()))
    finally:
        ours.send(("stop",))
        thread.join()


def measure() -> list[Row]:
    """Touch to light, and the bus cycle beside a busy host."""
    with boards_apart() as port:
        idle, beside = in_process(port)
        within = in_thread(port)
    note = f"{BOARDS} boards of firmware processes; one run, a thread of the host computes without a pause"
    peers = {"idle host": idle, "master in a thread of the busy host": within}
    return [*touch_rows(), Row("bus cycle beside a busy host", "ms", beside, peers, note)]
