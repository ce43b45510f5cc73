import sys

import plain
import power
import protocol as p
from effects import ECHO_PICTURES, Effects, level


def fast():
    """The viper twin; on CPython there is none, so the plain one stands against itself."""
    if sys.implementation.name == "micropython":
        import fast as found

        return found
    return plain


class Dice:
    """Numbers that are the same on both interpreters."""

    def __init__(self, seed):
        self.x = seed

    def bytes(self, n, top=256):
        found = bytearray(n)
        for i in range(n):
            self.x = (self.x * 1103515 + 12345) % 16777213
            found[i] = (self.x >> 5) % top
        return found


def test_viper_and_plain_are_equal():
    twin = fast()
    for seed in range(1, 40):
        dice = Dice(seed)
        roles, palette, balance = dice.bytes(18), dice.bytes(80), dice.bytes(4)
        table = dice.bytes(112) + dice.bytes(36, 6)
        canvas = dice.bytes(216)
        other = bytearray(canvas)
        plain.mix(roles, palette, table, canvas)
        twin.mix(roles, palette, table, other)
        assert canvas == other, seed
        out, out2 = bytearray(108), bytearray(108)
        assert plain.paint(canvas, out, balance) == twin.paint(canvas, out2, balance) == sum(out)
        assert out == out2
        assert plain.dim(out, seed) == twin.dim(out2, seed) == sum(out)
        assert out == out2
        buf, buf2 = dice.bytes(p.BUFFER), bytearray(p.BUFFER)
        buf2[:] = buf
        for n in (3, 10, 40, 160):
            plain.put_crc(buf, n, p.views(buf))
            twin.put_crc(buf2, n, p.views(buf2))
            assert buf == buf2, n


def test_the_crc_is_the_protocols():
    for n in range(3, 160, 7):
        buf = Dice(n).bytes(p.BUFFER)
        other = bytearray(buf)
        p.put_crc(buf, n, p.views(buf))
        fast().put_crc(other, n, p.views(other))
        assert buf == other


def scene(effect, period, tiles=range(36)):
    """A palette with role 1 red with this effect, and roles with it on these tiles."""
    palette, roles = bytearray(80), bytearray(18)
    palette[5:10] = bytes((200, 100, 0, effect, period))
    for tile in tiles:
        roles[tile >> 1] |= 16 if tile & 1 else 1
    return roles, palette


def shots(effects, roles, palette, count, mode=p.LOCATE_OFF, mask=bytes(5), sensors=bytes(5)):
    found = []
    for _ in range(count):
        out = bytearray(108)
        assert effects.render(roles, palette, mode, mask, sensors, out) == sum(out)
        found.append(out)
        effects.step()
    return found


def test_steady_is_green_red_blue_in_tile_order():
    roles, palette = scene(p.STEADY, 0, (0, 35))
    out = shots(Effects(), roles, palette, 1)[0]
    assert out[:3] == bytearray((100, 200, 0)) and out[105:] == bytearray((100, 200, 0)) and sum(out) == 600


def test_blink_is_half_on_and_half_off():
    seen = [out[1] for out in shots(Effects(), *scene(p.BLINK, 20), 40)]
    assert seen == ([200] * 10 + [0] * 10) * 2, seen


def test_breathe_swells_and_never_goes_out():
    seen = [out[1] for out in shots(Effects(), *scene(p.BREATHE, 50), 100)]
    assert seen[:50] == seen[50:] and min(seen) > 0 and max(seen) > 190
    assert max(abs(a - b) for a, b in zip(seen, seen[1:])) <= 20, seen


def test_chase_goes_along_the_tiles():
    found = shots(Effects(), *scene(p.CHASE, 30), 30)
    heads = [[tile for tile in range(6) if out[3 * tile + 1] == 200] for out in found]
    assert heads == [[k // 5] for k in range(30)], heads


def test_fade_goes_from_the_last_picture_to_the_new_one():
    effects = Effects()
    roles, palette = scene(p.STEADY, 0)
    shots(effects, roles, palette, 3)
    palette[10:15] = bytes((0, 0, 240, p.FADE, 10))
    effects.begin()
    seen = shots(effects, bytes([0x22] * 18), palette, 12)
    reds, blues = [out[1] for out in seen], [out[2] for out in seen]
    assert reds[0] == 200 and blues[0] == 0 and reds[10] == 0 and blues[10] == 240
    assert reds == sorted(reds, reverse=True) and blues == sorted(blues) and not effects.moving


def test_levels_stay_in_a_byte():
    for effect in range(6):
        for period in range(256):
            for tick in (0, 1, period // 2, period, 3 * period + 1):
                for phase in range(6):
                    assert 0 <= level(effect, period, tick, phase) <= 255


def test_a_touched_tile_echoes_and_stops():
    effects = Effects()
    roles, palette = scene(p.STEADY, 0, ())
    effects.touch(8)
    seen = [sum(out) for out in shots(effects, roles, palette, ECHO_PICTURES + 2)]
    assert all(seen[:ECHO_PICTURES]) and not any(seen[ECHO_PICTURES:]) and not effects.echoes


def test_located_tiles_lie_over_the_picture_and_a_touched_one_goes_out():
    effects = Effects()
    roles, palette = scene(p.STEADY, 0)
    mask = bytes((0x21, 0, 0, 0, 0))
    out = shots(effects, roles, palette, 1, p.LOCATE_PLACE, mask, bytes((0x01, 0, 0, 0, 0)))[0]
    assert out[0:3] == bytes(3) and out[15:18] == b"\xff\xff\xff" and out[3:6] == bytes((100, 200, 0))
    seen = {out[0] for out in shots(effects, roles, palette, 50, p.LOCATE_BLINK, mask)}
    assert seen == {0, 255}


def test_scale_and_balance_hold_the_light_down():
    effects = Effects()
    effects.balance[0], effects.balance[3] = 128, 51
    out = shots(effects, *scene(p.STEADY, 0), 1)[0]
    assert out[:3] == bytearray((20, 20, 0)), out


def test_the_limiter_holds_its_limit_and_says_so():
    limiter = power.Limiter(800)
    for full in (10, 60, 255):
        out = bytearray([full] * 108)
        total = limiter.hold(out, sum(out))
        assert total == sum(out)
        assert power.current_ma(total) <= 800
        assert limiter.limiting == (power.current_ma(full * 108) > 800)
    assert 0 < limiter.least < 255
