"""The doctor at a virtual table: each fault that can be made there is named with its fix. Boards located and learnt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic

import msgspec
import pytest
from typer.testing import CliRunner

from emberboard.cli import bus_commands
from emberboard.cli.board_checks import check_power
from emberboard.cli.bus_commands import check_table, registry_file
from emberboard.cli.main import app
from emberboard.devices.checkup import Bench, Finding
from emberboard.devices.table_file import WIRING, Supply, TableFile, read_table
from emberboard.engine.errors import Refused
from emberboard.link.registry import Place, Registry
from emberboard.link.timing import Timing
from emberboard.link.wire import Wire
from emberboard.virtual.firmware_process import FIRMWARE
from emberboard.virtual.keys import VirtualPins
from emberboard.virtual.pn532 import PtyPn532
from emberboard.virtual.rail import VirtualStrip, opener
from emberboard.virtual.table import VirtualTable
from tests.firmware.test_boards import other_version

FILE = read_table(WIRING / "2x2.yaml")
NAMES = {(True, False, False): "red", (False, True, False): "green", (False, False, True): "blue"}

PATIENT = Timing(answer=500_000, long_answer=500_000, slot=4_000)
"""Processes on a loaded machine answer late; a line that is judged by its silence waits for them here."""
CONFIG = "import world\n\nANSWER_WITHIN_US = 400000\nROOT = world.getenv('EMBERBOARD_ROOT') or '/'\n"
"""The same of the boards' own rule to stay silent when they are late."""

pytestmark = pytest.mark.slow


class Clinic:
    """A virtual table whose ports are free, a reader behind a PTY, keys and rail: what the doctor is called to."""

    def __init__(self, table: VirtualTable, folder: Path) -> None:
        self.table = table
        self.reader = PtyPn532(folder / "reader")
        wired = table.free_bus()
        reader = msgspec.structs.replace(wired.readers[0], port=str(self.reader.port), pins=None)
        self.file = msgspec.structs.replace(wired, readers=(reader,))
        self.pins = VirtualPins(self.file)
        self.strips: list[VirtualStrip] = []
        self.wired = self.file.rail.order
        self.token = ""
        self._before: dict[tuple[int, int], str] = {}

    def bench(self) -> Bench:
        return Bench(
            gpio=self.pins,
            strip=opener(self.strips, self.wired),
            installed=lambda name: name == "rpi-lgpio",
            seen=lambda: [colour_name(colour) for colour in self.strips[-1].seen[:3]],
            lay=self.lay,
        )

    def lay(self, reader: str) -> bool:
        if self.token:
            self.reader.present(self.token)
        return bool(self.token)

    def look(self, what: str) -> str:
        """Waits until every tile of the boards that are named is lit, in another colour than before."""
        place = what.removeprefix("board ")[:2]
        end = monotonic() + 20
        while True:
            shown = self.table.read_lights()
            here = {
                cell: colour_name(colour)
                for cell, colour in shown.items()
                if what == "all boards" or self.table.place_of(cell) == place
            }
            if all(name not in ("dark", self._before.get(cell)) for cell, name in here.items()):
                self._before = here
                names = set(here.values())
                return names.pop() if len(names) == 1 else "mixed"
            assert monotonic() < end, f"{what}: {set(here.values())}"

    def faults(self, file: TableFile | None = None, *, look: bool = False) -> dict[str, str]:
        """What the doctor finds that is not well."""
        return {one.device: one.words for one in self.findings(file, look=look) if not one.well}

    def findings(self, file: TableFile | None = None, *, look: bool = False) -> list[Finding]:
        return list(check_table(file or self.file, self.bench(), self.look if look else None, PATIENT))

    def close(self) -> None:
        self.reader.stop()
        self.table.close()


def dark(table: VirtualTable) -> None:
    """Until all is dark, also when the program that lit it has ended."""
    end = monotonic() + 20
    while any(map(any, table.read_lights().values())):
        assert monotonic() < end


def colour_name(colour: tuple[int, int, int]) -> str:
    red, green, blue = (part > 0 for part in colour)
    return NAMES.get((red, green, blue), "mixed" if any(colour) else "dark")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EMBERBOARD_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., Clinic]]:
    clinics: list[Clinic] = []

    patient = tmp_path / "patient"
    patient.mkdir()
    (patient / "config.py").write_text(CONFIG)

    def open_one(*, overlays: dict[str, Path] | None = None, twins: dict[str, str] | None = None) -> Clinic:
        over = {place: [patient, *filter(None, [(overlays or {}).get(place)])] for place in FILE.places}
        clinics.append(Clinic(VirtualTable(FILE, overlays=over, twins=twins), tmp_path))
        clinics[-1].table.registry.save(registry_file())
        return clinics[-1]

    yield open_one
    for clinic in clinics:
        clinic.close()


def named(faults: dict[str, str], device: str, words: str) -> None:
    """Exactly this device is not well, and that is said of it."""
    assert list(faults) == [device], faults
    assert re.search(words, faults[device]), faults


def test_a_table_that_is_well_and_the_faults_of_its_devices(opened: Callable[..., Clinic]) -> None:
    clinic = opened()
    clinic.token = "04A1B2C3"
    found = clinic.findings(look=True)
    assert all(one.well for one in found), found
    words = {one.device: one.words for one in found}
    assert words["segment A"].startswith("all 4 boards answer") or "is there and free" in words["segment A"]
    assert words["board colours"] == "all boards show red, green, blue"
    assert words["board power"].startswith("7 A, of which 5600 mA may be drawn: enough for 4 boards")
    assert re.fullmatch(r"seen in (20|19|18|17) of 20 looks", words["reader bag token"])
    dark(clinic.table)


def test_keys_reader_and_rail(opened: Callable[..., Clinic]) -> None:
    clinic = opened()
    clinic.pins.contact("Undo", True)
    clinic.reader.fault(mute=True)
    clinic.wired = "RGB"
    faults = clinic.faults()
    assert set(faults) == {"keys", "reader bag", "rail colours"}
    assert "Undo: down though nobody presses. Free a jammed key" in faults["keys"]
    assert "Check its switches (HSU: both off)" in faults["reader bag"]
    assert "Write `order: RGB`" in faults["rail colours"]
    clinic.pins.contact("Undo", False)
    clinic.pins.of_others.add(FILE.lights.clock)
    clinic.reader.fault(spoil=99)
    clinic.wired = "GRB"
    faults = clinic.faults()
    assert set(faults) == {"keys", "reader bag"}
    assert "GPIO25 is taken by another program" in faults["keys"] and "`gpioinfo` tells by whom" in faults["keys"]
    assert "Is it another port's cable" in faults["reader bag"]
    clinic.pins.of_others.clear()
    clinic.token = "04A1B2C3"
    clinic.reader.fault(miss=6)
    named(clinic.faults(), "reader bag token", "missed the token in [5-9] of 20 looks: bring the bag closer")
    clinic.reader.fault(miss=99)
    named(clinic.faults(), "reader bag token", "does not see the token: lay it flat on the antenna")
    clinic.token = ""
    clinic.reader.unplug()
    named(clinic.faults(), "reader bag", "there is no such port.*(serial port is plugged in|Plugged in are)")


def test_boards_missing_extra_silent_and_restarting(opened: Callable[..., Clinic]) -> None:
    clinic = opened()
    table = clinic.table
    table.unplug("B2")
    named(clinic.faults(), "segment A", "3 of 4 boards answer; B2 missing: check power and plugs at B2")
    table.unplug("A2")
    named(clinic.faults(), "segment A", "B2, A2 missing: check the plug between B1 and B2, and the power behind it")
    # Nothing was learnt of the boards: no place can be named.
    registry_file().unlink()
    named(clinic.faults(), "segment A", "2 of 4 boards answer: check power and plugs along A1 - B1 - B2 - A2")
    table.unplug("A1")
    table.unplug("B1")
    named(clinic.faults(), "segment A", "0 of 4 boards answer: check the cable from the host, and the boards' power")
    for place in FILE.places:
        table.replug(place)
    known = Registry.load(registry_file())
    known.places = {uid: place for uid, place in table.registry.places.items() if uid != table.uid_at("A2")}
    known.save(registry_file())
    small = msgspec.structs.replace(clinic.file.segments[0], chain=("A1", "B1", "B2"))
    uid = table.uid_at("A2")
    named(
        clinic.faults(msgspec.structs.replace(clinic.file, segments=(small,))),
        "segment A",
        rf"4 boards answer, its chain has 3 \({uid} has no place\): take the others off, or write them",
    )


def test_a_board_that_fails_while_it_is_lit(opened: Callable[..., Clinic], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its hands are quick: they wait until the doctor's white is seen."""
    clinic = opened()
    table, uid = clinic.table, clinic.table.uid_at("B1")

    def when_lit(act: Callable[[], None]) -> Iterator[Finding]:
        white = Wire.statistics
        done: list[bool] = []

        def and_act(wire: Wire) -> dict[str, dict[str, float]]:
            if not done:
                done.append(True)
                act()
            return white(wire)

        with monkeypatch.context() as patch:
            patch.setattr(Wire, "statistics", and_act)
            yield from (one for one in clinic.findings() if not one.well)

    boards, number = table.board_at("B1")
    found = {one.device: one.words for one in when_lit(lambda: boards.restart(number))}
    named(found, f"board B1 ({uid})", "started anew while it was lit: check its plugs and the feed's fuse, cable")
    found = {one.device: one.words for one in when_lit(lambda: boards.hold(number))}
    boards.release(number)
    named(found, f"board B1 ({uid})", "answered, then fell silent: check its power and plugs|has many errors")


def test_flags_of_boards(opened: Callable[..., Clinic], tmp_path: Path) -> None:
    weak = tmp_path / "weak"
    weak.mkdir()
    text = (FIRMWARE / "power.py").read_text()
    (weak / "power.py").write_text(text.replace("LIMIT_MA = 1200", "LIMIT_MA = 600"))
    clinic = opened(overlays={"A1": weak, "B2": other_version(tmp_path / "major", MAJOR=2)})
    table = clinic.table
    boards, number = table.board_at("A2")
    boards.break_sensors(number)
    boards, number = table.board_at("B1")
    boards.unplug(number)
    (boards.root(number) / "slots.txt").write_text("a b new\n")
    boards.replug(number)
    uids = {place: f"board {place} ({table.uid_at(place)})" for place in FILE.places}
    faults = clinic.faults()
    assert set(faults) == set(uids.values())
    assert "dims itself below what the table allows it" in faults[uids["A1"]]
    assert "reports a sensor fault: reseat its shift registers' connector" in faults[uids["A2"]]
    assert "an update on trial that nobody confirmed: start it again" in faults[uids["B1"]]
    assert "speaks protocol 2.0, this host 1: flash it with this firmware" in faults[uids["B2"]]


def test_two_boards_with_one_uid(opened: Callable[..., Clinic]) -> None:
    clinic = opened(twins={"B2": "A1"})
    uid = clinic.table.uid_at("A1")
    faults = clinic.faults()
    (twin,) = [words for device, words in faults.items() if uid in device]
    assert "two boards say that they are this one: take one off; a copied flash" in twin


def test_a_bad_line(opened: Callable[..., Clinic]) -> None:
    clinic = opened()
    clinic.table.disturb(0.15)
    faults = clinic.faults()
    assert any("has many errors on its line: check plug, ground and the terminator" in one for one in faults.values())
    clinic.table.disturb(1.0)
    named(clinic.faults(), "segment A", "0 of 4 boards answer: .* The line is noisy, or two boards answer as one")


def test_lights_of_another_order(opened: Callable[..., Clinic]) -> None:
    clinic = opened()
    boards, number = clinic.table.board_at("A2")
    boards.fit_lights(number, "RGB")
    uid = clinic.table.uid_at("A2")
    named(
        clinic.faults(look=True),
        f"board A2 ({uid}) colours",
        "it shows green, red, blue for red, green, blue: its lights take RGB, the firmware sends GRB. Fit lights",
    )


def test_a_magnet_that_lies_there_since_the_start_is_told(opened: Callable[..., Clinic]) -> None:
    clinic = opened()
    clinic.table.unplug("A1")
    clinic.table.touch((2, 1))
    clinic.table.replug("A1")
    (told,) = [one for one in clinic.findings() if one.device.startswith("board A1")]
    assert told.well and told.words.startswith("tile 8 felt a magnet ever since the board's start")


@pytest.mark.parametrize(
    ("amperes", "well", "words"),
    [
        (7, True, "7 A, of which 5600 mA may be drawn: enough for 4 boards at their own limit"),
        (4, True, r"4 A, of which 3200 mA may be drawn: white on all boards is dimmed to 4\d %"),
        (1, False, "4 boards draw 880 mA while they are dark. Fit a supply of 6 A and write it as `supply:`"),
    ],
)
def test_the_supply(amperes: int, well: bool, words: str) -> None:
    found = check_power(msgspec.structs.replace(FILE, supply=Supply(amperes=amperes)))
    assert found.well == well and re.search(words, found.words), found


def test_ports_that_are_taken_or_not_there(opened: Callable[..., Clinic]) -> None:
    clinic = opened()
    port = clinic.file.segments[0].port
    with Wire([port], 5):
        named(clinic.faults(), "bus", f"{port} is in use by another program: another table, or ModemManager")
    gone = msgspec.structs.replace(clinic.file.segments[0], port="/dev/serial/by-id/none")
    named(clinic.faults(msgspec.structs.replace(clinic.file, segments=(gone,))), "segment A", "there is no such port")
    refused = CliRunner().invoke(app, ["boards", "2x2"])
    assert isinstance(refused.exception, Refused) and "is the adapter plugged in" in str(refused.exception)


def written(file: TableFile, folder: Path) -> str:
    """The table's file as the commands read it."""
    text = (WIRING / "2x2.yaml").read_text().replace("port: /dev/ttyAMA0", f"port: {file.segments[0].port}")
    path = folder / "table.yaml"
    path.write_text(text.replace("    pins: [14, 15]            # TX, RX\n", ""))
    return str(path)


def test_the_commands(opened: Callable[..., Clinic], tmp_path: Path) -> None:
    clinic = opened()
    table = written(clinic.file, tmp_path)
    listed = CliRunner().invoke(app, ["boards", table, "--statistics"])
    assert listed.exit_code == 0 and "4 of 4 boards answer." in listed.output, listed.output
    assert all(f"{clinic.table.uid_at(place)}  {place}, turned" in listed.output for place in FILE.places)
    assert listed.output.count("lost events: 0") == 4
    traced = CliRunner().invoke(app, ["boards", table, "--trace"])
    ways = {line.split()[2] for line in traced.output.splitlines() if line.startswith("A ")}
    assert ways == {"<", ">"}, traced.output
    seen = CliRunner().invoke(app, ["doctor", table])
    assert "well   segment A: all 4 boards answer" in seen.output, seen.output
    assert seen.exit_code == 1 and "FAULT  reader bag" in seen.output, "this machine has no reader at that port"


def test_who_is_asked_may_shorten_colours_and_is_asked_again() -> None:
    for typed, meant in (("g\n", "green"), ("Blue\n", "blue"), ("pink\nred\n", "red"), ("d\n", "dark")):
        with CliRunner().isolation(input=typed) as (out, *_):
            assert bus_commands._colour_of("board B1") == meant
            assert b"Which colour shows board B1?" in out.getvalue()


def test_a_board_is_located_by_place_and_uid(opened: Callable[..., Clinic], tmp_path: Path) -> None:
    clinic = opened()
    table = written(clinic.file, tmp_path)

    def lit() -> set[str]:
        return {clinic.table.place_of(cell) for cell, colour in clinic.table.read_lights().items() if any(colour)}

    def until(places: set[str]) -> Callable[[], None]:
        def wait() -> None:
            end = monotonic() + 20
            while lit() != places:
                assert monotonic() < end, lit()

        return wait

    assert bus_commands.locate_board(table, "B2", until({"B2"}), PATIENT) == 0
    until(set())()
    assert bus_commands.locate_board(table, clinic.table.uid_at("A2").upper(), until({"A2"}), PATIENT) == 0
    by_hand = CliRunner().invoke(app, ["boards", table, "--locate", "a1"], input="\n")
    assert by_hand.exit_code == 0 and f"Board {clinic.table.uid_at('A1')} is lit." in by_hand.output
    for which, words in (("", "4 boards are meant"), ("ffff", "no board that answers is meant by 'ffff'")):
        with pytest.raises(Refused, match=words):
            bus_commands.locate_board(table, which)
    registry_file().unlink()
    with pytest.raises(Refused, match="no board is known at B1: run `emberboard boards 2x2 --learn` first"):
        bus_commands.locate_board(table, "B1")


class Learner:
    """Does what the learning says: a finger (a magnet) on the lit tile at the place's corner."""

    def __init__(self, table: VirtualTable) -> None:
        self.table = table
        self.heard: list[str] = []
        self.lies: tuple[int, int] | None = None
        self.wrong_once = True

    def __call__(self, words: str) -> None:
        self.heard.append(words)
        if self.lies is not None:
            self.table.lift(self.lies)
            self.lies = None
        asked = re.search(r"row (\d+), column (\d+): touch its lit tile at the NORTH-(WEST|EAST)", words)
        if asked is None:
            return
        row, column = int(asked[1]) - 1, int(asked[2]) - 1
        cell = (6 * column + (5 if asked[3] == "EAST" else 0), 6 * row)
        if self.wrong_once and asked[3] == "EAST":
            self.wrong_once, cell = False, (cell[0], cell[1] + 2)
        end = monotonic() + 20
        while self.table.read_lights()[cell] != (255, 255, 255) and cell[1] % 6 == 0:
            assert monotonic() < end, f"{cell} is not lit"
        self.table.touch(cell)
        self.lies = cell


def test_places_and_turns_are_learnt_and_play_finds_them(opened: Callable[..., Clinic], tmp_path: Path) -> None:
    clinic = opened()
    truth = dict(clinic.table.registry.places)
    wrong = Registry({"f" * 16: Place(0, 0)})
    wrong.save(registry_file())
    finger = Learner(clinic.table)
    assert bus_commands.learn_places(written(clinic.file, tmp_path), finger, PATIENT) == 0
    assert Registry.load(registry_file()).places == truth
    assert "That tile is not lit." in finger.heard
    assert finger.heard[-1].startswith("4 of 4 places are known now")
    dark(clinic.table)


def test_who_leaves_the_learning_leaves_dark_boards_and_the_places_of_before(
    opened: Callable[..., Clinic], tmp_path: Path
) -> None:
    clinic = opened()
    before = dict(clinic.table.registry.places)

    def leave(words: str) -> None:
        end = monotonic() + 20
        while not any(map(any, clinic.table.read_lights().values())):
            assert monotonic() < end
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bus_commands.learn_places(written(clinic.file, tmp_path), leave, PATIENT)
    dark(clinic.table)
    assert Registry.load(registry_file()).places == before
    for place in FILE.places:
        clinic.table.unplug(place)
    with pytest.raises(Refused, match="no board answers: `emberboard doctor 2x2` tells what to look at"):
        bus_commands.learn_places(written(clinic.file, tmp_path), leave, PATIENT)
