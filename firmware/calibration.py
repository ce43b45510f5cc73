"""White balance and release time, kept in flash. Written in service only, never in play: flash stalls the board.

The file is five bytes: red, green, blue, release in ms, and the xor of the four with 5A.
"""

import os

DEFAULT = b"\xff\xff\xff\x3c"


def _check(four):
    return four[0] ^ four[1] ^ four[2] ^ four[3] ^ 0x5A


def read(path):
    """The four bytes kept; the defaults when the file is missing or damaged."""
    try:
        with open(path, "rb") as file:
            kept = file.read()
    except OSError:
        return bytearray(DEFAULT)
    if len(kept) != 5 or _check(kept) != kept[4]:
        return bytearray(DEFAULT)
    return bytearray(kept[:4])


def write(path, four):
    """Keep the four bytes: whole or not at all."""
    with open(path + ".new", "wb") as file:
        file.write(bytes(four[:4]) + bytes((_check(four),)))
    os.rename(path + ".new", path)
