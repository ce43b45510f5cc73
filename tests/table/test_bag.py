"""The initiative bag: draws by tag, refilling as a question, and whatever is wrong with a token named."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from emberboard.engine.question import Confirm, Draw
from emberboard.table.bag_phase import BagPhase
from emberboard.table.draft import Changed, Nothing
from tests.table.asked import GROUP, answers, table_that_asks
from tests.table.world import World

TAGS = {"W1": "white", "W2": "white", "W3": "white", "B1": "black", "B2": "black", "D1": "dual"}


def draw(white: int, black: int, dual: int = 0) -> Draw:
    contents = {"white": white, "black": black, "dual": dual}
    return Draw(prompt="Draw", who=GROUP, pile="bag", contents=contents)


def filled(*draws: Draw) -> World:
    world = table_that_asks(*draws, Confirm(prompt="Again?", who=GROUP), tags=TAGS)
    for tag in ("W1", "W2", "B1"):
        world.tag(tag)
    return world


def test_the_bag_is_filled_token_by_token_before_the_first_draw() -> None:
    world = table_that_asks(draw(2, 1), tags=TAGS)
    view = world.table.view()
    assert view.phase == "bag" and view.task is not None and view.task.put_in == {"white": 2, "black": 1}
    assert "1 black, 2 white" in view.words
    assert world.tag("W1") == "white is in."
    assert world.tag("W1") == "This white token is in the bag already."
    assert "no known token" in world.tag("XX")
    assert "No dual token goes into the bag" in world.tag("D1")
    assert "First the bag" in world.key("3")
    world.tag("W2")
    assert world.table.phase == "bag"
    world.tag("B1")
    assert world.table.phase == "open"


def test_a_draw_is_a_tag_shown_once() -> None:
    world = filled(draw(2, 1), draw(1, 1))
    world.tag("W2")
    assert answers(world) == ["white"] and world.table.phase == "open"
    assert "drawn before" in world.tag("W2"), "the token that was drawn is not drawn again"
    assert "no known token" in world.tag("XX")
    assert "drawn before" in world.tag("W3"), "a token that never went in"
    world.tag("B1")
    assert answers(world) == ["white", "black"]
    assert "put the white one back" in world.tag("W1"), "nothing is drawn now"


def test_refilling_is_a_question_with_what_is_missing() -> None:
    world = filled(draw(2, 1), draw(3, 2, 1))
    world.tag("B1")
    task = world.table.view().task
    assert task is not None and task.put_in == {"black": 2, "dual": 1, "white": 1} and not task.take_out
    for tag in ("B1", "B2", "D1", "W3"):
        world.tag(tag)
    assert world.table.phase == "open"


def test_tokens_may_have_to_come_out() -> None:
    world = filled(draw(2, 1), draw(0, 1))
    world.tag("W1")
    task = world.table.view().task
    assert task is not None and task.take_out == {"white": 1}
    assert "in the bag already" in world.tag("B1")
    assert world.tag("W2") == "white is out."
    assert world.table.phase == "open"


def test_kinds_without_enough_tags_are_named_and_ok_is_the_players_word() -> None:
    world = table_that_asks(draw(2, 3), draw(1, 3), draw(1, 2), Confirm(prompt="Again?", who=GROUP), tags=TAGS)
    task = world.table.view().task
    assert task is not None and task.missing == {"black": 1} and "for: 1 black" in task.words
    assert "No tags are registered for 1 black" in world.key("OK")
    assert world.table.phase == "open", "it is not the end of the game"
    world.keys("1", "OK")
    assert answers(world) == ["white"] and world.table.phase == "open"
    world.keys("2", "OK")
    assert answers(world) == ["white", "black"] and world.table.phase == "open", "the one without a tag"


def test_an_uncounted_bag_takes_any_token_of_its_kind() -> None:
    world = table_that_asks(draw(2, 1), draw(1, 1), Confirm(prompt="Again?", who=GROUP), tags=TAGS)
    world.key("OK")
    assert world.table.phase == "open"
    world.tag("W3")
    assert answers(world) == ["white"] and world.table.phase == "open"
    assert "drawn before" in world.tag("W3")


def test_what_was_drawn_before_an_undo_counts_and_the_other_token_goes_back() -> None:
    world = table_that_asks(
        Confirm(prompt="Start?", who=GROUP), draw(2, 1), Confirm(prompt="Again?", who=GROUP), tags=TAGS
    )
    world.key("OK")
    for tag in ("W1", "W2", "B1", "B1"):
        world.tag(tag)
    assert answers(world) == [True, "black"]
    world.key("Undo", long=True)
    world.key("OK")
    task = world.table.view().task
    assert task is not None and task.put_in == {"black": 1}, "undo with the hands: it goes back into the bag"
    world.tag("B1")
    assert "black counts" in world.tag("W1") and "put the white token back" in world.table.notice
    assert answers(world) == [True, "black"] and world.table.bag is not None and "W1" in world.table.bag.inside


def test_the_program_may_draw_and_the_token_is_asked_for() -> None:
    world = filled(draw(2, 1), draw(2, 0))
    world.session.rng.seed(3)
    while answers(world) != ["black"]:
        world.key("Roll")
        if answers(world) == ["white"]:
            return
    task = world.table.view().task
    assert task is not None and task.take_out == {"black": 1}


@given(st.lists(st.sampled_from([*TAGS, "XX"]), max_size=25), st.data())
def test_initiative_is_never_silently_wrong(shown: list[str], data: st.DataObject) -> None:
    """Whatever is shown: every tag gets an answer, and when the task is done the counted tokens are what they must."""
    bag = BagPhase(TAGS)
    contents = {kind: data.draw(st.integers(0, count)) for kind, count in Counter(TAGS.values()).items()}
    for tag in shown:
        before = set(bag.inside)
        outcome = bag.shown(tag, contents)
        assert isinstance(outcome, Changed | Nothing) and outcome.words
        assert (bag.inside != before) == isinstance(outcome, Changed)
    if bag.task(contents) is None:
        assert bag.counted() == Counter(contents)
        for tag in TAGS:
            kind, refusal = bag.draw(tag)
            assert (refusal is None) == (tag in bag.inside) and (kind == TAGS[tag]) == (refusal is None)
