"""Tests, Advantage, the Critical die, Fate (LT-TEST, LT-ADV, LT-CRIT, LT-REROLL, LT-FATE)."""

from __future__ import annotations

from collections.abc import Sequence

from emberboard.engine.question import Ask, Offer, Roll, Who, Window
from emberboard.engine.stats import Add, Contribution, Explained, Presence, Stat
from emberboard.engine.timing import Proc
from tests.engine.toys.lasting_tales.tale import LastingTales, Trial, die

TARGET = Stat("target number", (Add("base"), Presence("difficulty", by=2)))
"""LT-TEST-03..05: Simple 8, Normal 10, Hard 12; several of a kind do not stack, both kinds are Normal."""
ADVANTAGE = Stat("advantage", (Presence("advantage"),))
"""LT-ADV-03..05: at most one extra die; one source of one kind cancels any number of the other."""
TOTAL = Stat("test", (Add("dice"), Add("characteristic")))


def take_test(
    game: LastingTales,
    model: str,
    about: str,
    characteristic: int,
    difficulty: Sequence[Contribution],
    advantage: Sequence[Contribution],
    critical: bool,
) -> Proc[str]:
    """LT-TEST-01: 2D6 plus the characteristic against the target number. Gives the outcome."""
    game.state.test = Trial(model, about, characteristic, critical, list(difficulty), list(advantage))
    faces = yield Ask(trial_dice, model)
    judge(game, faces)
    # LT-REROLL-06: the offer comes before the consequences of the failure.
    yield Ask(before_the_failure_counts, model)
    assert game.state.test is not None
    outcome = game.state.test.outcome
    mine = game.model(model)
    if game.state.test.passed and "Focused" in mine.conditions:
        mine.conditions.remove("Focused")  # LT-COND-10: lost as soon as any Test is passed
        game.note(f"{model} is no longer Focused", "LT-COND-10")
    game.note(f"{model}: {outcome}", "LT-CRIT-09")
    if outcome == "critical failure" and mine.hero:
        mine.conditions.append("Focused")
        game.note(f"{model} is Focused", "LT-CRIT-05")
    return outcome


def trial_dice(game: LastingTales, model: str) -> Roll:
    """LT-ADV-01, -02: one extra die; LT-CRIT-08: always exactly one Critical die; LT-REROLL-04: all of them again."""
    test = game.state.test
    assert test is not None
    extra = ADVANTAGE.evaluate(test.advantage).value != 0
    dice = [die(model, 3 if extra else 2, "Test dice")]
    if test.critical:
        dice.append(die(model, 1, "Critical die"))
    offers: tuple[Offer, ...] = ()
    mine = game.model(model)
    if "Focused" in mine.conditions and not test.rerolled and not test.faces:
        # LT-COND-09: discarded for Advantage on one Test, declared before the dice are rolled.
        offers = (Offer("focus", mine.seat, f"{model} uses Focused", "focus", {"model": model}),)
    return Roll(
        name=f"{test.about}{', again' if test.rerolled else ''}",
        prompt=f"{model}: roll the {test.about}, the Critical die last",
        who=game.owner(model),
        rules=("LT-TEST-01", "LT-CRIT-06"),
        dice=tuple(dice),
        offers=offers,
    )


def focus(game: LastingTales, model: str) -> Proc[None]:
    assert game.state.test is not None
    game.model(model).conditions.remove("Focused")
    game.state.test.advantage.append(Contribution("advantage", "Focused", "LT-COND-09"))
    game.note(f"{model} spends Focused", "LT-COND-09")
    yield from ()


def judge(game: LastingTales, rolled: list[list[int]]) -> None:
    """LT-ADV-06: one die is discarded; LT-TEST-06..08: naturals are judged on the two that are left."""
    test = game.state.test
    assert test is not None
    test.faces, test.critical_face = rolled[0], rolled[1][0] if test.critical else 0
    advantage = ADVANTAGE.evaluate(test.advantage).value
    counted = sorted(test.faces)
    if advantage > 0:
        counted = counted[1:]
    elif advantage < 0:
        counted = counted[:-1]
    total = TOTAL.evaluate(
        [
            Contribution("dice", "Test dice", "LT-TEST-01", sum(counted)),
            Contribution("characteristic", test.about, "LT-TEST-11", test.characteristic),
        ],
        test.model,
    )
    target = target_number(test.difficulty)
    test.passed = total.value >= target.value
    if counted == [1, 1]:
        test.passed = False
    elif counted == [6, 6]:
        test.passed = True
    game.note(
        f"{test.model}: {total.value} against {target.value}, {'passed' if test.passed else 'failed'}",
        "LT-TEST-01",
        numbers=(total, target),
    )


def target_number(difficulty: Sequence[Contribution]) -> Explained:
    """LT-TEST-02: 10 unless something makes the Test Simple or Hard."""
    return TARGET.evaluate([Contribution("base", "Normal", "LT-TEST-02", 10), *difficulty])


def before_the_failure_counts(game: LastingTales, model: str) -> Window:
    """LT-FATE-05..07: a failed Test of a Hero may be rerolled once with its own Fate (LT-REROLL-02)."""
    test, mine = game.state.test, game.model(model)
    assert test is not None
    offers: tuple[Offer, ...] = ()
    if not test.passed and not test.rerolled and mine.hero and mine.fate > 0:
        offers = (
            Offer("fate", mine.seat, f"{model} pays 1 Fate", "fate_reroll", {"model": model}, rules=("LT-FATE-05",)),
        )
    return Window(name=f"{test.about} failed", prompt="Reroll?", who=Who("one", (mine.seat,)), offers=offers)


def fate_reroll(game: LastingTales, model: str) -> Proc[None]:
    """LT-REROLL-01, -04: every die again, and the second result stands."""
    assert game.state.test is not None
    game.model(model).fate -= 1
    game.state.test.rerolled = True
    game.note(f"{model} pays 1 Fate, {game.model(model).fate} left", "LT-FATE-05")
    faces = yield Ask(trial_dice, model)
    judge(game, faces)


def one_test(
    game: LastingTales, model: str, characteristic: int, difficulty: list[int], advantage: list[int]
) -> Proc[str]:
    """A Test by itself: sources of Simple (-1) or Hard (1), and of Disadvantage (-1) or Advantage (1)."""
    outcome = yield from take_test(
        game,
        model,
        "Test",
        characteristic,
        [Contribution("difficulty", "a rule", "LT-TEST-04", delta) for delta in difficulty],
        [Contribution("advantage", "a rule", "LT-ADV-03", delta) for delta in advantage],
        critical=True,
    )
    return outcome
