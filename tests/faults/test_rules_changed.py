"""The rules changed between saving and loading: said, with what would be lost; going on from the last good boundary."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from emberboard.engine.errors import Diverged
from emberboard.engine.journal import Entry, Move
from emberboard.engine.session import Session, describe
from emberboard.store import list_saves, open_journal
from tests.engine.small_game import ENDLESS, Miners, OtherMiners, answer_at_random
from tests.store.journals import again, durable, on_disk, standing


class MoreWays(Miners):
    """The same version by its name, and yet another question: a change that nobody announced."""

    ways = (*Miners.ways, "sly")


@pytest.mark.parametrize("changed", [MoreWays, OtherMiners])
def test_it_stops_at_the_last_good_boundary_and_says_what_would_be_lost(
    tmp_path: Path, changed: type[Miners]
) -> None:
    path = tmp_path / "one.ember"
    session, source = on_disk(path, 1, ENDLESS), random.Random(1)
    for _ in range(40):
        answer_at_random(session, source)
    while session.question is None or session.question.name != "swing":
        answer_at_random(session, source)
    session.answer(session.question.id, [[1] * session.question.dice[0].count, [1]])  # type: ignore[attr-defined]
    while session.question is None or session.question.name != "swing":
        answer_at_random(session, source)
    before = standing(session)
    walked = session.journal.tree.path()
    session.close()

    journal = open_journal(path)
    count = len(journal.operations())
    with pytest.raises(Diverged, match="no longer the one that was answered") as caught:
        Session.load(changed, journal)
    boundary, lost = caught.value.boundary, caught.value.lost
    assert len(journal.operations()) == count
    after = [entry for entry in walked if entry.id > boundary]
    assert lost == [describe(entry) for entry in after]
    assert lost[0] in ("answer careful", "answer bold")
    assert f"{len(lost)} input(s) after it would be lost" in str(caught.value)

    moved = Session.load_at(changed, journal, boundary)
    assert moved.head == boundary
    assert moved.question is not None
    assert [option.id for option in moved.question.options] == list(changed.ways)  # type: ignore[attr-defined]
    assert journal.operations()[-1] == Move(boundary)
    moved.answer(moved.question.id, "sly")
    answer_at_random(moved, source)
    stands = (moved.state_hash(), moved.question, moved.log)
    moved.close()
    reloaded = Session.load(changed, open_journal(path))
    assert (reloaded.state_hash(), reloaded.question, reloaded.log) == stands
    reloaded.close()

    # What was given up for the new rules is still there for the old ones.
    old = Session.load_at(Miners, open_journal(path), before["head"])
    assert (old.state_hash(), old.question is not None) == (before["state"], True)
    old.close()


def test_standing_at_a_boundary_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "one.ember"
    session, source = on_disk(path, 1, ENDLESS), random.Random(1)
    for _ in range(25):
        answer_at_random(session, source)
    while session.question is None or session.question.name != "how":
        answer_at_random(session, source)
    state, head = session.state_hash(), session.head
    session.close()
    loaded = Session.load(OtherMiners, open_journal(path))
    assert (loaded.state_hash(), loaded.head) == (state, head)
    loaded.close()


def test_the_list_of_saves_does_not_need_the_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBERBOARD_HOME", str(tmp_path))
    session, source = on_disk(tmp_path / "saves" / "one.ember", 1, ENDLESS), random.Random(1)
    for _ in range(25):
        answer_at_random(session, source)
    session = again(session, clean=False)
    lines = [note.text for note in session.log]
    session.close()
    (save,) = list_saves()
    assert save.log == tuple(lines[-3:])


def test_a_rule_that_breaks_on_an_old_entry_is_a_divergence_and_not_a_failure_of_that_entry(tmp_path: Path) -> None:
    path = tmp_path / "one.ember"
    session = on_disk(path, 1, ENDLESS)
    for value in ("careful", [[1], [1]], "bold", False):
        assert session.question is not None
        session.answer(session.question.id, value)
    session.close()

    class Stricter(Miners):
        def note(self, text: str, *rules: str, **more: object) -> None:
            raise RuntimeError("notes are forbidden now")

    # The first entries lie before a boundary and are not applied again.
    Session.load(Stricter, open_journal(path)).close()
    journal = open_journal(path)
    journal._snapshots.clear()
    with pytest.raises(Diverged, match="notes are forbidden now") as caught:
        Session.load(Stricter, journal)
    assert caught.value.boundary == 0
    assert caught.value.lost == ["answer [1] [1]", "answer bold", "answer False"]
    assert not any(one.failed for one in durable(session).operations() if isinstance(one, Entry))
    journal.close()
