"""Starting and ending a Combat (areas COMBAT and SHEET)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emberboard.engine.question import Ask, Option, Place, Settled, as_cell, cell_key
from emberboard.engine.timing import Proc, come_due
from emberboard.games.evershade import knock_out, roster, setup, spaces
from emberboard.games.evershade.state import Combat

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade

RESULTS = {
    "victory": "The Objective is reached: Victory",
    "defeat": "No Character is left standing: Defeat",
    "lost": "All Characters are dead and the Adventure is lost,",
}


def start_combat(g: Evershade, scenario: str = "") -> Proc[None]:
    """A Start-the-Combat instruction, with the set-up of its entry unless that lies on the table already.

    From now on the Sheet is a Combat Sheet (EV-COMBAT-01, EV-COMBAT-02).
    """
    if scenario:
        setup.set_up(g, scenario)
    g.state.mode = "combat"
    g.note(f"Combat starts on {g.sheet.name}: {g.sheet.objective}.", "EV-COMBAT-01", "EV-COMBAT-02", "EV-SHEET-10")
    yield from _place_companions(g)
    g.then("start_round")


def _place_companions(g: Evershade) -> Proc[None]:
    """Companions that the set-up does not place start next to their holders; at 0 HP they stay out (EV-COMBAT-02)."""
    for name in [one.id for one in g.state.members.values() if one.kind == "companion" and one.at is None]:
        one = roster.member(g, name)
        if one.hp == 0:
            one.status = "out"
        elif g.state.members.get(one.holder) is not None and roster.member(g, one.holder).at is not None:
            roster.member(g, name).at = as_cell((yield Ask(_companion_space, name)))


def _companion_space(g: Evershade, name: str) -> Place | Settled:
    holder = roster.member(g, name).holder
    ties = spaces.closest_empty(g, spaces.cells_of(g, holder))
    if len(ties) == 1:
        return Settled(cell_key(ties[0]))
    return Place(
        name="companion_space",
        prompt=f"{roster.label(g, name)} starts next to {roster.label(g, holder)}: in which of the closest spaces?",
        who=g.group(),
        options=tuple(Option(cell_key(cell), cell_key(cell), cell) for cell in ties),
        figure=name,
        rules=("EV-COMBAT-02",),
        about=(name,),
    )


def combat_over(g: Evershade, result: str) -> Proc[None]:
    """Who is out recovers, what belongs to the Combat is cleared, the entry is read (EV-COMBAT-08, EV-COMBAT-04)."""
    yield from come_due(g, "combat")
    yield from knock_out.recover_after_combat(g)
    rounds = g.state.combat.round
    for one in list(g.state.members.values()):
        one.activation_token, one.acted, one.at = "", False, None
    g.state.enemies = {}
    g.state.combat = Combat(scenario=g.state.combat.scenario, round=rounds, result=result)
    g.state.ledger.dues = []
    g.state.mode = "exploration"
    g.state.result = result
    entry = {"victory": g.sheet.victory, "defeat": g.sheet.defeat}.get(result, 0)
    if entry:
        g.state.entries.append(entry)
    words = RESULTS[result]
    g.note(
        f"{words} in Round {rounds}" + (f": entry {entry} is read." if entry else "."),
        {"victory": "EV-COMBAT-04", "defeat": "EV-COMBAT-05"}.get(result, "EV-DEATH-11"),
        "EV-COMBAT-08",
        "EV-SHEET-10",
    )
