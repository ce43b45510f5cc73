"""The rail's contract: on the stand-in, and on the real neopixel package with its write captured byte for byte."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import permutations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emberboard.devices.errors import DriverMissing, NoPermission
from emberboard.devices.events import PowerLimited
from emberboard.devices.rail import TEST_PICTURE, Colour, Rail, dimmed, draw_ma, open_neopixel, order_words, right_order
from emberboard.devices.table_file import ORDERS, RailStrip
from emberboard.virtual.rail import VirtualStrip, opener, seen
from tests.devices.key_rigs import ROOT, real_table
from tests.devices.person import ask

FULL = RailStrip(pin=18, pixels=8, order="GRB", brightness=1.0, current_ma=1000, mark_ma=12)
COLOURS = st.tuples(*[st.integers(0, 255)] * 3)
PICTURES: list[list[Colour]] = [
    [(1, 2, 3)],
    [(1, 2, 3)],
    [(1, 2, 3), (255, 0, 128)],
    [(0, 0, 0), (255, 0, 128)],
    [],
]

REAL = """
import sys
import neopixel
import msgspec
from emberboard.devices.rail import Rail
from emberboard.devices.table_file import RailStrip

sent = []
neopixel.neopixel_write = lambda pin, data: sent.append(bytes(data).hex())
wiring, pictures = msgspec.json.decode(sys.stdin.buffer.read(), type=tuple[RailStrip, list[list[tuple[int, int, int]]]])

def opener(strip):
    import board
    return neopixel.NeoPixel(board.NEOPIXEL, strip.pixels, auto_write=False, pixel_order=strip.order)

rail = Rail(wiring, opener)
rail.open()
for picture in pictures:
    rail.obey(picture, 0)
rail.close()
print(msgspec.json.encode(sent).decode())
"""


def real_writes(strip: RailStrip, pictures: list[list[Colour]]) -> list[bytes]:
    """What the real package hands to its pin driver, on the board definition of Blinka that any machine has."""
    run = subprocess.run(
        [sys.executable, "-c", REAL],
        input=msgspec.json.encode((strip, pictures)),
        env={**os.environ, "BLINKA_OS_AGNOSTIC": "1"},
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr.decode()
    return [bytes.fromhex(line) for line in msgspec.json.decode(run.stdout.splitlines()[-1], type=list[str])]


def virtual_writes(strip: RailStrip, pictures: list[list[Colour]]) -> list[bytes]:
    made: list[VirtualStrip] = []
    rail = Rail(strip, opener(made))
    rail.open()
    for picture in pictures:
        rail.obey(picture, 0)
    rail.close()
    return [write.data for write in made[0].history]


@pytest.fixture(params=[virtual_writes, real_writes], ids=["virtual", "neopixel"])
def writes(request: pytest.FixtureRequest, show: Callable[[str], None]) -> Callable[..., list[bytes]]:
    where = "the stand-in" if request.param is virtual_writes else "the real neopixel, its write kept byte for byte"
    show(f"the rail ran on {where}")
    made: Callable[..., list[bytes]] = request.param
    return made


def test_bytes_on_the_wire_and_only_changes_are_sent(writes: Callable[..., list[bytes]]) -> None:
    dark = bytes(24)
    one = bytes([2, 1, 3]) + bytes(21)
    two = bytes([2, 1, 3, 0, 255, 128]) + bytes(18)
    last = bytes([0, 0, 0, 0, 255, 128]) + bytes(18)
    # Dark at first; the second picture is the first again; dark when closed.
    assert writes(FULL, PICTURES) == [dark, one, two, last, dark, dark]


@pytest.mark.parametrize("order", ORDERS)
def test_each_order_shows_the_colours_that_were_meant(writes: Callable[..., list[bytes]], order: str) -> None:
    strip = msgspec.structs.replace(FULL, order=order)
    assert seen(writes(strip, [list(TEST_PICTURE)])[1], order)[:3] == list(TEST_PICTURE)


@pytest.mark.parametrize("written", ORDERS)
@pytest.mark.parametrize("wired", ORDERS)
def test_the_colour_test_finds_a_swapped_order(written: str, wired: str) -> None:
    made: list[VirtualStrip] = []
    strip = msgspec.structs.replace(FULL, order=written)
    rail = Rail(strip, opener(made, wired))
    rail.open()
    rail.obey(TEST_PICTURE, 0)
    names = {(255, 0, 0): "red", (0, 255, 0): "green", (0, 0, 255): "blue"}
    what_eyes_see = [names[colour] for colour in made[0].seen[:3]]
    assert right_order(written, what_eyes_see) == wired
    words = order_words(written, what_eyes_see)
    assert ("right" in words) == (written == wired)
    assert f"order: {wired}" in words or written == wired


def test_an_order_that_is_none_is_refused_with_what_is_allowed() -> None:
    with pytest.raises(ValueError, match="RGB, RBG, GRB, GBR, BRG, BGR"):
        Rail(msgspec.structs.replace(FULL, order="RGX"))
    with pytest.raises(ValueError, match="each once"):
        right_order("GRB", ["red", "red", "blue"])
    assert set(map("".join, permutations("RGB"))) == set(ORDERS)


@given(
    st.lists(COLOURS, max_size=8),
    st.integers(50, 400),
    st.floats(0.1, 1.0),
)
def test_a_picture_never_draws_more_than_the_limit(picture: list[Colour], limit: int, brightness: float) -> None:
    strip = msgspec.structs.replace(FULL, current_ma=limit, brightness=brightness)
    given_back, wanted = dimmed(strip, picture)
    assert draw_ma(strip, given_back) <= limit
    assert all(part <= before for one, was in zip(given_back, picture) for part, before in zip(one, was))
    if wanted <= limit:
        assert given_back == [tuple(int(part * brightness) for part in colour) for colour in picture]


def test_limiting_is_told_when_it_begins_and_when_it_ends() -> None:
    rail = Rail(msgspec.structs.replace(FULL, current_ma=100), opener([]))
    rail.open()
    white: list[Colour] = [(255, 255, 255)] * 8
    (told,) = rail.obey(white, 5)
    assert isinstance(told, PowerLimited)
    # 8 pixels, three colours of 12 mA each, and 1 mA idle: 8 * 36 + 8.
    assert (told.wanted_ma, told.at) == (296, 5)
    assert told.given_ma <= 100
    assert rail.obey(white, 6) == []
    (ended,) = rail.obey([(9, 0, 0)], 7)
    assert isinstance(ended, PowerLimited)
    assert ended.wanted_ma == ended.given_ma


def test_a_picture_longer_than_the_rail_or_off_the_scale_is_refused() -> None:
    rail = Rail(FULL, opener([]))
    rail.open()
    with pytest.raises(ValueError, match="8 pixels, the picture 9"):
        rail.obey([(0, 0, 0)] * 9, 0)
    with pytest.raises(ValueError, match="0 to 255"):
        rail.obey([(256, 0, 0)], 0)


class _NoMemory(VirtualStrip):
    def show(self) -> None:
        raise RuntimeError("ws2811_init failed with code -5 (mmap() failed)")


def test_a_driver_that_may_not_touch_memory_says_the_fix() -> None:
    rail = Rail(FULL, _NoMemory)
    with pytest.raises(NoPermission, match=r"GPIO18.*run as root"):
        rail.open()


def test_without_a_pi_the_error_says_what_to_install() -> None:
    if real_table() is not None:
        pytest.skip("this is a real table")
    with pytest.raises(DriverMissing, match=r"\[pi4\].*make demo"):
        open_neopixel(FULL)


def test_on_a_real_rail_the_colours_are_right(show: Callable[[str], None]) -> None:
    table = real_table()
    if table is None:
        show("the rail did not run on a real table: EMBERBOARD_HIL names none")
        pytest.skip("no real table: EMBERBOARD_HIL names no table's file")
    rail = Rail(table.rail)
    rail.open()
    rail.obey(TEST_PICTURE, 0)
    looked = ask("Which colours do the first three pixels show? (like: red green blue)").split()
    rail.close()
    assert looked == ["red", "green", "blue"], order_words(table.rail.order, looked)
