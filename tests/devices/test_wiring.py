"""What is made from the tables' files is what they say: pin tables, and the drawings' sources wire for wire."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from tools import wiring

from emberboard.devices.table_file import TableFile, pin_uses, read_table


@pytest.fixture(params=wiring.TABLES)
def table(request: pytest.FixtureRequest) -> TableFile:
    return read_table(wiring.WIRING / f"{request.param}.yaml")


def test_readme_and_drawings_are_what_the_tables_say() -> None:
    assert wiring.differing() == [], "run `python tools/wiring.py` and commit what it made"
    for path, _text in wiring.sources():
        drawn = path.with_name(path.name.replace(".wireviz.yaml", ".svg"))
        assert drawn.read_text(encoding="utf-8").lstrip().startswith("<?xml"), drawn


def test_a_changed_table_changes_what_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(wiring.WIRING / "drawings", tmp_path / "drawings")
    for name in wiring.TABLES:
        text = (wiring.WIRING / f"{name}.yaml").read_text()
        (tmp_path / f"{name}.yaml").write_text(text.replace("pin: 18, pixels", "pin: 10, pixels"))
    monkeypatch.setattr(wiring, "WIRING", tmp_path)
    text = wiring.readme(wiring.README.read_text(encoding="utf-8"))
    assert "| 19 | 10 | rail data |" in text
    assert "| 12 | 18 | rail data |" not in text
    assert wiring.differing() == [*(f"{name}-host.wireviz.yaml" for name in wiring.TABLES), "README.md"]


def test_the_pin_table_has_each_pin_once_at_its_place_on_the_header(table: TableFile) -> None:
    rows = [row.split("|")[1:-1] for row in wiring.pin_table(table).splitlines()[2:]]
    found = {(int(header), int(pin), use.strip()) for header, pin, use in rows}
    assert found == {(wiring.HEADER[use.pin], use.pin, use.use) for use in pin_uses(table)}
    assert len({header for header, _, _ in found}) == len(rows)


def connections(harness: wiring.Harness) -> list[tuple[str, list[str], str, list[str]]]:
    made = []
    for start, cable, end in harness["connections"]:
        (first, from_pins), (second, to_pins) = next(iter(start.items())), next(iter(end.items()))
        (name, numbers) = next(iter(cable.items()))
        assert len(from_pins) == len(to_pins) == len(numbers) == harness["cables"][name]["wirecount"]
        assert set(from_pins) <= set(harness["connectors"][first]["pinlabels"])
        assert set(to_pins) <= set(harness["connectors"][second]["pinlabels"])
        made.append((first, from_pins, second, to_pins))
    return made


def test_every_pin_of_the_pi_has_one_wire_and_sits_at_its_number(table: TableFile) -> None:
    harness = wiring.host_harness(table)
    pi = harness["connectors"]["Pi"]
    where = dict(zip(pi["pinlabels"], pi["pins"]))
    wired = [pin for start, pins, _end, _to in connections(harness) if start == "Pi" for pin in pins]
    for use in pin_uses(table):
        assert wired.count(f"GPIO{use.pin}") == 1
        assert where[f"GPIO{use.pin}"] == wiring.HEADER[use.pin]
    assert (where["3V3"], where["GND"]) == (1, 6)
    # No 5 V of the Pi goes anywhere near the keys or the reader.
    assert "5V" not in pi["pinlabels"]


def test_transmit_goes_to_receive(table: TableFile) -> None:
    joined = connections(wiring.host_harness(table))
    wires = {(start, pin): (end, to) for start, pins, end, tos in joined for pin, to in zip(pins, tos)}
    for reader in table.readers:
        assert reader.pins is not None
        transmit, receive = reader.pins
        assert wires["Pi", f"GPIO{transmit}"] == (f"Reader {reader.name}", "RX")
        assert wires["Pi", f"GPIO{receive}"] == (f"Reader {reader.name}", "TX")


def test_the_bus_is_one_line_a_segment_ended_at_its_last_board(table: TableFile) -> None:
    harness = wiring.bus_harness(table)
    joined = connections(harness)
    assert all(pins == to == ["A", "B", "GND"] for _, pins, _, to in joined)
    for segment in table.segments:
        at, walked = f"Transceiver {segment.name}", []
        while following := [end for start, _, end, _ in joined if start == at]:
            (at,) = following
            walked.append(at.removeprefix("Board "))
        assert walked == list(segment.chain)
        assert harness["connectors"][at]["notes"] == "termination on"
    ends = [name for name, one in harness["connectors"].items() if one["notes"] == "termination on"]
    assert len(ends) == len(table.segments)


def test_no_label_is_read_as_something_else_by_older_yaml() -> None:
    # wireviz reads YAML 1.1, where a bare NO or ON is a boolean.
    old = YAML(typ="safe")
    old.version = "1.1"
    for path, _text in wiring.sources():
        for connector in old.load(path.read_text(encoding="utf-8"))["connectors"].values():
            assert all(isinstance(label, str) for label in connector["pinlabels"]), connector
