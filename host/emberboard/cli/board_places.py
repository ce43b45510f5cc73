"""Boards and their places by hand: light one to find it, learn where all lie by touching lit tiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from emberboard.cli.board_checks import ANSWER_WITHIN, light, spots
from emberboard.devices.table_file import TableFile
from emberboard.engine.errors import Refused
from emberboard.link import protocol as p
from emberboard.link.bus_events import Answer, BoardBack, BoardFound, BoardLost, TileEvent
from emberboard.link.registry import Place, PlaceLearner, Registry
from emberboard.link.wire import PortDown, Wire, WireEvent
from emberboard.table.board_tiles import palette
from emberboard.table.power_scale import PowerScale
from emberboard.table.roles import load_theme

SHOWN = "put here"
"""The role that a located board shows."""


def found_in(told: Sequence[WireEvent]) -> dict[str, int]:
    """The boards that were found: uid -> segment."""
    return {event.identity.uid: event.segment for event in told if isinstance(event, BoardFound)}


def locate(file: TableFile, wire: Wire, told: Sequence[WireEvent], known: Registry, which: str) -> str:
    """Light the board that `which` means (a place, or the beginning of a uid), put all others out: its uid.

    Raises Refused when no board that answers, or more than one, is meant.
    """
    found = found_in(told)
    spot = spots(file).get(which.upper())
    uid = known.at(spot[1], spot[0]) if spot is not None else None
    if spot is not None and uid is None:
        raise Refused(f"no board is known at {which.upper()}: run `emberboard boards {file.table} --learn` first")
    meant = [one for one in found if (one == uid if uid else one.startswith(which.lower()))]
    if len(meant) != 1:
        there = ", ".join(found) or "none"
        how = "no board that answers is" if not meant else f"{len(meant)} boards are"
        raise Refused(f"{how} meant by {which!r}; a place (A1 to {file.places[-1]}) or a uid is due. Here: {there}")
    theme = load_theme()
    wire.set_scale(PowerScale.of(file, theme).scale({meant[0]: bytes([0x11 * theme.index[SHOWN]]) * p.ROLES_SIZE}))
    wire.set_palette(palette(theme))
    wire.show({one: bytes(p.ROLES_SIZE) for one in found if one != meant[0]})
    light(wire, {meant[0]: found[meant[0]]}, theme.index[SHOWN])
    return meant[0]


def put_out(wire: Wire, told: Sequence[WireEvent]) -> None:
    """Leave all boards dark, also after this program ends."""
    light(wire, found_in(told), 0)


def learn(file: TableFile, wire: Wire, told: Sequence[WireEvent], say: Callable[[str], None]) -> dict[str, Place]:
    """Walk through the places in the order of the chains, light tiles, wait for touches: uid -> Place.

    `say` tells the person what to do. Raises Refused when no board answers or a port goes away.
    """
    boards = found_in(told)
    if not boards:
        raise Refused(f"no board answers: `emberboard doctor {file.table}` tells what to look at")
    chains = [place for segment in file.segments for place in segment.chain]
    order = [(row, column) for column, row in (spots(file)[place] for place in chains)]
    registry = Registry()
    learner = PlaceLearner(registry, list(boards), order)
    try:
        _walk(wire, boards, learner, say)
    finally:
        _put_all_out(wire, boards)
    return registry.places


def _walk(wire: Wire, boards: dict[str, int], learner: PlaceLearner, say: Callable[[str], None]) -> None:
    lit = _relight(wire, boards, learner, {})
    say(learner.asked)
    while not learner.done:
        for event in wire.events(0.1):
            if isinstance(event, TileEvent) and event.press:
                wrong = learner.touch(event.uid, event.tile)
                lit = _relight(wire, boards, learner, lit)
                for words in filter(None, (wrong, learner.asked)):
                    say(words)
            elif isinstance(event, BoardBack) and event.restarted:
                lit = _relight(wire, boards, learner, {**lit, event.uid: 0})
            elif isinstance(event, BoardLost):
                say(f"Board {event.uid} does not answer any more: look at its plugs; it goes on when it is back.")
            elif isinstance(event, PortDown):
                raise Refused(f"{event.what}. Nothing was kept; learn the places again.")


def _relight(wire: Wire, boards: dict[str, int], learner: PlaceLearner, before: dict[str, int]) -> dict[str, int]:
    """Light what is to be touched now, telling only boards that change: what is lit."""
    lit = {uid: learner.lit.get(uid, 0) for uid in boards}
    for uid, mask in lit.items():
        if before.get(uid, 0) != mask:
            wire.ask(uid, p.LOCATE, p.locate_payload(p.LOCATE_PLACE if mask else p.LOCATE_OFF, mask))
    return lit


def _put_all_out(wire: Wire, boards: dict[str, int]) -> None:
    """Lit tiles stay lit when a program ends: wait until each board has heard that they are to go out."""
    asked = {wire.ask(uid, p.LOCATE, p.locate_payload(p.LOCATE_OFF, 0)) for uid in boards}
    end = monotonic() + ANSWER_WITHIN
    while asked and monotonic() < end:
        asked -= {event.ticket for event in wire.events(0.1) if isinstance(event, Answer)}
