"""Exact odds of a pool of dice before it is rolled (computed with icepool; fractions, never floats).

A die that shows the difficulty or more is one success; its natural maximum may count double, whatever the difficulty.
Extra dice are summed beside the pool: their value, or half of it rounded up, never gives successes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

import icepool
import msgspec

from emberboard.engine.errors import ProcedureError

Reroll = Literal["none", "failures rerolled once", "ones rerolled"]
"""What is rolled again, each die at most once: nothing; every die without a success; every natural 1."""
Part = Literal["full", "half"]


class PoolDice(msgspec.Struct, frozen=True):
    """So many dice of one kind whose owner keeps to one way of rerolling."""

    count: int
    sides: int = 12
    reroll: Reroll = "none"


class Chance(msgspec.Struct, frozen=True):
    """How likely one thing is, in words for players; `threshold` is the number of successes it wants, 0 a failure."""

    threshold: int
    percent: str
    words: str


class ShownOdds(msgspec.Struct, frozen=True):
    """Odds as plain data for a page: one line an outcome, the reroll policy, and the average number of successes."""

    outcomes: tuple[Chance, ...]
    average: str
    policy: str = ""


@dataclass(frozen=True)
class Odds:
    """Exact probabilities of one roll.

    `successes` and `extra` are distributions of their own, `joint` of both together (they are independent). `outcomes`
    gives for each threshold the probability that it is the highest one reached, and under 0 that none is.
    """

    successes: Mapping[int, Fraction]
    extra: Mapping[int, Fraction]
    outcomes: Mapping[int, Fraction]
    policy: str

    @property
    def joint(self) -> dict[tuple[int, int], Fraction]:
        """The probability of each pair of successes and extra value."""
        return {(successes, value): p * q for successes, p in self.successes.items() for value, q in self.extra.items()}

    @property
    def average(self) -> Fraction:
        """The expected number of successes."""
        return sum((count * p for count, p in self.successes.items()), Fraction(0))

    def at_least(self, successes: int) -> Fraction:
        """The probability of that many successes or more."""
        return sum((p for count, p in self.successes.items() if count >= successes), Fraction(0))

    def shown(self) -> ShownOdds:
        """The same in words."""
        lines = [
            Chance(threshold, percent(p), f"{f'{threshold} or more' if threshold else 'failure'}: {percent(p)}")
            for threshold, p in self.outcomes.items()
        ]
        tenths = _rounded(10 * self.average)
        return ShownOdds(tuple(lines), f"{tenths // 10}.{tenths % 10}", self.policy)


def pool_odds(
    pool: Sequence[PoolDice],
    difficulty: int,
    *,
    double_maximum: bool = True,
    extra: Sequence[int] = (),
    extra_part: Part = "full",
    thresholds: Sequence[int] = (1,),
) -> Odds:
    """The odds of `pool` against `difficulty`.

    `extra` lists the sides of dice that are summed beside it (their reroll is not considered), `thresholds` the numbers
    of successes that outcomes want. Raises ProcedureError for numbers that no roll has.
    """
    _check(pool, extra, thresholds)
    total = sum((dice.count @ _one(dice, difficulty, double_maximum) for dice in pool), start=icepool.Die([0]))
    value = sum((icepool.d(sides) for sides in extra), start=icepool.Die([0]))
    if extra_part == "half":
        value = value.map(lambda shown: -(-shown // 2))
    successes = _distribution(total)
    return Odds(successes, _distribution(value), _outcomes(successes, thresholds), _policy(pool))


def _check(pool: Sequence[PoolDice], extra: Sequence[int], thresholds: Sequence[int]) -> None:
    for dice in pool:
        if dice.count < 0 or dice.sides < 1:
            raise ProcedureError(f"a pool has no {dice.count} dice with {dice.sides} sides")
        if dice.reroll not in get_args(Reroll):
            raise ProcedureError(f"there is no reroll {dice.reroll!r}; there are {', '.join(get_args(Reroll))}")
    if any(sides < 1 for sides in extra):
        raise ProcedureError(f"extra dice need at least one side; got {list(extra)}")
    if any(threshold < 1 for threshold in thresholds):
        raise ProcedureError(f"an outcome wants at least 1 success; got {list(thresholds)}")


def _one(dice: PoolDice, difficulty: int, double_maximum: bool) -> icepool.Die[int]:
    """The successes of one die."""

    def score(face: int) -> int:
        return 2 if double_maximum and face == dice.sides else int(face >= difficulty)

    die = icepool.d(dice.sides)
    again = die.map(score)
    match dice.reroll:
        case "failures rerolled once":
            return die.map(lambda face: score(face) or again)
        case "ones rerolled":
            return die.map(lambda face: again if face == 1 else score(face))
    return again


def _distribution(die: icepool.Die[int]) -> dict[int, Fraction]:
    denominator = die.denominator()
    return {outcome: Fraction(quantity, denominator) for outcome, quantity in die.items() if quantity}


def _outcomes(successes: Mapping[int, Fraction], thresholds: Sequence[int]) -> dict[int, Fraction]:
    found = dict.fromkeys([0, *sorted(set(thresholds))], Fraction(0))
    for count, p in successes.items():
        found[max(threshold for threshold in found if threshold <= count)] += p
    return found


def _policy(pool: Sequence[PoolDice]) -> str:
    named = [policy for policy in dict.fromkeys(dice.reroll for dice in pool) if policy != "none"]
    return ", ".join(named)


def percent(p: Fraction) -> str:
    """A probability in words: `never`, `under 1 %`, `58 %`, `over 99 %`, `always`."""
    if p in (0, 1):
        return "always" if p else "never"
    whole = _rounded(100 * p)
    return "under 1 %" if whole < 1 else "over 99 %" if whole > 99 else f"{whole} %"


def _rounded(number: Fraction) -> int:
    """The nearest whole number, halves up."""
    return (2 * number.numerator + number.denominator) // (2 * number.denominator)
