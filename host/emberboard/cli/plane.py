"""`emberboard plane FILE`: draw a scene of the inch plane as SVG, with reach, ranges, sight and ways, and say why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from emberboard.engine.errors import ContentError
from emberboard.engine.plane.draw import svg
from emberboard.engine.plane.scenefile import load
from emberboard.engine.plane.units import PlaneError

UNREADABLE = 2


def plane(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="YAML file of a scene.")],
    out: Annotated[Path | None, typer.Option(help="Where the drawing goes; beside FILE when left out.")] = None,
) -> None:
    """Draw a scene of the inch plane as SVG. Exit status 2 when the file cannot be used."""
    try:
        scene = load(file)
        drawing = svg(scene.plane, scene.pictures, scene.title)
    except (ContentError, PlaneError) as error:
        place = "" if isinstance(error, ContentError) else f"{file}: "
        typer.echo(f"{place}{error}", err=True)
        raise typer.Exit(UNREADABLE) from error
    target = out or file.with_suffix(".svg")
    target.write_text(drawing, encoding="utf-8")
    typer.echo(f"{target}: {len(scene.plane.models)} models, {len(scene.plane.pieces)} pieces")
