"""A group before the terminal, without one: what is typed changes the fight, or is told and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from emberboard.engine.errors import JournalError
from emberboard.engine.question import Draw, Roll, Window
from emberboard.engine.question import Path as Way
from emberboard.engine.session import Session
from emberboard.games.evershade import rounds
from emberboard.play.preferences import Preferences, load_preferences
from emberboard.store.sqlite_journal import open_journal
from tests.cli.sittings import Group, open_fight


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files of this test only."""
    monkeypatch.setenv("EMBERBOARD_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def group(home: Path) -> Group:
    save = home / "saves" / "fight.ember"
    return Group(open_fight(save), save)


def asked(group: Group) -> str:
    question = group.session.question
    assert question is not None
    return question.prompt


def to_a_roll(group: Group) -> None:
    """Oswin throws his lantern light at a Goon: the dice of three groups are asked for."""
    group.types("white", "oswin", "1", "3,8", "lantern", "1", "b")
    assert isinstance(group.session.question, Roll)


def test_a_turn_with_typed_dice(group: Group) -> None:
    sees = group.types("w")
    assert "Which Character acts?" in sees and "1 Malah (at 5,9)" in sees
    sees = group.types("oswin", "1")
    assert "Oswin moves up to 6 spaces." in sees and "36 spaces marked • can be reached" in sees
    sees = group.types("4,8 3,8")
    assert "Oswin moves 2 to 3,8." in sees and "On the table: move Oswin 4,9→3,8" in sees
    sees = group.types("lantern", "1", "b")
    assert "Oswin: 4 D12 <- type these first, or all in this order Oswin: one D8 (DIV) Chiri: one D12" in sees
    assert "failure: " in sees and "1 or more: " in sees
    sees = group.types("12 9 3 4")
    assert "Oswin: 4 D12: 12 9 3 4 Oswin: one D8 (DIV) <- type these first" in sees
    sees = group.types("7 11")
    assert "damage 4 = +5 Lantern Flare (EV-CARD-07), -1 armor (EV-ARMOR-01)" in sees
    assert "On the table: take away Goon A" in sees
    assert group.session.journal.tree.path()[-1].source == "physical"


def test_impossible_dice_lose_nothing(group: Group) -> None:
    to_a_roll(group)
    before = group.session.state_hash(), group.session.head
    assert "a d12 of Oswin cannot show '13'; it shows 1 to 12" in group.types("12 9 13 3 1 1")
    assert "1 missing: Oswin rolls 4 x d12, got 3" in group.types("12 9 3")
    group.types("12 9 3 4")
    assert "a d8 of Oswin cannot show '9'" in group.types("9 9")
    assert group.sitting.groups == ((12, 9, 3, 4),)
    assert "The dice typed so far are taken back." in group.types("u")
    assert group.sitting.groups == () and (group.session.state_hash(), group.session.head) == before
    assert "2 too many (5 6)" in group.types("12 9 3 4 8 1 5 6")
    assert (group.session.state_hash(), group.session.head) == before


def test_the_program_rolls_what_was_not_typed(group: Group) -> None:
    to_a_roll(group)
    group.types("12 9 3 4", "r")
    rolled = [entry for entry in group.session.journal.tree.path() if entry.dice][-1]
    assert rolled.value[0] == [12, 9, 3, 4] and len(rolled.value) == 3


def test_unknown_words_are_told_with_what_was_expected(group: Group) -> None:
    group.types("white")
    sees = group.types("xyzzy")
    assert "!! 'xyzzy' is no answer here. Expected a number from 1 to 3; h shows all keys." in sees
    assert asked(group) == "Which Character acts?"
    assert "!! this question is answered by a decision, not by dice" in group.types("r")
    assert "!! there is nothing to redo" in group.types("y")
    assert "!! u takes back the last decision, u 3 the last three inputs" in group.types("u x")


def test_undo_and_redo(group: Group) -> None:
    group.types("white", "oswin", "1", "3,8")
    there = group.session.state_hash()
    sees = group.types("u")
    assert asked(group) == "Oswin moves up to 6 spaces."
    assert "Taken back: " in sees and "On the table: move Oswin 3,8→4,9" in sees
    sees = group.types("u 2")
    assert asked(group) == "Which Character acts?" and "Taken back: Move up to 6; Oswin. y redoes it." in sees
    assert "Done again: Oswin." in group.types("y")
    group.types("y 2")
    assert group.session.state_hash() == there


def test_undo_keeps_dice_and_says_so(group: Group) -> None:
    to_a_roll(group)
    group.types("12 9 3 4 7 11")
    fallen = group.session.state_hash()
    sees = group.types("u")
    assert "Dice and tokens that were seen stay as they fell" in sees and "12 9 3 4 / 7 / 11" in sees
    sees = group.types("b")
    assert "Before the undo these dice fell, and they stay: 12 9 3 4 / 7 / 11. Enter takes them." in sees
    assert "What fell before the undo counts: 12 9 3 4 / 7 / 11" in group.types("1 1 1 1 1 1")
    assert group.session.state_hash() == fallen
    group.types("u", "b", "")
    assert group.session.state_hash() == fallen, "Enter takes the dice that fell"


def test_a_redo_goes_as_far_as_the_undo_went(group: Group) -> None:
    to_a_roll(group)
    group.types("12 9 3 4 7 11")
    fallen = group.session.state_hash()
    group.types("u")
    assert isinstance(group.session.question, Window)
    group.types("y")
    assert group.session.state_hash() == fallen


def test_a_first_draw_can_be_taken_back_by_count(home: Path) -> None:
    save = home / "saves" / "fight.ember"
    group = Group(open_fight(save), save)
    assert "there is nothing to undo" in group.types("u 1") or "no decision" in group.types("u")
    group.types("black")
    group.types("u 1")
    assert isinstance(group.session.question, Draw)


def test_correct(group: Group) -> None:
    to_a_roll(group)
    group.types("12 9 3 4 7 11", "g", "white")
    sees = group.types("x", "")
    assert "Nothing was corrected." in sees
    sees = group.types("x")
    assert "1 white Draw a token from the Initiative bag." in sees
    assert "2 go on Oswin has no Action left." in sees and "3 12 9 3 4 / 7 / 11" in sees
    sees = group.types("x", "3", "2 2 2 99", "2 2 2 2", "8 1")
    assert "Corrected. 2 later input(s) were played again." in sees
    assert any(note.text.startswith("0 Successes") for note in group.session.log)
    assert "there is no 42 to correct" in group.types("x 42")


def test_a_correction_lists_what_it_dropped(group: Group) -> None:
    group.types("white", "oswin", "end")
    sees = group.types("x", "3", "black")
    assert "No longer fitting, dropped: answer oswin; answer end activation." in sees


def test_adjust(group: Group) -> None:
    assert "a malah hp 5 HP of a Character" in group.types("a")
    sees = group.types("a malah hp 5")
    assert "By agreement: Malah has 5 HP." in sees and "5/14" in sees
    sees = group.types("a goon a at 3,5")
    assert "On the table: move Goon A 4,5→3,5" in sees
    assert "3,4 is occupied" in group.types("a goon a at 3,4")
    group.types("a bag white 2 black 1")
    assert group.session.game.scene(None).bag == {"white": 2, "black": 1, "dual": 1}
    group.types("u 3")
    assert group.session.head == 0
    group.types("white", "oswin", "1")
    assert isinstance(group.session.question, Way)
    assert "!! adjustments are made between actions" in group.types("a malah hp 5")


def test_why(group: Group) -> None:
    to_a_roll(group)
    sees = group.types("12 9 3 4 7 11", "?")
    assert "damage of goon:A is 4 +5 Lantern Flare (EV-CARD-07, base) -1 armor (EV-ARMOR-01, armor)" in sees
    assert "EV-ARMOR-01 (Armor) Every amount of damage dealt is lowered by the armor" in sees
    sees = group.types("? ev-cover-01")
    assert "EV-COVER-01" in sees and "Shown by:" in sees
    assert "!! there is no rule EV-COVER-99; nearest: EV-COVER-" in group.types("? EV-COVER-99")


def test_help_and_log(group: Group) -> None:
    sees = group.types("h")
    for key in ("u undo", "x correct", "a adjust", "p pass ahead", "w ada wait", "q leave"):
        assert key in sees
    group.types("white")
    sees = group.types("l")
    assert "The token is white. (EV-BAG-02)" in sees and "Combat starts" in sees
    assert "Combat starts" not in group.types("m", "l 1").split("Cleo> l 1")[-1].split("Enter draws")[0].split("?")[-1]


def to_a_window(group: Group) -> None:
    group.types("black")
    assert isinstance(group.session.question, Window) and group.session.question.name == "enemy_revealed"


def test_pass_ahead_and_back(group: Group) -> None:
    to_a_window(group)
    sees = group.types("p")
    assert "Not asked before the end of the activation: Ada." in sees
    assert group.session.game.state.ledger.passed == {"Ada": "activation"}
    group.types("p ben round")
    assert group.session.game.state.ledger.passed["Ben"] == "round"
    assert "Asked again from now on: Ben." in group.types("p ben off")
    assert "Ben" not in group.session.game.state.ledger.passed
    assert "!! pass until the end of what? p activation, p round, or p off" in group.types("p tomorrow")


def test_hold(group: Group) -> None:
    to_a_window(group)
    assert "!! who asks the table to wait?" not in group.types("w")
    sees = group.types("m")
    assert "Ada asked the table to wait: answer as Ada: g" in sees
    assert "!! Ada asked the table to wait" in group.types("g")
    assert asked(group).startswith("Rogue reveals")
    group.types("ada: g")
    assert not asked(group).startswith("Rogue reveals")


def test_offers_are_taken_by_their_letters(group: Group) -> None:
    to_a_window(group)
    assert "b Malah: Taunt (Ada)" in group.types("m")
    assert "Malah uses Taunt." in group.types("b")
    assert any(entry.kind == "take" and entry.seat == "Ada" for entry in group.session.journal.tree.path())


def test_how_dice_come_is_remembered(group: Group, home: Path) -> None:
    assert load_preferences(group.sitting.save) == Preferences("hand", "hand")
    assert "Enter or r: the program draws" not in group.types("m")
    sees = group.types("tokens program")
    assert "Enter or r: the program draws" in sees
    group.types("dice p")
    assert load_preferences(group.sitting.save) == Preferences("program", "program")
    group.types("")
    assert group.session.head == 1, "Enter drew a token"
    assert "!! dice hand, or dice program" in group.types("dice loaded")


def test_what_breaks_in_the_rules_is_told_with_a_report(
    group: Group, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: object) -> None:
        raise ZeroDivisionError("the rules divided by zero")

    before = group.session.state_hash()
    with monkeypatch.context() as patch:
        patch.setattr(rounds, "draw_resolved", breaks)
        sees = group.types("white")
    assert "Something in the rules broke while this was applied, so it was taken back" in sees
    assert "Traceback" not in sees and "You can go on playing." in sees
    (report,) = (home / "saves" / "reports").iterdir()
    assert "ZeroDivisionError" in report.read_text() and str(report) in sees.replace(" ", "")
    assert group.session.state_hash() == before
    group.types("white")
    assert asked(group) == "Which Character acts?"


def test_a_full_disk_is_told_and_nothing_is_lost(group: Group, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise JournalError("Writing to fight.ember failed: the disk is full. Free some space, then enter it again.")

    with monkeypatch.context() as patch:
        patch.setattr(type(group.session.journal), "append", full)
        assert "!! Writing to fight.ember failed: the disk is full. Free some space" in group.types("white")
    assert group.session.head == 0
    group.types("white")
    assert group.session.head == 1


def test_the_end_of_a_fight(group: Group, play_out: Callable[[Session], None]) -> None:
    play_out(group.session)
    sees = group.types("m")
    assert "The fight is over: " in sees
    assert "!! The fight is over: u takes back" in group.types("3")
    assert "!! the fight is over" in group.types("a malah hp 3")
    group.types("u")
    assert group.session.question is not None


@pytest.fixture
def play_out() -> Callable[[Session], None]:
    from emberboard.cli.autoplay import play_out
    from emberboard.games.desk import desk_of

    return lambda session: play_out(session, desk_of("evershade"), lambda words: None)


def test_leaving_keeps_everything(group: Group) -> None:
    to_a_roll(group)
    question = group.session.question
    assert question is not None
    group.types("12 9 3 4", "q")
    group.session.close()
    again = Session.load(type(group.session.game), open_journal(group.sitting.save))
    assert again.question is not None and again.question.prompt == question.prompt
    again.close()
