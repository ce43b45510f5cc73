"""What devices tell: small typed records with a time, put into the one queue that a device shares.

`at` is in ms of the clock that the device was given. Names of keys are those of the layout in use.
"""

from __future__ import annotations

import msgspec


class DeviceEvent(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Something that a device felt or found out at `at` ms."""

    at: int


class KeyPressed(DeviceEvent, frozen=True):
    """A key of the dice station. `long` when it was held; a key with a long meaning tells a short press on release."""

    key: str
    long: bool = False


class SeatPressed(DeviceEvent, frozen=True):
    """A seat's Yes or No button."""

    seat: int
    yes: bool


class KeyStuck(DeviceEvent, frozen=True):
    """A key that has been down for longer than any hand holds one: jammed, or a shorted line."""

    key: str


class TagShown(DeviceEvent, frozen=True):
    """A tag came to a reader. `tag` is its UID in upper-case hex, 8, 14 or 20 digits."""

    reader: str
    tag: str


class TagGone(DeviceEvent, frozen=True):
    """A tag left a reader: it was not seen in the stated number of polls."""

    reader: str
    tag: str


class DeviceLost(DeviceEvent, frozen=True):
    """A device fails: `words` say which, why and what to do. It is tried again by itself."""

    device: str
    words: str


class DeviceBack(DeviceEvent, frozen=True):
    """A device that was lost works again, or one works for the first time; `words` say what answers."""

    device: str
    words: str


class PowerLimited(DeviceEvent, frozen=True):
    """The rail's current limit acts: `wanted_ma` was asked for, `given_ma` is drawn. Equal when it no longer acts."""

    wanted_ma: int
    given_ma: int
