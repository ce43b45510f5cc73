"""The firmware's pins, sensor chain and current limit are those of the circuit and the power budget."""

import importlib
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest
from hardware.data_files import HERE, read
from hardware.sheet import Sheet

from hardware import power

PINS, DATA = read("pins.yaml"), read("power.yaml")


@pytest.fixture
def firmware(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    """The firmware's files as the board imports them: by their own names, beside the protocol."""
    for folder in (HERE.parent / "firmware", HERE.parent / "host" / "emberboard" / "link"):
        monkeypatch.syspath_prepend(str(folder))
    names = ("pins", "power", "sensors", "protocol", "fast", "plain")
    before = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    try:
        yield {name: importlib.import_module(name) for name in ("pins", "power", "sensors")}
    finally:
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(before)


def test_the_pins(firmware: dict[str, ModuleType], board: Sheet) -> None:
    pins, gpio = firmware["pins"], PINS["gpio"]
    firmware_names = {
        "bus_tx": pins.BUS_TX, "bus_rx": pins.BUS_RX, "led_data": pins.LED_PIN, "sensor_clock": pins.SENSOR_SCK,
        "sensor_data": pins.SENSOR_MISO, "sensor_load": pins.SENSOR_LOAD, "boot_guard": pins.BOOT_GUARD,
    }  # fmt: skip
    assert firmware_names == {name: gpio[name] for name in firmware_names}
    for name, number in firmware_names.items():
        assert board.net_of("U2", f"GPIO{number}") == name.upper()
    assert (PINS["bus"]["uart"], PINS["sensors"]["spi"]) == (pins.BUS_UART, pins.SENSOR_SPI)
    assert PINS["sensors"]["clock_hz"] == pins.SENSOR_HZ


def test_the_mark_behind_the_sensors_bits(firmware: dict[str, ModuleType]) -> None:
    mark = int("".join(map(str, PINS["sensors"]["spare"])), 2)
    assert mark == firmware["sensors"].MARK


def test_the_boards_own_limit(firmware: dict[str, ModuleType]) -> None:
    limit = firmware["power"]
    assert DATA["board"]["limit_ma"] == limit.LIMIT_MA
    assert DATA["light"]["mark_ma"] == limit.CHANNEL_MA
    assert power.idle_ma(DATA) == limit.IDLE_MA
    white = DATA["board"]["lights"] * 3 * 255
    assert limit.current_ma(white) == power.full_ma(DATA)


def test_a_white_picture_is_held_within_what_the_fuse_holds(firmware: dict[str, ModuleType]) -> None:
    limiter, picture = firmware["power"].Limiter(), bytearray(b"\xff" * 108)
    after = limiter.hold(picture, sum(picture))
    assert limiter.limiting
    assert firmware["power"].current_ma(after) <= DATA["board"]["fuse_hold_ma"] * DATA["board"]["fuse_warm"]
    assert sum(picture) == after
