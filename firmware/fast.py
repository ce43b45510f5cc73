"""Codec and mixer in viper: machine code for MicroPython. plain.py is its twin and says what the buffers hold.

A test holds both equal. CRC-32 goes by a table of 16, since `binascii.crc32` allocates for a number past 31 bits.
"""

from array import array

import micropython


def _nibbles():
    found = array("I", [0] * 16)
    for i in range(16):
        crc = i
        for _ in range(4):
            crc = (crc >> 1) ^ 0xEDB88320 if crc & 1 else crc >> 1
        found[i] = crc
    return found


_NIBBLES = _nibbles()


@micropython.viper
def put_crc(buf, n: int, slices):
    b = ptr8(buf)
    t = ptr32(_NIBBLES)
    ones = (uint(0xFFFF) << uint(16)) | uint(0xFFFF)
    low = uint(15)
    four = uint(4)
    crc = ones
    i = 1
    end = n + 1
    while i < end:
        crc = crc ^ uint(b[i])
        crc = ((crc >> four) ^ uint(t[int(crc & low)])) & ones
        crc = ((crc >> four) ^ uint(t[int(crc & low)])) & ones
        i += 1
    crc = crc ^ ones
    byte = uint(0xFF)
    b[end] = int(crc & byte)
    b[end + 1] = int((crc >> uint(8)) & byte)
    b[end + 2] = int((crc >> uint(16)) & byte)
    b[end + 3] = int((crc >> uint(24)) & byte)


@micropython.viper
def mix(roles, palette, table, canvas):
    r = ptr8(roles)
    p = ptr8(palette)
    t = ptr8(table)
    c = ptr8(canvas)
    tile = 0
    at = 0
    while tile < 36:
        role = r[tile >> 1]
        if tile & 1:
            role = role >> 4
        role = role & 15
        entry = role * 5
        level = t[role * 6 + t[112 + tile]]
        weight = t[96 + role]
        i = 0
        while i < 3:
            value = (p[entry + i] * level + 127) // 255
            if weight < 255:
                value = (c[108 + at] * (255 - weight) + value * weight + 127) // 255
            c[at] = value
            at += 1
            i += 1
        tile += 1


@micropython.viper
def paint(canvas, out, balance) -> int:
    c = ptr8(canvas)
    o = ptr8(out)
    b = ptr8(balance)
    red = b[0] * b[3]
    green = b[1] * b[3]
    blue = b[2] * b[3]
    total = 0
    at = 0
    while at < 108:
        value = c[at + 1] * green // 65025
        o[at] = value
        total += value
        value = c[at] * red // 65025
        o[at + 1] = value
        total += value
        value = c[at + 2] * blue // 65025
        o[at + 2] = value
        total += value
        at += 3
    return total


@micropython.viper
def dim(out, scale: int) -> int:
    o = ptr8(out)
    total = 0
    at = 0
    while at < 108:
        value = o[at] * scale // 255
        o[at] = value
        total += value
        at += 1
    return total
