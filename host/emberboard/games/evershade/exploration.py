"""Rolls outside Combat: who performs, who is allowed, and each for itself (EV-ROLL-02, 03, 13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from emberboard.engine.errors import Refused
from emberboard.engine.question import Ask, Choose, Json, Option, Settled
from emberboard.engine.timing import Proc
from emberboard.games.evershade import roster
from emberboard.games.evershade.content import AnyEffect, Outcome, RollSpec
from emberboard.games.evershade.keywords import keywords
from emberboard.games.evershade.rolls import Purpose, perform

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


def allowed(g: Evershade, spec: RollSpec, party: str = "") -> list[str]:
    """Characters that may perform the Roll: of the Party that faces it, and with a keyword it asks for (EV-ROLL-03).

    `party` names the space that this Party shares; without it everybody is meant.
    """
    able = []
    for one in roster.characters(g):
        if one.status != "standing" or (party and one.space != party):
            continue
        have = keywords(g, one)
        if not spec.who or any(have.get(word) for word in spec.who):
            able.append(one.id)
    return able


def roll(
    g: Evershade,
    roll: Mapping[str, Json],
    performer: str = "",
    outcomes: Sequence[Json] = (),
    failure: Sequence[Json] | None = None,
    source: str = "",
    support: bool = True,
    party: str = "",
) -> Proc[None]:
    """A Roll of an entry or a Sheet. Without a named performer the Party selects one (EV-ROLL-02)."""
    spec = msgspec.convert(roll, RollSpec)
    able = allowed(g, spec, party)
    if not performer:
        performer = yield Ask(_who_performs, able)
    if performer not in able:
        needed = " or ".join(spec.who) or "a Character of the Party that faces it"
        raise Refused(f"{roster.label(g, performer)} may not perform this Roll: it needs {needed}")
    yield from perform(
        g,
        performer,
        spec,
        *_written(outcomes, failure),
        Purpose(source=source, support=support, kind="combat" if g.state.mode == "combat" else "exploration"),
    )


def _who_performs(g: Evershade, able: list[str]) -> Choose | Settled:
    if not able:
        raise Refused("no Character may perform this Roll")
    if len(able) == 1:
        return Settled(able[0])
    return Choose(
        name="performer",
        prompt="Who performs this Roll?",
        who=g.group(),
        options=tuple(Option(name, roster.label(g, name)) for name in able),
        rules=("EV-ROLL-02", "EV-ROLL-03"),
    )


def each_rolls(
    g: Evershade,
    roll: Mapping[str, Json],
    outcomes: Sequence[Json] = (),
    failure: Sequence[Json] | None = None,
    source: str = "",
) -> Proc[None]:
    """Each Character performs the Roll, separately and without Support (EV-ROLL-13)."""
    for name in [one.id for one in roster.characters(g)]:
        if roster.member(g, name).status != "standing":
            continue  # out, perhaps by what an earlier one's Roll brought
        purpose = Purpose(source=source, support=False)
        yield from perform(g, name, msgspec.convert(roll, RollSpec), *_written(outcomes, failure), purpose)


def _written(outcomes: Sequence[Json], failure: Sequence[Json] | None) -> tuple[list[Outcome], list[AnyEffect] | None]:
    """Success outcomes and the Failure outcome as a text writes them out."""
    failing = None if failure is None else [msgspec.convert(one, AnyEffect) for one in failure]
    return [msgspec.convert(one, Outcome) for one in outcomes], failing
