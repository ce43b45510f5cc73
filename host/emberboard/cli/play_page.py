"""`emberboard play` in a browser: the virtual table or a real one, and the page around it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from tempfile import TemporaryFile

import typer

from emberboard.cli.bus_commands import learnt, place_name, registry_file
from emberboard.devices.table_file import TableFile, table_named
from emberboard.devices.tag_file import load_tags
from emberboard.engine.errors import Refused
from emberboard.link.registry import Registry
from emberboard.link.wire import WireError
from emberboard.play.opening import find_save
from emberboard.store.saves import HOME, folder, home
from emberboard.table.roles import load_theme_named
from emberboard.table.works import RealTable, Works
from emberboard.virtual.firmware_process import FirmwareError
from emberboard.virtual.table import VirtualTable, box_tags
from emberboard.web.serve import bind, serve

Tags = Mapping[str, str] | None


def play_page(*, table: str, real: bool, port: int, lan: bool, open_page: bool, resume: str, theme: str) -> int:
    """Serve the page until Ctrl-C; the exit status. Raises EmberboardError when the table cannot be opened."""
    file, looks = table_named(table), load_theme_named(theme)
    _check_folder()
    save = find_save(resume) if resume else None
    with suppress(KeyboardInterrupt), bind(port, lan) as sock:
        works, tags = _real(file, table) if real else _virtual(file)
        serve(works, tags, sock, lan=lan, browser=open_page, say=typer.echo, resume=save, theme=looks)
    typer.echo("Closed. `emberboard play` goes on where you stopped.")
    return 0


def _check_folder() -> None:
    """Better now than when the first fight begins."""
    place = folder()
    try:
        place.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=place):
            pass
    except OSError as error:
        raise Refused(
            f"Saves cannot be kept in {place}: {error.strerror}. Make it writable, or name another place with {HOME}."
        ) from error


def _virtual(file: TableFile) -> tuple[Works, Tags]:
    typer.echo("The table wakes up ...")
    try:
        return VirtualTable(file), box_tags()
    except (FirmwareError, WireError) as error:
        raise Refused(str(error)) from error


# -- a real table -----------------------------------------------------------------------------------------------------


def _real(file: TableFile, table: str) -> tuple[Works, Tags]:
    """The real table, and what is said of it before the page opens. `table` is how the player named its file."""
    known, tags = learnt(), load_tags(home() / "bag.yaml")
    away = _not_learnt(file, known, table)
    typer.echo("The table wakes up ...")
    try:
        works = RealTable(file, known, _keep)
    except WireError as error:
        raise Refused(
            f"{error}. `emberboard doctor {table}` looks at every wire; without --real the table is a virtual one."
        ) from error
    try:
        return works, _told(works, tags, away)
    except BaseException:
        works.close()
        raise


def _told(works: RealTable, tags: dict[str, str], away: str) -> Tags:
    """Say what is missing, `away` first: the tags to play with, or None where draws are keyed in."""
    lost = works.lost()
    for words in filter(None, (away, *lost.values())):
        typer.echo(words)
    if lost:
        typer.echo("Play goes on without; what comes back is used at once.")
    readers = {f"reader {reader.name}" for reader in works.file.readers}
    if not readers:
        typer.echo("The table's file names no reader: draws are keyed in.")
    elif not tags:
        typer.echo(
            "No token's tag is registered: draws are keyed in. `emberboard bag register KIND --table FILE` registers "
            "the tokens of a kind."
        )
    elif "keys" in lost and readers <= lost.keys():
        # Nobody could show the bag's tokens, nor press OK to say that it is right: no draw would ever open.
        typer.echo("With neither reader nor keys, draws are entered on the page until the next start.")
    else:
        return tags
    return None


def _not_learnt(file: TableFile, known: Registry, table: str) -> str:
    """Which places have no known board, in words. Raises Refused when none has: nothing would be lit or felt."""
    places = {place_name(place.row, place.column) for place in known.places.values()}
    away = [place for place in file.places if place not in places]
    if len(away) == len(file.places):
        raise Refused(
            f"No board's place is known yet ({registry_file()}): run `emberboard boards {table} --learn` once, then "
            "play."
        )
    if not away:
        return ""
    one = len(away) == 1
    return (
        f"The board{'' if one else 's'} at {', '.join(away)} {'is' if one else 'are'} not known: the tiles there stay "
        f"dark, and OK says that a figure stands there. `emberboard boards {table} --learn` learns all places."
    )


def _keep(known: Registry) -> None:
    """A bus that was started anew in play can say this as it says what is wrong with its ports."""
    try:
        known.save(registry_file())
    except OSError as error:
        raise WireError(
            f"{registry_file()} cannot be written ({error.strerror}): make it writable, or name a folder with {HOME}"
        ) from error
