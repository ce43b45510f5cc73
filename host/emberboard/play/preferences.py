"""How a group plays a save: dice and tokens by hand, or rolled and drawn by the program.

It is kept beside the saves and not in the journal, because it changes nothing that the rules can see.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from emberboard.engine.errors import JournalError
from emberboard.store.saves import home

By = Literal["hand", "program"]


class Preferences(msgspec.Struct, frozen=True):
    """What Enter means when dice or a token are asked for. Entering by hand is always possible."""

    dice: By = "hand"
    tokens: By = "hand"


_Kept = dict[str, Preferences]


def _file() -> Path:
    return home() / "terminal.json"


def _kept() -> _Kept:
    try:
        return msgspec.json.decode(_file().read_bytes(), type=_Kept)
    except (OSError, msgspec.MsgspecError):
        return {}


def load_preferences(save: Path) -> Preferences:
    """What the group of this save chose; both by hand when nothing is known."""
    return _kept().get(save.name, Preferences())


def keep_preferences(save: Path, preferences: Preferences) -> None:
    """Remember it for this save, and forget saves that are gone. Raises JournalError when it cannot be written."""
    kept = {name: one for name, one in _kept().items() if (save.parent / name).exists()}
    kept[save.name] = preferences
    draft = _file().with_suffix(".draft")
    try:
        draft.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(msgspec.json.encode(kept))
        draft.replace(_file())
    except OSError as error:
        raise JournalError(f"How you play could not be kept in {_file()}: {error}. The fight is safe.") from error
