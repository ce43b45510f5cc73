"""The PN532 behind the PTY: its frames byte for byte as UM0701-02 has them, and what the real driver asks it."""

from __future__ import annotations

import queue
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emberboard.devices.events import DeviceBack, DeviceLost, TagShown
from emberboard.devices.table_file import Reader
from emberboard.devices.thread import DeviceThread
from emberboard.devices.token_reader import SPOILT_LIMIT, TokenReader, tags_of
from emberboard.virtual.pn532 import ACK, SYNTAX_ERROR, Pn532Chip, PtyPn532

WAKE_UP = bytes.fromhex("5555000000")
SAM = bytes.fromhex("0000FF05FBD4140114010200")
FIRMWARE = bytes.fromhex("0000FF02FED4022A00")
RETRIES = bytes.fromhex("0000FF06FAD43205FF0101F400")
LIST = bytes.fromhex("0000FF04FCD44A0100E100")


def awake() -> Pn532Chip:
    chip = Pn532Chip()
    assert chip.receive(WAKE_UP + SAM, 0) == ACK + bytes.fromhex("0000FF02FED5151600")
    return chip


def test_it_sleeps_until_it_is_woken() -> None:
    chip = Pn532Chip()
    assert chip.receive(FIRMWARE, 0) == b""
    assert chip.receive(WAKE_UP + FIRMWARE, 1) == ACK + bytes.fromhex("0000FF06FAD50332010607E800")


def test_a_poll_without_a_tag_says_none_after_its_attempts() -> None:
    chip = awake()
    assert chip.receive(RETRIES, 10) == ACK + bytes.fromhex("0000FF02FED533F800")
    assert chip.receive(LIST, 20) == ACK
    assert chip.tick(29) == b""
    assert chip.tick(30) == bytes.fromhex("0000FF03FDD54B00E000")


def test_without_bounded_attempts_it_would_wait_for_ever() -> None:
    chip = awake()
    chip.receive(LIST, 0)
    assert chip.tick(3_600_000) == b""
    chip.tags.append(bytes.fromhex("DEADBEEF"))
    # NbTg 1, Tg 1, SENS_RES 0004, SEL_RES 08, four bytes of UID.
    assert chip.tick(3_600_001) == bytes.fromhex("0000FF0CF4D54B010100040804DEADBEEF9600")


def test_unknown_commands_and_spoilt_frames() -> None:
    chip = awake()
    assert chip.receive(bytes.fromhex("0000FF02FED460CC00"), 0) == ACK + SYNTAX_ERROR
    assert chip.receive(FIRMWARE[:-2] + b"\x2b\x00", 0) == b""
    assert chip.receive(b"\x00\x00\xff\x02\xfd\xd4\x02\x2a\x00", 0) == b""
    assert chip.receive(FIRMWARE, 0).startswith(ACK)


@given(st.lists(st.integers(1, 12), max_size=30))
def test_bytes_may_come_in_any_pieces(sizes: list[int]) -> None:
    whole, chip, sent, at = WAKE_UP + SAM + FIRMWARE + RETRIES, Pn532Chip(), b"", 0
    for size in [*sizes, len(whole)]:
        sent += chip.receive(whole[at : at + size], 0)
        at += size
    other = Pn532Chip()
    assert sent == other.receive(whole, 0)


@given(st.binary(max_size=64))
def test_noise_never_breaks_it(noise: bytes) -> None:
    chip = awake()
    chip.receive(noise, 0)
    # However the noise ended, the chip is in step again after some frames.
    assert any(chip.receive(FIRMWARE, at).endswith(bytes.fromhex("D50332010607E800")) for at in range(80))


def test_answers_that_are_too_short_are_refused() -> None:
    assert tags_of(bytes.fromhex("00")) == ()
    assert tags_of(bytes.fromhex("010100040804DEADBEEF")) == ("DEADBEEF",)
    for cut in ("", "01", "010100040804DEAD", "010100040803DEADBE"):
        with pytest.raises(IndexError):
            tags_of(bytes.fromhex(cut))


def test_the_real_driver_sets_the_chip_up_and_polls_it(tmp_path: Path) -> None:
    pty = PtyPn532(tmp_path / "reader")
    events: queue.SimpleQueue = queue.SimpleQueue()
    reader = Reader(name="bag", port=str(pty.port), poll_ms=20)
    thread: DeviceThread[None] = DeviceThread(TokenReader(reader), events)
    assert isinstance(events.get(timeout=10), DeviceBack)
    pty.present("DEADBEEF")
    assert isinstance(events.get(timeout=10), TagShown)
    assert thread.stop()
    commands = [(one.command, one.params.hex()) for one in pty.chip.history]
    assert commands[0] == (0x14, "011401")
    assert (0x02, "") in commands
    first_poll = commands.index((0x4A, "0100"))
    assert commands.index((0x32, "05ff0101")) < first_poll
    assert set(commands[first_poll:]) == {(0x4A, "0100")}
    pty.stop()


def test_a_few_spoilt_answers_pass_unnoticed_and_many_are_told(tmp_path: Path) -> None:
    pty = PtyPn532(tmp_path / "reader")
    events: queue.SimpleQueue = queue.SimpleQueue()
    thread: DeviceThread[None] = DeviceThread(TokenReader(Reader(name="bag", port=str(pty.port), poll_ms=20)), events)
    assert isinstance(events.get(timeout=10), DeviceBack)
    pty.present("DEADBEEF")
    assert isinstance(events.get(timeout=10), TagShown)
    pty.fault(spoil=SPOILT_LIMIT - 1)
    with pytest.raises(queue.Empty):
        events.get(timeout=0.7)
    pty.fault(spoil=SPOILT_LIMIT)
    lost = events.get(timeout=10)
    assert isinstance(lost, DeviceLost)
    assert f"{SPOILT_LIMIT} spoilt answers running" in lost.words
    assert isinstance(events.get(timeout=10), DeviceBack)
    assert thread.stop()
    pty.stop()
