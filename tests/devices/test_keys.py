"""The contract of dice station and seat buttons, on the stand-in, on rpi-lgpio over a GPIO chip, on a real table."""

from __future__ import annotations

import random
import time

import pytest

from emberboard.devices.events import DeviceBack, KeyPressed, SeatPressed
from tests.devices.key_rigs import AnyEvent, KeyRig


def opened(keys: KeyRig) -> None:
    back = keys.next(wait_s=15)
    assert isinstance(back, DeviceBack), back
    assert back.device == "keys" and "26 keys" in back.words


def told(event: AnyEvent) -> tuple[object, ...]:
    if isinstance(event, KeyPressed):
        return event.key, event.long
    assert isinstance(event, SeatPressed), event
    return event.seat, event.yes


def test_each_key_is_told_once_under_its_name(keys: KeyRig) -> None:
    opened(keys)
    for key in ["1", "10", "+10", "Roll", "OK", "No", "Help", "7"]:
        keys.press(key)
        assert told(keys.next()) == (key, False)
        keys.release(key)
        assert keys.quiet(0.06)


def test_each_seat_s_buttons(keys: KeyRig) -> None:
    opened(keys)
    for seat in range(1, 6):
        for yes in (True, False):
            name = f"seat {seat} {'yes' if yes else 'no'}"
            keys.press(name)
            assert told(keys.next()) == (seat, yes)
            keys.release(name)
            assert keys.quiet(0.06)


def test_keys_held_together_are_kept_apart_by_their_diodes(keys: KeyRig) -> None:
    # Three corners of a square on the matrix: without diodes the fourth (5 here) would seem to be pressed.
    opened(keys)
    held = ["1", "2", "4"]
    for key in held:
        keys.press(key)
        assert told(keys.next()) == (key, False)
    assert keys.quiet(0.15)
    for key in held:
        keys.release(key)
    keys.press("5")
    assert told(keys.next()) == ("5", False)
    keys.release("5")


def test_undo_short_is_told_on_release_and_long_while_held(keys: KeyRig) -> None:
    opened(keys)
    keys.tap("Undo")
    assert told(keys.next()) == ("Undo", False)
    keys.press("Undo")
    assert told(keys.next()) == ("Undo", True)
    keys.release("Undo")
    assert keys.quiet(0.1)


def test_a_flicker_while_held_is_no_second_press(keys: KeyRig) -> None:
    if keys.by_hand:
        pytest.skip("a hand cannot bounce a contact to order")
    opened(keys)
    keys.press("3")
    assert told(keys.next()) == ("3", False)
    flickers = 0
    while flickers < 5:
        begun = time.monotonic()
        keys.release("3")
        keys.quiet(0.004)
        keys.press("3")
        # On a busy machine the gap can grow into a real release; only short ones are flickers.
        if time.monotonic() - begun < 0.015:
            flickers += 1
            assert keys.quiet(0.02)
        else:
            keys.quiet(0.1)
    keys.release("3")
    assert keys.quiet(0.08)


@pytest.mark.layout("odalin")
def test_odalin_s_faces_are_on_six_keys(keys: KeyRig) -> None:
    opened(keys)
    for key, name in [("1", "blank"), ("3", "2 hits"), ("6", "corruption"), ("7", "7"), ("OK", "OK")]:
        keys.press(key)
        assert told(keys.next()) == (name, False)
        keys.release(key)
        assert keys.quiet(0.06)


def test_seat_lights_show_what_was_ordered_last(keys: KeyRig) -> None:
    opened(keys)
    for lit in [{"seat 1 yes"}, {"seat 5 no", "seat 2 yes", "seat 1 no"}, set()]:
        keys.show(dict.fromkeys(lit, "on"))
        assert keys.wait_lit(frozenset(lit)) == lit


def test_a_blinking_light_goes_on_and_off(keys: KeyRig) -> None:
    if keys.by_hand:
        pytest.skip("nobody can answer between two blinks")
    opened(keys)
    keys.show({"seat 3 yes": "blink", "seat 3 no": "on"})
    for _ in range(2):
        assert keys.wait_lit(frozenset({"seat 3 yes", "seat 3 no"})) == {"seat 3 yes", "seat 3 no"}
        assert keys.wait_lit(frozenset({"seat 3 no"})) == {"seat 3 no"}


@pytest.mark.soak
def test_two_thousand_presses_are_told_once_and_in_order(keys: KeyRig) -> None:
    if keys.by_hand:
        pytest.skip("no hand presses two thousand times")
    opened(keys)
    chance = random.Random(7)
    pressed = ["1", "5", "10", "+10", "Roll", "OK", "seat 1 yes", "seat 5 no"]
    for _ in range(2000):
        key = chance.choice(pressed)
        keys.press(key)
        found = keys.next()
        name = found.key if isinstance(found, KeyPressed) else f"seat {found.seat} {'yes' if found.yes else 'no'}"
        assert name == key
        keys.release(key)
        assert keys.quiet(0.05)
