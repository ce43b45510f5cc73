"""Looking at a save without taking it: it may be open elsewhere, and nothing is written, not even a lock."""

from __future__ import annotations

import sqlite3
import zlib
from pathlib import Path

import msgspec

from emberboard.engine.errors import JournalError
from emberboard.engine.journal import Applied, Entry, MemoryJournal
from emberboard.store import contents as held
from emberboard.store.contents import SCHEMA, Contents
from emberboard.store.damage import refusal
from emberboard.store.wal import has_log


def contents_of(path: Path) -> Contents:
    """All that a save holds at this moment, faults included. Raises sqlite3.Error when it cannot be read."""
    db = held.connect_reading(path, at_rest=not has_log(path))
    try:
        db.execute("BEGIN")
        return held.read(db)
    finally:
        db.close()


def whole_contents(path: Path) -> Contents:
    """All that a save without a fault holds. Raises JournalError when it has one or cannot be read here."""
    if not path.is_file():
        raise JournalError(f"There is no save at {path}. List the saves to see what there is.")
    try:
        contents = contents_of(path)
    except sqlite3.Error as error:
        raise refusal(path, "Reading", error) from error
    if contents.version > SCHEMA:
        raise JournalError(
            f"{path} was written by a newer Emberboard (save format {contents.version}; this one reads up to "
            f"{SCHEMA}). Update Emberboard to read it."
        )
    if contents.faults:
        raise JournalError(
            f"{path} is damaged: {'; '.join(contents.faults)}. Go on with it once: that offers to recover it; then try "
            "again."
        )
    if contents.version < SCHEMA:
        raise JournalError(
            f"{path} has the older save format {contents.version}. Open it once to play: that brings it to format "
            f"{SCHEMA}; then try again."
        )
    return contents


def copy_of(path: Path) -> MemoryJournal:
    """The save at `path` as it stands now, in memory: operations, log lines, stored states. Raises JournalError."""
    return journal_in_memory(path, whole_contents(path))


def journal_in_memory(path: Path, contents: Contents) -> MemoryJournal:
    """These contents as a journal; `path` is named where they cannot be one. Raises JournalError."""
    try:
        if contents.meta is None:
            raise JournalError(f"{path} names no game: its setup is missing.")
        journal = MemoryJournal(contents.meta)
        for operation in contents.operations:
            journal.append(msgspec.structs.replace(operation) if isinstance(operation, Entry) else operation)
        for entry in sorted({*contents.derived, *contents.snapshots}):
            derived = held.decode_derived(contents.derived.get(entry, b"{}"))
            state = contents.snapshots.get(entry)
            snapshot = None if state is None else held.decode_snapshot(entry, state)
            journal.store(Applied(entry, derived.notes, snapshot, derived.over))
    except (msgspec.MsgspecError, zlib.error) as error:
        raise JournalError(f"{path} holds a log line or state that cannot be understood: {error}.") from error
    return journal
