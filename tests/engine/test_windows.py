"""Windows: moments that exist only for their offers (DESIGN section 2, Offers)."""

from __future__ import annotations

from typing import Any

import pytest

from emberboard.engine.errors import Refused, Stale
from emberboard.engine.question import GO_ON, Ask
from emberboard.engine.timing import Proc, come_due
from tests.engine.toys.playground import (
    Playground,
    answer,
    asked,
    confirm,
    did,
    offers_of,
    opened,
    pass_window,
    reloaded,
    take,
    trace,
    used,
    window,
)

REACTIONS = {"parry": "east", "dodge": "south"}


def blow(game: Playground) -> Proc[None]:
    yield Ask(window, "before the blow", REACTIONS)
    did(game, "blow")
    yield Ask(window, "after the blow", {"riposte": "east"})
    did(game, "over")
    yield Ask(confirm, "next")


def parry(game: Playground) -> Proc[None]:
    used(game, "parry")
    did(game, "parry")
    yield from ()


def dodge(game: Playground) -> Proc[None]:
    used(game, "dodge")
    if (yield Ask(confirm, "dodge left")):
        did(game, "dodge left")


def riposte(game: Playground) -> Proc[None]:
    used(game, "riposte")
    did(game, "riposte")
    yield from ()


PROCEDURES: dict[str, Any] = {"main": blow, "parry": parry, "dodge": dodge, "riposte": riposte}


def the_fight(**numbers: int) -> Any:
    return opened(setup={"numbers": numbers}, **PROCEDURES)


def test_a_window_without_an_offer_is_never_asked() -> None:
    session = the_fight(parry=0, dodge=0, riposte=0)
    assert (asked(session), trace(session), session.head) == ("next", ["blow", "over"], 0)


def test_only_seats_with_an_offer_are_named() -> None:
    session = the_fight(parry=0)
    assert asked(session) == "before the blow"
    assert [(offer.id, offer.seat) for offer in session.question.offers] == [("dodge", "south")]


def test_one_entry_closes_a_window_whoever_gives_it() -> None:
    session = the_fight(riposte=0)
    pass_window(session, "north")
    assert (asked(session), session.head, trace(session)) == ("next", 1, ["blow", "over"])


def test_a_window_stays_open_after_an_offer_while_another_is_left() -> None:
    session = the_fight(riposte=0)
    take(session, "parry")
    assert (asked(session), offers_of(session), trace(session)) == ("before the blow", ["dodge"], ["parry"])
    take(session, "dodge")
    assert asked(session) == "dodge left"
    answer(session, True)
    assert (asked(session), trace(session)) == ("next", ["parry", "dodge left", "blow", "over"])


def test_an_offer_of_another_seat_is_refused_and_nothing_changes() -> None:
    session = the_fight()
    with pytest.raises(Refused, match="parry is an offer to east, not to south"):
        take(session, "parry", "south")
    assert (session.head, trace(session), offers_of(session)) == (0, [], ["parry", "dodge"])


def test_what_is_not_offered_is_refused_with_what_is() -> None:
    session = the_fight()
    with pytest.raises(Refused, match="'riposte' is not offered now; offers: parry, dodge"):
        take(session, "riposte")


def test_an_offer_taken_twice_is_stale_the_second_time() -> None:
    session = the_fight()
    seen = session.question.id
    session.take(seen, "parry", seat="east")
    with pytest.raises(Stale):
        session.take(seen, "parry", seat="east")
    assert trace(session) == ["parry"]


def test_a_window_is_closed_with_go_on_and_nothing_else() -> None:
    session = the_fight()
    with pytest.raises(Refused, match="take one of the offers, or answer 'go on'"):
        answer(session, True)


# -- pass ahead -------------------------------------------------------------------------------------------------


def rounds(game: Playground) -> Proc[None]:
    for number in (1, 2):
        yield Ask(window, f"early {number}", REACTIONS)
        yield Ask(window, f"late {number}", REACTIONS)
        yield from come_due(game, "turn", "wolf")
        yield from come_due(game, "round")
        did(game, f"round {number} over")
    yield Ask(confirm, "next")


def the_rounds(**numbers: int) -> Any:
    return opened(setup={"numbers": numbers}, **{**PROCEDURES, "main": rounds})


def test_pass_ahead_lasts_until_the_end_of_the_scope_named() -> None:
    session = the_rounds(dodge=0)
    session.pass_ahead("east", "round")
    assert (asked(session), trace(session)) == ("early 2", ["round 1 over"])


def test_pass_ahead_ends_with_a_narrower_scope_when_that_was_named() -> None:
    session = the_rounds(dodge=0)
    session.pass_ahead("east", "turn")
    assert asked(session) == "early 2"
    session.pass_ahead("east", "fight")
    assert (asked(session), trace(session)) == ("next", ["round 1 over", "round 2 over"])


def test_the_end_of_a_narrower_scope_does_not_take_a_pass_back() -> None:
    def main(game: Playground) -> Proc[None]:
        yield Ask(window, "first turn", REACTIONS)
        yield from come_due(game, "turn", "wolf")
        yield Ask(window, "second turn", REACTIONS)
        yield from come_due(game, "round")
        yield Ask(window, "next round", REACTIONS)

    session = opened(setup={"numbers": {"dodge": 0}}, **{**PROCEDURES, "main": main})
    session.pass_ahead("east", "round")
    assert asked(session) == "next round"


def test_a_seat_that_passed_ahead_keeps_its_offer_when_another_seat_opens_the_window() -> None:
    session = the_rounds()
    session.pass_ahead("east", "round")
    assert (asked(session), offers_of(session)) == ("early 1", ["parry", "dodge"])
    take(session, "parry", "east")
    assert trace(session) == ["parry"]


def test_pass_ahead_is_taken_back_with_an_empty_word() -> None:
    session = the_rounds()
    session.pass_ahead("east", "fight")
    session.pass_ahead("east", "")
    session.pass_ahead("south", "fight")
    assert asked(session) == "early 1", "east no longer lets it go by"


def test_pass_ahead_of_an_unknown_seat_is_refused() -> None:
    with pytest.raises(Refused, match="there is no seat 'west'; seats: north, east, south"):
        the_fight().pass_ahead("west", "round")


def test_pass_ahead_is_undone_and_survives_a_reload_like_any_entry() -> None:
    session = the_rounds(dodge=0)
    session.pass_ahead("east", "round")
    assert reloaded(session).question == session.question
    session.undo()
    assert asked(session) == "early 1"


# -- hold -------------------------------------------------------------------------------------------------------


def test_hold_a_window_waits_for_the_seat_that_holds() -> None:
    session = the_fight()
    session.hold("south")
    for seat in ("east", ""):
        with pytest.raises(Refused, match="south asked the table to wait"):
            pass_window(session, seat)
    assert asked(session) == "before the blow"
    pass_window(session, "south")
    assert (asked(session), trace(session)) == ("after the blow", ["blow"])
    pass_window(session, "east")
    assert asked(session) == "next", "a hold is over once its seat has answered"


def test_hold_by_two_seats_waits_for_both() -> None:
    session = the_fight(riposte=0)
    session.hold("south")
    session.hold("east")
    pass_window(session, "south")
    assert (asked(session), trace(session)) == ("before the blow", [])
    pass_window(session, "east")
    assert trace(session) == ["blow", "over"]


def test_hold_does_not_keep_others_from_taking_their_offers() -> None:
    session = the_fight()
    session.hold("south")
    take(session, "parry", "east")
    assert trace(session) == ["parry"]


def test_hold_does_not_open_a_window_without_offers() -> None:
    session = the_fight(riposte=0, dodge=0)
    session.hold("north")
    take(session, "parry", "east")
    assert asked(session) == "next"


def test_hold_of_an_unknown_seat_is_refused() -> None:
    with pytest.raises(Refused, match="there is no seat 'west'"):
        the_fight().hold("west")


def test_a_window_that_nobody_minds_gives_go_on() -> None:
    def main(game: Playground) -> Proc[None]:
        did(game, (yield Ask(window, "empty", {})))
        yield Ask(confirm, "next")

    assert trace(opened(main=main)) == [GO_ON]
