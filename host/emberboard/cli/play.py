"""`emberboard play`: go on with the unfinished fight or set up a new one, and sit down to it."""

from __future__ import annotations

import random
from datetime import datetime
from pathlib import Path

import typer
from rich.text import Text

from emberboard.cli.new_fight import ask_for_plan
from emberboard.cli.sitting import Sitting
from emberboard.cli.styles import KEY, NOTICE, QUIET
from emberboard.cli.terminal import Left, Terminal, edit_lines, is_terminal
from emberboard.engine.errors import Diverged, EmberboardError
from emberboard.engine.session import Session
from emberboard.play.new_fight import begin_fight
from emberboard.play.opening import Agree, find_save, open_save
from emberboard.play.preferences import keep_preferences, load_preferences
from emberboard.store.saves import Save, list_saves

NO_TERMINAL = (
    "There is no terminal to type at; `emberboard play --autoplay --seed 7` lets a fight play itself without one."
)
_SHOWN = 8
"""How many lost inputs are listed before a group agrees to lose them."""
_MORE = 8
"""How many saves the opening list shows."""


def play(*, scenario: str = "", players: int = 0, seed: int | None = None, new: bool = False, resume: str = "") -> int:
    """Play at the terminal; the exit status."""
    if not is_terminal():
        typer.echo(NO_TERMINAL, err=True)
        return 2
    edit_lines()
    terminal = Terminal()
    try:
        path = find_save(resume) if resume else None
        if path is None and not new:
            path = _which_save(terminal)
        while True:
            path = _sit_down(terminal, path, scenario, players, seed)
    except (Left, KeyboardInterrupt):
        terminal.lines(["Left. `emberboard play --ui terminal` goes on where you stopped."])
        return 0


def _sit_down(terminal: Terminal, path: Path | None, scenario: str, players: int, seed: int | None) -> Path:
    """Play one save until somebody leaves; returns the save when it is to be opened again."""
    rng = random.Random(seed) if seed is not None else None
    if path is None:
        plan = ask_for_plan(terminal, scenario, players)
        desk, preferences = plan.desk, plan.preferences
        session, path = begin_fight(desk, plan.scenario.id, plan.held, rng)
        keep_preferences(path, preferences)
        message = "The fight begins. h shows all keys."
    else:
        session, desk = open_save(path, agree_at(terminal))
        if rng is not None:
            session.rng = rng
        preferences = load_preferences(path)
        message = "On with the fight, where you stopped."
    if getattr(session.journal, "torn", False):
        message += " The power went while an input was being stored: compare the last lines of the log with the table."
    try:
        Sitting(terminal, session, desk, path, preferences, desk.title(session.game)).run(message)
    except Diverged:
        # The rules changed under older inputs; opening the save anew tells so and offers the last good boundary.
        session.journal.close()
    except (Left, KeyboardInterrupt):
        _close(terminal, session)
        raise
    return path


def _close(terminal: Terminal, session: Session) -> None:
    try:
        session.close()
    except EmberboardError as error:
        session.journal.close()
        terminal.lines([Text(f"!! {error} What was entered before is safe.", NOTICE)])


def _which_save(terminal: Terminal) -> Path | None:
    """Offer the unfinished fight, and others, and a new one; None for a new one. Raises Left."""
    saves = [save for save in list_saves() if not save.finished]
    if not saves:
        return None
    first = next((save for save in saves if not save.damaged), saves[0])
    shown = [first, *(save for save in saves if save is not first)][:_MORE]
    lines = [Text(""), Text("There is an unfinished fight:", "bold")]
    for number, save in enumerate(shown, 1):
        if number == 2:
            lines.append(Text("Others:", "bold"))
        lines += _save_lines(number, save, full=number == 1)
    for key, words in (("n", "a new fight"), ("q", "leave")):
        lines.append(Text.assemble((f"   {key}  ", KEY)).append(words, "bold"))
    terminal.lines(lines)
    while True:
        typed = terminal.ask("Go on with [1]> ").lower()
        if typed in ("q", "quit"):
            raise Left
        if typed in ("n", "new"):
            return None
        if not typed or (typed.isdecimal() and 1 <= int(typed) <= len(shown)):
            return shown[int(typed or 1) - 1].path
        expected = f"a number from 1 to {len(shown)}" if len(shown) > 1 else "1"
        terminal.lines([Text(f"!! {typed!r}? Expected {expected}, n or q.", NOTICE)])


def _save_lines(number: int, save: Save, *, full: bool) -> list[Text]:
    line = Text.assemble((f" {number:>3}  ", KEY))
    line.append(save.path.stem, "bold")
    lines = [line, Text(f"      {who_plays(save)}{save.entries} step(s), last played {when(save.last_played)}")]
    if save.damaged:
        lines.append(Text(f"      damaged: {save.damaged}; choosing it offers to recover it", NOTICE))
    elif full:
        lines += [Text(f"      {said}", QUIET) for said in save.log]
    return lines


def who_plays(save: Save) -> str:
    """The seats of a save, in words."""
    seats = save.setup.get("seats")
    return f"{', '.join(map(str, seats))}; " if isinstance(seats, dict) and seats else ""


def when(moment: datetime) -> str:
    """A moment as the group's clock shows it."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def agree_at(terminal: Terminal) -> Agree:
    """Ask at the terminal, with the list of what would be lost."""

    def agree(words: str, lost: list[str]) -> bool:
        terminal.lines([Text(""), Text(words, NOTICE)])
        if lost:
            terminal.lines([Text("Lost would be:")])
            terminal.lines(f"   {what}" for what in lost[:_SHOWN])
        if len(lost) > _SHOWN:
            terminal.lines([f"   and {len(lost) - _SHOWN} more"])
        while True:
            typed = terminal.ask("yes or no> ").lower()
            if typed in ("y", "yes", "n", "no"):
                return typed.startswith("y")
            terminal.lines([Text("!! Expected yes or no; with no, nothing is changed.", NOTICE)])

    return agree
