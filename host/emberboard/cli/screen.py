"""One whole picture of the table, laid out for the size of the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.text import Text

from emberboard.cli.board_view import board_lines, row_lines, wrap_parts
from emberboard.cli.log_view import log_lines
from emberboard.cli.signs import UNICODE, Signs
from emberboard.cli.styles import HANDS, NOTICE, QUIET
from emberboard.cli.table_view import GridDrawing
from emberboard.engine.game import Note
from emberboard.engine.question import Question
from emberboard.engine.scene import Scene
from emberboard.games.desk import Board

NARROWEST = 60
_BOARDS_BESIDE = 112
"""From this width on the boards stand beside the grid and the row, else below."""
_LEAST_LOG = 4
_LAYOUTS = ((False, False), (False, True), (True, False), (True, True))
"""Ways to lay the table out, best first: whether the grid has one line a row, whether boards show no single cards."""


@dataclass(frozen=True)
class Picture:
    """What is to be shown. `news` counts the notes at the end of `log` that came since the last question."""

    scene: Scene
    boards: Sequence[Board]
    log: Sequence[Note] = ()
    news: int = 0
    question: Question | None = None
    question_lines: Sequence[Text] = ()
    title: str = ""
    message: str = ""
    hands: str = ""
    signs: Signs = field(default=UNICODE)


def screen_lines(picture: Picture, width: int, height: int) -> list[Text]:
    """The picture as lines no wider than `width`; as high as `height` where that is possible at all.

    The question stands last, so that it is what one sees when the terminal is too low for everything.
    """
    width = max(width, NARROWEST)
    drawing = GridDrawing(picture.scene, picture.question, picture.signs)
    below = list(picture.question_lines)
    if picture.hands:
        below = [*_wrapped(f"On the table: {picture.hands}", width, HANDS), *below]
    if picture.message:
        below = [*_wrapped(picture.message, width, NOTICE), *below]
    title = _title(picture, width)
    # The line below the question is where people type.
    free = height - 1 - len(title) - len(below)
    table: list[Text] = []
    for compact, short in _LAYOUTS:
        table = _table(picture, drawing, width, compact=compact, short=short)
        if len(table) + _LEAST_LOG <= free:
            break
    room = max(_LEAST_LOG, free - len(table))
    log = log_lines(picture.log, picture.news, width, room, picture.signs)
    return [*title, *table, *log, *below]


def _title(picture: Picture, width: int) -> list[Text]:
    if not picture.title:
        return []
    line = Text(picture.title, style="bold")
    line.truncate(width)
    return [line]


def _wrapped(words: str, width: int, style: str) -> list[Text]:
    return [Text(line, style) for part in words.splitlines() for line in textwrap.wrap(part, width)]


def _table(picture: Picture, drawing: GridDrawing, width: int, *, compact: bool, short: bool) -> list[Text]:
    grid = drawing.lines(compact=compact)
    row = row_lines(picture.scene, drawing.labels, picture.signs)
    legend = [Text(f"{sign} {words}", QUIET) for sign, words in (*drawing.legend(), *_sides(picture))]
    active = {entry.id for entry in picture.scene.row if entry.active}
    beside = width >= _BOARDS_BESIDE

    def boards(wide: int) -> list[Text]:
        lines: list[Text] = []
        for board in picture.boards:
            lines += board_lines(
                board,
                drawing.labels.get(board.id, "??"),
                wide,
                picture.signs,
                active=board.id in active,
                short=short and board.id not in active,
            )
        return lines

    if beside:
        row_wide = max(cell_len(line.plain) for line in row) + 2
        boards_wide = width - drawing.width - row_wide - 3
        table = _side_by_side(grid, drawing.width + 2, _side_by_side(row, row_wide, boards(boards_wide)))
        return [*table, *wrap_parts(legend, width, "   ", first="   ")]
    side = width - drawing.width - 2
    if compact:
        for line in row:
            line.truncate(side)
        return [*_side_by_side(grid, drawing.width + 2, row), *boards(width)]
    wrapped = [line for entry in row for line in _narrowed(entry, side)]
    marks = [Text(""), *legend] if legend and len(wrapped) + len(legend) < len(grid) else []
    for line in marks:
        line.truncate(side)
    under = [] if marks else wrap_parts(legend, width, "   ", first="   ")
    return [*_side_by_side(grid, drawing.width + 2, [*wrapped, *marks]), *under, *boards(width)]


def _sides(picture: Picture) -> list[tuple[str, str]]:
    """The signs of cards and initiative tokens, as far as there are any."""
    signs = picture.signs
    cards, tokens = any(board.cards for board in picture.boards), picture.scene.bag
    light = ", ".join(word for word, there in (("light", cards), ("white", "white" in tokens)) if there)
    dark = ", ".join(word for word, there in (("dark", cards), ("black", "black" in tokens)) if there)
    named = [(signs.light, light), (signs.dark, dark), (signs.both, "dual" if "dual" in tokens else "")]
    return [(sign, words) for sign, words in named if words]


def _narrowed(line: Text, width: int) -> list[Text]:
    """A line of the row, on several lines where it is too long."""
    if cell_len(line.plain) <= width:
        return [line]
    parts = [Text(part) for part in line.plain.split("  ") if part.strip()]
    return wrap_parts(parts, width, "     ")


def _side_by_side(left: Sequence[Text], left_wide: int, right: Sequence[Text]) -> list[Text]:
    lines = []
    for index in range(max(len(left), len(right))):
        line = left[index].copy() if index < len(left) else Text()
        if index < len(right):
            line.append(" " * (left_wide - cell_len(line.plain)))
            line.append_text(right[index])
        lines.append(line)
    return lines
