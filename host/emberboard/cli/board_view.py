"""The initiative row and the Characters' boards as lines of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.cells import cell_len
from rich.text import Text

from emberboard.cli.signs import Signs
from emberboard.cli.styles import ACTIVE, NOTICE, QUIET, party_style
from emberboard.cli.table_view import style_of
from emberboard.engine.scene import Figure, RowEntry, Scene
from emberboard.games.desk import Board


def row_lines(scene: Scene, labels: Mapping[str, str], signs: Signs) -> list[Text]:
    """The round, the bag, and who has acted, with which token; who acts now is marked."""
    lines = [Text(f"Round {scene.round}" if scene.round else "Before the first Round", style="bold")]
    if scene.bag:
        bag = [f"{token_sign(token, signs) or token} {count}" for token, count in scene.bag.items()]
        lines.append(Text("bag  " + "   ".join(bag)))
    by_enemy: dict[str, list[Figure]] = {}
    for figure in scene.figures:
        by_enemy.setdefault(figure.id.split(":")[0], []).append(figure)
    side = ""
    for entry in scene.row:
        if entry.side != side:
            side = entry.side
            lines.append(Text("Party" if side == "party" else "Enemies", style=QUIET))
        lines.append(_row_entry(entry, by_enemy.get(entry.id, []), labels, signs))
    return lines


def token_sign(token: str, signs: Signs) -> str:
    """The sign of an initiative token."""
    return {"white": signs.light, "black": signs.dark, "dual": signs.both}.get(token, "")


def _row_entry(entry: RowEntry, figures: Sequence[Figure], labels: Mapping[str, str], signs: Signs) -> Text:
    line = Text()
    if entry.active:
        line.append(signs.active, ACTIVE)
        line.append(" ")
    else:
        line.append(f"{signs.acted if entry.acted else ' '} ", "bold")
    lone = len(figures) == 1 and ":" not in figures[0].id
    style = style_of(figures[0]) if lone else "bold"
    line.append(labels.get(entry.id, ""), style if lone or entry.side == "party" else "")
    line.append(f" {entry.name}", "bold" if entry.active else QUIET if entry.acted else "")
    if entry.side == "enemy" and lone and figures[0].hp is not None:
        line.append(f" {figures[0].hp}/{figures[0].hp_max}")
    elif entry.side == "enemy" and figures:
        line.append(" " + "".join(figure.letter for figure in figures), "bold")
    if entry.token:
        line.append(f" {token_sign(entry.token, signs) or entry.token}")
    if entry.note and entry.note != "standing":
        line.append(f" {entry.note}", "bold")
    return line


def board_lines(
    board: Board, label: str, width: int, signs: Signs, *, active: bool = False, short: bool = False
) -> list[Text]:
    """One board: name, HP as bar and number, counters, lists, cards with the side that is up."""
    head = Text()
    head.append(signs.active if active else " ", ACTIVE if active else "")
    head.append(label, party_style(board.colour))
    head.append(f" {board.name}", "bold")
    head.append(f" ({board.seat})", QUIET)
    values = Text()
    if board.status:
        values.append(board.status.upper(), NOTICE)
    else:
        values.append("HP ", "")
        values.append_text(hp_bar(board.hp, board.hp_max, signs))
    for name, count in board.counters:
        if count or name == "Fate":
            values.append(f"  {name} ")
            values.append(str(count), "bold")
    lists = "  ".join(f"{name}: {', '.join(words)}" for name, words in board.lists if words)
    parts = [head, values, Text(lists)] if lists else [head, values]
    if short:
        light = sum(card.light for card in board.cards)
        parts.append(Text(f"{signs.light}{light} {signs.dark}{len(board.cards) - light}"))
        return wrap_parts(parts, width, "   ")
    lines = wrap_parts(parts, width, "   ")
    cards = []
    for card in board.cards:
        sign = signs.light if card.light else signs.dark
        cards.append(Text(f"{sign} {card.name}", style="" if card.light else QUIET))
    return lines + wrap_parts(cards, width, "   ", first="   ")


def hp_bar(hp: int, most: int, signs: Signs, length: int = 8) -> Text:
    """HP as a bar and a number; the bar is never empty while there is HP, and never full while some is missing."""
    full = 0 if most <= 0 or hp <= 0 else max(1, min(length - (hp < most), round(length * hp / most)))
    style = "green" if 2 * hp > most else "" if 4 * hp > most else "red"
    bar = Text(signs.bar_full * full, style)
    bar.append(signs.bar_empty * (length - full), QUIET)
    bar.append(f" {hp}/{most}", "bold")
    return bar


def wrap_parts(parts: Sequence[Text], width: int, indent: str, *, first: str = "") -> list[Text]:
    """Parts side by side, two blanks apart, on as many lines as they need; a part is only cut where it must be."""
    lines: list[Text] = []
    line = Text(first)
    empty = True
    for part in parts:
        gap = 0 if empty else 2
        if not empty and cell_len(line.plain) + gap + cell_len(part.plain) > width:
            lines.append(line)
            line, empty, gap = Text(indent), True, 0
        line.append(" " * gap)
        line.append_text(part)
        empty = False
    if not empty:
        lines.append(line)
    for one in lines:
        one.truncate(width)
    return lines
