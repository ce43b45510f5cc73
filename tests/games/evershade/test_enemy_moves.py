"""Enemy movement against a plain search written from the rules alone, on many small random Sheets."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from emberboard.engine.question import Cell, Place, cell_key
from emberboard.engine.session import Session
from emberboard.games.evershade.game import Evershade

WIDTH, HEIGHT = 5, 4
CELLS = [(x, y) for y in range(HEIGHT) for x in range(WIDTH)]


class Layout:
    """A random Sheet with one Archer, its target Ada, and others of both sides."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        sides = [((x, y), (x + 1, y)) for x, y in CELLS if x + 1 < WIDTH]
        sides += [((x, y), (x, y + 1)) for x, y in CELLS if y + 1 < HEIGHT]
        self.walls = rng.sample(sides, rng.randint(0, 9))
        self.archer, self.ada, *rest = rng.sample(CELLS, 7)
        members = rng.randint(0, 3)
        self.members, self.goons = rest[:members], rest[members:]
        self.steps = rng.randint(1, 6)

    def ways(self, cell: Cell) -> Iterator[Cell]:
        """The connected spaces (EV-EMOVE-02, EV-EMOVE-08)."""
        x, y = cell
        for to in ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)):
            if to in CELLS and (cell, to) not in self.walls and (to, cell) not in self.walls:
                yield to

    def lengths(self, closed: list[Cell]) -> dict[Cell, int]:
        """The path length of every space to Ada's, around closed ones."""
        found = {self.ada: 0}
        front = [self.ada]
        for cell in front:
            for to in self.ways(cell):
                if to not in found and to not in closed:
                    found[to] = found[cell] + 1
                    front.append(to)
        return found

    def setup(self) -> dict[str, Any]:
        members = {f"member{n}": {"at": list(at), "hp": 10} for n, at in enumerate(self.members)}
        return {
            "content": {
                "enemies": {
                    "archer": {"name": "Archer", "category": "Elite", "hp": 9},
                    "goon": {"name": "Goon", "category": "Minion", "models": 8},
                }
            },
            "grid": {"size": [WIDTH, HEIGHT], "walls": [[list(a), list(b)] for a, b in self.walls]},
            "characters": {"ada": {"at": list(self.ada), "hp": 10}, **members},
            "enemies": {"archer": {"at": list(self.archer)}, "goon": {"at": [list(at) for at in self.goons]}},
        }


def ends(layout: Layout, move: str) -> list[Cell]:
    """The spaces on which the Archer may end by the rules' procedure: what it asks, or where it went."""
    session = Session.new(Evershade, layout.setup())
    session.start("enemy_moves", {"enemy": "archer", "move": move, "target": "ada", "spaces_": layout.steps})
    if session.question is not None:
        assert isinstance(session.question, Place)
        assert session.question.who.mode == "group"
        return sorted(option.at for option in session.question.options if option.at is not None)
    return [session.game.state.enemies["archer"].models["A"].at]


def toward(layout: Layout) -> list[Cell]:
    """As many closer spaces as the number allows, not through Party Members, ending on a free one (EV-EMOVE-06)."""
    lengths = layout.lengths(layout.members)
    if layout.archer not in lengths:
        lengths = layout.lengths([])
    if layout.archer not in lengths:
        return [layout.archer]
    best, front = [layout.archer], [layout.archer]
    for _ in range(layout.steps):
        closer = [(to, cell) for cell in front for to in layout.ways(cell) if to in lengths]
        front = [to for to, cell in closer if lengths[to] == lengths[cell] - 1]
        front = [to for to in dict.fromkeys(front) if to not in (layout.ada, *layout.members)]
        best = [cell for cell in front if cell not in layout.goons] or best
    return sorted(best)


def away(layout: Layout) -> list[Cell]:
    """The farthest free spaces that the number reaches, if they are farther than the first (EV-EMOVE-07)."""

    def apart(cell: Cell) -> int:
        return abs(cell[0] - layout.ada[0]) + abs(cell[1] - layout.ada[1])

    reached, front = [layout.archer], [layout.archer]
    for _ in range(layout.steps):
        front = [to for cell in front for to in layout.ways(cell)]
        front = [to for to in dict.fromkeys(front) if to not in (*reached, layout.ada, *layout.members)]
        reached += front
    free = [cell for cell in reached if cell not in layout.goons]
    far = max(apart(cell) for cell in free)
    return sorted(cell for cell in free if apart(cell) == far) if far > apart(layout.archer) else [layout.archer]


@pytest.mark.rules("EV-EMOVE-02", "EV-EMOVE-04", "EV-EMOVE-05", "EV-EMOVE-06", "EV-EMOVE-08")
def test_a_move_toward_ends_where_the_rules_say() -> None:
    for seed in range(300):
        layout = Layout(seed)
        expected = ", ".join(map(cell_key, toward(layout)))
        assert ", ".join(map(cell_key, ends(layout, "toward"))) == expected, f"layout {seed}"


@pytest.mark.rules("EV-EMOVE-02", "EV-EMOVE-04", "EV-EMOVE-05", "EV-EMOVE-07", "EV-EMOVE-08")
def test_a_move_away_ends_where_the_rules_say() -> None:
    for seed in range(300):
        layout = Layout(seed)
        expected = ", ".join(map(cell_key, away(layout)))
        assert ", ".join(map(cell_key, ends(layout, "away"))) == expected, f"layout {seed}"


@pytest.mark.rules("EV-TARGET-06")
def test_a_target_is_valid_for_a_move_exactly_when_terrain_leaves_a_path() -> None:
    for seed in range(200):
        layout = Layout(seed)
        session = Session.new(Evershade, layout.setup())
        action = {"by": "closest", "low": 0, "count": 9, "move": "toward", "spaces": 1}
        session.start("enemy_action", {"enemy": "archer", "action": action})
        note = next(note for note in session.log if "EV-TARGET-01" in note.rules)
        reachable = layout.archer in layout.lengths([])
        assert ("Ada dropped: no path (EV-TARGET-06)" not in note.detail) == reachable, f"layout {seed}"
