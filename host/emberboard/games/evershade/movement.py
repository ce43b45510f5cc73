"""Characters on the move, and what entering a space does to any model (areas MOB, ACT, SPACE, BORDER)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from emberboard.engine.question import Ask, Cell, Path, Settled, as_cell, cell_key
from emberboard.engine.stats import Contribution
from emberboard.engine.timing import Proc
from emberboard.games.evershade import damage, roster, spaces
from emberboard.games.evershade.state import Turn

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


def steps_for(g: Evershade, who: str) -> tuple[dict[str, list[Cell]], int]:
    """From each space the connected spaces that a Character may enter, and the mask where it may stop.

    Enemy models and Blocked spaces are not entered, Party Members are passed but not stopped on; a Trigger space ends
    the movement, so an occupied one is not entered (EV-ACT-04 to 07, EV-SPACE-03, EV-SPACE-07).
    """
    grid = g.grid
    open_spaces = grid.cells & ~spaces.enemy_spaces(g) & ~spaces.blocked(g)
    stops = open_spaces & ~spaces.member_spaces(g, but=who)
    triggers = grid.mask(spaces.triggers(g))
    enterable = open_spaces & (stops | ~triggers)
    here = spaces.anchor(g, who)
    steps: dict[str, list[Cell]] = {}
    for cell in grid.list(open_spaces | spaces.cells_of(g, who)):
        if cell != here and grid.bit(cell) & triggers:
            continue
        ways = [to for to in grid.neighbours(cell) if grid.bit(to) & enterable]
        if ways:
            steps[cell_key(cell)] = ways
    return steps, stops


def suggested_paths(g: Evershade, start: Cell, steps: dict[str, list[Cell]], limit: int) -> dict[str, list[Cell]]:
    """For each space within `limit` steps the way with the least harm, then the fewest steps."""
    danger = spaces.danger(g)
    best: dict[Cell, tuple[int, int, list[Cell]]] = {start: (0, 0, [])}
    frontier = [start]
    for _ in range(limit):
        reached: list[Cell] = []
        for here in frontier:
            harm, length, way = best[here]
            for to in steps.get(cell_key(here), ()):
                cost = harm + danger.get(to, 0) + (spaces.border_cost(g, here, to) if g.sheet.borders else 0)
                if to not in best or (cost, length + 1) < best[to][:2]:
                    best[to] = (cost, length + 1, [*way, to])
                    if to not in reached:
                        reached.append(to)
        frontier = reached
    return {cell_key(cell): way for cell, (_, length, way) in best.items() if 0 < length <= limit}


def _walk(g: Evershade, who: str, limit: int) -> Path | Settled:
    one = roster.member(g, who)
    if one.at is None or limit <= 0:
        return Settled([])
    steps, stops = steps_for(g, who)
    suggested = suggested_paths(g, one.at, steps, limit)
    ends = [cell for cell in g.grid.list(stops | g.grid.bit(one.at)) if cell == one.at or cell_key(cell) in suggested]
    if ends == [one.at]:
        return Settled([])
    return Path(
        name="move",
        prompt=f"{one.name} moves up to {limit} spaces.",
        who=roster.seat_of(g, who),
        figure=who,
        start=one.at,
        steps=steps,
        stops=ends,
        limit=limit,
        suggested={cell_key(cell): suggested[cell_key(cell)] for cell in ends if cell != one.at},
        refusals=_refusals(g, who),
        rules=("EV-ACT-04", "EV-MOB-01"),
        about=(who,),
    )


def _refusals(g: Evershade, who: str) -> dict[str, str]:
    why: dict[str, str] = {}
    for cell in g.grid.list(spaces.enemy_spaces(g)):
        why[cell_key(cell)] = "an Enemy is there (EV-ACT-06)"
    for cell in g.grid.list(spaces.blocked(g)):
        why[cell_key(cell)] = "the space is Blocked (EV-SPACE-03)"
    for cell in g.grid.list(spaces.member_spaces(g, but=who)):
        trigger = spaces.trigger_at(g, cell) is not None
        why[cell_key(cell)] = (
            "the Move would have to end on the occupied Trigger space (EV-SPACE-07)"
            if trigger
            else "the last space must be free (EV-ACT-07)"
        )
    return why


def walk(g: Evershade, who: str, limit: int) -> Proc[int]:
    """Move a Character up to `limit` spaces along a path it chooses; returns the spaces entered."""
    path = yield Ask(_walk, who, limit)
    set_out(g, who)
    entered = 0
    for step in path:
        here = roster.member(g, who).at
        if here is None:
            break
        entered += 1
        if (yield from enter(g, who, here, as_cell(step))):
            break
    if entered:
        at = roster.member(g, who).at
        where = cell_key(at) if at is not None else "off the board"
        g.note(f"{roster.label(g, who)} moves {entered} to {where}.", "EV-ACT-04")
    return entered


def set_out(g: Evershade, ref: str) -> None:
    """A movement of a figure begins; of the one that acts now its way is remembered, for the table to show."""
    turn, at = g.state.combat.turn, spaces.anchor(g, ref)
    if turn is not None and at is not None and _acts(turn, ref):
        turn.walked = [at]


def _acts(turn: Turn, ref: str) -> bool:
    return ref == (turn.model or turn.who)


def enter(g: Evershade, ref: str, here: Cell, to: Cell) -> Proc[bool]:
    """A figure enters a space, by itself or forced: border rule, danger, Trigger. Whether its movement ends there."""
    before = spaces.cells_of(g, ref)
    place(g, ref, to)
    turn = g.state.combat.turn
    if turn is not None and turn.walked and turn.walked[-1] == here and _acts(turn, ref):
        turn.walked.append(to)
    cost = spaces.border_cost(g, here, to)
    if cost and roster.is_member(g, ref):
        yield from damage.lose_hp(g, ref, cost, "the border")
    fresh = g.grid.list(spaces.cells_of(g, ref) & ~before) if roster.in_play(g, ref) else []
    for harm in worst_danger(g, ref, fresh):
        parts = [Contribution("base", "Dangerous space", "EV-SPACE-04", harm)]
        yield from damage.deal(g, ref, parts, by="")
        if not roster.in_play(g, ref):
            return True
    if not roster.in_play(g, ref):
        return True
    entry = spaces.trigger_at(g, to)
    if entry is not None and roster.is_member(g, ref):
        g.state.entries.append(entry)
        g.note(f"{roster.label(g, ref)} enters a Trigger: entry {entry} is read.", "EV-SPACE-06", "EV-SPACE-07")
        return True
    return False


def worst_danger(g: Evershade, ref: str, entered: Iterable[Cell]) -> list[int]:
    """What one step deals: of the spaces that a larger figure enters at once the worst one counts (EV-ENEMY-05)."""
    dangers = spaces.dangers(g)
    armor = damage.armor(g, ref).value if dangers else 0
    met = (dangers[cell] for cell in entered if cell in dangers)
    return [amount for amount in max(met, key=lambda amounts: after_armor(amounts, armor), default=[]) if amount]


def after_armor(amounts: Iterable[int], armor: int) -> int:
    """HP that several amounts of damage cost together, each lowered by armor (EV-ARMOR-01)."""
    return sum(max(0, amount - armor) for amount in amounts)


def place(g: Evershade, ref: str, to: Cell) -> None:
    """Put a figure on a space (top-left for larger ones), without the effects of entering (EV-SPACE-08)."""
    if roster.is_member(g, ref):
        roster.member(g, ref).at = to
        return
    found = roster.model(g, ref)
    if found is not None:
        found.at = to
