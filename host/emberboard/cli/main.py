"""The `emberboard` command: what can be typed. What it does is imported when it is asked for, so that help is quick."""

from __future__ import annotations

import io
import sys
import traceback
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from emberboard.cli.bag import bag
from emberboard.engine.errors import EmberboardError

app = typer.Typer(
    name="emberboard",
    help="A table that runs a tabletop game's whole rulebook.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
content = typer.Typer(help="Packs of content.", no_args_is_help=True)
app.add_typer(content, name="content")
app.add_typer(bag, name="bag")


class UI(StrEnum):
    """Where a fight is played."""

    browser = "browser"
    terminal = "terminal"


Json = Annotated[bool, typer.Option("--json", help="The result as JSON.")]


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"emberboard {version('emberboard')}")
        raise typer.Exit


@app.callback()
def emberboard(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    """A table that runs a tabletop game's whole rulebook."""


@app.command()
def play(
    scenario: Annotated[str, typer.Option(help="The scenario of a new fight; see `emberboard scenarios`.")] = "",
    players: Annotated[int, typer.Option(min=0, max=5, help="How many players; 0 asks.")] = 0,
    seed: Annotated[int | None, typer.Option(help="Let the program's dice and draws follow from this number.")] = None,
    new: Annotated[bool, typer.Option("--new", help="A new fight without asking; with --autoplay, keep it.")] = False,
    resume: Annotated[str, typer.Option(metavar="SAVE", help="Go on with this save.")] = "",
    autoplay: Annotated[bool, typer.Option("--autoplay", help="Let the fight play itself, in memory.")] = False,
    json: Annotated[bool, typer.Option("--json", help="With --autoplay: what came of it as JSON.")] = False,
    ui: Annotated[UI, typer.Option(help="Where to play: the page in a browser, or this terminal.")] = UI.browser,
    table: Annotated[str, typer.Option(help="The virtual table: a ready one (2x2, 4x3, 6x6) or a file.")] = "2x2",
    real: Annotated[bool, typer.Option("--real", help="The table's file names real hardware: use it.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where the page is served; 0 finds a free one.")] = 0,
    lan: Annotated[bool, typer.Option("--lan", help="Let phones in your network join, with the code shown.")] = False,
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = True,
    theme: Annotated[str, typer.Option(help="Colours of lights and page: standard, dim, high-contrast.")] = "standard",
) -> None:
    """Play in a browser: go on where the group stopped, or set up a new fight. `--ui terminal` plays right here."""
    if json and not autoplay:
        raise typer.BadParameter("--json goes with --autoplay")
    if ui is UI.browser and not autoplay:
        if new or scenario or players or seed is not None:
            raise typer.BadParameter("--new, --scenario, --players and --seed go with --ui terminal or --autoplay")
        from emberboard.cli.play_page import play_page

        raise typer.Exit(
            play_page(table=table, real=real, port=port, lan=lan, open_page=open_page, resume=resume, theme=theme)
        )
    if autoplay:
        from emberboard.cli.autoplay import autoplay as run

        raise typer.Exit(run(scenario=scenario, players=players, seed=seed, new=new, resume=resume, json=json))
    from emberboard.cli.play import play as sit_down

    raise typer.Exit(sit_down(scenario=scenario, players=players, seed=seed, new=new, resume=resume))


@app.command()
def demo(
    seed: Annotated[int, typer.Option(help="Dice and draws follow from this number.")] = 7,
    players: Annotated[int, typer.Option(min=1, max=5, help="How many players.")] = 3,
    table: Annotated[str, typer.Option(help="A ready table (2x2, 4x3, 6x6), or the path of a table's file.")] = "2x2",
    faults: Annotated[bool, typer.Option("--faults", help="Boards lose power, the bus is killed, in play.")] = False,
    learn: Annotated[bool, typer.Option("--learn", help="First learn where the boards lie, by touching them.")] = False,
    json: Json = False,
) -> None:
    """Let a whole fight play itself on virtual boards that run the firmware."""
    from emberboard.cli.demo import demo as run

    raise typer.Exit(run(seed=seed, players=players, table=table, faults=faults, learn=learn, json=json))


TABLE_HELP = "A ready table (2x2, 4x3, 6x6), or the path of a table's file."


@app.command()
def doctor(
    table: Annotated[str, typer.Argument(metavar="TABLE", help=TABLE_HELP)],
    ask: Annotated[bool, typer.Option("--ask", help="Ask too: which colours are seen, is a token read.")] = False,
) -> None:
    """Check ports, boards, readers, keys, rail and power of a table. What is not well is said with its fix."""
    from emberboard.cli.bus_commands import doctor as run

    raise typer.Exit(run(table, ask=ask))


@app.command()
def boards(
    table: Annotated[str, typer.Argument(metavar="TABLE", help=TABLE_HELP)],
    locate: Annotated[str, typer.Option(metavar="BOARD", help="Light the board at a place (B1), or by its uid.")] = "",
    learn: Annotated[bool, typer.Option("--learn", help="Learn where each board lies, by touching lit tiles.")] = False,
    statistics: Annotated[bool, typer.Option("--statistics", help="What each board counted itself, too.")] = False,
    trace: Annotated[bool, typer.Option("--trace", help="The last 100 frames each way, too.")] = False,
) -> None:
    """List the boards of a table that answer, with the counters of their line; find one, or learn their places."""
    from emberboard.cli import bus_commands as run

    if locate:
        raise typer.Exit(run.locate_board(table, locate))
    if learn:
        raise typer.Exit(run.learn_places(table))
    raise typer.Exit(run.boards(table, trace=trace, statistics=statistics))


@app.command()
def scenarios() -> None:
    """List the scenarios that can be played."""
    from emberboard.cli.content_commands import scenarios as run

    raise typer.Exit(run())


@app.command()
def saves(json: Json = False) -> None:
    """List the saves, last played first."""
    from emberboard.cli.saves_commands import saves as run

    raise typer.Exit(run(json=json))


SAVE_HELP = "A save's name, the beginning of it, or its path."


@app.command()
def replay(
    save: Annotated[str, typer.Argument(metavar="SAVE", help=SAVE_HELP)],
    to: Annotated[int | None, typer.Option(help="Only up to this input.")] = None,
) -> None:
    """Play a save's inputs again and print the log with its numbers explained, the last state and its hash."""
    from emberboard.cli.saves_commands import replay as run

    raise typer.Exit(run(save, to=to))


@app.command()
def export(
    save: Annotated[str, typer.Argument(metavar="SAVE", help=SAVE_HELP)],
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="The new file, or its folder; here when left out.")
    ] = None,
) -> None:
    """Write a save, also one that is being played, as one file to keep or to give away."""
    from emberboard.cli.saves_commands import export as run

    raise typer.Exit(run(save, file))


@app.command("import")
def import_(file: Annotated[Path, typer.Argument(metavar="FILE", help="What `emberboard export` wrote.")]) -> None:
    """Take an exported save in. No save is overwritten."""
    from emberboard.cli.saves_commands import import_ as run

    raise typer.Exit(run(file))


@app.command()
def capsule(
    save: Annotated[str, typer.Argument(metavar="SAVE", help=SAVE_HELP)],
    at: Annotated[int | None, typer.Option(help="The moment after this input; now when left out.")] = None,
    back: Annotated[int, typer.Option(min=1, help="How many inputs before it to include, at least.")] = 12,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="The new file; here when left out.")] = None,
) -> None:
    """Write a disputed moment as a worked example: for `emberboard check`, and for a report."""
    from emberboard.cli.saves_commands import capsule as run

    raise typer.Exit(run(save, at=at, back=back, out=out))


@app.command()
def delete(
    save: Annotated[str, typer.Argument(metavar="SAVE", help=SAVE_HELP)],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask again.")] = False,
) -> None:
    """Delete a save, after a second question. It goes to the trash first; from there it is deleted for good."""
    from emberboard.cli.saves_commands import delete as run

    raise typer.Exit(run(save, sure=yes))


@app.command()
def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="YAML files of worked examples.")],
    json: Annotated[bool, typer.Option("--json", help="Results as a JSON list.")] = False,
) -> None:
    """Run worked examples. Exit status 1 when one fails, 2 when a file cannot be read."""
    from emberboard.cli.check import run_check

    raise typer.Exit(run_check(files, json=json))


@app.command()
def rules(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game's name, such as evershade.")],
    json: Annotated[bool, typer.Option("--json", help="A JSON list of objects, one a rule.")] = False,
) -> None:
    """Show each rule of a game and what proves it."""
    from emberboard.cli.rules import show_rules

    raise typer.Exit(show_rules(game, json=json))


@app.command()
def plane(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="YAML file of a scene.")],
    out: Annotated[Path | None, typer.Option(help="Where the drawing goes; beside FILE when left out.")] = None,
) -> None:
    """Draw a scene of the inch plane as SVG. Exit status 2 when the file cannot be used."""
    from emberboard.cli.plane import plane as run

    run(file, out)


@content.command("check")
def content_check(
    pack: Annotated[str, typer.Argument(metavar="PACK", help="A folder, or the name of a pack that is shipped.")],
    game: Annotated[str, typer.Option(help="Whose pack it is.")] = "evershade",
) -> None:
    """Check a pack. A fault is named with file, line and field, and the exit status is 1."""
    from emberboard.cli.content_commands import check_content

    raise typer.Exit(check_content(pack, game))


def main() -> None:
    """Run the command line. Whatever goes wrong is told in a line or two; a traceback goes into a report."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal of another encoding shows a mark instead of a letter that it does not know.
            stream.reconfigure(errors="replace")
    try:
        app()
    except EmberboardError as error:
        typer.echo(str(error), err=True)
        sys.exit(1)
    except Exception as error:  # noqa: BLE001 - the last stop: players get words, those who mend it get the report
        from emberboard.play.reports import write_report

        typer.echo(f"Something broke that should not have: {type(error).__name__}: {error}.", err=True)
        report = "".join(traceback.format_exception(error))
        typer.echo(f"{write_report(report, ' '.join(sys.argv))} What was entered is kept.", err=True)
        sys.exit(1)
