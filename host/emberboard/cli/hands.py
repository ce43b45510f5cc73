"""What hands have to do on the real table: the figures and tokens that stand elsewhere than in the last picture."""

from __future__ import annotations

from emberboard.cli.signs import Signs
from emberboard.engine.question import Cell
from emberboard.engine.scene import Scene


def _placed(scene: Scene) -> dict[str, tuple[str, Cell]]:
    """Everything that lies or stands on the grid: its name and where."""
    placed = {f"figure {figure.id}": (figure.name, figure.at) for figure in scene.figures}
    return placed | {f"token {token.id}": (f"token {token.name}", token.at) for token in scene.tokens}


def for_the_hands(before: Scene | None, after: Scene, signs: Signs) -> str:
    """In words what to move, put down and take away, or nothing."""
    if before is None:
        return ""
    old, new = _placed(before), _placed(after)
    moves = [
        f"{name} {_cell(old[ref][1])}{signs.arrow}{_cell(at)}"
        for ref, (name, at) in new.items()
        if ref in old and tuple(old[ref][1]) != tuple(at)
    ]
    put = [f"{name} on {_cell(at)}" for ref, (name, at) in new.items() if ref not in old]
    away = [name for ref, (name, _) in old.items() if ref not in new]
    parts = [("move", moves), ("put down", put), ("take away", away)]
    return "; ".join(f"{verb} {', '.join(what)}" for verb, what in parts if what)


def _cell(cell: Cell) -> str:
    return f"{cell[0]},{cell[1]}"
