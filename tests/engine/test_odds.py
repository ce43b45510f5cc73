"""Odds of a pool: equal, as fractions, to counting every way the dice can fall."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emberboard.engine.errors import ProcedureError
from emberboard.engine.odds import Part, PoolDice, Reroll, percent, pool_odds

POOLS = st.lists(
    st.builds(PoolDice, st.integers(0, 2), st.integers(1, 4), st.sampled_from(get_args(Reroll))), min_size=0, max_size=2
)


def successes_of(dice: PoolDice, faces: tuple[int, int], difficulty: int, double: bool) -> int:
    """One die that shows the first face and, when it is rerolled, the second."""

    def score(face: int) -> int:
        if double and face == dice.sides:
            return 2
        return 1 if face >= difficulty else 0

    first, second = faces
    again = (dice.reroll == "failures rerolled once" and score(first) == 0) or (
        dice.reroll == "ones rerolled" and first == 1
    )
    return score(second if again else first)


def counted(
    pool: list[PoolDice], difficulty: int, double: bool, extra: list[int], part: Part
) -> dict[tuple[int, int], Fraction]:
    """Every way all dice can fall, each die with a second roll in hand, and what comes of it."""
    dice = [kind for kind in pool for _ in range(kind.count)]
    rolls: list[Iterator[tuple[int, int]]] = [product(range(1, one.sides + 1), repeat=2) for one in dice]
    counts: Counter[tuple[int, int]] = Counter()
    for fallen in product(*map(list, rolls), *(range(1, sides + 1) for sides in extra)):
        pairs, values = fallen[: len(dice)], fallen[len(dice) :]
        total = sum(successes_of(one, pair, difficulty, double) for one, pair in zip(dice, pairs))
        value = sum(values)
        counts[total, (value + 1) // 2 if part == "half" else value] += 1
    whole = sum(counts.values())
    return {key: Fraction(count, whole) for key, count in counts.items()}


@settings(max_examples=150, deadline=None)
@given(
    pool=POOLS,
    difficulty=st.integers(1, 6),
    double=st.booleans(),
    extra=st.lists(st.integers(1, 5), max_size=2),
    part=st.sampled_from(get_args(Part)),
)
def test_every_way_the_dice_can_fall(
    pool: list[PoolDice], difficulty: int, double: bool, extra: list[int], part: Part
) -> None:
    odds = pool_odds(pool, difficulty, double_maximum=double, extra=extra, extra_part=part, thresholds=(1, 3))
    expected = counted(pool, difficulty, double, extra, part)
    assert odds.joint == expected
    totals: Counter[int] = Counter()
    for (successes, _), p in expected.items():
        totals[successes] += p
    assert dict(odds.successes) == dict(totals)
    assert odds.outcomes == {
        0: totals[0],
        1: totals[1] + totals[2],
        3: sum((p for count, p in totals.items() if count >= 3), Fraction(0)),
    }
    assert sum(odds.outcomes.values()) == 1
    assert odds.at_least(2) == sum((p for count, p in totals.items() if count >= 2), Fraction(0))
    assert odds.average == sum((count * p for count, p in totals.items()), Fraction(0))


@pytest.mark.parametrize(
    ("pool", "difficulty", "double", "expected"),
    [
        ([PoolDice(1)], 8, True, {0: Fraction(7, 12), 1: Fraction(4, 12), 2: Fraction(1, 12)}),
        ([PoolDice(1)], 8, False, {0: Fraction(7, 12), 1: Fraction(5, 12)}),
        ([PoolDice(1)], 13, True, {0: Fraction(11, 12), 2: Fraction(1, 12)}),
        (
            [PoolDice(1, 12, "failures rerolled once")],
            8,
            True,
            {0: Fraction(49, 144), 1: Fraction(76, 144), 2: Fraction(19, 144)},
        ),
        ([PoolDice(1, 12, "ones rerolled")], 2, False, {0: Fraction(1, 144), 1: Fraction(143, 144)}),
        ([], 8, True, {0: Fraction(1)}),
    ],
)
def test_by_hand(pool: list[PoolDice], difficulty: int, double: bool, expected: dict[int, Fraction]) -> None:
    assert dict(pool_odds(pool, difficulty, double_maximum=double).successes) == expected


def test_extra_dice_are_summed_and_then_halved_up() -> None:
    odds = pool_odds([PoolDice(1)], 8, extra=(12, 4), extra_part="half")
    assert min(odds.extra) == 1
    assert max(odds.extra) == 8
    assert odds.extra[1] == Fraction(1, 48)
    assert odds.extra[8] == Fraction(3, 48)
    assert odds.joint[2, 1] == Fraction(1, 12) * Fraction(1, 48)


def test_a_supporter_may_reroll_otherwise() -> None:
    mixed = pool_odds([PoolDice(2, 12, "failures rerolled once"), PoolDice(1)], 8, thresholds=(1, 2))
    assert mixed.policy == "failures rerolled once"
    assert mixed.outcomes[0] == Fraction(49, 144) ** 2 * Fraction(7, 12)


def test_words() -> None:
    shown = pool_odds([PoolDice(1)], 8, thresholds=(2, 1, 3)).shown()
    assert [line.words for line in shown.outcomes] == [
        "failure: 58 %",
        "1 or more: 33 %",
        "2 or more: 8 %",
        "3 or more: never",
    ]
    assert (shown.average, shown.policy) == ("0.5", "")
    assert msgspec.json.decode(msgspec.json.encode(shown), type=type(shown)) == shown


@pytest.mark.parametrize(
    ("p", "words"),
    [
        (Fraction(0), "never"),
        (Fraction(1), "always"),
        (Fraction(1, 1000), "under 1 %"),
        (Fraction(999, 1000), "over 99 %"),
        (Fraction(1, 200), "1 %"),
        (Fraction(1, 8), "13 %"),
        (Fraction(199, 400), "50 %"),
    ],
)
def test_percent_in_words(p: Fraction, words: str) -> None:
    assert percent(p) == words


@pytest.mark.parametrize(
    ("pool", "more", "said"),
    [
        ([PoolDice(-1)], {}, "no -1 dice"),
        ([PoolDice(1, 0)], {}, "0 sides"),
        ([PoolDice(1, 12, "twice")], {}, "no reroll 'twice'; there are none, failures rerolled once, ones rerolled"),  # type: ignore[arg-type]
        ([PoolDice(1)], {"extra": (0,)}, "at least one side"),
        ([PoolDice(1)], {"thresholds": (0,)}, "at least 1 success"),
    ],
)
def test_what_no_roll_has(pool: list[PoolDice], more: dict[str, tuple[int, ...]], said: str) -> None:
    with pytest.raises(ProcedureError, match=said):
        pool_odds(pool, 8, **more)  # type: ignore[arg-type]
