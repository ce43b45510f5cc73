"""Who may be where when several may: places with candidates, and what every consistent assignment leaves of them.

A place holds exactly one identity and every identity is at exactly one place, so a consistent assignment is a
perfect matching. `sharpen` keeps a candidate exactly when it is part of some perfect matching.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

P = TypeVar("P")


def assignments(places: Mapping[P, frozenset[str]]) -> Iterator[dict[P, str]]:
    """Every consistent assignment, place by place. Their number grows with the factorial of the undecided places."""
    order = sorted(places, key=lambda place: len(places[place]))
    yield from _assign(order, places, {})


def _assign(order: Sequence[P], places: Mapping[P, frozenset[str]], made: dict[P, str]) -> Iterator[dict[P, str]]:
    if len(made) == len(order):
        yield dict(made)
        return
    place = order[len(made)]
    taken = set(made.values())
    for who in sorted(places[place] - taken):
        made[place] = who
        yield from _assign(order, places, made)
        del made[place]


def sharpen(places: Mapping[P, frozenset[str]]) -> dict[P, frozenset[str]]:
    """The candidates that occur in some consistent assignment; places without any are left as they were."""
    left = dict(places)
    open_places = [place for place, who in left.items() if len(who) > 1]
    sure = {next(iter(who)) for who in left.values() if len(who) == 1}
    narrow = {place: left[place] - sure for place in open_places}
    matched = _match(narrow, {})
    if matched is None:
        return left
    for place in open_places:
        left[place] = frozenset(
            who for who in narrow[place] if matched[place] == who or _match(narrow, {place: who}) is not None
        )
    return left


def _match(places: Mapping[P, frozenset[str]], forced: Mapping[P, str]) -> dict[P, str] | None:
    """A perfect matching that holds what is forced (augmenting paths), or None."""
    holder: dict[str, P] = {who: place for place, who in forced.items()}
    for place in places:
        if place not in forced and not _augment(place, places, holder, set(forced.values())):
            return None
    return {place: who for who, place in holder.items()}


def _augment(place: P, places: Mapping[P, frozenset[str]], holder: dict[str, P], seen: set[str]) -> bool:
    for who in sorted(places[place]):
        if who in seen:
            continue
        seen.add(who)
        if who not in holder or _augment(holder[who], places, holder, seen):
            holder[who] = place
            return True
    return False
