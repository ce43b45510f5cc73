"""The odds of a Roll before its dice are thrown, and of a re-roll before it is bought."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from emberboard.engine.question import Question
from emberboard.games.evershade import dice_pool, roster
from emberboard.games.evershade.rolls import successes_of
from emberboard.games.evershade.state import RollInHand
from emberboard.games.evershade.wording import count

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade

REROLL: Literal["failures rerolled once"] = "failures rerolled once"


def odds(g: Evershade, question: Question) -> list[str]:
    """Exact odds in lines: each outcome as the dice are, then with the failures re-rolled for 1 Fate (EV-FATE-03)."""
    if not g.state.rolls or question.name not in ("before_roll", "roll", "after_roll", "reroll_which"):
        return []
    hand = g.state.rolls[-1]
    targets = [ref for ref in hand.targets if not roster.is_member(g, ref)] if hand.by_enemy else []
    printed = {roster.enemy_card(g, ref).difficulty: roster.label(g, ref) for ref in targets}
    lines: list[str] = []
    for number, name in (printed or {hand.difficulty: ""}).items():
        at = dice_pool.difficulty(hand, number).value
        where = f"against {name}: " if len(printed) > 1 else ""
        lines += _after(g, hand, at, where) if hand.rolled else _before(g, hand, at, where)
    return lines


def _before(g: Evershade, hand: RollInHand, at: int, where: str) -> list[str]:
    from emberboard.engine.odds import PoolDice, pool_odds

    dice = dice_pool.pool(hand).value
    helped = [PoolDice(part.dice) for part in hand.supporters]
    needs = [need for need in hand.needs if need > 0] or [1]
    plain = pool_odds([PoolDice(dice), *helped], at, thresholds=needs).shown()
    lines = [where + "; ".join(one.words for one in plain.outcomes) + f"; average {plain.average}"]
    if roster.member(g, hand.performer).fate:
        again = pool_odds([PoolDice(dice, reroll=REROLL), *helped], at, thresholds=needs).shown()
        lines.append(f"{where}with 1 Fate ({REROLL}): " + "; ".join(one.words for one in again.outcomes))
    return lines


def _after(g: Evershade, hand: RollInHand, at: int, where: str) -> list[str]:
    from emberboard.engine.odds import PoolDice, percent, pool_odds

    lines: list[str] = []
    have = sum(successes_of(face, at) for face in hand.faces)
    needs = sorted(need for need in hand.needs if need > have)
    for owner in dict.fromkeys(face.by for face in hand.faces):
        failed = [face for face in hand.faces if face.by == owner and not successes_of(face, at)]
        if failed and needs and roster.member(g, owner).fate:
            again = pool_odds([PoolDice(len(failed))], at)
            chances = [
                f"{count(need, 'Success', 'Successes')} {percent(again.at_least(need - have))}" for need in needs
            ]
            who = roster.label(g, owner)
            lines.append(f"{where}{who} re-rolls {len(failed)} failures, now {have}: {'; '.join(chances)}")
    return lines
