"""Odds of a pool beside other exact ways to get them: eight D12 against 8, failures rerolled once, 12s doubled."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import icepool

from emberboard.engine.odds import PoolDice, pool_odds

from .row import Row
from .timing import median_times

DICE, SIDES, DIFFICULTY = 8, 12, 8
REROLL = "failures rerolled once"
SMALL = 3
"""Dice that brute force can still count: it looks at every way each die and its second roll can fall."""


def ours(dice: int = DICE) -> dict[int, Fraction]:
    """What the project computes."""
    return dict(pool_odds([PoolDice(dice, SIDES, REROLL)], DIFFICULTY, thresholds=(1, 2, 3)).successes)


def score(face: int) -> int:
    """The successes of one face."""
    return 2 if face == SIDES else int(face >= DIFFICULTY)


def dynamic(dice: int = DICE) -> dict[int, Fraction]:
    """Die by die in plain Python, counting ways in whole numbers."""
    one: dict[int, int] = {}
    for first, second in product(range(1, SIDES + 1), repeat=2):
        got = score(first) or score(second)
        one[got] = one.get(got, 0) + 1
    ways = {0: 1}
    for _ in range(dice):
        after: dict[int, int] = {}
        for total, count in ways.items():
            for got, more in one.items():
                after[total + got] = after.get(total + got, 0) + count * more
        ways = after
    whole = SIDES ** (2 * dice)
    return {total: Fraction(count, whole) for total, count in sorted(ways.items())}


def brute(dice: int = SMALL) -> dict[int, Fraction]:
    """Every way the dice can fall, one by one."""
    pairs = list(product(range(1, SIDES + 1), repeat=2))
    ways: dict[int, int] = {}
    for fallen in product(pairs, repeat=dice):
        total = sum(score(first) or score(second) for first, second in fallen)
        ways[total] = ways.get(total, 0) + 1
    whole = SIDES ** (2 * dice)
    return {total: Fraction(count, whole) for total, count in sorted(ways.items())}


class Successes(icepool.MultisetEvaluator[int, int]):
    """icepool's general way: an evaluator that walks the sorted pool face by face."""

    def next_state(self, state: int | None, order: Any, outcome: int, count: int, /) -> int:
        return (state or 0) + score(outcome) * count


def general(dice: int = DICE) -> dict[int, Fraction]:
    """icepool's multiset evaluation of a pool of dice that were already rerolled."""
    die = icepool.d(SIDES)
    rerolled = die.map(lambda face: face if score(face) else die)
    found = Successes().evaluate(rerolled.pool(dice))
    return {total: Fraction(ways, found.denominator()) for total, ways in found.items()}


def agree() -> bool:
    """Whether all ways give the same fractions; a comparison of different answers would mean nothing."""
    at_eight = ours() == dynamic() == general()
    at_three = ours(SMALL) == brute() == dynamic(SMALL)
    chance_of_none = ours()[0] == Fraction(49, 144) ** DICE
    return at_eight and at_three and chance_of_none


def measure() -> list[Row]:
    """The pool of eight beside the other ways, and a pool of three beside brute force."""
    if not agree():
        raise AssertionError("the ways of computing the odds do not agree")
    eight = median_times({"ours": ours, "dynamic": dynamic, "general": general})
    three = median_times({"ours": lambda: ours(SMALL), "brute": brute}, repeat=3)
    note = "exact fractions from all; checked to be equal before timing"
    return [
        Row(
            f"{DICE}D12 against {DIFFICULTY}, {REROLL}",
            "ms",
            1000 * eight["ours"],
            {"plain Python, die by die": 1000 * eight["dynamic"], "icepool MultisetEvaluator": 1000 * eight["general"]},
            note,
        ),
        Row(
            f"{SMALL}D12 against {DIFFICULTY}, {REROLL}",
            "ms",
            1000 * three["ours"],
            {"brute force over every fall": 1000 * three["brute"]},
            note,
        ),
    ]
