"""How a worked example begins: a fresh game from its setup, or a whole state written out under `snapshot`."""

from __future__ import annotations

import random
from typing import Any

import msgspec

from emberboard.engine.content import decode
from emberboard.engine.errors import ContentError
from emberboard.engine.example_file import Case, Example, Place
from emberboard.engine.game import Game
from emberboard.engine.journal import ROOT, Applied, MemoryJournal, Meta, Snapshot
from emberboard.engine.session import Session

SNAPSHOT = "snapshot"


def opened(example: Example, case: Case, game: type[Game[Any]], rng: random.Random) -> Session:
    """A session in memory that stands where the case begins.

    Raises ContentError, Refused for a setup or state that cannot be; what rules raise over an odd state goes through.
    """
    if example.snapshot is None:
        return Session.new(game, case.setup, rng=rng)
    rules = example.versions.get("rules", game.rules_version)
    if rules == game.rules_version:
        decode(example.snapshot, game.state_type, at=(SNAPSHOT,))
    journal = MemoryJournal(Meta(game.name, rules, example.versions.get("content", ""), case.setup))
    journal.store(Applied(ROOT, (), Snapshot(ROOT, msgspec.json.encode(example.snapshot))))
    try:
        return Session.load(game, journal, rng=rng)
    except msgspec.ValidationError as error:
        raise ContentError(f"the state of rules version {rules} does not fit: {error}", field=SNAPSHOT) from error


def place_of(example: Example, case: Case, field: str) -> Place:
    """Where the dotted `field` of the setup or of the snapshot is written, or the nearest place around it."""
    first, *more = field.split(".")
    if first != SNAPSHOT:
        return case.setup_place(field)
    return example.place.inner(first, *(int(part) if part.isdigit() else part for part in more))


def versions_words(example: Example, rules: str, content: str = "") -> str:
    """With what the example was written and what runs it, in words; nothing where it does not say."""
    if not example.versions:
        return ""
    return f"written with {_listed(example.versions)}; run by {_listed({'rules': rules, 'content': content})}"


def _listed(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items() if version)
