"""The power scale: no picture at any moment draws more than the supply gives, counted by the firmware's renderer."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from time import monotonic
from types import ModuleType

import msgspec
import pytest
from hardware.data_files import HERE, read
from hypothesis import given, settings
from hypothesis import strategies as st

from emberboard.devices.table_file import WIRING, Supply, read_table
from emberboard.link import protocol as p
from emberboard.link.picture import Entry
from emberboard.table import power_scale
from emberboard.table.power_scale import PowerScale, brightest, scale_for
from emberboard.table.roles import load_theme
from emberboard.table.wired_table import WiredTable
from emberboard.virtual.board_model import BoardModel
from emberboard.virtual.bus import SimulatedBus
from emberboard.virtual.table import VirtualTable
from hardware import power
from tests.table.fights import TAGS, fight

DATA = read("power.yaml")
DIM, BRIGHT = 0x11, 0xFF
FIRMWARE = ("effects", "power", "plain", "protocol", "fast")


@pytest.fixture(scope="module")
def firmware() -> Iterator[dict[str, ModuleType]]:
    """The firmware's files as a board imports them: by their own names, beside the protocol."""
    folders = [str(HERE.parent / "firmware"), str(HERE.parent / "host" / "emberboard" / "link")]
    before = {name: sys.modules.pop(name) for name in FIRMWARE if name in sys.modules}
    sys.path[:0] = folders
    try:
        yield {name: importlib.import_module(name) for name in ("effects", "power")}
    finally:
        for folder in folders:
            sys.path.remove(folder)
        for name in FIRMWARE:
            sys.modules.pop(name, None)
        sys.modules.update(before)


def test_the_numbers_are_those_of_the_power_budget_and_the_firmware(firmware: dict[str, ModuleType]) -> None:
    effects = firmware["effects"]
    assert power.idle_ma(DATA) == power_scale.BOARD_IDLE_MA
    assert DATA["board"]["limit_ma"] == power_scale.BOARD_LIMIT_MA
    assert DATA["light"]["mark_ma"] == power_scale.MARK_MA
    assert bytes(power_scale.TRAIL) == effects.TRAIL
    assert power_scale.ECHO == 3 * effects.ECHO
    for name in ("2x2", "4x3", "6x6"):
        table = read_table(WIRING / f"{name}.yaml")
        boards = len(table.places)
        assert (table.supply.amperes, table.supply.load) == (power.supply_for(DATA, boards)[1], DATA["supply"]["load"])
        assert min(power_scale.most_ma(boards), table.supply.budget_ma) == power.table_budget_ma(DATA, boards)
    # One board on a USB port: half an ampere, of which a tenth is left.
    assert Supply(amperes=0.5, load=0.9).budget_ma == DATA["usb"]["budget_ma"]


entry = st.tuples(
    st.integers(0, 255),
    st.integers(0, 255),
    st.integers(0, 255),
    st.sampled_from((p.STEADY, p.BREATHE, p.BLINK, p.CHASE)),
    st.integers(0, 12),
)
palettes = st.lists(entry, min_size=15, max_size=15).map(lambda rest: [(0, 0, 0, p.STEADY, 0), *rest])
# Few roles on a board, so that chases run over many tiles at once.
pictures = st.lists(st.integers(0, 15), min_size=1, max_size=4).flatmap(
    lambda roles: st.lists(st.sampled_from(roles), min_size=36, max_size=36)
)


def drawn(
    firmware: dict[str, ModuleType], boards: list[list[int]], entries: list[Entry], scale: int
) -> list[list[int]]:
    """What each board draws (mA) in each picture of a while, six fingers echoing on the first board; no own limit."""
    flat = bytes(part for one in entries for part in one)
    told = []
    for number, roles in enumerate(boards):
        effects = firmware["effects"].Effects()
        effects.balance[3] = scale
        currents = []
        for tick in range(26):
            if tick == 9 and number == 0:
                for tile in range(power_scale.ECHOES):
                    effects.touch(tile)
            total = effects.render(p.pack_roles(roles), flat, p.LOCATE_OFF, bytes(5), bytes(5), bytearray(108))
            currents.append(firmware["power"].current_ma(total))
            effects.step()
        told.append(currents)
    return told


@settings(max_examples=60, deadline=None)
@given(boards=st.lists(pictures, min_size=1, max_size=3), entries=palettes, amperes=st.integers(3, 40))
def test_never_more_than_the_budget_nor_than_a_board_holds(
    firmware: dict[str, ModuleType], boards: list[list[int]], entries: list[Entry], amperes: int
) -> None:
    supply = Supply(amperes=amperes / 10)
    scale = PowerScale(entries, len(boards), supply).scale(
        {str(number): p.pack_roles(roles) for number, roles in enumerate(boards)}
    )
    worst = [max(currents) for currents in drawn(firmware, boards, entries, scale)]
    assert sum(worst) <= max(supply.budget_ma, power_scale.dark_ma(len(boards)))
    assert max(worst) <= power_scale.BOARD_LIMIT_MA, "no board has to dim itself"


@settings(max_examples=60, deadline=None)
@given(look=entry)
def test_the_brightest_moment_comes(firmware: dict[str, ModuleType], look: Entry) -> None:
    """What is counted for a board of one role is truly reached: the scale gives nothing away."""
    entries = [(*look[:4], 12)] * 16
    flat = bytes(part for one in entries for part in one)
    effects, roles = firmware["effects"].Effects(), bytes([0x11]) * 18
    seen = 0
    for _ in range(12):
        seen = max(seen, effects.render(roles, flat, p.LOCATE_OFF, bytes(5), bytes(5), bytearray(108)))
        effects.step()
    assert seen == brightest(roles, entries)


@given(
    st.lists(st.integers(0, 27_540), min_size=1, max_size=36),
    st.integers(0, 27_540),
    st.integers(0, 60_000),
    st.integers(0, 5_000),
)
def test_more_light_or_more_boards_never_scale_up_and_more_supply_never_down(
    lights: list[int], light: int, budget: int, more: int
) -> None:
    scale = scale_for(lights, len(lights), budget)
    assert 0 <= scale <= 255
    assert scale_for([lights[0] + more, *lights[1:]], len(lights), budget) <= scale
    assert scale_for([*lights, light], len(lights) + 1, budget) <= scale
    assert scale_for(lights, len(lights), budget + more) >= scale


def test_boards_by_hand() -> None:
    # Four white boards: (4800 - 4 * 221) mA for 4 * 27540 + 1440 of light, and no board over 980 mA of its own light.
    assert scale_for([27_540] * 4, 4, 4800) == min(3916 * 65025 // (12 * 111_600), 980 * 65025 // (12 * 28_980))
    assert scale_for([0] * 4, 4, 880) == 0, "the dark boards alone draw it all"
    table = read_table(WIRING / "2x2.yaml")
    theme = load_theme()
    whole = PowerScale.of(table, theme)
    assert whole.scale({}) == 255
    assert whole.scale({"a": p.pack_roles([theme.index["reachable"]] * 36)}) == 255
    assert whole.scale({"a": p.pack_roles([theme.index["chosen"]] * 36)}) < 255


class WatchedBoard(BoardModel):
    """A board that keeps every scale at which it showed its bright picture."""

    def __init__(self, uid: bytes) -> None:
        super().__init__(uid)
        self.scales: set[int] = set()

    def receive(self, data: bytes, now: int) -> tuple[bytes, int]:
        reply = super().receive(data, now)
        if self.side.roles[0] == BRIGHT:
            self.scales.add(self.side.scale)
        return reply


def test_a_lower_scale_goes_before_its_picture_and_a_higher_one_after_it() -> None:
    """At no moment does a board show the bright picture at the scale of the dim one."""
    boards = [WatchedBoard(b"board-%d-" % number) for number in range(3)]
    bus = SimulatedBus([boards])
    bus.run(3_000_000)
    master = bus.masters[0]
    master.set_palette([(number, number, number, p.STEADY, 0) for number in range(16)])

    def show(role: int, scale: int) -> None:
        if scale < master.scale:
            master.set_scale(scale)
        master.show({board.uid: bytes([role]) * 18 for board in boards})
        if scale > master.scale:
            master.set_scale(scale)
        bus.poke()
        assert bus.run_until(
            lambda: all((board.side.roles[0], board.side.scale) == (role, scale) for board in boards),
            bus.now + 1_000_000,
        )

    for _ in range(3):
        show(DIM, 255)
        show(BRIGHT, 90)
    assert [board.scales for board in boards] == [{90}] * 3


@pytest.mark.slow
def test_a_weak_supply_dims_the_tiles_and_the_rail_says_so() -> None:
    """The boards' lights and the rail as they are; then the whole supply is there again."""
    file, theme = read_table(WIRING / "2x2.yaml"), load_theme()
    chosen = theme.roles[theme.index["chosen"] - 1].colour
    weak = PowerScale.of(msgspec.structs.replace(file, supply=Supply(amperes=1.3)), theme)
    with VirtualTable(file) as virtual:
        table = WiredTable(
            fight(3), virtual.wire, virtual.registry, virtual.devices, virtual, pixels=24, tags=TAGS, power=weak
        )
        table.start()
        table.show_tiles({(x, y): "chosen" for x in range(12) for y in range(12)})
        dimmed = table.scale
        assert 0 < dimmed < 255
        until(table, lambda: set(virtual.read_lights().values()) == {scaled(chosen, dimmed)})
        virtual.press("Help")
        until(table, lambda: health(virtual) == theme.rail["limited"])
        table.show_tiles({(0, 0): "chosen"})
        assert table.scale == 255
        until(table, lambda: sorted(virtual.read_lights().values())[-2:] == [(0, 0, 0), chosen])
        virtual.release("Help")
        virtual.press("No")
        until(table, lambda: health(virtual) == theme.rail["good"])
        table.show_tiles({(x, y): "chosen" for x in range(12) for y in range(12)})
        table.reconnect(virtual.restart_bus())
        until(table, lambda: set(virtual.read_lights().values()) == {scaled(chosen, dimmed)})


def until(table: WiredTable, done: Callable[[], bool]) -> None:
    end = monotonic() + 30
    while not done():
        assert monotonic() < end
        table.step(0.02)


def scaled(colour: tuple[int, int, int], scale: int) -> tuple[int, int, int]:
    red, green, blue = (part * 255 * scale // 65025 for part in colour)
    return red, green, blue


def health(virtual: VirtualTable) -> tuple[int, int, int]:
    """The rail's first pixel at full brightness."""
    rail = virtual.read_rail()
    red, green, blue = (int(part / virtual.file.rail.brightness) for part in rail[0]) if rail else (0, 0, 0)
    return red, green, blue
