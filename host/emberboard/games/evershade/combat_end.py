"""Victory and Defeat, looked for after every elementary change (EV-COMBAT-04, 05, 07)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emberboard.engine.timing import end
from emberboard.games.evershade import roster

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


def defeated(g: Evershade) -> bool:
    """No Character is left standing (EV-COMBAT-05)."""
    return bool(roster.characters(g)) and not any(one.status == "standing" for one in roster.characters(g))


def achieved(g: Evershade) -> bool:
    """The Objective holds: every Enemy that can be defeated is (EV-COMBAT-07), or the Rounds are survived."""
    if g.sheet.objective == "survive":
        return g.sheet.rounds > 0 and g.state.combat.round > g.sheet.rounds
    able = [one for one in g.state.enemies.values() if g.pack.enemies[one.card].hp is not None]
    return bool(able) and not any(one.models for one in able)


def check(g: Evershade) -> None:
    """End the Combat at once, from wherever we are, when the Objective is reached or everybody is out."""
    combat = g.state.combat
    if g.state.mode != "combat" or combat.result:
        return
    if achieved(g):
        combat.result = "victory"
        g.note(f"The Objective is reached: {g.sheet.objective}.", "EV-COMBAT-04", "EV-SHEET-10")
        end(g, "combat", reason="victory")
    if defeated(g):
        combat.result = "defeat"
        g.note("No Character is left standing.", "EV-COMBAT-05")
        end(g, "combat", reason="defeat")
