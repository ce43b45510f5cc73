"""What people type, for every kind of question: read right, or refused in words that say what was expected."""

from __future__ import annotations

from typing import Any

import pytest

from emberboard.cli.keyboard import (
    COMMANDS,
    OFFER_LETTERS,
    Partly,
    command_of,
    expected,
    letters_of,
    read_adjustment,
    read_answer,
    speaker_of,
)
from emberboard.engine.dice import DiceWanted
from emberboard.engine.errors import Refused
from emberboard.engine.question import (
    Choose,
    Confirm,
    Draw,
    Number,
    Offer,
    Option,
    Order,
    Path,
    Place,
    Question,
    Roll,
    Who,
    Window,
    accept,
)

ASKED: dict[str, Any] = {"prompt": "?", "who": Who("group", ("Ada", "Ben"))}
ACTIONS = (Option("move", "Move up to 5"), Option("mend", "Mend"), Option("end activation", "End the Activation"))
TARGETS = (Option("goon:A", "Goon A", (3, 4)), Option("goon:B", "Goon B", (5, 4)), Option("rogue", "Rogue", (1, 1)))
ONE = Choose(**ASKED, options=ACTIONS)
AT = Choose(**ASKED, options=TARGETS)
SOME = Choose(**ASKED, options=TARGETS, least=0, most=2, many=True)
JUST_ONE = Choose(**ASKED, options=TARGETS, many=True)
ORDER = Order(**ASKED, options=TARGETS)
PLACE = Place(**ASKED, options=(Option("9,0", "9,0", (9, 0)), Option("10,1", "10,1", (10, 1))))
PATH = Path(
    **ASKED,
    figure="malah",
    start=(0, 0),
    steps={"0,0": [(1, 0)], "1,0": [(2, 0), (0, 0)]},
    stops=[(0, 0), (1, 0), (2, 0)],
    limit=2,
    suggested={"1,0": [(1, 0)], "2,0": [(1, 0), (2, 0)]},
)
DIE = Roll(**ASKED, dice=(DiceWanted("malah", "d12", 3),))
GROUPS = Roll(
    **ASKED, dice=(DiceWanted("oswin", "d12", 2), DiceWanted("oswin", "d8", 1, "div"), DiceWanted("chiri", "d12", 1))
)
SYMBOLS = Roll(**ASKED, dice=(DiceWanted("ada", "red", 2, faces=("blank", "sword", "shield")),))
NAMED = Roll(**ASKED, dice=(DiceWanted("ada", "d12", 3, symbols={"skull": 1, "luada": 12}),))
BAG = Draw(**ASKED, pile="bag", contents={"white": 2, "black": 1, "dual": 0})
NUMBER = Number(**ASKED, low=0, high=3)
SURE = Confirm(**ASKED)
OFFER = Offer("taunt malah", "Ada", "Malah: Taunt", "use_card")
WINDOW = Window(**ASKED, offers=(OFFER,))


@pytest.mark.parametrize(
    ("question", "typed", "answer"),
    [
        (ONE, "2", "mend"),
        (ONE, " 3 ", "end activation"),
        (ONE, "men", "mend"),
        (ONE, "End the", "end activation"),
        (ONE, "MOVE UP TO 5", "move"),
        (AT, "5,4", "goon:B"),
        (AT, "(5, 4)", "goon:B"),
        (AT, "goon a", "goon:A"),
        (AT, "r", "rogue"),
        (SOME, "1 3", ["goon:A", "rogue"]),
        (SOME, "3,1", ["rogue", "goon:A"]),
        (SOME, "none", []),
        (SOME, "goon b; rogue", ["goon:B", "rogue"]),
        (JUST_ONE, "2", ["goon:B"]),
        (ORDER, "3 1 2", ["rogue", "goon:A", "goon:B"]),
        (ORDER, "all", ["goon:A", "goon:B", "rogue"]),
        (PLACE, "2", "10,1"),
        (PLACE, "9,0", "9,0"),
        (PATH, "2,0", [2, 0]),
        (PATH, "2 0", [2, 0]),
        (PATH, "1,0 2,0", [[1, 0], [2, 0]]),
        (PATH, "1,0 -> 2,0", [[1, 0], [2, 0]]),
        (PATH, "stay", [0, 0]),
        (DIE, "12 9 3", [[12, 9, 3]]),
        (DIE, "12,9,3", [[12, 9, 3]]),
        (GROUPS, "12 1 8 3", [[12, 1], [8], [3]]),
        (GROUPS, "12 1 / 8 / 3", [[12, 1], [8], [3]]),
        (SYMBOLS, "sw blank", [["sword", "blank"]]),
        (NAMED, "luada 7 SK", [["luada", 7, "skull"]]),
        (BAG, "w", "white"),
        (BAG, "BLACK", "black"),
        (NUMBER, "3", 3),
        (SURE, "y", True),
        (SURE, "No", False),
        (SURE, "1", True),
        (WINDOW, "g", "go on"),
        (WINDOW, "go on", "go on"),
    ],
)
def test_answers(question: Question, typed: str, answer: object) -> None:
    read = read_answer(question, typed)
    assert read == answer
    accept(question, read)


@pytest.mark.parametrize(
    ("question", "typed", "words"),
    [
        (ONE, "4", "there is no 4 here. Expected a number from 1 to 3"),
        (ONE, "0", "Expected a number from 1 to 3"),
        (ONE, "jump", "'jump' is no answer here. Expected a number from 1 to 3"),
        (AT, "goon", "may mean Goon A or Goon B"),
        (AT, "8,8", "8,8 is not among the answers"),
        (SOME, "1 9", "there is no 9 here"),
        (SOME, "", "0 to 2 of the numbers 1 to 3"),
        (JUST_ONE, "x9", "Expected a number from 1 to 3"),
        (PLACE, "7,7", "7,7 is not among the answers. Expected a number from 1 to 2, or its space, such as 9,0"),
        (PATH, "north", "Expected the space to end on, such as 1,0"),
        (PATH, "1,0,2", "no way to go"),
        (DIE, "12 9", "1 missing: Malah rolls 3 x d12, got 2"),
        (DIE, "12 9 3 4", "1 too many (4)"),
        (DIE, "12 9 13", "a d12 of Malah cannot show '13'; it shows 1 to 12"),
        (DIE, "12 9 x", "cannot show 'x'"),
        (DIE, "0 1 2", "cannot show '0'"),
        (DIE, "", "Expected 3 x d12 of Malah, 1 to 12 each, or r"),
        (GROUPS, "12 1 9", "a d8 of Oswin cannot show '9'"),
        (GROUPS, "12 1 8 3 5", "1 too many (5)"),
        (GROUPS, "12", "1 missing: Oswin rolls 2 x d12, got 1"),
        (SYMBOLS, "s blank", "cannot show 's'"),
        (BAG, "dual", "'dual' is not in the bag. Expected white or black"),
        (BAG, "red", "Expected white or black, or r"),
        (NUMBER, "two", "'two' is no number. Expected a number from 0 to 3"),
        (SURE, "maybe", "Expected yes or no"),
        (WINDOW, "k", "Expected g to go on, or the letter of an offer"),
    ],
)
def test_refusals_say_what_was_expected(question: Question, typed: str, words: str) -> None:
    with pytest.raises(Refused) as refused:
        read_answer(question, typed, named=str.capitalize)
    assert words in str(refused.value)


def test_dice_of_several_groups_come_group_by_group() -> None:
    first = read_answer(GROUPS, "12 1")
    assert first == Partly(((12, 1),))
    second = read_answer(GROUPS, "8", first.groups)
    assert second == Partly(((12, 1), (8,)))
    assert read_answer(GROUPS, "3", second.groups) == [[12, 1], [8], [3]]
    assert read_answer(GROUPS, "8 3", first.groups) == [[12, 1], [8], [3]]
    assert "one d8 (div)" in expected(GROUPS, first.groups)
    with pytest.raises(Refused, match="a d8 of oswin cannot show '9'"):
        read_answer(GROUPS, "9", first.groups)


def test_every_command_by_each_of_its_words() -> None:
    for name, words in COMMANDS.items():
        for word in words:
            assert command_of(word, ONE) == (name, "")
    assert command_of("u 3", ONE) == ("undo", "3")
    assert command_of("? EV-COVER-01", ONE) == ("why", "EV-COVER-01")
    assert command_of("?EV-COVER-01", ONE) == ("why", "EV-COVER-01")
    assert command_of("a malah hp 5", ONE) == ("adjust", "malah hp 5")
    assert command_of("mend", ONE) is None


def test_an_answer_comes_before_a_command_of_the_same_letter() -> None:
    assert command_of("w", BAG) is None and command_of("w", ONE) == ("hold", "")
    assert command_of("y", SURE) is None and command_of("y", ONE) == ("redo", "")
    assert command_of("redo", SURE) == ("redo", "")
    assert command_of("r", BAG) == ("roll", "")
    assert command_of("u", BAG) == ("undo", "")
    assert command_of("", BAG) == ("redraw", "")


def test_no_offer_has_the_letter_of_a_command() -> None:
    words = {word for words in COMMANDS.values() for word in words}
    many = [Offer(f"offer {n}", "Ada", "", "p") for n in range(40)]
    letters = letters_of(many)
    assert len(letters) == 40 and list(letters.values()) == many
    assert not words & set(letters) and "g" not in letters and "a" not in OFFER_LETTERS
    for letter in letters:
        assert command_of(letter, WINDOW) is None


def test_who_speaks() -> None:
    seats = ("Ada", "Ben the Bold")
    assert speaker_of("ada: 2", seats) == ("Ada", "2")
    assert speaker_of("Ben the bold:g", seats) == ("Ben the Bold", "g")
    assert speaker_of("goon:A", seats) == ("", "goon:A")
    assert speaker_of("2", seats) == ("", "2")


FIGURES = [("malah", "Malah"), ("goon:A", "Goon A"), ("outlaw-leader", "Outlaw Leader")]


@pytest.mark.parametrize(
    ("typed", "change"),
    [
        ("malah hp 5", {"who": "malah", "hp": 5}),
        ("MALAH HP 5", {"who": "malah", "hp": 5}),
        ("goon:A at 3,4", {"who": "goon:A", "at": "3,4"}),
        ("goon a at 3, 4", {"who": "goon:A", "at": "3,4"}),
        ("Outlaw Leader hp 3", {"who": "outlaw-leader", "hp": 3}),
        ("malah card taunt", {"who": "malah", "card": "taunt"}),
        ("bag white 2 black 3", {"bag": {"white": 2, "black": 3, "dual": 1}}),
        ("mark H", {"mark": "H"}),
    ],
)
def test_adjustments(typed: str, change: dict[str, Any]) -> None:
    assert read_adjustment(typed, FIGURES, {"white": 1, "dual": 1}) == change


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("", "such as a malah hp 5"),
        ("zork hp 5", "nobody called 'zork' to adjust; there are malah, goon:A"),
        ("malah", "say what of malah"),
        ("malah hp", "say what of malah"),
        ("bag white", "how many of which colour"),
        ("bag white two", "how many of which colour"),
        ("mark", "name one mark"),
    ],
)
def test_adjustments_refused(typed: str, words: str) -> None:
    with pytest.raises(Refused) as refused:
        read_adjustment(typed, FIGURES, {})
    assert words in str(refused.value)
