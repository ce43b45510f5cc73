"""Lasting Tales in miniature carries the rules' own examples (LTX-D07, D09, D12, D13, D18, D43) and numbers."""

from __future__ import annotations

import random
from typing import Any

import pytest

from emberboard.engine.errors import Refused
from emberboard.engine.question import Roll, Window
from emberboard.engine.session import Session
from tests.engine.toys.lasting_tales import LastingTales
from tests.engine.toys.tape import Tape

ZATH = {
    "id": "Zath", "seat": "west", "mel": 3, "health": 6, "resistance": 1, "armor": 1, "fate": 6,
    "weapons": ["Dagger", "Dagger"],
}  # fmt: skip
KREEVES = {
    "id": "Kreeves", "seat": "north", "mel": 4, "health": 8, "resistance": 1, "fate": 5, "strength_bonus": 1,
    "weapons": ["Hand Weapon", "Hand Weapon"],
}  # fmt: skip
ADRIC = {
    "id": "Adric", "seat": "west", "mel": 3, "health": 7, "armor": 1, "fate": 5, "weapons": ["Hand Weapon"],
}  # fmt: skip
SKELETON = {"id": "Skeleton", "mel": 2, "health": 3, "armor": 2, "spawn": 5, "weapons": ["claws"]}
ZOMBIE = {"id": "Zombie", "mel": 2, "health": 3, "resistance": 1, "spawn": 5, "weapons": ["claws"]}
BANSHEE = {"id": "Banshee", "mel": 3, "health": 5, "spawn": 6, "place": "reserve", "weapons": ["claws"]}


def tale(*models: dict[str, Any], contacts: Any = (), **setup: Any) -> Tape:
    """A tale of these models; `contacts` are the pairs that touch."""
    full = {"models": list(models), "contacts": [list(pair) for pair in contacts], **setup}
    return Tape(Session.new(LastingTales, full, rng=random.Random(1)))


def one_test(
    *faces: int, critical: int = 3, characteristic: int = 3, difficulty: Any = (), advantage: Any = (), fate: int = 0
) -> Tape:
    """Adric takes one Test with these dice."""
    tape = tale({**ADRIC, "fate": fate}, agenda=[])
    args = {"model": "Adric", "characteristic": characteristic}
    tape.session.start("one_test", {**args, "difficulty": list(difficulty), "advantage": list(advantage)})
    return tape.dice(*faces, critical)


def state(tape: Tape) -> Any:
    return tape.session.game.state


def asked(tape: Tape) -> str:
    return tape.session.question.name if tape.session.question else ""


# -- the numbers of a Test --------------------------------------------------------------------------------------

SIMPLE, HARD, DISADVANTAGE, ADVANTAGE = -1, 1, -1, 1


@pytest.mark.parametrize(
    ("rule", "faces", "given", "said"),
    [
        ("LT-TEST-01", (4, 3), {}, "10 against 10, passed"),
        ("LT-TEST-02", (2, 3), {"characteristic": 4}, "9 against 10, failed"),
        ("LT-TEST-03", (3, 3), {"difficulty": [SIMPLE]}, "9 against 8, passed"),
        ("LT-TEST-03", (3, 3), {"difficulty": [HARD]}, "9 against 12, failed"),
        ("LT-TEST-04", (4, 3), {"difficulty": [SIMPLE, HARD]}, "10 against 10, passed"),
        ("LT-TEST-05", (6, 3), {"difficulty": [HARD, HARD]}, "12 against 12, passed"),
        ("LT-TEST-05", (4, 3), {"difficulty": [HARD, SIMPLE, HARD]}, "10 against 10, passed"),
        ("LT-TEST-06", (1, 1), {"characteristic": 6, "difficulty": [SIMPLE]}, "8 against 8, failed"),
        ("LT-TEST-07", (6, 6), {"characteristic": -1, "difficulty": [HARD]}, "11 against 12, passed"),
        ("LT-TEST-08", (6, 6, 4), {"characteristic": 0, "advantage": [DISADVANTAGE]}, "10 against 10, passed"),
        ("LT-TEST-08", (6, 6, 4), {"characteristic": -1, "advantage": [DISADVANTAGE]}, "9 against 10, failed"),
        ("LT-ADV-01", (2, 5, 3), {"advantage": [ADVANTAGE]}, "11 against 10, passed"),
        ("LT-ADV-02", (2, 5, 3), {"advantage": [DISADVANTAGE]}, "8 against 10, failed"),
        ("LT-ADV-03", (4, 3), {"advantage": [ADVANTAGE, DISADVANTAGE]}, "10 against 10, passed"),
        ("LT-ADV-04", (5, 5, 6), {"advantage": [DISADVANTAGE, DISADVANTAGE]}, "13 against 10, passed"),
        ("LT-ADV-05", (4, 3), {"advantage": [DISADVANTAGE, DISADVANTAGE, ADVANTAGE]}, "10 against 10, passed"),
        ("LT-ADV-06", (1, 1, 6), {"advantage": [ADVANTAGE]}, "10 against 10, passed"),
        ("LT-ADV-07", (5, 4, 1), {"difficulty": [HARD], "advantage": [ADVANTAGE]}, "12 against 12, passed"),
        ("LT-CRIT-01", (3, 3), {"critical": 6}, "9 against 10, failed"),
    ],
)
def test_numbers_of_a_test(rule: str, faces: tuple[int, ...], given: dict[str, Any], said: str) -> None:
    tape = one_test(*faces, **given)
    assert f"Adric: {said}" in tape.log, rule


@pytest.mark.parametrize(
    ("rule", "faces", "critical", "outcome"),
    [
        ("LT-CRIT-02", (4, 3), 6, "critical success"),
        ("LT-CRIT-03", (2, 3), 1, "critical failure"),
        ("LT-CRIT-04", (2, 3), 6, "failure"),
        ("LT-CRIT-04", (4, 3), 1, "success"),
        ("LT-CRIT-09", (1, 1), 1, "critical failure"),
        ("LT-CRIT-09", (6, 6), 6, "critical success"),
    ],
)
def test_the_critical_die(rule: str, faces: tuple[int, ...], critical: int, outcome: str) -> None:
    assert f"Adric: {outcome}" in one_test(*faces, critical=critical).log, rule


def test_natural_2_on_a_total_that_meets_the_target_is_a_critical_failure_all_the_same() -> None:
    """LT-CRIT-09, LTX-D04: 1,1,1 with Advantage and MEL 6 against Simple 8."""
    tape = one_test(1, 1, 1, critical=1, characteristic=6, difficulty=[SIMPLE], advantage=[ADVANTAGE])
    assert tape.log == ["Adric: 8 against 8, failed", "Adric: critical failure", "Adric is Focused"]


def test_a_number_tells_what_made_it() -> None:
    tape = one_test(4, 3, difficulty=[SIMPLE, HARD])
    total, target = tape.session.log[0].numbers
    assert total.words() == "test 10 = +7 Test dice (LT-TEST-01), +3 Test (LT-TEST-11)"
    assert [(part.delta, part.rule) for part in target.contributions] == [
        (10, "LT-TEST-02"),
        (-1, "LT-TEST-04"),
        (1, "LT-TEST-04"),
    ]
    assert [(line.step, line.after) for line in target.trace] == [("base", 10), ("difficulty", 10)]


# -- Advantage and the Critical die in an attack ----------------------------------------------------------------


def test_precision_strike_asks_three_test_dice_and_one_critical_die() -> None:
    """LT-OPT-08, LT-CRIT-08; the option is announced before the roll (LT-OPT-02) and costs the Action (LT-OPT-11)."""
    tape = tale(ADRIC, ZOMBIE, contacts=[("Adric", "Zombie")]).answer("Attack")
    question = tape.session.question
    assert question is not None and asked(tape) == "combat options"
    tape.answer(["Precision Strike"])
    assert tape.lines[-1] == (
        "? strike 1 on Zombie with the Hand Weapon [west]: 3 Test dice + 1 Critical die"
    )
    tape.dice(2, 5, 3, 2).dice(1)
    assert tape.lines[-1] == "? Adric's deed [west]: Move, done", "neither Attack nor Action is left"
    with pytest.raises(Refused, match="'Action' is not among the legal answers: Move, done"):
        tape.answer("Action")


def test_extra_strikes_have_no_share_in_precision() -> None:
    """LT-OPT-08, LT-MELEE-11: the second strike rolls two dice."""
    tape = tale({**ADRIC, "extra_strikes": 1}, ZOMBIE, contacts=[("Adric", "Zombie")])
    tape.answer("Attack", ["Precision Strike"]).dice(1, 2, 1, 4).go_on()
    assert tape.lines[-1] == "? strike 2 on Zombie with the Hand Weapon [west]: 2 Test dice + 1 Critical die"


def test_an_adversary_rolls_no_critical_die_and_has_no_window() -> None:
    """LT-CRIT-07, LT-FATE-05: two dice, a miss, and on it goes."""
    tape = tale(ADRIC, SKELETON, contacts=[("Adric", "Skeleton")], last_round=1).answer("done").dice(2)
    assert tape.lines[-1] == "? strike 1 on Adric with the claws [west]: 2 Test dice"
    tape.dice(1, 1)
    assert tape.log[-2:] == ["Skeleton: failure", "round 1: Recovery"]


def test_mighty_blow_adds_a_die_and_the_strength_bonus_counts_once() -> None:
    """LTX-D09: 3 + 4 + 1 = 8, less Resistance 1; then the Dual Wield strike, paid with the Action, on the other."""
    a, b = {**ZOMBIE, "id": "A"}, {**ZOMBIE, "id": "B"}
    tape = tale(KREEVES, a, b, contacts=[("Kreeves", "A"), ("B", "Kreeves")])
    tape.answer("Attack", ["Dual Wield"], "A")
    mark = tape.mark
    tape.dice(2, 3, 6).dice(3, 4)
    assert tape.since(mark) == [
        "> 2 3 6",
        "- Kreeves: 9 against 8, passed",
        "- Kreeves: critical success",
        "? damage [north]: 1 Hand Weapon damage + 1 Mighty Blow",
        "> 3 4",
        "- A loses 7 Health, 0 left",
        "- A is in the Graveyard",
        "? strike 2 on B with the Hand Weapon [north]: 2 Test dice + 1 Critical die",
    ]
    (number,) = next(note for note in tape.session.log if "loses" in note.text).numbers
    assert number.words() == (
        "damage 7 = +3 Hand Weapon (LT-DAMAGE-01), +4 Mighty Blow (LT-DAMAGE-04), "
        "+1 Kreeves (LT-DAMAGE-03), -1 A (LT-DAMAGE-07)"
    )
    tape.dice(1, 2, 5).go_on()
    assert (tape.log[-2], tape.log[-1]) == ("Kreeves: 7 against 8, failed", "Kreeves: failure")
    assert tape.lines[-1] == "? Kreeves's deed [north]: Move, done", "Dual Wield took the Action"


def test_critical_faces_on_the_wrong_outcome_do_nothing() -> None:
    """LTX-D07: a 6 on a miss, a 1 on a hit; Zath's second Dagger is free (LT-OPT-07)."""
    tape = tale(ZATH, ZOMBIE, contacts=[("Zath", "Zombie")])
    tape.answer("Attack", ["Dual Wield"]).dice(2, 3, 6).go_on().dice(5, 4, 1).dice(5)
    assert [line for line in tape.log if "Zath:" in line or "Health" in line] == [
        "Zath: 8 against 10, failed",
        "Zath: failure",
        "Zath: 12 against 10, passed",
        "Zath: success",
        "Zombie loses 2 Health, 1 left",
    ]
    assert tape.lines[-1] == "? Zath's deed [west]: Move, Action, done", "the Action is unspent"


# -- Fate before the Fumble -------------------------------------------------------------------------------------


def fumbling(**more: Any) -> Tape:
    """Zath (Fate 6 unless said) against a Skeleton, two Daggers, and the first strike shows 1, 3 and critical 1."""
    tape = tale({**ZATH, **more}, KREEVES, SKELETON, contacts=[("Zath", "Skeleton")])
    return tape.answer("Attack", ["Dual Wield"]).dice(1, 3, 1)


def test_the_fate_window_comes_before_the_fumble_is_applied() -> None:
    """LT-REROLL-06: while it is open nothing of the failure has happened."""
    tape = fumbling()
    assert isinstance(tape.session.question, Window)
    assert tape.lines[-1] == "? strike 1 on Skeleton with the Dagger failed | fate (west)"
    zath = state(tape).models["Zath"]
    assert (zath.conditions, zath.activated, tape.log[-1]) == ([], False, "Zath: 7 against 10, failed")


def test_a_fate_reroll_undoes_the_fumble_and_the_second_strike_fumbles_anew() -> None:
    """LTX-D13, every question and line in order."""
    tape = tale(ZATH, KREEVES, SKELETON, contacts=[("Zath", "Skeleton")])
    tape.answer("Attack", ["Dual Wield"]).dice(1, 3, 1).take("fate", "west").dice(5, 3, 2).dice(6).dice(4, 5)
    tape.dice(2, 2, 1).go_on("west")
    assert tape.lines == [
        "- round 1: Initiative, west is First Player",
        "- round 1: Heroes",
        "- Zath activates",
        "? Zath's deed [west]: Move, Attack, Action, done",
        "> Attack",
        "? combat options [west]: Precision Strike, Dual Wield",
        "> Dual Wield",
        "? strike 1 on Skeleton with the Dagger [west]: 2 Test dice + 1 Critical die",
        "> 1 3 1",
        "- Zath: 7 against 10, failed",
        "? strike 1 on Skeleton with the Dagger failed | fate (west)",
        "> take fate",
        "- Zath pays 1 Fate, 5 left",
        "? strike 1 on Skeleton with the Dagger, again [west]: 2 Test dice + 1 Critical die",
        "> 5 3 2",
        "- Zath: 11 against 10, passed",
        "- Zath: success",
        "? damage [west]: 1 Dagger damage",
        "> 6",
        "? armour [west]: 2 armour",
        "> 4 5",
        "- Skeleton loses 2 Health, 1 left",
        "? strike 2 on Skeleton with the Dagger [west]: 2 Test dice + 1 Critical die",
        "> 2 2 1",
        "- Zath: 7 against 10, failed",
        "? strike 2 on Skeleton with the Dagger failed | fate (west)",
        "> west: go on",
        "- Zath: critical failure",
        "- Zath is Focused",
        "- Zath is Exhausted",
        "- Kreeves activates",
        "? Kreeves's deed [north]: Move, Action, done",
    ]
    assert state(tape).models["Zath"].fate == 5


def test_a_fumble_ends_the_activation_and_the_second_strike_and_the_move_are_lost() -> None:
    """LTX-D12: LT-DAMAGE-05, -06, LT-HERO-11, LT-CRIT-05."""
    tape = fumbling()
    mark = tape.mark
    tape.go_on()
    assert tape.since(mark) == [
        "> go on",
        "- Zath: critical failure",
        "- Zath is Focused",
        "- Zath is Exhausted",
        "- Kreeves activates",
        "? Kreeves's deed [north]: Move, Action, done",
    ]
    assert not [line for line in tape.lines if "strike 2" in line]


def test_a_plain_miss_does_not_end_the_activation() -> None:
    """LT-MELEE-09: only the Critical Failure is a Fumble; the second strike is made."""
    tape = tale(ZATH, SKELETON, contacts=[("Zath", "Skeleton")]).answer("Attack", ["Dual Wield"]).dice(1, 3, 2).go_on()
    assert tape.lines[-1] == "? strike 2 on Skeleton with the Dagger [west]: 2 Test dice + 1 Critical die"


def test_without_fate_no_window_is_asked() -> None:
    """LT-FATE-05: nothing to offer, nothing to pass."""
    tape = fumbling(fate=0)
    assert "- Zath is Exhausted" in tape.lines
    assert not [line for line in tape.lines if "failed |" in line]


def test_a_test_is_rerolled_once_however_much_fate_is_left() -> None:
    """LT-REROLL-01, -02: the second result stands, also a second Fumble, and is not offered again."""
    tape = fumbling().take("fate").dice(1, 2, 1)
    assert tape.log[-5:] == [
        "Zath: 6 against 10, failed",
        "Zath: critical failure",
        "Zath is Focused",
        "Zath is Exhausted",
        "Kreeves activates",
    ]
    assert state(tape).models["Zath"].fate == 5


def test_a_passed_test_is_not_rerolled() -> None:
    """LT-FATE-06: no window after a success."""
    tape = tale(ZATH, SKELETON, contacts=[("Zath", "Skeleton")]).answer("Attack", []).dice(5, 5, 2)
    assert asked(tape) == "damage"


def test_fate_is_not_shared() -> None:
    """LT-FATE-07: the offer is Zath's player's alone."""
    tape = fumbling()
    with pytest.raises(Refused, match="Zath pays 1 Fate is an offer to west, not to north"):
        tape.take("fate", "north")
    assert state(tape).models["Kreeves"].fate == 5


def test_the_whole_test_is_rerolled_four_dice() -> None:
    """LTX-D43: 1,2,2 and critical 1 with Precision Strike; again 6,1,4 and critical 6: a Mighty Blow, 2 + 5 - 1 = 6."""
    tape = tale(ADRIC, ZOMBIE, contacts=[("Adric", "Zombie")]).answer("Attack", ["Precision Strike"])
    tape.dice(1, 2, 2, 1).take("fate")
    assert tape.lines[-1].endswith("again [west]: 3 Test dice + 1 Critical die")
    tape.dice(6, 1, 4, 6).dice(2, 5)
    assert tape.log[-5:-2] == ["Adric pays 1 Fate, 4 left", "Adric: 13 against 10, passed", "Adric: critical success"]
    assert tape.log[-2:] == ["Zombie loses 6 Health, 0 left", "Zombie is in the Graveyard"]
    assert (state(tape).models["Adric"].fate, state(tape).models["Adric"].conditions) == (4, [])


# -- Dual Wield -------------------------------------------------------------------------------------------------


def test_the_dual_wield_strike_comes_after_the_extra_strikes_with_the_other_weapon() -> None:
    """LT-MELEE-11, LT-OPT-06: strike 3 uses the second weapon, and a Dagger deals D3."""
    both = {**ADRIC, "extra_strikes": 1, "weapons": ["Hand Weapon", "Dagger"]}
    tape = tale(both, {**ZOMBIE, "health": 30}, contacts=[("Adric", "Zombie")])
    tape.answer("Attack", "Hand Weapon", ["Dual Wield"])
    for faces in ((5, 5, 2), (5, 5, 2)):
        tape.dice(*faces).dice(6)
    assert tape.lines[-1] == "? strike 3 on Zombie with the Dagger [west]: 2 Test dice + 1 Critical die"
    tape.dice(5, 5, 2).dice(6)
    assert [line for line in tape.log if "loses" in line] == [
        "Zombie loses 5 Health, 25 left",
        "Zombie loses 5 Health, 20 left",
        "Zombie loses 2 Health, 18 left",
    ]


def test_a_strike_with_nobody_left_to_hit_is_lost() -> None:
    """LT-MELEE-12: engagement is looked up before each strike."""
    tape = tale(ZATH, {**ZOMBIE, "health": 1}, contacts=[("Zath", "Zombie")]).answer("Attack", ["Dual Wield"])
    tape.dice(5, 4, 2).dice(5)
    assert tape.log[-2:] == ["Zombie is in the Graveyard", "Zath: strike 2 is lost, nobody is engaged"]
    assert tape.lines[-1] == "? Zath's deed [west]: Move, Action, done"


def test_two_free_and_paid_options_in_one_attack() -> None:
    """LT-OPT-07: Zath may have both; Kreeves, whose second weapon is no Off-hand Weapon, only one (LT-OPT-01)."""
    tape = tale(ZATH, ZOMBIE, contacts=[("Zath", "Zombie")]).answer("Attack", ["Precision Strike", "Dual Wield"])
    assert "3 Test dice" in tape.lines[-1]
    tape = tale(KREEVES, ZOMBIE, contacts=[("Kreeves", "Zombie")]).answer("Attack")
    with pytest.raises(Refused, match="choose 0 to 1; got 2"):
        tape.answer(["Precision Strike", "Dual Wield"])


def test_a_spent_action_leaves_only_what_is_free() -> None:
    """LT-OPT-11: after an Action no paid option is offered; the free Dual Wield is."""
    tape = tale(ZATH, ZOMBIE, contacts=[("Zath", "Zombie")]).answer("Action", "Attack")
    assert tape.lines[-1] == "? combat options [west]: Dual Wield"
    tape = tale(KREEVES, ZOMBIE, contacts=[("Kreeves", "Zombie")]).answer("Action", "Attack")
    assert asked(tape).startswith("strike 1")


def test_two_hander_bars_dual_wield() -> None:
    """LT-OPT-09."""
    tape = tale({**ADRIC, "weapons": ["Great Weapon", "Dagger"]}, ZOMBIE, contacts=[("Adric", "Zombie")])
    tape.answer("Attack", "Great Weapon")
    assert tape.lines[-1] == "? combat options [west]: Precision Strike"


# -- Focused ----------------------------------------------------------------------------------------------------


def test_focused_is_an_offer_of_the_roll_and_the_roll_is_asked_anew_with_three_dice() -> None:
    """LT-COND-09: declared before the roll, kept by a Fate reroll, and gone."""
    tape = tale({**ADRIC, "conditions": ["Focused"]}, ZOMBIE, contacts=[("Adric", "Zombie")]).answer("Attack", [])
    assert tape.lines[-1].endswith("2 Test dice + 1 Critical die | focus (west)")
    tape.take("focus")
    assert tape.lines[-1].endswith("3 Test dice + 1 Critical die")
    tape.dice(1, 2, 2, 3).take("fate")
    assert tape.lines[-1].endswith("again [west]: 3 Test dice + 1 Critical die")
    assert state(tape).models["Adric"].conditions == []


def test_focused_is_lost_on_the_first_passed_test_and_stays_on_a_failed_one() -> None:
    """LT-COND-10, -11."""
    tape = tale({**ADRIC, "conditions": ["Focused"], "extra_strikes": 1}, ZOMBIE, contacts=[("Adric", "Zombie")])
    tape.answer("Attack", []).dice(1, 2, 3).go_on()
    assert state(tape).models["Adric"].conditions == ["Focused"]
    tape.dice(5, 5, 3)
    assert state(tape).models["Adric"].conditions == []


# -- the spawn pool ---------------------------------------------------------------------------------------------


def to_the_spawn_check(tape: Tape) -> Tape:
    """Zath does nothing, no event, and every Adversary in play misses."""
    tape.answer("done").dice(2)
    while asked(tape).startswith(("adversary", "strike")):
        if asked(tape) == "adversary":
            tape.answer(tape.session.question.options[0].id)  # type: ignore[union-attr]
        else:
            tape.dice(1, 2)
    return tape


def test_spawn_pool_from_death_to_return() -> None:
    """LTX-D18: a Skeleton dies in round 2, is in the Reserve at its end, and comes by an event in round 4."""
    tape = tale(ZATH, BANSHEE, SKELETON, contacts=[("Zath", "Skeleton")], last_round=4)
    to_the_spawn_check(tape)
    assert asked(tape) == "Zath's deed", "LT-VILLAGE-36: no spawn roll in round 1"
    assert "spawn check" not in tape.log
    tape.answer("Attack", []).dice(5, 5, 3).dice(6).dice(1, 1)
    assert state(tape).models["Skeleton"].place == "graveyard", "LT-SPAWN-01: at once"
    tape.answer("done").dice(2)
    mark = tape.mark - 1
    tape.dice(3).dice(5)
    assert tape.since(mark)[:6] == [
        "? reserve [west]: 1 Banshee 6+",  # LT-SPAWN-03: first the Reserve
        "> 3",
        "? graveyard [west]: 1 Skeleton 5+",  # LT-SPAWN-04: then the Graveyard
        "> 5",
        "- Skeleton is in the Reserve",
        "- round 2: Recovery",
    ]
    places = {name: model.place for name, model in state(tape).models.items()}
    assert places == {"Zath": "play", "Banshee": "reserve", "Skeleton": "reserve"}
    tape.answer("done").dice(2)
    mark = tape.mark - 1
    tape.dice(6, 4).dice(2)
    assert tape.since(mark)[:6] == [
        "? reserve [west]: 1 Banshee 6+ + 1 Skeleton 5+",
        "> 6 4",
        "? spawn point of Banshee [west]: 1 d6",
        "> 2",
        "- Banshee is in play at point 2",
        "- round 3: Recovery",
    ]
    tape.answer("done")
    mark = tape.mark - 1
    tape.dice(1).dice(1).dice(3)
    assert tape.since(mark) == [
        "? event check [west]: 1 d6",
        "> 1",
        "? event table [west]: 1 d6",
        "> 1",
        "? spawn point of Skeleton [west]: 1 d6",
        "> 3",
        "- Skeleton is in play at point 3",
        "? adversary [west]: Banshee, Skeleton",  # LT-EVENT-05: it acts in this same phase
    ]


def test_a_spawn_first_acts_in_the_next_event_phase() -> None:
    """LT-SPAWN-07, LT-SPAWN-08: back at the end of round 2, it has missed that round's activations."""
    returning = {**SKELETON, "place": "reserve", "health": 1, "full_health": 3, "conditions": ["Shaken"]}
    tape = tale(ZATH, returning, last_round=3)
    tape.answer("done").dice(2)
    tape.answer("done").dice(2)
    mark = tape.mark - 1
    tape.dice(5).dice(4)
    assert tape.since(mark) == [
        "? reserve [west]: 1 Skeleton 5+",
        "> 5",
        "? spawn point of Skeleton [west]: 1 d6",
        "> 4",
        "- Skeleton is in play at point 4",
        "- round 2: Recovery",
        "- round 3: Initiative, west is First Player",
        "- round 3: Heroes",
        "- Zath activates",
        "? Zath's deed [west]: Move, Action, done",
    ]
    fresh = state(tape).models["Skeleton"]
    assert (fresh.health, fresh.conditions) == (3, [])
    tape.answer("done").dice(2)
    assert tape.log[-4:-1] == ["round 3: Event", "Skeleton activates", "spawn check"]
    assert tape.log.count("Skeleton activates") == 1


def test_a_model_from_the_graveyard_does_not_return_in_the_same_check() -> None:
    """LT-SPAWN-05: with sixes everywhere it is in the Reserve at the end of round 2 and in play at the end of 3."""
    tape = tale(ZATH, {**SKELETON, "place": "graveyard"}, last_round=3)
    tape.answer("done").dice(2).answer("done").dice(2)
    assert tape.lines[-1] == "? graveyard [west]: 1 Skeleton 5+", "the Reserve was empty when it was its turn"
    tape.dice(6)
    assert state(tape).models["Skeleton"].place == "reserve"
    tape.answer("done").dice(2).dice(6).dice(1)
    assert state(tape).models["Skeleton"].place == "play"


# -- the round --------------------------------------------------------------------------------------------------


def test_the_phases_the_turns_and_the_marker() -> None:
    """LT-SEQ-01, LT-HERO-01, LT-INIT-02: turns go clockwise, the First Player's marker the other way."""
    heroes = [{**ADRIC, "id": f"hero {seat}", "seat": seat} for seat in ("A", "B", "C", "D")]
    tape = tale(*heroes, first_player="B", last_round=2)
    tape.answer("done", "done", "done", "done").dice(2)
    assert [line for line in tape.log if "Exhausted" not in line] == [
        "round 1: Initiative, B is First Player",
        "round 1: Heroes",
        "hero B activates",
        "hero C activates",
        "hero D activates",
        "hero A activates",
        "round 1: Event",
        "round 1: Recovery",
        "round 2: Initiative, A is First Player",
        "round 2: Heroes",
        "hero A activates",
    ]


def test_a_seat_with_two_heroes_takes_them_in_two_turns() -> None:
    """LT-HERO-02: A with two, B with one: A, B, A."""
    heroes = [{**ADRIC, "id": name, "seat": seat} for name, seat in (("a1", "A"), ("a2", "A"), ("b", "B"))]
    tape = tale(*heroes).answer("a2", "done", "done", "done")
    assert [line for line in tape.log if "activates" in line] == ["a2 activates", "b activates", "a1 activates"]


def test_every_activation_begins_at_a_boundary() -> None:
    """So a reload replays one activation at most, and an adjustment between them is possible."""
    tape = fumbling().go_on()
    tape.session.flush()
    snapshot = tape.session.journal.snapshot_at([tape.session.head])
    assert snapshot is not None and b"activate" in snapshot.state
    assert tape.session.question is not None and tape.session.question.top


def test_the_fumbled_die_corrected_plays_on_without_the_fumble() -> None:
    """The Critical die was mis-keyed: 1 should have been 2. The same window is asked, nothing is lost."""
    tape = fumbling()
    roll = next(entry for entry in tape.session.journal.tree.path() if entry.dice)
    tape.go_on()
    result = tape.session.correct(roll.id, [[1, 3], [2]])
    assert (result.kept, result.dropped) == (1, ())
    assert isinstance(tape.session.question, Roll)
    assert tape.session.question.name == "strike 2 on Skeleton with the Dagger"
