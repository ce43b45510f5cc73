"""The kernel's own part of a game's state: the outer queue, the dues, and what seats said about windows.

Every game's state holds one `Ledger` under the name `ledger`; it is saved, hashed and undone with the rest.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from emberboard.engine.question import Json


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """One entry of the outer queue: a named procedure of the game and its arguments (plain data, ids only)."""

    procedure: str
    args: dict[str, Json] = {}


class Due(msgspec.Struct, frozen=True, omit_defaults=True):
    """A consequence that comes up later: at the end of a `scope` (action, turn, round, fight ...) of `owner`.

    `label` names it where players choose the order of several; `rules` are the ids behind it.
    """

    scope: str
    owner: str
    procedure: str
    args: dict[str, Json] = {}
    label: str = ""
    rules: tuple[str, ...] = ()


class Ledger(msgspec.Struct, omit_defaults=True):
    """The outer queue (`agenda`, first is next), the dues in the order they were made, and the seats' standing words.

    `passed` maps a seat to the scope until whose end it has passed ahead; `held` lists seats that hold windows open.
    """

    agenda: list[Step] = []
    dues: list[Due] = []
    passed: dict[str, str] = {}
    held: list[str] = []


class HasLedger(Protocol):
    """What the kernel needs of a game's state."""

    ledger: Ledger
