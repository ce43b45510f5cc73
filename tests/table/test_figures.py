"""The figure tracker against brute force, and its single rules: taps, flicker, slides, large bases, darkness."""

from __future__ import annotations

from itertools import permutations
from random import Random

from hypothesis import example, given, settings
from hypothesis import strategies as st

from emberboard.engine.question import Cell
from emberboard.table.figures import EXCHANGE_MS, FLICKER_MS, TAP_MS, FigureTracker, footprint
from emberboard.table.matching import assignments, sharpen

FIGURES = ("a", "b", "c", "d", "e")
SPOTS: list[Cell] = [(3 * n, 0) for n in range(9)]
"""Cells that do not touch: no slide can be meant."""


class Truth:
    """Every assignment that fits what was sensed, kept as a plain set: the oracle."""

    def __init__(self) -> None:
        start = tuple(SPOTS[: len(FIGURES)])
        self.worlds: set[tuple[Cell | None, ...]] = {start}

    def loss(self, cell: Cell) -> None:
        self.worlds = {tuple(None if at == cell else at for at in world) for world in self.worlds}

    def gain(self, cell: Cell) -> None:
        self.worlds = {
            (*world[:n], cell, *world[n + 1 :]) for world in self.worlds for n, at in enumerate(world) if at is None
        }

    def candidates(self, cell: Cell) -> set[str]:
        return {FIGURES[n] for world in self.worlds for n, at in enumerate(world) if at == cell}


def tracker_with(*figures: str, spots: list[Cell] = SPOTS) -> FigureTracker:
    tracker = FigureTracker()
    for who, at in zip(figures, spots):
        tracker.adopt(at, who, 1, 0)
    return tracker


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(0, len(SPOTS) - 1), max_size=14))
@example([2, 3, 3, 0, 0, 1, 1, 3, 2])
def test_the_tracker_keeps_every_consistent_assignment(touched: list[int]) -> None:
    """Always every one; and no other as long as no third figure is mixed into two that are in doubt."""
    tracker, truth, now = tracker_with(*FIGURES), Truth(), 1000
    sensed = set(SPOTS[: len(FIGURES)])
    for n in touched:
        now += TAP_MS
        cell = SPOTS[n]
        if cell in sensed:
            sensed.discard(cell)
            truth.loss(cell)
            tracker.loss(cell, now)
        elif len(sensed) < len(FIGURES):
            sensed.add(cell)
            truth.gain(cell)
            tracker.gain(cell, now)
        assert set(tracker.standing) == sensed and not tracker.strays
        pairs = all(len(who) <= 2 for who in tracker.places().values())
        for at, one in tracker.standing.items():
            assert set(one.who) >= truth.candidates(at), (at, truth.worlds)
            assert not pairs or set(one.who) == truth.candidates(at)
        kept = set()
        for made in tracker.assignments():
            where = {who: place[1] if place[0] == "tile" else None for place, who in made.items()}
            kept.add(tuple(where[who] for who in FIGURES))
        assert kept == truth.worlds if pairs else kept >= truth.worlds


@settings(max_examples=200, deadline=None)
@given(st.lists(st.frozensets(st.sampled_from(FIGURES), min_size=1), min_size=5, max_size=5))
def test_sharpening_keeps_what_some_assignment_needs(candidates: list[frozenset[str]]) -> None:
    places = dict(enumerate(candidates))
    fits = [made for made in permutations(FIGURES) if all(made[n] in who for n, who in places.items())]
    assert sorted(tuple(made[n] for n in range(5)) for made in assignments(places)) == sorted(fits)
    if fits:
        assert sharpen(places) == {n: frozenset(made[n] for made in fits) for n in range(5)}
    else:
        assert set(sharpen(places)) == set(places)


def kinds(happenings: list) -> list[str]:
    return [one.kind for one in happenings]


def test_lift_and_put_moves_the_figure() -> None:
    tracker = tracker_with("a", "b")
    assert kinds(tracker.loss((0, 0), 1000)) == ["lifted"]
    landed = tracker.gain((9, 0), 4000)
    assert kinds(landed) == ["landed"] and landed[0].who == {"a"}
    assert tracker.at() == {"b": (3, 0), "a": (9, 0)}


def test_a_tap_is_lift_and_replace_within_its_time() -> None:
    tracker = tracker_with("a")
    tracker.loss((0, 0), 1000)
    assert kinds(tracker.gain((0, 0), 1000 + TAP_MS)) == ["tapped"]
    tracker.loss((0, 0), 5000)
    assert kinds(tracker.gain((0, 0), 5001 + TAP_MS)) == ["landed"]


def test_a_flicker_is_no_tap_even_with_another_figure_in_the_hand() -> None:
    tracker = tracker_with("a", "b")
    tracker.loss((3, 0), 1000)
    tracker.loss((0, 0), 2000)
    assert tracker.gain((0, 0), 2000 + EXCHANGE_MS - 1) == []
    assert tracker.at() == {"a": (0, 0)} and set(tracker.in_hand()) == {"b"}


def test_a_flicker_of_the_only_one_may_be_longer() -> None:
    tracker = tracker_with("a", "b")
    tracker.loss((0, 0), 2000)
    assert tracker.gain((0, 0), 2000 + FLICKER_MS - 1) == [] and tracker.at() == {"a": (0, 0), "b": (3, 0)}


def test_two_in_the_air_are_in_doubt_until_somebody_says() -> None:
    tracker = tracker_with("a", "b", "c")
    tracker.loss((0, 0), 1000)
    tracker.loss((3, 0), 2000)
    tracker.gain((0, 0), 3000)
    tracker.gain((3, 0), 4000)
    assert tracker.doubtful() == {(0, 0): {"a", "b"}, (3, 0): {"a", "b"}}
    tracker.say("b", (0, 0))
    assert tracker.at() == {"b": (0, 0), "a": (3, 0), "c": (6, 0)}
    tracker.doubt("b", 1, 5000)
    assert set(tracker.doubtful()) == {(0, 0), (3, 0)}, "it may be taken back, and c is left out of it"


def test_a_slide_is_the_figure_of_the_tile_next_door() -> None:
    tracker = tracker_with("a")
    assert tracker.gain((1, 0), 1000) == []
    slid = tracker.loss((0, 0), 1200)
    assert kinds(slid) == ["landed"] and tracker.at() == {"a": (1, 0)}


def test_the_wand_is_a_gain_with_no_lift_open_believed_when_no_slide_follows() -> None:
    tracker = tracker_with("a")
    tracker.gain((1, 0), 1000)
    due = tracker.due()
    assert due is not None and kinds(tracker.settle(due)) == ["pointed"]
    assert tracker.loss((1, 0), 2000) == [] and tracker.at() == {"a": (0, 0)}
    tracker.gain((6, 0), 3000)
    assert kinds(tracker.loss((6, 0), 3200)) == ["pointed"], "a quick touch"
    tracker.gain((6, 0), 4000)
    assert tracker.loss((6, 0), 4050) == [], "a flicker"


def test_what_slides_while_another_is_in_the_hand_is_in_doubt() -> None:
    tracker = tracker_with("a", "b")
    tracker.loss((3, 0), 1000)
    tracker.gain((1, 0), 3000)
    tracker.loss((0, 0), 3100)
    assert tracker.doubtful() == {(1, 0): {"a", "b"}}


def test_a_large_base_covers_known_tiles_and_stands_on_one_of_them() -> None:
    tracker = FigureTracker()
    tracker.adopt((2, 2), "ogre", 2, 0)
    for n, cell in enumerate([(2, 2), (3, 2), (2, 3)]):
        assert tracker.loss(cell, 1000 + n) == []
    assert tracker.at() == {"ogre": (2, 2)}
    assert kinds(tracker.loss((3, 3), 1010)) == ["lifted"]
    told = []
    for n, cell in enumerate([(5, 5), (6, 5), (5, 6), (6, 6)]):
        told += tracker.gain(cell, 2000 + n)
    assert kinds(told) == ["landed"] and tracker.at() == {"ogre": (5, 5)}


def test_a_large_base_that_is_slid_is_followed() -> None:
    tracker = FigureTracker()
    tracker.adopt((2, 2), "ogre", 2, 0)
    told = tracker.gain((4, 2), 1000) + tracker.gain((4, 3), 1010)
    told += tracker.loss((2, 2), 1100) + tracker.loss((2, 3), 1110)
    assert kinds(told) == ["landed"] and tracker.at() == {"ogre": (3, 2)} and not tracker.strays


def test_a_large_base_of_which_one_tile_senses_nothing_lands_all_the_same() -> None:
    tracker = FigureTracker()
    tracker.call("ogre", 2, 0)
    for n, cell in enumerate([(5, 5), (6, 5), (5, 6)]):
        tracker.gain(cell, 1000 + n)
    due = tracker.due()
    assert due is not None and kinds(tracker.settle(due + 5)) == ["landed"] and tracker.at() == {"ogre": (5, 5)}


def test_small_and_large_in_the_hand_are_told_apart_by_their_tiles() -> None:
    tracker = FigureTracker()
    tracker.adopt((2, 2), "ogre", 2, 0)
    tracker.adopt((8, 8), "rat", 1, 0)
    for cell in [(2, 2), (3, 2), (2, 3), (3, 3), (8, 8)]:
        tracker.loss(cell, 1000)
    tracker.gain((0, 0), 2000)
    assert kinds(tracker.settle(2300)) == ["landed"] and tracker.at() == {"rat": (0, 0)}


def test_a_short_darkness_is_trusted_and_a_long_one_is_not() -> None:
    area = [(x, 0) for x in range(6)]
    tracker = tracker_with("a", "b", "c")
    tracker.go_dark(area, 1000)
    tracker.sensed(area, [(0, 0), (3, 0)], 1500)
    assert tracker.at() == {"a": (0, 0), "b": (3, 0), "c": (6, 0)}
    tracker.go_dark(area, 5000)
    tracker.sensed(area, [(0, 0), (3, 0)], 20000)
    assert tracker.doubtful() == {(0, 0): {"a", "b"}, (3, 0): {"a", "b"}} and tracker.at() == {"c": (6, 0)}


def test_what_was_moved_in_the_dark_is_found() -> None:
    area = [(x, 0) for x in range(6)]
    tracker = tracker_with("a", "b")
    tracker.loss((3, 0), 900)
    tracker.gain((9, 0), 950)
    tracker.go_dark(area, 1000)
    tracker.sensed(area, [(5, 0)], 1500)
    assert tracker.at() == {"a": (5, 0), "b": (9, 0)}


def test_an_override_is_believed_and_what_no_tile_senses_may_be_moved() -> None:
    tracker = tracker_with("a", "b")
    tracker.loss((0, 0), 1000)
    tracker.override({"a": ((0, 0), 1), "b": ((3, 0), 1)}, 2000)
    assert tracker.at() == {"a": (0, 0), "b": (3, 0)}
    tracker.gain((6, 0), 3000)
    assert tracker.at() == {"a": (6, 0), "b": (3, 0)}, "lifted from a dead tile, landed on a good one"


SIZES = {"ogre": 2, "troll": 2, "rat": 1, "bat": 1}
BOARD = [(x, y) for x in range(8) for y in range(6)]


def room(stands: dict[str, Cell], who: str, at: Cell) -> bool:
    taken = {cell for other, there in stands.items() if other != who for cell in footprint(there, SIZES[other])}
    cells = footprint(at, SIZES[who])
    return all(cell in BOARD and cell not in taken for cell in cells)


@settings(max_examples=120, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 25))
def test_large_and_small_figures_moved_one_by_one_are_always_where_they_are(rng: Random, moves: int) -> None:
    """Lifted or slid, with tiles that tell in any order, and a tile under a large base that now and then feels nothing.

    Whatever the tracker is sure of is so; and after moves of one figure at a time it is sure of all.
    """
    stands: dict[str, Cell] = {"ogre": (0, 0), "troll": (3, 3), "rat": (7, 0), "bat": (7, 5)}
    felt = {cell for who, at in stands.items() for cell in footprint(at, SIZES[who])}
    tracker, now = FigureTracker(), 1000
    for who, at in stands.items():
        tracker.adopt(at, who, SIZES[who], 0)
    for _ in range(moves):
        who = rng.choice(sorted(SIZES))
        x, y = stands[who]
        slide = rng.random() < 0.4
        near = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
        free = [at for at in (near if slide else BOARD) if room(stands, who, at) and at != (x, y)]
        if not free:
            continue
        to = rng.choice(free)
        old, new = set(footprint((x, y), SIZES[who])), set(footprint(to, SIZES[who]))
        blind = {rng.choice(sorted(new - old))} if SIZES[who] == 2 and not slide and rng.random() < 0.3 else set()
        leave, come = sorted(old & felt), sorted(new - blind)
        if slide:
            leave, come = sorted((old - new) & felt), sorted(new - old)
        rng.shuffle(leave)
        rng.shuffle(come)
        steps = [(cell, False) for cell in leave] + [(cell, True) for cell in come]
        if slide:
            steps = [(cell, True) for cell in come] + [(cell, False) for cell in leave]
        for n, (cell, gain) in enumerate(steps):
            now += 20 if slide or n % len(leave + come) else 600
            if not slide and gain and n == len(leave):
                now += 500
            tracker.gain(cell, now) if gain else tracker.loss(cell, now)
        felt = (felt - old) | (new & old & felt if slide else set()) | set(come)
        stands[who] = to
        now += 1000
        tracker.settle(now)
        assert tracker.at() == stands and not tracker.strays and not tracker.held
