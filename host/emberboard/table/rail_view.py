"""What the rail shows: whose turn it is, the initiative row, link health, the echo of what is keyed in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from emberboard.engine.question import Question
from emberboard.engine.scene import Scene
from emberboard.table.draft import Draft
from emberboard.table.hardware import LinkHealth, RailPicture, RailSlot
from emberboard.table.roles import Colour, Theme

SEVERITY: tuple[Literal["good", "limited", "lost"], ...] = ("good", "limited", "lost")


def rail_picture(
    scene: Scene, question: Question | None, draft: Draft | None, health: Sequence[LinkHealth], words: str, notice: str
) -> RailPicture:
    """The rail's picture; `words` are what is to be done now, `health` what boards and devices said of themselves."""
    row = tuple(
        RailSlot(one.id, one.name, one.side, "active" if one.active else "acted" if one.acted else "waiting")
        for one in scene.row
    )
    turn = next((one.name for one in scene.row if one.active), "")
    if not turn and question is not None:
        turn = " or ".join(question.who.seats) if question.who.mode in ("one", "any") else "the group"
    echo = draft.echo() if draft is not None else ()
    worst = max((one.state for one in health), key=SEVERITY.index, default=SEVERITY[0])
    told = " ".join(filter(None, (notice, *(one.words for one in health))))
    return RailPicture(turn, row, worst, echo, words, told)


def rail_pixels(picture: RailPicture, theme: Theme, length: int) -> list[Colour]:
    """The picture as `length` lights: link health first, then a light for each place of the row; the rest is dark.

    Who is active shines full, who waits at a third, who has acted as the theme's `acted`. A row that is too long for
    the rail is shown around the active place.
    """
    dark: Colour = (0, 0, 0)
    if length <= 0:
        return []
    slots = list(picture.row)
    room = length - 1
    if len(slots) > room:
        active = next((n for n, slot in enumerate(slots) if slot.state == "active"), 0)
        first = max(0, min(active - room // 2, len(slots) - room))
        slots = slots[first : first + room]
    lit = [_slot_colour(slot, theme) for slot in slots]
    return [theme.rail.get(picture.health, dark), *lit, *[dark] * (room - len(lit))]


def _slot_colour(slot: RailSlot, theme: Theme) -> Colour:
    if slot.state == "acted":
        return theme.rail.get("acted", (12, 12, 12))
    red, green, blue = theme.rail.get(slot.side, theme.rail.get("other", (120, 120, 120)))
    return (red, green, blue) if slot.state == "active" else (red // 3, green // 3, blue // 3)
