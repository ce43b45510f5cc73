"""What an Enemy's decision looked at, criterion by criterion, as data for the log and the table.

The rules decide elsewhere; here their candidates become figures and spaces with a word on each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from emberboard.engine.game import Candidate, Weighing
from emberboard.engine.question import Cell
from emberboard.games.evershade import roster, spaces

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


def figure(g: Evershade, ref: str, why: str = "") -> Candidate:
    """A figure with the spaces that it covers now."""
    at, size = spaces.anchor(g, ref), spaces.size_of(g, ref)
    if at is None or size == 1:
        return Candidate(ref, () if at is None else (at,), why)
    return Candidate(ref, tuple((at[0] + dx, at[1] + dy) for dy in range(size) for dx in range(size)), why)


def in_groups(why: Mapping[Cell, str]) -> tuple[Candidate, ...]:
    """Spaces with the same word on them together, in the order of their first."""
    groups: dict[str, list[Cell]] = {}
    for cell, words in why.items():
        groups.setdefault(words, []).append(cell)
    return tuple(Candidate("", tuple(cells), words) for words, cells in groups.items())


def of_spaces(
    criterion: str, rule: str, kept: Iterable[Cell], dropped: Mapping[Cell, str] | None = None, why: str = ""
) -> Weighing:
    """A criterion on spaces; `why` is the word on those kept."""
    cells = tuple(dict.fromkeys(kept))
    return Weighing(criterion, rule, (Candidate("", cells, why),) if cells else (), in_groups(dropped or {}))


def order_of_models(g: Evershade, enemy: str) -> tuple[Weighing, ...]:
    """In which order the models of one Enemy card act; nothing for a single one (EV-ENEMY-03)."""
    one = roster.enemy(g, enemy)
    if len(one.models) < 2:
        return ()
    models = tuple(figure(g, roster.ref_of(g, one, letter)) for letter in sorted(one.models))
    return (Weighing("the models act by their letters", "EV-ENEMY-03", models),)


def by_players(kept: Sequence[Candidate], dropped: Sequence[Candidate]) -> Weighing:
    """Equals among which the players chose (EV-TARGET-01)."""
    return Weighing("among equals the players choose", "EV-TARGET-01", tuple(kept), tuple(dropped))
