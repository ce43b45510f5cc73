"""Magnets: the field is the closed form on the axis and the dipole far away; figures are felt on their tile alone."""

import math

import pytest
from hardware.data_files import read
from hardware.magnet import Disc, discs, distance_mm
from hypothesis import given, settings
from hypothesis import strategies as st

DATA = read("magnet.yaml")
AWAY = distance_mm(DATA)
SENSOR = DATA["sensor"]


@settings(max_examples=30, deadline=None)
@given(st.floats(4, 12), st.floats(1, 6), st.floats(3, 20))
def test_on_the_axis_it_is_the_closed_form(diameter: float, height: float, below: float) -> None:
    radius, far = diameter / 2, below + height
    closed = 1170 / 2 * (far / math.hypot(far, radius) - below / math.hypot(below, radius))
    assert Disc(diameter, height, 1170).field(below) == pytest.approx(closed, rel=0.01)


def test_far_away_it_is_a_dipole() -> None:
    disc = Disc(8, 2, 1170)
    moment = 1170 * math.pi * 4**2 * 2 / (4 * math.pi)
    assert disc.field(199, 0) == pytest.approx(2 * moment / 200**3, rel=0.01)
    assert disc.field(-1 + 1e-9, 200) == pytest.approx(-moment / 200**3, rel=0.01)


@pytest.mark.parametrize("name", [one["for"] for one in DATA["magnets"]])
def test_a_figure_is_felt_on_its_tile_and_on_no_other(name: str) -> None:
    disc, pitch = discs(DATA)[name], DATA["pitch_mm"]
    assert disc.field(AWAY) >= 2 * SENSOR["surely_on_mt"], "twice what is due, for weak magnets and thick paint"
    assert disc.reach(AWAY, SENSOR["surely_on_mt"]) >= 4, "put down 4 mm off the middle"
    assert abs(disc.field(AWAY, pitch)) < SENSOR["perhaps_on_mt"], "the next tile never comes on"


def test_an_inch_base_is_let_go_of_for_sure_half_a_tile_away() -> None:
    disc = discs(DATA)["inch base"]
    assert disc.reach(AWAY, SENSOR["surely_off_mt"]) < DATA["pitch_mm"] / 2
