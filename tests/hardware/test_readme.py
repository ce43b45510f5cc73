"""The build guide names parts, files and numbers that exist."""

import re

from hardware.data_files import HERE, read
from hardware.magnet import distance_mm
from hardware.sheet import Sheet

from hardware import power

TEXT = (HERE / "README.md").read_text(encoding="utf-8")


def test_every_reference_is_on_the_tile_board(board: Sheet) -> None:
    named = set(re.findall(r"`((?:JP|SW|[A-Z])\d+)`", TEXT))
    assert len(named) > 20
    assert named <= set(board.kinds)
    assert {f"RN{n}" for n in range(1, 10)} <= set(board.kinds)


def test_every_part_that_is_soldered_is_in_a_step(board: Sheet) -> None:
    named = set(re.findall(r"`((?:JP|SW|[A-Z])\d+)`", TEXT))
    chips = {ref for ref in board.kinds if re.fullmatch(r"(U|Q|Y|F|SW|JP)\d{1,2}", ref)}
    assert chips - named == {"U11", "U12", "U13"}, "U10 to U14 are one step"


def test_every_linked_file_exists() -> None:
    links = re.findall(r"\]\(([^)]+)\)", TEXT)
    assert len(links) > 12
    assert [link for link in links if not (HERE / link).exists()] == []


def test_the_numbers_are_those_of_the_data() -> None:
    data, words = read("power.yaml"), " ".join(TEXT.split())
    assert f"idles at {power.idle_ma(data)} mA" in words
    assert f"holds it to {data['board']['limit_ma']} mA" in words
    assert f"{data['feed']['fuse_ma'] / 1000} A blade fuse" in words
    assert f"one {data['feed']['cable']} pair" in words
    assert f"Set the supply to {data['supply']['set_v']} V" in words
    assert f"must be {data['board']['least_v']} V" in words
    assert f"Sensor to magnet is {distance_mm(read('magnet.yaml'))} mm" in words
    assert f"up to {data['board']['limit_ma'] * data['supply']['nominal_v'] / 1000:.0f} W each" in words
