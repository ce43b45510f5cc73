"""Sessions on the disk for the tests: opening, leaving without a word, comparing with one in memory."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from emberboard.engine.journal import Operation
from emberboard.engine.question import Json
from emberboard.engine.session import Session
from emberboard.store import SqliteJournal, create, open_journal
from emberboard.store.contents import pack
from tests.engine.small_game import ENDLESS, Miners, opened, operations, play_one

MEMORY = Path("/dev/shm")


def fast_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder for tests with many examples: in memory where the system has such a place, for they sync a lot."""
    return tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None)


def on_disk(path: Path, seed: int = 1, setup: dict[str, Json] | None = None) -> Session:
    """A new session of the small game in a save at `path`."""
    return opened(seed, setup, journal=lambda meta: create(path, meta))


def durable(session: Session) -> SqliteJournal:
    """The session's journal, which is one on the disk."""
    assert isinstance(session.journal, SqliteJournal)
    return session.journal


def again(session: Session, *, clean: bool, rng: random.Random | None = None) -> Session:
    """Leave the session, cleanly or with what was derived last not stored, and load it from its file."""
    journal = durable(session)
    if clean:
        session.close()
    else:
        journal.close()
    return Session.load(Miners, open_journal(journal.path), rng=rng or session.rng)


def played(path: Path, seed: int, inputs: int) -> Session:
    """A session on the disk after so many random inputs; the game goes on."""
    session = on_disk(path, seed, ENDLESS)
    source = random.Random(seed)
    for _ in range(inputs):
        play_one(session, source)
    return session


def standing(session: Session) -> dict[str, Any]:
    """Everything that two sessions at the same point must have in common, in the shape JSON gives it."""
    return msgspec.to_builtins(
        {
            "state": session.state_hash(),
            "question": session.question,
            "log": session.log,
            "kept": msgspec.json.decode(msgspec.json.encode(session.chance.kept)),
            "head": session.head,
            "forward": session.journal.tree.forward,
            "operations": packed(operations(session)),
            "failed": [entry.id for entry in session.journal.tree.entries.values() if entry.failed],
        }
    )


def packed(made: list[Operation]) -> list[bytes]:
    """Operations as they are stored."""
    return [pack(one) for one in made]
