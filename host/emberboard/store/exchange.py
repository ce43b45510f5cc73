"""Saves that travel: one file out of a save that may be open, and a file from elsewhere into the folder of saves.

A file from elsewhere may have been made to do harm. It is opened in memory only, its tables must be exactly ours (no
trigger, view or index), and what is kept is what its rows mean, written anew: the file itself never becomes a save.
"""

from __future__ import annotations

import re
import sqlite3
import time
import zlib
from collections.abc import Collection, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from emberboard.engine.errors import JournalError, Refused
from emberboard.engine.journal import ROOT, Entry, Failure, Move, Operation
from emberboard.store import contents as held
from emberboard.store.contents import APPLICATION_ID, SCHEMA, Contents
from emberboard.store.damage import refusal
from emberboard.store.files import replacing, sync
from emberboard.store.lock import SaveLock
from emberboard.store.reading import whole_contents
from emberboard.store.saves import SUFFIX, imported_path

MOST_BYTES = 64 << 20
"""The largest file that is taken in: some hundred times the longest fight."""
_MOST_STATE = 16 << 20
"""The largest stored state that is unpacked; one of a whole fight is a few thousand bytes."""
_MOST_STATES = 256 << 20
"""The most that all stored states of one file may unpack to."""
_LATEST = 4_102_444_800_000
"""The year 2100, in milliseconds: no save was played later."""
_HEADER = b"SQLite format 3\0"
_FORMATS_AT, _MARK_AT = slice(18, 20), slice(68, 72)
# Characters that a terminal would obey instead of showing, as they stand in JSON.
_CONTROL = re.compile(rb"(?<!\\)(?:\\\\)*\\(?:u00[01]|[bfr])|\x7f|\xc2[\x80-\x9f]")


def export_bytes(path: Path) -> bytes:
    """The save at `path`, which may be open, as one file that needs nothing beside it.

    Raises JournalError when it is not there, damaged, of another format, or cannot be read.
    """
    contents = whole_contents(path)
    try:
        return held.serialize(contents)
    except sqlite3.Error as error:
        raise refusal(path, "Exporting", error) from error


def export_name(path: Path) -> str:
    """What the exported file of a save is called."""
    return f"{path.stem}{SUFFIX}"


def export_file(path: Path, to: Path) -> Path:
    """Write the save at `path` to the new file `to`, or into the folder `to`, durably; returns the file.

    Raises JournalError as `export_bytes` does, and when there is such a file already or it cannot be written.
    """
    target = to / export_name(path) if to.is_dir() else to
    data = export_bytes(path)
    try:
        with target.open("xb") as file:
            file.write(data)
        sync(target)
        sync(target.parent)
    except FileExistsError:
        raise JournalError(f"There is a file {target} already. Move it away, or name another file.") from None
    except OSError as error:
        raise refusal(target, "Writing", error) from error
    return target


def import_file(path: Path, games: Collection[str]) -> Path:
    """Take the exported file at `path` into the folder of saves under its name. Raises as `import_bytes` does."""
    try:
        if not path.is_file():
            raise Refused(f"There is no file {path}. Name a file that `emberboard export` wrote.")
        if path.stat().st_size > MOST_BYTES:
            raise Refused(_too_large(path.name))
        data = path.read_bytes()
    except OSError as error:
        raise refusal(path, "Reading", error) from error
    return import_bytes(data, path.name, games)


def import_bytes(data: bytes, name: str, games: Collection[str]) -> Path:
    """Take an exported file, called `name`, into the folder of saves; returns the new save.

    It gets a free name; no save is overwritten. `games` are the games that can be played here. Raises Refused when the
    bytes are no whole save of ours, and JournalError when it cannot be written; nothing was written then.
    """
    contents = _taken(data, Path(name).name or "the file")
    meta = contents.meta
    if meta is None or meta.game not in games:
        named = meta.game if meta is not None else ""
        raise Refused(
            f"{name} is a save of {named!r}, and this Emberboard plays {', '.join(sorted(games))}. Update it."
        )
    return _put(imported_path(Path(name).name), contents)


def _put(path: Path, contents: Contents) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refusal(path, "Making the folder of", error) from error
    lock = SaveLock(path)
    try:
        if path.exists():
            raise JournalError(f"Another save took the name {path.stem} at this moment. Import it again.")
        with replacing(path) as draft:
            held.write(draft, contents)
    except (sqlite3.Error, OSError) as error:
        raise error if isinstance(error, JournalError) else refusal(path, "Importing", error) from error
    finally:
        lock.release()
    return path


# -- what is taken from a file --------------------------------------------------------------------------------------


def _too_large(name: str) -> str:
    return f"{name} is larger than {MOST_BYTES >> 20} MiB, and no save is. Choose a file that Emberboard exported."


def _not_ours(name: str, why: str) -> Refused:
    return Refused(f"{name} is no save of Emberboard: {why}. Choose a file that Emberboard exported.")


def _unsound(name: str, why: str) -> Refused:
    return Refused(f"{name} is damaged, or was changed after its export: {why}. Nothing was taken in. Export it anew.")


def _taken(data: bytes, name: str) -> Contents:
    """What the bytes hold, checked and made anew from its meaning. Raises Refused."""
    if len(data) > MOST_BYTES:
        raise Refused(_too_large(name))
    if not data.startswith(_HEADER) or len(data) < 512:
        raise _not_ours(name, "it is another kind of file")
    if data[_MARK_AT] != APPLICATION_ID.to_bytes(4, "big"):
        raise _not_ours(name, "its header names another program")
    if not set(data[_FORMATS_AT]) <= {1, 2}:
        raise _unsound(name, "its header names an unknown format")
    try:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
            # In memory there is no log beside it; an exported file needs none.
            db.deserialize(data[:18] + b"\x01\x01" + data[20:])
            return _anew(name, _read(db, name))
    except (sqlite3.Error, UnicodeDecodeError):
        raise _unsound(name, "its pages are damaged") from None
    except RecursionError:
        raise _unsound(name, "a row of it is nested beyond all reason") from None


def _read(db: sqlite3.Connection, name: str) -> Contents:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > SCHEMA:
        raise Refused(
            f"{name} was written by a newer Emberboard (save format {version}; this one reads up to {SCHEMA}). "
            "Update Emberboard to import it."
        )
    schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name LIMIT 100"
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as own:
        held.lay_out(own)
        expected = own.execute(schema).fetchall()
    # First of all: only of our own plain tables it is known that reading them runs nothing.
    if db.execute(schema).fetchall() != expected:
        raise _not_ours(name, "it holds other tables than a save does")
    # Before any row is read: pages that are used twice could make a small file endless.
    if db.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
        raise _unsound(name, "its pages are damaged")
    contents = held.read(db)
    if contents.faults:
        raise _unsound(name, "; ".join(contents.faults))
    return contents


def _anew(name: str, read: Contents) -> Contents:
    """The same save made of what its rows mean."""
    if read.meta is None:
        raise _unsound(name, "its setup cannot be read")
    if read.version < SCHEMA:
        raise Refused(
            f"{name} has the older save format {read.version}. Open it once with the Emberboard that it comes from, "
            "in its present version, and export it again."
        )
    wrong = _wrong_order(read.operations)
    if wrong:
        raise _unsound(name, wrong)
    made = [row.made for row in read.rows]
    if not all(0 <= moment <= max(_LATEST, time.time_ns() // 1_000_000) for moment in made):
        raise _unsound(name, "a row of it was made at an impossible time")
    new = Contents()
    new.start(read.meta, made[0])
    for operation, moment in zip(read.operations, made[1:]):
        new.add(held.packed(operation), moment)
    texts = [row.body for row in new.rows]
    unpacked = 0
    try:
        for entry, body in read.derived.items():
            new.derived[entry] = held.encode_derived(held.decode_derived(body))
            texts.append(new.derived[entry])
        for entry, body in read.snapshots.items():
            state = msgspec.json.encode(msgspec.json.decode(_unsqueezed(body)))
            unpacked += len(state)
            if unpacked > _MOST_STATES:
                raise _unsound(name, "its stored states are larger than those of any game")
            new.snapshots[entry] = held.squeeze(state)
            texts.append(state)
    except (msgspec.MsgspecError, zlib.error):
        raise _unsound(name, "a log line or a stored state of it cannot be understood") from None
    if any(_CONTROL.search(text) for text in texts):
        raise _unsound(name, "a text of it holds characters that cannot be shown")
    return new


def _unsqueezed(body: bytes) -> bytes:
    """A stored state, unpacked no further than is sane. Raises zlib.error."""
    unpacking = zlib.decompressobj()
    state = unpacking.decompress(body, _MOST_STATE)
    if not unpacking.eof:
        raise zlib.error("cut off, or larger than the state of any game")
    return state


def _wrong_order(operations: Sequence[Operation]) -> str:
    """What no journal writes: entries that follow none, moves to none; or nothing."""
    entries = 0
    for number, operation in enumerate(operations, 1):
        match operation:
            case Entry():
                entries += 1
                known = range(ROOT, entries)
                sound = operation.id == entries and operation.parent in known and operation.corrects in known
                sound = sound and not operation.failed
            case Move():
                sound = ROOT <= operation.to <= entries
            case Failure():
                sound = ROOT < operation.entry <= entries
        if not sound:
            return f"operation {number} names an entry that is not there"
    return ""
