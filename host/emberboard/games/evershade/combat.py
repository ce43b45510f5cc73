"""Starting and ending a Combat (areas COMBAT and SHEET)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emberboard.engine.timing import Proc, come_due
from emberboard.games.evershade import knock_out
from emberboard.games.evershade.state import Combat

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


def start_combat(g: Evershade) -> Proc[None]:
    """A Start-the-Combat instruction: from now on the Sheet is a Combat Sheet (EV-COMBAT-01, EV-COMBAT-02)."""
    g.state.mode = "combat"
    g.note(f"Combat starts on {g.sheet.name}: {g.sheet.objective}.", "EV-COMBAT-01", "EV-COMBAT-02", "EV-SHEET-10")
    g.then("start_round")
    yield from ()


def combat_over(g: Evershade, result: str) -> Proc[None]:
    """Who is out recovers, what belongs to the Combat is cleared, the entry is read (EV-COMBAT-08, EV-COMBAT-04)."""
    yield from come_due(g, "combat")
    yield from knock_out.recover_after_combat(g)
    rounds = g.state.combat.round
    for one in list(g.state.members.values()):
        one.activation_token, one.acted, one.at = "", False, None
    g.state.enemies = {}
    g.state.combat = Combat(scenario=g.state.combat.scenario, round=rounds, result=result)
    g.state.mode = "exploration"
    g.state.result = result
    entry = g.sheet.victory if result == "victory" else g.sheet.defeat
    if entry:
        g.state.entries.append(entry)
    words = "Victory" if result == "victory" else "Defeat"
    g.note(
        f"{words} in Round {rounds}" + (f": entry {entry} is read." if entry else "."), "EV-COMBAT-08", "EV-SHEET-10"
    )
