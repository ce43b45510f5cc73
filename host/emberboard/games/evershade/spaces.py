"""Spaces, borders, range and Cover on a Combat Sheet (areas SPACE, BORDER, RANGE, COVER)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emberboard.engine.question import Cell, as_cell
from emberboard.games.evershade import roster

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade

SIDES = ("north", "east", "south", "west")


def size_of(g: Evershade, ref: str) -> int:
    """Spaces a side: 1, or 2 for a larger Enemy (EV-ENEMY-05)."""
    return 1 if roster.is_member(g, ref) else roster.enemy_card(g, ref).size


def anchor(g: Evershade, ref: str) -> Cell | None:
    """The top-left space of a figure in play."""
    if roster.is_member(g, ref):
        return roster.member(g, ref).at
    found = roster.model(g, ref)
    return found.at if found is not None else None


def cells_of(g: Evershade, ref: str) -> int:
    """Mask of the spaces that a figure covers; 0 when it is not on the grid."""
    at = anchor(g, ref)
    return 0 if at is None else g.grid.footprint(at, size_of(g, ref))


def member_spaces(g: Evershade, but: str = "") -> int:
    """Mask of the spaces with standing Party Members."""
    return g.grid.mask(one.at for one in roster.on_board(g) if one.at is not None and one.id != but)


def enemy_spaces(g: Evershade, but: str = "") -> int:
    """Mask of the spaces with Enemy models."""
    mask = 0
    for ref in roster.enemy_refs(g):
        if ref != but:
            mask |= cells_of(g, ref)
    return mask


def occupied(g: Evershade, but: str = "") -> int:
    """Mask of the spaces that hold a model; no second one may end there (EV-COMBAT-10)."""
    return member_spaces(g, but) | enemy_spaces(g, but)


def blocked(g: Evershade) -> int:
    """Mask of Blocked spaces (EV-SPACE-03)."""
    return g.grid.mask(as_cell(key) for key, kind in g.state.combat.spaces.items() if kind == "blocked")


def dangers(g: Evershade) -> dict[Cell, list[int]]:
    """The amounts of damage of entering each Dangerous space: printed or by its token, and by each Effect token there.

    Each is dealt by itself and lowered by armor (EV-SPACE-03, EV-SPACE-04, EV-ARMOR-01).
    """
    found = {(space.cell[0], space.cell[1]): [space.damage] for space in g.sheet.dangerous}
    for key, kind in g.state.combat.spaces.items():
        if kind == "dangerous":
            found[as_cell(key)] = [g.sheet.dangerous_damage]
        elif kind == "empty":
            found.pop(as_cell(key), None)
    for token in g.state.combat.tokens:
        if token.damage and token.on.startswith("space:"):
            found.setdefault(as_cell(token.on.removeprefix("space:")), []).append(token.damage)
    return found


def danger(g: Evershade) -> dict[Cell, int]:
    """Damage of entering each Dangerous space, in all and before armor."""
    return {cell: sum(amounts) for cell, amounts in dangers(g).items()}


def dangerous(g: Evershade) -> int:
    """Mask of the spaces that are Dangerous now, whatever their damage."""
    return g.grid.mask(dangers(g))


def triggers(g: Evershade) -> dict[Cell, int]:
    """The entry that each Trigger icon leads to; under an Empty token there is none (EV-SPACE-03, EV-SPACE-06)."""
    found = {(trigger.cell[0], trigger.cell[1]): trigger.entry for trigger in g.sheet.triggers}
    covered = [as_cell(key) for key, kind in g.state.combat.spaces.items() if kind == "empty"]
    return {cell: entry for cell, entry in found.items() if cell not in covered}


def trigger_at(g: Evershade, cell: Cell) -> int | None:
    """The entry that a Trigger icon in this space leads to (EV-SPACE-06)."""
    return triggers(g).get(cell)


def border_cost(g: Evershade, a: Cell, b: Cell) -> int:
    """HP that crossing a special border costs (EV-BORDER-06)."""
    for border in g.sheet.borders:
        if {tuple(border.between[0]), tuple(border.between[1])} == {a, b}:
            return border.lose_hp
    return 0


# -- range ------------------------------------------------------------------------------------------------------------


def distance(g: Evershade, a: int, b: int) -> int | None:
    """Range distance of two masks: least steps over shared sides, borders and models ignored (EV-RANGE-01)."""
    if not a or not b:
        return None
    return g.grid.distance(a, b)


def apart(g: Evershade, one: str, other: str) -> int | None:
    """Range distance of two figures; None when one is not on the grid."""
    return distance(g, cells_of(g, one), cells_of(g, other))


def in_range(found: int | None, low: int, high: int | None) -> bool:
    """Whether a distance is within `low`..`high` (EV-RANGE-01, EV-RANGE-03)."""
    return found is not None and low <= found and (high is None or found <= high)


def spaces_in_range(g: Evershade, source: int, low: int, high: int | None) -> list[Cell]:
    """Spaces in range; a list of spaces never holds the source's own (EV-RANGE-05)."""
    return g.grid.list(g.grid.within(source, max(1, low), high) & ~source)


def in_line(g: Evershade, source: int, limit: int | None = None) -> int:
    """Mask of the spaces in line with any of the source's own (EV-RANGE-06)."""
    arms = [arm for cell in g.grid.list(source) for arm in g.grid.line(cell, limit).values()]
    return g.grid.mask(cell for arm in arms for cell in arm) & ~source


def closest_free(g: Evershade, to: Cell, size: int = 1) -> list[Cell]:
    """The closest empty, non-dangerous, not Blocked spaces by range distance, all ties (EV-KO-10, EV-SPAWN-02).

    Of a larger figure it is the nearest of its spaces that counts (EV-ENEMY-05); its top-left spaces are listed.
    """
    free = g.grid.cells & ~occupied(g) & ~dangerous(g) & ~blocked(g)
    places = {at: g.grid.footprint(at, size) for at in g.grid.list(g.grid.anchors(size, free))}
    for ring in g.grid.layers(g.grid.bit(to), walls=False):
        found = [at for at, covered in places.items() if covered & ring]
        if found:
            return found
    return []


def range_source(g: Evershade, ref: str) -> int:
    """Where range from an Enemy is measured: its spaces, or the space of an Environment's token (EV-COVER-06)."""
    covered = cells_of(g, ref)
    if covered or roster.is_member(g, ref):
        return covered
    at = roster.enemy(g, ref).token_at
    return g.grid.bit(at) if at is not None else 0


def closest_empty(g: Evershade, to: int) -> list[Cell]:
    """The closest spaces without a model, not Blocked, by range distance from a mask, all ties."""
    free = g.grid.cells & ~occupied(g) & ~blocked(g)
    for ring in g.grid.layers(to, walls=False):
        if ring & free:
            return g.grid.list(ring & free)
    return []


# -- Cover ------------------------------------------------------------------------------------------------------------


def cover_at(g: Evershade, spaces: int, attacker: int) -> bool:
    """Whether a model on `spaces` has Cover from `attacker` (masks).

    It has, when all its spaces on some side have an Impassable border there and the attacker stands wholly in the
    half-plane beyond it (EV-COVER-01 to 05).
    """
    mine, theirs = g.grid.list(spaces), g.grid.list(attacker)
    if not mine or not theirs:
        return False
    left, right = min(x for x, _ in mine), max(x for x, _ in mine)
    top, bottom = min(y for _, y in mine), max(y for _, y in mine)
    edges = {
        "north": ([c for c in mine if c[1] == top], all(y < top for _, y in theirs)),
        "east": ([c for c in mine if c[0] == right], all(x > right for x, _ in theirs)),
        "south": ([c for c in mine if c[1] == bottom], all(y > bottom for _, y in theirs)),
        "west": ([c for c in mine if c[0] == left], all(x < left for x, _ in theirs)),
    }
    return any(
        beyond and all(side in g.grid.walled_sides(cell) for cell in cells) for side, (cells, beyond) in edges.items()
    )


def cover(g: Evershade, target: str, attacker: int) -> bool:
    """Whether a figure has Cover from an attacker on these spaces."""
    return cover_at(g, cells_of(g, target), attacker)
