"""`emberboard saves` and `emberboard replay SAVE`."""

from __future__ import annotations

import textwrap
from typing import Any

import msgspec
import typer
from rich.text import Text

from emberboard.cli.log_view import note_lines
from emberboard.cli.play import when, who_plays
from emberboard.cli.screen import Picture, screen_lines
from emberboard.cli.terminal import Terminal
from emberboard.engine.errors import Refused
from emberboard.engine.journal import Entry, Journal, MemoryJournal, Move
from emberboard.engine.session import Session, describe
from emberboard.games import registry
from emberboard.games.desk import GameDesk, desk_of
from emberboard.play.opening import find_save
from emberboard.store.saves import Save, folder, list_saves
from emberboard.store.sqlite_journal import open_journal


def saves(*, json: bool = False) -> int:
    """List all saves, last played first; the exit status."""
    found = list_saves()
    if json:
        typer.echo(msgspec.json.format(msgspec.json.encode([_plain(save) for save in found]), indent=2).decode())
        return 0
    if not found:
        typer.echo(f"There are no saves in {folder()} yet.")
    for save in found:
        state = "damaged" if save.damaged else "finished" if save.finished else "unfinished"
        typer.echo(
            f"{save.path.stem}  {state}, {save.entries} step(s), {who_plays(save)}last played {when(save.last_played)}"
        )
        typer.echo(f"    {save.damaged or (save.log[-1] if save.log else '')}")
    return 0


def _plain(save: Save) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(save, enc_hook=str)
    plain["name"] = save.path.stem
    return plain


def replay(named: str, *, to: int | None = None) -> int:
    """Play a save's inputs again from the start, print the log, the last state and its hash; the exit status."""
    path = find_save(named)
    stored = open_journal(path)
    try:
        copy = copied(stored, to)
    finally:
        stored.close()
    desk = desk_of(copy.meta.game)
    terminal = Terminal()
    session = print_replay(terminal, copy)
    _print_state(terminal, session, desk, path.stem)
    return 0


def copied(journal: Journal, to: int | None = None) -> MemoryJournal:
    """The same operations in memory and nothing derived, standing after the `to`-th input. Raises Refused."""
    copy = MemoryJournal(journal.meta)
    for operation in journal.operations():
        copy.append(msgspec.structs.replace(operation) if isinstance(operation, Entry) else operation)
    if to is not None:
        path = [entry for entry in copy.tree.path() if not entry.failed]
        if not 0 <= to <= len(path):
            raise Refused(f"this save has {len(path)} inputs, so --to is 0 to {len(path)}")
        copy.append(Move(path[to - 1].id if to else 0))
    return copy


def print_replay(terminal: Terminal, journal: MemoryJournal) -> Session:
    """Take one input after the other up to the journal's head and print each with what came of it."""
    width, _ = terminal.size()
    path = [entry for entry in journal.tree.path() if not entry.failed]
    journal.append(Move(0))
    session = Session.load(registry.game_class(journal.meta.game), journal)
    terminal.lines(line for note in session.news() for line in note_lines(note, width, terminal.signs))
    for number, entry in enumerate(path, 1):
        session.redo()
        terminal.lines(
            [
                *(Text(line, "bold") for line in textwrap.wrap(f"{number}: {describe(entry)}", width)),
                *(line for note in session.news() for line in note_lines(note, width, terminal.signs)),
            ]
        )
    return session


def _print_state(terminal: Terminal, session: Session, desk: GameDesk, name: str) -> None:
    width, _ = terminal.size()
    question = session.question
    asked = [Text(f"Asked now: {question.prompt}" if question is not None else "The fight is over.", "bold")]
    picture = Picture(
        scene=session.game.scene(question),
        boards=desk.boards(session.game),
        question=question,
        question_lines=asked,
        title=name,
        signs=terminal.signs,
    )
    terminal.lines(screen_lines(picture, width, 1_000))
    terminal.lines([f"state {session.state_hash()}"])
