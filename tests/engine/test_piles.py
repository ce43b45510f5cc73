"""Piles are segments whose order is decided at the draw (DESIGN section 2)."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emberboard.engine.errors import ProcedureError
from emberboard.engine.piles import Known, Pile, Unordered
from emberboard.engine.question import Who

NORTH = Who("one", ("north",))


def test_the_contents_of_a_bag_are_known_its_order_is_not() -> None:
    bag = Pile.of("bag", ["red", "blue", "red"])
    assert bag.segments == [Unordered({"red": 2, "blue": 1})]
    assert (bag.size, bag.counts(), bag.top()) == (3, {"red": 2, "blue": 1}, {"red": 2, "blue": 1})


def test_a_deck_in_known_order_gives_its_top_and_nothing_else() -> None:
    deck = Pile.of("deck", ["axe", "bow", "axe"], ordered=True)
    assert deck.top() == {"axe": 1}
    with pytest.raises(ProcedureError, match=r"'bow' cannot be drawn from deck: next is one of \['axe'\]"):
        deck.take("bow")
    assert [deck.take("axe"), deck.take("bow"), deck.take("axe"), deck.size] == ["axe", "bow", "axe", 0]


def test_order_is_decided_at_the_draw_so_any_card_of_the_segment_may_come() -> None:
    for first in ("red", "blue"):
        bag = Pile.of("bag", ["red", "blue"])
        assert bag.take(first) == first
        assert bag.counts() == {("blue" if first == "red" else "red"): 1}


def test_a_card_that_is_gone_cannot_come_again() -> None:
    bag = Pile.of("bag", ["red", "blue", "blue"])
    bag.take("red")
    assert bag.top() == {"blue": 2}
    with pytest.raises(ProcedureError):
        bag.take("red")


def test_cards_under_the_pile_come_last_and_in_order() -> None:
    pile = Pile.of("deck", ["a", "b"])
    pile.put_under(["x", "y"])
    pile.put_under(["z"])
    assert pile.segments == [Unordered({"a": 1, "b": 1}), Known(["x", "y", "z"])]
    assert pile.top() == {"a": 1, "b": 1}, "what lies under does not come yet"
    assert [pile.take(card) for card in "baxyz"] == list("baxyz")


def test_cards_on_the_pile_come_first_and_in_order() -> None:
    pile = Pile.of("deck", ["a", "b"])
    pile.put_on(["y"])
    pile.put_on(["w", "x"])
    assert [pile.top(), pile.size] == [{"w": 1}, 5]
    assert [pile.take(card) for card in "wxyab"] == list("wxyab")


def test_shuffling_forgets_every_order_and_keeps_every_card() -> None:
    pile = Pile.of("deck", ["a", "b"], ordered=True)
    pile.put_under(["a"])
    pile.shuffle_in(["c"])
    assert pile.segments == [Unordered({"a": 2, "b": 1, "c": 1})]


def test_nothing_is_asked_of_an_empty_pile() -> None:
    pile = Pile.of("bag", ["red"])
    pile.take("red")
    assert (pile.segments, pile.top(), pile.counts()) == ([], {}, {})
    with pytest.raises(ProcedureError, match="nothing can be drawn: bag is empty"):
        pile.question(NORTH, "draw")
    pile.shuffle_in()
    assert pile.segments == []


def test_the_question_of_a_draw_counts_what_may_come_and_names_the_pile() -> None:
    pile = Pile.of("bag", ["red", "blue", "red"])
    pile.put_under(["white"])
    question = pile.question(NORTH, "Draw", rules=["EV-BAG-05"], top=True)
    assert (question.pile, question.contents) == ("bag", {"red": 2, "blue": 1})
    assert (question.rules, question.top) == (("EV-BAG-05",), True)
    assert question.chance


def test_putting_nothing_leaves_the_pile_as_it_is() -> None:
    pile = Pile.of("deck", ["a"])
    pile.put_on([])
    pile.put_under([])
    assert pile.segments == [Unordered({"a": 1})]


CARDS = st.lists(st.sampled_from("abcd"), max_size=4)
MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("on"), CARDS),
        st.tuples(st.just("under"), CARDS),
        st.tuples(st.just("shuffle"), CARDS),
        st.tuples(st.just("draw"), st.integers(0, 3)),
    ),
    max_size=20,
)


@settings(max_examples=150, deadline=None)
@given(start=CARDS, ordered=st.booleans(), moves=MOVES)
def test_cards_are_conserved_and_only_the_top_segment_is_drawn_from(
    start: list[str], ordered: bool, moves: list[tuple[str, object]]
) -> None:
    pile = Pile.of("pile", start, ordered=ordered)
    put_in, drawn = Counter(start), Counter[str]()
    for kind, what in moves:
        if kind == "draw":
            may_come = pile.top()
            top = [part for part in pile.segments if not isinstance(part, Known) or part.cards][:1]
            assert bool(may_come) == bool(pile.size)
            for card in "abcd":
                if card not in may_come:
                    with pytest.raises(ProcedureError):
                        pile.take(card)
            if not may_come:
                continue
            first = top[0]
            assert may_come == ({first.cards[0]: 1} if isinstance(first, Known) else first.counts)
            drawn[pile.take(sorted(may_come)[int(str(what)) % len(may_come)])] += 1
        else:
            assert isinstance(what, list)
            {"on": pile.put_on, "under": pile.put_under, "shuffle": pile.shuffle_in}[kind](what)
            put_in.update(what)
        assert Counter(pile.counts()) + drawn == put_in
        assert pile.size == (put_in - drawn).total()
        assert msgspec.json.decode(msgspec.json.encode(pile), type=Pile) == pile
