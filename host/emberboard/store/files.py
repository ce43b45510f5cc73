"""Moving whole saves about so that no crash leaves half of one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from emberboard.store.wal import companion


def draft_of(path: Path) -> Path:
    """Where a save is written before it is put in place; hidden from the list."""
    return path.with_name(f".{path.name}.draft")


def remove_companions(path: Path) -> None:
    """Remove SQLite's files beside a database that is not there any more: a log left there would be played into the
    next database of that name."""
    for kind in ("wal", "shm", "journal"):
        companion(path, kind).unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Make a file, or a folder's list of names, durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def put_in_place(draft: Path, path: Path) -> None:
    """Give a finished draft its name, in the place of what was there."""
    remove_companions(path)
    draft.replace(path)
    sync(path.parent)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A draft to write a whole save into: put in the place of `path` when all went well, and gone otherwise."""
    draft = draft_of(path)
    remove_companions(draft)
    draft.unlink(missing_ok=True)
    try:
        yield draft
        put_in_place(draft, path)
    finally:
        remove_companions(draft)
        draft.unlink(missing_ok=True)


def copy_save(path: Path, to: Path) -> list[Path]:
    """Copy a save's file and its log as they are; returns the copies."""
    pairs = ((path, to), (companion(path, "wal"), companion(to, "wal")))
    return [Path(shutil.copy2(source, target)) for source, target in pairs if source.exists()]


def move_save(path: Path, to: Path) -> None:
    """Move a save's file and its log within one file system."""
    path.replace(to)
    if companion(path, "wal").exists():
        companion(path, "wal").replace(companion(to, "wal"))
    remove_companions(path)
    sync(to.parent)
    sync(path.parent)
