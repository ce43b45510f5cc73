"""Numbers explain themselves (DESIGN section 2): the steps of stats, presence, permissions."""

from __future__ import annotations

import doctest

import pytest

from emberboard.engine import stats
from emberboard.engine.errors import ProcedureError
from emberboard.engine.stats import (
    Add,
    Cap,
    Contribution,
    Floor,
    HalfDown,
    HalfUp,
    Highest,
    Permission,
    Presence,
    Stat,
    StatStep,
    Subtract,
    permitted,
)


def value(steps: tuple[StatStep, ...], *parts: tuple[str, int]) -> int:
    given = [Contribution(step, f"source {n}", f"PG-{n:02}", delta) for n, (step, delta) in enumerate(parts)]
    return Stat("number", steps).evaluate(given).value


def test_the_doctests_of_the_module_hold() -> None:
    failed, tried = doctest.testmod(stats)
    assert (failed, tried > 0) == (0, True)


def test_add_sums_every_delta() -> None:
    assert value((Add("base"),), ("base", 4), ("base", -1), ("base", 2)) == 5
    assert value((Add("base"),)) == 0


def test_subtract_takes_every_delta_away() -> None:
    assert value((Add("base"), Subtract("armor")), ("base", 4), ("armor", 1), ("armor", 2)) == 1


def test_highest_counts_only_the_greatest() -> None:
    assert value((Add("base"), Highest("weapon")), ("base", 1), ("weapon", 2), ("weapon", 3)) == 4
    assert value((Add("base"), Highest("weapon")), ("base", 1)) == 1


def test_floor_holds_where_it_stands_in_the_order() -> None:
    """Evershade's damage: a floor before and one after the armor; the same parts with one floor give another number."""
    parts = (("base", -3), ("armor", -2))
    assert value((Add("base"), Floor(), Subtract("armor"), Floor()), *parts) == 2
    assert value((Add("base"), Subtract("armor"), Floor()), *parts) == 0
    assert value((Add("base"), Floor("at least one", 1)), ("base", -3)) == 1


def test_cap_is_the_least_of_all_limits() -> None:
    assert value((Add("base"), Cap("limit")), ("base", 9), ("limit", 5), ("limit", 3)) == 3
    assert value((Add("base"), Cap("limit")), ("base", 2), ("limit", 5)) == 2
    assert value((Add("base"), Cap("limit")), ("base", 9)) == 9


@pytest.mark.parametrize(("whole", "up", "down"), [(5, 3, 2), (4, 2, 2), (1, 1, 0), (0, 0, 0), (-3, -1, -2)])
def test_halving_is_rounded_as_its_step_says_and_happens_once(whole: int, up: int, down: int) -> None:
    assert value((Add("base"), HalfUp("half")), ("base", whole), ("half", 1), ("half", 1)) == up
    assert value((Add("base"), HalfDown("half")), ("base", whole), ("half", 1)) == down
    assert value((Add("base"), HalfUp("half")), ("base", whole)) == whole


@pytest.mark.parametrize(
    ("deltas", "target"),
    [([], 10), ([1], 12), ([1, 1], 12), ([-1], 8), ([-1, -1], 8), ([1, -1], 10), ([1, 1, -1], 10), ([1, -1, -1], 10)],
)
def test_opposites_cancel_by_presence_whatever_their_counts(deltas: list[int], target: int) -> None:
    """LT-TEST-03..05, LT-ADV-05: Hard and Simple in any numbers are Normal."""
    given = (("base", 10), *(("difficulty", delta) for delta in deltas))
    assert value((Add("base"), Presence("difficulty", by=2)), *given) == target


def test_the_order_of_the_steps_is_the_stats_own_whatever_the_order_of_the_parts() -> None:
    steps = (Add("base"), HalfUp("half"), Add("after"))
    assert value(steps, ("after", 3), ("half", 1), ("base", 5)) == 6


def test_a_contribution_to_a_step_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(ProcedureError, match="number has no step 'armour'; it has base, armor"):
        value((Add("base"), Subtract("armor")), ("armour", 1))


def test_a_contribution_to_a_floor_is_an_error_and_not_silently_without_effect() -> None:
    with pytest.raises(ProcedureError, match="number has no step 'floor'; it has base"):
        value((Add("base"), Floor()), ("base", 1), ("floor", 3))


def test_a_step_that_does_nothing_is_an_error() -> None:
    with pytest.raises(ProcedureError, match="step base of kind StatStep does nothing"):
        value((StatStep("base"),), ("base", 1))


def test_a_result_carries_every_contribution_with_its_sign_and_what_each_step_made() -> None:
    stat = Stat("damage", (Add("base"), Floor(), Subtract("armor")))
    got = stat.evaluate(
        [Contribution("armor", "Mail", "EV-ARMOR-01", 2), Contribution("base", "Axe", "EV-DMG-01", 5)], "rogue"
    )
    assert got.words() == "damage 3 = +5 Axe (EV-DMG-01), -2 Mail (EV-ARMOR-01)"
    assert [(line.step, line.before, line.after) for line in got.trace] == [
        ("base", 0, 5),
        ("floor", 5, 5),
        ("armor", 5, 3),
    ]
    assert got.subject == "rogue"
    assert stat.evaluate([]).words() == "damage 0"


# -- permissions ------------------------------------------------------------------------------------------------

MAY = Permission(True, "Basic Move", "EV-ACT-02")
MAY_NOT = Permission(False, "Rooted", "EV-TOKEN-04")


def test_cannot_beats_can() -> None:
    assert permitted([MAY, MAY_NOT, MAY]) == (False, MAY_NOT)


def test_specific_beats_general_in_both_directions() -> None:
    though = Permission(True, "even when Rooted", "CARD", weight=1)
    assert permitted([MAY, MAY_NOT, though]) == (True, though)
    never = Permission(False, "even so not here", "SHEET", weight=1)
    assert permitted([though, never, MAY]) == (False, never)


def test_what_nothing_allows_may_not_be_done() -> None:
    assert permitted([]) == (False, None)
    assert permitted([MAY]) == (True, MAY)
