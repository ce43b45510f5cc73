"""An entry that the rules cannot apply: taken back, marked, and the same table goes on, also across a reload."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from emberboard.engine.journal import Applied, Entry, Failure, Operation
from emberboard.engine.session import Session
from emberboard.store import SqliteJournal, create, open_journal
from tests.engine.small_game import ENDLESS, Miners, answer_at_random, opened
from tests.store.journals import again, durable, on_disk, standing


def until_how(session: Session, source: random.Random) -> str:
    """Play on to the question whose answer `cracked` breaks the rules; its id."""
    while session.question is None or session.question.name != "how":
        answer_at_random(session, source)
    return session.question.id


def test_it_is_marked_failed_and_stays_so_after_a_reload_and_the_table_goes_on(tmp_path: Path) -> None:
    session, source = on_disk(tmp_path / "one.ember", 1, ENDLESS), random.Random(1)
    for _ in range(30):
        answer_at_random(session, source)
    asked = until_how(session, source)
    before = standing(session)
    session.answer(asked, "cracked")
    assert session.trouble is not None
    assert "the shaft was never drawn" in session.trouble.words
    assert "Traceback" in session.trouble.report
    broken = session.trouble.entry
    for clean in (True, False):
        assert session.state_hash() == before["state"]
        assert session.question is not None
        assert session.question.id == asked
        assert session.journal.tree.entries[broken].failed == "RuntimeError: the shaft was never drawn on the map"
        session = again(session, clean=clean)
    session.answer(asked, "careful")
    assert session.trouble is None
    for _ in range(20):
        answer_at_random(session, source)
    after = standing(session)
    session = again(session, clean=True)
    assert standing(session) == after
    assert broken not in [entry.id for entry in session.journal.tree.path()]
    session.undo(21)
    assert session.state_hash() == before["state"]
    session.close()


class LastWords(BaseException):
    """The process ends here."""


class Dying(SqliteJournal):
    """A journal whose process ends when `cracked` is durable, before it is applied or its failure marked."""

    marking = False

    def append(self, operation: Operation, applied: Applied | None = None) -> int:
        if isinstance(operation, Failure):
            raise LastWords
        number = super().append(operation, applied)
        if isinstance(operation, Entry) and operation.value == "cracked" and not self.marking:
            raise LastWords
        return number


@pytest.mark.parametrize("marking", [False, True], ids=["before it is applied", "before its failure is stored"])
def test_ended_in_between_the_reload_marks_it_failed(tmp_path: Path, marking: bool) -> None:
    path = tmp_path / "one.ember"
    session, source = on_disk(path, 1, ENDLESS), random.Random(1)
    for _ in range(17):
        answer_at_random(session, source)
    asked = until_how(session, source)
    before = standing(session)
    journal = durable(session)
    journal.__class__, journal.marking = Dying, marking  # type: ignore[assignment,attr-defined]
    with pytest.raises(LastWords):
        session.answer(asked, "cracked")
    journal.close()

    assert [one.value for one in open_and_close(path) if isinstance(one, Entry)][-1] == "cracked"
    loaded = Session.load(Miners, open_journal(path))
    assert loaded.trouble is not None
    assert isinstance(loaded.journal.operations()[-1], Failure)
    assert (loaded.state_hash(), loaded.head) == (before["state"], before["head"])
    assert loaded.question is not None
    assert loaded.question.id == asked
    loaded = again(loaded, clean=False)
    assert loaded.trouble is None
    assert sum(isinstance(one, Failure) for one in loaded.journal.operations()) == 1
    loaded.answer(asked, "bold")
    loaded.close()


def open_and_close(path: Path) -> list[Operation]:
    journal = open_journal(path)
    held = list(journal.operations())
    journal.close()
    return held


def test_a_roll_that_breaks_the_rules_is_kept(tmp_path: Path) -> None:
    """The dice were thrown on the table: they are not thrown anew because the rules failed."""

    class Brittle(Miners):
        name = "miners"

        def note(self, text: str, *rules: str, **more: object) -> None:
            if "hit(s)" in text and not self.mended:
                raise RuntimeError("no hits are known")
            super().note(text, *rules, **more)  # type: ignore[arg-type]

        mended = False

    session = Session.new(
        Brittle, ENDLESS, journal=lambda meta: create(tmp_path / "one.ember", meta), rng=random.Random(3)
    )
    assert session.question is not None
    session.answer(session.question.id, "careful")
    assert session.question is not None
    session.answer(session.question.id, [[6], [12]])
    assert session.trouble is not None
    session.close()
    Brittle.mended = True
    loaded = Session.load(Brittle, open_journal(tmp_path / "one.ember"), rng=random.Random(4))
    assert loaded.question is not None
    assert loaded.question.name == "swing"
    assert loaded.roll(loaded.question.id) == [[6], [12]]
    loaded.close()


def test_in_memory_and_on_the_disk_the_same_happens(tmp_path: Path) -> None:
    disk, memory = on_disk(tmp_path / "one.ember", 5, ENDLESS), opened(5, ENDLESS)
    for session in (disk, memory):
        source = random.Random(5)
        for _ in range(6):
            session.answer(until_how(session, source), "cracked")
            answer_at_random(session, source)
            session.undo()
    assert standing(disk) == standing(memory)
    assert standing(again(disk, clean=False)) == standing(memory)
