"""The dispute capsule: a moment of a fight as one file that `emberboard check` runs as a worked example.

It begins from the state that was stored last before the tail, gives the tail's inputs to the real rules and expects
what they gave here: each question, each log line with its numbers, what changed, the state at the end. It tells people
the same in words, and carries what the sensors said, which is not run. No paths, and no names but those of the seats.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version

import msgspec

from emberboard.engine.entry_words import entry_words
from emberboard.engine.errors import Refused
from emberboard.engine.example_file import Sensed
from emberboard.engine.example_log import written
from emberboard.engine.example_match import UnknownPath, lookup
from emberboard.engine.example_write import as_yaml, asked, changes, step_of
from emberboard.engine.game import Note
from emberboard.engine.journal import ROOT, Applied, Entry, Failure, MemoryJournal, Snapshot
from emberboard.engine.question import Json, Question
from emberboard.engine.session import Session

BACK = 12
"""Inputs of the tail at least: about one activation."""
_TOLD = 25
"""Log lines of the explanation at most."""


def write_capsule(
    session: Session, *, at: int | None = None, back: int = BACK, sensor_trace: Sequence[Sensed] = ()
) -> str:
    """The capsule of the moment after entry `at` (default: now) as YAML; its tail has `back` inputs or a few more.

    Changes nothing in the session. Where the rules broke at the last input, that input is the capsule's last step, and
    the check fails there until the rules are mended. Raises Refused for an entry that is not there, and when the tail
    does not fit today's rules any more.
    """
    if back < 1:
        raise Refused(f"a capsule has a tail of at least 1 input, not {back}")
    if at not in (None, ROOT) and at not in session.journal.tree.entries:
        raise Refused(f"there is no entry {at}; the journal has entries 1 to {len(session.journal.tree.entries)}")
    path = [entry for entry in session.journal.tree.path(at) if not entry.failed]
    earlier, start = _start(session, path, back)
    tail = path[len(earlier) :]
    run = _Run(session, start)
    steps = list(run.steps(tail))
    steps += [{"ask": asked(run.session.question)}, {"state": run.session.state_hash()}]
    told = [note for entry in (ROOT, *(one.id for one in earlier)) for note in session.journal.notes(entry) or ()]
    words = _explanation(run.session, [*told, *run.notes][-_TOLD:])
    broken = _broken(session) if at in (None, session.head) else None
    if broken is not None:
        said = f"The next input broke the rules: {_input(broken[0], run.session.question)}. {broken[1]}"
        words += f"{said}\n"
        steps += [{"note": said}, step_of(broken[0], run.session.question)]
    document: dict[str, Json] = {
        "id": f"capsule-{run.session.state_hash()[:12]}",
        "game": session.game.name,
        "title": _title(run.session.question),
        "notes": words,
        "versions": _versions(session),
        "rules": [],
        "setup": session.journal.meta.setup,
        **({} if run.state is None else {"snapshot": run.state}),
        "script": steps,
        "sensors": [msgspec.to_builtins(one) for one in sensor_trace],
    }
    return as_yaml(document)


def _start(session: Session, path: Sequence[Entry], back: int) -> tuple[list[Entry], Snapshot | None]:
    """The entries before the tail, and the state stored after them; where none is stored, all are of the tail."""
    before = list(path[: max(0, len(path) - back)])
    snapshot = session.journal.snapshot_at([ROOT, *(entry.id for entry in before)])
    if snapshot is None:
        return [], None
    ids = [ROOT, *(entry.id for entry in before)]
    return before[: ids.index(snapshot.entry)], snapshot


def _broken(session: Session) -> tuple[Entry, str] | None:
    """The input under which the rules broke just now, and what is said of it."""
    entries, operations = session.journal.tree.entries, session.journal.operations()
    if session.trouble is not None:
        return entries[session.trouble.entry], session.trouble.words
    last = operations[-1] if operations else None
    return (entries[last.entry], last.reason) if isinstance(last, Failure) else None


class _Run:
    """The tail played again on a session of its own, and written down meanwhile."""

    def __init__(self, session: Session, start: Snapshot | None) -> None:
        journal = MemoryJournal(session.journal.meta)
        if start is not None:
            journal.store(Applied(ROOT, (), Snapshot(ROOT, start.state)))
        self.session = Session.load(type(session.game), journal)
        # The loaded state is in today's shape, whichever version stored it.
        self.session.flush()
        stored = journal.snapshot_at([ROOT])
        self.state: Json = None if start is None or stored is None else msgspec.json.decode(stored.state)
        self.notes: list[Note] = list(self.session.news()) if start is None else []

    def steps(self, tail: Sequence[Entry]) -> Iterator[dict[str, Json]]:
        """Each input with its question before it, and after it the log lines and the changes that it gave."""
        for number, entry in enumerate(tail, 1):
            question = self.session.question
            words = f"input {number} of {len(tail)}: {_input(entry, question)}"
            if entry.kind != "start" and (question is None or question.hash != entry.hash):
                raise self._unfit(words, "its question is no longer the one that was answered", len(tail) - number)
            yield {"note": words}
            yield {"ask": asked(question)}
            yield step_of(entry, question)
            before = msgspec.to_builtins(self.session.game.state)
            try:
                self._give(entry, question)
            except Refused as error:
                raise self._unfit(words, str(error), len(tail) - number) from error
            if self.session.trouble is not None:
                raise self._unfit(words, self.session.trouble.words, len(tail) - number)
            notes = self.session.news()
            self.notes += notes
            if notes:
                yield {"log": [written(note) for note in notes]}
            changed = self._changed(before)
            if changed:
                yield {"expect": changed}

    def _give(self, entry: Entry, question: Question | None) -> None:
        session, asked_for, value = self.session, question.id if question is not None else "", entry.value
        match entry.kind:
            case "answer":
                session.answer(asked_for, value, seat=entry.seat, source="scripted")
            case "take":
                session.take(asked_for, value, seat=entry.seat, source="scripted")
            case "pass":
                session.pass_ahead(entry.seat, value)
            case "hold":
                session.hold(entry.seat)
            case "adjust":
                session.adjust(value, seat=entry.seat)
            case "start":
                session.start(value["procedure"], value["args"])

    def _changed(self, before: Json) -> dict[str, Json]:
        game = self.session.game
        view, found = game.view(), {}
        for path, expected in changes(before, msgspec.to_builtins(game.state)):
            # Not every key can be written as a path (one with a dot in it); the state's hash covers those.
            try:
                fits, _ = lookup(path, expected, view, game.state)
            except UnknownPath:
                continue
            if fits:
                found[path] = expected
        return found

    def _unfit(self, words: str, why: str, after: int) -> Refused:
        advice = f"Take a shorter tail, of {after} input(s) at most." if after else "Take a later moment."
        return Refused(f"A capsule cannot begin there: {words} does not fit today's rules ({why}). {advice}")


def _input(entry: Entry, question: Question | None) -> str:
    return f"{entry.seat or 'the table'}, {entry.kind}: {entry_words(entry, question)}"


def _title(question: Question | None) -> str:
    return "Disputed when nothing was asked any more" if question is None else f"Disputed at: {question.prompt}"


def _versions(session: Session) -> dict[str, str]:
    game = session.game
    known = {"rules": game.rules_version, "content": game.content_version, "emberboard": version("emberboard")}
    return {name: said for name, said in known.items() if said}


def _explanation(session: Session, notes: Sequence[Note]) -> str:
    """The last log lines with their rules and numbers, and what is asked now: for people, not read by the check."""
    lines = ["What the table said last:"]
    for note in notes:
        lines.append(f"- {note.text}" + (f" ({', '.join(note.rules)})" if note.rules else ""))
        lines += [f"    {number.words()}" for number in note.numbers]
        lines += [f"    {detail}" for detail in note.detail]
    question = session.question
    lines.append("Nothing is asked any more." if question is None else f"Asked then: {question.prompt}")
    return "".join(f"{line}\n" for line in lines)
