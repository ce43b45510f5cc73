"""A session on the disk is the same as one in memory, whatever is done in it and however often it is loaded anew."""

from __future__ import annotations

import random
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from emberboard.engine.errors import Refused
from emberboard.engine.session import Session
from tests.engine.small_game import ENDLESS, SEATS, answer_at_random, opened, play_one
from tests.store.journals import again, fast_folder, on_disk, standing

DEEDS = ("answer", "answer", "answer", "any", "offer", "undo", "redo", "correct", "adjust", "pass", "hold", "broken")


def do(session: Session, deed: str, number: int) -> object:
    """One deed, the same for the same number; what came of it, a refusal among it."""
    source = random.Random(number)
    pending = session.question
    assert pending is not None
    try:
        match deed:
            case "answer":
                answer_at_random(session, source)
            case "any":
                play_one(session, source)
            case "offer":
                session.take(pending.id, f"rope-{SEATS[number % 2]}")
            case "undo":
                return [entry.id for entry in session.undo(1 + number % 12)]
            case "redo":
                return session.redo().id
            case "correct":
                entry = 1 + number % max(1, session.head)
                value = source.choice([True, False, 1, "careful", "bold", [[4], [9]], [[1, 6, 6], [2]], "gold"])
                return session.correct(entry, value)
            case "adjust":
                session.adjust({"gold": number % 120})
            case "pass":
                session.pass_ahead(SEATS[number % 2], "turn" if number % 3 else "")
            case "hold":
                session.hold(SEATS[number % 2])
            case "broken":
                session.answer(pending.id, "cracked")
    except Refused as refused:
        return str(refused)
    return session.trouble.words if session.trouble is not None else None


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 5),
    deeds=st.lists(
        st.tuples(st.sampled_from(DEEDS), st.integers(0, 999), st.sampled_from(["", "", "", "clean", "unclean"])),
        min_size=10,
        max_size=60,
    ),
)
def test_a_session_on_the_disk_is_the_same_as_in_memory(
    seed: int, deeds: list[tuple[str, int, str]]
) -> None:
    with fast_folder() as folder:
        memory = opened(seed, ENDLESS)
        disk = on_disk(Path(folder) / "one.ember", seed, ENDLESS)
        for deed, number, left in deeds:
            assert do(disk, deed, number) == do(memory, deed, number)
            if left:
                disk = again(disk, clean=left == "clean")
            assert standing(disk) == standing(memory)
        disk = again(disk, clean=True)
        assert standing(disk) == standing(memory)
        disk.close()


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), backs=st.lists(st.integers(1, 40), min_size=1, max_size=6))
def test_every_undo_after_a_reload_leads_to_the_state_that_was_there(seed: int, backs: list[int]) -> None:
    with fast_folder() as folder:
        disk = on_disk(Path(folder) / "one.ember", seed, ENDLESS)
        source = random.Random(seed)
        seen = {0: (disk.state_hash(), disk.question)}
        for _ in range(40):
            answer_at_random(disk, source)
            seen[disk.head] = (disk.state_hash(), disk.question)
        disk = again(disk, clean=False)
        for back in backs:
            if disk.head >= back:
                disk.undo(back)
                assert (disk.state_hash(), disk.question) == seen[disk.head]
        while disk.head < 40:
            disk.redo()
            assert (disk.state_hash(), disk.question) == seen[disk.head]
        disk.close()
