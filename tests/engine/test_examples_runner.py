"""Worked examples: what passes, and that what fails says where, what was expected and what was found."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Any

import msgspec
import pytest

from emberboard.engine.errors import ContentError, JournalError
from emberboard.engine.example_file import load_examples
from emberboard.engine.example_run import ExampleResult, run_file
from emberboard.engine.journal_bytes import decode_journal, encode_journal
from emberboard.engine.session import Session
from tests.engine.toys.one_of_each import RULES, Toy


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Runs one example written under `id`, `game` and `title`; the result and the file's lines."""

    def runner(body: str) -> ExampleResult:
        path = tmp_path / "one.yaml"
        path.write_text("id: TO-EX-01\ngame: toy\ntitle: A toy\n" + dedent(body), encoding="utf-8")
        (result,) = run_file(path, {"toy": Toy}, {"toy": RULES})
        return result

    return runner


def failing(result: ExampleResult, line: int, step: str) -> str:
    """The words of the failure, after a check that it points at this line and step."""
    assert not result.passed
    assert result.failure is not None
    assert result.failure.place.endswith(f"one.yaml:{line}"), result.failure.words()
    assert result.failure.step.startswith(step), result.failure.words()
    return result.failure.words()


def passing(result: ExampleResult) -> None:
    assert result.passed, result.failure.words() if result.failure else ""


def test_a_roll_with_everything_about_it(run: Any) -> None:
    passing(
        run("""
            rules: [TO-ROLL-01]
            setup: {heroes: {ann: {hp: 9}, bob: {}}}
            script:
              - start: fight
                with: {hero: ann}
              - ask: {kind: roll, who: ann, offers: [Be lucky], dice: {ann: {d6: 2, fate: 1}, foe: {d6: 1}}}
              - refuse: {roll: {ann: {d6: [1], fate: 1}, foe: {d6: 5}}, because: 1 missing}
              - refuse: {roll: {ann: {d6: [1, 2, 3], fate: 1}, foe: {d6: 5}}, because: too many}
              - refuse: {roll: {ann: {d6: [1, 7], fate: 1}, foe: {d6: 5}}, because: cannot show 7}
              - take: lucky
              - ask: {kind: roll, offers: []}
              - reload: true
              - roll: {ann: {d6: [1, 2], fate: 6}, foe: {d6: [5]}}
              - why: {stat: damage, subject: ann, value: 3, contributions: [{rule: TO-ARMOR-01, delta: -2}],
                      lacks: [{rule: TO-ARMOR-02}]}
              - ask: nothing
              - reload: true
              - undo: 1
              - expect: {heroes.ann.hp: 9, rolled: []}
              - redo: 1
            expect: {heroes.ann.hp: 6, heroes.0.hp: 6, heroes.bob.hp: 5, rolled: [[1, 2], [6], [5]], lucky: true,
                     heroes.ann.wounds: absent, heroes: {count: 2, contains: ann, lacks: [zoe]}, round: {max: 0}}
        """)
    )


def test_options_by_id_label_space_and_set(run: Any) -> None:
    passing(
        run("""
            script:
              - start: eat
              - ask: {kind: choose, name: food, who: group, options: [Apple, [2, 3], c2, c], rules: [TO-ROLL-01]}
              - ask: {options: {contains: [a], lacks: [Ham], count: 4}, prompt: {contains: Eat}, most: 1}
              - refuse: {answer: Ham}
              - answer: apple
              - expect: {chosen: a}
              - start: eat
                with: {most: 2}
              - answer: [[2, 3], Apple]
              - expect: {chosen: [a, b]}
              - start: vote
              - ask: {who: [ann, bob]}
              - refuse: {answer: {ann: sideways}}
              - answer: {bob: up}
              - answer: {ann: down}
              - expect: {chosen: {ann: down, bob: up}}
              - start: pair
              - answer: [Why, Ex]
              - refuse: {answer: [5, 5]}
              - answer: [1, 2]
              - answer: 2
              - expect: {chosen: [[y, x], "1,2", 2]}
              - start: walk
                with: {hero: bob}
              - ask: {kind: path, who: bob, options: ["1,0", "2,0"], limit: 2}
              - refuse: {answer: [[2, 0]], because: step 1}
              - answer: [[1, 0], [2, 0]]
              - expect: {heroes.bob.at: [2, 0]}
              - undo: 1
              - answer: [2, 0]
            expect: {heroes.bob.at: [2, 0]}
        """)
    )


def test_draws_until_and_what_seats_say(run: Any) -> None:
    passing(
        run("""
            script:
              - start: draw_two
              - refuse: {draw: green}
              - draw: [black, white]
              - expect: {heroes.ann.tags: [black, white]}
              - start: rounds
              - pass: {seat: bob, until: fight}
              - until: {round: 1}
              - pass: {seat: bob}
              - until: {ask: {kind: window}}
              - hold: ann
              - take: {bob: Be lucky}
              - until: {round: {min: 3}}
              - note: and on to the end
              - until: {ask: {name: food}}
              - answer: Bread
            expect: {round: 4, lucky: true}
        """)
    )


def test_adjustments_and_corrections(run: Any) -> None:
    passing(
        run("""
            setup: {heroes: {ann: {}, bob: {}}}
            script:
              - start: pair
              - refuse: {adjust: {round: 3}, because: between actions}
              - answer: [x, y]
              - refuse: {adjust: {hp: 3}}
              - adjust: {round: 3}
              - answer: "1,1"
              - answer: 3
              - correct: {entry_back: 2, value: [1, 2], kept: 1, dropped: 0}
              - start: fight
                with: {hero: ann}
              - roll: {ann: {d6: [1, 2], fate: 1}, foe: {d6: 6}}
              - correct: {entry_back: 1, value: {ann: {d6: [1, 2], fate: 1}, foe: {d6: 3}}}
            expect: {chosen: [[x, y], "1,2", 3], round: 3, heroes.ann.hp: 4}
        """)
    )


def test_cases_run_on_fresh_sessions_over_a_common_setup(run: Any) -> None:
    common = """
        setup: {heroes: {ann: {hp: 9}, bob: {hp: 2}}}
        script:
          - start: fight
            with: {hero: ann}
        cases:
          - title: hit
            script: [{roll: {ann: {d6: [1, 1], fate: 1}, foe: {d6: 6}}}]
            expect: {heroes.ann.hp: 5}
          - title: lucky from the start
            flags: {lucky: true}
            setup: {heroes: {ann: {hp: 20}}}
            script: [{ask: {offers: []}}, {roll: {ann: {d6: [1, 1], fate: 1}, foe: {d6: 6}}}]
            expect: {heroes.ann.hp: HP}
        expect: {heroes.bob.hp: 2}
    """
    passing(run(common.replace("HP", "16")))
    words = failing(run(common.replace("HP", "17")), 17, "expect")
    assert "case:     lucky from the start" in words
    assert "expected: heroes.ann.hp: 17" in words
    assert "found:    heroes.ann.hp: 16" in words


def test_a_wrong_value_is_told_with_the_explained_numbers(run: Any) -> None:
    result = run("""
        script:
          - start: fight
            with: {hero: ann}
          - roll: {ann: {d6: [1, 2], fate: 1}, foe: {d6: 4}}
          - expect:
              round: 0
              heroes.ann.hp: 4
    """)
    words = failing(result, 11, "expect:")
    assert "expected: heroes.ann.hp: 4" in words
    assert "found:    heroes.ann.hp: 3" in words
    assert "damage 2 = +4 Foe (TO-ROLL-01), -2 Shield (TO-ARMOR-01)" in words


@pytest.mark.parametrize(
    ("step", "expected", "found"),
    [
        ("ask: {kind: chose}", "kind: chose", "there is no such kind; nearest: choose"),
        ("ask: {kind: roll}", "kind: roll", "kind: choose"),
        ("ask: {who: zoe}", "who: zoe", "group of ann, bob"),
        (
            "ask: {options: [Apple, Bred, c, c2]}",
            "Apple, Bred, c, c2",
            "not there: Bred; not expected: b (Bread); nearest: Bread",
        ),
        ("ask: {offers: [lucky]}", "offers: lucky", "none"),
        ("ask: {promt: x}", "promt: x", "has no such field; nearest: prompt"),
        ("ask: {most: 2}", "most: 2", "most: 1"),
        ("ask: {rules: [TO-ARMOR-01]}", "rules: TO-ARMOR-01", "rules: TO-ROLL-01"),
        ("ask: nothing", "nothing is asked", "choose 'food' for group: Eat what?"),
        ("answer: Bred", "Bred to be a legal answer", "nearest: Bread"),
        ("answer: Cake", "Cake to be a legal answer", "several are shown as 'Cake', so name one by its id: c, c2"),
        ("answer: {zoe: a}", "a seat that may answer, zoe", "known: ann, bob"),
        ("take: lucky", "the offer lucky", "it is not offered"),
        ("roll: {ann: {d6: [1]}}", "a roll", "choose 'food'"),
        ("draw: black", "a draw of black", "choose 'food'"),
        ("start: vote", "nothing unanswered before vote begins", "still asked: choose 'food'"),
        ("refuse: {answer: a}", "answer a to be refused", "accepted"),
        ("refuse: {answer: z, because: rain}", "refused because rain", "not among the legal answers"),
        ("refuse: {roll: {ann: {d6: [1]}}}", "a question that `roll` could answer", "choose 'food'"),
        ("refuse: {start: vote}", "nothing unanswered before vote begins", "still asked"),
        ("refuse: {anwser: a}", "one of answer", "nearest: answer"),
        ("until: {round: 2}", '{"round":2}', "a question without a default answer came first"),
        ("undo: 9", "undo to be legal", "at most 1 can be undone"),
        ("redo: 1", "redo to be legal", "nothing to redo"),
        ("reload: please", "`reload: true`", "please"),
        ("expect: {heros.ann.hp: 5}", "heros.ann.hp: 5", "at the top there is no 'heros'; nearest: heroes"),
        ("expect: {heroes.anne.hp: 5}", "heroes.anne.hp: 5", "in heroes there is no 'anne'; nearest: ann"),
        ("expect: {heroes.anne.hp: absent}", "heroes.anne.hp: absent", "in heroes there is no 'anne'"),
        ("expect: {heroes.ann.hp: absent}", "heroes.ann.hp: absent", "heroes.ann.hp: 5"),
        ("expect: {heroes.ann.hp: {min: 6}}", "heroes.ann.hp: at least 6", "heroes.ann.hp: 5"),
        ("expect: {heroes.ann.hp: {one_of: [1, 2]}}", "one of [1,2]", "heroes.ann.hp: 5"),
        ("expect: {heroes.ann.tags: {contains: x}}", "heroes.ann.tags: contains x", "heroes.ann.tags: []"),
        ("expect: {lucky: 0}", "lucky: 0", "lucky: false"),
        ("why: {stat: damage}", "an explained damage", "the log has none"),
        ("adjust: {round: 2}", "the adjustment to be legal", "between actions"),
        ("hold: zoe", "a hold to be legal", "there is no seat 'zoe'"),
        ("pass: {seat: zoe, until: round}", "a pass to be legal", "there is no seat 'zoe'"),
        ("pass: {seet: ann}", "one of seat, until", "nearest: seat"),
        ("correct: {entry_back: 5, value: a}", "an entry 5 back", "there are only 1"),
    ],
)
def test_each_step_fails_in_words(run: Any, step: str, expected: str, found: str) -> None:
    result = run(f"script:\n  - start: eat\n  - {step}\n  - expect: {{round: 0}}\n")
    failing(result, 6, step.split(":")[0])
    assert result.failure is not None
    assert expected in result.failure.expected
    assert found in result.failure.found


@pytest.mark.parametrize(
    ("start", "step", "expected", "found"),
    [
        ("fight", "answer: go on", "a decision", "chance is asked for: write a `roll` step"),
        ("fight", "roll: {ann: {d6: [1], fate: 1}, foe: {d6: 2}}", "the roll to be legal", "got 1: 1 missing"),
        ("fight", "roll: {ann: {d6: [1, 1, 2], fate: 1}, foe: {d6: 2}}", "the roll to be legal", "1 too many"),
        ("fight", "roll: {ann: {d6: [1, 1]}, foe: {d6: 2}}", "the roll to be legal", "ann rolls 1 x fate"),
        ("fight", "roll: {anna: {d6: [1, 1]}}", "dice of anna: d6", "nearest: ann: d6"),
        ("fight", "roll: {ann: {d8: [1, 1]}}", "dice of ann: d8", "nearest: ann: d6"),
        ("fight", "roll: [1, 2]", "dice as {owner: {kind: [faces]}}", "[1,2]"),
        ("fight", "take: {bob: lucky}", "the offer lucky", "it is not offered"),
        ("fight", "ask: {dice: {ann: {d6: 3}}}", 'dice: {"ann":{"d6":3}}', '"fate":1'),
    ],
)
def test_dice_are_scripted_to_the_last_one(run: Any, start: str, step: str, expected: str, found: str) -> None:
    result = run(f"script:\n  - start: {start}\n    with: {{hero: ann}}\n  - {step}\n  - expect: {{round: 0}}\n")
    failing(result, 7, step.split(":")[0])
    assert result.failure is not None
    assert expected in result.failure.expected
    assert found in result.failure.found


def test_procedures_and_their_arguments_are_checked(run: Any) -> None:
    words = failing(run("script: [{start: figth}]\nexpect: {round: 0}"), 4, "start: figth")
    assert "there is no 'figth'; nearest: fight" in words
    words = failing(run("script:\n  - start: fight\n    with: {heroe: ann}\nexpect: {round: 0}"), 5, "start")
    assert "the arguments of fight: hero, dice" in words
    words = failing(run("script: [{start: not_now}]\nexpect: {round: 0}"), 4, "start: not_now")
    assert "refused: not while the moon is up" in words
    passing(run("script: [{refuse: {start: not_now, because: moon}}]"))
    words = failing(run("script: [{refuse: {start: not_then}}]"), 4, "refuse")
    assert "there is no 'not_then'; nearest: not_now" in words


def test_rules_that_break_are_a_failure_with_a_report(run: Any) -> None:
    words = failing(run("script:\n  - start: broken\n  - answer: yes\nexpect: {round: 0}"), 6, "answer: yes")
    assert "Something in the rules broke" in words
    assert "KeyError: 'lost'" in words


def test_kept_chance_must_be_scripted_as_it_was(run: Any) -> None:
    script = """
        script:
          - start: fight
            with: {hero: ann}
          - roll: {ann: {d6: [1, 2], fate: 1}, foe: {d6: 4}}
          - undo: 1
          - roll: {ann: {d6: [6, 6], fate: 1}, foe: {d6: 4}}
        expect: {round: 0}
    """
    words = failing(run(script), 10, "roll")
    assert "chance is kept over an undo" in words
    passing(run(script.replace("[6, 6]", "[1, 2]")))


def test_rule_ids_are_those_of_the_catalogue(run: Any) -> None:
    words = failing(run("rules: [TO-ROLL-01, TO-ROL-01]\nscript: []\nexpect: {round: 0}"), 4, "rules: TO-ROL-01")
    assert "nearest: TO-ROLL-01" in words
    result = run("""
        script:
          - start: fight
            with: {hero: ann}
          - roll: {ann: {d6: [1, 2], fate: 1}, foe: {d6: 4}}
          - why: {stat: damage, contributions: [{rule: TO-ARMOUR-01}]}
    """)
    assert "TO-ARMOUR-01 is not in it; nearest: TO-ARMOR-0" in failing(result, 9, "why")


def test_a_setup_that_cannot_be_is_told_at_its_line(run: Any) -> None:
    result = run("setup:\n  heroes:\n    ann: {hp: 5}\n    bob:\n      mana: 3\nexpect: {round: 0}")
    words = failing(result, 8, "setup: heroes.bob.mana")
    assert "a hero has no mana" in words


def test_a_game_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "one.yaml"
    path.write_text("id: X\ngame: toi\nexpect: {round: 0}\n", encoding="utf-8")
    (result,) = run_file(path, {"toy": Toy})
    assert "nearest: toy" in failing(result, 2, "game: toi")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("id: A\ngame: toy\nscript:\n  - start: eat\n  - anwser: a\n", 5, "there is no such step; nearest: answer"),
        ("id: A\ngame: toy\nscript:\n  - start: eat\n    ask: {}\n", 4, "a step has one word, found start, ask"),
        ("id: A\ngame: toy\nscript:\n  - roll: {}\n    with: {}\n", 5, "only `start` takes `with`"),
        ("id: A\ngame: toy\ntitel: x\n", 3, "a worked example has no such key; nearest: title"),
        ("- id: A\n  game: toy\n  expect: {a: 1}\n- game: toy\n", 4, "id: expected text"),
        ("- {id: A, game: toy, expect: {a: 1}}\n- {id: A, game: toy, expect: {a: 1}}\n", 2, "already the id"),
        ("id: A\ngame: toy\nscript:\n  - start: eat\n", 3, "checks nothing"),
        ("id: A\ngame: toy\nexpect: [1]\n", 3, "expected a mapping"),
        ("id: A\ngame: toy\ncases: []\n", 3, "expected a list of cases"),
        ("id: A\ngame: [toy\n", 3, ""),
        ("id: A\nid: B\ngame: toy\n", 2, "duplicate key"),
        ("[]\n", 1, "holds no example"),
        ("hello\n", 1, "expected a worked example as a mapping"),
    ],
)
def test_files_that_cannot_be_read_name_line_and_reason(tmp_path: Path, text: str, line: int, said: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ContentError) as caught:
        load_examples(path)
    assert said in str(caught.value)
    assert caught.value.line == line
    assert caught.value.file == str(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ContentError, match="cannot be read"):
        load_examples(tmp_path / "none.yaml")


def test_a_journal_goes_through_bytes_with_its_undone_branches() -> None:
    session = Session.new(Toy, {})
    session.start("fight", {"hero": "ann"})
    assert session.question is not None
    session.answer(session.question.id, [[1, 2], [3], [4]])
    session.undo()
    back = Session.load(Toy, decode_journal(encode_journal(session.journal)))
    assert back.state_hash() == session.state_hash()
    assert msgspec.to_builtins(back.question) == msgspec.to_builtins(session.question)
    assert back.journal.tree.forward == session.journal.tree.forward
    assert [kept.value for kept in back.chance.kept] == [[[1, 2], [3], [4]]]
    with pytest.raises(JournalError, match="hold no journal"):
        decode_journal(b"{}")
