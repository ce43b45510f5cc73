"""`emberboard bag register | check | count`: the tokens of the bag and the reader that they are shown to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import queue

    from emberboard.devices.events import DeviceEvent

bag = typer.Typer(help="The tokens of the bag: which tag is which kind.", no_args_is_help=True)
TableOption = Annotated[
    str, typer.Option("--table", envvar="EMBERBOARD_TABLE", help="A ready table (2x2, 4x3, 6x6), or a file's path.")
]
TagsOption = Annotated[
    Path | None, typer.Option("--tags", help="The file of tags; bag.yaml beside the saves when left out.")
]
IdleOption = Annotated[float, typer.Option("--idle", min=0.1, help="End after so many seconds without a new token.")]


@bag.command()
def register(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="The kind as the game names it, such as white.")],
    table: TableOption,
    tags: TagsOption = None,
    count: Annotated[int, typer.Option(min=0, help="How many tokens; 0 goes on until nothing new is shown.")] = 0,
    idle: IdleOption = 20,
) -> None:
    """Show tokens of one kind, one after the other: each one's tag is remembered as that kind."""
    from emberboard.devices.tag_file import load_tags, save_tags

    path = _tags_path(tags)
    known = load_tags(path)
    new = 0
    typer.echo(f"Show the {kind} tokens to the reader, one at a time. Ctrl-C ends.")
    with _shown_tags(table, idle) as shown:
        for tag in shown:
            was = known.get(tag)
            if was == kind:
                typer.echo(f"{tag}: {kind} already.")
                continue
            known[tag] = kind
            # Written token by token, so that Ctrl-C or a power cut loses nothing.
            save_tags(path, known)
            new += 1
            typer.echo(f"{tag}: {kind}{f', was {was}' if was else ''}.")
            if count and new >= count:
                break
    typer.echo(f"{new} new, {Counter(known.values())[kind]} {kind} in all, in {path}.")
    if count and new < count:
        typer.echo(f"Only {new} of {count} were shown.", err=True)
        raise typer.Exit(1)


@bag.command()
def check(table: TableOption, tags: TagsOption = None, idle: IdleOption = 20) -> None:
    """Show any tokens: each is named. Exit status 1 when one was unknown."""
    known = _known(tags)
    unknown = 0
    typer.echo("Show tokens to the reader, one at a time. Ctrl-C ends.")
    with _shown_tags(table, idle) as shown:
        for tag in shown:
            typer.echo(f"{tag}: {known.get(tag, 'unknown; `emberboard bag register KIND` makes it known')}.")
            unknown += tag not in known
    raise typer.Exit(1 if unknown else 0)


@bag.command()
def count(table: TableOption, tags: TagsOption = None, idle: IdleOption = 20) -> None:
    """Show every token once: what is missing is named. Exit status 1 when one is missing or unknown."""
    from emberboard.devices.bag import AlreadyIn, Bag, Moved, Phase

    known = _known(tags)
    counted, strange = Bag(known), 0
    typer.echo(f"Show all {len(known)} tokens to the reader, one at a time. Ctrl-C ends.")
    with _shown_tags(table, idle) as shown:
        for tag in shown:
            found = counted.shown(tag, Phase.COUNT)
            if isinstance(found, Moved):
                typer.echo(f"{len(counted.inside)}/{len(known)}: {found.kind}.")
            elif isinstance(found, AlreadyIn):
                typer.echo(f"{tag}: this {found.kind} token was counted already.")
            else:
                strange += 1
                typer.echo(f"{tag}: unknown; `emberboard bag register KIND` makes it known.")
            if len(counted.inside) == len(known):
                break
    held, registered = counted.counted(), Counter(known.values())
    for kind in sorted(registered):
        typer.echo(f"{kind}: {held[kind]} of {registered[kind]}.")
    missing = sorted(set(known) - counted.inside)
    for tag in missing:
        typer.echo(f"Missing: {known[tag]} with tag {tag}.")
    raise typer.Exit(1 if missing or strange else 0)


def _tags_path(tags: Path | None) -> Path:
    from emberboard.store.saves import home

    return tags or home() / "bag.yaml"


def _known(tags: Path | None) -> Mapping[str, str]:
    from emberboard.devices.tag_file import load_tags
    from emberboard.engine.errors import Refused

    path = _tags_path(tags)
    known = load_tags(path)
    if not known:
        raise Refused(f"{path} names no tags yet: begin with `emberboard bag register KIND`.")
    return known


@contextmanager
def _shown_tags(table: str, idle: float) -> Iterator[Iterator[str]]:
    """The tags that are shown to the table's first reader, until none came for `idle` seconds or Ctrl-C."""
    import queue

    from emberboard.devices.table_file import table_named
    from emberboard.devices.thread import DeviceThread
    from emberboard.devices.token_reader import TokenReader
    from emberboard.engine.errors import Refused

    readers = table_named(table).readers
    if not readers:
        raise Refused(f"{table} has no reader: add one under `readers:`.")
    events: queue.SimpleQueue[DeviceEvent] = queue.SimpleQueue()
    thread: DeviceThread[None] = DeviceThread(TokenReader(readers[0]), events)
    try:
        yield _until_idle(events, idle)
    except KeyboardInterrupt:
        typer.echo("")
    finally:
        thread.stop()


def _until_idle(events: queue.SimpleQueue[DeviceEvent], idle: float) -> Iterator[str]:
    import queue

    from emberboard.devices.errors import DeviceError
    from emberboard.devices.events import DeviceBack, DeviceLost, TagShown

    lost = ""
    while True:
        try:
            event = events.get(timeout=idle)
        except queue.Empty:
            if lost:
                raise DeviceError(lost) from None
            return
        if isinstance(event, TagShown):
            yield event.tag
        elif isinstance(event, DeviceLost):
            lost = event.words
            typer.echo("The reader does not answer; trying again ...", err=True)
        elif isinstance(event, DeviceBack):
            lost = ""
            typer.echo(f"Reading: {event.words}.")
