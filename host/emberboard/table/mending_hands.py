"""What a pair of hands does for a step of mending, as single moves: for whoever has no hands of flesh at the table.

`stands` is where the hands themselves put each figure, which may be another place than the table believes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from emberboard.engine.question import Cell
from emberboard.table.figures import footprint
from emberboard.table.mending import Step


class Move(msgspec.Struct, frozen=True):
    """`take up` a figure, `put` it on its top-left cell, `tap` it where it stands, or `press` the key No."""

    kind: Literal["take up", "put", "tap", "press"]
    figure: str = ""
    at: Cell | None = None


def moves_for(step: Step, stands: Mapping[str, Cell], sizes: Mapping[str, int]) -> list[Move]:
    """The moves for one step; none where it is enough to wait."""
    who, at = step.figure, stands.get(step.figure)
    match step.kind:
        case "settle":
            return []
        case "clear":
            found = covering(step.start[0], stands, sizes)
            return [Move("take up", found)] if found else []
        case "identify" if at is not None:
            return [Move("tap", who)]
        case "take" if at is not None:
            return [Move("take up", who)]
        case "put down":
            off = next((name for name in step.among if name not in stands), "")
            return [Move("put", off, step.to[0])] if off else [Move("press")]
        case "put" | "move" | "park" if at == (step.start[0] if step.start else None):
            return [Move("take up", who), Move("put", who, step.to[0])]
    return [Move("press")]  # the table takes one figure for another


def covering(cell: Cell, stands: Mapping[str, Cell], sizes: Mapping[str, int]) -> str:
    """The figure that the hands put on a cell, or none."""
    return next((who for who, at in stands.items() if cell in footprint(at, sizes.get(who, 1))), "")
