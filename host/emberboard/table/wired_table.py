"""The whole table on its wires: a controller fed by bus and devices, its pictures sent to boards, seats and rail.

Bus master, keys, readers and rail run in a process or thread of their own; here is the one loop that owns the session
and hears them all (DESIGN section 3). Times are ms of the clock that devices and bus master go by too.
"""

from __future__ import annotations

from asyncio import AbstractEventLoop, TimerHandle
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import wait
from typing import Protocol

from emberboard.devices.bell import DeviceQueue
from emberboard.devices.keys import Light
from emberboard.devices.rail import Colour
from emberboard.devices.table_file import seat_key
from emberboard.devices.thread import clock_ms
from emberboard.engine.question import Cell
from emberboard.engine.session import Session
from emberboard.link.bus_events import BoardLost, BoardState, PictureShown
from emberboard.link.registry import Registry
from emberboard.link.wire import PortDown, PortUp, Wire, WireError, WireEvent
from emberboard.table.board_tiles import BoardTiles, palette
from emberboard.table.controller import TableController
from emberboard.table.device_inputs import DeviceInputs
from emberboard.table.hardware import (
    AnyInput,
    Hardware,
    LinkHealth,
    RailPicture,
    SeatLight,
    Tick,
    TileGain,
    TileLoss,
)
from emberboard.table.power_scale import FULL, PowerScale
from emberboard.table.rail_view import rail_pixels
from emberboard.table.roles import Theme, load_theme

BUTTON_LIGHTS: Mapping[SeatLight, tuple[Light, Light]] = {
    "off": ("off", "off"),
    "asked": ("on", "on"),
    "offer": ("blink", "on"),
    "chosen": ("on", "off"),
    "passed": ("off", "on"),
}
"""What Yes and No show for each state of a seat."""


def _nobody_hears(error: WireError) -> None:
    raise error


class Panel(Protocol):
    """Where the seats' lights and the rail are ordered; orders never block."""

    def show_seats(self, lights: Mapping[str, Light]) -> None:
        """Lights by the button's name (`seat 1 yes`)."""

    def show_rail(self, pixels: Sequence[Colour]) -> None:
        """The rail from its first pixel on."""


class _Tiles:
    def __init__(self, table: WiredTable) -> None:
        self._table = table

    def show(self, picture: Mapping[Cell, str]) -> None:
        self._table.show_tiles(picture)


class _Seats:
    def __init__(self, panel: Panel, seats: Sequence[str]) -> None:
        self._panel, self._numbers = panel, {seat: number for number, seat in enumerate(seats, 1)}

    def show(self, lights: Mapping[str, SeatLight]) -> None:
        named: dict[str, Light] = {}
        for seat, light in lights.items():
            yes, no = BUTTON_LIGHTS[light]
            number = self._numbers[seat]
            named[seat_key(number, True)], named[seat_key(number, False)] = yes, no
        self._panel.show_seats(named)


class _Rail:
    def __init__(self, panel: Panel, theme: Theme, length: int) -> None:
        self._panel, self._theme, self._length = panel, theme, length

    def show(self, picture: RailPicture) -> None:
        self._panel.show_rail(rail_pixels(picture, self._theme, self._length))


class WiredTable:
    """One table. `start` it, then call `step` again and again; `controller` is the table itself.

    `touch_to_light` lists, in ms, the way from a touch to the LATCH of the picture that answers it, `lift_to_light` the
    same for lifts, which a board tells only when they have lasted (its release time, 60 ms). `heard` is which boards
    (uid) told what they feel and are not lost, `pictures` how many the bus showed, `scale` the power scale (0..255) of
    what is shown. `on_input` is called after each input. `reconnect` gives it another bus, when that was started anew.
    Within asyncio `attach` takes the place of `step`, and pages `submit` what they are told.
    """

    def __init__(
        self,
        session: Session,
        wire: Wire,
        registry: Registry,
        devices: DeviceQueue,
        panel: Panel,
        *,
        pixels: int,
        tags: Mapping[str, str] | None = None,
        theme: Theme | None = None,
        clock: Callable[[], int] = clock_ms,
        on_input: Callable[[AnyInput], None] | None = None,
        power: PowerScale | None = None,
    ) -> None:
        """`pixels` is the rail's length, `tags` as for TableController; `power` None keeps each board at its limit."""
        self.theme = theme or load_theme()
        self.wire, self.clock, self.on_input = wire, clock, on_input
        self.tiles = BoardTiles(registry, to_ms=lambda us: us // 1000, now=clock)
        self.touch_to_light: list[int] = []
        self.lift_to_light: list[int] = []
        self.pictures = 0
        self.heard: set[str] = set()
        self.power = power or PowerScale(palette(self.theme), len(registry.places), None)
        self.scale = FULL
        self._told_limited = False
        self._devices = devices
        self._picture: dict[Cell, str] = {}
        self._touched: TileGain | TileLoss | None = None
        self._owed: tuple[TileGain | TileLoss, int] | None = None
        self._loop: AbstractEventLoop | None = None
        self._alarm: TimerHandle | None = None
        self._listening: tuple[int, ...] = ()
        self._on_lost: Callable[[WireError], None] = _nobody_hears
        seats = session.game.seats()
        self._inputs = DeviceInputs(seats)
        hardware = Hardware(_Tiles(self), _Seats(panel, seats), _Rail(panel, self.theme, pixels))
        self.controller = TableController(session, hardware, clock=clock, theme=self.theme, tags=tags)

    def start(self) -> None:
        """Show the first picture."""
        self.wire.set_palette(palette(self.theme))
        self.controller.start()
        self._tell_power()

    def reconnect(self, wire: Wire) -> None:
        """Go on with a bus that was started anew: it gets palette and picture."""
        self.wire, self.scale = wire, FULL
        wire.set_palette(palette(self.theme))
        self.show_tiles(self._picture)

    def show_tiles(self, picture: Mapping[Cell, str]) -> None:
        """Send a picture to the boards; the bus sends on what changed."""
        self._picture = dict(picture)
        roles = self.tiles.roles(picture, self.theme)
        scale, before = self.power.scale(roles), self.scale
        self.scale = scale
        # A bus that has just ended is told of when its events are taken; the next one gets this picture.
        with suppress(WireError):
            if scale < before:
                self.wire.set_scale(scale)
            self.wire.show(roles)
            if scale > before:
                self.wire.set_scale(scale)
        if self._touched is not None and self._owed is None:
            self._owed = (self._touched, self.clock())

    def attach(self, loop: AbstractEventLoop, on_lost: Callable[[WireError], None]) -> None:
        """Let a running loop take all inputs from now on, until `detach`; `on_lost` hears that the bus has ended."""
        self._loop, self._on_lost = loop, on_lost
        self._listening = (self.wire.fileno(), self._devices.fileno())
        for source in self._listening:
            loop.add_reader(source, self._pump)
        self._pump()

    def detach(self) -> None:
        """Take no more inputs."""
        if self._loop is not None:
            for source in self._listening:
                self._loop.remove_reader(source)
            if self._alarm is not None:
                self._alarm.cancel()
        self._loop = self._alarm = None

    def submit(self, one: AnyInput) -> str:
        """An input from a page, taken at once; why it was refused, or nothing."""
        refused = self._take(one)
        self._wind()
        return refused

    def _pump(self) -> None:
        try:
            self.step(0)
        except WireError as error:
            self.detach()
            self._on_lost(error)
            return
        self._wind()

    def _wind(self) -> None:
        """Set the alarm for what time alone decides."""
        if self._loop is None:
            return
        if self._alarm is not None:
            self._alarm.cancel()
        due = self.controller.due()
        wait_ms = None if due is None else max(1, due - self.clock())
        self._alarm = None if wait_ms is None else self._loop.call_later(wait_ms / 1000, self._pump)

    def step(self, timeout: float) -> None:
        """Wait up to `timeout` s for an input, take all there are. Raises WireError when the bus process is gone."""
        due = self.controller.due()
        if due is not None:
            timeout = min(timeout, max(0, due - self.clock()) / 1000)
        wait([self.wire.fileno(), self._devices.fileno()], timeout)
        for told in self.wire.events():
            for one in self._of_bus(told):
                self._take(one)
        for event in self._devices.drain():
            for one in self._inputs.inputs(event):
                self._take(one)
        due = self.controller.due()
        if due is not None and due <= self.clock():
            self._take(Tick(at=self.clock()))

    def _take(self, one: AnyInput) -> str:
        self._touched = one if isinstance(one, TileGain | TileLoss) else None
        refused = self.controller.take(one)
        self._touched = None
        if self.on_input is not None:
            self.on_input(one)
        self._tell_power()
        return refused

    def _tell_power(self) -> None:
        """Tell the table when the power scale begins or ends to dim it; not from within a picture."""
        limited = self.scale < FULL
        if limited != self._told_limited:
            self._told_limited = limited
            words = "The picture is dimmed to what the boards' power allows." if limited else ""
            self._take(
                LinkHealth(at=self.clock(), state="limited" if limited else "good", words=words, source="power")
            )

    def _of_bus(self, event: WireEvent) -> list[AnyInput]:
        match event:
            case BoardState(uid=uid):
                self.heard.add(uid)
            case BoardLost(uid=uid):
                self.heard.discard(uid)
            case PictureShown(at=at):
                self.pictures += 1
                if self._owed is not None and at // 1000 >= self._owed[1]:
                    edge = self._owed[0]
                    times = self.touch_to_light if isinstance(edge, TileGain) else self.lift_to_light
                    times.append(at // 1000 - edge.at)
                    self._owed = None
                return []
            case PortDown(port=port, what=what):
                return [LinkHealth(at=self.clock(), state="lost", words=what, source=port)]
            case PortUp(port=port):
                return [LinkHealth(at=self.clock(), state="good", source=port)]
            case _:
                pass
        return self.tiles.inputs(event)
