from time import sleep_ms

import world
from sensors import BROKEN_AFTER
from simple import Simple


def test_a_touched_tile_lights_up_and_goes_out():
    simple = Simple()
    assert simple.step() and world.lights == bytearray(108)
    world.tiles[1] ^= 0x80
    assert simple.step()
    assert [i for i in range(108) if world.lights[i]] == [24, 25, 26]
    world.tiles[1] ^= 0x80
    for _ in range(100):
        simple.step()
        sleep_ms(1)
    assert world.lights == bytearray(108)


def test_a_broken_chain_shows_red():
    simple = Simple()
    mark, world.tiles[4] = world.tiles[4], 0xFF
    for _ in range(BROKEN_AFTER):
        simple.step()
    world.tiles[4] = mark
    assert world.lights[:3] == bytearray((0, 60, 0)), world.lights[:3]
