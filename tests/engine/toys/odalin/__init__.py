"""Odalin in miniature: turns on a track, Instants, favourite targets, Guard, Taint, triggers and blasts.

Reads like the rulebook; the ids are those of `rules/odalin.yaml`. The board is a plain list of squares on open
floor. Left out: Vision, terrain, diagonal rules, Stealth, demonic forms, Tainted Action Points as a price, and
the double move.
"""

from __future__ import annotations

from tests.engine.toys.odalin import soul, turns, villains
from tests.engine.toys.odalin.dungeon import Odalin

Odalin.procedures = {
    procedure.__name__: procedure
    for procedure in (
        turns.next_turn,
        turns.hero_turn,
        turns.instant,
        turns.redirect,
        turns.wears_off,
        villains.villain_turn,
        soul.item,
        soul.blast,
    )
}

__all__ = ["Odalin"]
