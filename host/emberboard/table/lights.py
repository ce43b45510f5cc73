"""Scene, answer in the making and mending as one picture of the tiles. Only changes are sent on.

While the table waits for hands to mend it, nothing of the question is lit: no question is open then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from emberboard.engine.question import Cell
from emberboard.engine.scene import Scene
from emberboard.table.hardware import Lights
from emberboard.table.mending import Step
from emberboard.table.roles import OFF, Theme

Cells = Mapping[str, Iterable[Cell]]


def question_picture(theme: Theme, scene: Scene, marks: Cells) -> dict[Cell, str]:
    """The tiles while a question is open: the scene's roles and terrain, and `marks`, which the answer so far adds."""
    roles: dict[str, list[Cell]] = {}
    for terrain, cells in scene.terrain.items():
        roles.setdefault(theme.terrain.get(terrain, ""), []).extend(cells)
    named: list[tuple[str, Iterable[Cell]]] = [*scene.roles.items(), *marks.items()]
    for role, lit in named:
        roles.setdefault(role, []).extend(lit)
    return theme.on_cells(roles)


def mending_picture(theme: Theme, step: Step, way: Iterable[Cell] = ()) -> dict[Cell, str]:
    """The tiles while hands are to mend: what to lift, where to put it, the way back between them after an undo."""
    lifted = "wrong" if step.kind == "clear" else "lift"
    return theme.on_cells({lifted: step.start, "put here": step.to, "path": way})


def changes(before: Mapping[Cell, str], after: Mapping[Cell, str]) -> dict[Cell, str]:
    """The tiles whose role is another now; those that went dark as `off`."""
    cells = {**before, **after}
    return {cell: after.get(cell, OFF) for cell in cells if before.get(cell, OFF) != after.get(cell, OFF)}


class LightsOut:
    """The way out to the tiles: remembers what is shown and sends a picture only when it is another."""

    def __init__(self, lights: Lights) -> None:
        self._lights = lights
        self.shown: dict[Cell, str] = {}
        self._sent = False

    def show(self, picture: Mapping[Cell, str]) -> dict[Cell, str]:
        """Show a picture; returns what changed."""
        changed = changes(self.shown, picture)
        if changed or not self._sent:
            self.shown, self._sent = dict(picture), True
            self._lights.show(self.shown)
        return changed
