"""`emberboard play --real` as a process, on everything but a real table: pins, ports and tokens are stand-ins' below.

The host runs rpi-lgpio over the preloaded GPIO chip, pyserial at a PTY behind which boards run the firmware, and the
PN532's driver at a PTY that speaks the chip's frames. No NeoPixel chain can be driven here: its absence is told.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
import tty
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from websockets.asyncio.client import connect

from emberboard.cli.bus_commands import learn_places, registry_file
from emberboard.cli.main import main
from emberboard.cli.play_page import _not_learnt, _told
from emberboard.devices.events import DeviceLost
from emberboard.devices.table_file import TableFile, place_at, read_table
from emberboard.devices.tag_file import save_tags
from emberboard.engine.question import Cell
from emberboard.link.registry import Place, Registry
from emberboard.link.timing import Timing
from emberboard.link.wire import PROCESS_TIMING, USB_TIMING
from emberboard.table.works import RealTable, timing_for
from emberboard.virtual.boards import VirtualBoards
from emberboard.virtual.keys import ShiftChain
from emberboard.virtual.pn532 import PtyPn532
from emberboard.virtual.table import box_tags
from tests.devices import gpiochip
from tests.devices.key_rigs import SMALL, wires
from tests.web.browsers import Host, host
from tests.web.house import Caller

SEATS = {"Ann": ["malah"], "Ben": ["chiri"]}
WITHIN_S = 60.0
AGAIN_S = 4.0
PAUSE_S = 0.2
LOOK_S = 0.05
NO_RAIL = "rail: the NeoPixel driver does not load"


def at_ports(line: str, reader: str) -> str:
    """The small table's file with its segment and its reader at other ports."""
    text = SMALL.read_text()
    text = text.replace("port: /dev/ttyAMA0\n    pins: [14, 15]            # TX, RX", f"port: {line}")
    return text.replace("port: /dev/ttyAMA5, pins: [12, 13]", f"port: {reader}")


class RealTableRig:
    """What lies behind the host's ports and pins, and hands at it. Cells are (x, y) of the table."""

    def __init__(self, folder: Path, boards: VirtualBoards, reader: PtyPn532, chip: gpiochip.GpioChip) -> None:
        self.boards, self.reader, self.chip = boards, reader, chip
        self.home = folder / "home"
        self.file = folder / "table.yaml"
        self.file.write_text(at_ports(boards.port, str(reader.port.readlink())))
        self.table: TableFile = read_table(self.file)
        self.lies = {}
        for number, place in enumerate(self.table.segments[0].chain):
            column, row = place_at(place)
            self.lies[number] = Place(row, column, number % 4)
        self._wires = wires(self.table)
        self._chain = ShiftChain(self.table.lights.data, self.table.lights.clock, self.table.lights.latch)
        self._cells = {
            (place.cell(tile)[1], place.cell(tile)[0]): (number, tile)
            for number, place in self.lies.items()
            for tile in range(36)
        }

    def truth(self) -> dict[str, Place]:
        """Where the boards lie."""
        return {self.boards.uid(number): place for number, place in self.lies.items()}

    def learn(self) -> None:
        """Walk through the places as `emberboard boards --learn` asks for them."""
        touched: list[Cell] = []

        def hear(words: str) -> None:
            while touched:
                self.lift(touched.pop())
            if not words.startswith("Board in row "):
                return
            row, column = (int(word.strip(",:")) - 1 for word in words.split() if word.strip(",:").isdigit())
            touched.append((6 * column + (0 if "NORTH-WEST" in words else 5), 6 * row))
            self.touch(touched[0])

        learn_places(str(self.file), hear, PROCESS_TIMING)

    def touch(self, cell: Cell) -> None:
        self.boards.touch(*self._cells[cell])

    def lift(self, cell: Cell) -> None:
        self.boards.lift(*self._cells[cell])

    def lit(self) -> set[Cell]:
        """The cells whose light is on just now."""
        shown = {number: self.boards.read_lights(number) for number in self.lies}
        return {cell for cell, (number, tile) in self._cells.items() if any(shown[number][tile])}

    def buttons(self) -> frozenset[str]:
        """The seat buttons that are lit."""
        for _ns, line, level in self.chip.edges():
            self._chain.drive(line, level)
        return self._chain.lit

    def contact(self, key: str, closed: bool) -> None:
        self.chip.contact(*self._wires[key], closed)


@pytest.fixture
def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RealTableRig]:
    """A 2x2 table whose places are not learnt, and whose tokens are not registered."""
    with ExitStack() as left:
        boards = left.enter_context(VirtualBoards(4))
        reader = PtyPn532(tmp_path / "reader")
        left.callback(reader.stop)
        chip = gpiochip.GpioChip(tmp_path, gpiochip.build(tmp_path))
        left.callback(chip.close)
        made = RealTableRig(tmp_path, boards, reader, chip)
        monkeypatch.setenv("EMBERBOARD_HOME", str(made.home))
        yield made


@contextmanager
def played(rig: RealTableRig, *, pins: bool = True) -> Iterator[Host]:
    """The host at this table; without `pins` the machine is no Pi."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in rig.chip.environment().items() if pins else ():
            patch.setenv(name, value)
        with host(rig.home, "--real", "--table", str(rig.file)) as running:
            yield running


class Group:
    """Players at the table and its page: they see the view and the lights, and use their hands."""

    def __init__(self, rig: RealTableRig, page: Caller) -> None:
        self.rig, self.page = rig, page
        self.stands: dict[str, list[Cell]] = {}

    @property
    def fight(self) -> dict[str, Any]:
        return self.page.view.get("fight") or {}

    async def seen(self, what: str, done: Callable[[], object]) -> None:
        """Look at something that no view tells until it is so."""
        end = time.monotonic() + WITHIN_S
        while not done():
            assert time.monotonic() < end, f"waited in vain for {what}; {self.fight.get('words')} {self.rig.lit()}"
            await asyncio.sleep(LOOK_S)

    async def tap(self, key: str, done: Callable[[], bool]) -> None:
        """Press a key until that is so."""
        await self._once(lambda down: self.rig.contact(key, down), done)

    async def show(self, kind: str, done: Callable[[], bool], but: frozenset[str] = frozenset()) -> str:
        """Show a token of a kind until that is so: its tag."""
        tag = next(tag for tag, of in box_tags().items() if of == kind and tag not in but)
        reader = self.rig.reader
        await self._once(lambda there: reader.present(tag) if there else reader.remove(tag), done)
        return tag

    async def _once(self, hold: Callable[[bool], None], done: Callable[[], bool]) -> None:
        """Hold something until it is felt. Held again before its last end was felt it is no second one: once more."""
        for _ in range(int(WITHIN_S / AGAIN_S)):
            hold(True)
            try:
                async with asyncio.timeout(AGAIN_S):
                    await self.page.until(done)
                return
            except TimeoutError:
                continue
            finally:
                hold(False)
                await asyncio.sleep(PAUSE_S)
        raise AssertionError(f"it does nothing: {self.fight['words']} {self.fight['rail']['notice']}")

    async def set_up(self) -> None:
        """Put the figures where light asks for them."""
        await self.page.until(lambda: bool(self.fight))
        while self.fight["phase"] == "mending":
            step = self.fight["step"]
            if step["kind"] != "settle":
                assert step["kind"] == "put", step
                cells = [(x, y) for x, y in step["to"]]
                await self.seen(f"light at {cells}", lambda cells=cells: self.rig.lit() & set(cells))
                for cell in cells:
                    self.rig.touch(cell)
                self.stands[step["figure"]] = cells
            await self.page.until(lambda step=step: self.fight["phase"] != "mending" or self.fight["step"] != step)

    async def fill_bag(self) -> None:
        """Show the tokens that are to go in."""
        inside: set[str] = set()
        while self.fight["phase"] == "bag":
            task = self.fight["task"]
            kind = next(iter(task["put_in"]))
            other = lambda task=task: self.fight["phase"] != "bag" or self.fight["task"] != task  # noqa: E731
            inside.add(await self.show(kind, other, frozenset(inside)))

    def another(self) -> Callable[[], bool]:
        """Whether another question is asked than now."""
        asked = self.page.id
        return lambda: self.fight["phase"] == "open" and self.page.id != asked

    async def key_in(self, number: str) -> None:
        """Choose by the number of an answer and OK."""
        another = self.another()
        await self.tap(number, lambda: bool(self.fight["echo"]))
        await self.tap("OK", another)

    async def move(self, who: str, to: Cell) -> None:
        """Lift a figure, put it down where light lets it go, and OK."""
        another = self.another()
        await self.seen(f"light at {to}", lambda: to in self.rig.lit())
        for cell in self.stands[who]:
            self.rig.lift(cell)
        await self.page.until(lambda: "is in hand" in self.fight["notice"])
        self.rig.touch(to)
        self.stands[who] = [to]
        await self.page.until(lambda: self.fight["echo"] == [f"{to[0]},{to[1]}"])
        await self.tap("OK", another)


@asynccontextmanager
async def at_table(rig: RealTableRig, table: Host) -> AsyncIterator[Group]:
    """A page at the machine itself, with a fight that has just begun."""
    url = table.url.rstrip("/")
    async with connect(url.replace("http", "ws") + "/talk", origin=url, max_size=None) as socket:  # type: ignore[arg-type]
        page = Caller(socket)
        await page.say("hello", page="the table's own page")
        await page.until(lambda: bool(page.view))
        await page.done("begin", game="evershade", scenario="outlaws-of-bear-peak", seats=SEATS)
        yield Group(rig, page)


# -- a whole table ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_figures_keys_and_tokens_play(rig: RealTableRig) -> None:
    rig.learn()
    assert Registry.load(registry_file()).places == rig.truth()
    save_tags(rig.home / "bag.yaml", box_tags())
    with played(rig) as table:
        assert table.said[0] == "The table wakes up ..."
        assert table.said[1].startswith(NO_RAIL)
        assert table.said[2] == "Play goes on without; what comes back is used at once."
        assert table.said[3].startswith("The table is at "), table.said
        asyncio.run(first_turns(rig, table))
        assert table.end() == 0
    left = subprocess.run(["pgrep", "-P", str(table.process.pid)], capture_output=True, text=True)
    assert not left.stdout, "the bus is ended as well"
    assert not rig.lit() and not rig.buttons(), "nothing stays lit when play has ended"


async def first_turns(rig: RealTableRig, table: Host) -> None:
    """From an empty table to the first move, all by hand."""
    async with at_table(rig, table) as group:
        page = group.page
        assert page.view["hall"]["hardware"] == "real"
        await group.set_up()
        assert NO_RAIL in group.fight["rail"]["notice"] and group.fight["rail"]["health"] == "lost"
        await group.fill_bag()
        assert page.asked == "initiative"
        both = frozenset({"seat 1 yes", "seat 1 no", "seat 2 yes", "seat 2 no"})
        await group.seen("lights of both seats", lambda: rig.buttons() == both)
        await group.show("white", group.another())
        assert page.log[-1] == "The token is white."
        assert page.asked == "character"
        await group.key_in("1")
        assert page.log[-1] == "Malah is Activated."
        await group.seen("the light of Malah's seat", lambda: rig.buttons() == {"seat 1 yes", "seat 1 no"})
        assert group.fight["numbered"][0]["option"] == "move"
        await group.key_in("1")
        assert page.question is not None and page.question["kind"] == "path"
        await group.move("malah", (5, 8))
        assert page.log[-1] == "Malah moves 1 to 5,8."


# -- what is missing --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_without_reader_keys_and_rail_the_page_plays_on(rig: RealTableRig) -> None:
    nowhere = "/dev/serial/by-id/usb-no-reader"
    rig.file.write_text(rig.file.read_text().replace(str(rig.reader.port.readlink()), nowhere))
    Registry(rig.truth()).save(registry_file())
    save_tags(rig.home / "bag.yaml", box_tags())
    with played(rig, pins=False) as table:
        said = "\n".join(table.said)
        assert "Traceback" not in said
        wanted = (
            NO_RAIL,
            "keys: this is no Raspberry Pi",
            f"reader bag at {nowhere}: there is no such port",
            "Play goes on without; what comes back is used at once.",
            "With neither reader nor keys, draws are entered on the page until the next start.",
        )
        for words in wanted:
            assert said.count(words) == 1, said
        asyncio.run(page_plays(rig, table, wanted[:3]))
        assert table.end() == 0
    assert not rig.lit()


async def page_plays(rig: RealTableRig, table: Host, told: tuple[str, ...]) -> None:
    """Figures by hand, all else at the page, which tells what is missing."""
    async with at_table(rig, table) as group:
        await group.set_up()
        for words in told:
            assert words in group.fight["rail"]["notice"]
        assert group.page.asked == "initiative"
        another = group.another()
        await group.page.done("answer", question=group.page.id, value="white", seat="")
        await group.page.until(another)
        assert group.page.log[-1] == "The token is white."


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A table's file whose only port that is there has nobody behind it; Emberboard's folder is empty."""
    monkeypatch.setenv("EMBERBOARD_HOME", str(tmp_path / "home"))
    master, slave = os.openpty()
    tty.setraw(slave)
    file = tmp_path / "table.yaml"
    file.write_text(at_ports(os.ttyname(slave), "/dev/serial/by-id/usb-no-reader"))
    yield file
    os.close(slave)
    os.close(master)


def refused(file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """The words with which `emberboard play --real` ends."""
    monkeypatch.setattr(sys, "argv", ["emberboard", "play", "--real", "--table", str(file), "--no-open"])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert ended.value.code == 1 and "table is at" not in said.out
    return said.err


def all_learnt() -> Registry:
    """A registry that knows a board at each place of the small table."""
    return Registry({f"{number:016x}": Place(number // 2, number % 2) for number in range(4)})


def test_boards_that_are_not_learnt_are_learnt_first(
    bare: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = refused(bare, capsys, monkeypatch)
    assert "No board's place is known yet" in words and f"`emberboard boards {bare} --learn`" in words


@pytest.mark.parametrize(
    ("lacking", "words"),
    [
        ({}, ""),
        ({(0, 1)}, "The board at B1 is not known"),
        ({(0, 0), (1, 1)}, "The boards at A1, B2 are not known"),
    ],
)
def test_places_without_a_known_board_are_named(bare: Path, lacking: set[tuple[int, int]], words: str) -> None:
    known = all_learnt()
    known.places = {uid: at for uid, at in known.places.items() if (at.row, at.column) not in lacking}
    said = _not_learnt(read_table(bare), known, "2x2")
    assert said.startswith(words) and bool(said) == bool(words)
    assert not words or "`emberboard boards 2x2 --learn` learns all places." in said


def test_a_port_that_is_not_there_is_named_with_what_looks_at_it(
    bare: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    all_learnt().save(registry_file())
    bare.write_text(at_ports("/dev/serial/by-id/usb-no-line", "/dev/serial/by-id/usb-no-reader"))
    words = refused(bare, capsys, monkeypatch)
    assert words.startswith("/dev/serial/by-id/usb-no-line is not there")
    assert f"`emberboard doctor {bare}` looks at every wire" in words and "without --real" in words


def test_a_session_number_that_cannot_be_kept_is_said(
    bare: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder stands where the draft of the file is written: that stops even the superuser."""
    all_learnt().save(registry_file())
    registry_file().with_name("boards.json.new").mkdir()
    words = refused(bare, capsys, monkeypatch)
    assert f"{registry_file()} cannot be written (Is a directory): make it writable" in words


@pytest.mark.parametrize("readers", [True, False])
def test_draws_are_keyed_in_where_no_tag_is_known(
    bare: Path, readers: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    file = read_table(bare)
    works = RealTable(file if readers else msgspec.structs.replace(file, readers=()), all_learnt(), lambda one: None)
    try:
        assert _told(works, {} if readers else box_tags(), "") is None
        heard = works.devices.drain()
    finally:
        works.close()
    said = capsys.readouterr().out
    assert said.count("draws are keyed in") == 1
    assert ("No token's tag is registered" in said) == readers
    assert ("The table's file names no reader" in said) != readers
    lost = {event.device for event in heard if isinstance(event, DeviceLost)}
    assert lost == {"keys", "rail", *(["reader bag"] if readers else [])}, "the table that comes hears the same"


SPY = """
import sys
from emberboard.devices.table_file import table_named
from emberboard.link.registry import Registry
from emberboard.link.wire import WireError
from emberboard.table import works

class Spy(works.DeviceThread):
    def __init__(self, device, events):
        print(device.name, "adafruit_pn532.uart" in sys.modules)
        super().__init__(device, events)

works.DeviceThread = Spy
if __name__ == "__main__":
    try:
        works.RealTable(table_named("2x2"), Registry(), lambda one: None)
    except WireError:
        print("no bus")
"""


def test_no_two_threads_import_the_drivers_at_once() -> None:
    """Python ends one of two threads that import Blinka's packages, which import each other, by a deadlock's error."""
    ran = subprocess.run([sys.executable, "-c", SPY], capture_output=True, text=True, cwd=SMALL.parents[1])
    assert ran.stdout.splitlines() == ["keys True", "reader bag True", "rail True", "no bus"], ran.stderr


# -- the bus's times --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ports", "timing"),
    [
        (["/dev/ttyAMA0"], Timing()),
        (["/dev/ttyS0", "/dev/ttyAMA2"], Timing()),
        (["/dev/serial/by-id/usb-FTDI-if00"], USB_TIMING),
        (["/dev/ttyAMA0", "/dev/ttyACM0"], USB_TIMING),
        (["/dev/ttyUSB3"], USB_TIMING),
        (["/dev/ttyUSB3", "/dev/pts/7"], PROCESS_TIMING),
    ],
)
def test_the_slowest_port_sets_the_times(ports: list[str], timing: Timing) -> None:
    assert timing_for(ports) == timing


@pytest.mark.parametrize(("port", "timing"), [("/dev/ttyACM0", USB_TIMING), ("/dev/pts/7", PROCESS_TIMING)])
def test_a_link_is_what_it_leads_to(port: str, timing: Timing, tmp_path: Path) -> None:
    link = tmp_path / "line"
    link.symlink_to(port)
    assert timing_for([str(link)]) == timing
