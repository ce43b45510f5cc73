"""Enemy attacks: whom they hit, Reactions, damage (areas EATT and AOE)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from emberboard.engine.formula import Amount
from emberboard.engine.formula import value as formula_value
from emberboard.engine.grid_area import Diagram
from emberboard.engine.question import Ask, Cell, Choose, Option, Settled, Window
from emberboard.engine.stats import Contribution
from emberboard.engine.timing import Ended, Proc
from emberboard.games.evershade import combat_end, damage, reactions, roster, spaces
from emberboard.games.evershade.content import AreaCell, EnemyAction
from emberboard.games.evershade.effects import Context, apply
from emberboard.games.evershade.state import Attack

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


def strength(g: Evershade, formula: Amount) -> int:
    """A fixed amount of an Enemy's text (EV-ENEMY-10), perhaps by the Character Number (EV-GEN-08)."""
    return formula_value(formula, {"characters": roster.character_number(g)})


def diagram(area: Sequence[AreaCell]) -> Diagram[AreaCell]:
    """An area as printed."""
    return Diagram({cell.offset: msgspec.structs.replace(cell, offset=(0, 0)) for cell in area})


def area_hits(g: Evershade, area: Sequence[AreaCell], anchor: str, quarters: int = 0) -> dict[str, AreaCell]:
    """Every figure in an area diagram laid on a figure, and the cell that says what happens to it (EV-AOE-01, 02).

    A larger figure is hit once, by its highest cell (EV-ENEMY-05). Around a larger anchor the diagram is turned about
    the middle of its spaces.
    """
    by_cell = area_cells(g, area, anchor, quarters)
    hits: dict[str, AreaCell] = {}
    for ref in [*(one.id for one in roster.on_board(g)), *roster.enemy_refs(g)]:
        found = [by_cell[cell] for cell in g.grid.list(spaces.cells_of(g, ref)) if cell in by_cell]
        if found:
            hits[ref] = max(found, key=lambda cell: strength(g, cell.damage))
    return hits


def area_cells(g: Evershade, area: Sequence[AreaCell], anchor: str, quarters: int = 0) -> dict[Cell, AreaCell]:
    """The spaces of an area diagram laid on a figure, each with what happens there (EV-AOE-01)."""
    at = spaces.anchor(g, anchor)
    if at is None:
        return {}
    beyond = spaces.size_of(g, anchor) - 1
    dx, dy = ((0, 0), (1, 0), (1, 1), (0, 1))[quarters % 4]
    return diagram(area).turned(quarters).at(g.grid, (at[0] + dx * beyond, at[1] + dy * beyond))


def carry_out(g: Evershade, ref: str, action: EnemyAction, targets: Sequence[str]) -> Proc[list[str]]:
    """What one Action does to its targets or in its area; returns the figures that it was done to."""
    if not action.area:
        hits = {target: strength(g, action.damage) for target in targets if action.damage is not None}
        yield from _deal(g, ref, action, hits)
        return list(targets)
    struck: dict[str, AreaCell] = {}
    covered = 0
    for anchor in [ref] if action.anchor == "self" else targets:
        quarters = int((yield Ask(_rotation, ref, action.name, turns(action))))
        covered |= g.grid.mask(area_cells(g, action.area, anchor, quarters))
        for who, cell in area_hits(g, action.area, anchor, quarters).items():
            if who not in struck or strength(g, cell.damage) > strength(g, struck[who].damage):
                struck[who] = cell
    hits = {who: strength(g, cell.damage) for who, cell in struck.items()}
    yield from _deal(g, ref, action, hits, area=covered)
    for who, cell in struck.items():
        yield from apply(g, cell.effects, Context(user=ref, source=action.name, targets=(who,)))
    return list(struck)


def turns(action: EnemyAction) -> list[int]:
    """The quarter turns in which the area may be laid; one that looks like an earlier one is none."""
    printed = diagram(action.area)
    ways = [printed.turned(quarters) for quarters in range(4 if action.rotates else 1)]
    return [quarters for quarters, way in enumerate(ways) if way not in ways[:quarters]]


def _deal(g: Evershade, ref: str, action: EnemyAction, hits: dict[str, int], area: int = 0) -> Proc[None]:
    card = roster.enemy_card(g, ref)
    yield from deal_hits(
        g,
        ref,
        action.name or card.name,
        {who: much for who, much in hits.items() if much or action.attack},
        attack=action.attack,
        keywords=action.keywords,
        types=action.types,
        ignore_armor=action.ignore_armor,
        source=spaces.cells_of(g, ref),
        area=area,
    )


def _rotation(g: Evershade, ref: str, name: str, quarters: list[int]) -> Choose | Settled:
    if len(quarters) == 1:
        return Settled(str(quarters[0]))
    words = ("as printed", "right", "half", "left")
    return Choose(
        name="rotation",
        prompt=f"{roster.label(g, ref)}, {name}: which way is the area turned?",
        who=g.group(),
        options=tuple(Option(str(turn), words[turn]) for turn in quarters),
        rules=("EV-AOE-01",),
        about=(ref,),
    )


def deal_hits(
    g: Evershade,
    ref: str,
    name: str,
    hits: dict[str, int],
    *,
    attack: bool,
    keywords: Sequence[str],
    types: Sequence[str] = (),
    ignore_armor: int | Literal["all"] = 0,
    source: int = 0,
    area: int = 0,
) -> Proc[None]:
    """Deal each figure its damage; a Party Member that is attacked may answer with a Reaction first (EV-EATT-03).

    `source` is the mask of spaces that Cover is judged from (EV-COVER-06), `area` that of the spaces covered, to show.
    """
    if attack:
        difficulty = roster.enemy_difficulty(g, ref)
        members = [who for who in hits if roster.is_member(g, who)]
        g.state.combat.attack = Attack(ref, difficulty, list(keywords), members, area=g.grid.list(area))
    ends: list[Ended] = []
    try:
        for who, much in hits.items():
            if not roster.in_play(g, who):
                continue
            fending = g.state.combat.attack
            if attack and fending is not None and roster.is_member(g, who):
                fending.target = who
                yield Ask(attacked, ref, who, name, much)
                if not roster.in_play(g, who):
                    continue
            parts = [Contribution("base", name, "EV-ENEMY-10", much)]
            try:
                yield from damage.deal(
                    g,
                    who,
                    parts,
                    by=ref,
                    attack=attack,
                    keywords=keywords if attack else (),
                    types=types,
                    ignore_armor=ignore_armor,
                    from_spaces=source,
                )
            except Ended as ended:  # the others are struck all the same (EV-DMG-06)
                ends.append(ended)
        yield from combat_end.settle(g, ends)
    finally:
        g.state.combat.attack = None


def attacked(g: Evershade, ref: str, who: str, name: str, much: int) -> Window:
    """The moment after an attack is declared on a Party Member and before its damage (EV-EATT-03)."""
    worn = damage.armor(g, who, attacker=spaces.range_source(g, ref), attack=True)
    return Window(
        name="attacked",
        prompt=f"{roster.label(g, ref)} attacks {roster.label(g, who)} with {name} for {much}.",
        who=g.group(),
        note=worn.words(),
        offers=tuple(reactions.offers(g, "attacked")),
        rules=("EV-EATT-03", "EV-REACT-03"),
        about=(who, ref),
    )


def token_attack(g: Evershade, enemy: str, amount: int, high: int, keywords: Sequence[str]) -> Proc[None]:
    """Every Party Member within range of the Enemy's Effect token is dealt damage (EV-ENEMY-04)."""
    at = roster.enemy(g, enemy).token_at
    if at is None:
        return
    source = g.grid.bit(at)
    hits = {
        one.id: amount
        for one in roster.on_board(g)
        if spaces.in_range(spaces.distance(g, source, spaces.cells_of(g, one.id)), 0, high)
    }
    name = g.pack.enemies[roster.enemy(g, enemy).card].name
    attack = "Attack" in keywords
    area = g.grid.within(source, 0, high)
    yield from deal_hits(g, enemy, name, hits, attack=attack, keywords=keywords, source=source, area=area)
