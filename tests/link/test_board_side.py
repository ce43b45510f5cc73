"""A board's half of the protocol, frame by frame: what it does, what it repeats, what it refuses, when it is silent."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emberboard.link import protocol as p
from emberboard.link.board_side import QUEUE, BoardSide, Works

UID = b"abcdefgh"
LINK = Path(p.__file__).parent


class Talk:
    """A host's side by hand: says frames to one board and reads what comes back."""

    def __init__(self, side: BoardSide | None = None, session: int = 7, address: int = 5) -> None:
        self.side = side or BoardSide(UID, 300)
        self.address = address
        self.now = 0
        self.say(p.BROADCAST, 0, p.ASSIGN, p.assign_payload(session, UID, address))

    def wire(self, wire: bytes) -> tuple[int, int, int, bytes] | None:
        n = self.side.receive(wire, 0, len(wire), self.now)
        if not n:
            return None
        reply = bytes(self.side.out[:n])
        reader = p.FrameReader()
        assert reader.take(reply, 0, n) == n
        length = reader.open()
        assert length >= 0
        return reader.buf[1], reader.buf[2], reader.buf[3], bytes(reader.buf[p.HEAD : p.HEAD + length])

    def say(self, dst: int, ctl: int, kind: int, payload: bytes = b"") -> tuple[int, int, int, bytes] | None:
        return self.wire(p.frame(dst, ctl, kind, payload))

    def ask(self, sequence: int, kind: int, payload: bytes = b"", expected: int = 0) -> tuple[int, int, bytes]:
        """The reply's event number, type and payload."""
        reply = self.say(self.address, p.ctl(sequence, expected), kind, payload)
        assert reply is not None
        assert reply[0] == self.address | p.REPLY and reply[1] >> 4 == sequence
        return reply[1] & 15, reply[2], reply[3]

    def poll(self, sequence: int, expected: int = 0, latched: int = 0) -> tuple[int, list[tuple[int, bool, int]]]:
        number, kind, payload = self.ask(sequence, p.POLL, p.poll_payload(latched, 200), expected)
        assert kind == p.EVENTS
        return number, p.read_events(payload)


def test_only_a_board_without_an_address_of_this_session_answers_a_search() -> None:
    side = BoardSide(UID, 300)
    talk = Talk(side)
    search = p.frame(0, 0, p.DISCOVER, p.discover_payload(7, 0, 0, p.SLOTS, 1000))
    assert talk.wire(search) is None
    other = p.frame(0, 0, p.DISCOVER, p.discover_payload(8, 3, 0, p.SLOTS, 1000))
    reply = talk.wire(other)
    assert reply is not None and reply[0] == p.REPLY and p.read_here(reply[3])[2] == UID
    assert side.reply_delay_us == 1000 * p.slot_of(UID, 8, 3)
    slot = p.slot_of(UID, 8, 4)
    assert talk.wire(p.frame(0, 0, p.DISCOVER, p.discover_payload(8, 4, slot + 1, 127 - slot, 1000))) is None
    assert talk.wire(p.frame(0, 0, p.DISCOVER, p.discover_payload(8, 4, slot, 1, 1000))) is not None
    assert side.reply_delay_us == 0


def test_a_retry_is_answered_alike_and_done_once() -> None:
    talk = Talk()
    talk.ask(1, p.SNAPSHOT)
    talk.side.edge(3, True, 0)
    first = talk.poll(2)
    talk.side.edge(4, True, 0)
    assert talk.poll(2) == first == (0, [(3, True, 0)])
    assert talk.side.repeats == 1
    assert talk.poll(3) == (0, [(3, True, 0), (4, True, 0)])


def test_a_snapshot_takes_the_place_of_what_was_outstanding_and_numbers_go_on() -> None:
    talk = Talk()
    talk.ask(1, p.SNAPSHOT)
    talk.side.edge(3, True, 0)
    talk.side.edge(4, True, 0)
    talk.poll(2)
    talk.side.edge(5, True, 0)
    number, _, payload = talk.ask(3, p.SNAPSHOT)
    assert number == 2 and p.read_mask(payload) == 0b111000
    assert talk.poll(4, expected=2) == (2, [])


def test_the_same_sequence_with_another_request_is_no_retry() -> None:
    talk = Talk()
    talk.ask(1, p.SNAPSHOT)
    assert talk.ask(1, p.GC, b"\x09")[1] == p.OK
    assert talk.side.gc_ms == 9


def test_sequence_0_always_acts() -> None:
    talk = Talk()
    hello = p.hello_payload(7, p.SERVICE)
    assert talk.ask(0, p.HELLO, hello)[1] == talk.ask(0, p.HELLO, hello)[1] == p.IDENTITY
    assert talk.side.repeats == 0 and talk.side.mode == p.SERVICE


@given(st.lists(st.tuples(st.integers(0, 35), st.booleans()), max_size=QUEUE), st.lists(st.booleans(), max_size=40))
def test_events_come_once_each_in_order_however_many_replies_are_lost(
    edges: list[tuple[int, bool]], heard: list[bool]
) -> None:  # fmt: skip
    talk = Talk()
    talk.ask(1, p.SNAPSHOT)
    for tile, press in edges:
        talk.side.edge(tile, press, 0)
    got: list[tuple[int, bool]] = []
    expected = 0
    for k, hears in enumerate([*heard, *[True] * 12]):
        number, events = talk.poll(k % 15 + 1 if k else 2, expected)
        if hears:
            skip = (expected - number) % 16
            assert skip <= len(events) <= p.MAX_OUTSTANDING
            got += [(tile, press) for tile, press, _ in events[skip:]]
            expected = (number + len(events)) % 16
    assert got == edges


def test_an_age_is_told_and_does_not_wrap() -> None:
    talk = Talk()
    talk.ask(1, p.SNAPSHOT)
    talk.side.edge(1, True, 0)
    talk.now = 250
    talk.side.edge(2, True, 240)
    assert talk.poll(2)[1] == [(1, True, 250), (2, True, 10)]
    talk.now = 10**9
    assert talk.poll(3)[1][0] == (1, True, p.MAX_AGE)


def test_overflow_keeps_the_oldest_and_asks_for_a_snapshot() -> None:
    talk = Talk()
    talk.ask(1, p.SNAPSHOT)
    for k in range(QUEUE + 5):
        talk.side.edge(k % 36, k < 36, 0)
    assert talk.side.lost_events == 5
    got, expected, sequence = [], 0, 1
    while True:
        sequence = sequence % 15 + 1
        number, kind, payload = talk.ask(sequence, p.POLL, p.poll_payload(0, 255), expected)
        events = p.read_events(payload)
        assert payload[0] & p.WANTS_SNAPSHOT
        if not events:
            break
        got += events
        expected = (number + len(events)) % 16
    assert len(got) == QUEUE
    number, kind, payload = talk.ask(sequence % 15 + 1, p.SNAPSHOT, b"", expected)
    assert kind == p.STATE and number == expected and not payload[0] & p.WANTS_SNAPSHOT
    assert p.read_mask(payload) == sum(1 << tile for tile in range(33, 36))


def test_an_acknowledgement_out_of_step_asks_for_a_snapshot() -> None:
    talk = Talk()
    talk.ask(1, p.SNAPSHOT)
    talk.side.edge(1, True, 0)
    number, kind, payload = talk.ask(2, p.POLL, p.poll_payload(0, 255), expected=9)
    assert kind == p.EVENTS and payload[0] & p.WANTS_SNAPSHOT and number == 0


@given(st.integers(0, 255), st.integers(0, 255))
def test_a_latch_shows_its_frame_and_older_ones_only(mark: int, latched: int) -> None:
    talk = Talk()
    talk.ask(1, p.LIGHTS, p.lights_payload(mark, bytes([0x21]) * 18))
    assert talk.side.roles == bytes(18)
    talk.say(p.BROADCAST, 0, p.LATCH, bytes((latched,)))
    shown = (latched - mark) % 256 < 128
    assert (talk.side.roles == bytes([0x21]) * 18) == shown
    assert talk.side.shown == (mark if shown else 0)
    assert talk.side.changed == shown


def test_a_lost_latch_heals_in_the_next_poll() -> None:
    talk = Talk()
    talk.ask(1, p.PALETTE, p.palette_payload(9, 0, [(1, 2, 3, p.BLINK, 25)] * 16))
    talk.ask(2, p.LIGHTS, p.lights_payload(9, bytes([0x21]) * 18))
    _, _, payload = talk.ask(3, p.POLL, p.poll_payload(8, 255))
    assert payload[0] & p.DARK and payload[1] == 0
    _, _, payload = talk.ask(4, p.POLL, p.poll_payload(9, 128))
    assert not payload[0] & p.DARK and payload[1] == 9
    assert talk.side.palette == bytes((1, 2, 3, p.BLINK, 25)) * 16
    assert talk.side.scale == 128


def test_a_board_whose_address_goes_to_another_falls_silent() -> None:
    talk = Talk()
    talk.say(p.BROADCAST, 0, p.ASSIGN, p.assign_payload(7, b"somebody", 5))
    assert talk.say(5, 0x10, p.POLL, p.poll_payload(0, 0)) is None
    assert talk.side.address == 0


def test_what_it_cannot_do_it_says() -> None:
    talk = Talk()
    assert talk.ask(1, 0x33)[1:] == (p.ERROR, bytes((p.UNKNOWN_TYPE, 0x33)))
    assert talk.ask(2, p.POLL, b"")[1:] == (p.ERROR, bytes((p.BAD_LENGTH, p.POLL)))
    assert talk.ask(3, p.PALETTE, bytes((1, 15)) + bytes(10))[1:] == (p.ERROR, bytes((p.BAD_VALUE, p.PALETTE)))
    assert talk.ask(4, p.UPDATE, bytes((p.BEGIN,)))[1:] == (p.ERROR, bytes((p.IN_PLAY, p.UPDATE)))
    assert talk.ask(5, p.CALIBRATE, p.calibrate_payload(p.WRITE))[1:] == (p.ERROR, bytes((p.IN_PLAY, p.CALIBRATE)))
    assert talk.ask(6, p.RESET, b"\x07")[1:] == (p.ERROR, bytes((p.BAD_VALUE, p.RESET)))


def test_service_goes_to_the_works() -> None:
    class Bench(Works):
        capabilities = p.CAN_UPDATE | p.CAN_SELFTEST

        def update(self, step: int, buf: bytearray, n: int) -> int:
            if step == p.DATA:
                offset, at, count = p.read_update_data(buf, n)
                assert buf[at : at + count] == b"chunk" and offset == self.offset
                self.offset += count
            return 0

        def selftest(self) -> int:
            self.stuck[0] = 3
            return 0

    talk = Talk(BoardSide(UID, 1, works=Bench()))
    talk.ask(0, p.HELLO, p.hello_payload(7, p.SERVICE))
    _, kind, payload = talk.ask(1, p.UPDATE, p.update_data_payload(0, b"chunk"))
    assert kind == p.PROGRESS and p.read_progress(payload) == (p.DATA, 0, 5)
    _, kind, payload = talk.ask(2, p.SELFTEST)
    assert kind == p.FINDINGS and p.read_mask(payload) == 3 and p.read_mask(payload, 8) == 0
    _, kind, payload = talk.ask(3, p.LOCATE, p.locate_payload(p.LOCATE_PLACE, 1 << 35 | 1))
    assert kind == p.OK and talk.side.locate_mask == bytes((1, 0, 0, 0, 8))
    _, kind, _ = talk.ask(4, p.RESET, bytes((p.RESTART,)))
    assert kind == p.OK and talk.side.reset_asked == 1


@given(st.lists(st.binary(max_size=60), max_size=6))
def test_no_rubbish_makes_it_speak_or_fall(rubbish: list[bytes]) -> None:
    talk = Talk()
    for some in rubbish:
        assert talk.wire(some + b"\0") is None
    assert talk.ask(3, p.SNAPSHOT)[1] == p.STATE


@given(st.integers(1, 0x7E), st.binary(max_size=40))
def test_no_sound_frame_makes_it_fall(kind: int, payload: bytes) -> None:
    """Whatever a later host may say, in whatever length, it is answered or passed over."""
    talk = Talk()
    for dst in (5, p.BROADCAST):
        talk.say(dst, 0x20 if dst else 0, kind, payload)


@pytest.mark.parametrize("file", ["protocol.py", "board_side.py"])
def test_what_the_boards_run_imports_only_what_micropython_has(file: str) -> None:
    tree = ast.parse((LINK / file).read_text())
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    froms = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert names <= {"binascii", "struct", "protocol"} and froms <= {None}
