"""Asking: builders that are called again, Settled, and who may answer (DESIGN section 2, Questions)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from emberboard.engine.errors import Refused, Stale
from emberboard.engine.question import Ask, Choose, Offer, Settled
from emberboard.engine.timing import Proc
from tests.engine.toys.playground import (
    Playground,
    answer,
    asked,
    confirm,
    did,
    log,
    offers_of,
    opened,
    pick,
    reloaded,
    settled,
    take,
    trace,
    used,
    who,
)


def options_of(session: Any) -> list[str]:
    return [option.id for option in session.question.options]


# -- builders ---------------------------------------------------------------------------------------------------


def targets_in_reach(game: Playground) -> Choose:
    """Whoever still stands may be hit; east holds a bomb that may be thrown first."""
    standing = [name for name in ("rat", "wolf", "bear") if game.state.numbers.get(name, 1)]
    question = pick(game, "target", standing, "north")
    if game.state.numbers.get("bomb", 1):
        question.offers = (Offer("bomb", "east", "throw the bomb", "bomb", {"at": "rat"}),)
    return question


def hit(game: Playground) -> Proc[None]:
    target = yield Ask(targets_in_reach)
    did(game, f"hits {target}")


def bomb(game: Playground, at: str) -> Proc[None]:
    if (yield Ask(confirm, "both")):
        game.state.numbers["wolf"] = 0
    game.state.numbers[at] = 0
    used(game, "bomb")
    did(game, f"bomb at {at}")


def test_after_an_offer_the_builder_is_called_again_and_options_are_those_of_now() -> None:
    session = opened(main=hit, bomb=bomb)
    assert options_of(session) == ["rat", "wolf", "bear"]
    take(session, "bomb", "east")
    assert asked(session) == "both"
    answer(session, True)
    assert (options_of(session), offers_of(session)) == (["bear"], [])
    answer(session, "bear")
    assert trace(session) == ["bomb at rat", "hits bear"]


def test_an_answer_that_an_offer_made_illegal_is_refused() -> None:
    session = opened(main=hit, bomb=bomb)
    take(session, "bomb")
    answer(session, False)
    with pytest.raises(Refused, match="'rat' is not among the legal answers: wolf, bear"):
        answer(session, "rat")


def test_locals_that_hold_ids_see_a_state_that_an_offer_replaced() -> None:
    """The procedure kept the id `rat`, not the rat: what it reads after the offer is the state of now."""

    def strike(game: Playground) -> Proc[None]:
        target = yield Ask(targets_in_reach)
        sure = yield Ask(sure_with_bomb, target)
        did(game, f"{target} alive {game.state.numbers.get(target, 1)} {sure}")

    def sure_with_bomb(game: Playground, target: str) -> Any:
        question = confirm(game, "sure")
        question.offers = (Offer("bomb", "east", "bomb", "bomb", {"at": target}),)
        return question

    session = opened(main=strike, bomb=bomb)
    answer(session, "rat")
    take(session, "bomb")
    answer(session, False)
    answer(session, True)
    assert trace(session)[-1] == "rat alive 0 True"


def test_a_settled_builder_is_not_asked_and_gives_its_value_at_once() -> None:
    def main(game: Playground) -> Proc[None]:
        forced = yield Ask(settled, "the only way")
        did(game, forced)
        did(game, (yield Ask(pick, "way", ["left", "right"])))

    session = opened(main=main)
    assert (asked(session), trace(session)) == ("way", ["the only way"])


def test_a_question_that_an_offer_settled_goes_on_by_itself() -> None:
    def main(game: Playground) -> Proc[None]:
        did(game, f"hits {(yield Ask(last_target))}")
        yield Ask(confirm, "next")

    def last_target(game: Playground) -> Any:
        question = targets_in_reach(game)
        return question if len(question.options) > 1 else Settled(question.options[0].id)

    session = opened(main=main, bomb=bomb)
    take(session, "bomb")
    answer(session, True)
    assert (asked(session), trace(session)) == ("next", ["bomb at rat", "hits bear"])


def test_standing_offers_ride_on_every_question_and_yield_to_the_questions_own() -> None:
    def always(game: Playground, question: Any) -> list[Offer]:
        return [Offer("bomb", "south", "the standing one", "bomb", {"at": "bear"}), Offer("sing", "south", "", "sing")]

    def sing(game: Playground) -> Proc[None]:
        did(game, "sings")
        yield from ()

    session = opened(main=hit, bomb=bomb, sing=sing, offers=always)
    assert offers_of(session) == ["bomb", "sing"]
    take(session, "bomb")
    answer(session, False)
    assert trace(session) == ["bomb at rat"], "the question's own offer stands before a standing one of the same id"
    take(session, "sing", "south")
    assert trace(session) == ["bomb at rat", "sings"]


def test_only_an_ask_is_answered() -> None:
    def main(game: Playground) -> Proc[None]:
        yield Ask(confirm, "ready")
        yield confirm(game, "finished list")  # type: ignore[misc]

    session = opened(main=main)
    assert session.question is not None
    session.answer(session.question.id, True)
    assert session.trouble is not None
    assert "only Ask is answered" in session.trouble.words


# -- one, any, group --------------------------------------------------------------------------------------------


def asking(mode: str, seats: str) -> Any:
    def main(game: Playground) -> Proc[None]:
        did(game, str((yield Ask(pick, "way", ["left", "right"], seats, mode))))
        yield Ask(confirm, "next")

    return main


def test_one_only_that_seat_or_the_table_itself_answers() -> None:
    session = opened(main=asking("one", "east"))
    with pytest.raises(Refused, match="this is for east, not for north"):
        answer(session, "left", "north")
    answer(session, "left", "east")
    assert trace(session) == ["left"]
    session.undo()
    answer(session, "right")
    assert trace(session) == ["right"]


def test_any_the_first_wins_and_the_later_one_is_stale() -> None:
    session = opened(main=asking("any", "north east"))
    seen_by_both = session.question.id  # type: ignore[union-attr]
    session.answer(seen_by_both, "left", seat="east")
    with pytest.raises(Stale, match="no longer asked"):
        session.answer(seen_by_both, "right", seat="north")
    assert (trace(session), session.head) == (["left"], 1)


def test_any_a_seat_that_is_not_among_them_is_refused() -> None:
    session = opened(main=asking("any", "north east"))
    with pytest.raises(Refused, match="this is for north or east, not for south"):
        answer(session, "left", "south")


def test_group_whoever_speaks_speaks_for_all() -> None:
    session = opened(main=asking("group", "group"))
    answer(session, "right", "south")
    assert trace(session) == ["right"]


# -- each -------------------------------------------------------------------------------------------------------


def secret_way(game: Playground) -> Choose:
    """Each chooses in secret; a seat that was carried off does not choose; the wind may close a way."""
    here = " ".join(seat for seat in ("north", "east", "south") if game.state.numbers.get(seat, 1))
    ways = [way for way in ("left", "right", "down") if game.state.numbers.get(way, 1)]
    question = pick(game, "way", ways, here, "each")
    question.offers = tuple(
        Offer(name, "south", name, "wind", {"takes": name})
        for name in ("east", "left")
        if game.state.numbers.get(name, 1)
    )
    return question


def each_in_secret(game: Playground) -> Proc[None]:
    ways = yield Ask(secret_way)
    did(game, " ".join(f"{seat}:{way}" for seat, way in ways.items()))
    game.note("ways: " + ", ".join(ways.values()))
    yield Ask(confirm, "next")


def wind(game: Playground, takes: str) -> Proc[None]:
    game.state.numbers[takes] = 0
    did(game, f"the wind takes {takes}")
    yield from ()


def test_each_waits_for_all_and_gives_answers_in_the_order_of_the_seats() -> None:
    session = opened(main=each_in_secret, wind=wind)
    for seat, way in (("south", "down"), ("north", "left")):
        answer(session, way, seat)
        assert (asked(session), trace(session)) == ("way", [])
    answer(session, "right", "east")
    assert trace(session) == ["north:left east:right south:down"]


def test_each_nothing_that_other_seats_see_holds_a_given_answer() -> None:
    session = opened(main=each_in_secret, wind=wind)
    before = msgspec.json.encode(session.question), session.state_hash(), session.game.scene(session.question)
    answer(session, "right", "east")
    question = session.question
    assert question is not None and question.note == "still to answer: north, south"
    seen = msgspec.structs.replace(question, id="", note="")
    known = msgspec.structs.replace(msgspec.json.decode(before[0], type=Choose), id="", note="")
    assert seen == known, "the question told more than who is still to answer"
    assert "right" not in question.id
    assert session.state_hash() == before[1]
    assert session.game.scene(question) == before[2]
    assert log(session) == []


def test_each_a_seat_cannot_answer_twice_nor_for_another() -> None:
    session = opened(main=each_in_secret, wind=wind)
    answer(session, "left", "north")
    with pytest.raises(Refused, match="north has already answered; still to answer: east, south"):
        answer(session, "right", "north")
    with pytest.raises(Refused, match="each answers for itself: say which seat of east, south"):
        answer(session, "right")
    answer(session, "right", "south")
    answer(session, "down")
    assert trace(session) == ["north:left east:down south:right"], "the table may speak for the only one left"


def test_each_keeps_its_id_while_seats_answer_so_that_two_may_do_so_at_once() -> None:
    session = opened(main=each_in_secret, wind=wind)
    assert session.question is not None
    shown = session.question.id
    session.answer(shown, "left", seat="north")
    assert session.question.id == reloaded(session).question.id == shown  # type: ignore[union-attr]
    with pytest.raises(Refused, match="north has already answered"):
        session.answer(shown, "right", seat="north")
    take(session, "left")
    assert session.question.id != shown, "the wind closed a way: what was shown is no longer asked"
    with pytest.raises(Stale):
        session.answer(shown, "down", seat="east")
    shown = session.question.id
    session.answer(shown, "down", seat="east")
    session.answer(shown, "down", seat="south")
    assert session.question.id == shown, "north, whose way was closed, is asked again"
    session.answer(shown, "right", seat="north")
    assert asked(session) == "next"
    with pytest.raises(Stale):
        session.answer(shown, "right", seat="north")


def test_each_the_given_answers_survive_a_reload() -> None:
    session = opened(main=each_in_secret, wind=wind)
    answer(session, "left", "north")
    again = reloaded(session)
    assert again.question == session.question
    answer(again, "right", "east")
    answer(again, "down", "south")
    assert trace(again) == ["north:left east:right south:down"]


def test_each_undo_takes_back_the_last_secret_answer_alone() -> None:
    session = opened(main=each_in_secret, wind=wind)
    answer(session, "left", "north")
    answer(session, "left", "east")
    session.undo()
    answer(session, "right", "east")
    answer(session, "down", "south")
    assert trace(session) == ["north:left east:right south:down"]


def test_each_a_seat_that_an_offer_removed_is_not_waited_for() -> None:
    session = opened(main=each_in_secret, wind=wind)
    answer(session, "left", "north")
    answer(session, "right", "east")
    take(session, "east", "south")
    assert session.question is not None and session.question.note == "still to answer: south"
    answer(session, "down", "south")
    assert trace(session) == ["the wind takes east", "north:left south:down"]


def test_each_is_complete_when_an_offer_removed_the_only_one_still_to_answer() -> None:
    session = opened(main=each_in_secret, wind=wind)
    answer(session, "left", "north")
    answer(session, "down", "south")
    take(session, "east", "south")
    assert (asked(session), trace(session)) == ("next", ["the wind takes east", "north:left south:down"])


def test_each_an_answer_that_an_offer_made_illegal_is_to_be_given_again() -> None:
    session = opened(main=each_in_secret, wind=wind)
    answer(session, "left", "north")
    answer(session, "right", "east")
    take(session, "left", "south")
    assert session.question is not None and session.question.note == "still to answer: north, south"
    answer(session, "down", "south")
    answer(session, "right", "north")
    assert trace(session) == ["the wind takes left", "north:right east:right south:down"]


def test_each_question_after_another_of_the_same_procedure_begins_without_answers() -> None:
    def main(game: Playground) -> Proc[None]:
        for turn in (1, 2):
            ways = yield Ask(secret_way)
            did(game, f"{turn} " + " ".join(ways.values()))
        yield Ask(confirm, "next")

    session = opened(main=main, wind=wind)
    for seat in ("north", "east", "south"):
        answer(session, "left", seat)
    assert (asked(session), trace(session)) == ("way", ["1 left left left"])
    assert session.question is not None and session.question.note == ""
    for seat in ("south", "east", "north"):
        answer(session, "right", seat)
    assert trace(session) == ["1 left left left", "2 right right right"]


def test_who_is_plain_data_that_a_seat_can_be_told() -> None:
    assert msgspec.json.encode(who("north east", "any")) == b'{"mode":"any","seats":["north","east"]}'
