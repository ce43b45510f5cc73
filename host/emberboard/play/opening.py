"""Opening what was saved: finding it, taking it up, and what to do when it is damaged or no longer fits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from emberboard.engine.errors import Diverged, EmberboardError, Refused
from emberboard.engine.session import Session
from emberboard.games import registry
from emberboard.games.desk import GameDesk, desk_of
from emberboard.store.damage import DamagedJournal
from emberboard.store.recovery import recover
from emberboard.store.saves import SUFFIX, folder
from emberboard.store.sqlite_journal import SqliteJournal, open_journal

Agree = Callable[[str, list[str]], bool]
"""Asks the group whether to go on although something would be lost: words, and the list."""


def find_save(named: str) -> Path:
    """The save of that path or name, or of the only name that begins so. Raises Refused."""
    for path in (Path(named), folder() / named, folder() / f"{named}{SUFFIX}"):
        if path.is_file():
            return path
    found = sorted(folder().glob(f"{_plain(named)}*{SUFFIX}")) if folder().is_dir() else []
    if len(found) == 1:
        return found[0]
    if found:
        raise Refused(f"{named!r} may mean {', '.join(path.stem for path in found[:5])}. Say more of the name.")
    raise Refused(f"there is no save {named!r}. `emberboard saves` lists what there is.")


def _plain(named: str) -> str:
    return "".join(char for char in named if char.isalnum() or char in "-_. ")


def refuse_losses(words: str, lost: list[str]) -> bool:
    """Where nobody can be asked, nothing is given up."""
    return False


def open_save(path: Path, agree: Agree = refuse_losses) -> tuple[Session, GameDesk]:
    """Take up a save where the group left it.

    `agree` is asked before a damaged save is recovered, and before inputs that no longer fit are given up. Raises
    the error itself when the group does not agree or nothing can be done.
    """
    journal = _journal(path, agree)
    try:
        desk = desk_of(journal.meta.game)
        return _load(journal, agree), desk
    except EmberboardError:
        journal.close()
        raise


def _journal(path: Path, agree: Agree) -> SqliteJournal:
    try:
        return open_journal(path)
    except DamagedJournal as damage:
        if not damage.recoverable:
            raise
        words = f"The save {path.stem} is damaged: {'; '.join(damage.why)}. {damage.kept} step(s) of it are good."
        if not agree(f"{words} Recover it? The damaged file is kept beside it.", list(damage.lost)):
            raise
    return open_journal(recover(path))


def _load(journal: SqliteJournal, agree: Agree) -> Session:
    game = registry.game_class(journal.meta.game)
    try:
        return Session.load(game, journal)
    except Diverged as diverged:
        words = f"{diverged} Go on from there?"
        if not agree(words, diverged.lost):
            raise
        return Session.load_at(game, journal, diverged.boundary)
