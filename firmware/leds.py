"""36 WS2812 by PIO and DMA, double-buffered, with interrupts on: a driver that blocks them loses bytes of the bus.

The DMA moves bytes, and the RP2040 puts a byte that is written to a FIFO on all four lanes of the bus; so the state
machine takes 8 bits of each word from the top, and the buffers stay bytes: numbers past 31 bits would cost heap.
Source: WS2812B datasheet (bit 1.25 us, reset 280 us); RP2040 datasheet 2.5 (DMA), 3.5 (PIO).
"""

import rp2
from machine import Pin
from time import ticks_diff, ticks_us

SIZE = 108
SEND_US = 1080 + 300  # 864 bits and the reset after them
PIO_HZ = 8000000  # ten steps a bit


@rp2.asm_pio(sideset_init=rp2.PIO.OUT_LOW, out_shiftdir=rp2.PIO.SHIFT_LEFT, autopull=True, pull_thresh=8)
def _ws2812():
    wrap_target()
    label("bit")
    out(x, 1).side(0)[2]
    jmp(not_x, "zero").side(1)[1]
    jmp("bit").side(1)[4]
    label("zero")
    nop().side(0)[4]
    wrap()


class Leds:
    """`back` is the buffer to render into: 108 bytes green, red, blue. `show` swaps."""

    def __init__(self, pin, state_machine):
        self._machine = rp2.StateMachine(state_machine, _ws2812, freq=PIO_HZ, sideset_base=Pin(pin))
        self._machine.active(1)
        self._dma = rp2.DMA()
        # The transfer requests 0..3 are the transmit FIFOs of PIO 0, 8..11 those of PIO 1.
        request = state_machine if state_machine < 4 else state_machine + 4
        self._ctrl = self._dma.pack_ctrl(size=0, inc_write=False, treq_sel=request)
        self.back = bytearray(SIZE)
        self._front = bytearray(SIZE)
        self._sent_at = ticks_us()
        self._sending = False

    def ready(self):
        """Whether the last picture is out and the LEDs have taken it."""
        if self._sending:
            if self._dma.active() or ticks_diff(ticks_us(), self._sent_at) < SEND_US:
                return False
            self._sending = False
        return True

    def show(self):
        """Send `back`, and give the other buffer as `back`. Only when `ready`."""
        front = self.back
        self.back = self._front
        self._front = front
        self._dma.config(read=front, write=self._machine, count=SIZE, ctrl=self._ctrl, trigger=True)
        self._sent_at = ticks_us()
        self._sending = True
