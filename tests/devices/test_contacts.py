"""Debounce, long presses, stuck keys and the pins' history, on virtual pins and a clock that the test turns."""

from __future__ import annotations

import queue
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emberboard.devices.events import DeviceBack, DeviceEvent, DeviceLost, KeyPressed, KeyStuck, SeatPressed
from emberboard.devices.keys import STUCK_MS, Contact, Keys
from emberboard.devices.table_file import read_table
from emberboard.devices.thread import DeviceThread
from emberboard.virtual.keys import VirtualPins
from tests.devices.key_rigs import SMALL

TABLE = read_table(SMALL)
SCAN, SETTLE, LONG = TABLE.keypad.scan_ms, TABLE.keypad.settle_ms, TABLE.keypad.long_ms


class Bench:
    """Keys on virtual pins; `run` scans on a clock of its own."""

    def __init__(self) -> None:
        self.now = 0
        self.pins = VirtualPins(TABLE, lambda: self.now)
        self.keys = Keys(self.pins, TABLE)
        self.keys.open()

    def run(self, ms: int) -> list[DeviceEvent]:
        told: list[DeviceEvent] = []
        for _ in range(ms // SCAN):
            self.now += SCAN
            told += self.keys.step(self.now)
        return told


def test_a_press_is_told_at_the_second_scan() -> None:
    bench = Bench()
    bench.pins.contact("5", True)
    assert bench.run(SCAN) == []
    assert bench.run(SCAN) == [KeyPressed(key="5", at=2 * SCAN)]
    assert bench.run(1000) == []


def test_noise_of_a_single_scan_is_no_press() -> None:
    bench = Bench()
    for _ in range(20):
        bench.pins.contact("seat 2 no", True)
        assert bench.run(SCAN) == []
        bench.pins.contact("seat 2 no", False)
        assert bench.run(SCAN) == []


def test_undo_long_is_told_once_and_its_release_is_not() -> None:
    bench = Bench()
    bench.pins.contact("Undo", True)
    assert bench.run(LONG) == []
    (long,) = bench.run(100)
    assert isinstance(long, KeyPressed)
    assert long.long
    assert bench.run(2000) == []
    bench.pins.contact("Undo", False)
    assert bench.run(200) == []


def test_a_jammed_key_is_told_once_and_the_others_work() -> None:
    bench = Bench()
    bench.pins.contact("7", True)
    assert len(bench.run(100)) == 1
    (stuck,) = bench.run(STUCK_MS)
    assert stuck == KeyStuck(key="7", at=2 * SCAN + STUCK_MS)
    bench.pins.contact("seat 4 yes", True)
    (other,) = bench.run(100)
    assert isinstance(other, SeatPressed)
    assert bench.run(STUCK_MS // 2) == []


def test_an_idle_scan_drives_nothing_and_the_history_tells_when_something_was_driven() -> None:
    bench = Bench()
    bench.run(SCAN)
    before = len(bench.pins.history)
    bench.run(1000)
    assert len(bench.pins.history) == before
    bench.keys.obey({"seat 1 yes": "on"}, bench.now)
    edges = [change for change in bench.pins.history if change.pin == TABLE.lights.latch and change.level]
    assert edges[-1].at == bench.now
    assert bench.pins.chain.lit == {"seat 1 yes"}
    shifted = len(bench.pins.history)
    bench.keys.obey({"seat 1 yes": "on"}, bench.now)
    assert len(bench.pins.history) == shifted, "lights that are shown already were sent again"


def test_an_unknown_light_is_refused() -> None:
    with pytest.raises(ValueError, match="seat 9 yes"):
        Bench().keys.obey({"seat 9 yes": "on"}, 0)


@given(st.booleans(), st.lists(st.booleans(), max_size=300))
def test_a_contact_s_presses_follow_its_holds(has_long: bool, readings: Sequence[bool]) -> None:
    contact = Contact(SETTLE, LONG, has_long)
    told_of_hold = 0
    for at, closed in enumerate(readings):
        was = contact.down
        found = contact.feed(closed, at * SCAN)
        told_of_hold = (0 if contact.down and not was else told_of_hold) + (found in ("short", "long"))
        if contact.down and not was:
            assert readings[at - 1 : at + 1] == [True, True], "a press needs two closed readings running"
        if was and not contact.down:
            assert not any(readings[at - SETTLE // SCAN : at + 1]), "a release needs it open for so long"
            assert told_of_hold == 1, "a hold is one press, short or long"
    if contact.down:
        assert told_of_hold <= 1 if has_long else told_of_hold == 1


@given(st.sets(st.sampled_from([key for row in TABLE.keypad.rows for key in row.keys])))
def test_any_set_of_keys_held_together_is_read_exactly(held: set[str]) -> None:
    bench = Bench()
    for key in held:
        bench.pins.contact(key, True)
    told = bench.run(4 * SCAN)
    names = {one.key if isinstance(one, KeyPressed) else _button(one) for one in told}
    assert names == held - {"Undo"}


def _button(event: DeviceEvent) -> str:
    assert isinstance(event, SeatPressed)
    return f"seat {event.seat} {'yes' if event.yes else 'no'}"


class Broken(Keys):
    """Keys with a fault of the program in them."""

    def step(self, now: int) -> list[DeviceEvent]:
        raise ZeroDivisionError


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_fault_of_the_program_is_told_and_gives_the_pins_back(capfd: pytest.CaptureFixture[str]) -> None:
    events: queue.SimpleQueue[DeviceEvent] = queue.SimpleQueue()
    pins = VirtualPins(TABLE)
    thread: DeviceThread = DeviceThread(Broken(pins, TABLE), events)
    assert isinstance(events.get(timeout=5), DeviceBack)
    lost = events.get(timeout=5)
    assert isinstance(lost, DeviceLost)
    assert "fault of the program" in lost.words
    assert thread.stop()
    with pytest.raises(RuntimeError, match="setup"):
        pins.input(TABLE.keypad.columns[0])


def test_orders_to_a_device_that_is_lost_are_obeyed_when_it_is_back() -> None:
    events: queue.SimpleQueue[DeviceEvent] = queue.SimpleQueue()
    pins = VirtualPins(TABLE)
    pins.of_others.add(TABLE.lights.data)
    thread: DeviceThread = DeviceThread(Keys(pins, TABLE), events)
    assert isinstance(events.get(timeout=5), DeviceLost)
    thread.order({"seat 2 yes": "on"})
    thread.order({"seat 3 no": "on"})
    pins.of_others.clear()
    while not isinstance(events.get(timeout=5), DeviceBack):
        pass
    assert thread.stop()
    assert pins.chain.lit == {"seat 3 no"}


