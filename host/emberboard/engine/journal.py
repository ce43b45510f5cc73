"""The journal: a tree of entries with a journalled head, and what is kept beside it (DESIGN section 2).

Every operation (an entry appended, the head moved, an entry marked failed) is numbered and durable when its call
returns. The tree, the head, where redo leads and which chance results are kept all follow from the operations in
order. A `Journal` stores; it knows nothing of rules.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from emberboard.engine.game import Note
from emberboard.engine.question import Json

Kind = Literal["start", "answer", "take", "pass", "hold", "adjust"]
Source = Literal["physical", "virtual", "scripted", "kept", "corrected"]
ROOT = 0
"""The head of a journal without entries."""


class Entry(msgspec.Struct, omit_defaults=True):
    """One input. `id` is given by the journal, counting from 1; `parent` is the entry it follows.

    `question` and `hash` name the question answered; `dice` lists the die kind of each face list of a roll, `pile`
    the pile of a draw, so that chance can be kept after an undo; `corrects` names the entry this one replaces.
    """

    kind: Kind
    parent: int
    question: str = ""
    hash: str = ""
    value: Json = None
    seat: str = ""
    source: Source = "virtual"
    dice: tuple[str, ...] = ()
    pile: str = ""
    corrects: int = 0
    failed: str = ""
    id: int = 0

    @property
    def chance(self) -> bool:
        """Whether dice or a pile spoke here."""
        return bool(self.dice or self.pile)


class Move(msgspec.Struct, frozen=True):
    """The head moved to `to` without a new entry: undo or redo."""

    to: int


class Failure(msgspec.Struct, frozen=True):
    """Applying the entry raised; it stays in the journal but is never applied again."""

    entry: int
    reason: str


Operation = Entry | Move | Failure


class Meta(msgspec.Struct, omit_defaults=True):
    """What a journal is of: the game, its rules and content versions, and the setup it was opened with."""

    game: str
    rules_version: str
    content_version: str
    setup: dict[str, Json]
    format: int = 1


class Snapshot(msgspec.Struct):
    """The state as JSON at the last boundary reached by applying `entry` (0: the starting state)."""

    entry: int
    state: bytes


class Applied(msgspec.Struct):
    """What applying an entry gave besides the state: its log lines and, where it passed a boundary, a snapshot.

    It can be derived again from the entries, so it is stored along with the next operation and need not be durable
    by itself. `over` is whether nothing is asked any more, so that a list of saves knows it without the rules.
    """

    entry: int
    notes: tuple[Note, ...]
    snapshot: Snapshot | None
    over: bool = False


class Tree:
    """The entries as a tree, folded from the operations: parents, the head, and where redo leads."""

    def __init__(self) -> None:
        self.entries: dict[int, Entry] = {}
        self.head = ROOT
        self.forward: dict[int, int] = {}

    def add(self, operation: Operation) -> None:
        """Take in the next operation."""
        match operation:
            case Entry():
                self.entries[operation.id] = operation
                self.forward[operation.parent] = operation.id
                self.head = operation.id
            case Move():
                for entry in self.path(operation.to):
                    self.forward[entry.parent] = entry.id
                self.head = operation.to
            case Failure():
                entry = self.entries[operation.entry]
                entry.failed = operation.reason
                if self.forward.get(entry.parent) == entry.id:
                    del self.forward[entry.parent]
                if self.head == entry.id:
                    self.head = entry.parent

    def path(self, to: int | None = None) -> list[Entry]:
        """The entries from the root to `to` (default: the head), oldest first."""
        found: list[Entry] = []
        at = self.head if to is None else to
        while at != ROOT:
            entry = self.entries[at]
            found.append(entry)
            at = entry.parent
        return found[::-1]

    def common(self, a: int, b: int) -> int:
        """The last entry that the paths to `a` and `b` share."""
        ids = {entry.id for entry in self.path(a)} | {ROOT}
        at = b
        while at not in ids:
            at = self.entries[at].parent
        return at


class Journal(ABC):
    """Stores operations durably, snapshots and notes along with them."""

    meta: Meta
    tree: Tree

    @abstractmethod
    def append(self, operation: Operation, applied: Applied | None = None) -> int:
        """Make the operation durable, give an entry its id, and fold it into the tree; returns the operation's number.

        `applied` is stored along with it. Raises JournalError when it cannot be made durable; nothing has changed then.
        """

    @abstractmethod
    def operations(self) -> Sequence[Operation]:
        """All operations in order."""

    @abstractmethod
    def snapshot_at(self, entries: Sequence[int]) -> Snapshot | None:
        """The snapshot of the last of these entries that has one."""

    @abstractmethod
    def notes(self, entry: int) -> tuple[Note, ...] | None:
        """The log lines of an entry, or None when they were not stored."""

    @abstractmethod
    def store(self, applied: Applied) -> None:
        """Store what was derived, without an operation (on a clean close)."""

    @abstractmethod
    def close(self) -> None:
        """Give back what the journal holds open."""


class MemoryJournal(Journal):
    """A journal that lives in memory: for forks, worked examples and tests of rules."""

    def __init__(self, meta: Meta) -> None:
        self.meta = meta
        self.tree = Tree()
        self._operations: list[Operation] = []
        self._snapshots: dict[int, Snapshot] = {}
        self._notes: dict[int, tuple[Note, ...]] = {}

    def append(self, operation: Operation, applied: Applied | None = None) -> int:
        if applied is not None:
            self.store(applied)
        if isinstance(operation, Entry):
            operation.id = len(self.tree.entries) + 1
        self._operations.append(operation)
        self.tree.add(operation)
        return len(self._operations)

    def operations(self) -> Sequence[Operation]:
        return self._operations

    def snapshot_at(self, entries: Sequence[int]) -> Snapshot | None:
        for entry in reversed(entries):
            if entry in self._snapshots:
                return self._snapshots[entry]
        return None

    def notes(self, entry: int) -> tuple[Note, ...] | None:
        return self._notes.get(entry)

    def store(self, applied: Applied) -> None:
        if applied.snapshot is not None:
            self._snapshots[applied.entry] = applied.snapshot
        self._notes[applied.entry] = applied.notes

    def close(self) -> None:
        """Nothing is held open."""


def meta_of(game: Any, setup: dict[str, Json]) -> Meta:
    """The meta of a new journal of `game`."""
    return Meta(game.name, game.rules_version, game.content_version, setup)
