"""What a table survives: broken rules, changed rules, a crash, a full disk; and what a fork leaves alone."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emberboard.engine.errors import Diverged, JournalError, Refused
from emberboard.engine.journal import Failure, MemoryJournal
from emberboard.engine.question import Ask
from emberboard.engine.session import Session
from emberboard.engine.timing import Proc
from tests.engine.toys.brawl import BRAWL, new_brawl, play_some
from tests.engine.toys.playground import (
    Playground,
    answer,
    asked,
    confirm,
    copied,
    dice,
    did,
    game_with,
    log,
    number,
    opened,
    pick,
    reloaded,
    take,
    trace,
    used,
    window,
)

ROOT = Path(__file__).resolve().parents[2]


# -- a poisoned entry -------------------------------------------------------------------------------------------


def hexed(game: Playground) -> Proc[None]:
    """The rule for the cursed way is broken; so is the curse, an interrupt."""
    game.note("a crossroads")
    way = yield Ask(pick_with_curse, "way")
    game.note(f"{way} it is")
    did(game, way)
    if way == "cursed":
        game.state.numbers["half"] = 1
        raise ZeroDivisionError("the curse divides by none")
    game.then("main")


def pick_with_curse(game: Playground, name: str) -> Any:
    question = pick(game, name, ["left", "cursed"])
    question.offers = window(game, "", {"curse": "east"}).offers
    return question


def curse(game: Playground) -> Proc[None]:
    used(game, "curse")
    if (yield Ask(dice, "curse", 1))[0][0] < 6:
        raise KeyError("no such curse")
    did(game, "a six breaks the curse")


def crossroads() -> Session:
    session = opened(main=hexed, curse=curse)
    answer(session, "left")
    return session


def give(session: Session, value: Any) -> None:
    """Answer without minding what breaks."""
    assert session.question is not None
    session.answer(session.question.id, value)


def test_a_poisoned_entry_is_taken_back_and_the_same_table_goes_on() -> None:
    session = crossroads()
    before = session.state_hash(), session.question, session.head, log(session)
    give(session, "cursed")
    assert (session.state_hash(), session.question, session.head, log(session)) == before
    answer(session, "left")
    assert trace(session) == ["left", "left"]


def test_the_players_are_told_and_a_report_is_offered() -> None:
    session = crossroads()
    give(session, "cursed")
    trouble = session.trouble
    assert trouble is not None
    assert trouble.words == (
        "Something in the rules broke while this was applied, so it was taken back: the curse divides by none"
    )
    assert trouble.entry == 2
    assert "ZeroDivisionError: the curse divides by none" in trouble.report
    assert "in hexed" in trouble.report, "the report says where"
    answer(session, "left")
    assert session.trouble is None, "the next input is no trouble"


def test_the_journal_keeps_a_failed_entry_marked_and_never_applies_it_again() -> None:
    session = crossroads()
    give(session, "cursed")
    assert session.journal.tree.entries[2].failed == "ZeroDivisionError: the curse divides by none"
    with pytest.raises(Refused, match="there is nothing to redo"):
        session.redo()
    answer(session, "left")
    again = reloaded(session)
    assert (trace(again), again.trouble) == (["left", "left"], None)
    again.undo(2)
    with pytest.raises(Refused, match="there is nothing to undo"):
        again.undo()
    again.redo()
    again.redo()
    assert trace(again) == ["left", "left"], "undo and redo pass it by"


def test_an_interrupt_that_breaks_is_taken_back_and_still_offered() -> None:
    session = crossroads()
    take(session, "curse")
    give(session, [[3]])
    assert session.trouble is not None
    assert asked(session) == "curse"
    give(session, [[6]])
    assert session.trouble is not None, "the die was rolled: it shows 3 again, and the curse breaks again"
    session.undo()
    assert (asked(session), [offer.id for offer in session.question.offers]) == ("way", ["curse"])  # type: ignore[union-attr]


def test_a_crash_before_the_failure_was_marked_is_found_at_the_next_start() -> None:
    session = crossroads()
    give(session, "cursed")
    fresh = MemoryJournal(session.journal.meta)
    for operation in copied(session).operations():
        if not isinstance(operation, Failure):
            operation.failed = ""  # type: ignore[union-attr]
            fresh.append(operation)
    assert fresh.tree.head == 2
    again = Session.load(game_with(main=hexed, curse=curse), fresh)
    assert again.trouble is not None and "the curse divides by none" in again.trouble.words
    assert (again.head, trace(again), again.question) == (1, ["left"], session.question)
    assert isinstance(fresh.operations()[-1], Failure), "and it is marked now"


# -- a full disk ------------------------------------------------------------------------------------------------


class FullDisk(MemoryJournal):
    """A journal that at some time cannot write any more."""

    full = False

    def append(self, operation: Any, applied: Any = None) -> int:
        if self.full:
            raise JournalError("no space left on device")
        return super().append(operation, applied)


def test_what_could_not_be_made_durable_is_not_applied() -> None:
    disks: list[FullDisk] = []

    def disk(meta: Any) -> FullDisk:
        disks.append(FullDisk(meta))
        return disks[0]

    session = Session.new(game_with(main=hexed, curse=curse), {}, journal=disk, rng=random.Random(1))
    answer(session, "left")
    before = session.state_hash(), session.question, session.head, log(session)
    disks[0].full = True
    for attempt in (
        lambda: give(session, "left"),
        lambda: take(session, "curse"),
        lambda: session.undo(),
        lambda: session.hold("north"),
    ):
        with pytest.raises(JournalError, match="no space left on device"):
            attempt()
        assert (session.state_hash(), session.question, session.head, log(session)) == before
    disks[0].full = False
    answer(session, "left")
    assert trace(reloaded(session)) == ["left", "left"]


def test_an_entry_is_durable_before_it_is_applied() -> None:
    seen: list[int] = []

    def watching(game: Playground) -> Proc[None]:
        yield Ask(confirm, "go")
        seen.append(len(session.journal.operations()))
        yield Ask(confirm, "next")

    session = opened(main=watching)
    answer(session, True)
    assert seen == [1]


# -- changed rules ----------------------------------------------------------------------------------------------


def longer_road(ways: list[str]) -> Any:
    def main(game: Playground) -> Proc[None]:
        did(game, (yield Ask(pick, "way", ["left", "right"])))
        game.then("second")

    def second(game: Playground) -> Proc[None]:
        did(game, ((yield Ask(confirm, "sure")) and "sure") or "unsure")
        did(game, (yield Ask(pick, "where", ways)))
        yield Ask(confirm, "next")

    return {"main": main, "second": second}


def test_a_reload_under_changed_options_stops_at_the_last_good_boundary_and_says_what_is_lost() -> None:
    session = opened(**longer_road(["up", "down"]))
    for value in ("left", True, "up"):
        answer(session, value)
    session.flush()
    changed = game_with(**longer_road(["up", "down", "home"]))
    journal = copied(session)
    with pytest.raises(Diverged) as caught:
        Session.load(changed, journal)
    assert (caught.value.boundary, caught.value.lost) == (1, ["answer up"])
    assert str(caught.value) == (
        "Entry 3 (answer up) no longer fits: its question is no longer the one that was answered. "
        "The table can go on from the last good boundary; 1 input(s) after it would be lost."
    )
    assert journal.tree.head == 3, "nothing was decided without the players"
    again = Session.load_at(changed, journal, caught.value.boundary)
    assert (asked(again), trace(again)) == ("sure", ["left"])


def test_a_reload_under_changed_wording_goes_on() -> None:
    session = opened(**longer_road(["up", "down"]))
    for value in ("left", True, "up"):
        answer(session, value)
    procedures = longer_road(["up", "down"])

    def reworded(game: Playground) -> Proc[None]:
        yield Ask(lambda game: _with_prompt(confirm(game, "sure"), "Are you really sure?"))
        did(game, "sure")
        did(game, (yield Ask(pick, "where", ["up", "down"])))
        yield Ask(confirm, "next")

    again = reloaded(session, game_with(**{**procedures, "second": reworded}))
    assert (asked(again), again.state_hash()) == ("next", session.state_hash())


def _with_prompt(question: Any, prompt: str) -> Any:
    question.prompt = prompt
    return question


def test_a_snapshot_of_an_older_version_is_read_by_a_migration_or_not_at_all() -> None:
    def older(game: Any, version: str, state: Any) -> Any:
        return {**state, "trace": [f"{version}: {line}" for line in state["trace"]]}

    session = opened(**longer_road(["up", "down"]))
    answer(session, "left")
    session.flush()
    newer = game_with(version="2", **longer_road(["up", "down"]))
    with pytest.raises(Refused, match="a state of rules version 1 cannot be read by version 2"):
        Session.load(newer, copied(session))
    newer.migrate = older  # type: ignore[method-assign]
    again = Session.load(newer, copied(session))
    assert trace(again) == ["1: left"]


# -- fork -------------------------------------------------------------------------------------------------------


def everything(session: Session) -> tuple[Any, ...]:
    """All that a fork could have touched."""
    return (
        session.state_hash(),
        session.question,
        session.head,
        log(session),
        repr(session.journal.operations()),
        repr(session.chance.kept),
        repr(session.journal.tree.forward),
        session.rng.getstate(),
    )


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_a_fork_touches_nothing(seed: int) -> None:
    rng = random.Random(seed)
    session = new_brawl(seed)
    play_some(session, rng, 12)
    session.undo(min(4, len(session.journal.tree.path())))
    before = everything(session)
    fork = session.fork()
    assert fork.state_hash() == session.state_hash()
    assert fork.question == session.question
    play_some(fork, rng, 10)
    fork.undo()
    assert everything(session) == before


def test_a_fork_knows_the_kept_dice_and_using_them_up_there_leaves_them_here() -> None:
    session = opened(main=any_dice)
    answer(session, 2)
    answer(session, [[1, 2]])
    session.undo(2)
    fork = session.fork()
    answer(fork, 1)
    answer(fork, [[6]])
    assert trace(fork) == ["[1]"], "another question consumes the kept faces in the fork too"
    answer(session, 2)
    answer(session, [[6, 6]])
    assert trace(session) == ["[1, 2]"]


def any_dice(game: Playground) -> Proc[None]:
    count = yield Ask(number_of_dice)
    faces = yield Ask(dice, f"{count} dice", count)
    did(game, str(faces[0]))
    game.then("main")


def number_of_dice(game: Playground) -> Any:
    return number(game, "how many", 3)


def test_a_fork_may_stand_at_an_earlier_entry() -> None:
    session = crossroads()
    answer(session, "left")
    fork = session.fork(1)
    assert (trace(fork), fork.head) == (["left"], 1)
    answer(fork, "left")
    answer(fork, "left")
    assert (len(trace(fork)), len(trace(session))) == (3, 2)


# -- the same everywhere ----------------------------------------------------------------------------------------


def test_two_hash_seeds_give_the_same_states() -> None:
    program = (
        "import random\n"
        "from tests.engine.toys.brawl import new_brawl, play_some\n"
        "for seed in range(5):\n"
        "    session = new_brawl(seed)\n"
        "    play_some(session, random.Random(seed), 40)\n"
        "    print(session.state_hash(), session.head, session.question and session.question.id)\n"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": f"{ROOT}:{ROOT / 'host'}"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1]
    assert len(set(said[0].splitlines())) == 5, "five plays that differ from one another"


def test_a_journal_holds_nothing_but_plain_data() -> None:
    session = new_brawl(7)
    play_some(session, random.Random(7), 30)
    for operation in session.journal.operations():
        assert msgspec.json.decode(msgspec.json.encode(operation), type=type(operation)) == operation
    assert type(session.game) is BRAWL
