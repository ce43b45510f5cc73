"""Whom an Action card or Item may choose (EV-CARD-10, EV-CARD-11, EV-RANGE)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec

from emberboard.engine.errors import Refused
from emberboard.engine.question import Ask, Choose, Option, Settled
from emberboard.engine.timing import Proc
from emberboard.games.evershade import roster, spaces
from emberboard.games.evershade.content import Targets
from emberboard.games.evershade.reason import Reason, because
from emberboard.games.evershade.wording import range_words

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


def legal(g: Evershade, user: str, targets: Targets) -> list[str]:
    """Figures that a card of `user` may choose (EV-CARD-10); `Knocked Out` means their Effect tokens (EV-KO-04)."""
    source = spaces.cells_of(g, user)
    enemies = roster.enemy_refs(g)
    if targets.kind == "Self":
        return [user]
    if targets.kind == "Knocked Out":
        down = [one for one in roster.characters(g) if one.status == "knocked out" and one.token_at is not None]
        return [
            one.id
            for one in down
            if one.token_at is not None
            and spaces.in_range(spaces.distance(g, source, g.grid.bit(one.token_at)), targets.low, targets.high)
        ]
    if targets.kind in ("CH", "PM"):
        kinds = ("character",) if targets.kind == "CH" else ("character", "companion")
        found = [one.id for one in roster.on_board(g) if one.kind in kinds and (one.id != user or targets.or_self)]
    elif targets.kind == "All":
        found = [one.id for one in roster.on_board(g) if one.id != user] + enemies
    elif targets.kind == "EN":
        found = enemies
    else:
        found = [ref for ref in enemies if roster.enemy_card(g, ref).category == targets.kind]
    found = [ref for ref in found if spaces.in_range(spaces.apart(g, user, ref), targets.low, targets.high)]
    if targets.in_line:
        row = spaces.in_line(g, source, targets.high)
        found = [ref for ref in found if spaces.cells_of(g, ref) & row]
    if targets.not_activated:
        found = [ref for ref in found if roster.is_member(g, ref) and not roster.member(g, ref).acted]
    return found


def covered(g: Evershade, user: str, targets: Targets) -> int:
    """Mask of the spaces in range of a card of `user` (and in line, where it says so): where its targets stand."""
    source = spaces.cells_of(g, user)
    mask = g.grid.within(source, targets.low, targets.high)
    return mask & spaces.in_line(g, source, targets.high) if targets.in_line else mask


KINDS = {
    "CH": "Character",
    "PM": "Party Member",
    "EN": "Enemy",
    "All": "model",
    "Knocked Out": "Knocked Out Character",
}
"""The words for kinds of targets; others are their own."""


def without(g: Evershade, user: str, targets: Targets) -> Reason | None:
    """Why nobody may be chosen; None when somebody may (EV-CARD-11)."""
    if legal(g, user, targets):
        return None
    return because(partial(_nobody, g, user, targets), "EV-CARD-11")


def _nobody(g: Evershade, user: str, targets: Targets) -> str:
    """What rules everybody out, with the nearest one where it is range."""
    kind = KINDS.get(targets.kind, targets.kind)
    where = range_words(targets.low, targets.high)
    plain = msgspec.structs.replace(targets, not_activated=False)
    if targets.not_activated and legal(g, user, plain):
        return f"no legal target: every {kind} in {where} has been Activated"
    if targets.in_line and legal(g, user, msgspec.structs.replace(plain, in_line=False)):
        return f"no legal target: no {kind} in {where} is in line"
    able = legal(g, user, msgspec.structs.replace(plain, in_line=False, low=0, high=None))
    apart = {ref: found for ref in able if (found := spaces.apart(g, user, ref)) is not None}
    words = f"no legal target: no {kind} in {where}"
    if not apart:
        return words
    nearest = min(apart, key=lambda ref: apart[ref])
    return f"{words}; the nearest, {roster.label(g, nearest)}, is at {apart[nearest]}"


def choose(g: Evershade, user: str, source: str, targets: Targets | None) -> Proc[tuple[str, ...]]:
    """The user picks among the allowed, up to the number stated (EV-CARD-11)."""
    if targets is None:
        return ()
    able = legal(g, user, targets)
    if not able:
        raise Refused(f"{source} has no legal target (EV-CARD-11)")
    if targets.count == "all":
        return tuple(able)
    chosen = yield Ask(_which_targets, user, source, msgspec.to_builtins(targets))
    return tuple(chosen)


def _which_targets(g: Evershade, user: str, source: str, plain: dict[str, object]) -> Choose | Settled:
    targets = msgspec.convert(plain, Targets)
    able = legal(g, user, targets)
    most = min(len(able), targets.count if targets.count != "all" else len(able))
    if len(able) == 1:
        return Settled(able)
    name = g.pack.cards[source].name if source in g.pack.cards else source
    return Choose(
        name="targets",
        prompt=f"{roster.label(g, user)}: {name} on whom?",
        who=roster.seat_of(g, user),
        options=tuple(Option(r, roster.label(g, r), spaces.anchor(g, r), r) for r in able),
        least=1,
        most=most,
        many=True,
        rules=("EV-CARD-10", "EV-CARD-11"),
        about=(user, source),
    )
