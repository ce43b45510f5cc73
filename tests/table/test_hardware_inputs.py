"""Bus and device events become the table's inputs, pictures become roles for boards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emberboard.devices import events as told
from emberboard.link import protocol
from emberboard.link.bus_events import BoardBack, BoardFlag, BoardLost, BoardState, LineDown, LineUp, TileEvent
from emberboard.link.registry import Place, Registry
from emberboard.table.board_tiles import BoardTiles, palette
from emberboard.table.device_inputs import DeviceInputs
from emberboard.table.hardware import Key, LinkHealth, SeatButton, TagShown, TileGain, TileLoss, TilesDark, TilesSensed
from emberboard.table.roles import load_theme

THEME = load_theme()


def tiles() -> BoardTiles:
    registry = Registry({"aa": Place(0, 0), "bb": Place(0, 1, 1), "cc": Place(1, 0, 2)})
    return BoardTiles(registry, to_ms=lambda us: us // 1000, now=lambda: 77)


def test_a_tiles_edge_is_a_gain_or_loss_of_a_cell() -> None:
    assert tiles().inputs(TileEvent(0, "aa", 8, True, 5_000)) == [TileGain(at=5, cell=(2, 1))]
    assert tiles().inputs(TileEvent(0, "bb", 0, False, 6_000)) == [TileLoss(at=6, cell=(11, 0))], "turned once"
    assert tiles().inputs(TileEvent(0, "zz", 0, True, 6_000)) == [], "no place yet"
    assert tiles().inputs(TileEvent(0, "aa", 8, True, 5_000, told=False)) == []


def test_a_snapshot_is_a_whole_area_and_a_lost_board_is_dark_and_said() -> None:
    board = tiles()
    (sensed,) = board.inputs(BoardState(0, "cc", 1, True))
    assert isinstance(sensed, TilesSensed) and sensed.occupied == ((5, 11),) and len(set(sensed.area)) == 36
    dark, health = board.inputs(BoardLost(0, "bb"))
    assert isinstance(dark, TilesDark) and {x for x, _ in dark.cells} == set(range(6, 12))
    assert isinstance(health, LinkHealth) and health.state == "lost" and "row 1, column 2" in health.words
    assert board.inputs(BoardBack(0, "bb", True)) == [LinkHealth(at=77, state="good")]


def test_limiting_and_a_line_that_is_down_are_shown() -> None:
    board = tiles()
    (health,) = board.inputs(BoardFlag(0, "aa", "limiting", True))
    assert isinstance(health, LinkHealth) and health.state == "limited"
    (health,) = board.inputs(LineDown(0, "silence: is the plug in?"))
    assert isinstance(health, LinkHealth) and health.state == "lost" and "plug" in health.words
    board.inputs(BoardFlag(0, "aa", "limiting", False))
    assert board.inputs(LineUp(0)) == [LinkHealth(at=77, state="good")]


@given(st.dictionaries(st.tuples(st.integers(0, 11), st.integers(0, 11)), st.sampled_from(sorted(THEME.rank))))
def test_every_lit_cell_of_a_known_board_reaches_its_tile(picture: dict[tuple[int, int], str]) -> None:
    board = tiles()
    shown = {}
    for uid, packed in board.roles(picture, THEME).items():
        assert len(packed) == protocol.ROLES_SIZE
        for tile, index in enumerate(protocol.unpack_roles(packed)):
            at = board.cell(uid, tile)
            assert at is not None
            if index:
                shown[at] = index
    here = {at for at in picture if not (at[0] >= 6 and at[1] >= 6)}
    assert shown == {at: THEME.index[picture[at]] for at in here}


def test_the_theme_is_a_palette_that_the_protocol_takes() -> None:
    entries = palette(THEME)
    assert entries[0] == (0, 0, 0, protocol.STEADY, 0) and len(entries) == len(THEME.index)
    assert entries[THEME.index["wrong"]] == (255, 0, 0, protocol.BLINK, 12)
    assert len(protocol.palette_payload(1, 0, entries)) == 2 + 5 * len(entries)


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (told.KeyPressed(at=1, key="Undo", long=True), [Key(at=1, name="Undo", long=True)]),
        (told.SeatPressed(at=2, seat=2, yes=False), [SeatButton(at=2, seat="Ben", yes=False)]),
        (told.SeatPressed(at=2, seat=5, yes=False), []),
        (told.TagShown(at=3, reader="bag", tag="04A1B2C3"), [TagShown(at=3, tag="04A1B2C3")]),
        (told.PowerLimited(at=4, wanted_ma=2, given_ma=1), []),
    ],
)
def test_device_events(event: told.DeviceEvent, expected: list[object]) -> None:
    assert DeviceInputs(("Ada", "Ben")).inputs(event) == expected


def test_a_device_that_is_lost_is_said_until_it_is_back() -> None:
    devices = DeviceInputs(("Ada",))
    (health,) = devices.inputs(told.DeviceLost(at=1, device="bag", words="The reader is silent: check its plug."))
    assert isinstance(health, LinkHealth) and health.state == "lost" and "plug" in health.words
    assert devices.inputs(told.DeviceBack(at=2, device="bag", words="")) == [
        LinkHealth(at=2, state="good", source="devices")
    ]
