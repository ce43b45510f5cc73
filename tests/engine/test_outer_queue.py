"""The outer loop is a queue in the state (DESIGN section 2)."""

from __future__ import annotations

from typing import Any

from emberboard.engine.question import Ask
from emberboard.engine.timing import Proc, end, scope
from tests.engine.toys.playground import Playground, answer, asked, confirm, did, opened, pick, reloaded, trace


def hero(game: Playground, name: str) -> Proc[None]:
    """An activation that may hand the turn to another hero before it is played out."""
    yield from scope(game, "activation", name, acts(game, name), lambda: cleans_up(game, name))


def acts(game: Playground, name: str) -> Proc[None]:
    did(game, f"{name} begins")
    other = yield Ask(pick, name, ["stay", "malah", "kel"])
    if other != "stay":
        game.then("hero", name=other)
        end(game, "activation", name, reason=f"then activate {other}")
    did(game, f"{name} goes on")


def cleans_up(game: Playground, name: str) -> Proc[None]:
    did(game, f"{name} ends")
    yield from ()


def main(game: Playground) -> Proc[None]:
    game.later("hero", name="ash")
    game.later("hero", name="birch")
    did(game, "round begins")
    yield from ()


def the_round() -> Any:
    return opened(main=main, hero=hero)


def test_what_is_added_later_is_taken_up_in_order() -> None:
    session = the_round()
    answer(session, "stay")
    answer(session, "stay")
    assert (asked(session), session.game.over()) == ("nothing", True)
    assert [line for line in trace(session) if "begins" in line] == ["round begins", "ash begins", "birch begins"]


def test_then_activate_another_ends_ones_own_activation_and_comes_before_what_waits() -> None:
    session = the_round()
    answer(session, "malah")
    assert trace(session) == ["round begins", "ash begins", "ash ends", "malah begins"]
    assert [step.args for step in session.game.state.ledger.agenda] == [{"name": "birch"}]
    answer(session, "stay")
    assert asked(session) == "birch"


def test_a_chain_of_hand_overs_is_no_deeper_than_one_call() -> None:
    session = the_round()
    for name in ["malah", "kel"] * 300:
        answer(session, name)
    assert asked(session) == "kel"
    assert len(session._runner.stack) == 1
    assert trace(session).count("malah begins") == trace(session).count("malah ends") == 300


def test_what_is_next_is_part_of_the_saved_state() -> None:
    session = the_round()
    answer(session, "kel")
    again = reloaded(session)
    for table in (session, again):
        answer(table, "stay")
        assert asked(table) == "birch"
    assert session.state_hash() == again.state_hash()


def test_between_two_steps_of_the_queue_no_procedure_is_alive_and_a_snapshot_is_taken() -> None:
    session = the_round()
    answer(session, "stay")
    answer(session, "malah")
    session.flush()
    taken = session.journal.snapshot_at([1])
    assert taken is not None and taken.entry == 1
    assert b'"birch begins"' not in taken.state, "the snapshot is of the boundary, before birch was taken up"
    assert b'"name":"birch"' in taken.state


def test_a_procedure_the_game_does_not_have_is_survived_and_named() -> None:
    def lost(game: Playground) -> Proc[None]:
        if (yield Ask(confirm, "call a stranger")):
            game.then("stranger")

    session = opened(main=lost)
    session.answer(session.question.id, True)  # type: ignore[union-attr]
    assert session.trouble is not None
    assert "playground has no procedure 'stranger'" in session.trouble.words
    assert asked(session) == "call a stranger"
