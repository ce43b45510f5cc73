"""A session: one game, its journal, and the pending question. The one door through which inputs reach the rules.

Every input is checked against the pending question, made durable, and only then applied. The state is a snapshot
plus the entries after it; undo, redo, corrections and reloads rebuild it from there.
"""

from __future__ import annotations

import hashlib
import random
import traceback
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from emberboard.engine import chance as chances
from emberboard.engine.chance import Chance
from emberboard.engine.errors import Diverged, JournalError, Refused, Stale
from emberboard.engine.game import Game, Note
from emberboard.engine.journal import (
    ROOT,
    Applied,
    Entry,
    Failure,
    Journal,
    MemoryJournal,
    Meta,
    Move,
    Operation,
    Snapshot,
    Source,
    Tree,
    meta_of,
)
from emberboard.engine.question import Draw, Json, Question, Roll, Window, accept, question_hash
from emberboard.engine.runner import Runner
from emberboard.engine.state import Step

UNDONE = "Undone past dice or draws; what they showed is kept."
"""The log line that marks an undo past a revelation."""


class Trouble(msgspec.Struct, frozen=True):
    """An entry that could not be applied: what players are told, and the report for us."""

    words: str
    entry: int
    report: str


class Correction(msgspec.Struct, frozen=True):
    """What a correction did: the entries that were played again, and those that were dropped, in words."""

    kept: int
    dropped: tuple[str, ...]

    def words(self) -> str:
        """What players are told of it."""
        words = f"Corrected. {self.kept} later input(s) were played again."
        if self.dropped:
            words += f" No longer fitting, dropped: {'; '.join(self.dropped)}."
        return words


class Session:
    """One table's game in progress. Make it with `Session.new` or `Session.load`."""

    def __init__(self, game: Game[Any], journal: Journal, rng: random.Random | None = None) -> None:
        self.game = game
        self.journal = journal
        self.rng = rng or random.SystemRandom()
        self.chance = Chance()
        self.trouble: Trouble | None = None
        self._runner = Runner(game, self._at_boundary)
        self._fresh: Applied | None = None
        self._owed: Failure | None = None
        self._notes: dict[int, tuple[Note, ...]] = {}
        self._marks: dict[int, int] = {}
        self._marked: int | None = None
        self._applying = ROOT
        self._tail = 0
        self.longest_tail = 0

    # -- opening ------------------------------------------------------------------------------------------------

    @classmethod
    def new(
        cls,
        game: type[Game[Any]],
        setup: dict[str, Json],
        *,
        journal: Callable[[Meta], Journal] = MemoryJournal,
        rng: random.Random | None = None,
    ) -> Session:
        """Open a new game in a new journal. Raises ContentError or Refused for a setup that cannot be."""
        opened = game.open(setup)
        session = cls(opened, journal(meta_of(opened, setup)), rng)
        session._rebuild()
        session.flush()
        return session

    @classmethod
    def load(cls, game: type[Game[Any]], journal: Journal, *, rng: random.Random | None = None) -> Session:
        """Take up a journal where its head is: the same state, the same question.

        Raises Diverged, naming the last good boundary, when a stored entry no longer fits; `go_to` that boundary
        with `Session.load_at` if the players agree.
        """
        session = cls(game.open(journal.meta.setup), journal, rng)
        session._fold()
        session._rebuild()
        return session

    @classmethod
    def load_at(
        cls, game: type[Game[Any]], journal: Journal, boundary: int, *, rng: random.Random | None = None
    ) -> Session:
        """Move the journal's head to `boundary` (from a Diverged error) and take it up there."""
        journal.append(Move(boundary))
        return cls.load(game, journal, rng=rng)

    def _fold(self) -> None:
        tree = type(self.journal.tree)()
        self.chance = Chance()
        self._marks = {}
        for operation in self.journal.operations():
            before = tree.head
            if isinstance(operation, Entry):
                operation = msgspec.structs.replace(operation, failed="")
            tree.add(operation)
            self.chance.add(operation, tree, before)
            self._mark(operation, tree, before)

    # -- what is asked ------------------------------------------------------------------------------------------

    @property
    def question(self) -> Question | None:
        """The pending question, or None when nothing is asked (the game is over, or waits for `start`)."""
        return self._runner.question

    def waiting(self) -> tuple[str, ...]:
        """The seats that may answer the pending question: of an `each` question those that have not done so yet."""
        pending = self.question
        if pending is None:
            return ()
        given = self._runner.stack[-1].given if pending.who.mode == "each" else {}
        return tuple(seat for seat in pending.who.seats if seat not in given)

    def holding(self) -> tuple[str, ...]:
        """The seats that asked the table to wait at this window and have not closed it themselves yet."""
        pending = self.question
        if not isinstance(pending, Window):
            return ()
        return tuple(seat for seat in self.game.state.ledger.held if seat in pending.who.seats)

    @property
    def head(self) -> int:
        """The entry after which the session stands (0: the start)."""
        return self.journal.tree.head

    @property
    def log(self) -> list[Note]:
        """The log lines on the path to the head, oldest first."""
        return [note for _, note in self.log_lines()]

    def log_lines(self) -> list[tuple[str, Note]]:
        """The log with a name for each line: the entry that gave it and its number there, `24.0`."""
        ids = [ROOT, *(entry.id for entry in self.journal.tree.path())]
        return [(f"{entry}.{number}", note) for entry in ids for number, note in enumerate(self._notes_of(entry))]

    def passing(self) -> Mapping[str, str]:
        """The seats that let windows go by, and until the end of what."""
        return dict(self.game.state.ledger.passed)

    def _notes_of(self, entry: int) -> tuple[Note, ...]:
        if entry not in self._notes:
            self._notes[entry] = self.journal.notes(entry) or ()
        return (*self._notes[entry], *(Note(UNDONE) for _ in range(self._marks.get(entry, 0))))

    def news(self) -> tuple[Note, ...]:
        """The log lines that the last applied entry gave."""
        return self._notes_of(self.head)

    def state_hash(self) -> str:
        """SHA-256 of the state as JSON with sorted keys: equal states, equal hashes."""
        return hashlib.sha256(msgspec.json.encode(self.game.state, order="deterministic")).hexdigest()

    # -- inputs -------------------------------------------------------------------------------------------------

    def answer(self, question: str, value: Json, *, seat: str = "", source: Source = "virtual") -> None:
        """Answer the pending question, named by its id. An empty `seat` is the table itself, speaking for all.

        Raises Stale for another question's id, Refused for an illegal answer or seat, JournalError when the answer
        could not be made durable. In each case nothing has changed.
        """
        pending = self._asked(question)
        speaks = self._may_speak(pending, seat)
        settled = accept(pending, value)
        if pending.chance:
            kept = accept(pending, self.chance.settle(pending, settled))
            if kept != settled:
                settled, source = kept, "kept"
        self._apply(self._entry("answer", pending, settled, speaks, source))

    def roll(self, question: str, *, seat: str = "") -> Json:
        """Let the program roll or draw for the pending chance question; returns what came."""
        pending = self._asked(question)
        value: Json
        match pending:
            case Roll():
                value = chances.throw(pending, self.rng)
            case Draw():
                value = chances.draw(pending, self.rng)
            case _:
                raise Refused("this question is answered by a decision, not by dice")
        self.answer(question, value, seat=seat)
        return self.journal.tree.path()[-1].value

    def take(self, question: str, offer: str, *, seat: str = "", source: Source = "virtual") -> None:
        """Take an offer of the pending question: its interrupt runs now, then the question is asked anew."""
        pending = self._asked(question)
        found = next((one for one in pending.offers if one.id == offer), None)
        if found is None:
            known = ", ".join(one.id for one in pending.offers) or "none"
            raise Refused(f"{offer!r} is not offered now; offers: {known}")
        if seat and seat != found.seat:
            raise Refused(f"{found.label} is an offer to {found.seat}, not to {seat}")
        self._apply(self._entry("take", pending, offer, found.seat, source))

    def pass_ahead(self, seat: str, until: str) -> None:
        """`seat` lets windows go by until the end of `until` (activation, round ...); an empty word takes that back."""
        if seat not in self.game.seats():
            raise Refused(f"there is no seat {seat!r}; seats: {', '.join(self.game.seats())}")
        pending = self._asked(None)
        self._apply(self._entry("pass", pending, until, seat, "virtual"))

    def hold(self, seat: str) -> None:
        """`seat` keeps windows open until it answers them itself."""
        if seat not in self.game.seats():
            raise Refused(f"there is no seat {seat!r}; seats: {', '.join(self.game.seats())}")
        pending = self._asked(None)
        self._apply(self._entry("hold", pending, None, seat, "virtual"))

    def adjust(self, change: Mapping[str, Json], *, seat: str = "") -> None:
        """Change the state by agreement, at a top-level question only.

        Raises Refused otherwise, and for a change that the game does not know.
        """
        pending = self._asked(None)
        if not pending.top or len(self._runner.stack) != 1:
            raise Refused("adjustments are made between actions: answer the present question first")
        plain = msgspec.to_builtins(dict(change))
        trial = self.fork()
        trial.game.adjust(plain)
        self._apply(self._entry("adjust", pending, plain, seat, "virtual"))

    def start(self, procedure: str, args: Mapping[str, Json]) -> None:
        """Begin a named procedure when nothing is asked (worked examples do). Raises Refused as the procedure does."""
        if self.question is not None:
            raise Refused(f"{self.question.prompt!r} is still to be answered before {procedure} can begin")
        plain = msgspec.to_builtins(dict(args))
        value = {"procedure": procedure, "args": plain}
        trial = self.fork()
        trial.game.then(procedure, **plain)
        trial._runner.proceed()
        self._apply(Entry("start", self.head, value=value, source="scripted"))

    def _asked(self, question: str | None) -> Question:
        pending = self.question
        if pending is None:
            raise Stale("nothing is asked now")
        if question is not None and question != pending.id:
            raise Stale("that question is no longer asked")
        return pending

    def _may_speak(self, pending: Question, seat: str) -> str:
        seats = pending.who.seats
        if seat and seat not in seats:
            raise Refused(f"this is for {' or '.join(seats)}, not for {seat}")
        if pending.who.mode == "each":
            waiting = self.waiting()
            if not seat and len(waiting) == 1:
                return waiting[0]
            if not seat:
                raise Refused(f"each answers for itself: say which seat of {', '.join(waiting)}")
            if seat not in waiting:
                raise Refused(f"{seat} has already answered; still to answer: {', '.join(waiting)}")
        held = self.holding()
        if held and seat not in held:
            raise Refused(f"{', '.join(held)} asked the table to wait")
        return seat

    def _entry(self, kind: Any, pending: Question, value: Json, seat: str, source: Source) -> Entry:
        dice = tuple(wanted.kind for wanted in pending.dice) if isinstance(pending, Roll) and kind == "answer" else ()
        pile = pending.pile if isinstance(pending, Draw) and kind == "answer" else ""
        plain = msgspec.to_builtins(value)
        return Entry(kind, self.head, pending.id, pending.hash, plain, seat, source, dice, pile)

    # -- applying -----------------------------------------------------------------------------------------------

    def _apply(self, entry: Entry) -> None:
        self._append(entry)
        try:
            self._begin(entry.id)
            self._feed(entry)
            self._finish()
        except Exception as error:  # noqa: BLE001 - the one place that survives any error of rules or content hooks
            self._mark_failed(entry, error)

    def _append(self, operation: Entry | Move | Failure) -> None:
        self._pay()
        before = self.head
        self.journal.append(operation, self._fresh)
        self._fresh = None
        self.chance.add(operation, self.journal.tree, before)
        self._mark(operation, self.journal.tree, before)

    def _pay(self) -> None:
        """Store the failure that could not be stored when it happened."""
        if self._owed is not None:
            self.journal.append(self._owed, self._fresh)
            self._owed = self._fresh = None

    def _mark_failed(self, entry: Entry, error: Exception) -> None:
        report = "".join(traceback.format_exception(error))
        failure = Failure(entry.id, f"{type(error).__name__}: {error}")
        try:
            self._append(failure)
        except JournalError:
            # The entry is durable and its failure cannot be made so now. A reload would find it failing again and
            # take it back; the same is done here, and the failure is stored before the next operation.
            before, self._owed = self.head, failure
            self.journal.tree.add(failure)
            self.chance.add(failure, self.journal.tree, before)
        self._rebuild()
        words = f"Something in the rules broke while this was applied, so it was taken back: {error}"
        self.trouble = Trouble(words, entry.id, report)

    def _begin(self, entry: int) -> None:
        self._applying = entry
        self.game.notes = []
        self.trouble = None
        self._snapshot: Snapshot | None = None

    def _finish(self) -> None:
        self._keep_applied(self._applying)
        self.longest_tail = max(self.longest_tail, self._tail)

    def _at_boundary(self) -> None:
        self._snapshot = Snapshot(self._applying, msgspec.json.encode(self.game.state))

    def _feed(self, entry: Entry) -> None:
        runner, ledger = self._runner, self.game.state.ledger
        match entry.kind:
            case "answer":
                asked = self.question
                if isinstance(asked, Window) and entry.seat in ledger.held:
                    ledger.held.remove(entry.seat)
                    if self.holding():
                        runner.refresh()
                        return
                if asked is None:
                    raise Refused("no question is pending")
                runner.feed(accept(asked, entry.value), entry.seat)
            case "take":
                offers = self.question.offers if self.question is not None else ()
                offer = next((one for one in offers if one.id == entry.value), None)
                if offer is None:
                    raise Refused(f"the offer {entry.value!r} is not there")
                runner.interrupt(offer.procedure, offer.args)
            case "pass":
                ledger.passed.pop(entry.seat, None)
                if entry.value:
                    ledger.passed[entry.seat] = entry.value
                runner.refresh()
            case "hold":
                if entry.seat not in ledger.held:
                    ledger.held.append(entry.seat)
                runner.refresh()
            case "adjust":
                self.game.note(self.game.adjust(entry.value))
                runner.refresh()
            case "start":
                ledger.agenda.insert(0, Step(entry.value["procedure"], entry.value["args"]))
                runner.proceed()

    # -- rebuilding ---------------------------------------------------------------------------------------------

    def _rebuild(self) -> None:
        """From the last snapshot on the path to the head, play the entries after it."""
        path = [entry for entry in self.journal.tree.path() if not entry.failed]
        snapshot = self.journal.snapshot_at([ROOT, *(entry.id for entry in path)])
        at = ROOT if snapshot is None else snapshot.entry
        self._runner.abandon()
        self._restore(snapshot)
        tail = path if at == ROOT else path[[entry.id for entry in path].index(at) + 1 :]
        self._tail = 0
        self._replay(at, tail)

    def _restore(self, snapshot: Snapshot | None) -> None:
        if snapshot is None:
            self.game.state = type(self.game).open(self.journal.meta.setup).state
        elif self.journal.meta.rules_version == self.game.rules_version:
            self.game.state = msgspec.json.decode(snapshot.state, type=self.game.state_type)
        else:
            plain = self.game.migrate(self.journal.meta.rules_version, msgspec.json.decode(snapshot.state))
            self.game.state = msgspec.convert(plain, type=self.game.state_type)

    def _replay(self, at: int, tail: list[Entry]) -> None:
        head = self.journal.tree.head
        self._runner = Runner(self.game, self._at_boundary)
        known = self.journal.notes(at)
        self._step_to(at, self._runner.proceed)
        if known is not None:
            # What was stored covers the whole entry, what was just played only the part behind its boundary.
            self._notes[at], self._fresh = known, None
        for number, entry in enumerate(tail):
            asked = self.question
            fits = entry.kind == "start" or (asked is not None and asked.hash == entry.hash)
            if not fits:
                raise self._diverged(at, tail[number:], "its question is no longer the one that was answered")
            try:
                self._step_to(entry.id, lambda entry=entry: self._feed(entry))  # type: ignore[misc]
            except Exception as error:
                if entry.id == head and number == len(tail) - 1:
                    self._mark_failed(entry, error)
                    return
                raise self._diverged(
                    at, tail[number:], f"applying it raised {type(error).__name__}: {error}"
                ) from error

    def _step_to(self, entry: int, act: Callable[[], None]) -> None:
        self._begin(entry)
        act()
        self._keep_applied(entry)

    def _keep_applied(self, entry: int) -> None:
        """Name the question that is asked now; keep what applying `entry` gave until it is stored."""
        if self.question is not None:
            self.question.hash = question_hash(self.question)
            self.question.id = self._same_for_all(entry, self.question) or f"{entry}-{self.question.hash}"
        notes = tuple(self.game.notes)
        self._notes[entry] = notes
        self._fresh = Applied(entry, notes, self._snapshot, self.question is None)
        self._tail = 0 if self._snapshot is not None else self._tail + 1

    def _same_for_all(self, entry: int, pending: Question) -> str:
        """The id that an `each` question keeps while seats answer it, so that two may do so in the same moment."""
        said = self.journal.tree.entries.get(entry)
        if pending.who.mode != "each" or said is None or said.kind != "answer" or said.hash != pending.hash:
            return ""
        return said.question if said.seat in self._runner.stack[-1].given else ""

    def _diverged(self, boundary: int, lost: list[Entry], why: str) -> Diverged:
        first = lost[0]
        return Diverged(
            f"Entry {first.id} ({describe(first)}) no longer fits: {why}. "
            f"The table can go on from the last good boundary; {len(lost)} input(s) after it would be lost.",
            boundary=boundary,
            lost=[describe(entry) for entry in lost],
        )

    # -- undo, redo, correct ------------------------------------------------------------------------------------

    def undo(self, count: int = 1) -> list[Entry]:
        """Move the head back by `count` entries, any depth; returns those undone, newest first."""
        path = [entry for entry in self.journal.tree.path() if not entry.failed]
        if not 1 <= count <= len(path):
            raise Refused("there is nothing to undo" if not path else f"at most {len(path)} can be undone")
        undone = path[-count:][::-1]
        self._move(undone[-1].parent)
        return undone

    def undo_decision(self) -> list[Entry]:
        """Undo back to the last decision of a player, past the dice and draws that followed it."""
        path = [entry for entry in self.journal.tree.path() if not entry.failed]
        count = next((n for n, entry in enumerate(reversed(path), 1) if not entry.chance), 0)
        if not count:
            raise Refused("no decision has been made yet")
        return self.undo(count)

    def redo(self) -> Entry:
        """Move the head forward to where the last undo left. Raises Refused when there is nothing to redo."""
        ahead = self.journal.tree.forward.get(self.head)
        if ahead is None:
            raise Refused("there is nothing to redo")
        self._move(ahead)
        return self.journal.tree.entries[ahead]

    def redo_decision(self) -> list[Entry]:
        """Redo one entry and the dice and draws right after it, as `undo_decision` went back past them."""
        done = [self.redo()]
        tree = self.journal.tree
        while (ahead := tree.forward.get(tree.head)) is not None and tree.entries[ahead].chance:
            done.append(self.redo())
        return done

    def _move(self, to: int) -> None:
        self._append(Move(to))
        self._rebuild()

    def _mark(self, operation: Operation, tree: Tree, before: int) -> None:
        """Mark an undo past a revelation where it led to. Folded from the operations, so that a reload knows it too."""
        marked, self._marked = self._marked, None
        match operation:
            case Move():
                ahead = {entry.id for entry in tree.path(operation.to)}
                if any(entry.chance and entry.id not in ahead for entry in tree.path(before)):
                    self._marks[operation.to] = self._marks.get(operation.to, 0) + 1
                    self._marked = operation.to
            case Entry() if operation.corrects and marked is not None:
                # The step back before a correction is a part of it, not an undo.
                self._marks[marked] -= 1
            case _:
                pass

    def correct(self, entry: int, value: Json) -> Correction:
        """Replace the value of an earlier answer and play on until the first question that changed.

        Raises Refused when the entry is not an answer on the path to the head, or the value is not legal there.
        """
        path = [one for one in self.journal.tree.path() if not one.failed]
        index = next((number for number, one in enumerate(path) if one.id == entry), None)
        if index is None or path[index].kind != "answer":
            raise Refused(f"entry {entry} is not an answer that led here")
        target, after = path[index], path[index + 1 :]
        trial = self.fork(target.parent)
        if trial.question is None or trial.question.hash != target.hash:
            raise Refused("the question of that entry cannot be asked again")
        settled = msgspec.to_builtins(accept(trial.question, value))
        self._append(Move(target.parent))
        self._rebuild()
        again = msgspec.structs.replace(
            target, parent=self.head, value=settled, source="corrected", corrects=entry, id=0
        )
        self._apply(again)
        kept = 0
        for old in after:
            if self.trouble is not None or self.question is None or self.question.hash != old.hash:
                break
            if old.kind == "take" and all(offer.id != old.value for offer in self.question.offers):
                break
            self._apply(msgspec.structs.replace(old, parent=self.head, question=self.question.id, id=0))
            kept += self.trouble is None
        dropped = tuple(describe(old) for old in after[kept:])
        return Correction(kept, dropped)

    def fork(self, at: int | None = None) -> Session:
        """A copy that stands at `at` (default: here) and touches no journal: for "what if" and previews."""
        memory = MemoryJournal(self.journal.meta)
        path = [entry for entry in self.journal.tree.path(at) if not entry.failed]
        ids = [ROOT, *(entry.id for entry in path)]
        snapshot = self.journal.snapshot_at(ids)
        fresh = self._fresh.snapshot if self._fresh is not None else None
        if fresh is not None and fresh.entry in ids:
            snapshot = fresh
        for entry in self.journal.tree.entries.values():
            memory.tree.entries[entry.id] = msgspec.structs.replace(entry)
        memory.tree.head = path[-1].id if path else ROOT
        if snapshot is not None:
            memory.store(Applied(snapshot.entry, (), snapshot))
        rng = random.Random(0)
        copy = Session(self.game.twin(self.journal.meta.setup), memory, rng)
        copy.chance = self.chance.copy() if at is None else Chance()
        copy._rebuild()
        return copy

    def flush(self) -> None:
        """Store what was derived since the last operation (a clean close does)."""
        self._pay()
        if self._fresh is not None:
            self.journal.store(self._fresh)
            self._fresh = None

    def close(self) -> None:
        """Flush, and give back what the journal holds open."""
        self.flush()
        self.journal.close()


def describe(entry: Entry) -> str:
    """An entry in a few words, for lists of what is lost or dropped."""
    value = entry.value
    if isinstance(value, list):
        value = " ".join(str(item) for item in value)
    who = f"{entry.seat}: " if entry.seat else ""
    return f"{who}{entry.kind} {value}" if value is not None else f"{who}{entry.kind}"
