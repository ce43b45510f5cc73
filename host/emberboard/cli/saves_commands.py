"""`emberboard saves`, `replay`, `export`, `import`, `delete`, `capsule`: what is done with whole saves."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import msgspec
import typer
from rich.text import Text

from emberboard.cli.log_view import note_lines
from emberboard.cli.play import when, who_plays
from emberboard.cli.screen import Picture, screen_lines
from emberboard.cli.terminal import Terminal
from emberboard.engine.errors import JournalError, Refused
from emberboard.engine.journal import Entry, Journal, MemoryJournal, Move
from emberboard.engine.session import Session, describe
from emberboard.games import registry
from emberboard.games.desk import DESKS, GameDesk, desk_of
from emberboard.play.capsule import write_capsule
from emberboard.play.opening import find_save
from emberboard.store.exchange import export_file, import_file
from emberboard.store.reading import copy_of
from emberboard.store.saves import Save, folder, list_saves, look, trash
from emberboard.store.saves import delete as delete_save
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


def export(named: str, file: Path | None) -> int:
    """Write a save as one file, by default here and under its own name; the exit status."""
    written = export_file(find_save(named), file or Path.cwd())
    typer.echo(f"Written to {written}. `emberboard import {written.name}` takes it in elsewhere.")
    return 0


def import_(file: Path) -> int:
    """Take an exported file into the folder of saves; the exit status."""
    path = import_file(file, DESKS)
    save = look(path)
    typer.echo(
        f"Taken in as {path.stem}: {who_plays(save)}{save.entries} step(s), last played {when(save.last_played)}."
    )
    typer.echo(f"`emberboard play --resume {path.stem}` goes on with it.")
    return 0


def delete(named: str, *, sure: bool) -> int:
    """Delete a save when the answer to a second question is yes (or `sure` says so); the exit status."""
    path = find_save(named)
    save, for_good = look(path), path.parent == trash()
    typer.echo(f"{path.stem}: {who_plays(save)}{save.entries} step(s), last played {when(save.last_played)}")
    typer.echo(f"    {save.damaged or (save.log[-1] if save.log else '')}")
    question = "Delete it for good? It cannot be had back" if for_good else "Delete it?"
    if not (sure or typer.confirm(question)):
        typer.echo("Kept.")
        return 1
    kept = delete_save(path)
    typer.echo("Deleted for good." if kept is None else f"Deleted. `emberboard import {kept}` has it back.")
    return 0


def capsule(named: str, *, at: int | None, back: int, out: Path | None) -> int:
    """Write the dispute capsule of a save, also of one that is being played; the exit status."""
    path = find_save(named)
    journal = copy_of(path)
    session = Session.load(registry.game_class(journal.meta.game), journal)
    walked = [entry for entry in journal.tree.path() if not entry.failed]
    if at is not None and not 0 <= at <= len(walked):
        raise Refused(f"this save has {len(walked)} inputs, so --at is 0 to {len(walked)}")
    entry = None if at is None else walked[at - 1].id if at else 0
    text = write_capsule(session, at=entry, back=back)
    file = out or Path(f"{path.stem}-at-{len(walked) if at is None else at}.yaml")
    try:
        with file.open("x", encoding="utf-8") as written:
            written.write(text)
    except FileExistsError:
        raise Refused(f"There is a file {file} already. Move it away, or name another with --out.") from None
    except OSError as error:
        raise JournalError(f"{file} could not be written: {error}. Name another place with --out.") from error
    typer.echo(f"Written to {file}. `emberboard check {file}` runs it; it can go into a report as it is.")
    return 0


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
