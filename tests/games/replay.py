"""Plays and replays games in a process of its own, so that PYTHONHASHSEED can differ: one line of digests a game.

`python -m tests.games.replay tests.games.test_miners:TestMiners 0:40`
"""

from __future__ import annotations

import hashlib
import importlib
import sys

import msgspec

from emberboard.engine.journal_bytes import decode_journal, encode_journal
from emberboard.engine.session import Session
from tests.games.conformance import Contender, place


def line(contender: Contender, seed: int) -> str:
    """Seed, hash of the journal as played, hash of the state, hash of the state when the journal is played again."""
    *_, session = contender.play(seed)
    operations = msgspec.to_builtins(list(session.journal.operations()))
    played = hashlib.sha256(msgspec.json.encode([place(session), operations])).hexdigest()
    again = Session.load(contender.game, decode_journal(encode_journal(session.journal), derived=False))
    if again.state_hash() != session.state_hash():
        raise SystemExit(f"seed {seed}: the journal played again gives another state")
    return f"{seed} {played} {session.state_hash()} {again.state_hash()}"


def main(path: str, seeds: str) -> None:
    """Print the lines of these seeds (`from:to`)."""
    module, _, name = path.partition(":")
    contender = getattr(importlib.import_module(module), name).contender
    for seed in range(*map(int, seeds.split(":"))):
        print(line(contender, seed))


if __name__ == "__main__":
    main(*sys.argv[1:])
