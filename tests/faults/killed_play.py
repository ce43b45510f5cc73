"""A game whose host is killed (SIGKILL) at every input, and must stand each time where an undisturbed one stands.

`play_killed` and `play_straight` work for any game: they are given the import paths of the game's class and of a policy
that makes one input, `policy(session, source)`, which may answer, take offers, undo, redo, adjust, pass, hold, but not
correct. The undisturbed game is played once in memory; its inputs are then made again by processes that are killed.

All of it runs in a process of its own (`run`), because it forks and a test's process has threads.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import msgspec

from emberboard.engine.game import Game, Note
from emberboard.engine.journal import ROOT, Applied, Entry, Failure, Journal, Operation, Snapshot
from emberboard.engine.question import Json
from emberboard.engine.session import Session
from emberboard.store import SqliteJournal, create, open_journal

ROOT_OF_TREE = Path(__file__).parents[2]
Point = Literal["before", "between", "after"]
"""Where a process is killed: before the commit, between the commit and applying the entry, after the input returned."""


class Order(msgspec.Struct, frozen=True):
    """What is to be played: `module:name` of the game and of the policy, the setup, the seed, at most so many inputs.

    `points`: at each input the process is killed at each of these in turn; all but the last must be `before`.
    `straight`: instead, one process plays on and is killed when it has reported so many inputs.
    """

    game: str
    policy: str
    folder: str
    seed: int
    setup: dict[str, Json] = {}
    most: int = 1000
    points: tuple[Point, ...] = ()
    straight: tuple[int, ...] = ()


class Report(msgspec.Struct):
    """How it went: `wrong` is empty when every reload stood where it should; `slowest` is the longest load, in s."""

    inputs: int
    over: bool
    kills: int = 0
    loads: int = 0
    slowest: float = 0.0
    wrong: list[str] = []


def run(order: Order, timeout: float = 600.0) -> Report:
    """Carry out the order in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.killed_play"],
        input=msgspec.json.encode(order),
        stdout=subprocess.PIPE,
        cwd=ROOT_OF_TREE,
        timeout=timeout,
        check=True,
    )
    return msgspec.json.decode(done.stdout, type=Report)


# -- the undisturbed game ---------------------------------------------------------------------------------------


def named(path: str) -> Any:
    """What `module:name` names."""
    module, name = path.split(":")
    return getattr(import_module(module), name)


def repeat(session: Session, deed: Operation) -> None:
    """Make an input of another session here: the same answer, offer, word, undo or redo."""
    asked = session.question.id if session.question is not None else ""
    match deed:
        case Entry(kind="answer"):
            session.answer(asked, deed.value, seat=deed.seat, source=deed.source)
        case Entry(kind="take"):
            session.take(asked, deed.value, seat=deed.seat, source=deed.source)
        case Entry(kind="pass"):
            session.pass_ahead(deed.seat, deed.value)
        case Entry(kind="hold"):
            session.hold(deed.seat)
        case Entry(kind="adjust"):
            session.adjust(deed.value, seat=deed.seat)
        case Entry(kind="start"):
            session.start(deed.value["procedure"], deed.value["args"])
        case _:
            path = [ROOT, *(entry.id for entry in session.journal.tree.path())]
            if deed.to in path:
                session.undo(len(path) - 1 - path.index(deed.to))
            else:
                session.redo()


def digest(session: Session) -> str:
    """Everything that must be the same: state, question, kept chance, log, head, where redo leads."""
    plain = [session.state_hash(), session.question, session.chance.kept, session.log, session.head]
    plain.append(sorted(session.journal.tree.forward.items()))
    return sha256(msgspec.json.encode(plain)).hexdigest()[:16]


def undisturbed(order: Order) -> tuple[list[Operation], list[str], bool]:
    """The inputs of a whole game in memory, the digest before the first and after each, and whether it ended."""
    game, policy = named(order.game), named(order.policy)
    played = Session.new(game, order.setup, rng=random.Random(order.seed))
    source = random.Random(order.seed)
    for _ in range(order.most):
        if played.question is None:
            break
        policy(played, source)
    deeds = [deed for deed in played.journal.operations() if not isinstance(deed, Failure)]
    repeated = Session.new(game, order.setup)
    digests = [digest(repeated)]
    for deed in deeds:
        repeat(repeated, deed)
        digests.append(digest(repeated))
    assert digest(played) == digests[-1], "the inputs made again do not lead to the same game"
    return deeds, digests, played.question is None


# -- the killed processes ---------------------------------------------------------------------------------------


class Watched(Journal):
    """A journal that calls `after` when an input is durable and its entry not yet applied."""

    def __init__(self, inner: SqliteJournal, after: Callable[[], None]) -> None:
        self.inner, self.after = inner, after
        self.meta, self.tree = inner.meta, inner.tree

    def append(self, operation: Operation, applied: Applied | None = None) -> int:
        number = self.inner.append(operation, applied)
        self.after()
        return number

    def operations(self) -> Sequence[Operation]:
        return self.inner.operations()

    def snapshot_at(self, entries: Sequence[int]) -> Snapshot | None:
        return self.inner.snapshot_at(entries)

    def notes(self, entry: int) -> tuple[Note, ...] | None:
        return self.inner.notes(entry)

    def store(self, applied: Applied) -> None:
        self.inner.store(applied)

    def close(self) -> None:
        self.inner.close()


class Victim:
    """A child process that reports lines over a pipe and ends by SIGKILL from its parent."""

    def __init__(self, life: Callable[[Callable[[Any], None], Callable[[], None]], None]) -> None:
        self._reports, says = os.pipe()
        waits, self._held = os.pipe()
        self.pid = os.fork()
        if self.pid:
            os.close(says)
            os.close(waits)
            self._lines = os.fdopen(self._reports, "r", encoding="utf-8")
            return
        os.close(self._reports)
        os.close(self._held)

        def report(what: Any) -> None:
            os.write(says, json.dumps(what).encode() + b"\n")

        def wait() -> None:
            os.read(waits, 1)

        try:
            life(report, wait)
        except BaseException:  # noqa: BLE001 - a child must never return into its parent's code
            report({"error": traceback.format_exc()})
        os._exit(1)

    def next(self) -> Any:
        """The next report, or None when the child has ended."""
        line = self._lines.readline()
        return json.loads(line) if line else None

    def kill(self) -> bool:
        """End it; whether it was SIGKILL that ended it."""
        os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        self._lines.close()
        os.close(self._held)
        return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def load(game: type[Game[Any]], path: Path, after: Callable[[], None]) -> tuple[Session, SqliteJournal, float]:
    """The session in the save, with a watched journal, and how long that took in seconds."""
    begin = time.perf_counter()
    inner = open_journal(path)
    session = Session.load(game, Watched(inner, after))
    return session, inner, time.perf_counter() - begin


def play_killed(order: Order) -> Report:
    """One process after the other takes up the save, checks where it stands, makes one input, and is killed."""
    game, path = named(order.game), Path(order.folder) / "killed.ember"
    deeds, digests, over = undisturbed(order)
    report = Report(len(deeds), over)
    first = Session.new(game, order.setup, journal=lambda meta: create(path, meta))
    first.close()
    for number, deed in enumerate(deeds):
        for point in order.points:
            _one_life(report, game, path, digests[number], f"input {number + 1}", deed, point)
    _one_life(report, game, path, digests[-1], "the end", None, "after")
    return report


def _one_life(
    report: Report, game: type[Game[Any]], path: Path, expected: str, where: str, deed: Operation | None, point: Point
) -> None:
    def life(say: Callable[[Any], None], wait: Callable[[], None]) -> None:
        armed = False

        def here(reached: Point) -> None:
            if armed and reached == point:
                say({"killed": point})
                wait()

        session, inner, took = load(game, path, lambda: here("between"))
        say({"stands": digest(session), "took": took})
        inner._db.set_trace_callback(lambda said: here("before") if _commits(said, inner) else None)
        armed = True
        if deed is not None:
            repeat(session, deed)
        here("after")

    victim = Victim(life)
    loaded, ended = victim.next(), victim.next()
    if not (loaded and "stands" in loaded and ended == {"killed": point} and victim.kill()):
        report.wrong.append(f"{where}, killed {point}: {loaded}, {ended}")
        return
    report.kills += 1
    report.loads += 1
    report.slowest = max(report.slowest, loaded["took"])
    if loaded["stands"] != expected:
        report.wrong.append(f"before {where}: stands at {loaded['stands']}, expected {expected}")


def _commits(statement: str, journal: SqliteJournal) -> bool:
    """Whether the statement about to run commits: COMMIT, or an insertion that is a transaction by itself."""
    return statement == "COMMIT" or (statement.startswith("INSERT") and not journal._db.in_transaction)


def play_straight(order: Order) -> Report:
    """A process plays on without waiting and is killed in the middle of whatever it does; once for each number."""
    game = named(order.game)
    deeds, digests, over = undisturbed(order)
    report = Report(len(deeds), over)
    for count in order.straight:
        path = Path(order.folder) / f"straight-{count}.ember"

        def life(say: Callable[[Any], None], wait: Callable[[], None], path: Path = path) -> None:
            session = Session.new(game, order.setup, journal=lambda meta: create(path, meta))
            for number, deed in enumerate(deeds, 1):
                repeat(session, deed)
                say({"made": number})
            wait()

        player = Victim(life)
        made = 0
        while made < count:
            said = player.next()
            if not said or "made" not in said:
                report.wrong.append(f"after {made} inputs: {said}")
                break
            made = said["made"]
        report.kills += player.kill()
        journal = open_journal(path)
        durable = sum(not isinstance(one, Failure) for one in journal.operations())
        begin = time.perf_counter()
        stands = digest(Session.load(game, journal))
        report.slowest = max(report.slowest, time.perf_counter() - begin)
        report.loads += 1
        journal.close()
        if not made <= durable <= len(deeds):
            report.wrong.append(f"{made} inputs were acknowledged, {durable} are in the save")
        elif stands != digests[durable]:
            report.wrong.append(f"killed after {durable} inputs: stands at {stands}, expected {digests[durable]}")
    return report


if __name__ == "__main__":
    wanted = msgspec.json.decode(sys.stdin.buffer.read(), type=Order)
    answer = play_straight(wanted) if wanted.straight else play_killed(wanted)
    sys.stdout.buffer.write(msgspec.json.encode(answer))
