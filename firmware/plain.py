"""Codec and mixer, the work that is done for every byte or light: plain Python. fast.py does the very same in viper.

The mixer's buffers, all bytearrays:
  table    96 levels (role * 6 + phase), 16 weights (one a role), 36 phases (one a tile)
  canvas   108 bytes red, green, blue of each tile as shown, then 108 as they were when the picture changed
  balance  white balance red, green, blue, and the power scale, 0..255 each
  out      108 bytes green, red, blue of each tile, as the LEDs take them
"""

import binascii


def put_crc(buf, n, slices):
    """Write the CRC-32 of `buf[1:1 + n]` behind it, little endian; `slices` are protocol.views(buf)."""
    crc = binascii.crc32(slices[n])
    buf[1 + n] = crc & 0xFF
    buf[2 + n] = (crc >> 8) & 0xFF
    buf[3 + n] = (crc >> 16) & 0xFF
    buf[4 + n] = (crc >> 24) & 0xFF


def mix(roles, palette, table, canvas):
    """Work out `canvas[:108]`: each tile's colour by its role's level, faded in by the role's weight."""
    tile = 0
    at = 0
    while tile < 36:
        role = roles[tile >> 1]
        if tile & 1:
            role >>= 4
        role &= 15
        entry = role * 5
        level = table[role * 6 + table[112 + tile]]
        weight = table[96 + role]
        i = 0
        while i < 3:
            value = (palette[entry + i] * level + 127) // 255
            if weight < 255:
                value = (canvas[108 + at] * (255 - weight) + value * weight + 127) // 255
            canvas[at] = value
            at += 1
            i += 1
        tile += 1


def paint(canvas, out, balance):
    """Turn the canvas into what the LEDs take; the sum of all bytes written."""
    red = balance[0] * balance[3]
    green = balance[1] * balance[3]
    blue = balance[2] * balance[3]
    total = 0
    at = 0
    while at < 108:
        value = canvas[at + 1] * green // 65025
        out[at] = value
        total += value
        value = canvas[at] * red // 65025
        out[at + 1] = value
        total += value
        value = canvas[at + 2] * blue // 65025
        out[at + 2] = value
        total += value
        at += 3
    return total


def dim(out, scale):
    """Scale what the LEDs take in place, 0..255; the sum of all bytes written."""
    total = 0
    at = 0
    while at < 108:
        value = out[at] * scale // 255
        out[at] = value
        total += value
        at += 1
    return total
