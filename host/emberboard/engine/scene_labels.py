"""Two letters for everything in a scene: capitals for the party, small first letters for the others."""

from __future__ import annotations

from collections.abc import Mapping

from emberboard.engine.scene import Scene


def labels_of(figures: Mapping[str, tuple[str, str, str]]) -> dict[str, str]:
    """Two letters for each id, given its name, side and letter: `MA`, `gA`, `ol`; different ones for all."""
    labels: dict[str, str] = {}
    for ref, (name, side, letter) in figures.items():
        words = "".join(char if char.isalnum() else " " for char in name).split() or ["?"]
        first = words[0]
        if letter:
            tries = [first[0].lower() + letter.upper()]
        else:
            initials = [words[0][0] + words[1][0]] if len(words) > 1 else []
            tries = [*initials, first[:2], *(first[0] + char for char in "".join(words)[1:])]
            tries = [f"{text:<2}".upper() if side == "party" else f"{text:<2}".lower() for text in tries]
        tries += [f"{tries[0][0]}{number}" for number in range(1, 10)]
        labels[ref] = next((text for text in tries if text not in labels.values()), tries[0])
    return labels


def scene_labels(scene: Scene) -> dict[str, str]:
    """The letters of everything in a scene: the row's cards, figures, tokens."""
    known: dict[str, tuple[str, str, str]] = {}
    for entry in scene.row:
        known[entry.id] = (entry.name, entry.side, "")
    for figure in scene.figures:
        if figure.id not in known:
            known[figure.id] = (figure.name, figure.side, figure.letter)
    for token in scene.tokens:
        if token.id not in known:
            known[token.id] = (token.name, "token", "")
    return labels_of(known)
