"""Where saves live, what they are called, and the list of them."""

from __future__ import annotations

import itertools
import os
import re
import sqlite3
import unicodedata
from datetime import UTC, date, datetime
from pathlib import Path

import msgspec
import platformdirs

from emberboard.engine.errors import JournalError
from emberboard.engine.question import Json
from emberboard.store.contents import Contents, decode_derived
from emberboard.store.damage import refusal
from emberboard.store.files import move_save, remove_companions
from emberboard.store.lock import SaveLock
from emberboard.store.reading import contents_of

SUFFIX = ".ember"
HOME = "EMBERBOARD_HOME"
"""The environment variable that says where Emberboard keeps its files, instead of the user's data folder."""


class Save(msgspec.Struct, frozen=True):
    """One save as the list shows it.

    `entries` counts the inputs that led to the head; `last_played` is when the last operation was made (UTC);
    `log` holds the last log lines, oldest first; `finished` is whether nothing is asked any more; `damaged` is empty,
    or says what is wrong with the file, and then the rest is what can still be read.
    """

    path: Path
    game: str
    scenario: str
    setup: dict[str, Json]
    entries: int
    head: int
    last_played: datetime
    log: tuple[str, ...]
    finished: bool
    damaged: str = ""


def home() -> Path:
    """Emberboard's folder: `EMBERBOARD_HOME`, or else the user's data folder."""
    named = os.environ.get(HOME)
    return Path(named).expanduser() if named else platformdirs.user_data_path("emberboard")


def folder() -> Path:
    """The folder of saves. It need not be there yet."""
    return home() / "saves"


def trash() -> Path:
    """Where deleted saves go first. It need not be there yet."""
    return folder() / "trash"


def new_path(scenario: str, day: date | None = None) -> Path:
    """A free name for a new save: day (default: today), scenario, number. Names sort by day."""
    day = day or datetime.now().astimezone().date()
    stem = f"{day.isoformat()}-{_slug(scenario)}"
    return _free(folder(), stem)


def imported_path(name: str) -> Path:
    """A free name for a save that comes from elsewhere under `name`: the same where that is free, else numbered."""
    stem = _slug(name.removesuffix(SUFFIX), most=100)
    same = folder() / f"{stem}{SUFFIX}"
    return _free(folder(), stem) if same.exists() else same


def save_named(name: str) -> Path:
    """The save of the folder that is called exactly so, without its ending; for names that come from outside.

    Raises JournalError when there is none.
    """
    found = next((path for path in _paths() if path.stem == name), None)
    if found is None:
        raise JournalError(f"There is no save {name!r}. List the saves to see what there is.")
    return found


def _free(place: Path, stem: str) -> Path:
    paths = (place / f"{stem}-{number}{SUFFIX}" for number in itertools.count(1))
    return next(path for path in paths if not path.exists())


def _slug(words: str, most: int = 60) -> str:
    plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:most] or "game"


def _paths() -> list[Path]:
    """The files of the list: not those that a recovery kept."""
    return [path for path in folder().glob(f"*{SUFFIX}") if not re.search(r"\.damaged-\d+$", path.stem)]


def list_saves(lines: int = 3) -> list[Save]:
    """All saves, last played first, with up to `lines` log lines each. Never raises for a bad file: see `damaged`."""
    if not folder().is_dir():
        return []
    return sorted(
        (look(path, lines) for path in _paths()), key=lambda save: (save.last_played, save.path), reverse=True
    )


def latest_open() -> Save | None:
    """The save to go on with: the last played one that is neither finished nor damaged, or None."""
    return next((save for save in list_saves() if not save.finished and not save.damaged), None)


def look(path: Path, lines: int = 3) -> Save:
    """What the list shows of the save at `path`; it may be open elsewhere. Never raises for a bad file."""
    try:
        contents = contents_of(path)
    except sqlite3.Error as error:
        contents = Contents()
        contents.faults = [str(refusal(path, "Reading", error))]
    return _seen(path, contents, lines)


def _seen(path: Path, contents: Contents, lines: int) -> Save:
    tree = contents.tree()
    walked = [entry.id for entry in tree.path()]
    log: list[str] = []
    finished = False
    for entry in reversed([0, *walked]):
        derived = decode_derived(contents.derived[entry]) if entry in contents.derived else None
        if derived is not None:
            finished = finished or (entry == tree.head and derived.over)
            log[:0] = [note.text for note in derived.notes]
        if len(log) >= lines:
            break
    setup = contents.meta.setup if contents.meta is not None else {}
    made = contents.rows[-1].made / 1000 if contents.rows else path.stat().st_mtime
    return Save(
        path,
        contents.meta.game if contents.meta is not None else "",
        str(setup.get("scenario", "")),
        setup,
        len(walked),
        tree.head,
        datetime.fromtimestamp(made, UTC),
        tuple(log[len(log) - lines :] if len(log) > lines else log),
        finished,
        "; ".join(contents.faults),
    )


def delete(path: Path) -> Path | None:
    """Move a save to the trash and return its place there; one that is in the trash already is removed for good.

    Raises JournalError when it is not there, is open elsewhere, or cannot be moved.
    """
    if not path.is_file():
        raise JournalError(f"There is no save at {path}. List the saves to see what there is.")
    lock = SaveLock(path)
    try:
        if path.parent == trash():
            path.unlink()
            remove_companions(path)
            return None
        trash().mkdir(parents=True, exist_ok=True)
        to = trash() / path.name
        if to.exists():
            to = _free(trash(), path.stem)
        move_save(path, to)
        return to
    except OSError as error:
        raise refusal(path, "Deleting", error) from error
    finally:
        lock.release()
