"""The master with a board played by hand: replies that no sound board would give, and what the host makes of them."""

from __future__ import annotations

import pytest

from emberboard.link import protocol as p
from emberboard.link.bus_events import BoardComplaint, BoardFound, BoardState, TileEvent
from emberboard.link.master import SegmentMaster

UID = b"abcdefgh"


class Hand:
    """One board at address 1, answered by hand; `now` goes on by what the master waits for."""

    def __init__(self) -> None:
        self.master = SegmentMaster(0, 7)
        self.now = 0
        self.told: list[object] = []
        self.request = (0, 0, 0, b"")
        self.next(p.DISCOVER)
        self.reply(p.HERE, p.put_here, (UID, 300), dst=p.REPLY)
        self.next(p.ASSIGN)
        self.reply(p.IDENTITY, p.put_identity, ((1, 0, 0), 0, 300, 7, UID, p.WANTS_SNAPSHOT, 0))
        self.next(p.SNAPSHOT)
        self.state(0, 0)

    def next(self, *wanted: int, limit: int = 3_000_000) -> bytes:
        """Let time go on, silent, until the master sends one of these: its payload."""
        end = self.now + limit
        while self.now < end:
            wire = self.master.advance(self.now)
            self.told += self.master.events()
            if wire:
                reader = p.FrameReader()
                assert reader.take(wire, 0, len(wire)) == len(wire)
                n = reader.open()
                self.request = (*reader.buf[1:4], bytes(reader.buf[p.HEAD : p.HEAD + n]))
                if self.request[2] in wanted:
                    self.now += 10 * len(wire)
                    return self.request[3]
            self.now = max(self.now + 1, self.master.wake)
        raise AssertionError(f"none of {[p.name(kind) for kind in wanted]} came")

    def say(self, kind: int, payload: bytes, number: int = 0, dst: int = 0x81, sequence: int | None = None) -> None:
        """A reply, by default to the request that came last."""
        if sequence is None:
            sequence = self.request[1] >> 4
        self.now += 1_000
        self.master.receive(p.frame(dst, p.ctl(sequence, number), kind, payload), self.now)
        self.told += self.master.events()

    def reply(self, kind: int, put: object, values: tuple[object, ...], dst: int = 0x81) -> None:
        buf = bytearray(p.BUFFER)
        n = put(buf, *values)  # type: ignore[operator]
        self.say(kind, bytes(buf[p.HEAD : p.HEAD + n]), dst=dst)

    def events(self, number: int, *edges: tuple[int, bool], status: int = 0, shown: int = 0) -> None:
        """Answer the POLL with events from `number` on."""
        body = b"".join(bytes((tile | p.PRESS * press, 0, 0)) for tile, press in edges)
        self.say(p.EVENTS, bytes((status, shown, 44)) + body, number)

    def state(self, number: int, mask: int) -> None:
        self.say(p.STATE, bytes((0, 0, 44)) + mask.to_bytes(5, "little"), number)

    @property
    def tiles(self) -> list[tuple[int, bool, bool]]:
        return [(event.tile, event.press, event.told) for event in self.told if isinstance(event, TileEvent)]


def test_events_said_again_are_skipped() -> None:
    hand = Hand()
    hand.next(p.POLL)
    hand.events(0, (1, True), (2, True))
    hand.next(p.POLL)
    assert hand.request[1] & 15 == 2, "both are acknowledged"
    hand.events(1, (2, True), (3, True))
    assert hand.tiles == [(1, True, True), (2, True, True), (3, True, True)]
    hand.next(p.POLL)
    assert hand.request[1] & 15 == 3


@pytest.mark.parametrize("number", [1, 5, 12])
def test_events_out_of_step_bring_a_snapshot(number: int) -> None:
    hand = Hand()
    hand.next(p.POLL)
    hand.events(number, (9, True))
    assert hand.tiles == []
    hand.next(p.SNAPSHOT)
    hand.state(11, 1 << 9 | 1 << 4)
    assert hand.tiles == [(4, True, False), (9, True, False)]
    assert [event.gap for event in hand.told if isinstance(event, BoardState)] == [False, True]
    hand.next(p.POLL)
    assert hand.request[1] & 15 == 11


def test_numbers_go_round() -> None:
    hand = Hand()
    for k in range(20):
        hand.next(p.POLL)
        assert hand.request[1] & 15 == k % 16
        hand.events(k % 16, (k, True))
    assert hand.tiles == [(k, True, True) for k in range(20)]


def show(hand: Hand, fill: int) -> int:
    """Have a picture taken and latched: its number."""
    hand.master.show({UID: bytes([fill]) * 18})
    number = hand.next(p.LIGHTS)[0]
    hand.say(p.OK, bytes((0, 0, 44)))
    assert hand.next(p.LATCH)[0] == number
    return number


def test_a_picture_is_sent_once_and_again_when_the_board_shows_another() -> None:
    hand = Hand()
    number = show(hand, 0x21)
    hand.next(p.POLL)
    assert hand.request[3][0] == number
    hand.events(0, shown=number)
    hand.next(p.POLL, p.LIGHTS)
    assert hand.request[2] == p.POLL, "nothing has changed, nothing is sent"
    hand.events(0, shown=number - 1)
    hand.next(p.POLL, p.LIGHTS)
    assert hand.request[2] == p.LIGHTS


def test_a_retry_is_the_same_frame_and_a_late_reply_is_nobodys() -> None:
    hand = Hand()
    hand.next(p.POLL)
    first = hand.request
    hand.next(p.POLL)
    assert hand.request == first, "silence: said again"
    hand.events(0, (1, True))
    late = hand.request[1] >> 4
    hand.next(p.POLL)
    stray = hand.master.stray
    hand.say(p.EVENTS, bytes((0, 0, 44, 0x81, 0, 0)), 0, sequence=late)
    assert hand.master.stray == stray + 1
    hand.events(1, (2, True))
    assert hand.tiles == [(1, True, True), (2, True, True)]


def test_a_reply_of_another_board_or_another_type_is_nobodys() -> None:
    hand = Hand()
    hand.next(p.POLL)
    hand.say(p.EVENTS, bytes((0, 0, 44, 0x81, 0, 0)), 0, dst=0x82)
    hand.say(p.STATE, bytes(8), 0)
    assert hand.tiles == []


def test_an_odd_reply_is_told_with_what_was_due() -> None:
    hand = Hand()
    hand.next(p.POLL)
    hand.say(p.EVENTS, bytes((0, 0, 44, 40, 0, 0)), 0)
    complaint = next(event for event in hand.told if isinstance(event, BoardComplaint))
    assert complaint.what == "EVENTS: tile 0..35 is due, 40 came"


def test_a_refused_picture_is_told_and_not_said_for_ever() -> None:
    hand = Hand()
    hand.master.show({UID: bytes(18)})
    hand.next(p.LIGHTS)
    hand.say(p.ERROR, bytes((p.BAD_VALUE, p.LIGHTS)))
    assert any(isinstance(e, BoardComplaint) and "LIGHTS: the board found a value" in e.what for e in hand.told)
    with pytest.raises(AssertionError):
        hand.next(p.LIGHTS, limit=2_000)


def test_the_board_was_found() -> None:
    hand = Hand()
    found = [event for event in hand.told if isinstance(event, BoardFound)]
    assert [(event.address, event.identity.boot) for event in found] == [(1, 300)]


def test_an_address_whose_reply_is_lost_is_said_again_at_once() -> None:
    """The board has it all the same and answers no search any more."""
    hand = Hand()
    hand.next(p.DISCOVER)
    buf = bytearray(p.BUFFER)
    n = p.put_here(buf, b"latecome", 5)
    hand.say(p.HERE, bytes(buf[p.HEAD : p.HEAD + n]), dst=p.REPLY)
    for _ in range(3):
        assert b"latecome" in hand.next(p.ASSIGN, limit=20_000)
    begin = hand.now
    # The other board is silent too, so it is probed as well.
    while b"latecome" not in hand.next(p.ASSIGN, limit=2_100_000):
        pass
    assert hand.now - begin > 900_000, "then once a second"
