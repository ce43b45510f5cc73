"""The tile board: every light and sensor in order, every chip with its capacitors, the pins as described."""

import re

import pytest
from hardware.data_files import read
from hardware.sheet import Sheet
from hardware.tile_board import SHIFT_INPUTS, TILES

from hardware import parts

PINS = read("pins.yaml")


def through(board: Sheet, net: str, kind: str, came: str) -> list[str]:
    """The nets behind a two-pin part of that kind on a net."""
    found = []
    for ref, _ in board.pins_on(net):
        if board.part(ref).name == kind:
            found += [str(pin.net.name) for pin in board.part(ref).pins if pin.net.name not in (net, came)]
    return found


def test_the_electrical_rules_find_nothing(board: Sheet) -> None:
    assert board.check() == []


def test_the_lights_hang_in_the_order_of_the_tiles(board: Sheet) -> None:
    net = board.net_of("U2", f"GPIO{PINS['gpio']['led_data']}")
    assert board.net_of("U5", "A") == net
    [net] = through(board, board.net_of("U5", "Y"), "R", "")
    for tile in range(TILES):
        [light] = [ref for ref, pin in board.pins_on(net) if pin == "DIN"]
        assert light == f"D{100 + tile}"
        assert board.part(light).name == "WS2812B"
        net = board.net_of(light, "DOUT")
    assert net == "", "the last one's output is open"


def test_the_bits_come_in_the_order_of_the_tiles(board: Sheet) -> None:
    bits, chip_out = [], board.net_of("U2", f"GPIO{PINS['gpio']['sensor_data']}")
    for _ in range(PINS["sensors"]["chips"]):
        [chip] = [ref for ref, pin in board.pins_on(chip_out) if pin == "QH"]
        bits += [board.net_of(chip, name) for name in SHIFT_INPUTS]
        assert board.net_of(chip, "CLK") == board.net_of("U2", f"GPIO{PINS['gpio']['sensor_clock']}")
        assert board.net_of(chip, "SH_LD") == board.net_of("U2", f"GPIO{PINS['gpio']['sensor_load']}")
        assert board.net_of(chip, "CLK_INH") == "GND"
        chip_out = board.net_of(chip, "SER")
    assert len(bits) == PINS["sensors"]["bits"]
    for tile, net in enumerate(bits[:TILES]):
        assert (f"U{100 + tile}", "OUT") in board.pins_on(net)
        assert through(board, net, "R_ARRAY_4", ""), "pulled up"
    assert bits[TILES:] == ["3V3" if bit else "GND" for bit in PINS["sensors"]["spare"]]


def test_every_pull_up_is_one_resistor_from_a_sensor_to_3v3(board: Sheet) -> None:
    seen = set()
    for part in board.circuit.parts:
        if part.name == "R_ARRAY_4":
            for one in range(1, 5):
                assert board.net_of(part.ref, str(9 - one)) == "3V3"
                seen.add(board.net_of(part.ref, str(one)))
    assert seen == {f"HALL_{tile}" for tile in range(TILES)}


def test_every_supply_pin_that_wants_a_capacitor_has_its_own(board: Sheet) -> None:
    stands: dict[str, tuple[set[str], str]] = {}
    for part in board.circuit.parts:
        if "By" in part.fields:
            stands[part.fields["By"]] = ({str(pin.net.name) for pin in part.pins}, part.ref)
    wanted = 0
    for ref, kind in board.kinds.items():
        for pin in kind.decoupled:
            nets, _ = stands[f"{ref}.{pin}"]
            assert nets == {board.net_of(ref, pin), "GND"}
            wanted += 1
    assert wanted == len(stands)
    chips = [ref for ref in board.kinds if re.fullmatch(r"U\d+", ref)]
    assert all(board.kinds[ref].decoupled for ref in chips)


def test_every_gpio_is_used_as_described_or_open(board: Sheet) -> None:
    used = {number: name for name, number in PINS["gpio"].items()}
    assert len(used) == len(PINS["gpio"]), "no pin twice"
    for number in range(30):
        assert board.net_of("U2", f"GPIO{number}") == used.get(number, "").upper()


def test_the_uart_and_spi_pins_have_these_functions() -> None:
    """RP2040 datasheet, "GPIO functions": UART0 on 0 mod 16 and so on; SPI1 RX on 8, 12, 24, 28, SCK on 10, 14, 26."""
    gpio = PINS["gpio"]
    assert PINS["bus"]["uart"] == 0
    assert (gpio["bus_tx"], gpio["bus_rx"]) in {(0, 1), (12, 13), (16, 17), (28, 29)}
    assert PINS["sensors"]["spi"] == 1
    assert gpio["sensor_data"] in {8, 12, 24, 28}
    assert gpio["sensor_clock"] in {10, 14, 26}
    assert gpio["supply_sense"] in range(26, 30)


def test_the_bus_goes_in_and_out_and_is_protected(board: Sheet) -> None:
    for plug in ("J5", "J6"):
        assert [board.net_of(plug, pin) for pin in "123"] == ["BUS_A", "BUS_B", "GND"]
    assert board.net_of("U4", "A") == "BUS_A"
    assert board.net_of("U4", "B") == "BUS_B"
    assert board.net_of("U4", "RE") == board.net_of("U4", "SHDN") == "3V3", "auto-direction mode"
    assert {("D5", "IO1"), ("U4", "A")} <= board.pins_on("BUS_A")
    assert {("D5", "IO2"), ("U4", "B")} <= board.pins_on("BUS_B")


def test_bias_and_termination_are_switched_and_idle_is_a_clear_high(board: Sheet) -> None:
    for one, other in (("1", "8"), ("2", "7"), ("3", "6"), ("4", "5")):
        assert board.net_of("SW4", one) != board.net_of("SW4", other)
    assert through(board, "TERM", "R", "") == ["BUS_B"]
    assert through(board, "BIAS_UP", "R", "") == ["3V3"]
    assert through(board, "BIAS_DOWN", "R", "") == ["GND"]
    bias = [float(board.part(ref).value[:-1]) for net in ("BIAS_UP", "BIAS_DOWN") for ref, _ in board.pins_on(net)
            if board.part(ref).name == "R"]  # fmt: skip
    both_ends = 120 / 2
    assert 3.3 * both_ends / (sum(bias) + both_ends) > 0.2, "TIA-485: 200 mV at a terminated idle bus"


def test_five_volts_pass_fuse_polarity_and_surge_before_the_board(board: Sheet) -> None:
    assert board.pins_on("5V_CHAIN") == {("J1", "+5V"), ("J2", "+5V"), ("F1", "1")}
    assert board.pins_on("5V_FUSED") == {("F1", "2"), ("Q1", "D")}
    assert board.net_of("Q1", "S") == "5V"
    assert through(board, "REVERSE_GATE", "R", "") == ["GND"]
    assert (board.net_of("D1", "K"), board.net_of("D1", "A")) == ("5V", "GND")


def test_usb_feeds_the_board_only_through_its_jumper(board: Sheet) -> None:
    assert board.pins_on("5V_USB") == {("D4", "K"), ("JP1", "1")}
    assert board.net_of("JP1", "2") == "5V"


def test_the_boot_guard_is_pulled_up_and_two_things_pull_it_down(board: Sheet) -> None:
    assert {("U2", f"GPIO{PINS['gpio']['boot_guard']}"), ("SW3", "1"), ("SW4", "4")} <= board.pins_on("BOOT_GUARD")
    assert through(board, "BOOT_GUARD", "R", "") == ["3V3"]


def test_every_part_can_be_bought(board: Sheet) -> None:
    assert all(kind.mpn and kind.manufacturer and kind.footprint for kind in board.kinds.values())


def test_pin_numbers_of_every_kind_are_distinct() -> None:
    kinds = [kind for kind in vars(parts).values() if isinstance(kind, parts.Kind)]
    assert len(kinds) > 25
    for kind in kinds:
        numbers, names = [pin[0] for pin in kind.pins], [pin[1] for pin in kind.pins]
        assert len(set(numbers)) == len(numbers), kind.name
        assert len(set(names)) == len(names), kind.name
    assert {pin[0] for pin in parts.RP2040.pins} == {str(n) for n in range(1, 58)}


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (lambda sheet: sheet.join(sheet.part("U5"), "Y", "LED_1"), "Pin conflict"),
        (lambda sheet: sheet.place(parts.HALL, VCC="5V", GND="GND"), "Unconnected pin"),
        (lambda sheet: sheet.place(parts.FLASH, CS="LOST"), "Only one pin"),
    ],
)
def test_the_rules_find_a_fault(fault: object, words: str) -> None:
    sheet = Sheet("faulty")
    sheet.net("5V", supply=True)
    sheet.net("GND", supply=True)
    sheet.place(parts.LEVEL_SHIFTER, "U5", VCC="5V", GND="GND", A="GND", OE="GND")
    sheet.place(parts.WS2812B, VDD="5V", VSS="GND", DIN="LED_0", DOUT="LED_1")
    fault(sheet)  # type: ignore[operator]
    assert any(words in found for found in sheet.check())
