"""The `emberboard` command."""

from __future__ import annotations

import typer

from emberboard.cli.check import check
from emberboard.cli.rules import rules

app = typer.Typer(
    name="emberboard",
    help="A table that runs a tabletop game's whole rulebook.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command()(check)
app.command()(rules)


def main() -> None:
    """Run the command line."""
    app()
