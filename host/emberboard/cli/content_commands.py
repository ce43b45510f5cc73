"""`emberboard scenarios` and `emberboard content check PACK`."""

from __future__ import annotations

import textwrap

import typer

from emberboard.engine.errors import ContentError
from emberboard.games.desk import DESKS, desk_of


def scenarios() -> int:
    """List the scenarios of all games and packs; the exit status."""
    for game in DESKS:
        for shown in desk_of(game).scenarios():
            typer.echo(f"{shown.id}  {shown.name} ({game}, pack {shown.pack}, 1 to {shown.most} Characters)")
            for line in textwrap.wrap(" ".join(shown.text.split()), 96):
                typer.echo(f"    {line}")
    return 0


def check_content(pack: str, game: str) -> int:
    """Read a pack and say what it holds, or its fault with file, line and field; the exit status."""
    try:
        typer.echo(desk_of(game).check_pack(pack))
    except ContentError as error:
        typer.echo(str(error), err=True)
        return 1
    return 0
