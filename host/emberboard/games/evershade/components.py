"""The supply of the box: what is limited, and what a substitute may stand for (EV-GEN-02, EV-GEN-03)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emberboard.engine.timing import Proc

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade

LIMITS = {"Boon": 25, "Terror": 20, "Condition": 20, "Danger model": 3, "Quest model": 6, "Activation token": 15}
"""How many of each limited component there are; Universal markers, dials and dice are not limited."""
UNLIMITED = ("Universal marker", "HP dial", "D12", "Divinum die")
"""What a substitute stands for when it runs out, however few are counted (EV-GEN-03)."""
SPACE_TOKENS = 8
"""Tokens that are Dangerous on one side and Empty on the other; as many again are Dangerous and Blocked."""


def left(g: Evershade, name: str) -> int | None:
    """How many are in the supply; None for what never runs out."""
    if name in g.state.supply and name not in UNLIMITED:
        return g.state.supply[name]
    if name not in LIMITS:
        return None
    held = {
        "Boon": sum(len(one.boons) for one in g.state.members.values()),
        "Terror": sum(one.terror for one in g.state.members.values()),
        "Condition": sum(len(one.conditions) for one in g.state.members.values()),
    }
    return LIMITS[name] - held.get(name, g.state.placed.get(name, 0))


def take(g: Evershade, name: str, count: int = 1) -> int:
    """Take up to `count` from the supply; returns how many there were (EV-GEN-02)."""
    available = left(g, name)
    if available is None:
        return count
    got = min(count, max(available, 0))
    if name in g.state.supply:
        g.state.supply[name] -= got
    return got


def give(g: Evershade, name: str, count: int = 1) -> None:
    """Return components to the supply."""
    if name in g.state.supply:
        g.state.supply[name] += count


def space_token_left(g: Evershade, kind: str) -> bool:
    """Whether a space token is left: 8 are Dangerous or Empty, 8 others are Dangerous or Blocked (EV-GEN-03)."""
    lying = [*g.state.combat.spaces.values(), kind]
    return len(lying) <= 2 * SPACE_TOKENS and max(lying.count("empty"), lying.count("blocked")) <= SPACE_TOKENS


def place_components(g: Evershade, name: str, count: int, mark: str = "") -> Proc[None]:
    """Place components by a text, as far as the supply reaches; a mark that the text also orders is still made."""
    got = take(g, name, count)
    g.state.placed[name] = g.state.placed.get(name, 0) + got
    if got < count:
        g.note(f"Only {got} of {count} {name}s are left.", "EV-GEN-02")
    if mark and mark not in g.state.marked:
        g.state.marked.append(mark)
    yield from ()
