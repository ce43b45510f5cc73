"""What keys, seats and readers tell, as the table's inputs; a device that fails becomes link health."""

from __future__ import annotations

from collections.abc import Sequence

from emberboard.devices import events as told
from emberboard.table.hardware import AnyInput, Key, LinkHealth, SeatButton, TagGone, TagShown


class DeviceInputs:
    """Translates device events. `seats` are the game's seats in the order of the numbered buttons, from 1."""

    def __init__(self, seats: Sequence[str]) -> None:
        self._seats = tuple(seats)
        self._troubles: dict[str, str] = {}

    def inputs(self, event: told.DeviceEvent) -> list[AnyInput]:
        """What a device event means to the table. A button of a seat that nobody sits at means nothing."""
        match event:
            case told.KeyPressed(at=at, key=key, long=long):
                return [Key(at=at, name=key, long=long)]
            case told.SeatPressed(at=at, seat=seat, yes=yes):
                known = 1 <= seat <= len(self._seats)
                return [SeatButton(at=at, seat=self._seats[seat - 1], yes=yes)] if known else []
            case told.TagShown(at=at, tag=tag):
                return [TagShown(at=at, tag=tag)]
            case told.TagGone(at=at, tag=tag):
                return [TagGone(at=at, tag=tag)]
            case told.KeyStuck(at=at, key=key):
                return self._trouble(at, f"key {key}", f"The key {key} is stuck.")
            case told.DeviceLost(at=at, device=device, words=words):
                return self._trouble(at, device, words)
            case told.DeviceBack(at=at, device=device):
                return self._trouble(at, device, "")
            case _:
                return []

    def _trouble(self, at: int, what: str, words: str) -> list[AnyInput]:
        if words:
            self._troubles[what] = words
        else:
            self._troubles.pop(what, None)
        words = " ".join(self._troubles.values())
        return [LinkHealth(at=at, state="lost" if words else "good", words=words, source="devices")]
