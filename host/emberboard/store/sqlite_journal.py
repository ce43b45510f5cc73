"""The durable journal: one SQLite file a save, one commit an operation.

Every operation is on the disk (write-ahead log, `synchronous=FULL`) before `append` returns; what applying the entry
before gave (log lines, a snapshot) goes into the same transaction.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from emberboard.engine.errors import JournalError
from emberboard.engine.game import Note
from emberboard.engine.journal import Applied, Entry, Journal, Meta, Operation, Snapshot
from emberboard.store import contents as held
from emberboard.store.contents import SCHEMA, Contents, Derived
from emberboard.store.damage import DamagedJournal, refusal
from emberboard.store.files import replacing
from emberboard.store.lock import SaveLock
from emberboard.store.recovery import salvage
from emberboard.store.wal import Tail, has_log, tail_of

Plain = dict[str, Any]
"""A save of an older schema as plain data: `meta`, and `operations` in their tagged form."""
MIGRATIONS: Mapping[int, Callable[[Plain], Plain]] = {}
"""For each older schema version the pure function that gives the plain data of the next one."""

_INSERT = "INSERT INTO operation VALUES (?, ?, ?, ?)"
_NOTE = "INSERT OR REPLACE INTO note VALUES (?, ?, ?)"
_SNAPSHOT = "INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?)"


class SqliteJournal(Journal):
    """A journal in a file. Made by `create` and `open_journal`; of one thread; holds the save's lock until `close`.

    `torn` tells that the log ended inside a transaction: the power went while an operation was being written, which
    was never acknowledged and is not here, or the file's end was cut off. The players can tell which by the table.
    """

    def __init__(self, path: Path, lock: SaveLock, contents: Contents, db: sqlite3.Connection, *, torn: bool) -> None:
        if contents.meta is None:
            raise JournalError(f"{path} names no game: its setup is missing. Open it with open_journal.")
        self.path, self.meta, self.torn = path, contents.meta, torn
        self.tree = contents.tree()
        self._operations = contents.operations
        self._made = [row.made for row in contents.rows]
        self._crc = contents.crc
        self._derived = contents.derived
        self._snapshots = set(contents.snapshots)
        self._lock, self._db = lock, db
        # The tree's own entry objects, as in memory: what marks an entry failed marks it once.
        self._operations = [
            self.tree.entries[operation.id] if isinstance(operation, Entry) else operation
            for operation in self._operations
        ]

    def append(self, operation: Operation, applied: Applied | None = None) -> int:
        entry = operation if isinstance(operation, Entry) else None
        if entry is not None:
            entry.id = len(self.tree.entries) + 1
        number, made = len(self._made), time.time_ns() // 1_000_000
        body = held.pack(operation)
        crc = held.chain(number, made, body, self._crc)
        derived = None if applied is None else self._new(applied)
        try:
            if applied is None or derived is None:
                self._db.execute(_INSERT, (number, made, body, crc))
            else:
                self._db.execute("BEGIN IMMEDIATE")
                self._keep(applied, derived)
                self._db.execute(_INSERT, (number, made, body, crc))
                self._db.execute("COMMIT")
                self._remember(applied, derived)
        except sqlite3.Error as error:
            if entry is not None:
                entry.id = 0
            self._take_back()
            raise refusal(self.path, "Writing to", error) from error
        self._crc = crc
        self._made.append(made)
        self._operations.append(operation)
        self.tree.add(operation)
        return number

    def _new(self, applied: Applied) -> bytes | None:
        """The body of the note to be written, or None when there is nothing that is not kept already."""
        derived = held.encode_derived(Derived(applied.notes, applied.over))
        if applied.snapshot is None and derived == self._derived.get(applied.entry, b"{}"):
            return None
        return derived

    def _keep(self, applied: Applied, derived: bytes) -> None:
        entry = applied.entry
        self._db.execute(_NOTE, (entry, derived, held.seal(entry, derived)))
        if applied.snapshot is not None:
            state = held.squeeze(applied.snapshot.state)
            self._db.execute(_SNAPSHOT, (entry, state, held.seal(entry, state)))

    def _remember(self, applied: Applied, derived: bytes) -> None:
        self._derived[applied.entry] = derived
        if applied.snapshot is not None:
            self._snapshots.add(applied.entry)

    def _take_back(self) -> None:
        if self._db.in_transaction:
            try:
                self._db.execute("ROLLBACK")
            except sqlite3.Error as error:
                raise refusal(self.path, "Taking back a write to", error) from error

    def operations(self) -> Sequence[Operation]:
        return self._operations

    def snapshot_at(self, entries: Sequence[int]) -> Snapshot | None:
        entry = next((entry for entry in reversed(entries) if entry in self._snapshots), None)
        if entry is None:
            return None
        try:
            row = self._db.execute("SELECT body, crc FROM snapshot WHERE entry = ?", (entry,)).fetchone()
        except sqlite3.Error as error:
            raise refusal(self.path, "Reading", error) from error
        if row is None or not isinstance(row[0], bytes) or held.seal(entry, row[0]) != row[1]:
            raise JournalError(f"{self.path} was damaged while it was open: close the game and recover the save.")
        return held.decode_snapshot(entry, row[0])

    def notes(self, entry: int) -> tuple[Note, ...] | None:
        body = self._derived.get(entry)
        return None if body is None else held.decode_derived(body).notes

    def store(self, applied: Applied) -> None:
        derived = self._new(applied)
        if derived is None:
            return
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._keep(applied, derived)
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            self._take_back()
            raise refusal(self.path, "Writing to", error) from error
        self._remember(applied, derived)

    def made(self, number: int) -> int:
        """When operation `number` was made (0: the save itself), in milliseconds since 1970, UTC."""
        return self._made[number]

    def close(self) -> None:
        """Copy the log into the file and give everything back: at rest a save is one file. Safe to call twice."""
        self._db.close()
        self._lock.release()


def create(path: Path, meta: Meta) -> SqliteJournal:
    """A new save at `path`; its folder is made if need be.

    Raises JournalError when there is one already, it is open elsewhere, or it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refusal(path, "Making the folder of", error) from error
    lock = SaveLock(path)
    try:
        if path.exists():
            raise JournalError(f"There is a save at {path} already. Open it, or take another name.")
        contents = Contents()
        contents.start(meta, time.time_ns() // 1_000_000)
        _put(path, contents)
        return SqliteJournal(path, lock, contents, _connect(path), torn=False)
    except JournalError:
        lock.release()
        raise


def open_journal(path: Path) -> SqliteJournal:
    """The save at `path`, every checksum tried. An older schema is migrated first.

    Raises DamagedJournal when anything in it is damaged (see `recover`), JournalError when it is not there, open
    elsewhere, of a newer program, or cannot be written. The file is unchanged then.
    """
    if not path.is_file():
        raise JournalError(f"There is no save at {path}. List the saves to see what there is.")
    lock = SaveLock(path)
    try:
        contents, tail = examine(path)
        if contents.version < SCHEMA:
            contents = _migrated(path, contents)
            _put(path, contents)
        return SqliteJournal(path, lock, contents, _connect(path), torn=tail == "torn")
    except JournalError:
        lock.release()
        raise


def examine(path: Path) -> tuple[Contents, Tail]:
    """Everything in a whole save, and how its log ended, without changing anything. The caller holds the lock.

    Raises DamagedJournal, or JournalError for a save of a newer program or one that cannot be read.
    """
    logged = has_log(path)
    tail: Tail = "whole"
    try:
        fault = held.header_fault(path)
        db = held.connect_reading(path, at_rest=not logged)
        try:
            db.execute("BEGIN")
            contents = held.read(db)
            if logged and not contents.faults:
                tail = tail_of(path)
        finally:
            db.close()
    except (sqlite3.Error, OSError) as error:
        raise refusal(path, "Reading", error) from error
    if fault:
        contents.faults.append(fault)
    if tail == "damaged":
        contents.faults.append("the end of its log is damaged, and inputs that were stored there cannot be read")
    found = salvage(path) if contents.faults else contents
    if (found if found.meta is not None else contents).version > SCHEMA:
        raise JournalError(
            f"{path} was written by a newer Emberboard (save format {contents.version}; this one reads up to "
            f"{SCHEMA}). Update Emberboard to open it."
        )
    if contents.faults:
        lost = [*found.unread, *(["the inputs in the damaged end of the log"] if tail == "damaged" else [])]
        raise DamagedJournal(
            path,
            contents.faults,
            kept=len(found.operations),
            boundary=found.boundary() if found.meta is not None else 0,
            lost=lost,
            recoverable=found.meta is not None,
        )
    return contents, tail


def _migrated(path: Path, old: Contents) -> Contents:
    plain: Plain = {
        "meta": msgspec.json.decode(old.rows[0].body)["meta"],
        "operations": [msgspec.json.decode(row.body) for row in old.rows[1:]],
    }
    for version in range(old.version, SCHEMA):
        if version not in MIGRATIONS:
            raise JournalError(
                f"{path} has the save format {version}, and this Emberboard has no way from it to {SCHEMA}. "
                "Open it with the version that wrote it."
            )
        plain = MIGRATIONS[version](plain)
    new = Contents()
    new.start(msgspec.convert(plain["meta"], Meta), old.rows[0].made)
    for row, packed in zip(old.rows[1:], plain["operations"]):
        new.add(msgspec.convert(packed, held.Packed), row.made)
    new.derived, new.snapshots = old.derived, old.snapshots
    return new


def _put(path: Path, contents: Contents) -> None:
    try:
        with replacing(path) as draft:
            held.write(draft, contents)
    except (sqlite3.Error, OSError) as error:
        raise refusal(path, "Making", error) from error


def _connect(path: Path) -> sqlite3.Connection:
    try:
        return held.connect(path)
    except sqlite3.Error as error:
        raise refusal(path, "Opening", error) from error
