"""Victory and Defeat, looked for after every elementary change (EV-COMBAT-04, 05, 07)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from emberboard.engine.question import Ask, Choose, Option, Settled
from emberboard.engine.timing import Ended, Proc, end
from emberboard.games.evershade import roster

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


def defeated(g: Evershade) -> bool:
    """No Character is left standing (EV-COMBAT-05)."""
    return bool(roster.characters(g)) and not any(one.status == "standing" for one in roster.characters(g))


def achieved(g: Evershade) -> bool:
    """The Objective holds: every Enemy that can be defeated is (EV-COMBAT-07), or the Rounds are survived."""
    if g.sheet.objective == "survive":
        return 0 < g.sheet.rounds <= g.state.combat.survived
    able = [one for one in g.state.enemies.values() if g.pack.enemies[one.card].hp is not None]
    return bool(able) and not any(one.models for one in able)


def lost(g: Evershade) -> bool:
    """Every Character is dead: nobody is left to be Defeated, the Adventure itself is lost (EV-DEATH-11)."""
    return any(one.kind == "character" for one in g.state.members.values()) and not roster.characters(g)


def results(g: Evershade) -> list[str]:
    """What the Combat has come to by now: nothing, as a rule."""
    holds = {"victory": achieved(g), "defeat": defeated(g), "lost": lost(g)}
    return [result for result, so in holds.items() if so]


def check(g: Evershade) -> None:
    """End the Combat at once, from wherever we are, when the Objective is reached or everybody is out."""
    if g.state.mode != "combat" or g.state.combat.result:
        return
    for result in results(g):
        end(g, "combat", reason=result)


def each_struck(g: Evershade, names: Sequence[str], strike: Callable[[str], Proc[object]]) -> Proc[None]:
    """One effect on several figures: all of them are struck before an Activation or the Combat ends by it."""
    ends: list[Ended] = []
    for name in names:
        try:
            yield from strike(name)
        except Ended as ended:
            ends.append(ended)
    yield from settle(g, ends)


def settle(g: Evershade, ends: Sequence[Ended]) -> Proc[None]:
    """Let the ends that one effect brought come now; Victory and Defeat at once: the players choose (EV-COMBAT-05)."""
    if any(ended.scope == "combat" for ended in ends):
        end(g, "combat", reason=(yield Ask(_which_result)))
    if ends:
        first, *first.behind = ends
        raise first


def _which_result(g: Evershade) -> Choose | Settled:
    reached = results(g)
    if len(reached) == 1:
        return Settled(reached[0])
    return Choose(
        name="result",
        prompt="The Objective is reached and no Character is left standing, at the same moment: which comes first?",
        who=g.group(),
        options=tuple(Option(result, result.capitalize()) for result in reached),
        rules=("EV-COMBAT-05", "EV-GEN-04"),
    )
