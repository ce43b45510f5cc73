"""Firmware over the bus: on a sound and on a rough line the board has the very bytes; what goes wrong is said."""

from __future__ import annotations

import binascii
from random import Random

import pytest

from emberboard.link import protocol as p
from emberboard.link.board_side import Works
from emberboard.link.bus_events import Answer
from emberboard.link.update import UpdateError, confirm, update_steps
from emberboard.virtual.bus import NONE, ROUGH, Faults, SimulatedBus, make_boards
from tests.link.bus_truth import start


class Flash(Works):
    """A board's store in memory: busy now and then, and spoiling a byte when told to."""

    capabilities = p.CAN_UPDATE

    def __init__(self, spoil: int = 0) -> None:
        super().__init__()
        self.files: dict[str, bytes] = {}
        self.active = self.confirmed = False
        self.spoil = spoil
        self._asked = 0
        self._name = ""
        self._due = (0, 0)
        self._data = bytearray()

    def update(self, step: int, buf: bytearray, n: int) -> int:
        self._asked += 1
        if self._asked % 5 == 0:
            return p.BUSY
        if step == p.BEGIN:
            size, crc, name = p.read_update_begin(buf, n)
            self._due, self._name, self._data = (size, crc), name.decode(), bytearray()
        elif step == p.DATA:
            offset, at, count = p.read_update_data(buf, n)
            if offset != len(self._data):
                return p.BAD_OFFSET
            self._data += buf[at : at + count]
            if self.spoil:
                self.spoil -= 1
                self._data[-1] ^= 1
        elif step == p.END:
            if (len(self._data), binascii.crc32(self._data)) != self._due:
                return p.BAD_CRC
            self.files[self._name] = bytes(self._data)
        elif step == p.ACTIVATE:
            self.active = True
        elif step == p.CONFIRM:
            self.confirmed = True
        self.offset = len(self._data)
        return 0


FILES = {"board.mpy": Random(1).randbytes(5_000), "leds.mpy": bytes(700), "empty.mpy": b""}


def run_update(faults: Faults, flash: Flash) -> SimulatedBus:
    sim = SimulatedBus(make_boards(2), seed=6)
    board = sim.boards[0]
    board.side.works = flash
    start(sim)
    sim.set_faults(faults)
    master = sim.masters[0]
    steps = update_steps(FILES, master.session)
    asked = [next(steps)]
    ticket = 0
    while asked:
        kind, payload = asked.pop()
        ticket += 1
        master.ask(board.uid, kind, payload, ticket)
        sim.poke()

        def answer(ticket: int = ticket) -> Answer | None:
            found = (event for _, event in reversed(sim.told) if isinstance(event, Answer))
            return next((event for event in found if event.ticket == ticket), None)

        assert sim.run_until(lambda: answer() is not None, sim.now + 5_000_000)
        said = answer()
        assert said is not None
        try:
            asked.append(steps.send(said))
        except StopIteration:
            break
    assert board.side.reset_asked == p.RESTART + 1
    master.ask(board.uid, *confirm(), ticket + 1)
    sim.poke()
    assert sim.run_until(lambda: flash.confirmed, sim.now + 1_000_000)
    return sim


@pytest.mark.parametrize("faults", [NONE, ROUGH], ids=["sound", "rough"])
def test_the_board_has_the_very_bytes(faults: Faults) -> None:
    flash = Flash()
    run_update(faults, flash)
    assert flash.files == FILES and flash.active


def test_a_damaged_file_is_sent_again() -> None:
    flash = Flash(spoil=1)
    run_update(NONE, flash)
    assert flash.files == FILES


def test_a_file_that_stays_damaged_is_named_and_nothing_activated() -> None:
    flash = Flash(spoil=1_000)
    with pytest.raises(UpdateError, match=r"board\.mpy: it came damaged 3 times"):
        run_update(NONE, flash)
    assert not flash.active


def test_a_board_that_cannot_says_so() -> None:
    with pytest.raises(UpdateError, match="does not know this message"):
        sim = run_update(NONE, Works())  # type: ignore[arg-type]
        assert sim is None
