"""The odds of a Roll before its dice are thrown, and of a re-roll before it is bought."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Literal

import msgspec

from emberboard.engine.game import OddsRow
from emberboard.engine.question import Question
from emberboard.games.evershade import dice_pool, roster
from emberboard.games.evershade.rolls import successes_of
from emberboard.games.evershade.state import RollInHand
from emberboard.games.evershade.wording import count

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade

REROLL: Literal["failures rerolled once"] = "failures rerolled once"


class Case(msgspec.Struct, frozen=True):
    """One way that the Roll may go on, and how likely each outcome is then.

    `where` names the Enemy where there are several. `cumulative`: each outcome counts those above it too.
    """

    where: str
    words: str
    outcomes: tuple[tuple[str, Fraction], ...]
    average: str = ""
    cumulative: bool = False


def odds(g: Evershade, question: Question) -> list[str]:
    """Exact odds in lines: each outcome as the dice are, then with the failures re-rolled for 1 Fate (EV-FATE-03)."""
    return [_line(case) for case in _cases(g, question)]


def odds_table(g: Evershade, question: Question) -> list[OddsRow]:
    """The same as rows, one an outcome."""
    return [
        OddsRow.of(label, p, case.where + (case.words or "as the dice are"), cumulative=case.cumulative)
        for case in _cases(g, question)
        for label, p in case.outcomes
    ]


def _line(case: Case) -> str:
    from emberboard.engine.odds import percent

    between = " " if case.cumulative else ": "
    told = "; ".join(f"{label}{between}{percent(p)}" for label, p in case.outcomes)
    words = f"{case.words}: " if case.words else ""
    return f"{case.where}{words}{told}" + (f"; average {case.average}" if case.average else "")


def _cases(g: Evershade, question: Question) -> list[Case]:
    if not g.state.rolls or question.name not in ("before_roll", "roll", "after_roll", "reroll_which"):
        return []
    hand = g.state.rolls[-1]
    targets = [ref for ref in hand.targets if not roster.is_member(g, ref)] if hand.by_enemy else []
    printed = {roster.enemy_card(g, ref).difficulty: roster.label(g, ref) for ref in targets}
    cases: list[Case] = []
    for number, name in (printed or {hand.difficulty: ""}).items():
        at = dice_pool.difficulty(hand, number).value
        where = f"against {name}: " if len(printed) > 1 else ""
        cases += _after(g, hand, at, where) if hand.rolled else _before(g, hand, at, where)
    return cases


def _before(g: Evershade, hand: RollInHand, at: int, where: str) -> list[Case]:
    from emberboard.engine.odds import PoolDice, pool_odds

    def outcomes(dice: PoolDice) -> tuple[tuple[tuple[str, Fraction], ...], str]:
        found = pool_odds([dice, *helped], at, thresholds=needs)
        labels = [f"{need} or more" if need else "failure" for need in found.outcomes]
        return tuple(zip(labels, found.outcomes.values())), found.shown().average

    dice = dice_pool.pool(hand).value
    helped = [PoolDice(part.dice) for part in hand.supporters]
    needs = [need for need in hand.needs if need > 0] or [1]
    plain, average = outcomes(PoolDice(dice))
    cases = [Case(where, "", plain, average)]
    if roster.member(g, hand.performer).fate:
        again, _ = outcomes(PoolDice(dice, reroll=REROLL))
        cases.append(Case(where, f"with 1 Fate ({REROLL})", again))
    return cases


def _after(g: Evershade, hand: RollInHand, at: int, where: str) -> list[Case]:
    from emberboard.engine.odds import PoolDice, pool_odds

    cases: list[Case] = []
    have = sum(successes_of(face, at) for face in hand.faces)
    needs = sorted(need for need in hand.needs if need > have)
    for owner in dict.fromkeys(face.by for face in hand.faces):
        failed = [face for face in hand.faces if face.by == owner and not successes_of(face, at)]
        if failed and needs and roster.member(g, owner).fate:
            again = pool_odds([PoolDice(len(failed))], at)
            chances = tuple((count(need, "Success", "Successes"), again.at_least(need - have)) for need in needs)
            words = f"{roster.label(g, owner)} re-rolls {len(failed)} failures, now {have}"
            cases.append(Case(where, words, chances, cumulative=True))
    return cases
