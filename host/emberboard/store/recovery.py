"""What can be saved of a damaged save: every operation up to the first that is not whole.

All reading is done on a copy. Its first page is replaced by that of a new save, for that page holds only what is the
same in all of them (the header and the schema), and a single bad byte there would hide everything else.
"""

from __future__ import annotations

import itertools
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from emberboard.engine.errors import JournalError
from emberboard.store.contents import TABLES, Contents, describe_unread, lay_out, read, write
from emberboard.store.damage import refusal
from emberboard.store.files import copy_save, replacing, sync
from emberboard.store.lock import SaveLock

_PAGE = 4096
_ROOTS = 1 + len(TABLES)
"""The pages that every save has: the first, and the first of each table. Those that are missing are read as empty."""
_FORMATS_AT, _COUNTER_AT, _SIZE_AT, _VERSION_AT = slice(18, 20), slice(24, 28), slice(28, 32), slice(92, 96)


def salvage(path: Path) -> Contents:
    """The good part of the save at `path`, and in `unread` what lies behind it. Changes nothing.

    Raises JournalError when the file cannot be read at all.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="emberboard-") as place:
            copy = Path(place) / "copy.ember"
            copy_save(path, copy)
            _graft_first_page(copy)
            return _read_copy(copy)
    except (sqlite3.Error, OSError) as error:
        raise refusal(path, "Reading", error) from error


def _graft_first_page(copy: Path) -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as blank:
        blank.execute(f"PRAGMA page_size = {_PAGE}")
        lay_out(blank)
        page = bytearray(blank.serialize()[:_PAGE])
    page[_FORMATS_AT] = b"\x02\x02"  # 2: with a write-ahead log
    with copy.open("r+b") as file:
        pages = max(_ROOTS, -(-file.seek(0, 2) // _PAGE))
        page[_SIZE_AT] = pages.to_bytes(4, "big")
        # SQLite trusts the size only where these two agree.
        page[_VERSION_AT] = page[_COUNTER_AT]
        file.truncate(pages * _PAGE)
        file.seek(0)
        file.write(page)


def _read_copy(copy: Path) -> Contents:
    with closing(sqlite3.connect(copy, isolation_level=None)) as db:
        contents = read(db)
        if contents.meta is not None:
            contents.unread = describe_unread(db, len(contents.operations))
        return contents


def recover(path: Path) -> Path:
    """Replace the damaged save at `path` by one that holds every operation up to the last good one; returns `path`.

    The damaged file is kept beside it as `name.damaged-N.ember`. Take the new one up with `Session.load`. Raises
    JournalError when it is open elsewhere, when not even its setup can be read, or the new one cannot be written.
    """
    if not path.is_file():
        raise JournalError(f"There is no save at {path}. List the saves to see what there is.")
    lock = SaveLock(path)
    try:
        contents = salvage(path)
        if contents.meta is None:
            raise JournalError(
                f"Nothing of {path} can be read, not even which game it is. Keep the file for a report, and begin a "
                "new game."
            )
        try:
            with replacing(path) as draft:
                write(draft, contents)
                for kept in copy_save(path, _kept_name(path)):
                    sync(kept)
        except (sqlite3.Error, OSError) as error:
            raise refusal(path, "Recovering", error) from error
    finally:
        lock.release()
    return path


def _kept_name(path: Path) -> Path:
    names = (path.with_name(f"{path.stem}.damaged-{number}{path.suffix}") for number in itertools.count(1))
    return next(name for name in names if not name.exists())
