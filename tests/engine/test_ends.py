"""Ends: leaving a scope from deep inside it (DESIGN section 2, Ends)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from emberboard.engine.question import Ask
from emberboard.engine.timing import Ended, Proc, caused, end, scope, shielded, trigger
from tests.engine.toys.playground import (
    Playground,
    answer,
    asked,
    confirm,
    did,
    offers_of,
    opened,
    reloaded,
    take,
    trace,
    used,
    window,
)

Body = Callable[[Playground], Proc[Any]]


def cleaning(game: Playground, what: str) -> Callable[[], Proc[None]]:
    """A clean-up that asks before it is done."""

    def clean_up() -> Proc[None]:
        yield Ask(confirm, f"clean up {what}")
        did(game, f"{what} cleaned up")

    return clean_up


def fight_of(body: Body, **more: Any) -> Any:
    """A fight, in it a turn of north, in it an action, in it `body`; each scope cleans up with a question."""

    def main(game: Playground) -> Proc[None]:
        outcome = yield from scope(game, "fight", "", fight(game), cleaning(game, "fight"))
        did(game, f"fight: {outcome.reason if outcome else 'played out'}")
        yield Ask(confirm, "next")

    def fight(game: Playground) -> Proc[None]:
        outcome = yield from scope(game, "turn", "north", turn(game), cleaning(game, "turn"))
        did(game, f"turn: {outcome.reason if outcome else 'played out'}")

    def turn(game: Playground) -> Proc[None]:
        outcome = yield from scope(game, "action", "north", body(game), cleaning(game, "action"))
        did(game, f"action: {outcome.reason if outcome else 'played out'}")

    return opened(main=main, **more)


def clean_all(session: Any) -> list[str]:
    """Let every clean-up that is asked about happen, and give their names in order."""
    names: list[str] = []
    while asked(session).startswith("clean up"):
        names.append(asked(session).removeprefix("clean up "))
        answer(session, True)
    return names


def deep(game: Playground, what: str, owner: str, **how: Any) -> Proc[None]:
    """Some frames down, something ends."""

    def deeper() -> Proc[None]:
        did(game, "deep inside")
        end(game, what, owner, **how)
        did(game, "and on")
        yield from ()

    yield from deeper()
    did(game, "and on outside")


def test_an_end_reaches_the_frame_that_owns_the_scope_and_only_that_is_left() -> None:
    session = fight_of(lambda game: deep(game, "action", "north", reason="fumble"))
    assert clean_all(session) == ["action", "turn", "fight"]
    assert trace(session) == [
        "deep inside",
        "action cleaned up",
        "action: fumble",
        "turn cleaned up",
        "turn: played out",
        "fight cleaned up",
        "fight: played out",
    ]


def test_a_wider_end_passes_through_the_inner_clean_ups() -> None:
    session = fight_of(lambda game: deep(game, "fight", "", reason="lost"))
    assert clean_all(session) == ["action", "turn", "fight"]
    assert trace(session) == ["deep inside", "action cleaned up", "turn cleaned up", "fight cleaned up", "fight: lost"]


def test_a_scope_that_is_played_out_cleans_up_too() -> None:
    def nothing(game: Playground) -> Proc[None]:
        did(game, "plays")
        yield from ()

    session = fight_of(nothing)
    assert clean_all(session) == ["action", "turn", "fight"]
    assert trace(session)[:3] == ["plays", "action cleaned up", "action: played out"]


def test_the_same_scope_of_another_owner_is_not_ended() -> None:
    def body(game: Playground) -> Proc[None]:
        yield from scope(game, "turn", "east", deep(game, "turn", "north", reason="stunned"))
        did(game, "never")

    session = fight_of(body)
    clean_all(session)
    assert trace(session)[:3] == ["deep inside", "action cleaned up", "turn cleaned up"]
    assert "turn: stunned" in trace(session)


def test_the_question_of_a_clean_up_survives_a_reload() -> None:
    session = fight_of(lambda game: deep(game, "fight", "", reason="lost"))
    answer(session, True)
    again = reloaded(session)
    assert asked(again) == "clean up turn"
    assert clean_all(again) == ["turn", "fight"]
    assert trace(again)[-1] == "fight: lost"


# -- ends nobody owns -------------------------------------------------------------------------------------------


def test_an_end_nobody_owns_is_an_error_that_the_table_survives() -> None:
    def main(game: Playground) -> Proc[None]:
        while True:
            if (yield Ask(confirm, "end the round")):
                did(game, "ends the round")
                end(game, "round", reason="nobody plays rounds here")
            did(game, "not ended")

    session = opened(main=main)
    session.answer(session.question.id, True)  # type: ignore[union-attr]
    assert session.trouble is not None
    assert "nobody owns this end: round of the table ended: nobody plays rounds here" in session.trouble.words
    assert (asked(session), trace(session), session.head) == ("end the round", [], 0)
    answer(session, False)
    assert trace(session) == ["not ended"]


def test_an_end_names_what_ended_and_why() -> None:
    with pytest.raises(Ended, match="turn of north ended: no reason given"):
        end(opened(main=lambda game: scope(game, "turn", "", iter(()))).game, "turn", "north")  # type: ignore[arg-type]


# -- ends out of interrupts -------------------------------------------------------------------------------------


def trap(game: Playground) -> Proc[None]:
    used(game, "trap")
    yield Ask(confirm, "trap")
    did(game, "trapped")
    end(game, "action", "north", reason="trapped")


def walks(game: Playground) -> Proc[None]:
    did(game, "walks")
    yield Ask(window, "on the way", {"trap": "east"})
    did(game, "arrives")


def test_an_end_out_of_an_interrupt_reaches_the_scope_below_it() -> None:
    session = fight_of(walks, trap=trap)
    take(session, "trap")
    answer(session, True)
    clean_all(session)
    assert trace(session)[:4] == ["walks", "trapped", "action cleaned up", "action: trapped"]


def test_an_end_out_of_an_interrupt_in_an_interrupt_passes_both() -> None:
    def lure(game: Playground) -> Proc[None]:
        used(game, "lure")
        yield from scope(game, "lure", "east", luring(game), cleaning(game, "lure"))
        did(game, "never")

    def luring(game: Playground) -> Proc[None]:
        yield Ask(window, "lured", {"trap": "east"})

    def walk(game: Playground) -> Proc[None]:
        yield Ask(window, "on the way", {"lure": "east"})
        did(game, "never")

    session = fight_of(walk, trap=trap, lure=lure)
    take(session, "lure")
    take(session, "trap")
    answer(session, True)
    assert clean_all(session) == ["lure", "action", "turn", "fight"]
    assert trace(session)[:4] == ["trapped", "lure cleaned up", "action cleaned up", "action: trapped"]


def test_an_interrupt_that_owns_the_scope_is_left_alone_and_the_question_below_is_asked_anew() -> None:
    def duel(game: Playground) -> Proc[None]:
        used(game, "duel")
        outcome = yield from scope(game, "duel", "east", deep(game, "duel", "east", reason="first blood"))
        did(game, f"duel: {outcome.reason if outcome else ''}")

    def walk(game: Playground) -> Proc[None]:
        yield Ask(window, "on the way", {"duel": "east", "trap": "east"})
        did(game, "arrives")

    session = fight_of(walk, duel=duel, trap=trap)
    take(session, "duel")
    assert (asked(session), offers_of(session)) == ("on the way", ["trap"])
    assert trace(session) == ["deep inside", "duel: first blood"]


# -- deferrable ends --------------------------------------------------------------------------------------------


def attack_that_taints(game: Playground, ends: list[tuple[str, str]]) -> Proc[None]:
    did(game, "attack begins")
    for what, owner in ends:
        end(game, what, owner, reason=f"tainted for {what}", deferrable=True)
    did(game, "attack ends")
    yield from ()


def test_a_deferrable_end_waits_until_the_shielded_body_is_finished() -> None:
    def body(game: Playground) -> Proc[None]:
        yield from shielded(game, ["turn"], attack_that_taints(game, [("turn", "north")]))
        did(game, "never")

    session = fight_of(body)
    clean_all(session)
    assert trace(session)[:5] == [
        "attack begins",
        "attack ends",
        "action cleaned up",
        "turn cleaned up",
        "turn: tainted for turn",
    ]


def test_a_deferrable_end_without_a_shield_for_it_ends_at_once() -> None:
    def body(game: Playground) -> Proc[None]:
        yield from shielded(game, ["fight"], attack_that_taints(game, [("turn", "north")]))

    session = fight_of(body)
    clean_all(session)
    assert trace(session)[:3] == ["attack begins", "action cleaned up", "turn cleaned up"]


def test_an_end_that_is_not_deferrable_pierces_the_shield() -> None:
    session = fight_of(lambda game: shielded(game, ["turn", "fight"], deep(game, "turn", "north", reason="dead")))
    clean_all(session)
    assert trace(session)[:4] == ["deep inside", "action cleaned up", "turn cleaned up", "turn: dead"]


def test_a_shielded_body_gives_its_result_when_nothing_was_put_off() -> None:
    def body(game: Playground) -> Proc[None]:
        did(game, f"worth {(yield from shielded(game, ['turn'], seven()))}")

    def seven() -> Proc[int]:
        return 7
        yield

    session = fight_of(body)
    assert trace(session)[0] == "worth 7"


def test_a_deferred_end_comes_after_what_the_body_triggered() -> None:
    def body(game: Playground) -> Proc[None]:
        yield from shielded(game, ["turn"], caused(game, attack(game)))

    def attack(game: Playground) -> Proc[None]:
        trigger(game, "said", what="the ring answers")
        yield from attack_that_taints(game, [("turn", "north")])

    def said(game: Playground, what: str) -> Proc[None]:
        did(game, what)
        yield from ()

    session = fight_of(body, said=said)
    clean_all(session)
    assert trace(session)[:4] == ["attack begins", "attack ends", "the ring answers", "action cleaned up"]


def test_a_deferred_end_survives_that_the_body_itself_is_ended() -> None:
    """The third taint waits for the attack; a parry ends the attack early; the turn is over all the same."""

    def body(game: Playground) -> Proc[None]:
        yield from scope(game, "attack", "north", shielded(game, ["turn"], attack(game)), cleaning(game, "attack"))
        did(game, "never: the turn is over")

    def attack(game: Playground) -> Proc[None]:
        yield from attack_that_taints(game, [("turn", "north")])
        end(game, "attack", "north", reason="parried")

    session = fight_of(body)
    assert clean_all(session) == ["attack", "action", "turn", "fight"]
    assert trace(session)[2:6] == [
        "attack cleaned up",
        "action cleaned up",
        "turn cleaned up",
        "turn: tainted for turn",
    ]


def test_of_two_deferred_ends_neither_is_lost_whichever_came_first() -> None:
    for ends in ([("turn", "north"), ("fight", "")], [("fight", ""), ("turn", "north")]):

        def body(game: Playground, ends: list[tuple[str, str]] = ends) -> Proc[None]:
            yield from shielded(game, ["turn", "fight"], attack_that_taints(game, ends))

        session = fight_of(body)
        assert clean_all(session) == ["action", "turn", "fight"]
        assert trace(session)[-2:] == ["fight cleaned up", "fight: tainted for fight"]
        assert "turn: played out" not in trace(session)


def test_a_scope_that_is_ended_again_by_its_own_clean_up_is_ended_once() -> None:
    """What comes due at the end of a turn may end that turn: it is over already."""

    def main(game: Playground) -> Proc[None]:
        outcome = yield from scope(game, "turn", "north", deep(game, "turn", "north", reason="first"), blast(game))
        did(game, f"turn: {outcome.reason if outcome else ''}")
        yield Ask(confirm, "next")

    def blast(game: Playground) -> Callable[[], Proc[None]]:
        def clean_up() -> Proc[None]:
            yield from shielded(game, ["turn"], attack_that_taints(game, [("turn", "north")]))

        return clean_up

    session = opened(main=main)
    assert trace(session) == ["deep inside", "attack begins", "attack ends", "turn: first"]


def test_a_wider_end_out_of_a_clean_up_goes_on_outward() -> None:
    def main(game: Playground) -> Proc[None]:
        outcome = yield from scope(game, "fight", "", turn(game))
        did(game, f"fight: {outcome.reason if outcome else ''}")
        yield Ask(confirm, "next")

    def turn(game: Playground) -> Proc[None]:
        yield from scope(game, "turn", "north", iter(()), lambda: deep(game, "fight", "", reason="all dead"))
        did(game, "never")

    assert trace(opened(main=main)) == ["deep inside", "fight: all dead"]
