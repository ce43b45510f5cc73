"""A whole virtual table: hands go in at cells, keys and reader, light comes out, whatever way each board is turned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic

import pytest

from emberboard.devices.events import DeviceEvent, KeyPressed, SeatPressed, TagShown
from emberboard.devices.table_file import WIRING, read_table
from emberboard.link import protocol as p
from emberboard.link.bus_events import BoardLost, BoardState, TileEvent
from emberboard.link.wire import WireEvent
from emberboard.virtual.table import VirtualTable

CORNERS = [(0, 0), (11, 0), (0, 11), (11, 11), (5, 6), (6, 5)]


class Room:
    """Gathers what bus and devices tell."""

    def __init__(self, table: VirtualTable) -> None:
        self.table = table
        self.bus: list[WireEvent] = []
        self.devices: list[DeviceEvent] = []

    def until(self, done: Callable[[], bool], limit: float = 30.0) -> None:
        end = monotonic() + limit
        while not done():
            assert monotonic() < end, (self.bus[-9:], self.devices[-9:])
            self.bus += self.table.wire.events(0.02)
            self.devices += self.table.devices.drain()

    def known(self) -> set[str]:
        return {event.uid for event in self.bus if isinstance(event, BoardState)}

    def felt(self) -> list[tuple[tuple[int, int], bool]]:
        cells = []
        for event in self.bus:
            if isinstance(event, TileEvent):
                at = self.table.registry.cell(event.uid, event.tile)
                assert at is not None
                cells.append(((at[1], at[0]), event.press))
        return cells


@pytest.fixture(scope="module")
def room() -> Iterator[Room]:
    with VirtualTable(read_table(WIRING / "2x2.yaml")) as table:
        made = Room(table)
        made.until(lambda: len(made.known()) == 4)
        yield made


@pytest.mark.slow
def test_touches_are_felt_at_their_cells_and_light_comes_out_there(room: Room) -> None:
    room.table.wire.set_palette([(20 * i, 0, 0, p.STEADY, 0) for i in range(12)])
    roles = {uid: [0] * p.TILES for uid in room.table.registry.places}
    for number, (x, y) in enumerate(CORNERS, 1):
        room.table.touch((x, y))
        room.until(lambda: ((x, y), True) in room.felt())  # noqa: B023 run at once
        where = room.table.registry.tile((y, x))
        assert where is not None
        roles[where[0]][where[1]] = number
    for cell in CORNERS:
        room.table.lift(cell)
        room.until(lambda: (cell, False) in room.felt())  # noqa: B023 run at once
    room.table.wire.show({uid: p.pack_roles(one) for uid, one in roles.items()})
    expected = {cell: (20 * number, 0, 0) for number, cell in enumerate(CORNERS, 1)}
    room.until(lambda: {at: c for at, c in room.table.read_lights().items() if any(c)} == expected)


@pytest.mark.slow
def test_keys_buttons_and_tokens_come_through_their_threads(room: Room) -> None:
    room.table.press("OK")
    room.until(lambda: any(isinstance(one, KeyPressed) and one.key == "OK" for one in room.devices))
    room.table.release("OK")
    room.table.press("seat 2 no")
    room.until(lambda: any(isinstance(one, SeatPressed) and (one.seat, one.yes) == (2, False) for one in room.devices))
    room.table.release("seat 2 no")
    room.table.present_tag("04A1B2C3")
    room.until(lambda: any(isinstance(one, TagShown) and one.tag == "04A1B2C3" for one in room.devices))
    room.table.show_seats({"seat 1 yes": "on"})
    room.table.show_rail([(200, 0, 0)])
    room.until(lambda: room.table.read_seats() == {"seat 1 yes"} and room.table.read_rail()[0] == (100, 0, 0))


@pytest.mark.slow
def test_a_board_that_was_unplugged_tells_what_was_put_on_it_meanwhile(room: Room) -> None:
    place = room.table.place_of((11, 0))
    assert place == "B1"
    uid = room.table.uid_at(place)
    room.table.unplug(place)
    room.until(lambda: any(isinstance(event, BoardLost) and event.uid == uid for event in room.bus))
    room.bus.clear()
    room.table.touch((10, 1))
    room.table.replug(place)
    room.until(lambda: ((10, 1), True) in room.felt())
    assert room.table.restart_bus() is room.table.wire
    room.bus.clear()
    room.until(lambda: len(room.known()) == 4 and ((10, 1), True) in room.felt())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["4x3", "6x6"])
def test_every_board_of_a_large_table_is_found_feels_and_shines(name: str, show: Callable[[str], None]) -> None:
    began = monotonic()
    with VirtualTable(read_table(WIRING / f"{name}.yaml")) as table:
        room = Room(table)
        places = table.registry.places
        room.until(lambda: len(room.known()) == len(places), limit=120.0)
        found = monotonic() - began
        assert len(places) == len(table.file.places)
        # Another tile of each board, so that a board taken for its neighbour or turned otherwise would show.
        cells = {}
        for number, uid in enumerate(places):
            y, x = places[uid].cell(number % p.TILES)
            cells[x, y] = uid
            table.touch((x, y))
        room.until(lambda: {(at, True) for at in cells} <= set(room.felt()), limit=120.0)
        assert len(room.felt()) == len(cells), "no other tile felt anything"
        table.wire.set_palette([(20 * i, 0, 0, p.STEADY, 0) for i in range(12)])
        roles = {uid: [0] * p.TILES for uid in places}
        expected = {}
        for number, ((x, y), uid) in enumerate(cells.items()):
            where = table.registry.tile((y, x))
            assert where is not None and where[0] == uid
            roles[uid][where[1]] = 1 + number % 11
            expected[x, y] = (20 * (1 + number % 11), 0, 0)
        table.wire.show({uid: p.pack_roles(one) for uid, one in roles.items()})
        room.until(lambda: {at: c for at, c in table.read_lights().items() if any(c)} == expected, limit=120.0)
    show(f"virtual table {name}: {len(places)} boards found {found:.1f} s after the start of their processes")
