"""A whole table without hardware, from its `wiring/*.yaml`: firmware processes, keys, reader and rail, and its bus.

Every board runs the real firmware and hangs on the PTY of its segment; keys, reader and rail are the real devices on
stand-in pins, chips and pixels, each in its thread. Hands go in by `touch`, `lift`, `press`, `release`, `present_tag`
and `take_tag`, light comes out by `read_lights`, `read_seats` and `read_rail`, so that a test does not know where it
runs. Cells are (x, y) of the table. DESIGN section 5.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType

import msgspec

from emberboard.devices.bell import DeviceQueue
from emberboard.devices.keys import Light
from emberboard.devices.rail import Colour, Rail
from emberboard.devices.table_file import TableFile, place_at
from emberboard.devices.thread import DeviceThread
from emberboard.engine.question import Cell
from emberboard.link.registry import Place, Registry
from emberboard.link.wire import PROCESS_TIMING, Wire
from emberboard.virtual.boards import TILES, VirtualBoards, uid_of
from emberboard.virtual.firmware_process import Interpreter
from emberboard.virtual.keys import VirtualKeys
from emberboard.virtual.rail import VirtualStrip, opener
from emberboard.virtual.reader import VirtualReader

BOX = {"white": 8, "black": 8, "dual": 3}
"""The tokens that lie in the box of a virtual table, by kind; each carries a tag."""


def box_tags() -> dict[str, str]:
    """The kind of each of their tags."""
    kinds = [kind for kind, count in BOX.items() for _ in range(count)]
    return {f"04{number:06X}": kind for number, kind in enumerate(kinds)}


class _SegmentBoards(VirtualBoards):
    """The boards of one segment, each with its number in the whole table."""

    def __init__(
        self, numbers: Sequence[int], interpreter: Interpreter | None, overlays: Mapping[int, Sequence[Path]]
    ) -> None:
        self._numbers = tuple(numbers)
        super().__init__(len(self._numbers), interpreter, overlays)

    def uid(self, board: int) -> str:
        return uid_of(self._numbers[board]).hex()


class VirtualTable:
    """A table's whole hardware. Use it as a context manager, or call `close`.

    Boards are turned by 0 to 3 quarter turns, one after the other, as makers may lay them. `registry` is what the host
    has learnt of them; `wire` is the bus, and `restart_bus` kills it and starts it anew. `overlays` gives boards at
    places other firmware files (VirtualBoards), `twins` the uid of the board at another place.
    Raises FirmwareError, WireError.
    """

    def __init__(
        self,
        file: TableFile,
        *,
        interpreter: Interpreter | None = None,
        overlays: Mapping[str, Sequence[Path]] | None = None,
        twins: Mapping[str, str] | None = None,
    ) -> None:
        self.file = file
        self.devices = DeviceQueue()
        self.registry = Registry()
        self._tiles: dict[Cell, tuple[VirtualBoards, int, int]] = {}
        self._places: dict[str, tuple[VirtualBoards, int]] = {}
        self._strips: list[VirtualStrip] = []
        self._segments: list[VirtualBoards] = []
        self._left = ExitStack()
        self._left.callback(self.devices.close)
        try:
            order = {place: at for at, place in enumerate(one for part in file.segments for one in part.chain)}
            for segment in file.segments:
                numbers = [order[(twins or {}).get(place, place)] for place in segment.chain]
                under = {at: (overlays or {}).get(place, ()) for at, place in enumerate(segment.chain)}
                boards = self._left.enter_context(_SegmentBoards(numbers, interpreter, under))
                self._segments.append(boards)
                for number, place in enumerate(segment.chain):
                    self._lay(boards, number, place, order[place] % 4)
            self.keys = VirtualKeys(file, self.devices)
            self._left.callback(self.keys.stop)
            self.readers = {one.name: VirtualReader(one, self.devices) for one in file.readers}
            for reader in self.readers.values():
                self._left.callback(reader.stop)
            self._rail: DeviceThread[Sequence[Colour]] = DeviceThread(
                Rail(file.rail, opener(self._strips)), self.devices
            )
            self._left.callback(self._rail.stop)
            self.wire = self._bus()
        except BaseException:
            self._left.close()
            raise

    def __enter__(self) -> VirtualTable:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the bus, all threads and all boards."""
        self.wire.stop()
        self._left.close()

    def restart_bus(self) -> Wire:
        """Kill the bus process (SIGKILL) and start another: the new one."""
        with suppress(ProcessLookupError):  # it is dead already
            os.kill(self.wire.pid, signal.SIGKILL)
        self.wire.stop()
        self.wire = self._bus()
        return self.wire

    def _bus(self) -> Wire:
        return Wire([boards.port for boards in self._segments], self.registry.next_session(), PROCESS_TIMING)

    def _lay(self, boards: VirtualBoards, number: int, place: str, turns: int) -> None:
        column, row = place_at(place)
        lies = Place(row, column, turns)
        self.registry.put(boards.uid(number), lies)
        self._places[place] = (boards, number)
        for tile in range(TILES):
            y, x = lies.cell(tile)
            self._tiles[x, y] = (boards, number, tile)

    # -- hands --------------------------------------------------------------------------------------------------------

    def touch(self, cell: Cell) -> None:
        """A magnet comes onto a tile. Raises KeyError for a cell that is not on the table."""
        boards, number, tile = self._tiles[cell]
        boards.touch(number, tile)

    def lift(self, cell: Cell) -> None:
        """The magnet goes."""
        boards, number, tile = self._tiles[cell]
        boards.lift(number, tile)

    def bounce(self, cell: Cell) -> None:
        """What stands on a tile, or is passed over it, wobbles within the time that a sensor is given to settle."""
        boards, number, tile = self._tiles[cell]
        boards.bounce(number, tile)

    def press(self, key: str) -> None:
        """Hold a key (`OK`, `seat 1 yes`) down until `release`. Raises KeyError for a key that the table lacks."""
        self.keys.press(key)

    def release(self, key: str) -> None:
        """Let go of it."""
        self.keys.release(key)

    def present_tag(self, tag: str, reader: str = "bag") -> None:
        """Lay a token on a reader until `take_tag`."""
        self.readers[reader].present(tag)

    def take_tag(self, tag: str, reader: str = "bag") -> None:
        """Take it away."""
        self.readers[reader].remove(tag)

    # -- what is seen -------------------------------------------------------------------------------------------------

    def read_lights(self) -> dict[Cell, Colour]:
        """(red, green, blue) of every tile, as its LED was last told."""
        shown = {place: boards.read_lights(number) for place, (boards, number) in self._places.items()}
        by_board = {self._places[place]: colours for place, colours in shown.items()}
        return {cell: by_board[boards, number][tile] for cell, (boards, number, tile) in self._tiles.items()}

    def read_seats(self) -> frozenset[str]:
        """The seat buttons that are lit."""
        return self.keys.lit

    def read_rail(self) -> Sequence[Colour]:
        """The rail's pixels; empty before it is opened."""
        return self._strips[-1].seen if self._strips else ()

    def show_seats(self, lights: Mapping[str, Light]) -> None:
        """Order the seats' lights."""
        self.keys.show(lights)

    def show_rail(self, pixels: Sequence[Colour]) -> None:
        """Order the rail's picture."""
        self._rail.order(pixels)

    # -- faults -------------------------------------------------------------------------------------------------------

    def free_bus(self) -> TableFile:
        """End the bus, so that another program may have the ports: the table's file as that program finds them."""
        self.wire.stop()
        segments = tuple(
            msgspec.structs.replace(segment, port=boards.port, pins=None)
            for segment, boards in zip(self.file.segments, self._segments)
        )
        return msgspec.structs.replace(self.file, segments=segments)

    def disturb(self, share: float) -> None:
        """From now on a bit is wrong in this share (0 to 1) of what the boards say."""
        for boards in self._segments:
            boards.disturb(share)

    def board_at(self, place: str) -> tuple[VirtualBoards, int]:
        """The board at a place, for what only one board can suffer: the boards of its segment, and its number there."""
        return self._places[place]

    def unplug(self, place: str) -> None:
        """Take the board at a place (`A1`) off power and wire."""
        boards, number = self._places[place]
        boards.unplug(number)

    def replug(self, place: str) -> None:
        """Plug it in again; what stands on it is felt."""
        boards, number = self._places[place]
        boards.replug(number)

    def break_sensors(self, place: str) -> None:
        """The chain of shift registers of the board at a place comes loose."""
        boards, number = self._places[place]
        boards.break_sensors(number)

    def unplugged(self) -> frozenset[str]:
        """The places of the boards without power."""
        return frozenset(place for place, (boards, number) in self._places.items() if not boards.powered(number))

    def uid_at(self, place: str) -> str:
        """The uid of the board at a place."""
        boards, number = self._places[place]
        return boards.uid(number)

    def place_of(self, cell: Cell) -> str:
        """The place of the board under a cell."""
        boards, number, _ = self._tiles[cell]
        return next(place for place, one in self._places.items() if one == (boards, number))
