"""Enemy attacks: whom they hit, Reactions, damage (areas EATT and AOE)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from emberboard.engine.formula import Amount
from emberboard.engine.formula import value as formula_value
from emberboard.engine.question import Ask, Cell, Choose, Option, Window
from emberboard.engine.stats import Contribution
from emberboard.engine.timing import Ended, Proc
from emberboard.games.evershade import combat_end, damage, reactions, roster, spaces
from emberboard.games.evershade.content import AreaCell, EnemyAction
from emberboard.games.evershade.state import Attack

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


def strength(g: Evershade, formula: Amount) -> int:
    """A fixed amount of an Enemy's text (EV-ENEMY-10), perhaps by the Character Number (EV-GEN-08)."""
    return formula_value(formula, {"characters": roster.character_number(g)})


def turned(offset: Cell, quarters: int) -> Cell:
    """An offset turned by quarters of a circle."""
    x, y = offset
    for _ in range(quarters % 4):
        x, y = -y, x
    return x, y


def area_hits(g: Evershade, area: Sequence[AreaCell], anchor: Cell, quarters: int = 0) -> dict[str, int]:
    """Every figure in an area diagram and what it is dealt; a large one once, by the highest cell (EV-AOE-01, 02)."""
    by_cell: dict[Cell, int] = {}
    for cell in area:
        dx, dy = turned(cell.offset, quarters)
        by_cell[(anchor[0] + dx, anchor[1] + dy)] = strength(g, cell.damage)
    hits: dict[str, int] = {}
    for ref in [*(one.id for one in roster.on_board(g)), *roster.enemy_refs(g)]:
        found = [by_cell[cell] for cell in g.grid.list(spaces.cells_of(g, ref)) if cell in by_cell]
        if found:
            hits[ref] = max(found)
    return hits


def carry_out(g: Evershade, ref: str, action: EnemyAction, targets: Sequence[str]) -> Proc[list[str]]:
    """The damage of one Action; returns the figures that were dealt some."""
    if action.area:
        anchors = [ref] if action.anchor == "self" else list(targets)
        hits: dict[str, int] = {}
        for anchor in anchors:
            at = spaces.anchor(g, anchor)
            if at is None:
                continue
            quarters = 0
            if action.rotates:
                quarters = int((yield Ask(_rotation, ref, action.name)))
            for who, much in area_hits(g, action.area, at, quarters).items():
                hits[who] = max(much, hits.get(who, 0))
    elif action.damage is not None:
        hits = {target: strength(g, action.damage) for target in targets}
    else:
        return []
    card = roster.enemy_card(g, ref)
    yield from deal_hits(
        g,
        ref,
        action.name or card.name,
        hits,
        attack=action.attack,
        keywords=action.keywords,
        types=action.types,
        ignore_armor=action.ignore_armor,
        source=spaces.cells_of(g, ref),
    )
    return list(hits)


def _rotation(g: Evershade, ref: str, name: str) -> Choose:
    return Choose(
        name="rotation",
        prompt=f"{roster.label(g, ref)}, {name}: which way is the area turned?",
        who=g.group(),
        options=tuple(Option(str(n), words) for n, words in enumerate(("as printed", "right", "half", "left"))),
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
) -> Proc[None]:
    """Deal each figure its damage; a Party Member that is attacked may answer with a Reaction first (EV-EATT-03).

    `source` is the mask of spaces that Cover is judged from (EV-COVER-06).
    """
    combat = g.state.combat
    if attack:
        difficulty = roster.enemy_difficulty(g, ref)
        combat.attack = Attack(ref, difficulty, list(keywords), [who for who in hits if roster.is_member(g, who)])
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
        combat.attack = None


def attacked(g: Evershade, ref: str, who: str, name: str, much: int) -> Window:
    """The moment after an attack is declared on a Party Member and before its damage (EV-EATT-03)."""
    worn = damage.armor(g, who, attacker=spaces.cells_of(g, ref), attack=True)
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
    yield from deal_hits(g, enemy, name, hits, attack=attack, keywords=keywords, source=source)
