"""What is outside of a virtual board: magnets and lights, through one socket; and the clock, which soon wraps.

Commands come in lines: `+t` a magnet comes onto tile t, `-t` it goes, `~t` its sensor chatters for some scans, `?` what
the LEDs show (108 bytes come back), `b` the sensors' chain breaks. EMBERBOARD_HANDS is the descriptor, non-blocking.
"""

import os
import select
import sys

getenv = os.getenv
hands = None
lights = bytearray(108)
pictures = 0
tiles = bytearray(b"\xff\xff\xff\xff\xf5")
chatter = {}
CHATTER_SCANS = 12  # even, so that the sensor comes to rest as it was
watched = select.poll()
_in = bytearray(256)
_line = ""
IDLE_MS = 5


def descriptor(name):
    """A file to read and one to write of the descriptor that an environment variable names; None without it."""
    number = getenv(name)
    if number is None:
        return None
    if sys.implementation.name == "micropython":
        pair = open(int(number), "rb"), open(int(number), "wb")
    else:
        pair = open(int(number), "rb", 0, closefd=False), open(int(number), "wb", 0, closefd=False)
    watched.register(pair[0], select.POLLIN)
    return pair


def idle(wait_ms=IDLE_MS):
    """Sleep until a byte comes, or a moment; end the process when the other end is gone."""
    for _, event in watched.poll(wait_ms):
        if event & select.POLLHUP:
            sys.exit(0)


def look():
    """Do what the hands say; chattering sensors turn over once a scan."""
    global _line, tiles
    if hands is None:
        return
    for tile in list(chatter):
        tiles[tile >> 3] ^= 0x80 >> (tile & 7)
        chatter[tile] -= 1
        if not chatter[tile]:
            del chatter[tile]
    n = hands[0].readinto(_in)
    if n is None:
        return
    if n == 0:
        sys.exit(0)
    _line += bytes(_in[:n]).decode()
    while "\n" in _line:
        word, _line = _line.split("\n", 1)
        if word == "?":
            hands[1].write(lights)
        elif word == "b":
            tiles[4] |= 0x0F
        else:
            tile = int(word[1:])
            bit = 0x80 >> (tile & 7)
            if chatter.get(tile, 0) & 1:
                tiles[tile >> 3] ^= bit  # another hand's word ends it
            chatter.pop(tile, 0)
            if word[0] == "~":
                chatter[tile] = CHATTER_SCANS
            elif word[0] == "+":
                tiles[tile >> 3] &= 255 - bit
            else:
                tiles[tile >> 3] |= bit


hands = descriptor("EMBERBOARD_HANDS")
