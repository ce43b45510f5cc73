"""Times the board's work on this interpreter: one line `name value`, in us; the heap in bytes."""

import gc
import sys
import time

import plain
import protocol as p
from board_side import BoardSide
from effects import Effects

if sys.implementation.name == "micropython":
    import fast
    from utime import ticks_us

    def now():
        return ticks_us()
else:
    fast = plain

    def now():
        return time.perf_counter_ns() // 1000


def took(work, count):
    """The least of 5 means, in us."""
    best = 1 << 30
    for _ in range(5):
        began = now()
        for _ in range(count):
            work()
        best = min(best, now() - began)
    return best / count


effects = Effects()
roles, palette, out = bytearray(range(18)), bytearray(80), bytearray(108)
for role in range(16):
    palette[role * 5 : role * 5 + 5] = bytes((200, 100, 50, role % 5, 20 + role))
nothing = bytes(5)


def picture():
    effects.step()
    effects.render(roles, palette, p.LOCATE_OFF, nothing, nothing, out)


side = BoardSide(b"boardABC", 1, crc=fast.put_crc)
requests = [p.frame(0, 0, p.ASSIGN, p.assign_payload(5, b"boardABC", 9))]
requests += [p.frame(9, p.ctl(1 + i % 2, 0), p.POLL, p.poll_payload(0, 255)) for i in range(2)]
side.receive(requests[0], 0, len(requests[0]), 0)
turn = [1]


def poll():
    turn[0] = 3 - turn[0]
    frame = requests[turn[0]]
    side.receive(frame, 0, len(frame), 0)


def mixing(twin):
    def work():
        twin.mix(roles, palette, effects.table, effects.canvas)
        twin.paint(effects.canvas, out, effects.balance)

    return work


print("picture", took(picture, 300))
print("poll", took(poll, 1000))
print("mix", took(mixing(fast), 300))
print("mix_plain", took(mixing(plain), 300))
gc.collect()
if hasattr(gc, "mem_alloc"):
    print("live", gc.mem_alloc())
