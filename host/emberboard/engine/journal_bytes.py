"""A whole journal as bytes and back: what a save is, without a file.

Only what the `Journal` contract promises goes in: the meta, the operations in order, and what was stored beside them.
"""

from __future__ import annotations

import msgspec

from emberboard.engine.errors import JournalError
from emberboard.engine.journal import ROOT, Applied, Entry, Failure, Journal, MemoryJournal, Meta, Move, Operation


class _Saved(msgspec.Struct):
    meta: Meta
    operations: list[tuple[str, msgspec.Raw]]
    applied: list[Applied]


_KINDS: dict[str, type[Operation]] = {"entry": Entry, "move": Move, "failure": Failure}


def encode_journal(journal: Journal) -> bytes:
    """The journal as JSON. A failed entry is written as it came, so that its failure is told by its own operation."""
    operations = []
    for operation in journal.operations():
        if isinstance(operation, Entry):
            operation = msgspec.structs.replace(operation, failed="")
        kind = next(name for name, cls in _KINDS.items() if isinstance(operation, cls))
        operations.append((kind, msgspec.Raw(msgspec.json.encode(operation))))
    applied = []
    for entry in (ROOT, *journal.tree.entries):
        notes, snapshot = journal.notes(entry), journal.snapshot_at([entry])
        if notes is not None or snapshot is not None:
            applied.append(Applied(entry, notes or (), snapshot))
    return msgspec.json.encode(_Saved(journal.meta, operations, applied))


def decode_journal(data: bytes, *, derived: bool = True) -> MemoryJournal:
    """The journal that `encode_journal` wrote; without `derived` its snapshots and log lines are left out.

    Raises JournalError for bytes that are none.
    """
    try:
        saved = msgspec.json.decode(data, type=_Saved)
        operations = [msgspec.json.decode(raw, type=_KINDS[kind]) for kind, raw in saved.operations]
    except (msgspec.MsgspecError, KeyError) as error:
        raise JournalError(f"these bytes hold no journal: {error}; take the save before this one") from error
    journal = MemoryJournal(saved.meta)
    for operation in operations:
        journal.append(operation)
    for one in saved.applied if derived else []:
        journal.store(one)
    return journal
