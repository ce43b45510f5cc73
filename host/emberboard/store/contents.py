"""What a save's file holds: the schema, writing it whole, and reading it with every checksum.

A save is one SQLite file. The operations are chained: each row's checksum goes on from the row before, the first
from the meta, so a row that is changed, missing or doubled is found. Pages are checked by SQLite's integrity check,
which finds the losses that leave the chain whole (its end cut off). Schema: `application_id` names the
format, `user_version` its version.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from emberboard.engine.game import Note
from emberboard.engine.journal import Entry, Failure, Meta, Move, Operation, Snapshot, Tree
from emberboard.engine.session import describe
from emberboard.store.damage import is_damage

APPLICATION_ID = 0x454D4252
"""`EMBR`: the mark of a save in the SQLite header."""
SCHEMA = 1
"""The version of the schema that this program writes (`user_version`)."""

# `body` is bytes and never text: a damaged byte must reach the checksum, not a decoder. The queried columns are
# computed from it, so they cannot contradict it and cost nothing when a row is written.
TABLES = (
    "CREATE TABLE meta (number INTEGER PRIMARY KEY, made INTEGER, body BLOB, crc INTEGER)",
    "CREATE TABLE operation (number INTEGER PRIMARY KEY, made INTEGER, body BLOB, crc INTEGER,"
    " entry INTEGER AS (json_extract(CAST(body AS TEXT), '$.entry.id')) VIRTUAL,"
    " kind TEXT AS (json_extract(CAST(body AS TEXT), '$.entry.kind')) VIRTUAL,"
    " question TEXT AS (json_extract(CAST(body AS TEXT), '$.entry.question')) VIRTUAL,"
    " seat TEXT AS (json_extract(CAST(body AS TEXT), '$.entry.seat')) VIRTUAL)",
    "CREATE TABLE note (entry INTEGER PRIMARY KEY, body BLOB, crc INTEGER)",
    "CREATE TABLE snapshot (entry INTEGER PRIMARY KEY, body BLOB, crc INTEGER)",
)
NAMES = {"note": "log", "snapshot": "stored state"}
"""What the tables of derived things are called before players."""


class Packed(msgspec.Struct, omit_defaults=True):
    """The one tagged form of the operations: exactly one of the three is set."""

    entry: Entry | None = None
    move: Move | None = None
    failure: Failure | None = None

    def operation(self) -> Operation | None:
        """The one that is set."""
        return self.entry or self.move or self.failure


class Derived(msgspec.Struct, omit_defaults=True):
    """What is kept of an applied entry besides its snapshot: its log lines, and whether nothing was asked after it."""

    notes: tuple[Note, ...] = ()
    over: bool = False


class Heading(msgspec.Struct):
    """The first row: the schema's version once more, where a checksum covers it, and the meta."""

    schema: int
    meta: Meta


class Row(msgspec.Struct, frozen=True):
    """One numbered row: when it was made (milliseconds since 1970, UTC), its JSON, its chained checksum."""

    number: int
    made: int
    body: bytes
    crc: int


_pack = msgspec.json.Encoder().encode
_unpack = msgspec.json.Decoder(Packed).decode
_read_heading = msgspec.json.Decoder(Heading).decode
_read_derived = msgspec.json.Decoder(Derived).decode


def packed(operation: Operation) -> Packed:
    """The operation in the tagged form."""
    match operation:
        case Entry():
            return Packed(entry=operation)
        case Move():
            return Packed(move=operation)
        case Failure():
            return Packed(failure=operation)


def pack(operation: Operation) -> bytes:
    """The operation as JSON in the tagged form."""
    return _pack(packed(operation))


def chain(number: int, made: int, body: bytes, before: int) -> int:
    """The checksum of a row that follows one with the checksum `before` (0 for the first)."""
    return zlib.crc32(body, zlib.crc32(b"%d %d " % (number, made), before))


def seal(entry: int, body: bytes) -> int:
    """The checksum of a row of `note` or `snapshot`."""
    return zlib.crc32(body, zlib.crc32(b"%d " % entry))


def squeeze(state: bytes) -> bytes:
    """A snapshot's state as it is stored: the fastest compression makes most states one or two pages."""
    return zlib.compress(state, 1)


def encode_derived(derived: Derived) -> bytes:
    """The body of a row of `note`."""
    return _pack(derived)


def decode_derived(body: bytes) -> Derived:
    """A row of `note` whose checksum was right."""
    return _read_derived(body)


def decode_snapshot(entry: int, body: bytes) -> Snapshot:
    """A row of `snapshot` whose checksum was right."""
    return Snapshot(entry, zlib.decompress(body))


class Contents:
    """What could be read of a save: everything up to the first fault. `faults` says in words what was wrong.

    `rows[0]` is the heading, then one row an operation. `unread` describes operations behind the first fault;
    `version` is the schema's.
    """

    def __init__(self) -> None:
        self.meta: Meta | None = None
        self.rows: list[Row] = []
        self.operations: list[Operation] = []
        self.derived: dict[int, bytes] = {}
        self.snapshots: dict[int, bytes] = {}
        self.faults: list[str] = []
        self.unread: list[str] = []
        self.version = 0

    @property
    def crc(self) -> int:
        """The checksum that the next row goes on from."""
        return self.rows[-1].crc if self.rows else 0

    def tree(self) -> Tree:
        """The operations folded, over copies: a failed entry's mark is the tree's, not the row's."""
        tree = Tree()
        for operation in self.operations:
            tree.add(msgspec.structs.replace(operation) if isinstance(operation, Entry) else operation)
        return tree

    def boundary(self) -> int:
        """The last entry on the path to the head whose state is stored (0: the start)."""
        stored = (entry.id for entry in reversed(self.tree().path()) if entry.id in self.snapshots)
        return next(stored, 0)

    def start(self, meta: Meta, made: int) -> None:
        """Make this the contents of a new save."""
        self.meta, self.version = meta, SCHEMA
        body = _pack(Heading(SCHEMA, meta))
        self.rows = [Row(0, made, body, chain(0, made, body, 0))]

    def add(self, packed: Packed, made: int) -> None:
        """Add the next operation of a save that is written anew."""
        number, body = len(self.rows), _pack(packed)
        self.rows.append(Row(number, made, body, chain(number, made, body, self.crc)))
        operation = packed.operation()
        if operation is not None:
            self.operations.append(operation)


def read(db: sqlite3.Connection) -> Contents:
    """Read and check everything. Damage raises nothing, see `faults`; sqlite3.Error when the file cannot be read."""
    db.text_factory = bytes
    contents = Contents()
    faults = contents.faults
    for (said,) in _rows(db, "PRAGMA integrity_check(5)", faults):
        if said != b"ok":
            faults.append("its pages are damaged")
            break
    (mark,) = next(_rows(db, "PRAGMA application_id", faults), (None,))
    (contents.version,) = version = next(_rows(db, "PRAGMA user_version", faults), (0,))
    if mark != APPLICATION_ID:
        faults.append("its header does not name it a save")
    _read_operations(db, contents)
    if contents.meta is not None and version != (contents.version,):
        faults.append("its header and its setup name two versions")
    known = {operation.id for operation in contents.operations if isinstance(operation, Entry)} | {0}
    for table, into in (("note", contents.derived), ("snapshot", contents.snapshots)):
        for entry, body, crc in _rows(db, f"SELECT entry, body, crc FROM {table}", faults):
            if not (isinstance(entry, int) and isinstance(body, bytes) and seal(entry, body) == crc):
                faults.append(f"the {NAMES[table]} of entry {entry} is damaged")
            elif entry in known:
                into[entry] = body
    contents.faults = list(dict.fromkeys(faults))
    return contents


def _read_operations(db: sqlite3.Connection, contents: Contents) -> None:
    metas = list(_rows(db, "SELECT number, made, body, crc FROM meta", contents.faults))
    rows = _rows(db, "SELECT number, made, body, crc FROM operation ORDER BY number", contents.faults)
    first = next(rows, (None,))
    for number, made, body, crc in (row for row in (first, *metas) if len(row) == 4):
        if contents.meta is None and number == 0 and _holds(contents, number, made, body, crc):
            heading = _heading(body)
            if heading is not None:
                contents.meta, contents.version = heading.meta, heading.schema
    if contents.meta is None:
        contents.rows = []
        contents.faults.append("its setup cannot be read")
        return
    if not metas or len(first) < 4 or metas[0] != first:
        contents.faults.append("one of the two copies of its setup is damaged")
    if len(first) == 4 and first[0] != 0:
        rows = iter([first, *rows])
    for number, made, body, crc in rows:
        if not _holds(contents, number, made, body, crc):
            contents.faults.append(f"operation {len(contents.rows)} is damaged or missing")
            break
        operation = _operation(body)
        if operation is None:
            contents.faults.append(f"operation {number} cannot be understood")
            contents.rows.pop()
            break
        contents.operations.append(operation)


def _holds(contents: Contents, number: Any, made: Any, body: Any, crc: Any) -> bool:
    """Take the row in when it continues the chain."""
    if not (isinstance(number, int) and isinstance(made, int) and isinstance(body, bytes)):
        return False
    if number != len(contents.rows) or chain(number, made, body, contents.crc) != crc:
        return False
    contents.rows.append(Row(number, made, body, crc))
    return True


def _heading(body: bytes) -> Heading | None:
    try:
        return _read_heading(body)
    except msgspec.MsgspecError:
        return None


def _operation(body: bytes) -> Operation | None:
    try:
        return _unpack(body).operation()
    except msgspec.MsgspecError:
        return None


def _rows(db: sqlite3.Connection, query: str, faults: list[str]) -> Iterator[tuple[Any, ...]]:
    try:
        yield from db.execute(query)
    except UnicodeDecodeError:
        # The module decodes SQLite's messages, and those may quote a damaged schema.
        faults.append("its pages are damaged")
    except sqlite3.Error as error:
        if not is_damage(error):
            raise
        faults.append("its pages are damaged")


def describe_unread(db: sqlite3.Connection, kept: int) -> list[str]:
    """The operations after number `kept` in words: what each was, as far as it can still be read."""
    legible: dict[int, str] = {}
    for direction in ("ASC", "DESC"):
        query = f"SELECT number, body FROM operation WHERE number > {kept} ORDER BY number {direction}"
        for number, body in _rows(db, query, []):
            operation = _operation(body) if isinstance(body, bytes) else None
            if isinstance(number, int):
                legible[number] = "which cannot be read any more" if operation is None else in_words(operation)
    return [
        f"operation {number} ({legible.get(number, 'which cannot be read any more')})"
        for number in range(kept + 1, max(legible, default=kept) + 1)
        if number - kept <= 1000
    ]


def in_words(operation: Operation) -> str:
    """An operation in a few words."""
    match operation:
        case Entry():
            return describe(operation)
        case Move():
            return f"going to entry {operation.to}" if operation.to else "going back to the start"
        case Failure():
            return f"entry {operation.entry} marked failed"


def lay_out(db: sqlite3.Connection) -> None:
    """Give an empty database the marks and tables of a save."""
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {SCHEMA}")
    for statement in TABLES:
        db.execute(statement)


def write(path: Path, contents: Contents) -> None:
    """Write a whole new save to `path`, durable when this returns. Raises sqlite3.Error."""
    db = connect(path)
    try:
        _fill(db, contents)
    finally:
        db.close()


def serialize(contents: Contents) -> bytes:
    """A whole save as the bytes of its one file. Raises sqlite3.Error."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        _fill(db, contents)
        return db.serialize()


def _fill(db: sqlite3.Connection, contents: Contents) -> None:
    db.execute("BEGIN IMMEDIATE")
    lay_out(db)
    rows = [(row.number, row.made, row.body, row.crc) for row in contents.rows]
    # The meta stands twice: without the setup no operation is worth anything, and a bad page takes only one.
    db.executemany("INSERT INTO meta VALUES (?, ?, ?, ?)", rows[:1])
    db.executemany("INSERT INTO operation VALUES (?, ?, ?, ?)", rows)
    for table, held in (("note", contents.derived), ("snapshot", contents.snapshots)):
        db.executemany(
            f"INSERT INTO {table} VALUES (?, ?, ?)",
            [(entry, body, seal(entry, body)) for entry, body in sorted(held.items())],
        )
    db.execute("COMMIT")


def connect(path: Path) -> sqlite3.Connection:
    """A connection that writes: write-ahead log, a commit on the disk when it returns. Raises sqlite3.Error."""
    # One second is ample for a reader of the list of saves to be done with its look.
    db = sqlite3.connect(path, timeout=1.0, isolation_level=None)
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        # SQLite opens a file that it may not write without a word, and even begins to write; only a change tells.
        db.execute("BEGIN IMMEDIATE")
        db.execute(f"PRAGMA user_version = {SCHEMA}")
        db.execute("ROLLBACK")
    except sqlite3.Error:
        db.close()
        raise
    return db


def header_fault(path: Path) -> str:
    """What is wrong with the header beyond what SQLite says when it reads, or nothing.

    To be called before SQLite opens the file: closing a file gives up the locks that this process has on it.
    """
    with path.open("rb") as file:
        formats = file.read(20)[18:]
    # Of an unknown format SQLite only refuses to write, later, with words about rights.
    return "" if set(formats) <= {1, 2} else "its header names an unknown format"


def connect_reading(path: Path, *, at_rest: bool) -> sqlite3.Connection:
    """A connection that changes nothing. `at_rest`: no log lies beside the file. Raises sqlite3.Error."""
    # An immutable database needs no shared memory beside it, so saves can be read in a read-only folder, and
    # looking at one leaves no files behind.
    mode = "immutable=1" if at_rest else "mode=ro"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, timeout=1.0, isolation_level=None)
