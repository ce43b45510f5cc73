"""Odalin in miniature carries the rules' own examples (OD-EX-B16, B17, B21, D18, D34) and the checks of its areas."""

from __future__ import annotations

import random
from typing import Any

import pytest

from emberboard.engine.errors import Refused
from emberboard.engine.question import Order, Place, Window
from emberboard.engine.session import UNDONE, Session
from tests.engine.toys.odalin import Odalin
from tests.engine.toys.odalin.villains import ranking
from tests.engine.toys.playground import copied
from tests.engine.toys.tape import Tape


def hero(id: str, seat: str, at: tuple[int, int], **more: Any) -> dict[str, Any]:
    return {"id": id, "seat": seat, "at": list(at), **more}


def villain(id: str, at: tuple[int, int], *cards: str, **more: Any) -> dict[str, Any]:
    return {"id": id, "at": list(at), "cards": list(cards) or ["Lunge"], **more}


def dungeon(*figures: dict[str, Any], track: str) -> Tape:
    """A room of 8 x 8 with these figures; `track` is the initiative track, left first."""
    heroes = [figure for figure in figures if "seat" in figure]
    villains = [figure for figure in figures if "cards" in figure]
    setup = {"heroes": heroes, "villains": villains, "track": track.split()}
    return Tape(Session.new(Odalin, setup, rng=random.Random(1)))


def state(tape: Tape) -> Any:
    return tape.session.game.state


def asked(tape: Tape) -> str:
    return tape.session.question.name if tape.session.question else ""


def offers(tape: Tape) -> list[str]:
    return [offer.id for offer in tape.session.question.offers] if tape.session.question else []


# -- a villain's turn -------------------------------------------------------------------------------------------


def ambush(**hands: list[str]) -> Tape:
    """The Ghoul stands at 3,3; Ilse is next to it, Vex and the Guardian Bram two squares away, Vex further left."""
    return dungeon(
        hero("Bram", "north", (3, 5), guard=3, hand=hands.get("Bram", [])),
        hero("Ilse", "east", (4, 4), hand=hands.get("Ilse", ["Sidestep", "Brace"])),
        hero("Vex", "south", (5, 3), hand=hands.get("Vex", ["Second Look"])),
        villain("Ghoul", (3, 3), "Lunge", "Lunge"),
        track="Ghoul Vex Bram Ilse",
    )


def test_a_villains_turn_with_the_instants_of_three_heroes() -> None:
    """Every question, offer and line in order; the numbers of the redirection are those of OD-EX-D34."""
    tape = ambush()
    tape.answer("Lunge").take("Sidestep by Ilse", "east").answer("6,5", seat="east").go_on("south")
    tape.answer("4,4").take("guard by Bram", "north").take("Brace by Ilse", "east")
    tape.dice("hit", "blank", "blank").go_on("south")
    assert tape.lines == [
        "- turn of Ghoul",
        "? attack card [group]: 2 Lunge",
        "> Lunge",
        "- Ghoul draws Lunge",
        "? start of turn | Sidestep by Ilse (east), Brace by Ilse (east)",
        "> take Sidestep by Ilse",
        "- Ilse plays Sidestep",
        "? Ilse moves [east]: 3,2, 4,2, 5,2, 2,3, 4,3, 6,3, 2,4, 3,4, 4,4, 5,4, 6,4, 2,5, 4,5, 5,5, 6,5, "
        "3,6, 4,6, 5,6, 6,6",
        "> east: 6,5",
        "- Ilse moves to 6,5",
        "? start of turn | Brace by Ilse (east)",
        "> south: go on",
        "- the favourite target of Ghoul is Vex",
        "? Ghoul moves [group]: 4,2, 4,3, 4,4",
        "> 4,4",
        "- Ghoul moves to 4,4",
        "? before roll | Brace by Ilse (east), guard by Bram (north)",
        "> take guard by Bram",
        "- Bram becomes the target instead of Vex",
        "? before roll | Brace by Ilse (east)",
        "> take Brace by Ilse",
        "- Ilse plays Brace",
        "- one more defence die this turn",
        "? defence [north]: 3 green",
        "> hit blank blank",
        "? after roll | Second Look by Vex (south)",
        "> south: go on",
        "- Bram takes 3 DMG: HP 17",
        "- Brace wears off",
        "- turn of Ghoul is over",
        "- turn of Vex",
        "? Vex's action [south]: attack, walk, end",
    ]
    bram = state(tape).heroes["Bram"]
    assert (bram.hp, bram.guard) == (17, 1), "OD-CLASS-14, -15: 3 tokens, one to redirect, 6 - 1 - 2 = 3, one spent"
    (number,) = next(note for note in tape.session.log if "takes 3 DMG" in note.text).numbers
    assert number.words() == "DMG 3 = +6 Lunge (OD-VATT-05), -1 Hits (OD-DEF-02), -2 Guard tokens (OD-CLASS-14)"


def test_without_the_sidestep_the_ghoul_attacks_ilse() -> None:
    """The favourite target is looked up after the Start of turn window, not before it (OD-FAV-01)."""
    tape = ambush().answer("Lunge").go_on()
    assert "the favourite target of Ghoul is Ilse" in tape.log
    assert asked(tape) == "before roll", "OD-VMOVE-02: it already can attack and does not move"


def test_an_after_roll_instant_turns_the_defence_into_a_perfect_one() -> None:
    """OD-DEF-03, -08: two Hits, no damage, and no Guard token is spent."""
    tape = ambush().answer("Lunge").take("Sidestep by Ilse").answer("6,5").go_on().answer("4,4")
    tape.take("guard by Bram").go_on().dice("hit", "blank").take("Second Look by Vex")
    assert tape.log[-5:] == [
        "Vex plays Second Look",
        "one more Hit: 2",
        "Bram evades with 2 Hits",
        "turn of Ghoul is over",
        "turn of Vex",
    ]
    assert (state(tape).heroes["Bram"].hp, state(tape).heroes["Bram"].guard) == (20, 2)


ALL_CARDS = ["Sidestep", "Brace", "Second Look", "Mend"]


def test_each_printed_window_is_offered_in_its_moments_and_in_no_other() -> None:
    """OD-INSTANT-04, -05, -06, -08: Start of turn, Before Roll, After Roll, and the unrestricted one always."""
    tape = ambush(Bram=[], Ilse=ALL_CARDS, Vex=[]).answer("Lunge")
    seen = {}
    while not asked(tape).endswith("action"):
        if isinstance(tape.session.question, Window):
            seen[asked(tape)] = [offer.removesuffix(" by Ilse") for offer in offers(tape) if "Ilse" in offer]
            tape.go_on()
        else:
            tape.dice("blank", "blank")
    assert seen == {
        "start of turn": ["Sidestep", "Brace", "Mend"],
        "before roll": ["Brace", "Mend"],
        "after roll": ["Second Look", "Mend"],
        "after the attack": ["Mend"],
        "end of turn": ["Mend"],
    }


def test_the_card_lies_open_before_start_of_turn_instants_are_used() -> None:
    """OD-INSTANT-17."""
    tape = ambush().answer("Lunge")
    assert (asked(tape), tape.log[-1]) == ("start of turn", "Ghoul draws Lunge")


def test_instants_cost_action_points_and_their_own_turn_offers_none() -> None:
    """OD-INSTANT-01, -02, -16: any number while there are points; never in one's own turn; never by the lost."""
    tape = ambush(Ilse=["Brace", "Brace"], Vex=[])
    state(tape).heroes["Ilse"].ap = 2
    tape.answer("Lunge").take("Brace by Ilse").take("Brace by Ilse")
    assert tape.lines[-1] == "? defence [east]: 4 green", "no card, no point, no offer: no window is asked"
    assert state(tape).heroes["Ilse"].ap == 0
    own = dungeon(hero("Ilse", "east", (4, 4), hand=ALL_CARDS), villain("Ghoul", (7, 7)), track="Ilse Ghoul")
    assert own.lines == ["- turn of Ilse", "? Ilse's action [east]: Mend, walk, end"]


def test_an_instants_effect_ends_with_the_turn() -> None:
    """OD-INSTANT-09: the second Lunge meets two green dice again."""
    tape = dungeon(
        hero("Ilse", "east", (4, 4)),
        hero("Vex", "south", (7, 7), hand=["Brace"]),
        villain("Ghoul", (3, 3)),
        villain("Wight", (5, 5)),
        track="Ghoul Wight Ilse Vex",
    )
    tape.answer("Lunge").take("Brace by Vex")
    assert tape.lines[-1] == "? defence [east]: 3 green"
    tape.dice("blank", "blank", "blank").answer("Lunge")
    assert tape.lines[-1] == "? defence [east]: 2 green"


# -- passing ahead, holding -------------------------------------------------------------------------------------


def test_a_seat_that_passes_ahead_is_asked_again_only_after_the_turn() -> None:
    """Vex lets Ghoul's turn go by: no window is asked for its card alone, and the next turn asks again."""
    tape = dungeon(
        hero("Ilse", "east", (4, 4)),
        hero("Vex", "south", (7, 7), hand=["Mend", "Second Look"]),
        villain("Ghoul", (3, 3)),
        villain("Wight", (5, 5)),
        track="Ghoul Wight Ilse Vex",
    )
    tape.answer("Lunge")
    assert asked(tape) == "start of turn"
    tape.session.pass_ahead("south", "turn")
    assert asked(tape) == "defence", "start of turn and before roll went by without a question"
    tape.dice("blank", "blank")
    assert asked(tape) == "attack card"
    tape.answer("Lunge")
    assert (asked(tape), offers(tape)) == ("start of turn", ["Mend by Vex"])


def test_a_seat_that_holds_keeps_the_window_open_against_a_quick_hand() -> None:
    tape = ambush().answer("Lunge")
    tape.session.hold("east")
    with pytest.raises(Refused, match="east asked the table to wait"):
        tape.go_on("north")
    tape.take("Sidestep by Ilse", "east").answer("6,5").go_on("east")
    assert "the favourite target of Ghoul is Vex" in tape.log


# -- favourite target -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "card", "heroes", "track", "target"),
    [
        ("OD-FAV-01", "Grasp", {"A": (1, 3), "B": (2, 7), "C": (2, 5)}, "A B C", "B"),
        ("OD-FAV-02", "Hex", {"A": (2, 1), "B": (2, 4), "C": (3, 9)}, "A B C", "B"),
        ("OD-FAV-03", "Grasp", {"A": (4, 5), "B": (2, 5)}, "A B", "B"),
        ("OD-FAV-04", "Grasp", {"A": (2, 5), "B": (2, 5)}, "B A", "B"),
        ("OD-FAV-08", "Grasp", {"A": (7, 9), "B": (2, 0)}, "A B", "B"),
        ("OD-FAV-09", "Grasp", {"A": (7, 9), "B": (6, 5), "C": (4, 0)}, "A B C", "C"),
    ],
)
def test_favourite_target(
    rule: str, card: str, heroes: dict[str, tuple[int, int]], track: str, target: str
) -> None:
    """Heroes at (distance, Corruption) from a villain in the corner."""
    figures = [
        hero(id, id, (far, row), corruption=corrupt) for row, (id, (far, corrupt)) in enumerate(heroes.items())
    ]
    tape = dungeon(*figures, villain("V", (0, 0), card), track=f"V {track}").answer(card)
    assert f"the favourite target of V is {target}" in tape.log, rule


def test_who_can_be_attacked_by_nobody_is_left_alone() -> None:
    """OD-VMOVE-07, in so far as no attack is made."""
    tape = dungeon(hero("A", "north", (7, 7)), villain("V", (0, 0), "Hex"), track="V A").answer("Hex")
    assert tape.log == ["turn of V", "V draws Hex", "V can attack nobody", "turn of V is over", "turn of A"]


def test_the_ranking_is_looked_up_anew_from_positions_and_tracks() -> None:
    tape = ambush().answer("Lunge")
    game = tape.session.game
    assert isinstance(game, Odalin)
    assert ranking(game, "Ghoul") == ["Ilse", "Vex", "Bram"]
    tape.take("Sidestep by Ilse").answer("6,5")
    assert ranking(game, "Ghoul") == ["Vex", "Bram", "Ilse"]


# -- Guard ------------------------------------------------------------------------------------------------------


def test_a_guardian_out_of_range_of_the_blow_is_not_offered_it() -> None:
    """OD-CLASS-15: measured from the square where the villain attacks."""
    tape = ambush().answer("Lunge").take("Sidestep by Ilse").answer("6,5").go_on().answer("4,2")
    assert (asked(tape), offers(tape)) == ("before roll", ["Brace by Ilse"])


def test_a_guardian_that_is_the_target_needs_no_redirection() -> None:
    tape = dungeon(hero("Bram", "north", (3, 4), guard=1), villain("Ghoul", (3, 3)), track="Ghoul Bram").answer("Lunge")
    assert asked(tape) == "defence"


def test_guard_is_spent_only_when_something_was_left_to_protect_from() -> None:
    """OD-CLASS-17: 1 DMG and 1 Hit leave nothing; OD-VATT-03: the effect comes all the same."""
    tape = dungeon(hero("Bram", "north", (3, 4), guard=1), villain("Imp", (3, 3), "Hex"), track="Imp Bram")
    tape.answer("Hex").dice("hit", "blank")
    assert state(tape).heroes["Bram"].guard == 1
    assert tape.log[2:5] == [
        "the favourite target of Imp is Bram",
        "Bram takes 0 DMG: HP 20",
        "Bram gains 1 Corruption: 1",
    ]


# -- losing control ---------------------------------------------------------------------------------------------


def on_the_brink(**more: Any) -> Tape:
    """OD-EX-D18: Corruption 10, two Taints, two Action Points; a Chaos 1 villain with 3 HP beside it."""
    return dungeon(
        hero("A", "north", (3, 3), **{"corruption": 10, "tainted": 2, "ap": 2, **more}),
        hero("B", "east", (0, 7)),
        villain("V1", (4, 3), hp=3, chaos=1),
        villain("V2", (7, 7), "Hex"),
        track="A V1 B V2",
    )


def test_the_third_taint_in_an_own_attack_waits_until_the_attack_is_finished() -> None:
    """OD-EX-D18: OD-CONTROL-11, -13, -01..03, OD-CORR-06; every question and line in order."""
    tape = on_the_brink().answer("attack").dice("hit", "hit", "hit", "corruption").answer("3,3").answer("end")
    assert tape.lines == [
        "- turn of A",
        "? A's action [north]: attack, walk, end",
        "> attack",
        "? attack roll [north]: 4 attack die",
        "> hit hit hit corruption",
        "- A gains 1 Corruption: above 10, so 0 and a Taint",
        "- A has 3 Taint",
        "- A hits V1 with 3 Hits",
        "- V1 takes 4 DMG: HP 0",
        "- V1 is defeated, Power Track 2",
        "? Demon Lord's square [group]: 2,2, 3,2, 2,3, 3,3",
        "> 3,3",
        "- A loses control",
        "- blast of V1",
        "- turn of A is over",
        "- turn of B",
        "? B's action [east]: walk, end",
        "> end",
        "- turn of B is over",
        "- turn of V2",
        "? attack card [group]: 1 Hex",
    ]
    lost = state(tape).heroes["A"]
    assert (lost.state, lost.at, lost.corruption, lost.tainted, lost.ap) == ("lost", None, 0, 3, 1)
    assert state(tape).track == ["A", "B", "V2", "Demon Lord of A"]
    assert state(tape).villains["Demon Lord of A"].deck.size == 6
    tape.answer("Hex")
    assert "turn of Demon Lord of A" in tape.log, "OD-CONTROL-14: at the end of this round"


def test_while_the_attack_goes_on_the_hero_is_still_on_the_board() -> None:
    """OD-CONTROL-11 with an After Roll window between: pending, not done."""
    tape = on_the_brink()
    state(tape).heroes["B"].hand = ["Second Look"]
    tape.answer("attack").dice("hit", "hit", "hit", "corruption")
    assert (asked(tape), state(tape).heroes["A"].state) == ("after roll", "in play")


def test_a_miss_loses_control_as_well() -> None:
    """OD-CORR-06: Corruption is received even if the attack misses; V1 still stands when control is lost."""
    tape = on_the_brink().answer("attack").dice("hit", "blank", "blank", "corruption").answer("2,2")
    assert tape.log[3:7] == ["A misses V1 with 1 Hits", "A loses control", "turn of A is over", "turn of V1"]


def test_what_an_own_attack_triggered_runs_before_control_is_lost() -> None:
    """OD-TRIG-01 with OD-CONTROL-11: the Censer answers the Soul on the dice, then the Demon Lord comes."""
    tape = on_the_brink(items=["Censer"], hp=5).answer("attack").dice("hit", "hit", "soul", "corruption").answer("2,2")
    assert tape.log[1:9] == [
        "A gains 1 Soul: 1",
        "A gains 1 Corruption: above 10, so 0 and a Taint",
        "A has 3 Taint",
        "A hits V1 with 2 Hits",
        "V1 takes 4 DMG: HP 0",
        "V1 is defeated, Power Track 2",
        "Censer of A is triggered",
        "A heals A by 1: HP 6/20",
    ]
    assert tape.log[9] == "A loses control"


def test_in_a_villains_turn_control_is_lost_at_once() -> None:
    """OD-CONTROL-11 is for own attacks only: Grasp, 2 Corruption on 9, and the Ghoul goes on."""
    tape = dungeon(
        hero("A", "north", (3, 3), corruption=9, tainted=2),
        hero("B", "east", (0, 7), hand=["Mend"], hp=3),
        villain("Ghoul", (3, 2), "Grasp"),
        track="Ghoul A B",
    )
    tape.answer("Grasp").go_on().go_on().dice("hit", "blank").go_on().answer("3,3")
    assert tape.log[2:] == [
        "the favourite target of Ghoul is A",
        "A takes 1 DMG: HP 19",
        "A gains 2 Corruption: above 10, so 0 and a Taint",
        "A has 3 Taint",
        "A loses control",
    ]
    assert asked(tape) == "after the attack", "the villain's turn is not the hero's to end"


def test_a_defeat_is_the_third_taint_too() -> None:
    """OD-VATT-07, OD-TAINT-08: 5 DMG on HP 3; two Taints before, so no token is left but a Demon Lord."""
    fragile = {"hp": 3, "corruption": 4, "green": 0}
    tape = dungeon(hero("A", "north", (3, 3), tainted=2, **fragile), villain("Ghoul", (3, 2)), track="Ghoul A")
    tape.answer("Lunge").answer("3,3")
    assert state(tape).heroes["A"].state == "lost"
    tape = dungeon(hero("A", "north", (3, 3), tainted=1, **fragile), villain("Ghoul", (3, 2)), track="Ghoul A")
    tape.answer("Lunge")
    assert (state(tape).heroes["A"].state, state(tape).heroes["A"].tainted) == ("defeated", 2)


def test_a_blast_at_the_end_of_its_own_turn_may_be_the_third_taint() -> None:
    """The turn is over already; control is lost, and the end of the turn goes on."""
    tape = on_the_brink().answer("attack").dice("hit", "hit", "hit", "blank").answer("end").answer("3,3")
    assert tape.log[4:] == [
        "blast of V1",
        "A gains 1 Corruption: above 10, so 0 and a Taint",
        "A has 3 Taint",
        "A loses control",
        "turn of A is over",
        "turn of B",
    ]


# -- triggers ---------------------------------------------------------------------------------------------------


def healer(*items: str, **more: Any) -> Tape:
    """Bram heals Vex, who has 5 of 5 HP (OD-EX-B21)."""
    return dungeon(
        hero("Bram", "north", (0, 0), hp=10, hand=["Mend", "Mend"], items=list(items), **more),
        hero("Vex", "south", (1, 0), hp=5, max_hp=5),
        villain("Ghoul", (7, 7), "Hex"),
        track="Bram Vex Ghoul",
    )


def test_a_triggered_item_starts_when_the_card_is_finished_and_the_card_is_not_revisited() -> None:
    """OD-EX-B21: OD-TRIG-01, -02, -06. Inside the card, the ally would have 6 HP and Bram his 2."""
    tape = healer("Chalice").answer("Mend")
    assert tape.log[1:] == [
        "Bram plays Mend",
        "Bram heals Vex by 3: HP 5/5",
        "Chalice of Bram is triggered",
        "Bram heals Vex by 5: HP 6/6",
    ]
    assert state(tape).heroes["Bram"].hp == 10, "the self-heal is not given, neither then nor afterwards"
    tape.answer("Mend")
    assert "Bram heals Bram by 2: HP 12/20" in tape.log, "the next card finds 6 HP"


def test_an_item_does_not_trigger_itself() -> None:
    """OD-GLOSS-20: the Chalice's own HEAL is a heal of an ally."""
    assert healer("Chalice").answer("Mend").log.count("Chalice of Bram is triggered") == 1


def test_two_items_triggered_by_one_heal_come_in_the_players_order() -> None:
    """OD-TRIG-03."""
    for order, first, second in ((["0", "1"], "Chalice", "Choir Bell"), (["1", "0"], "Choir Bell", "Chalice")):
        tape = healer("Chalice", "Choir Bell").answer("Mend")
        assert isinstance(tape.session.question, Order)
        assert tape.lines[-1] == "? order [group]: Chalice, Choir Bell"
        assert tape.session.question.rules == ("OD-TRIG-03", "OD-BLAST-07")
        tape.answer(order)
        triggered = [line for line in tape.log if "triggered" in line]
        assert triggered[:2] == [f"{first} of Bram is triggered", f"{second} of Bram is triggered"]


def test_what_a_trigger_triggers_is_queued_behind_what_waits() -> None:
    """OD-TRIG-05: Bell before Chalice; the Bell's Soul wakes the Censer, which comes after the Chalice."""
    tape = healer("Chalice", "Choir Bell", "Censer").answer("Mend").answer(["1", "0"])
    assert [line.split(" of ")[0] for line in tape.log if "triggered" in line] == [
        "Choir Bell",
        "Chalice",
        "Censer",
        "Choir Bell",  # the Chalice's HEAL is another heal, which the Bell may answer
        "Censer",
    ]


def test_triggers_of_an_instant_run_before_the_turn_goes_on() -> None:
    """The Instant is its own cause: its item does not wait for the end of the villain's attack."""
    tape = dungeon(
        hero("Bram", "north", (0, 0), hand=["Mend"], items=["Chalice"]),
        hero("Vex", "south", (3, 4), hp=9, max_hp=9, hand=["Brace"]),
        villain("Ghoul", (3, 3)),
        track="Ghoul Bram Vex",
    )
    tape.answer("Lunge").go_on()
    assert asked(tape) == "before roll"
    tape.take("Mend by Bram")
    assert tape.log[-3:] == [
        "Bram heals Bram by 2: HP 20/20",
        "Chalice of Bram is triggered",
        "Bram heals Vex by 5: HP 10/10",
    ]
    assert (asked(tape), offers(tape)) == ("before roll", ["Brace by Vex"]), "and the window is asked anew"


# -- blasts -----------------------------------------------------------------------------------------------------


def killer(at: tuple[int, int] = (2, 3), **more: Any) -> Tape:
    """A beside a villain at 3,3 with 3 HP; B at 4,4, C far away (OD-EX-B16, B17)."""
    return dungeon(
        hero("A", "north", at, hand=["Spark"]),
        hero("B", "east", (4, 4), corruption=more.pop("corruption", 0)),
        hero("C", "south", (6, 3)),
        villain("V", (3, 3), hp=3, **more),
        villain("W", (5, 5), "Hex", hp=3, chaos=1),
        track="A B C V W",
    )


@pytest.mark.parametrize(("kind", "word"), [("order", "Soul"), ("chaos", "Corruption")])
def test_a_blast_reaches_every_hero_in_1_at_the_end_of_the_turn(kind: str, word: str) -> None:
    """OD-BLAST-01, -02, -04: Order 2 or Chaos 2; A and B, not C; and not before the turn ends."""
    tape = killer(**{kind: 2}).answer("attack").dice("hit", "hit", "blank", "blank")
    assert not [line for line in tape.log if "blast" in line]
    tape.answer("end")
    assert tape.log[-5:] == [
        "blast of V",
        f"A gains 2 {word}: 2",
        f"B gains 2 {word}: 2",
        "turn of A is over",
        "turn of B",
    ]


def test_positions_are_taken_at_the_end_of_the_turn() -> None:
    """OD-BLAST-03: A kills a Chaos 1 villain, then walks to distance 2; only B is affected (OD-BLAST-04)."""
    tape = killer(chaos=1).answer("attack").dice("hit", "hit", "blank", "blank").answer("walk", "1,3", "end")
    assert tape.log[-4:] == ["blast of V", "B gains 1 Corruption: 1", "turn of A is over", "turn of B"]


def test_several_blasts_come_in_the_players_order_each_by_itself() -> None:
    """OD-BLAST-07: Corruption 9 and two Chaos 1 blasts: 10 after the first, then 0 and 1 Taint."""
    tape = killer(at=(4, 3), chaos=1, corruption=9).answer("attack").dice("hit", "hit", "blank", "blank")
    tape.answer("Spark", "end")
    assert tape.lines[-1] == "? order [group]: blast of V, blast of W"
    tape.answer(["1", "0"])
    assert [line for line in tape.log if "blast" in line or line.startswith("B ")] == [
        "blast of W",
        "B gains 1 Corruption: 10",
        "blast of V",
        "B gains 1 Corruption: above 10, so 0 and a Taint",
        "B has 1 Taint",
    ]


def test_a_villain_killed_in_its_own_turn_blasts_at_the_end_of_that_turn_and_does_not_attack() -> None:
    """OD-BLAST-10, OD-VMOVE-15: the Spark is an interrupt, and the end of the turn goes out of it into the turn."""
    tape = dungeon(
        hero("A", "north", (3, 4)),
        hero("B", "east", (3, 0), hand=["Spark"]),
        villain("V", (3, 3), hp=3, order=1),
        track="V A B",
    )
    tape.answer("Lunge").go_on().take("Spark by B")
    assert tape.log[2:] == [
        "the favourite target of V is A",
        "B plays Spark",
        "V takes 3 DMG: HP 0",
        "V is defeated, Power Track 1",
        "blast of V",
        "A gains 1 Soul: 1",
        "turn of V is over",
        "turn of A",
    ]


def test_a_villain_killed_at_the_very_end_of_its_turn_still_blasts_then() -> None:
    """The clean-up of a turn that is over is not cut short by its owner's defeat."""
    tape = dungeon(
        hero("A", "north", (3, 4)),
        hero("B", "east", (3, 0), hand=["Spark"]),
        villain("V", (3, 3), hp=3, order=1),
        track="V A B",
    )
    tape.answer("Lunge").go_on().go_on().dice("blank", "blank").go_on().go_on()
    assert asked(tape) == "end of turn"
    tape.take("Spark by B")
    assert tape.log[-4:] == ["blast of V", "A gains 1 Soul: 1", "turn of V is over", "turn of A"]


def test_the_blast_is_a_due_of_the_state() -> None:
    """It waits in the saved state with its scope, owner and rule, and a reload still has it."""
    tape = killer(chaos=1).answer("attack").dice("hit", "hit", "blank", "blank")
    (waiting,) = state(tape).ledger.dues
    assert (waiting.scope, waiting.owner, waiting.label, waiting.rules) == (
        "turn",
        "A",
        "blast of V",
        ("OD-BLAST-03",),
    )


# -- the table around it ----------------------------------------------------------------------------------------


def test_at_every_question_of_a_turn_a_reload_stands_where_the_table_stood() -> None:
    tape = ambush()
    inputs = [
        lambda: tape.answer("Lunge"),
        lambda: tape.take("Sidestep by Ilse"),
        lambda: tape.answer("6,5"),
        lambda: tape.go_on(),
        lambda: tape.answer("4,4"),
        lambda: tape.take("guard by Bram"),
        lambda: tape.take("Brace by Ilse"),
        lambda: tape.dice("hit", "blank", "blank"),
        lambda: tape.go_on(),
    ]
    for make in inputs:
        make()
        again = Session.load(Odalin, copied(tape.session))
        assert again.question == tape.session.question
        assert again.state_hash() == tape.session.state_hash()


def test_after_an_undo_the_redirection_may_be_left_out_and_the_dice_stay() -> None:
    """The group takes back the redirection: Vex defends with another question and gets the first two kept faces."""
    tape = ambush().answer("Lunge").take("Sidestep by Ilse").answer("6,5").go_on().answer("4,4")
    tape.take("guard by Bram").go_on().dice("hit", "blank")
    tape.session.undo(3)
    tape.go_on()
    assert asked(tape) == "defence"
    assert tape.session.question is not None
    assert tape.session.roll(tape.session.question.id) == [["hit", "blank"]]
    assert UNDONE in [note.text for note in tape.session.log]


def test_a_demon_lords_square_is_a_question_with_the_squares_lit() -> None:
    tape = on_the_brink().answer("attack").dice("hit", "hit", "hit", "corruption")
    question = tape.session.question
    assert isinstance(question, Place)
    assert [option.at for option in question.options] == [(2, 2), (3, 2), (2, 3), (3, 3)]
