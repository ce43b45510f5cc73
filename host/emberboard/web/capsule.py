"""The dispute capsule for a page: this moment, with what the sensors said, and only while nothing in it is hidden."""

from __future__ import annotations

from collections.abc import Collection

from emberboard.engine.errors import Refused
from emberboard.engine.example_file import Sensed
from emberboard.engine.session import Session
from emberboard.play.capsule import write_capsule
from emberboard.web.parlour import Parlour


def capsule_of(parlour: Parlour, mine: Collection[str], *, table: bool) -> tuple[str, str]:
    """The capsule of this moment for a page of the seats `mine`: the file's name, and its text.

    It holds the state and the last inputs whole, so a guest gets it only while nothing in there is hidden from it.
    Raises EmberboardError.
    """
    fight = parlour.playing()
    if not table:
        if not mine:
            raise Refused("Take a seat first: whoever looks on cannot take a capsule away.")
        _nothing_hidden(fight.session, mine)
    trace = [Sensed(at, text) for at, text in parlour.trace]
    text = write_capsule(fight.session, sensor_trace=trace)
    return f"{fight.path.stem}-at-{fight.session.head}.yaml", text


def _nothing_hidden(session: Session, mine: Collection[str]) -> None:
    pending = session.question
    others = {note.seat for note in session.log if note.seat} - set(mine)
    if pending is not None and pending.who.mode == "each":
        others |= set(pending.who.seats) - set(session.waiting()) - set(mine)
    if others:
        raise Refused(f"It would show what only {', '.join(sorted(others))} may know: write it at the table's page.")
