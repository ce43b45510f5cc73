"""`emberboard play` in a browser: the virtual table or a real one, and the page around it."""

from __future__ import annotations

from contextlib import suppress
from tempfile import TemporaryFile

import typer

from emberboard.devices.table_file import TableFile, table_named
from emberboard.devices.tag_file import load_tags
from emberboard.engine.errors import Refused
from emberboard.link.registry import Registry, RegistryError
from emberboard.link.wire import WireError
from emberboard.play.opening import find_save
from emberboard.store.saves import HOME, folder, home
from emberboard.table.roles import load_theme_named
from emberboard.table.works import RealTable, Works
from emberboard.virtual.firmware_process import FirmwareError
from emberboard.virtual.table import VirtualTable
from emberboard.web.parlour import virtual_tags
from emberboard.web.serve import bind, serve


def play_page(*, table: str, real: bool, port: int, lan: bool, open_page: bool, resume: str, theme: str) -> int:
    """Serve the page until Ctrl-C; the exit status. Raises EmberboardError when the table cannot be opened."""
    file, looks = table_named(table), load_theme_named(theme)
    _check_folder()
    save = find_save(resume) if resume else None
    tags = (load_tags(home() / "bag.yaml") or None) if real else virtual_tags()
    with suppress(KeyboardInterrupt), bind(port, lan) as sock:
        typer.echo("The table wakes up ...")
        try:
            works: Works = _real(file) if real else VirtualTable(file)
        except (FirmwareError, WireError, RegistryError) as error:
            raise Refused(str(error)) from error
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


def _real(file: TableFile) -> RealTable:
    path = home() / "boards.json"
    registry = Registry.load(path)
    return RealTable(file, registry, lambda one: one.save(path))
