"""How Enemies move: toward, away, into Cover, around walls and danger (area EMOVE).

A search state is an anchor and the damage taken on the way, because an Enemy avoids spaces that would kill it with the
HP left at each step (EV-SPACE-05).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from emberboard.engine.question import Ask, Cell, Choose, Option, Place, Settled, as_cell, cell_key
from emberboard.engine.timing import Proc
from emberboard.games.evershade import damage, movement, roster, spaces
from emberboard.games.evershade.pushing import footprint

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade

Spot = tuple[Cell, int]
"""An anchor and the damage taken on the way to it."""
Levels = list[dict[Spot, list[Spot]]]
"""By number of steps: each spot with the spots it was reached from."""
MOST_PATHS = 64
"""Ways to one space that are told apart when players choose."""


class Mover:
    """What a search needs to know of one Enemy figure: size, HP, armor, and the danger of each space."""

    def __init__(self, g: Evershade, ref: str) -> None:
        found = roster.model(g, ref)
        self.g, self.ref = g, ref
        self.size = spaces.size_of(g, ref)
        self.hp = found.hp if found is not None else 0
        self.start: Cell = found.at if found is not None else (0, 0)
        armor = damage.armor(g, ref).value
        hurts = {cell: max(0, harm - armor) for cell, harm in spaces.danger(g).items()}
        self.danger = {cell: harm for cell, harm in hurts.items() if harm}

    def harm(self, before: int, after: int) -> int:
        """HP that shifting from one footprint to another costs: the worst space newly entered, after armor."""
        fresh = self.g.grid.list(after & ~before) if self.danger else []
        return max((self.danger.get(cell, 0) for cell in fresh), default=0)

    def search(self, closed: int, limit: int | None, done: Callable[[int], bool]) -> Levels:
        """Breadth first from the start over connected spaces not in `closed`, until some footprint is `done`.

        Where HP cannot run out on the way the damage taken does not matter, and whole levels are flooded as masks.
        """
        lethal = self.g.grid.mask(cell for cell, harm in self.danger.items() if harm >= self.hp)
        hurtful = sum(harm for harm in self.danger.values() if harm < self.hp)
        if self.size == 1 and hurtful < self.hp:
            return self._flood(closed | lethal, limit, done)
        return self._by_damage(closed, limit, done)

    def _flood(self, closed: int, limit: int | None, done: Callable[[int], bool]) -> Levels:
        grid = self.g.grid
        layer = grid.bit(self.start)
        seen = layer
        levels: Levels = [{(self.start, 0): []}]
        while layer and (limit is None or len(levels) <= limit):
            if any(done(grid.bit(spot[0])) for spot in levels[-1]):
                break
            layer = grid.step(layer) & ~seen & ~closed
            seen |= layer
            before = levels[-1]
            levels.append(
                {
                    (cell, 0): [(back, 0) for back in grid.neighbours(cell) if (back, 0) in before]
                    for cell in grid.list(layer)
                }
            )
        return levels

    def _by_damage(self, closed: int, limit: int | None, done: Callable[[int], bool]) -> Levels:
        g, grid = self.g, self.g.grid
        levels: Levels = [{(self.start, 0): []}]
        least: dict[Cell, int] = {self.start: 0}
        while levels[-1] and (limit is None or len(levels) <= limit):
            if any(done(footprint(g, self.ref, spot[0])) for spot in levels[-1]):
                break
            reached: dict[Spot, list[Spot]] = {}
            for spot in levels[-1]:
                at, taken = spot
                here = footprint(g, self.ref, at)
                for to in ((at[0], at[1] - 1), (at[0] + 1, at[1]), (at[0], at[1] + 1), (at[0] - 1, at[1])):
                    there = footprint(g, self.ref, to)
                    if not there or there & closed or (there & ~here) & ~grid.step(here):
                        continue
                    if self.size > 1 and not self._slides(at, to):
                        continue
                    hurt = taken + self.harm(here, there)
                    if hurt and hurt >= self.hp:
                        continue
                    if least.get(to, hurt + 1) <= hurt:
                        continue
                    reached.setdefault((to, hurt), []).append(spot)
            for to, hurt in reached:
                least[to] = min(least.get(to, hurt), hurt)
            levels.append(reached)
        return levels

    def _slides(self, at: Cell, to: Cell) -> bool:
        dx, dy = to[0] - at[0], to[1] - at[1]
        cells = [(at[0] + i, at[1] + j) for i in range(self.size) for j in range(self.size)]
        return not any(self.g.grid.wall_between((x, y), (x + dx, y + dy)) for x, y in cells)


def terrain(g: Evershade) -> int:
    """Mask of spaces closed by terrain alone: Blocked ones."""
    return spaces.blocked(g)


def _toward(g: Evershade, ref: str, target: str, closed: int) -> tuple[Levels, int] | None:
    """The levels up to the target's space, only spots on shortest legal paths; and the path's length."""
    mover = Mover(g, ref)
    goal = spaces.cells_of(g, target)
    levels = mover.search(closed & ~goal, None, lambda mask: bool(mask & goal))
    ends = [spot for spot in levels[-1] if footprint(g, ref, spot[0]) & goal]
    if not ends:
        return None
    kept: Levels = [{spot: levels[-1][spot] for spot in ends}]
    for level in reversed(levels[:-1]):
        wanted = {back: None for spots in kept[0].values() for back in spots}
        kept.insert(0, {spot: level[spot] for spot in level if spot in wanted})
    return kept, len(levels) - 1


def path_exists(g: Evershade, ref: str, target: str) -> bool:
    """Whether terrain lets the Enemy walk to the target's space; models do not matter (EV-TARGET-06)."""
    return _toward(g, ref, target, terrain(g)) is not None


def path_length(g: Evershade, ref: str, target: str) -> int | None:
    """Length of the shortest legal path to the target's space (EV-EMOVE-06), None without one."""
    found = _toward(g, ref, target, terrain(g) | spaces.member_spaces(g, but=target))
    return found[1] if found else None


def _walkable(levels: Levels, g: Evershade, ref: str, shut: int) -> Levels:
    """The part of the levels that can really be walked: not through Party Members."""
    open_levels: Levels = [levels[0]]
    for level in levels[1:]:
        fit: dict[Spot, list[Spot]] = {}
        for spot, backs in level.items():
            came = [back for back in backs if back in open_levels[-1]]
            if came and not footprint(g, ref, spot[0]) & shut:
                fit[spot] = came
        open_levels.append(fit)
    return open_levels


def toward(g: Evershade, ref: str, target: str, limit: int) -> Proc[None]:
    """Move toward a target: each space entered is closer by path; as far as it goes (EV-EMOVE-06)."""
    closed = terrain(g) | spaces.member_spaces(g, but=target)
    found = _toward(g, ref, target, closed) or _toward(g, ref, target, terrain(g))
    if found is None:
        return
    levels, length = found
    levels = _walkable(levels, g, ref, spaces.member_spaces(g))
    taken = spaces.occupied(g, but=ref)
    for step in range(min(limit, length - 1), 0, -1):
        ends = [spot for spot in levels[step] if not footprint(g, ref, spot[0]) & taken] if step < len(levels) else []
        if ends:
            cells = list(dict.fromkeys(spot[0] for spot in ends))
            yield from _go(g, ref, cells, levels[: step + 1], "EV-EMOVE-06", f"toward {roster.label(g, target)}")
            return
    why = "it is next to its target" if length <= 1 else "no closer space is free"
    g.note(f"{roster.label(g, ref)} does not move: {why}.", "EV-EMOVE-06")


def away(g: Evershade, ref: str, target: str, limit: int) -> Proc[None]:
    """Move away: the last space farther than the first, as far as the movement allows (EV-EMOVE-07)."""
    mover = Mover(g, ref)
    levels = mover.search(terrain(g) | spaces.member_spaces(g), limit, lambda mask: False)
    goal = spaces.cells_of(g, target)
    taken = spaces.occupied(g, but=ref)
    start = spaces.distance(g, footprint(g, ref, mover.start), goal) or 0
    score: dict[Cell, int] = {}
    for level in levels:
        for at, _ in level:
            mask = footprint(g, ref, at)
            if not mask & taken:
                score[at] = spaces.distance(g, mask, goal) or 0
    far = max(score.values(), default=start)
    if far <= start:
        g.note(f"{roster.label(g, ref)} does not move: no space is farther away.", "EV-EMOVE-07")
        return
    cells = [at for at, apart in score.items() if apart == far]
    yield from _go(g, ref, cells, levels, "EV-EMOVE-07", f"away from {roster.label(g, target)}")


def to_cover(g: Evershade, ref: str, target: str, limit: int | None) -> Proc[None]:
    """Move to the closest free space with Cover against the target, however far (EV-EMOVE-01)."""
    mover = Mover(g, ref)
    goal = spaces.cells_of(g, target)
    taken = spaces.occupied(g, but=ref)

    def covered(mask: int) -> bool:
        return not mask & taken and spaces.cover_at(g, mask, goal)

    levels = mover.search(terrain(g) | spaces.member_spaces(g), limit, covered)
    ends = list(dict.fromkeys(at for at, _ in levels[-1] if covered(footprint(g, ref, at))))
    if not ends:
        g.note(f"{roster.label(g, ref)} finds no space with Cover.", "EV-ENEMY-09")
        return
    if ends == [mover.start]:
        g.note(f"{roster.label(g, ref)} has Cover where it stands.", "EV-EMOVE-01")
        return
    yield from _go(g, ref, ends, levels, "EV-EMOVE-01", f"into Cover from {roster.label(g, target)}")


# -- choosing among equals and walking --------------------------------------------------------------------------------


def _ways(levels: Levels, cell: Cell) -> list[list[Cell]]:
    """The shortest ways to a cell that the Enemy survives; at most MOST_PATHS of them."""
    for number, level in enumerate(levels):
        ends = [spot for spot in level if spot[0] == cell]
        if ends:
            fronts: list[tuple[list[Cell], Spot]] = [([spot[0]], spot) for spot in ends]
            for back in range(number, 0, -1):
                fronts = [([b[0], *way], b) for way, at in fronts for b in levels[back][at]][:MOST_PATHS]
            return [way[1:] for way, _ in fronts]
    return []


def _go(g: Evershade, ref: str, cells: list[Cell], levels: Levels, rule: str, words: str) -> Proc[None]:
    ordered = sorted(cells, key=lambda cell: (cell[1], cell[0]))
    key = yield Ask(_which_end, ref, [list(cell) for cell in ordered], rule)
    end = as_cell(key)
    ways = _ways(levels, end)
    danger = spaces.danger(g)
    dangers = [[cell_key(cell) for cell in way if danger.get(cell)] for way in ways]
    number = yield Ask(_which_way, ref, dangers, rule)
    steps = 0
    for cell in ways[int(number)]:
        here = spaces.anchor(g, ref)
        if here is None:
            return
        steps += 1
        if (yield from movement.enter(g, ref, here, cell)):
            return
    g.note(f"{roster.label(g, ref)} moves {steps} {words}, to {cell_key(end)}.", rule, "EV-EMOVE-08")


def _which_end(g: Evershade, ref: str, cells: list[list[int]], rule: str) -> Place | Settled:
    if len(cells) == 1:
        return Settled(cell_key((cells[0][0], cells[0][1])))
    return Place(
        name="enemy_move",
        prompt=f"{roster.label(g, ref)} could move to several equal spaces: which one?",
        who=g.group(),
        options=tuple(Option(cell_key((x, y)), cell_key((x, y)), (x, y)) for x, y in cells),
        figure=ref,
        rules=(rule, "EV-TARGET-01"),
        about=(ref,),
    )


def _which_way(g: Evershade, ref: str, dangers: list[list[str]], rule: str) -> Choose | Settled:
    distinct = list(dict.fromkeys(tuple(way) for way in dangers))
    if len(distinct) == 1:
        return Settled("0")
    return Choose(
        name="enemy_path",
        prompt=f"{roster.label(g, ref)} has several shortest paths: through which danger?",
        who=g.group(),
        options=tuple(Option(str(dangers.index(list(way))), f"through {', '.join(way) or 'none'}") for way in distinct),
        rules=(rule,),
        about=(ref,),
    )
