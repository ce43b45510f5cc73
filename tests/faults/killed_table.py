"""A host at the wired virtual table, in a process that may be killed (SIGKILL) whatever it is doing.

The boards are not its children: they belong to who started it and outlive it, as real ones do. It opens their port by
its path, the save and the registry of boards from files, and says each move of a finger on its standard output, a line
of JSON each, before the finger moves. Tiles are touched by who reads the lines; keys and tokens by the host itself.
"""

from __future__ import annotations

import random
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

import msgspec

from emberboard.cli.demo import BACK_MS, decide
from emberboard.cli.demo_hands import DemoHands, HandsError
from emberboard.devices.bell import DeviceQueue
from emberboard.devices.table_file import TableFile, table_named
from emberboard.engine.question import Cell, Question
from emberboard.engine.session import Session
from emberboard.games import registry as games
from emberboard.games.desk import find_scenario
from emberboard.link.registry import Registry
from emberboard.link.wire import PROCESS_TIMING, Wire
from emberboard.play.new_fight import seats_for
from emberboard.store import create, open_journal
from emberboard.table.wired_table import WiredTable
from emberboard.virtual.keys import VirtualKeys
from emberboard.virtual.reader import VirtualReader
from emberboard.virtual.table import box_tags

TAGS = box_tags()


class Order(msgspec.Struct, frozen=True):
    """What a host is started with: its files, the boards' port, where figures stand, and how far to play."""

    folder: str
    port: str
    table: str
    seed: int
    players: int
    inputs: int
    stands: dict[str, Cell] = {}


class Finger(msgspec.Struct, frozen=True, tag=True):
    """A finger is about to move; `stands` is where figures stand when a tile was touched or left."""

    move: Literal["touch", "lift", "press", "release", "present", "take"]
    stands: dict[str, Cell]
    cell: Cell | None = None


class Stands(msgspec.Struct, frozen=True, tag=True):
    """The game stands so after an input; the first of a host also tells that all boards and the figures are there."""

    inputs: int
    hash: str
    question: str
    touches: int


def asked(question: Question | None) -> str:
    """A question so that two can be compared."""
    return msgspec.json.encode(question).decode()


class Reference:
    """The same fight in memory: the hash and question after each input, and what chance went on with."""

    def __init__(self, seed: int, players: int, inputs: int) -> None:
        desk, shown = find_scenario("")
        self.game, self.setup = games.game_class(desk.name), desk.setup(shown.id, seats_for(desk, shown.id, players))
        self.rng = random.Random(seed)
        session, policy = Session.new(self.game, self.setup, rng=self.rng), desk.policy()
        self.hashes, self.questions = [session.state_hash()], [asked(session.question)]
        while len(session.journal.tree.path()) < inputs and session.question is not None:
            policy(session)
            self.hashes.append(session.state_hash())
            self.questions.append(asked(session.question))


class Reach:
    """Fingers of the host's hands: tiles by word, keys and reader by themselves."""

    def __init__(self, file: TableFile, devices: DeviceQueue, ends: ExitStack) -> None:
        self._file = file
        self.keys = VirtualKeys(file, devices)
        self.reader = VirtualReader(file.readers[0], devices)
        ends.callback(self.keys.stop)
        ends.callback(self.reader.stop)
        self.hands: DemoHands | None = None

    @property
    def file(self) -> TableFile:
        return self._file

    def _say(self, move: Literal["touch", "lift", "press", "release", "present", "take"], cell: Cell | None) -> None:
        say(Finger(move, self.hands.stands if self.hands is not None else {}, cell))

    def touch(self, cell: Cell) -> None:
        self._say("touch", cell)

    def lift(self, cell: Cell) -> None:
        self._say("lift", cell)

    def press(self, key: str) -> None:
        self._say("press", None)
        self.keys.press(key)

    def release(self, key: str) -> None:
        self._say("release", None)
        self.keys.release(key)

    def present_tag(self, tag: str) -> None:
        self._say("present", None)
        self.reader.present(tag)

    def take_tag(self, tag: str) -> None:
        self._say("take", None)
        self.reader.remove(tag)

    def show_seats(self, lights: object) -> None:
        """Nobody looks at the seats here."""

    def show_rail(self, pixels: object) -> None:
        """Nor at the rail."""


def say(told: Finger | Stands) -> None:
    """A line on standard output."""
    print(msgspec.json.encode(told).decode(), flush=True)


def opened_session(order: Order, reference: Reference) -> Session:
    """The save of the folder, or a new one."""
    path = Path(order.folder) / "fight.ember"
    if path.exists():
        return Session.load(reference.game, open_journal(path))
    return Session.new(reference.game, reference.setup, journal=lambda meta: create(path, meta))


def host(order: Order) -> None:
    """Play to so many inputs. Raises HandsError and what a host raises."""
    session = opened_session(order, Reference(order.seed, order.players, 0))
    known = Path(order.folder) / "boards.json"
    boards = Registry.load(known)
    number = boards.next_session()
    boards.save(known)
    with ExitStack() as ends:
        devices = DeviceQueue()
        ends.callback(devices.close)
        reach = Reach(table_named(order.table), devices, ends)
        wire = ends.enter_context(Wire([order.port], number, timing=PROCESS_TIMING))
        table = WiredTable(session, wire, boards, devices, reach, pixels=reach.file.rail.pixels, tags=TAGS)
        # Chance goes on where the inputs of the save left it.
        rng = Reference(order.seed, order.players, len(session.journal.tree.path())).rng
        hands = reach.hands = DemoHands(table, reach, TAGS, rng, decide)
        hands.stands.update(order.stands)
        table.start()
        if not hands.until(lambda: len(table.heard) == len(boards.places), BACK_MS):
            raise HandsError(f"only {len(table.heard)} of {len(boards.places)} boards are found")
        done = -1
        while done < order.inputs:
            if len(session.journal.tree.path()) != done:
                done = len(session.journal.tree.path())
                say(Stands(done, session.state_hash(), asked(session.question), hands.touches))
            hands.step()


if __name__ == "__main__":
    host(msgspec.json.decode(sys.stdin.buffer.readline(), type=Order))
