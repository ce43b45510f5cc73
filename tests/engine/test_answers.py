"""What is a legal answer, in which words another is refused, and what makes two questions the same."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from emberboard.engine.dice import DiceWanted
from emberboard.engine.errors import Refused, Stale
from emberboard.engine.question import (
    GO_ON,
    AnyQuestion,
    Ask,
    Choose,
    Confirm,
    Draw,
    Number,
    Offer,
    Option,
    Order,
    Path,
    Place,
    Question,
    Roll,
    Who,
    Window,
    accept,
    as_cell,
    question_hash,
)
from emberboard.engine.timing import Proc
from tests.engine.toys.playground import Playground, answer, confirm, did, opened, pick, trace

NORTH = Who("one", ("north",))
THREE = (Option("rat", "the Rat", (1, 1)), Option("wolf", "the Wolf", (2, 1)), Option("bear", "the Bear"))


def choose(**more: Any) -> Choose:
    return Choose(name="target", prompt="Whom?", who=NORTH, options=more.pop("options", THREE), **more)


def refusal(question: Question, value: Any) -> str:
    with pytest.raises(Refused) as caught:
        accept(question, value)
    return str(caught.value)


# -- choose -----------------------------------------------------------------------------------------------------


def test_choose_one_takes_an_id_or_the_cell_it_points_at() -> None:
    assert accept(choose(), "wolf") == "wolf"
    assert accept(choose(), ["wolf"]) == "wolf"
    assert accept(choose(), [2, 1]) == "wolf"
    assert refusal(choose(), "cat") == "'cat' is not among the legal answers: rat, wolf, bear"
    assert refusal(choose(), [3, 3]) == "[3, 3] is not among the legal answers: rat, wolf, bear"
    assert refusal(choose(options=()), "cat") == "'cat' is not among the legal answers: nothing"
    assert refusal(choose(options=tuple(Option(f"o{n}") for n in range(13))), "x").endswith("o10, o11 ...")


def test_choose_several_keeps_the_order_of_the_options_and_its_bounds() -> None:
    question = choose(least=1, most=2)
    assert accept(question, ["bear", "rat"]) == ["rat", "bear"]
    assert accept(question, "wolf") == ["wolf"]
    assert accept(choose(least=0, most=2), []) == []
    assert refusal(question, []) == "choose 1 to 2; got 0"
    assert refusal(question, ["rat", "wolf", "bear"]) == "choose 1 to 2; got 3"
    assert refusal(choose(least=2, most=2), ["rat"]) == "choose 2; got 1"
    assert refusal(question, ["rat", "rat"]) == "the same option was named twice"
    assert refusal(question, ["rat", "cat"]) == "'cat' is not among the legal answers: rat, wolf, bear"


# -- order, place -----------------------------------------------------------------------------------------------


def test_order_names_each_once() -> None:
    question = Order(name="order", prompt="In which order?", who=NORTH, options=THREE)
    assert accept(question, ["bear", "rat", "wolf"]) == ["bear", "rat", "wolf"]
    assert refusal(question, "rat") == "expected all 3 in an order, got 'rat'"
    assert refusal(question, ["bear", "rat"]) == "each of rat, wolf, bear is to be named once"
    assert refusal(question, ["bear", "rat", "rat"]) == "each of rat, wolf, bear is to be named once"


def test_place_takes_a_cell_or_its_id() -> None:
    spots = (Option("1,1", at=(1, 1)), Option("2,1", at=(2, 1)))
    question = Place(name="place", prompt="Where?", who=NORTH, options=spots, figure="rat")
    assert accept(question, [2, 1]) == accept(question, "2,1") == "2,1"
    assert refusal(question, [3, 1]) == "[3, 1] is not among the legal answers: 1,1, 2,1"


# -- path -------------------------------------------------------------------------------------------------------


def walk(**more: Any) -> Path:
    """A row of four cells, 0,0 to 3,0; on 1,0 nobody may stop; 3,0 is too far when `limit` is 2."""
    cells = [(x, 0) for x in range(4)]
    given: dict[str, Any] = {
        "steps": {f"{x},0": [cell for cell in cells if abs(cell[0] - x) == 1] for x in range(4)},
        "stops": [(0, 0), (2, 0), (3, 0)],
        "limit": 3,
        "suggested": {"2,0": [(1, 0), (2, 0)], "3,0": [(1, 0), (2, 0), (3, 0)]},
        "refusals": {"1,0": "the Wolf stands there", "0,1": "there is a wall"},
    }
    return Path(name="walk", prompt="Where?", who=NORTH, figure="ash", start=(0, 0), **{**given, **more})


def test_path_takes_the_cells_entered_or_one_stop() -> None:
    assert accept(walk(), [[1, 0], [2, 0]]) == [(1, 0), (2, 0)]
    assert accept(walk(), [[0, 0], [1, 0], [2, 0]]) == [(1, 0), (2, 0)], "the start may be named"
    assert accept(walk(), [2, 0]) == accept(walk(), "2,0") == [(1, 0), (2, 0)]
    assert accept(walk(), [0, 0]) == accept(walk(), []) == [], "staying is a move where it is a stop"


def test_path_says_at_which_step_and_why_it_is_refused() -> None:
    assert refusal(walk(), [[2, 0]]) == "step 1, 0,0 to 2,0: it is not a free connected space"
    assert refusal(walk(), [[0, 1]]) == "step 1, 0,0 to 0,1: there is a wall"
    assert refusal(walk(), [[1, 0]]) == "the Wolf stands there", "a passage is not a stop"
    assert refusal(walk(stops=[(3, 0)]), []) == "the move may not end on 0,0"
    assert refusal(walk(limit=2), [[1, 0], [2, 0], [3, 0]]) == "3 steps; at most 2 are allowed"
    far = "3,0 cannot be reached within 2 steps, or no figure may stop there"
    assert refusal(walk(limit=2, suggested={}), [3, 0]) == far
    assert refusal(walk(), "1,0") == "the Wolf stands there"
    assert refusal(walk(), 7) == "expected the spaces entered, or one space to end on, got 7"
    assert refusal(walk(), [["a", "b"]]) == "expected a space as x,y, got ['a', 'b']"


def test_a_cell_is_a_pair_or_a_word_and_nothing_else() -> None:
    assert as_cell("2,1") == as_cell([2, 1]) == as_cell((2, 1)) == (2, 1)
    for wrong in ("2", "a,b", [1, 2, 3], None, 5):
        with pytest.raises(Refused, match="expected a space as x,y, got"):
            as_cell(wrong)


# -- dice, draws ------------------------------------------------------------------------------------------------


def roll(*dice: DiceWanted) -> Roll:
    return Roll(name="roll", prompt="Roll", who=NORTH, dice=dice or (DiceWanted("north", "d6", 2),))


def test_dice_are_complete_possible_and_in_the_order_they_came() -> None:
    both = roll(DiceWanted("north", "d6", 2), DiceWanted("north", "red", 1, faces=("hit", "miss")))
    assert accept(both, [[6, 1], ["hit"]]) == [[6, 1], ["hit"]]
    assert refusal(both, [[6, 1]]) == "expected 2 list(s) of faces, got [[6, 1]]"
    assert refusal(both, [[6, 1], ["crown"]]) == "a red of north cannot show 'crown'; it shows hit, miss"
    assert refusal(roll(), [[6]]) == "north rolls 2 x d6, got 1: 1 missing"
    assert refusal(roll(), [[6, 1, 1, 2]]) == "north rolls 2 x d6, got 4: 2 too many"
    assert refusal(roll(), [[6, 7]]) == "a d6 of north cannot show 7; it shows 1 to 6"
    assert refusal(roll(), [[True, 2]]) == "a d6 of north cannot show True; it shows 1 to 6"
    assert refusal(roll(), [6]) == "north rolls 2 x d6: expected a list of faces, got 6"
    printed = roll(DiceWanted("north", "d6", 3, symbols={"crown": 6}))
    assert accept(printed, [["crown", 6, 1]]) == [[6, 6, 1]]
    assert refusal(printed, [["skull", 6, 1]]) == "a d6 of north cannot show 'skull'; it shows 1 to 6"
    named = roll(DiceWanted("north", "d6", 1, name="Critical die"))
    assert refusal(named, [[]]) == "north rolls 1 x Critical die, got 0: 1 missing"


def test_a_draw_is_one_of_what_the_pile_holds() -> None:
    bag = Draw(name="draw", prompt="Draw", who=NORTH, pile="bag", contents={"red": 2, "blue": 1, "white": 0})
    assert accept(bag, "blue") == "blue"
    assert refusal(bag, "white") == "'white' is not in bag; it holds 2 red, 1 blue"
    assert refusal(bag, "green") == "'green' is not in bag; it holds 2 red, 1 blue"


# -- number, confirm, window ------------------------------------------------------------------------------------


def test_a_number_lies_within_its_bounds() -> None:
    question = Number(name="n", prompt="How many?", who=NORTH, low=1, high=3)
    assert [accept(question, value) for value in (1, 2, 3)] == [1, 2, 3]
    for wrong in (0, 4, "2", True, 1.0):
        assert refusal(question, wrong) == f"expected a number from 1 to 3, got {wrong!r}"


def test_a_confirm_is_yes_or_no() -> None:
    question = Confirm(name="c", prompt="Sure?", who=NORTH)
    assert (accept(question, True), accept(question, False)) == (True, False)
    for wrong in (1, "yes", None):
        assert refusal(question, wrong) == f"expected yes or no, got {wrong!r}"


def test_a_window_is_gone_on_from() -> None:
    question = Window(name="w", prompt="Anyone?", who=NORTH)
    assert accept(question, GO_ON) == GO_ON
    assert refusal(question, "stop") == "take one of the offers, or answer 'go on'; got 'stop'"


def test_a_question_of_no_kind_cannot_be_answered() -> None:
    assert refusal(Question(prompt="?", who=NORTH), 1) == "a question of kind Question cannot be answered"


ALL_KINDS = (
    choose(),
    choose(least=0, most=2),
    Order(name="order", prompt="?", who=NORTH, options=THREE),
    Place(name="place", prompt="?", who=NORTH, options=THREE),
    walk(),
    roll(),
    Draw(name="draw", prompt="?", who=NORTH, pile="bag", contents={"red": 1}),
    Number(name="n", prompt="?", who=NORTH, low=0, high=1),
    Confirm(name="c", prompt="?", who=NORTH),
    Window(name="w", prompt="?", who=NORTH),
)


@pytest.mark.parametrize("question", ALL_KINDS, ids=lambda question: type(question).__name__)
def test_every_kind_of_question_is_plain_data(question: Question) -> None:
    plain = msgspec.json.encode(question)
    again = msgspec.json.decode(plain, type=AnyQuestion)
    assert again == question
    assert question_hash(again) == question_hash(question)


def test_only_dice_and_draws_are_chance() -> None:
    assert [type(question).__name__ for question in ALL_KINDS if question.chance] == ["Roll", "Draw"]


# -- the hash ---------------------------------------------------------------------------------------------------


def test_the_hash_does_not_change_with_the_wording() -> None:
    plain = choose()
    worded = choose(
        options=tuple(msgspec.structs.replace(one, label="x", note="x", rules=("X-1",)) for one in THREE),
        rules=("X-2",),
        about=("ash",),
        note="x",
        top=True,
        default="rat",
        offers=(Offer("parry", "east", "Parry", "parry"),),
    )
    worded.prompt, worded.id, worded.hash = "Who is it?", "7-abc", "abc"
    assert question_hash(worded) == question_hash(plain)
    assert question_hash(walk(suggested={}, refusals={})) == question_hash(walk())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (choose(), choose(options=THREE[:2])),
        (choose(), choose(options=THREE[::-1])),
        (choose(), choose(options=(*THREE[:2], Option("bear", at=(9, 9))))),
        (choose(), choose(options=(*THREE[:2], Option("bear", figure="bear")))),
        (choose(), choose(least=0)),
        (choose(), Place(name="target", prompt="", who=NORTH, options=THREE)),
        (choose(), Order(name="target", prompt="", who=NORTH, options=THREE)),
        (roll(), roll(DiceWanted("north", "d6", 3))),
        (roll(), roll(DiceWanted("north", "d8", 2))),
        (roll(), roll(DiceWanted("east", "d6", 2))),
        (walk(), walk(limit=2)),
        (walk(), walk(stops=[(3, 0)])),
        (Number(prompt="", who=NORTH, low=0, high=1), Number(prompt="", who=NORTH, low=0, high=2)),
        (
            Draw(prompt="", who=NORTH, pile="bag", contents={"red": 1}),
            Draw(prompt="", who=NORTH, pile="bag", contents={"red": 2}),
        ),
        (Confirm(prompt="", who=NORTH), Confirm(prompt="", who=Who("one", ("east",)))),
        (Confirm(prompt="", who=NORTH), Confirm(prompt="", who=Who("any", ("north",)))),
        (Confirm(prompt="", who=NORTH, name="a"), Confirm(prompt="", who=NORTH, name="b")),
    ],
)
def test_the_hash_changes_with_what_can_be_answered_and_by_whom(one: Question, other: Question) -> None:
    assert question_hash(one) != question_hash(other)


# -- ids --------------------------------------------------------------------------------------------------------


def twice(game: Playground) -> Proc[None]:
    """The same question again and again: only its id tells one time from the other."""
    while True:
        did(game, (yield Ask(pick, "way", ["left", "right"])))
        if len(game.state.trace) == 9:
            return


def test_a_doubled_answer_is_stale_although_the_same_question_is_asked_again() -> None:
    session = opened(main=twice)
    first = session.question
    assert first is not None
    session.answer(first.id, "left")
    second = session.question
    assert second is not None and (first.hash == second.hash, first.id == second.id) == (True, False)
    with pytest.raises(Stale, match="that question is no longer asked"):
        session.answer(first.id, "left")
    assert trace(session) == ["left"]


def test_an_answer_to_a_question_of_an_undone_branch_is_stale() -> None:
    session = opened(main=twice)
    answer(session, "left")
    late = session.question
    assert late is not None
    session.undo()
    answer(session, "right")
    with pytest.raises(Stale):
        session.answer(late.id, "left")
    assert trace(session) == ["right"]


def test_a_refused_answer_leaves_no_entry_and_the_question_stands() -> None:
    session = opened(main=twice)
    asked = session.question
    assert asked is not None
    with pytest.raises(Refused):
        session.answer(asked.id, "up")
    assert (session.question, session.head, len(session.journal.operations())) == (asked, 0, 0)
    session.answer(asked.id, "left")


def test_when_nothing_is_asked_every_input_is_stale() -> None:
    def main(game: Playground) -> Proc[None]:
        yield Ask(confirm, "last")

    session = opened(main=main)
    last = session.question
    assert last is not None
    answer(session, True)
    for late in (
        lambda: session.answer(last.id, True),
        lambda: session.roll(last.id),
        lambda: session.take(last.id, "x"),
        lambda: session.adjust({}),
        lambda: session.hold("north"),
        lambda: session.pass_ahead("north", "round"),
    ):
        with pytest.raises(Stale, match="nothing is asked now"):
            late()


def test_a_decision_is_not_rolled_for() -> None:
    session = opened(main=twice)
    assert session.question is not None
    with pytest.raises(Refused, match="answered by a decision, not by dice"):
        session.roll(session.question.id)
