"""The rail without hardware: a chain that keeps every picture it was sent, byte for byte, with its time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import msgspec

from emberboard.devices.rail import Colour, Strip
from emberboard.devices.table_file import RailStrip
from emberboard.devices.thread import clock_ms


class RailWrite(msgspec.Struct, frozen=True):
    """One sending of the whole chain at `at` ms: three bytes a pixel in the order of the wire."""

    at: int
    data: bytes


class VirtualStrip:
    """A chain of pixels; `wired` is the order of its chips, which a swapped order in the table's file shows up by."""

    def __init__(self, strip: RailStrip, wired: str | None = None, clock: Callable[[], int] = clock_ms) -> None:
        self._order, self._wired, self._clock = strip.order, wired or strip.order, clock
        self._pixels: list[Colour] = [(0, 0, 0)] * strip.pixels
        self.history: deque[RailWrite] = deque(maxlen=1024)

    def __setitem__(self, pixel: int, colour: Colour, /) -> None:
        """Set a pixel, not yet shown."""
        self._pixels[pixel] = colour

    def show(self) -> None:
        """Send the chain."""
        data = bytes(colour["RGB".index(letter)] for colour in self._pixels for letter in self._order)
        self.history.append(RailWrite(self._clock(), data))

    def deinit(self) -> None:
        """Go dark."""
        self._pixels = [(0, 0, 0)] * len(self._pixels)
        self.show()

    @property
    def seen(self) -> Sequence[Colour]:
        """What eyes see: the last sending, as the chain's chips take it."""
        data = self.history[-1].data if self.history else bytes(3 * len(self._pixels))
        return seen(data, self._wired)


def seen(data: bytes, wired: str) -> list[Colour]:
    """The colours that chips of order `wired` show for the bytes of a sending."""
    red, green, blue = (wired.index(letter) for letter in "RGB")
    return [(data[at + red], data[at + green], data[at + blue]) for at in range(0, len(data), 3)]


def opener(made: list[VirtualStrip], wired: str | None = None) -> Callable[[RailStrip], Strip]:
    """An opener for `devices.rail.Rail` that puts each chain it makes into `made`."""

    def open_virtual(strip: RailStrip) -> Strip:
        made.append(VirtualStrip(strip, wired))
        return made[-1]

    return open_virtual
