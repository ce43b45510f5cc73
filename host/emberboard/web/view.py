"""What a page is shown: one picture of the fight for all, and for each page its own seats and its part of the log.

What only one seat may know (a note for that seat) leaves the host for no other page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from emberboard.engine.game import Note
from emberboard.engine.kept import kept_words
from emberboard.engine.question import cell_key
from emberboard.engine.session import Session
from emberboard.games.desk import GameDesk
from emberboard.table.controller import TableController
from emberboard.web.messages import Can, Fight, Log, LogLine, Seat
from emberboard.web.seating import Seating, Visitor


def fight_view(
    session: Session, desk: GameDesk, table: TableController, seating: Seating, here: Iterable[Visitor], save: str
) -> Fight:
    """The fight as everybody may see it. `here` are the pages that are connected, `save` the save's name."""
    told, pending, game = table.view(), session.question, session.game
    present = set(here)
    waiting, holding, passing = session.waiting(), session.holding(), session.passing()
    seats = tuple(
        Seat(
            name=seat,
            taken=(holder := seating.holder(seat)) is not None,
            here=holder in present,
            asked=seat in waiting,
            holding=seat in holding,
            passing=passing.get(seat, ""),
            light=table.seat_lights.get(seat, "off"),
        )
        for seat in game.seats()
    )
    tree = session.journal.tree
    return Fight(
        game=game.name,
        title=desk.title(game),
        save=save,
        scene=table.scene,
        phase=told.phase,
        words=told.words,
        notice=told.notice,
        question=pending,  # type: ignore[arg-type]  # every question is one of the kinds that a page can show
        waiting=waiting,
        numbered=told.numbered,
        echo=told.echo,
        step=told.step,
        task=told.task,
        lights={cell_key(cell): role for cell, role in table.lit.items()},
        dark=told.dark,
        rail=table.rail,
        boards=tuple(desk.boards(game)),
        seats=seats,
        can=Can(
            undo=tree.head != 0,
            redo=tree.head in tree.forward,
            adjust=pending is not None and pending.top,
        ),
        kept=kept_words(session.chance, pending) if pending is not None else "",
        scopes=desk.scopes,
        adjustable=desk.adjustable,
        summary=game.summary(),
    )


def log_for(lines: Sequence[tuple[str, Note]], mine: Sequence[str], sent: list[tuple[str, str]]) -> Log:
    """The log for a page of these seats that has `sent` (names and words of lines); `sent` is brought up to date."""
    seen = [(name, note) for name, note in lines if not note.seat or note.seat in mine]
    keep = 0
    for had, (name, note) in zip(sent, seen):
        if had != (name, note.text):
            break
        keep += 1
    fresh = seen[keep:]
    sent[keep:] = [(name, note.text) for name, note in fresh]
    return Log(keep, tuple(LogLine(name, note) for name, note in fresh))
