"""The grid as lines of text: spaces, walls between them, dangerous spaces, tokens, figures, what may be chosen.

A space is three columns: a sign, then two letters of the figure. Party figures are in capitals on their colour, Enemies
begin with a small letter; so sign and case say what the colours say.
"""

from __future__ import annotations

from rich.text import Text

from emberboard.cli.signs import UNICODE, Signs
from emberboard.cli.styles import (
    ACTIVE,
    ANSWER,
    DANGER,
    LINES,
    REACH,
    THREATENED,
    TOKEN,
    WALL,
    enemy_style,
    party_style,
)
from emberboard.engine.question import Cell, Choose, Place, Question
from emberboard.engine.scene import Figure, Scene
from emberboard.engine.scene_labels import scene_labels

CELL = 3
MARGIN = 3


def style_of(figure: Figure) -> str:
    """How a figure's letters are shown."""
    return party_style(figure.colour) if figure.side == "party" else enemy_style(figure.colour)


def numbers_of(question: Question | None) -> dict[Cell, int]:
    """The numbers of the options that point at a space."""
    if not isinstance(question, (Choose, Place)):
        return {}
    return {
        (option.at[0], option.at[1]): number
        for number, option in enumerate(question.options, 1)
        if option.at is not None and number < 100
    }


class GridDrawing:
    """One drawing of a scene's grid, with a question's options numbered in their spaces."""

    def __init__(self, scene: Scene, question: Question | None, signs: Signs = UNICODE) -> None:
        self.scene, self.signs = scene, signs
        self.labels = scene_labels(scene)
        self.numbers = numbers_of(question)
        self.missing = set(scene.missing)
        self.walls = {frozenset((tuple(a), tuple(b))) for a, b in scene.walls}
        self.roles = {name: set(cells) for name, cells in scene.roles.items()}
        self.terrain = {name: set(cells) for name, cells in scene.terrain.items()}
        self.tokens = {token.at: token for token in scene.tokens}
        self.figures: dict[Cell, Figure] = {}
        for figure in scene.figures:
            for dx in range(figure.size):
                for dy in range(figure.size):
                    self.figures[(figure.at[0] + dx, figure.at[1] + dy)] = figure

    @property
    def width(self) -> int:
        """Columns of the drawing."""
        return MARGIN + self.scene.width * (CELL + 1) + 1

    def lines(self, *, compact: bool = False) -> list[Text]:
        """The drawing. `compact` has one line a row: a wall below a space is then drawn at its foot."""
        lines = [self._coordinates()]
        for y in range(self.scene.height):
            if not compact:
                lines.append(self._border(y))
            lines.append(self._row(y, compact))
        if not compact:
            lines += [self._border(self.scene.height), self._coordinates()]
        return lines

    def _coordinates(self) -> Text:
        numbers = "".join(f" {x:^{CELL}}" for x in range(self.scene.width))
        return Text(f"{'':{MARGIN}}{numbers} ", style="bold")

    def _there(self, cell: Cell) -> bool:
        x, y = cell
        return 0 <= x < self.scene.width and 0 <= y < self.scene.height and cell not in self.missing

    def _wall(self, a: Cell, b: Cell) -> bool:
        return frozenset((a, b)) in self.walls

    def _border(self, y: int) -> Text:
        """The line above row `y`."""
        line = Text(" " * MARGIN)
        for x in range(self.scene.width + 1):
            line.append(*self._corner(x, y))
            if x < self.scene.width:
                above, below = (x, y - 1), (x, y)
                if self._wall(above, below):
                    line.append(self.signs.wall_across * CELL, WALL)
                elif self._there(above) or self._there(below):
                    line.append(self.signs.line_across * CELL, LINES)
                else:
                    line.append(" " * CELL)
        return line

    def _corner(self, x: int, y: int) -> tuple[str, str]:
        north_west, north_east, south_west, south_east = (x - 1, y - 1), (x, y - 1), (x - 1, y), (x, y)
        across = self._wall(north_west, south_west) or self._wall(north_east, south_east)
        down = self._wall(north_west, north_east) or self._wall(south_west, south_east)
        if across or down:
            sign = self.signs.wall_cross if across and down else self.signs.wall_across if across else ""
            return sign or self.signs.wall_down, WALL
        if any(self._there(cell) for cell in (north_west, north_east, south_west, south_east)):
            return self.signs.line_cross, LINES
        return " ", ""

    def _row(self, y: int, compact: bool) -> Text:
        line = Text.assemble((f"{y:>{MARGIN - 1}} ", "bold"))
        for x in range(self.scene.width + 1):
            here, before = (x, y), (x - 1, y)
            if self._wall(before, here):
                line.append(self.signs.wall_down, WALL)
            elif self._there(here) or self._there(before):
                line.append(self.signs.line_down, LINES)
            else:
                line.append(" ")
            if x < self.scene.width:
                line.append_text(self._cell(here, compact and self._wall(here, (x, y + 1))))
        return line

    def _cell(self, cell: Cell, foot: bool) -> Text:
        if not self._there(cell):
            return Text(" " * CELL)
        mark, mark_style = self._mark(cell)
        body, body_style = self._body(cell)
        shown = Text()
        if len(mark) + len(body) > CELL:
            mark = mark[: CELL - len(body)]
        blank = CELL - len(mark) - len(body)
        left = 0 if mark and body else (blank + 1) // 2
        filler = self.signs.wall_below if foot else " "
        filling = WALL if foot else ""
        shown.append(filler * left, filling)
        shown.append(mark, mark_style)
        shown.append(body, body_style)
        shown.append(filler * (blank - left), filling)
        return shown

    def _mark(self, cell: Cell) -> tuple[str, str]:
        """What is to be known about the space first: its number, who acts, who is in danger, where one may go."""
        number = self.numbers.get(cell)
        if number is not None:
            text = str(number)
            return (text, ANSWER) if len(text) == 1 or cell not in self.figures else ("#", "bold")
        if self._is(cell, "active"):
            return self.signs.active, ACTIVE
        if self._is(cell, "threatened"):
            return self.signs.threatened, THREATENED
        if self._is(cell, "reachable"):
            return self.signs.reach, REACH
        if cell in self.figures and cell in self.tokens:
            return self.signs.token, TOKEN
        if cell in self.figures and cell in self.terrain.get("dangerous", ()):
            return self.signs.danger, DANGER
        return "", ""

    def _is(self, cell: Cell, role: str) -> bool:
        return cell in self.roles.get(role, ())

    def _body(self, cell: Cell) -> tuple[str, str]:
        figure = self.figures.get(cell)
        if figure is not None:
            return self.labels[figure.id], style_of(figure)
        token = self.tokens.get(cell)
        if token is not None:
            return self.signs.token + self.labels[token.id][:1], TOKEN
        if cell in self.terrain.get("dangerous", ()):
            return self.signs.danger, DANGER
        if cell in self.terrain.get("blocked", ()):
            return self.signs.blocked * (CELL - 1), LINES
        if cell in self.terrain.get("trigger", ()):
            return self.signs.trigger, "bold"
        return "", ""

    def legend(self) -> list[tuple[str, str]]:
        """The signs that this drawing uses, with their words."""
        signs = self.signs
        used = [
            (signs.reach, "can be reached", bool(self.roles.get("reachable"))),
            ("1", "an answer", bool(self.numbers)),
            (signs.active, "acts now", bool(self.roles.get("active"))),
            (signs.threatened, "is attacked", bool(self.roles.get("threatened"))),
            (signs.danger, "dangerous", bool(self.terrain.get("dangerous"))),
            (signs.blocked, "blocked", bool(self.terrain.get("blocked"))),
            (signs.trigger, "trigger", bool(self.terrain.get("trigger"))),
            (signs.wall_across, "wall", bool(self.walls)),
        ]
        found = [(sign, words) for sign, words, there in used if there]
        for token in self.scene.tokens:
            found.append((signs.token + self.labels[token.id][:1], f"{token.name} {token.at[0]},{token.at[1]}"))
        return found
