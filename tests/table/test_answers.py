"""Typed inputs to answers, question kind by question kind, through the whole controller."""

from __future__ import annotations

from emberboard.engine.dice import DiceWanted
from emberboard.engine.question import (
    GO_ON,
    Cell,
    Choose,
    Confirm,
    Draw,
    Number,
    Offer,
    Option,
    Order,
    Path,
    Place,
    Roll,
    Who,
    Window,
    cell_key,
)
from emberboard.table.hardware import Hold, Key, PassAhead
from tests.table.asked import ADA, GROUP, SEATS, answers, figure, table_that_asks
from tests.table.world import World

ANN, BOB = figure("ann", (2, 2)), figure("bob", (5, 5))
AIMS = (Option("bob", "Bob", (5, 5)), Option("gate", "Gate", (8, 8)), Option("wait", "Wait"))


def choice(**more: object) -> Choose:
    return Choose(prompt="Whom?", who=ADA, options=AIMS, **more)  # type: ignore[arg-type]


def again() -> Confirm:
    return Confirm(prompt="Again?", who=GROUP)


def test_a_tap_on_a_figure_chooses_it_and_the_wand_an_empty_tile() -> None:
    world = table_that_asks(choice(), choice(), again(), figures=(ANN, BOB))
    world.tap("bob")
    world.wand((8, 8))
    assert answers(world) == ["bob", "gate"]


def test_a_tap_that_means_nothing_is_shown_at_once() -> None:
    world = table_that_asks(choice(), figures=(ANN, BOB))
    assert world.tap("ann") == "That is not among the answers."
    assert world.lit[(2, 2)] == "wrong" and answers(world) == []
    world.wait(1000)
    assert world.lit.get((2, 2)) is None, "a flash, no more"


def test_options_that_share_a_tile_are_told_apart_by_keys() -> None:
    options = (Option("hit", "Hit", (5, 5)), Option("shove", "Shove", (5, 5)))
    world = table_that_asks(Choose(prompt="How?", who=ADA, options=options), again(), figures=(BOB,))
    assert "1 or 2" in world.tap("bob")
    world.keys("2", "OK")
    assert answers(world) == ["shove"]


def test_keys_choose_by_number_and_ok_confirms() -> None:
    world = table_that_asks(choice(), again(), figures=(ANN, BOB))
    assert "Choose one first" in world.key("OK")
    assert "There is no 9" in world.key("9")
    assert world.key("3") == "Wait: OK?"
    assert world.table.view().echo == ("Wait",)
    world.key("OK")
    assert answers(world) == ["wait"]


def test_several_are_gathered_toggled_and_taken_back() -> None:
    world = table_that_asks(choice(least=2, most=2), again(), figures=(ANN, BOB))
    world.keys("3", "1")
    assert "At most 2" in world.key("2")
    world.key("Undo")
    world.tap("bob")
    assert world.lit[(5, 5)] == "chosen"
    world.tap("bob")
    assert "choose 2; got 1" in world.key("OK"), "what the session refuses is told, and the question stands"
    world.wand((8, 8))
    world.key("OK")
    assert answers(world) == [["gate", "wait"]]


def test_an_order_wants_each_once() -> None:
    world = table_that_asks(Order(prompt="Order", who=GROUP, options=AIMS), again(), figures=(ANN, BOB))
    world.tap("bob")
    assert "in the order already" in world.key("1")
    assert "Not in the order yet: Gate, Wait" in world.key("OK")
    world.keys("3", "2", "OK")
    assert answers(world) == [["bob", "wait", "gate"]]


def test_a_number_is_keyed_in_within_its_bounds() -> None:
    world = table_that_asks(Number(prompt="How many?", who=ADA, low=0, high=25), again(), again())
    assert "From 0 to 25, not 30" in world.number(30)
    world.number(23)
    assert world.shown_on_rail.echo == ("23",)
    world.key("OK")
    assert answers(world) == [23]


def test_no_is_the_number_nought() -> None:
    world = table_that_asks(Number(prompt="How many?", who=ADA, low=0, high=2), again())
    world.keys("No", "OK")
    assert answers(world) == [0]


def test_a_seat_confirms_with_yes_and_no_and_others_are_not_asked() -> None:
    one = Confirm(prompt="Sure?", who=ADA)
    world = table_that_asks(one, one, one, again())
    assert world.shown_at_seats == {"Ada": "asked", "Ben": "off"}
    assert world.button("Ben", True) == "Ben is not asked now."
    world.button("Ada", False)
    world.key("OK")
    world.key("No")
    assert answers(world) == [False, True, False]


def test_each_answers_for_itself() -> None:
    world = table_that_asks(Confirm(prompt="In?", who=Who("each", SEATS)), again())
    world.button("Ben", True)
    assert answers(world) == [] and world.shown_at_seats == {"Ada": "asked", "Ben": "off"}
    world.key("No")
    assert answers(world) == [{"Ada": False, "Ben": True}], "the keypad speaks for who is left"


def offer(name: str, seat: str) -> Offer:
    return Offer(name, seat, name.title(), "offered", {"name": name})


def window(*offers: Offer) -> Window:
    return Window(prompt="Anyone?", who=GROUP, offers=offers)


def test_yes_takes_the_only_offer_of_a_seat_and_the_window_is_asked_anew() -> None:
    world = table_that_asks(window(offer("duck", "Ada"), offer("pray", "Ben")), again())
    assert world.shown_at_seats == {"Ada": "offer", "Ben": "offer"}
    world.button("Ben", True)
    assert world.session.game.state.taken == ["pray"] and world.shown_at_seats == {"Ada": "offer", "Ben": "asked"}
    world.button("Ada", False)
    assert answers(world) == [GO_ON]


def test_yes_shows_several_offers_one_after_the_other() -> None:
    world = table_that_asks(window(offer("duck", "Ada"), offer("roll", "Ada")), again())
    world.button("Ada", True)
    world.button("Ada", True)
    assert world.table.view().echo == ("offer: Roll",) and world.shown_at_seats["Ada"] == "chosen"
    world.key("OK")
    assert world.session.game.state.taken == ["roll"]


def test_a_window_closes_when_every_seat_with_an_offer_let_it_go_by() -> None:
    world = table_that_asks(window(offer("duck", "Ada"), offer("pray", "Ben")), again())
    world.button("Ada", False)
    assert answers(world) == [] and world.shown_at_seats["Ada"] == "passed"
    world.button("Ben", False)
    assert answers(world) == [GO_ON]


def test_a_seat_that_holds_closes_the_window_itself() -> None:
    world = table_that_asks(window(offer("duck", "Ada")), again())
    world.give(Hold(at=world.ms, seat="Ada"))
    assert "asked the table to wait" in world.key("OK")
    world.button("Ada", False)
    assert answers(world) == [GO_ON]


def test_a_seat_may_pass_ahead() -> None:
    world = table_that_asks(window(offer("duck", "Ada")), again(), figures=(ANN,))
    world.give(PassAhead(at=world.ms, seat="Ada", until="round"))
    assert answers(world) == [GO_ON]


def test_offers_have_numbers_after_the_answers() -> None:
    asked = choice(offers=(offer("duck", "Ben"),))
    world = table_that_asks(asked, again(), figures=(ANN, BOB))
    assert [(line.number, line.label) for line in world.table.view().numbered][-1] == (4, "Duck")
    world.keys("4", "OK")
    assert world.session.game.state.taken == ["duck"]
    world.keys("3", "OK")
    assert answers(world) == ["wait"]


# -- dice -------------------------------------------------------------------------------------------------------------

DICE = (
    DiceWanted("ann", "d12", 2),
    DiceWanted("ann", "d12", 1, "Critical", positions=(4,)),
    DiceWanted("bob", "hits", 1, faces=("blank", "1 hit", "2 hits")),
)


def dice_table() -> World:
    return table_that_asks(Roll(prompt="Roll!", who=GROUP, dice=DICE), again(), figures=(ANN, BOB))


def test_dice_are_keyed_in_order_echoed_and_handed_in() -> None:
    world = dice_table()
    assert world.shown_on_rail.echo[-1] == "Ann: d12 1 of 2"
    world.number(3)
    world.number(12)
    assert world.shown_on_rail.echo[0] == "Ann d12: 3 12"
    assert world.shown_on_rail.echo[-1] == "Ann: d12 (Critical) 1 of 1, instead of die 5"
    world.number(7)
    world.keys("2 hits", "OK")
    assert answers(world) == [[[3, 12], [7], ["2 hits"]]]


def test_missing_surplus_and_impossible_dice_are_refused_with_a_reason() -> None:
    world = dice_table()
    assert "4 of 4 dice missing" in world.key("OK")
    assert world.number(13) == "A d12 cannot show 13; it shows 1 to 12."
    assert "cannot show 1 hit" in world.key("1 hit")
    for face in (1, 2, 3):
        world.number(face)
    assert "cannot show 4; it shows blank" in world.number(4)
    assert "1 of 4 dice missing. Bob: hits 1 of 1" in world.key("OK")
    world.key("blank")
    assert "one too many" in world.number(5)
    world.key("OK")
    assert answers(world) == [[[1, 2], [3], ["blank"]]]


def test_undo_short_takes_back_a_die_and_long_an_answer() -> None:
    world = table_that_asks(again(), Roll(prompt="Roll!", who=ADA, dice=(DiceWanted("ann", "d6", 2),)), again())
    world.keys("OK", "3", "4", "Undo", "5", "OK")
    assert answers(world) == [True, [[3, 5]]]
    assert "Nothing is keyed in" in world.key("Undo")
    assert "Taken back" in world.key("Undo", long=True)
    assert answers(world) == [], "back to the last decision, past the dice"
    assert "no decision" in world.key("Undo", long=True)


def test_dice_that_fell_before_an_undo_count_and_it_is_said() -> None:
    world = table_that_asks(again(), Roll(prompt="Roll!", who=ADA, dice=(DiceWanted("ann", "d6", 1),)), again())
    world.keys("OK", "3", "OK")
    world.key("Undo", long=True)
    world.key("OK")
    assert "before the undo" in world.keys("5", "OK") and answers(world) == [True, [[3]]]


def test_roll_lets_the_program_roll_unless_dice_are_keyed_in() -> None:
    world = table_that_asks(Roll(prompt="Roll!", who=ADA, dice=(DiceWanted("ann", "d6", 2),)), again())
    world.key("2")
    assert "take these back" in world.key("Roll")
    world.keys("Undo", "Roll")
    assert len(answers(world)[0][0]) == 2
    assert world.key("Roll") == "No dice are wanted now."


# -- moving -----------------------------------------------------------------------------------------------------------


def row_path(limit: int = 3, dead_end: Cell | None = None) -> Path:
    cells: list[Cell] = [(x, 2) for x in range(2, 7)]
    steps = {cell_key(cell): [cells[n + 1]] for n, cell in enumerate(cells[:-1]) if cell != dead_end}
    stops = [cell for cell in cells[1 : limit + 1] if cell != (4, 2)]
    suggested = {cell_key(cell): cells[1 : cells.index(cell) + 1] for cell in stops}
    return Path(
        prompt="Walk", who=ADA, figure="ann", start=(2, 2), steps=steps, stops=stops, limit=limit, suggested=suggested
    )


def test_a_path_is_walked_step_by_step_and_ended_by_a_tap() -> None:
    world = table_that_asks(row_path(4), again(), figures=(ANN, BOB))
    assert world.lit[(3, 2)] == "reachable"
    for x in (3, 4, 5):
        world.move("ann", (x, 2))
        assert world.lit[(x, 2)] == "path"
    world.tap("ann")
    assert answers(world) == [[[3, 2], [4, 2], [5, 2]]]


def test_a_path_may_be_slid() -> None:
    world = table_that_asks(row_path(3), again(), figures=(ANN, BOB))
    for x in (3, 4, 5):
        world.slide("ann", (x, 2))
    assert answers(world) == [[[3, 2], [4, 2], [5, 2]]], "where the steps are used up no key is needed"


def test_a_step_that_is_not_legal_lights_wrong_and_the_figure_is_sent_back() -> None:
    world = table_that_asks(row_path(4), again(), figures=(ANN, BOB))
    world.move("ann", (3, 2))
    world.move("ann", (3, 3))
    assert world.lit[(3, 3)] == "wrong" and world.lit[(3, 2)] == "put here"
    assert "Put it back on 3,2" in world.table.notice
    assert "First put the figure back" in world.key("OK")
    world.move("ann", (3, 2))
    assert (3, 3) not in world.lit
    world.key("OK")
    assert answers(world) == [[[3, 2]]]


def test_a_path_may_go_back_and_may_not_end_where_none_may_stop() -> None:
    world = table_that_asks(row_path(4), again(), figures=(ANN, BOB))
    world.move("ann", (3, 2))
    world.move("ann", (4, 2))
    assert "may not end on 4,2" in world.key("OK")
    world.move("ann", (3, 2))
    world.key("OK")
    assert answers(world) == [[[3, 2]]]


def test_a_figure_may_be_put_at_once_where_it_can_go_and_over_a_friend() -> None:
    world = table_that_asks(row_path(4), again(), figures=(ANN, BOB))
    world.move("ann", (5, 2))
    world.key("OK")
    assert answers(world) == [[[3, 2], [4, 2], [5, 2]]]
    friend = figure("bob", (4, 2))
    world = table_that_asks(row_path(4), again(), figures=(ANN, friend))
    world.move("ann", (3, 2))
    world.move("ann", (5, 2))
    world.key("OK")
    assert answers(world) == [[[3, 2], [4, 2], [5, 2]]]


def test_a_trigger_on_the_way_stops_the_path_and_light_sends_the_figure_back() -> None:
    world = table_that_asks(row_path(4), again(), figures=(ANN, BOB), trigger=[3, 2])
    world.move("ann", (5, 2))
    world.key("OK")
    view = world.table.view()
    assert view.phase == "mending" and view.step is not None and view.step.kind == "move"
    assert world.lit[(5, 2)] == "lift" and world.lit[(3, 2)] == "put here"
    world.move("ann", (3, 2))
    assert world.table.phase == "open"


def test_a_path_that_can_go_no_farther_is_answered_at_once() -> None:
    world = table_that_asks(row_path(4, dead_end=(3, 2)), again(), figures=(ANN, BOB))
    world.move("ann", (3, 2))
    assert answers(world) == [[[3, 2]]]


def spots(who: str = "bob") -> Place:
    cells: list[Cell] = [(5, 4), (4, 5), (5, 6)]
    options = tuple(Option(cell_key(cell), cell_key(cell), cell) for cell in cells)
    return Place(prompt="Where?", who=GROUP, options=options, figure=who)


def test_a_place_is_taken_by_the_figure_the_wand_or_a_key() -> None:
    for by in ("figure", "wand", "key"):
        world = table_that_asks(spots(), again(), figures=(ANN, BOB))
        if by == "figure":
            world.move("bob", (4, 5), 4000)
        elif by == "wand":
            world.wand((4, 5))
        else:
            world.keys("2", "OK")
        assert answers(world) == ["4,5"]
        assert world.table.phase == ("open" if by == "figure" else "mending"), by


def test_a_figure_on_no_lit_place_is_sent_back() -> None:
    world = table_that_asks(spots(), again(), figures=(ANN, BOB))
    world.lift("bob")
    assert world.table.notice == "Bob is in hand: put it on a lit tile, or back on 5,5."
    world.put("bob", (8, 8))
    assert world.lit[(8, 8)] == "wrong" and world.lit[(5, 5)] == "put here" and answers(world) == []
    world.move("bob", (5, 5))
    assert world.table.phase == "open" and (8, 8) not in world.lit and answers(world) == []


def test_a_figure_from_the_box_is_told_from_the_wand_by_staying() -> None:
    world = table_that_asks(spots("carl"), again(), figures=(ANN, BOB))
    world.lay((4, 5))
    world.wait(400)
    assert answers(world) == ["4,5"]


# -- draws and pages --------------------------------------------------------------------------------------------------


def test_a_draw_may_be_keyed_in() -> None:
    draw = Draw(prompt="Draw", who=GROUP, pile="deck", contents={"white": 2, "black": 0, "dual": 1})
    world = table_that_asks(draw, again())
    assert [line.label for line in world.table.view().numbered] == ["white (2)", "dual (1)"]
    world.keys("2", "OK")
    assert answers(world) == ["dual"]


def test_a_click_answers_by_the_questions_id_and_a_late_or_doubled_one_is_refused() -> None:
    world = table_that_asks(choice(), choice(), again(), figures=(ANN, BOB))
    first = world.session.question
    assert first is not None
    world.click(first.id, "wait")
    assert "no longer asked" in world.click(first.id, "wait") and answers(world) == ["wait"]
    assert "not among the legal answers" in world.click(world.session.question.id, "moon")


def test_help_says_what_can_be_done() -> None:
    world = table_that_asks(choice(rules=("TO-1",)), figures=(ANN, BOB))
    assert world.key("Help") == "Whom? 1 Bob; 2 Gate; 3 Wait Rules: TO-1."
    world.lift("ann")
    world.wait(2000)
    assert "OK: all stands right" in world.key("Help")


def test_a_press_that_comes_twice_is_taken_once() -> None:
    world = table_that_asks(again(), again(), again())
    world.key("OK")
    world.give(Key(at=world.ms + 30, name="OK"))
    assert answers(world) == [True] and "came twice" in world.table.notice
    world.key("OK")
    assert answers(world) == [True, True]


def test_a_tap_that_comes_twice_is_taken_once() -> None:
    world = table_that_asks(choice(), choice(), again(), figures=(ANN, BOB))
    world.tap("bob", 200)
    world.wait(50)
    assert "came twice" in world.tap("bob", 200) and answers(world) == ["bob"]
    world.wait(600)
    world.tap("bob", 200)
    assert answers(world) == ["bob", "bob"]


def test_what_breaks_in_the_rules_is_said_and_the_table_goes_on() -> None:
    world = table_that_asks(
        Place(prompt="Where?", who=GROUP, options=(Option("nowhere"),), figure="ann"), figures=(ANN,)
    )
    assert "Something in the rules broke" in world.keys("1", "OK")
    assert world.table.phase == "open" and answers(world) == []
