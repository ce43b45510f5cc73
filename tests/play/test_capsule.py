"""The dispute capsule: what was played passes its check, and whatever is changed in it is named with its line."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from emberboard.engine.content import line_of, read_yaml
from emberboard.engine.errors import Refused
from emberboard.engine.example_file import Sensed, load_examples
from emberboard.engine.example_run import ExampleResult, run_file
from emberboard.engine.example_write import as_yaml
from emberboard.engine.journal import MemoryJournal
from emberboard.engine.journal_bytes import decode_journal, encode_journal
from emberboard.engine.players import random_input
from emberboard.engine.question import Json
from emberboard.engine.session import Session
from emberboard.games.desk import desk_of
from emberboard.games.evershade.game import Evershade
from emberboard.play.capsule import write_capsule
from tests.engine import small_game
from tests.engine.small_game import ENDLESS, Miners, OtherMiners, opened
from tests.engine.toys.one_of_each import Toy
from tests.games.evershade_play import play_one

GAMES: dict[str, Any] = {"miners": Miners, "evershade": Evershade, "toy": Toy}
SEATS = {"Ada": ["malah"], "Ben": ["chiri"], "Cleo": ["oswin"]}


def fight(seed: int) -> Session:
    setup = desk_of("evershade").setup("outlaws-of-bear-peak", SEATS)
    return Session.new(Evershade, setup, rng=random.Random(seed))


def miners(seed: int, inputs: int) -> Session:
    session, source = opened(seed, ENDLESS), random.Random(seed)
    for _ in range(inputs):
        small_game.play_one(session, source)
    return session


class Files:
    """Capsules as files, checked by the real runner."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "capsule.yaml"

    def check(self, text: str, games: dict[str, Any] | None = None) -> ExampleResult:
        self.path.write_text(text, encoding="utf-8")
        (result,) = run_file(self.path, games or GAMES)
        return result

    def passes(self, text: str) -> None:
        result = self.check(text)
        assert result.passed, result.failure.words() if result.failure else ""

    def fails(self, text: str, games: dict[str, Any] | None = None) -> Any:
        result = self.check(text, games)
        assert result.failure is not None
        return result.failure


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


# -- there and back -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_moments_of_a_fight_that_plays_itself(seed: int, files: Files) -> None:
    session, source = fight(seed), random.Random(seed)
    moments = 0
    for _ in range(120):
        if session.question is None:
            break
        play_one(session, source)
        if source.random() < 0.06:
            files.passes(write_capsule(session, back=source.randint(1, 20)))
            moments += 1
    assert moments >= 3
    files.passes(write_capsule(session))


def test_moments_of_a_fight_of_random_players_who_pass_hold_and_take(files: Files) -> None:
    session, source = fight(5), random.Random(5)
    words = ""
    for number in range(150):
        if session.question is None:
            break
        random_input(session, source, scopes=("activation", "round"), offers=0.5)
        if number % 40 == 20 and session.question is not None:
            session.pass_ahead("Ben", "round")
            session.hold("Ada")
        if number % 25 == 24:
            text = write_capsule(session, back=24)
            files.passes(text)
            words += text
    for step in ("take", "roll", "draw", "answer", "pass", "hold"):
        assert f"- {{{step}:" in words or f"- {step}:" in words, step


@pytest.mark.parametrize("seed", range(4))
def test_moments_of_a_small_game_with_undos_adjustments_and_hidden_votes(seed: int, files: Files) -> None:
    session, source = opened(seed, ENDLESS), random.Random(seed)
    for _ in range(15):
        for _ in range(4):
            small_game.play_one(session, source)
        files.passes(write_capsule(session, back=source.randint(1, 15)))


def test_procedures_that_were_begun_by_hand_are_in_it(files: Files) -> None:
    session = Session.new(Toy, {"heroes": {"ann": {"hp": 9}, "bob": {}}})
    session.start("fight", {"hero": "ann"})
    files.passes(write_capsule(session))
    assert "- {start: fight, with: {hero: ann}}" in write_capsule(session)


def test_an_earlier_moment_and_one_of_an_abandoned_branch(files: Files) -> None:
    session = miners(3, 60)
    tree = session.journal.tree
    abandoned = [entry for entry in tree.entries if entry not in {one.id for one in tree.path()}]
    for entry in (0, 1, 7, abandoned[0], abandoned[-1], session.head):
        text = write_capsule(session, at=entry, back=5)
        files.passes(text)
        states = [step["state"] for step in read_yaml(files.path)["script"] if "state" in step]
        assert states == [session.fork(entry).state_hash()]


def test_without_stored_states_the_whole_game_is_its_tail(files: Files) -> None:
    session = miners(4, 30)
    bare = Session.load(Miners, decode_journal(encode_journal(session.journal), derived=False))
    text = write_capsule(bare, back=2)
    assert "snapshot:" not in text
    files.passes(text)
    assert text.count("{note: ") == len([one for one in session.journal.tree.path() if not one.failed])


def test_writing_changes_nothing(files: Files) -> None:
    session = miners(2, 40)
    before = (encode_journal(session.journal), msgspec.json.encode(session.question), session.state_hash())
    first, second = write_capsule(session), write_capsule(session)
    assert first == second
    assert (encode_journal(session.journal), msgspec.json.encode(session.question), session.state_hash()) == before


def test_a_tail_of_nothing_and_an_entry_that_is_not_there_are_refused() -> None:
    session = miners(1, 5)
    with pytest.raises(Refused, match="at least 1 input, not 0"):
        write_capsule(session, back=0)
    with pytest.raises(Refused, match="there is no entry 99; the journal has entries 1 to"):
        write_capsule(session, at=99)


# -- what is in it --------------------------------------------------------------------------------------------------


def test_people_read_the_last_lines_with_rules_and_numbers(files: Files) -> None:
    session, source = fight(1), random.Random(1)
    while not any(number.stat == "damage" for note in session.news() for number in note.numbers):
        play_one(session, source)
    text = write_capsule(session, sensor_trace=[Sensed(12, "tile 3,4: a magnet came"), Sensed(40, "Seat 2: Yes")])
    files.passes(text)
    document = read_yaml(files.path)
    damage = next(n for note in session.news() for n in note.numbers if n.stat == "damage")
    assert f"    {damage.words()}\n" in document["notes"]
    assert f"({', '.join(session.news()[0].rules)})" in document["notes"]
    assert session.question is not None and document["title"] == f"Disputed at: {session.question.prompt}"
    assert document["notes"].endswith(f"Asked then: {session.question.prompt}\n")
    assert document["versions"].keys() == {"rules", "content", "emberboard"}
    assert document["sensors"] == [{"at": 12, "text": "tile 3,4: a magnet came"}, {"at": 40, "text": "Seat 2: Yes"}]
    assert str(Path.home()) not in text and "site-packages" not in text


def test_what_the_sensors_said_is_not_run(files: Files) -> None:
    text = write_capsule(miners(1, 20), sensor_trace=[Sensed(1, "answer: cracked")])
    files.passes(text)
    files.passes(text.replace("answer: cracked", "undo: 9"))


@pytest.mark.parametrize(
    ("sensors", "words"),
    [("[1]", "sensors.0"), ("[{at: soon, text: x}]", "sensors.0.at"), ("what", "sensors")],
)
def test_sensors_that_are_none_are_refused_with_their_line(sensors: str, words: str, files: Files) -> None:
    text = write_capsule(miners(1, 20)).replace("sensors: []", f"sensors: {sensors}")
    files.path.write_text(text)
    with pytest.raises(Exception, match=rf"capsule\.yaml:{text.count(chr(10))}: {words}"):
        load_examples(files.path)


# -- what is changed in it --------------------------------------------------------------------------------------------


def leaves(value: Json, trail: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The trails of all leaves that hold a number."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*trail, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*trail, index))
    elif (isinstance(value, int) and not isinstance(value, bool)) or (
        isinstance(value, str) and re.search(r"\d", value)
    ):
        yield trail


def altered(document: Json, trail: tuple[str | int, ...]) -> Json:
    """The document with the number there raised by one."""
    copy = msgspec.json.decode(msgspec.json.encode(document))
    node = copy
    for step in trail[:-1]:
        node = node[step]
    value = node[trail[-1]]
    node[trail[-1]] = (
        value + 1
        if isinstance(value, int)
        else re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), value, count=1)
    )
    return copy


def test_a_changed_number_fails_the_check_at_its_line(files: Files) -> None:
    session, source = fight(1), random.Random(1)
    while not any(number.stat == "damage" for note in session.news() for number in note.numbers):
        play_one(session, source)
    files.passes(write_capsule(session))
    document = read_yaml(files.path)
    checked = [
        trail
        for trail in leaves(document["script"], ("script",))
        if trail[2] in ("log", "expect", "ask", "state") and trail[3:4] not in (("kind",), ("offers",))
    ]
    assert sum(trail[2] == "log" and "numbers" in trail for trail in checked) > 5
    for trail in random.Random(1).sample(checked, 16):
        failure = files.fails(as_yaml(altered(document, trail)))
        # A value at a path, or a field of a question, is compared as a whole.
        place = trail if trail[2] == "log" else trail[:4]
        assert failure.place == f"{files.path}:{line_of(files.path, place)}", (trail, failure.words())
        assert re.match(r"input \d+ of \d+: ", failure.under)


def test_changed_dice_and_a_changed_state_are_found_too(files: Files) -> None:
    session, source = fight(1), random.Random(1)
    while not any(entry.dice for entry in session.journal.tree.path()[-10:]):
        play_one(session, source)
    files.passes(write_capsule(session, back=20))
    document = read_yaml(files.path)
    hp = ("snapshot", "members", "malah", "hp_max")
    assert files.fails(as_yaml(altered(document, hp)))
    rolls = [trail for trail in leaves(document["script"], ("script",)) if trail[2] in ("roll", "draw")]
    assert any(trail[2] == "roll" for trail in rolls)
    for trail in rolls:
        assert files.fails(as_yaml(altered(document, trail)))


def test_a_state_that_does_not_fit_is_told_with_its_line(files: Files) -> None:
    text = write_capsule(miners(1, 30))
    failure = files.fails(text.replace("  oil: ", "  oil: much"))
    line = next(number for number, one in enumerate(text.splitlines(), 1) if one.startswith("  oil: "))
    assert failure.place.endswith(f":{line}") and failure.step == "snapshot.oil"


def test_changed_rules_are_told_with_input_difference_and_versions(files: Files) -> None:
    session = miners(6, 40)
    while session.question is None or session.question.name != "how":
        small_game.answer_at_random(session, random.Random(1))
    text = write_capsule(session, back=8)
    failure = files.fails(text, {"miners": OtherMiners})
    assert "not expected: sly" in failure.found
    words = failure.words()
    assert re.search(r"at: +input \d+ of \d+: the table, answer: ", words)
    assert re.search(r"versions: written with rules 1, emberboard [\d.]+; run by rules 2", words)


def test_a_tail_that_does_not_fit_todays_rules_says_how_far_back_it_may_go() -> None:
    session = miners(6, 40)
    journal = decode_journal(encode_journal(session.journal), derived=True)
    loaded = Session.load(OtherMiners, with_state_here(journal, session))
    with pytest.raises(Refused, match=r"A capsule cannot begin there: input \d+ of .* does not fit today's rules"):
        write_capsule(loaded, back=30)


def with_state_here(journal: MemoryJournal, session: Session) -> MemoryJournal:
    """The journal at its last stored state, from which also other rules go on."""
    path = [entry.id for entry in journal.tree.path()]
    snapshot = journal.snapshot_at([0, *path])
    assert snapshot is not None
    session.undo(len(path) - path.index(snapshot.entry) - 1)
    return decode_journal(encode_journal(session.journal))


# -- rules that break -------------------------------------------------------------------------------------------------


def broken(seed: int = 1) -> Session:
    session = miners(seed, 20)
    while session.question is None or session.question.name != "how":
        small_game.answer_at_random(session, random.Random(1))
    session.answer(session.question.id, "cracked")
    assert session.trouble is not None
    return session


def test_the_input_under_which_the_rules_broke_is_the_last_step(files: Files) -> None:
    session = broken()
    failure = files.fails(write_capsule(session))
    assert failure.step == "answer: cracked"
    assert "never drawn on the map" in failure.found and "RuntimeError" in failure.report
    assert failure.under.startswith("The next input broke the rules: the table, answer: cracked")
    # No path of a machine goes into a report: the traceback is the check's, not the capsule's.
    assert "Traceback" not in write_capsule(session) and ".py" not in write_capsule(session)


def test_also_after_a_reload_and_no_more_once_the_game_went_on(files: Files) -> None:
    session = broken()
    again = Session.load(Miners, decode_journal(encode_journal(session.journal)))
    assert files.fails(write_capsule(again)).step == "answer: cracked"
    small_game.answer_at_random(again, random.Random(2))
    files.passes(write_capsule(again))
