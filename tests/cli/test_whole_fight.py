"""A whole fight typed line by line: every question that comes up can be answered with what the screen offers."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from emberboard.cli.keyboard import letters_of
from emberboard.engine.chance import draw, throw
from emberboard.engine.question import Choose, Confirm, Draw, Order, Place, Question, Roll, Window
from emberboard.engine.question import Path as Way
from emberboard.store.sqlite_journal import open_journal
from tests.cli.sittings import Group, open_fight

SEED = 12


def line_for(question: Question, rng: random.Random) -> str:
    """What somebody might type here."""
    if question.offers and rng.random() < 0.4:
        return rng.choice(list(letters_of(question.offers)))
    match question:
        case Choose() if question.single:
            return str(rng.randint(1, len(question.options)))
        case Choose():
            numbers = range(1, len(question.options) + 1)
            chosen = rng.sample(numbers, rng.randint(question.least, min(question.most, len(numbers))))
            return " ".join(map(str, chosen)) or "none"
        case Order():
            numbers = range(1, len(question.options) + 1)
            return " ".join(map(str, rng.sample(numbers, len(numbers))))
        case Place():
            option = rng.choice(question.options)
            assert option.at is not None
            return f"{option.at[0]},{option.at[1]}"
        case Way():
            stop = rng.choice(question.stops)
            return "stay" if stop == question.start else f"{stop[0]},{stop[1]}"
        case Roll():
            return " ".join(str(face) for group in throw(question, rng) for face in group)
        case Draw():
            return draw(question, rng)
        case Confirm():
            return rng.choice(("y", "n", "yes", "no"))
        case Window():
            return "g"
    raise AssertionError(f"nobody knows what to type at a {type(question).__name__}")


@pytest.mark.slow
def test_a_fight_can_be_typed_from_start_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBERBOARD_HOME", str(tmp_path))
    save = tmp_path / "saves" / "fight.ember"
    group = Group(open_fight(save, SEED), save, width=80)
    rng = random.Random(SEED)
    for _ in range(1500):
        question = group.session.question
        if question is None:
            break
        if group.session.head and rng.random() < 0.05:
            before = group.session.state_hash()
            group.types("u 1")
            group.types("y 1")
            assert group.session.state_hash() == before
            question = group.session.question
            assert question is not None
        before_head, line = group.session.head, line_for(question, rng)
        sees = group.types(line)
        assert "!! " not in sees, (question.prompt, line, sees[sees.index("!! ") :])
        assert group.session.head != before_head
        assert group.session.trouble is None
    else:
        pytest.fail("the fight did not end")
    assert "The fight is over: " in group.types("m")
    end = group.session.state_hash()
    group.session.close()
    again = type(group.session).load(type(group.session.game), open_journal(save))
    assert again.question is None and again.state_hash() == end
    again.close()
