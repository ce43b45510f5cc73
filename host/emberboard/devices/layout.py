"""What the dice station's keys mean: the plain layout, and Odalin's with faces of coloured dice on six of them.

A layout maps the name of a key in the table's file to the name that is told. Keys that it does not name keep theirs.
Odalin's book names colours of dice but no faces (rules/odalin.yaml, OD-HIT-04), so the faces are those of our own dice.
"""

from __future__ import annotations

from collections.abc import Mapping

from emberboard.devices.table_file import KEYS

ODALIN_FACES = ("blank", "1 hit", "2 hits", "damage", "soul", "corruption")
"""The six keys for Odalin's dice, on 1 to 6 of the station."""

LAYOUTS: Mapping[str, Mapping[str, str]] = {
    "numbers": {},
    "odalin": dict(zip(KEYS, ODALIN_FACES)),
}
"""Layouts by name."""

WITH_LONG = frozenset({"Undo"})
"""Keys whose long press means something else: short takes back a die, long an answer (DESIGN section 3)."""
