"""Small pictures of saves for the list: the table as the save left it, as a scene and as SVG.

Sides differ by shape and by light and dark, not by colour alone: the party in light circles, Enemies in dark squares.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

from emberboard.engine.question import Cell
from emberboard.engine.scene import Figure, Scene
from emberboard.engine.scene_labels import scene_labels
from emberboard.engine.session import Session
from emberboard.games import registry
from emberboard.store.reading import copy_of
from emberboard.store.wal import companion

CELL = 24
"""Units of the drawing that a cell is wide."""
_MARGIN = 3
_MOST_CELLS = 4096
"""More cells than any table has; a larger scene is not drawn."""
_PAPER, _LINE, _INK = "#fbf8f1", "#b9b2a3", "#1b1b1f"
_DANGER, _PARTY, _WALL = "#c8642f", "#17507a", "#7a5c34"

Stamp = tuple[tuple[int, int], ...]
"""Time of change (ns) and size (bytes) of a save's file and of its log."""


def picture(path: Path) -> Scene | None:
    """The scene at the head of a save, which may be open elsewhere and is not changed.

    None for a save that is damaged, does not fit today's rules, or shows no table that could be drawn.
    """
    try:
        journal = copy_of(path)
        session = Session.load(registry.game_class(journal.meta.game), journal)
        scene = session.game.scene(session.question)
    except Exception:  # noqa: BLE001 - whatever rules raise over a state that they do not fit: the list has no picture
        return None
    return scene if 0 < scene.width * scene.height <= _MOST_CELLS else None


class Pictures:
    """The pictures of a list of saves, drawn again only when a save has changed. Of one thread."""

    def __init__(self) -> None:
        self._drawn: dict[Path, tuple[Stamp, str | None]] = {}

    def svg(self, path: Path) -> str | None:
        """The picture of the save at `path` as SVG; None where `picture` has none."""
        stamp = _stamp(path)
        if not stamp:
            self._drawn.pop(path, None)
            return None
        known = self._drawn.get(path)
        if known is None or known[0] != stamp:
            scene = picture(path)
            known = self._drawn[path] = (stamp, None if scene is None else svg_of(scene))
        return known[1]


def _stamp(path: Path) -> Stamp:
    found = []
    # What is played last stands in the log, and the file itself is as before.
    for file in (path, companion(path, "wal")):
        try:
            stat = file.stat()
        except OSError:
            continue
        found.append((stat.st_mtime_ns, stat.st_size))
    return tuple(found)


def svg_of(scene: Scene) -> str:
    """The scene as a small SVG: spaces, walls, terrain, tokens, figures with their letters and HP."""
    width, height = scene.width * CELL + 2 * _MARGIN, scene.height * CELL + 2 * _MARGIN
    labels = scene_labels(scene)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-_MARGIN} {-_MARGIN} {width} {height}" role="img"'
        f' font-family="sans-serif" text-anchor="middle">',
        f"<title>{_words(scene_words(scene))}</title>",
        *_spaces(scene),
        *_walls(scene),
        *(_token(token.at) for token in scene.tokens),
        *(part for figure in scene.figures for part in _figure(figure, labels[figure.id])),
        "</svg>",
    ]
    return "\n".join(parts)


def scene_words(scene: Scene) -> str:
    """The picture in words, for those who do not see it."""
    said = [f"Round {scene.round}"] if scene.round else []
    for side in dict.fromkeys(figure.side for figure in scene.figures):
        names = ", ".join(
            figure.name + (f" {figure.hp} HP" if figure.hp is not None else "")
            for figure in scene.figures
            if figure.side == side
        )
        said.append(f"{side}: {names}")
    return "; ".join(said) or "an empty table"


def _words(text: str) -> str:
    return escape("".join(char if char.isprintable() else " " for char in text), {'"': "&quot;"})


def _spaces(scene: Scene) -> Iterator[str]:
    missing = {(x, y) for x, y in scene.missing}
    for y in range(scene.height):
        for x in range(scene.width):
            if (x, y) not in missing:
                at = f'x="{x * CELL}" y="{y * CELL}" width="{CELL}" height="{CELL}"'
                yield f'<rect {at} fill="{_PAPER}" stroke="{_LINE}"/>'
    for x, y in scene.terrain.get("dangerous", ()):
        yield f'<path d="M{x * CELL + 4} {y * CELL + 20}l8 -15 8 15z" fill="none" stroke="{_DANGER}" stroke-width="2"/>'
    for x, y in scene.terrain.get("blocked", ()):
        corner = f"M{x * CELL} {y * CELL}"
        yield f'<path d="{corner}l{CELL} {CELL}m-{CELL} 0l{CELL} -{CELL}" stroke="{_INK}" stroke-width="1.5"/>'
    for x, y in scene.terrain.get("trigger", ()):
        middle = f"M{x * CELL + CELL // 2} {y * CELL + 4}v16m-8 -8h16m-14 -6l12 12m0 -12l-12 12"
        yield f'<path d="{middle}" stroke="{_INK}" stroke-width="1.5"/>'


def _walls(scene: Scene) -> Iterator[str]:
    for (ax, ay), (bx, by) in scene.walls:
        x, y = max(ax, bx) * CELL, max(ay, by) * CELL
        along = f"h{CELL}" if ax == bx else f"v{CELL}"
        yield f'<path d="M{x} {y}{along}" stroke="{_WALL}" stroke-width="4" stroke-linecap="square"/>'


def _token(at: Cell) -> str:
    x, y = at[0] * CELL + CELL // 2, at[1] * CELL + CELL // 2
    return f'<path d="M{x} {y - 7}l7 7 -7 7 -7 -7z" fill="{_LINE}" stroke="{_INK}"/>'


def _figure(figure: Figure, label: str) -> Iterator[str]:
    span = figure.size * CELL
    x, y = figure.at[0] * CELL + span / 2, figure.at[1] * CELL + span / 2
    half = span / 2 - 3
    party = figure.side == "party"
    if party:
        yield f'<circle cx="{x:g}" cy="{y:g}" r="{half:g}" fill="#ffffff" stroke="{_PARTY}" stroke-width="2.5"/>'
    else:
        corner = f'x="{x - half:g}" y="{y - half:g}" width="{2 * half:g}" height="{2 * half:g}"'
        yield f'<rect {corner} fill="{_INK}" stroke="{_INK}"/>'
    ink = _INK if party else "#ffffff"
    yield f'<text x="{x:g}" y="{y + 1:g}" font-size="10" font-weight="bold" fill="{ink}">{_words(label.strip())}</text>'
    if figure.hp is not None:
        yield f'<text x="{x:g}" y="{y + 8.5:g}" font-size="7.5" fill="{ink}">{figure.hp}</text>'
