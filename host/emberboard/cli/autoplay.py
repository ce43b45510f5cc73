"""`emberboard play --autoplay`: a fight that plays itself by the game's simple player, from a seed."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import typer

from emberboard.engine.errors import ProcedureError
from emberboard.engine.journal import Journal, MemoryJournal, Meta
from emberboard.engine.session import Session
from emberboard.games import registry
from emberboard.games.desk import GameDesk, find_scenario
from emberboard.play.new_fight import seats_for
from emberboard.play.opening import find_save, open_save
from emberboard.play.reports import write_report
from emberboard.store.saves import new_path
from emberboard.store.sqlite_journal import create

PLAYERS = 3
MOST_INPUTS = 100_000
"""A fight that is not over by then never will be."""


class Outcome(msgspec.Struct):
    """What came of a fight that played itself."""

    scenario: str
    players: int
    seed: int | None
    result: str
    rounds: int
    inputs: int
    rolls: int
    draws: int
    state_hash: str
    save: str = ""


def autoplay(
    *,
    scenario: str = "",
    players: int = 0,
    seed: int | None = None,
    new: bool = False,
    resume: str = "",
    json: bool = False,
) -> int:
    """Play a fight to its end and say what came of it; the exit status.

    It is played in memory; `new` keeps it as a save, `resume` plays a saved one to its end.
    """
    rng = random.Random(seed)
    started = time.perf_counter()
    session, desk, path = _open(scenario, players, new, resume, rng)
    say = _silent if json else typer.echo
    try:
        play_out(session, desk, say)
        outcome = _outcome(session, seed, path)
    finally:
        session.close()
    if json:
        typer.echo(msgspec.json.encode(outcome).decode())
    else:
        _summary(outcome, time.perf_counter() - started)
    return 0


def _silent(words: str) -> None:
    """Says nothing."""


def _open(
    scenario: str, players: int, new: bool, resume: str, rng: random.Random
) -> tuple[Session, GameDesk, Path | None]:
    if resume:
        path = find_save(resume)
        session, desk = open_save(path)
        session.rng = rng
        return session, desk, path
    desk, shown = find_scenario(scenario)
    setup = desk.setup(shown.id, seats_for(desk, shown.id, players or PLAYERS))
    kept = new_path(shown.id) if new else None

    def journal(meta: Meta) -> Journal:
        return MemoryJournal(meta) if kept is None else create(kept, meta)

    return Session.new(registry.game_class(desk.name), setup, journal=journal, rng=rng), desk, kept


def play_out(session: Session, desk: GameDesk, say: Callable[[str], None]) -> None:
    """Let the game's simple player answer until nothing is asked. Raises ProcedureError when it gets nowhere."""
    step = desk.policy()
    rounds = 0
    for _ in range(MOST_INPUTS):
        if session.question is None:
            return
        before = session.head
        step(session)
        if session.trouble is not None:
            where = write_report(session.trouble.report, f"autoplay, entry {session.trouble.entry}")
            raise ProcedureError(f"{session.trouble.words} {where}")
        if session.head == before:
            raise ProcedureError(f"the simple player did nothing at {session.question.prompt!r}")
        now = int(session.game.summary().get("rounds") or 0)
        if now != rounds:
            rounds = now
            say(_progress(session, desk))
    raise ProcedureError(f"the fight was not over after {MOST_INPUTS} inputs")


def _progress(session: Session, desk: GameDesk) -> str:
    scene = session.game.scene(None)
    party = ", ".join(f"{board.name} {board.status or f'{board.hp} HP'}" for board in desk.boards(session.game))
    enemies = sum(figure.side == "enemy" for figure in scene.figures)
    return f"Round {scene.round}: {party}; {enemies} Enemy figure(s)"


def _outcome(session: Session, seed: int | None, path: Path | None) -> Outcome:
    summary: dict[str, Any] = session.game.summary()
    played = [entry for entry in session.journal.tree.path() if not entry.failed]
    return Outcome(
        scenario=str(summary.get("scenario", "")),
        players=len(session.game.seats()),
        seed=seed,
        result=str(summary.get("result") or ""),
        rounds=int(summary.get("rounds") or 0),
        inputs=len(played),
        rolls=sum(bool(entry.dice) for entry in played),
        draws=sum(bool(entry.pile) for entry in played),
        state_hash=session.state_hash(),
        save=path.stem if path is not None else "",
    )


def _summary(outcome: Outcome, seconds: float) -> None:
    typer.echo(f"Result: {outcome.result} after {outcome.rounds} Round(s)")
    typer.echo(f"{outcome.inputs} inputs, {outcome.rolls} rolls, {outcome.draws} draws, in {seconds:.1f} s")
    typer.echo(f"State {outcome.state_hash}")
    if outcome.save:
        typer.echo(f"Kept as {outcome.save}: `emberboard replay {outcome.save}` shows it again.")
