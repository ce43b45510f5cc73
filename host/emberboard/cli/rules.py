"""`emberboard rules GAME`: every rule of a game's catalogue, and what proves it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from emberboard.engine.catalogue import Status, load_catalogue, read_evidence, statuses
from emberboard.engine.errors import ContentError, Refused
from emberboard.games import registry

NO_EVIDENCE = "No evidence has been written yet, so every rule shows as unproven: run `make test` in the checkout."


def show_rules(game: str, *, json: bool = False, evidence: Path | None = None) -> int:
    """Print the rules of `game` with their proofs and return the exit status.

    `evidence` is the file to look in; by default `build/evidence/` of the checkout, or else the copy in the package.
    """
    try:
        folder = registry.folder(game)
        found = evidence if evidence is not None else _evidence_of(game, folder)
        catalogue = load_catalogue(folder)
        rows = statuses(catalogue, read_evidence(found) if found is not None and found.exists() else {})
    except (Refused, ContentError) as error:
        typer.echo(str(error), err=True)
        return 2
    missing = found is None or not found.exists()
    if json:
        if missing:
            typer.echo(NO_EVIDENCE, err=True)
        typer.echo(msgspec.json.format(msgspec.json.encode(rows), indent=2).decode())
    else:
        _print(rows)
        if missing:
            typer.echo(NO_EVIDENCE)
    return 0


def _evidence_of(game: str, folder: Path) -> Path | None:
    """The evidence of the checkout that this package lies in, or the copy shipped beside the game's rules."""
    checkout = Path(__file__).resolve().parents[3] / "build" / "evidence" / f"{game}.json"
    shipped = folder / "evidence.json"
    return next((path for path in (checkout, shipped) if path.exists()), None)


def _print(rows: list[Status]) -> None:
    out = Console()
    table = Table("rule", "section", "what it says", "proven by", show_lines=False)
    for row in rows:
        by = ", ".join(row.by) if row.proven else (f"open: {row.open}" if row.open is not None else "UNPROVEN")
        table.add_row(row.id, row.section, row.rule.strip(), by)
    out.print(table)
    required = [row for row in rows if row.open is None]
    proven, waiting = sum(row.proven for row in required), len(rows) - len(required)
    early = sum(row.proven for row in rows) - proven
    counts = f"{len(rows)} rules: {len(required)} in scope, {proven} of them proven, {len(required) - proven} not"
    typer.echo(f"{counts}; {waiting} open until later, {early} of them proven already")
