"""Dice station, seat and host's adapter: as wired in wiring/, and as the host's key driver expects them."""

from pathlib import Path

import pytest
from hardware.build import TABLES
from hardware.data_files import HERE, read
from hardware.dice_station import CHIPS, SHIFT_OUTPUTS, dice_station
from hardware.host_adapter import host_adapter
from hardware.seat import seat
from hardware.sheet import Sheet
from tools.wiring import bus_harness, host_harness

from emberboard.devices.table_file import read_table, seat_key
from hardware import parts

FILES = [HERE.parent / "wiring" / f"{name}.yaml" for name in TABLES]


@pytest.fixture(scope="module")
def station() -> Sheet:
    return dice_station()


@pytest.mark.parametrize("draw", [dice_station, seat, host_adapter])
def test_the_electrical_rules_find_nothing(draw: object) -> None:
    assert draw().check() == []  # type: ignore[operator]


@pytest.mark.parametrize("draw", [dice_station, seat, host_adapter])
def test_every_chip_has_its_capacitors_and_every_part_its_number(draw: object) -> None:
    sheet: Sheet = draw()  # type: ignore[operator]
    stands = {part.fields["By"] for part in sheet.circuit.parts if "By" in part.fields}
    assert stands == {f"{ref}.{pin}" for ref, kind in sheet.kinds.items() for pin in kind.decoupled}
    assert all(kind.mpn and kind.manufacturer and kind.footprint for kind in sheet.kinds.values())


def matrix(sheet: Sheet) -> dict[str, tuple[str, str]]:
    """Key: its column's net, and the row's net behind its diode."""
    found = {}
    for part in sheet.circuit.parts:
        if part.name == "Button_12mm":
            [diode] = [ref for ref, pin in sheet.pins_on(sheet.net_of(part.ref, "2")) if pin == "A"]
            assert sheet.part(diode).name == "1N4148W"
            found[str(part.value)] = (sheet.net_of(part.ref, "1"), sheet.net_of(diode, "K"))
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_matrix_and_the_plugs_are_those_of_every_ready_table(path: Path, station: Sheet) -> None:
    table, keys = read_table(path), matrix(station)
    plugs = {seat.seat: f"J{10 + seat.seat}" for seat in table.seats}
    for row, line in enumerate(table.keypad.rows, 1):
        for column, key in enumerate(line.keys, 1):
            sides = {seat_key(number, yes): (number, yes) for number in plugs for yes in (True, False)}
            if key in sides:
                number, yes = sides[key]
                assert station.net_of(plugs[number], "ROW") == f"ROW{row}"
                assert station.net_of(plugs[number], "COL_YES" if yes else "COL_NO") == f"COL{column}"
            else:
                assert keys.pop(key) == (f"COL{column}", f"ROW{row}")
    assert keys == {}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_plugs_have_the_wires_of_the_harness(path: Path) -> None:
    table = read_table(path)
    host, bus = host_harness(table)["connectors"], bus_harness(table)["connectors"]

    def names(kind: parts.Kind, count: int | None = None) -> list[str]:
        return [name.replace("_", " ").replace("+5V", "5V") for _, name, _ in kind.pins][:count]

    assert host["Dice station"]["pinlabels"] == names(parts.STATION_HEADER, 16)
    for one in table.seats:
        assert host[f"Seat {one.seat}"]["pinlabels"] == names(parts.SEAT_PLUG)
    assert host["Rail"]["pinlabels"] == names(parts.RAIL_PLUG)
    assert host["Transceiver A"]["pinlabels"] == names(parts.HOST_BUS_PLUG)
    assert all(plug["pinlabels"] == names(parts.BUS_PLUG) for plug in bus.values())


def test_the_lights_come_out_in_the_order_in_which_the_host_shifts_them(station: Sheet) -> None:
    """devices/keys.py: 16 bits, the last button first, so the first button ends on the first chip's QA."""
    table, outputs, data = read_table(FILES[0]), [], "DATA"
    for _ in range(CHIPS):
        [chip] = [ref for ref, pin in station.pins_on(data) if pin == "SER"]
        outputs += [station.net_of(chip, name) for name in SHIFT_OUTPUTS]
        data = station.net_of(chip, "QHS")
    wanted = [f"J{10 + one.seat}" for one in table.seats for _ in range(2)]
    for at, net in enumerate(outputs):
        if at >= len(wanted):
            assert net == ""
            continue
        [resistor] = [ref for ref, _ in station.pins_on(net) if station.part(ref).name == "R"]
        assert station.part(resistor).value == "330R"
        light = "LIGHT_NO" if at % 2 else "LIGHT_YES"
        assert station.net_of(resistor, "2") == station.net_of(wanted[at], light)


def test_the_lights_stay_within_their_chips_supply() -> None:
    """74HC595: 70 mA through VCC; a 2 V light behind 330 Ohm."""
    assert 8 * (3.3 - 2.0) / 330 * 1000 < 70


def test_columns_are_pulled_up_and_nothing_sees_five_volts(station: Sheet) -> None:
    for column in range(1, 5):
        pulls = [ref for ref, _ in station.pins_on(f"COL{column}") if station.part(ref).name == "R"]
        assert [station.net_of(ref, "1") for ref in pulls] == ["3V3"]
        assert [station.part(ref).value for ref in pulls] == ["4k7"]
    assert not any("5V" in str(net.name) for net in station.circuit.get_nets())


def test_a_seats_buttons_and_lights() -> None:
    sheet = seat()
    assert matrix(sheet) == {"yes": ("COL_YES", "ROW"), "no": ("COL_NO", "ROW")}
    lights = {ref for ref, kind in sheet.kinds.items() if kind.name.startswith("LED")}
    assert {(sheet.net_of(ref, "A"), sheet.net_of(ref, "K")) for ref in lights} == {
        ("LIGHT_YES", "GND"),
        ("LIGHT_NO", "GND"),
    }


def test_the_hosts_end_is_terminated_and_biased() -> None:
    sheet = host_adapter()
    ends = {frozenset((sheet.net_of(part.ref, "1"), sheet.net_of(part.ref, "2"))): str(part.value)
            for part in sheet.circuit.parts if part.name == "R"}  # fmt: skip
    assert ends[frozenset(("BUS_A", "BUS_B"))] == "120R"
    assert ends[frozenset(("3V3", "BUS_A"))] == ends[frozenset(("BUS_B", "GND"))] == "390R"
    assert read("pins.yaml")["bus"]["direction"] == "automatic"
