"""Table and state disagree: nothing is asked until it is mended by light, or overridden with OK."""

from __future__ import annotations

from itertools import pairwise

import pytest

from emberboard.engine.question import Cell, Choose, Confirm, Option, Path, cell_key
from emberboard.table.figures import TAP_MS, FigureTracker
from emberboard.table.hardware import Tick
from emberboard.table.mending import LEAVE_MS, Plan, agrees, take_for_granted
from tests.table.asked import ADA, GROUP, answers, figure, table_that_asks
from tests.table.world import World

ANN, BOB, CAT = figure("ann", (2, 2)), figure("bob", (5, 5)), figure("cat", (8, 8))


def sure() -> Confirm:
    return Confirm(prompt="Sure?", who=GROUP)


def table(*figures: object) -> World:
    return table_that_asks(sure(), sure(), sure(), figures=figures or (ANN, BOB, CAT))  # type: ignore[arg-type]


def step_of(world: World) -> str:
    step = world.table.view().step
    return step.kind if step is not None else ""


def both_up(world: World) -> None:
    for who in ("ann", "bob"):
        world.lift(who)
        world.wait(200)


def test_figures_are_put_up_one_by_one_by_light() -> None:
    world = table_that_asks(sure(), figures=(ANN, BOB))
    first = [picture for picture in world.lights.pictures if "put here" in picture.values()]
    assert [{cell for cell, role in one.items() if role == "put here"} for one in first] == [{(2, 2)}, {(5, 5)}]
    assert world.table.phase == "open"


def test_no_question_is_open_while_a_figure_is_away() -> None:
    world = table()
    world.lift("bob")
    world.wait(TAP_MS - 100)
    assert world.table.phase == "open", "it may be a tap"
    world.wait(200)
    assert world.table.phase == "mending" and world.lit[(5, 5)] == "put here"
    assert world.table.view().words == "Put Bob on 5,5." and world.table.view().numbered == ()
    assert "First the figures" in world.button("Ada", True)
    assert "First the figures" in world.click(world.session.question.id, True) and answers(world) == []
    world.put("bob", (5, 5))
    assert world.table.phase == "open"


def test_a_knocked_figure_is_lit_where_it_is_and_where_it_belongs() -> None:
    world = table()
    world.slide("bob", (6, 5))
    assert step_of(world) == "move" and world.lit == {(6, 5): "lift", (5, 5): "put here"}
    world.lift("bob")
    assert world.lit == {(5, 5): "put here"}
    world.put("bob", (5, 5))
    assert world.table.phase == "open"


def test_what_is_no_figure_is_to_be_taken_away() -> None:
    world = table()
    world.lay((0, 0))
    world.wait(400)
    assert world.table.view().words == "Take away what is on 0,0." and world.lit[(0, 0)] == "wrong"
    world.pick_up((0, 0))
    assert world.table.phase == "open"


def test_two_that_were_in_the_air_are_asked_for_even_when_their_tiles_are_right() -> None:
    world = table()
    both_up(world)
    world.put("ann", (2, 2))
    world.put("bob", (5, 5))
    assert world.table.view().words == "Which is which? Lift Ann and put it back."
    assert world.lit == {(2, 2): "lift", (5, 5): "lift"}
    world.tap("ann")
    assert world.table.phase == "open" and world.table.notice == "That is Ann."


def test_two_that_were_swapped_are_found_and_brought_back_one_by_one() -> None:
    world = table()
    both_up(world)
    world.put("ann", (5, 5))
    world.put("bob", (2, 2))
    world.tap("ann")
    step = world.table.view().step
    assert step is not None and step.kind == "park", "one has to make room first"
    for _ in range(6):
        step = world.table.view().step
        if step is None or world.table.phase == "open":
            break
        assert world.stands[step.figure] == step.start[0]
        world.move(step.figure, step.to[0])
    assert world.table.phase == "open" and world.stands == {"ann": (2, 2), "bob": (5, 5), "cat": (8, 8)}


def test_a_flicker_or_a_knock_identifies_nobody() -> None:
    world = table()
    both_up(world)
    world.put("ann", (2, 2))
    world.put("bob", (5, 5))
    world.flicker((5, 5), 30)
    assert step_of(world) == "identify"
    world.move("bob", (5, 6), 300)
    assert step_of(world) == "identify", "it went elsewhere: nobody was shown"
    world.lift("ann")
    assert world.table.view().words == "If that is Ann, put it back on 2,2."
    world.put("ann", (2, 2))
    assert step_of(world) == "identify", "too short to be a lift"
    world.tap("ann")
    assert world.table.view().words == "Move Bob from 5,6 to 5,5."


def test_no_says_that_the_table_takes_one_for_another() -> None:
    world = table()
    world.go_dark({(2, 2), (5, 5)})
    world.wait(500)
    world.stands["ann"], world.stands["bob"] = world.stands["bob"], world.stands["ann"]
    world.come_back()
    assert world.table.phase == "open", "faster than the darkness that is doubted: the table was fooled"
    world.slide("ann", (5, 6))
    assert world.table.view().words == "Move Bob from 5,6 to 5,5.", "and the players see it"
    world.key("No")
    assert step_of(world) == "identify"
    for _ in range(12):
        view = world.table.view()
        if view.phase == "open" or view.step is None:
            break
        if view.step.kind == "identify":
            world.tap(view.step.figure)
        else:
            world.move(view.step.figure, view.step.to[0])
    assert world.table.phase == "open" and world.stands["ann"] == (2, 2) and world.stands["bob"] == (5, 5)


def test_ok_overrides_a_dead_tile_and_the_figure_may_still_be_moved() -> None:
    world = table()
    world.lift("bob")
    world.dark.add((5, 5))
    world.put("bob", (5, 5))
    world.wait(2000)
    assert world.table.view().words == "Put Bob on 5,5."
    world.key("OK")
    assert world.table.phase == "open" and answers(world) == [], "OK went to the tiles, not to the question"
    world.move("bob", (6, 5))
    assert world.table.view().words == "Move Bob from 6,5 to 5,5."
    world.move("bob", (5, 5))
    world.wait(2000)
    world.key("OK")
    assert world.table.phase == "open"
    world.key("OK")
    assert answers(world) == [True]


def test_a_restart_is_trusted_and_a_long_darkness_is_asked_about() -> None:
    world = table()
    area = {(x, y) for x in range(6) for y in range(6)}
    world.go_dark(area)
    world.wait(900)
    world.come_back()
    assert world.table.phase == "open"
    world.go_dark(area)
    world.wait(60_000)
    assert world.table.phase == "open", "a lost board does not stop play"
    assert set(world.table.view().dark) == area
    world.come_back()
    assert step_of(world) == "identify"
    world.tap("ann")
    assert world.table.phase == "open"


def test_a_large_figure_is_mended_as_one() -> None:
    world = table(ANN, figure("ogre", (6, 6), 2))
    assert world.table.phase == "open"
    world.lift("ogre")
    world.put("ogre", (8, 2))
    view = world.table.view()
    assert view.step is not None and view.step.start == ((8, 2), (9, 2), (8, 3), (9, 3))
    world.slide("ogre", (8, 3))
    world.move("ogre", (6, 6))
    assert world.table.phase == "open"


# -- undo -------------------------------------------------------------------------------------------------------------


def walk() -> Path:
    cells: list[Cell] = [(2, 2), (3, 2), (4, 2), (4, 3)]
    steps = {cell_key(a): [b] for a, b in pairwise(cells)}
    suggested = {cell_key(cells[3]): cells[1:]}
    return Path(
        prompt="Walk", who=ADA, figure="ann", start=(2, 2), steps=steps, stops=cells[1:], limit=3, suggested=suggested
    )


def test_undo_lights_the_way_back_figure_by_figure() -> None:
    wait = Choose(prompt="Then?", who=ADA, options=(Option("wait", "Wait"), Option("go", "Go")))
    world = table_that_asks(walk(), wait, sure(), figures=(ANN, BOB))
    for cell in ((3, 2), (4, 2), (4, 3)):
        world.move("ann", cell)
    assert world.table.phase == "open" and answers(world) == [[[3, 2], [4, 2], [4, 3]]]
    world.key("Undo", long=True)
    assert answers(world) == []
    assert world.lit == {(4, 3): "lift", (4, 2): "path", (3, 2): "path", (2, 2): "put here"}
    world.lift("ann")
    assert world.lit[(3, 2)] == "path" and world.lit[(2, 2)] == "put here"
    world.put("ann", (2, 2))
    assert world.table.phase == "open" and world.session.question.prompt == "Walk"


def test_undo_while_mending_goes_back_farther() -> None:
    world = table_that_asks(sure(), walk(), sure(), figures=(ANN, BOB))
    world.key("OK")
    world.move("ann", (4, 3))
    assert len(answers(world)) == 2
    world.key("Undo", long=True)
    world.key("Undo", long=True)
    assert answers(world) == [] and world.table.phase == "mending"
    world.move("ann", (2, 2))
    assert world.session.question.prompt == "Sure?" and world.table.phase == "open"


# -- the plan alone ---------------------------------------------------------------------------------------------------


def test_a_ring_of_three_is_brought_home() -> None:
    from tests.table.asked import Asked

    game = Asked.open({"figures": [], "questions": []})
    game.state.figures = [ANN, BOB, CAT]
    scene, tracker = game.scene(None), FigureTracker()
    for who, at in (("ann", (5, 5)), ("bob", (8, 8)), ("cat", (2, 2))):
        tracker.adopt(at, who, 1, 0)
    now = 1000
    for _ in range(5):
        step = Plan(tracker, scene).next()
        if step is None:
            break
        now += 5000
        tracker.loss(step.start[0], now)
        tracker.gain(step.to[0], now + 500)
    assert tracker.at() == {"ann": (2, 2), "bob": (5, 5), "cat": (8, 8)}


@pytest.mark.parametrize("wait", [0, 5000])
def test_ticks_alone_change_nothing(wait: int) -> None:
    world = table()
    shown = len(world.lights.pictures)
    world.wait(wait)
    world.give(Tick(at=world.ms))
    assert len(world.lights.pictures) == shown and world.table.phase == "open"


def test_a_table_that_is_set_up_already_is_taken_as_it_stands() -> None:
    """A session that is taken up again: the boards tell what stands there, all at once."""
    world = table()
    first = world.session
    again = World(first)
    again.stands, again.sizes = dict(world.stands), dict(world.sizes)
    again.stands["cat"] = (9, 1)
    again.dark = {(x, y) for x in range(12) for y in range(12)}
    again.come_back()
    again.wait(400)
    assert again.table.view().words == "Take away what is on 9,1.", "nobody knows what that is"
    again.lift("cat")
    assert again.table.view().words == "Put Cat on 8,8."
    again.put("cat", (8, 8))
    assert again.table.phase == "open"


def test_a_figure_that_left_the_game_may_still_come_down_until_it_is_in_the_box() -> None:
    from tests.table.asked import Asked

    game = Asked.open({"figures": [], "questions": []})
    game.state.figures = [BOB]
    scene = game.scene(None)
    for pause, doubt in ((700, True), (LEAVE_MS + 100, False)):
        tracker = FigureTracker()
        tracker.adopt((2, 2), "ann", 1, 0)
        tracker.adopt((5, 5), "bob", 1, 0)
        tracker.loss((2, 2), 1000)
        assert agrees(tracker, scene, "", 1000), "it is off the table, as the state has it"
        take_for_granted(tracker, scene, 1000 + pause)
        tracker.loss((5, 5), 1000 + pause)
        tracker.gain((5, 5), 1500 + pause)
        assert (tracker.doubtful() == {(5, 5): {"ann", "bob"}}) is doubt
        assert agrees(tracker, scene, "", 1600 + pause) is not doubt
