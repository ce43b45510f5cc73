"""The journal: inputs in memory and on the disk beside a bare commit of SQLite, and loading a long journal."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from emberboard.engine.game import Game
from emberboard.engine.journal import Entry, MemoryJournal, Meta
from emberboard.engine.question import Ask, Confirm, Json, Question
from emberboard.engine.scene import Scene
from emberboard.engine.session import Session
from emberboard.engine.state import Ledger, Step
from emberboard.engine.timing import Proc
from emberboard.store import create, open_journal
from emberboard.store.contents import pack

from .row import Row
from .timing import median_time, median_times

INPUTS = 400
ENTRIES = 1000
BARE = "bare SQLite commit"
NOTE = "WAL, synchronous=FULL, one row of the same size; medians, taken in turns"


class Count(msgspec.Struct):
    ledger: Ledger
    yes: int = 0


class OneQuestion(Game[Count]):
    """The least game: yes or no, for ever, with a boundary after every tenth."""

    name = "one question"
    rules_version = "1"
    state_type = Count

    @classmethod
    def open(cls, setup: Mapping[str, Json]) -> OneQuestion:
        game = cls()
        game.state = Count(Ledger([Step("ten")]))
        return game

    def seats(self) -> tuple[str, ...]:
        return ("one",)

    def scene(self, question: Question | None) -> Scene:
        return Scene(1, 1)

    def summary(self) -> dict[str, Json]:
        return {"yes": self.state.yes}


def more(game: OneQuestion) -> Confirm:
    return Confirm(name="more", prompt="More?", who=game.group())


def ten(game: OneQuestion) -> Proc[None]:
    for _ in range(10):
        game.state.yes += yield Ask(more)
    game.then("ten")


OneQuestion.procedures = {"ten": ten}


def one_input(session: Session) -> Callable[[], None]:
    """Answer the pending question."""

    def answer() -> None:
        assert session.question is not None
        session.answer(session.question.id, True)

    return answer


def bare_commit(path: Path, body: bytes) -> Callable[[], None]:
    """One row of four columns into a table of its own, committed."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("CREATE TABLE row (number INTEGER PRIMARY KEY, made INTEGER, body BLOB, crc INTEGER)")
    numbers = iter(range(10**9))

    def commit() -> None:
        row = (next(numbers), time.time_ns() // 1_000_000, body, 4_000_000_000)
        db.execute("INSERT INTO row VALUES (?, ?, ?, ?)", row)

    return commit


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        memory = Session.new(OneQuestion, {}, journal=MemoryJournal)
        disk = Session.new(OneQuestion, {}, journal=lambda meta: create(folder / "input.ember", meta))
        bare_journal = create(folder / "append.ember", Meta("one question", "1", "", {}))
        one_input(memory)()
        entry = memory.journal.tree.path()[-1]
        taken = median_times(
            {
                "input": one_input(disk),
                "append": lambda: bare_journal.append(_next(entry, bare_journal.tree.head)),
                BARE: bare_commit(folder / "bare.db", pack(entry)),
            },
            INPUTS,
        )
        in_memory = median_time(one_input(memory), INPUTS)
        disk.close()
        bare_journal.close()
        load = median_time(lambda: _load(_thousand(folder)), 9)
    peer = {BARE: taken[BARE] * 1e6}
    return [
        Row("input, durable and applied", "us", taken["input"] * 1e6, peer, NOTE),
        Row("append, durable", "us", taken["append"] * 1e6, peer, NOTE),
        Row("inputs in memory", "1/s", 1 / in_memory, less_is_better=False),
        Row("inputs, durable", "1/s", 1 / taken["input"], {BARE: 1 / taken[BARE]}, NOTE, less_is_better=False),
        Row(f"load a journal of {ENTRIES} entries", "ms", load * 1e3, {"aim": 500.0}),
    ]


def _next(entry: Entry, head: int) -> Entry:
    return msgspec.structs.replace(entry, parent=head, id=0)


def _thousand(folder: Path) -> Path:
    """A save of so many entries, as a clean close leaves it; made once."""
    path = folder / "thousand.ember"
    if not path.exists():
        session = Session.new(OneQuestion, {}, journal=lambda meta: create(path, meta))
        for _ in range(ENTRIES):
            one_input(session)()
        session.close()
    return path


def _load(path: Path) -> None:
    journal = open_journal(path)
    session = Session.load(OneQuestion, journal)
    assert session.head == ENTRIES
    journal.close()
