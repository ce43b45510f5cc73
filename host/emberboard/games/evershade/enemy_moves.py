"""How Enemies move: toward, away, into Cover, around walls and danger (area EMOVE).

A search state is an anchor and the damage taken on the way, because an Enemy avoids spaces that would kill it with the
HP left at each step (EV-SPACE-05).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from emberboard.engine.game import Candidate, Weighing
from emberboard.engine.question import Ask, Cell, Choose, Option, Place, Settled, as_cell, cell_key
from emberboard.engine.stats import Add, Contribution, Stat
from emberboard.engine.timing import Proc
from emberboard.games.evershade import damage, movement, roster, spaces, weighing
from emberboard.games.evershade.pushing import footprint
from emberboard.games.evershade.wording import count

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade

Spot = tuple[Cell, int]
"""An anchor and the damage taken on the way to it."""
Levels = list[dict[Spot, list[Spot]]]
"""By number of steps: each spot with the spots it was reached from."""
PATH = Stat("path_length", (Add("spaces"),))
"""Length of the shortest legal path to the target's space (EV-EMOVE-06)."""


class Mover:
    """What a search needs to know of one Enemy figure: size, HP, armor, and the danger of each space."""

    def __init__(self, g: Evershade, ref: str) -> None:
        found = roster.model(g, ref)
        self.g, self.ref = g, ref
        self.size = spaces.size_of(g, ref)
        self.hp = found.hp if found is not None else 0
        self.start: Cell = found.at if found is not None else (0, 0)
        armor = damage.armor(g, ref).value
        hurts = {cell: movement.after_armor(harms, armor) for cell, harms in spaces.dangers(g).items()}
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


def _pruned(levels: Levels, ends: list[Spot]) -> Levels:
    """Only the spots on ways to the ends, which lie in the last level."""
    kept: Levels = [{spot: levels[-1][spot] for spot in ends}]
    for level in reversed(levels[:-1]):
        wanted = {back: None for backs in kept[0].values() for back in backs}
        kept.insert(0, {spot: level[spot] for spot in level if spot in wanted})
    return kept


def _toward(g: Evershade, ref: str, target: str, closed: int) -> Levels | None:
    """The spots on shortest legal paths, up to those connected to the target's space; None without a path.

    The target's own space is never entered, so its danger does not matter. As many levels as the path has steps: the
    last one would be into the target's space.
    """
    goal = spaces.cells_of(g, target)

    def connected(mask: int) -> bool:
        return bool(g.grid.step(mask) & goal)

    levels = Mover(g, ref).search(closed | goal, None, connected)
    ends = [spot for spot in levels[-1] if connected(footprint(g, ref, spot[0]))]
    return _pruned(levels, ends) if ends else None


def path_exists(g: Evershade, ref: str, target: str) -> bool:
    """Whether terrain lets the Enemy walk to the target's space; models do not matter (EV-TARGET-06)."""
    return _toward(g, ref, target, terrain(g)) is not None


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


def _as_far_as(g: Evershade, ref: str, levels: Levels, limit: int) -> Levels:
    """The levels up to the farthest one within `limit` with a free space to stop on (EV-EMOVE-05, EV-ENEMY-09)."""
    taken = spaces.occupied(g, but=ref)
    for step in range(min(limit, len(levels) - 1), 0, -1):
        if any(not footprint(g, ref, at) & taken for at, _ in levels[step]):
            return levels[: step + 1]
    return levels[:1]


def _free_ends(g: Evershade, ref: str, level: dict[Spot, list[Spot]]) -> list[Cell]:
    taken = spaces.occupied(g, but=ref)
    return list(dict.fromkeys(at for at, _ in level if not footprint(g, ref, at) & taken))


def toward(g: Evershade, ref: str, target: str, limit: int) -> Proc[None]:
    """Move toward a target: each space entered is closer by path; as far as it goes (EV-EMOVE-06)."""
    levels = _path(g, ref, target)
    if levels is None:
        return
    _note_path(g, ref, target, len(levels))
    shortest = weighing.of_spaces(
        f"closer, on a shortest path to {roster.label(g, target)}", "EV-EMOVE-06", _anchors(levels[1:])
    )
    open_levels = _walkable(levels, g, ref, spaces.member_spaces(g))
    closed = dict.fromkeys(_left_out(levels, open_levels), "not through Party Members")
    weighed = [shortest]
    if closed:
        weighed.append(weighing.of_spaces("a way leads there", "EV-EMOVE-04", _anchors(open_levels[1:]), closed))
    levels = _as_far_as(g, ref, open_levels, limit)
    weighed.append(_farthest(g, ref, open_levels, levels, limit))
    if len(levels) == 1:
        why = "it is next to its target" if _next_to(g, ref, target) else "no closer space is free"
        g.note(f"{roster.label(g, ref)} does not move: {why}.", "EV-EMOVE-06", weighed=weighed)
        return
    ends = _free_ends(g, ref, levels[-1])
    yield from _go(g, ref, ends, levels, "EV-EMOVE-06", f"toward {roster.label(g, target)}", weighed)
    left = _path(g, ref, target) if roster.in_play(g, ref) else None
    if left is not None:
        _note_path(g, ref, target, len(left))


def _path(g: Evershade, ref: str, target: str) -> Levels | None:
    """The shortest legal paths; where Party Members block every one, those by terrain alone (EV-EMOVE-06)."""
    closed = terrain(g) | spaces.member_spaces(g, but=target)
    return _toward(g, ref, target, closed) or _toward(g, ref, target, terrain(g))


def _next_to(g: Evershade, ref: str, target: str) -> bool:
    return bool(g.grid.step(spaces.cells_of(g, ref)) & spaces.cells_of(g, target))


def _note_path(g: Evershade, ref: str, target: str, length: int) -> None:
    name = roster.label(g, target)
    number = PATH.evaluate([Contribution("spaces", f"to {name}", "EV-EMOVE-06", length)], ref)
    g.note(f"{roster.label(g, ref)} has {length} to {name}.", "EV-EMOVE-06", numbers=[number])


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
    name = roster.label(g, target)
    taken_there = {at: "occupied" for at in _anchors(levels) if at not in score}
    steps = "" if limit >= g.grid.width * g.grid.height else f" within {count(limit, 'step')}"
    weighed = [weighing.of_spaces(f"free spaces{steps}", "EV-EMOVE-05", score, taken_there)]
    if far <= start:
        nearer = {at: f"distance {apart}" for at, apart in score.items()}
        weighed.append(weighing.of_spaces(f"farther from {name} than {start}", "EV-EMOVE-07", (), nearer))
        g.note(f"{roster.label(g, ref)} does not move: no space is farther away.", "EV-EMOVE-07", weighed=weighed)
        return
    cells = [at for at, apart in score.items() if apart == far]
    nearer = {at: f"distance {apart}" for at, apart in score.items() if apart != far}
    weighed.append(weighing.of_spaces(f"farthest from {name}", "EV-EMOVE-07", cells, nearer, f"distance {far}"))
    yield from _go(g, ref, cells, levels, "EV-EMOVE-07", f"away from {name}", weighed)


def to_cover(g: Evershade, ref: str, target: str, limit: int | None) -> Proc[None]:
    """Move to the closest free space with Cover against the target, or as far as the movement goes on a way there.

    Without a number it moves as far as it needs (EV-EMOVE-01, EV-ENEMY-09).
    """
    goal = spaces.cells_of(g, target)
    taken = spaces.occupied(g, but=ref)

    def covered(mask: int) -> bool:
        return not mask & taken and spaces.cover_at(g, mask, goal)

    levels = Mover(g, ref).search(terrain(g) | spaces.member_spaces(g), None, covered)
    ends = [spot for spot in levels[-1] if covered(footprint(g, ref, spot[0]))]
    covers = [at for at, _ in ends]
    bare = {
        at: "occupied" if footprint(g, ref, at) & taken else "no Cover" for at in _anchors(levels) if at not in covers
    }
    criterion = f"closest free space with Cover from {roster.label(g, target)}"
    weighed = [weighing.of_spaces(criterion, "EV-EMOVE-01", covers, bare)]
    if not ends:
        g.note(f"{roster.label(g, ref)} finds no space with Cover.", "EV-ENEMY-09", weighed=weighed)
        return
    if len(levels) == 1:
        g.note(f"{roster.label(g, ref)} has Cover where it stands.", "EV-EMOVE-01", weighed=weighed)
        return
    ways = _pruned(levels, ends)
    levels = _as_far_as(g, ref, ways, limit if limit is not None else len(levels))
    if limit is not None:
        weighed.append(_farthest(g, ref, ways, levels, limit))
    if len(levels) == 1:
        words = f"{roster.label(g, ref)} does not move: no space on the way to Cover is free."
        g.note(words, "EV-EMOVE-05", weighed=weighed)
        return
    cells = _free_ends(g, ref, levels[-1])
    yield from _go(g, ref, cells, levels, "EV-EMOVE-01", f"into Cover from {roster.label(g, target)}", weighed)


# -- what was weighed -------------------------------------------------------------------------------------------------


def _anchors(levels: Levels) -> list[Cell]:
    """The spaces of some levels, each once, the nearest first."""
    return list(dict.fromkeys(at for level in levels for at, _ in level))


def _left_out(levels: Levels, kept: Levels) -> list[Cell]:
    """The spaces that are in no level any more."""
    left = dict.fromkeys(_anchors(kept))
    return [at for at in _anchors(levels) if at not in left]


def _farthest(g: Evershade, ref: str, levels: Levels, kept: Levels, limit: int) -> Weighing:
    """As far as the movement allows, on a free space (EV-EMOVE-05): the levels up to `kept` of all."""
    last = len(kept) - 1
    ends = _free_ends(g, ref, kept[-1]) if last else []
    dropped: dict[Cell, str] = {}
    for steps, level in enumerate(levels):
        for at, _ in level:
            if steps == 0 or at in ends:
                continue
            if steps > limit:
                dropped[at] = f"more than {count(limit, 'step')}"
            else:
                dropped[at] = "a farther space is free" if steps < last else "occupied"
    return weighing.of_spaces("as far as it may go, to a free space", "EV-EMOVE-05", ends, dropped)


# -- choosing among equals and walking --------------------------------------------------------------------------------


def _ways(g: Evershade, ref: str, levels: Levels, end: Cell) -> dict[str, list[Cell]]:
    """Of the shortest ways to a space one for each damage that may be taken on them: {damage: spaces entered}."""
    mover = Mover(g, ref)
    length = next(number for number, level in enumerate(levels) if any(at == end for at, _ in level))
    ways: dict[Spot, dict[int, list[Cell]]] = {(mover.start, 0): {0: []}}
    for level in levels[1 : length + 1]:
        reached: dict[Spot, dict[int, list[Cell]]] = {}
        for spot, backs in level.items():
            there = footprint(g, ref, spot[0])
            for back in backs:
                harm = mover.harm(footprint(g, ref, back[0]), there)
                for taken, way in ways.get(back, {}).items():
                    reached.setdefault(spot, {}).setdefault(taken + harm, [*way, spot[0]])
        ways = reached
    return {str(taken): way for spot, found in ways.items() if spot[0] == end for taken, way in found.items()}


def _go(
    g: Evershade, ref: str, cells: list[Cell], levels: Levels, rule: str, words: str, weighed: list[Weighing]
) -> Proc[None]:
    ordered = sorted(cells, key=lambda cell: (cell[1], cell[0]))
    key = yield Ask(_which_end, ref, [list(cell) for cell in ordered], rule)
    end = as_cell(key)
    ways = _ways(g, ref, levels, end)
    harm = yield Ask(_which_way, ref, {damage: [cell_key(cell) for cell in way] for damage, way in ways.items()}, rule)
    if len(ordered) > 1:
        others = tuple(cell for cell in ordered if cell != end)
        weighed.append(weighing.by_players([Candidate("", (end,))], [Candidate("", others)]))
    others_ways = [Candidate("", tuple(way), f"losing {lost} HP") for lost, way in ways.items() if lost != harm]
    hurt = f"losing {harm} HP" if harm != "0" else ""
    weighed.append(Weighing("the way", rule, (Candidate("", tuple(ways[harm]), hurt),), tuple(others_ways)))
    movement.set_out(g, ref)
    steps = 0
    for cell in ways[harm]:
        here = spaces.anchor(g, ref)
        if here is None:
            return
        steps += 1
        if (yield from movement.enter(g, ref, here, cell)):
            return
    g.note(f"{roster.label(g, ref)} moves {steps} {words}, to {cell_key(end)}.", rule, "EV-EMOVE-08", weighed=weighed)


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


def _which_way(g: Evershade, ref: str, ways: dict[str, list[str]], rule: str) -> Choose | Settled:
    """Of several paths the players choose one; only the damage taken on them makes a difference (EV-EMOVE-06)."""
    if len(ways) == 1:
        return Settled(next(iter(ways)))
    return Choose(
        name="enemy_path",
        prompt=f"{roster.label(g, ref)} could take several paths: which one?",
        who=g.group(),
        options=tuple(Option(harm, f"losing {harm} HP", note=", ".join(ways[harm])) for harm in sorted(ways, key=int)),
        rules=(rule, "EV-SPACE-05"),
        about=(ref,),
    )
