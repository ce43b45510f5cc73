"""The rail: a NeoPixel chain through adafruit-circuitpython-neopixel; nothing is sent that is shown already.

Colours are (red, green, blue), 0 to 255 each; the chain's order, brightness and the most it may draw come from the
table's file. A pixel draws `idle_ma` dark, and `mark_ma` more for each colour at 255, in proportion below. When a
picture would draw more than `current_ma`, all of it is dimmed alike, and that is told. Source: Worldsemi WS2812B
datasheet (order GRB), Adafruit's NeoPixel guide (current); Klipper's neopixel for sending only changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from emberboard.devices.blinka import before_import
from emberboard.devices.errors import DeviceError, DriverMissing, NoPermission, NotThere
from emberboard.devices.events import DeviceEvent, PowerLimited
from emberboard.devices.table_file import ORDERS, RailStrip

Colour = tuple[int, int, int]
DARK: Colour = (0, 0, 0)
NAMES = {"R": "red", "G": "green", "B": "blue"}
TEST_PICTURE: tuple[Colour, ...] = ((255, 0, 0), (0, 255, 0), (0, 0, 255))
"""What the colour test shows on the first three pixels: red, green, blue when the order is right."""


class Strip(Protocol):
    """The part of neopixel.NeoPixel that is used."""

    def __setitem__(self, pixel: int, colour: Colour, /) -> None:
        """Set a pixel, not yet shown."""

    def show(self) -> None:
        """Send the whole chain."""

    def deinit(self) -> None:
        """Go dark and give the pin back."""


class Rail:
    """The rail as a device (`thread.Device`). An order is a picture: the colours from the first pixel on."""

    name = "rail"
    period_ms = 50

    def __init__(self, strip: RailStrip, opener: Callable[[RailStrip], Strip] | None = None) -> None:
        """`opener` gives the chain; None takes the real NeoPixel driver. Raises ValueError for an unknown order."""
        if strip.order not in ORDERS:
            raise ValueError(f"unknown colour order {strip.order!r}; allowed are {', '.join(ORDERS)}")
        self._wiring, self._opener = strip, opener or open_neopixel
        self._strip: Strip | None = None
        self._shown: list[Colour] | None = None
        self._limited: tuple[int, int] | None = None

    def open(self) -> str:
        """Take the pin and show a dark rail. Raises DriverMissing, NoPermission, NotThere, DeviceError."""
        if self._strip is None:
            self._strip = self._opener(self._wiring)
            self._shown = None
            self._send([DARK] * self._wiring.pixels)
        return f"{self._wiring.pixels} pixels, {self._wiring.order}, at GPIO{self._wiring.pin}"

    def close(self) -> None:
        """Go dark and give the pin back."""
        strip, self._strip = self._strip, None
        if strip is not None:
            strip.deinit()

    def step(self, now: int) -> list[DeviceEvent]:
        """A rail feels nothing."""
        return []

    def obey(self, order: Sequence[Colour], now: int) -> list[DeviceEvent]:
        """Show a picture; pixels past its end are dark. PowerLimited when the limit begins, changes or ends.

        Raises ValueError for a picture that is longer than the rail or a colour out of 0 to 255.
        """
        if len(order) > self._wiring.pixels:
            raise ValueError(f"the rail has {self._wiring.pixels} pixels, the picture {len(order)}")
        if wrong := next((colour for colour in order if not all(0 <= part <= 255 for part in colour)), None):
            raise ValueError(f"colours are 0 to 255, got {wrong}")
        picture, wanted_ma = dimmed(self._wiring, order)
        given_ma = draw_ma(self._wiring, picture)
        self._send([*picture, *[DARK] * (self._wiring.pixels - len(picture))])
        limited = (wanted_ma, given_ma) if given_ma < wanted_ma else None
        if limited == self._limited:
            return []
        self._limited = limited
        return [PowerLimited(wanted_ma=wanted_ma, given_ma=given_ma, at=now)]

    def _send(self, picture: list[Colour]) -> None:
        assert self._strip is not None, "open() comes first"
        before, self._shown = self._shown, picture
        changed = [
            (pixel, colour)
            for pixel, colour in enumerate(picture)
            if before is None or before[pixel] != colour
        ]
        for pixel, colour in changed:
            self._strip[pixel] = colour
        if not changed:
            return
        try:
            self._strip.show()
        except (RuntimeError, ValueError, OSError) as error:
            self._shown = None
            raise rail_error(self._wiring, error) from error


def draw_ma(strip: RailStrip, picture: Sequence[Colour]) -> int:
    """What the rail draws with a picture, in mA, rounded up; dark pixels past its end are counted."""
    lit = sum(sum(colour) for colour in picture) * strip.mark_ma / 255
    return -int(-(lit + strip.pixels * strip.idle_ma) // 1)


def dimmed(strip: RailStrip, picture: Sequence[Colour]) -> tuple[list[Colour], int]:
    """The picture at the rail's brightness, further down to its current limit; and what it would have drawn, in mA.

    Always: what is given draws at most `current_ma`, unless the dark chain alone draws more; colours keep their
    proportions within rounding; nothing gets brighter.
    """
    bright = [scaled(colour, strip.brightness) for colour in picture]
    wanted = draw_ma(strip, bright)
    spare = strip.current_ma - strip.pixels * strip.idle_ma
    lit = sum(sum(colour) for colour in bright) * strip.mark_ma / 255
    if wanted <= strip.current_ma or lit == 0:
        return bright, wanted
    share = max(0.0, spare) / lit
    return [scaled(colour, share) for colour in bright], wanted


def scaled(colour: Colour, share: float) -> Colour:
    """A colour dimmed to a share of 0 to 1, rounded down."""
    red, green, blue = (int(part * share) for part in colour)
    return red, green, blue


def right_order(written: str, seen: Sequence[str]) -> str:
    """The order to write into the table's file, from the one that is there and what the colour test showed.

    `seen` names the colours of the first three pixels ("red", "green", "blue"). Raises ValueError when they are not
    those three, each once.
    """
    letters = [name[:1].upper() for name in seen]
    if sorted(letters) != ["B", "G", "R"] or sorted(written) != ["B", "G", "R"]:
        raise ValueError(f"expected red, green and blue, each once, got {', '.join(seen)}")
    # The byte that was sent for a colour lights what the chain has at that byte's place.
    lights = dict(zip("RGB", letters))
    return "".join(lights[colour] for colour in written)


def order_words(written: str, seen: Sequence[str]) -> str:
    """What to do about the colour test's outcome, in words for the doctor."""
    right = right_order(written, seen)
    if right == written:
        return f"Colours are right with order {written}."
    return (
        f"Colours are swapped: the rail shows {', '.join(seen)} for red, green, blue. "
        f"Write `order: {right}` instead of `order: {written}` under `rail:` in the table's file."
    )


def open_neopixel(strip: RailStrip) -> Strip:
    """The real chain at its pin, dark, at full brightness (ours dims). Raises DriverMissing, NoPermission, NotThere."""
    before_import()
    try:
        import board
        import neopixel
    except (ImportError, NotImplementedError, RuntimeError) as error:
        raise DriverMissing(
            f"rail: the NeoPixel driver does not load ({error}). Install Emberboard with `pip install -e '.[pi4]'` on "
            "a Pi 4, `'.[pi5]'` on a Pi 5; without hardware use the virtual table: `make demo`."
        ) from error
    pin = getattr(board, f"D{strip.pin}", None)
    if pin is None:
        raise NotThere(f"rail: this machine's header has no GPIO{strip.pin}. Is it a Raspberry Pi?")
    try:
        made: Strip = neopixel.NeoPixel(
            pin, strip.pixels, brightness=1.0, auto_write=False, pixel_order=strip.order
        )
    except (RuntimeError, ValueError, OSError) as error:
        raise rail_error(strip, error) from error
    return made


def rail_error(strip: RailStrip, error: Exception) -> DeviceError:
    """Why the chain cannot be driven, and the fix. `error` is the driver's: rpi_ws281x numbers its reasons."""
    text = str(error)
    if isinstance(error, PermissionError) or "mmap" in text or "open /dev/mem" in text:
        return NoPermission(
            f"rail: this user may not drive GPIO{strip.pin} ({text}). On a Pi 4 run as root; on a Pi 5 run "
            "`sudo usermod -aG gpio $USER`, then log out and in again (wiring/README.md)."
        )
    return DeviceError(
        f"rail: GPIO{strip.pin} cannot be used ({text}). Does another program or the sound driver have it? "
        "See the rail's part of wiring/README.md."
    )
