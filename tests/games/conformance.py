"""The suite that every game must pass: random legal players, whole games, and everything the kernel promises of them.

A game's test module holds one class:

    class TestEvershade(Conformance):
        contender = Contender(Evershade, ({"scenario": "the-ford"}, {"scenario": "the-mill"}), scopes=("round",))
        contender_path = "tests.games.evershade.test_conformance:TestEvershade"

Seeds 0 to 39 run with the tests, up to 399 with `make soak`.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest

from emberboard.engine.errors import Refused, Stale
from emberboard.engine.game import Game, Note
from emberboard.engine.journal import MemoryJournal
from emberboard.engine.journal_bytes import decode_journal, encode_journal
from emberboard.engine.players import random_input
from emberboard.engine.question import (
    Choose,
    Confirm,
    Draw,
    Json,
    Number,
    Order,
    Place,
    Question,
    Roll,
    Window,
    cell_key,
)
from emberboard.engine.question import Path as PathQuestion
from emberboard.engine.session import Session
from emberboard.store import create, open_journal

TESTED, SOAKED, STORED = 40, 400, 3
RELOAD_SECONDS = 0.5
ROOT = Path(__file__).parents[2]
_LEAKED = re.compile(r"Traceback|\bNone\b(?! of\b)|<[^<>]* object|\bobject at 0x|\b(?:Option|Offer|Struct|Who)\(")

Policy = Callable[[Session, random.Random], str]
"""Gives the session one legal input and says which."""


@dataclass(frozen=True)
class Contender:
    """A game that is put to the test.

    `setups` take turns from seed to seed, and `policies` from round to round of them; with none, all inputs are random,
    and seats pass until the end of one of `scopes`. `adjust` proposes an adjustment that the game allows now, or None.
    After `bound` inputs a game must be over.
    """

    game: type[Game[Any]]
    setups: tuple[dict[str, Json], ...]
    policies: tuple[Policy, ...] = ()
    scopes: tuple[str, ...] = ()
    adjust: Callable[[Game[Any], random.Random], dict[str, Json] | None] | None = None
    bound: int = 3000

    def open(self, seed: int, **how: Any) -> Session:
        """A new session for this seed."""
        setup = self.setups[seed % len(self.setups)]
        return Session.new(self.game, setup, rng=random.Random(f"dice {seed}"), **how)

    def step(self, session: Session, rng: random.Random, seed: int = 0) -> str:
        """One input. Fails the test when the rules broke under it."""
        if self.policies:
            said = self.policies[seed // len(self.setups) % len(self.policies)](session, rng)
        else:
            said = random_input(session, rng, scopes=self.scopes)
        assert session.trouble is None, f"{said}\n{session.trouble.report}"
        return said

    def play(self, seed: int, **how: Any) -> Iterator[Session]:
        """Play the game of this seed with an undo now and then; yields before each input, and once at the end.

        Whoever looks on may replace nothing and must leave the session where it was.
        """
        session, rng = self.open(seed, **how), random.Random(f"players {seed}")
        for _ in range(self.bound):
            yield session
            if session.question is None:
                return
            walked = len(session.journal.tree.path())
            odd = rng.random()
            if odd < 0.02 and walked:
                session.undo(rng.randint(1, min(walked, 4)))
            elif odd < 0.04 and self.adjust is not None and session.question.top:
                change = self.adjust(session.game, rng)
                if change is not None:
                    session.adjust(change)
                    assert session.trouble is None, session.trouble.report
            else:
                self.step(session, rng, seed)
        assert session.question is None, f"not over after {self.bound} inputs; asked is {session.question.prompt!r}"


def place(session: Session) -> dict[str, Json]:
    """Where a session stands: its state, its head, its question with all offers."""
    return {
        "head": session.head,
        "question": msgspec.to_builtins(session.question),
        "state": msgspec.to_builtins(session.game.state),
    }


def same(what: str, before: dict[str, Json], after: dict[str, Json]) -> None:
    """Two places are the same; what differs is named."""
    for part, value in before.items():
        assert after[part] == value, f"{what}: the {part} differs:\n{value}\n{after[part]}"


# -- illegal inputs -----------------------------------------------------------------------------------------------


def illegal_answers(question: Question) -> list[Json]:
    """Answers that are wrong by what the question says: of the wrong kind, unknown, too many, too few, out of range."""
    nowhere, junk = "no such option", [3.5, {"a": 1}]
    match question:
        case Choose() if question.single:
            return [*junk, None, nowhere, [], [question.options[0].id] * 2]
        case Choose():
            ids = [option.id for option in question.options]
            wrong: list[Json] = [*junk, [nowhere], [*ids[:1], nowhere]]
            wrong += [[]] if question.least else []
            wrong += [[ids[0], ids[0]]] if ids else []
            return wrong + ([ids[: question.most + 1]] if len(ids) > question.most else [])
        case Order():
            ids = [option.id for option in question.options]
            return [*junk, None, ids[1:], [*ids, ids[0]], [nowhere, *ids[1:]]]
        case Place():
            return [*junk, None, nowhere, [-7, -7], "-7,-7"]
        case PathQuestion():
            return _illegal_walks(question, [*junk, None, [[-7, -7]], "-7,-7", "over there"])
        case Roll():
            rows = [[wanted.legal_faces()[0]] * wanted.count for wanted in question.dice]
            surplus: list[Json] = [[[*row, row[0]] if row else [1] for row in rows], [*rows, [1]]]
            impossible: list[Json] = [[[face, *row[1:]] for row in rows] for face in (77, "no face", None)]
            return [*junk, None, rows[1:], *surplus, *impossible]
        case Draw():
            return [*junk, None, nowhere]
        case Number():
            return [*junk, None, True, str(question.low), question.low - 1, question.high + 1]
        case Confirm():
            return [*junk, None, 1, "yes"]
        case Window():
            return [*junk, None, True, "stop"]
    raise AssertionError(f"a question of kind {type(question).__name__} is not known here")


def _illegal_walks(question: PathQuestion, wrong: list[Json]) -> list[Json]:
    stops = [tuple(stop) for stop in question.stops]
    first = [tuple(cell) for cell in question.steps.get(cell_key(question.start), [])]
    wrong += [[list(cell)] for cell in first if cell not in stops][:3]
    wrong += [[]] if question.start not in stops else []
    for cell in first:
        back = [tuple(step) for step in question.steps.get(cell_key(cell), [])]
        if question.start in back:
            there_and_back = [list(cell), list(question.start)]
            wrong.append(there_and_back * (question.limit // 2 + 1))
            break
    return wrong


def refuses_what_is_illegal(session: Session) -> None:
    """Every illegal input is Refused with words for players, and changes nothing."""
    pending = session.question
    assert pending is not None
    before, operations = place(session), len(session.journal.operations())
    seat = session.waiting()[0]
    tried: list[tuple[str, Callable[[], None]]] = [
        (f"the answer {value!r}", lambda value=value: session.answer(pending.id, value, seat=seat))  # type: ignore[misc]
        for value in illegal_answers(pending)
    ]
    tried += [
        ("an offer that is not there", lambda: session.take(pending.id, "no such offer")),
        ("a pass of nobody", lambda: session.pass_ahead("nobody", "round")),
        ("a hold of nobody", lambda: session.hold("nobody")),
        ("the answer of nobody", lambda: session.answer(pending.id, None, seat="nobody")),
        ("an adjustment that is none", lambda: session.adjust({"no such thing": 1})),
    ]
    for what, act in tried:
        with pytest.raises(Refused) as caught:
            act()
            pytest.fail(f"{what} was accepted at {pending.prompt!r}")
        # A refusal repeats the input, and None is among those tried here.
        for_players([str(caught.value).replace("None", "")])
    with pytest.raises(Stale):
        session.answer(f"{pending.id}x", None)
    same("after refused inputs", before, place(session))
    assert len(session.journal.operations()) == operations, "a refused input went into the journal"


# -- what is shown --------------------------------------------------------------------------------------------------


def shown_texts(session: Session) -> Iterator[str]:
    """Every text that players could read now: the question, its offers, the news, figures, tokens, row."""
    pending = session.question
    if pending is not None:
        yield from (pending.prompt, pending.note)
        for option in getattr(pending, "options", ()):
            yield from (option.label, option.note)
        for offer in pending.offers:
            yield from (offer.label, offer.note)
        if isinstance(pending, PathQuestion):
            yield from pending.refusals.values()
    for note in session.news():
        yield from words_of(note)
    scene = session.game.scene(pending)
    for figure in scene.figures:
        yield from (figure.name, figure.status)
    yield from (token.name for token in scene.tokens)
    for entry in scene.row:
        yield from (entry.name, entry.note)


def words_of(note: Note) -> Iterator[str]:
    """A log line with its details and its numbers in words."""
    yield note.text
    yield from note.detail
    yield from (number.words() for number in note.numbers)


def for_players(texts: Iterable[str]) -> None:
    """Every text is words for players: no traceback, None or object of the program shows in it."""
    leaked = [text for text in texts if _LEAKED.search(text)]
    assert not leaked, f"shown to players: {leaked}"


def can_be_shown(session: Session) -> None:
    """Scene and summary are plain data at this question, every option's space lies in the scene, no text leaks."""
    scene = session.game.scene(session.question)
    msgspec.json.encode(scene)
    msgspec.json.encode(session.game.summary())
    for option in getattr(session.question, "options", ()):
        if option.at is not None:
            assert 0 <= option.at[0] < scene.width and 0 <= option.at[1] < scene.height, f"{option} is off the table"
    for_players(shown_texts(session))
    if session.question is not None:
        assert session.question.prompt.strip(), "a question without words"
        assert session.waiting(), f"{session.question.prompt!r} waits for nobody"


# -- identities -------------------------------------------------------------------------------------------------------


def undo_and_redo_is_the_identity(session: Session, depth: int) -> None:
    """`depth` entries back and forth again: the same state, question and offers."""
    before = place(session)
    session.undo(depth)
    for _ in range(depth):
        session.redo()
    same(f"after {depth} undone and redone", before, place(session))


def save_and_load_is_the_identity(session: Session, *, derived: bool) -> Session:
    """The journal through bytes into another session; without `derived` everything is played again from the start."""
    journal = decode_journal(encode_journal(session.journal), derived=derived)
    loaded = Session.load(type(session.game), journal, rng=random.Random(0))
    same("after a reload", place(session), place(loaded))
    assert loaded.chance.kept == session.chance.kept, "kept chance differs after a reload"
    return loaded


def reload_seconds(session: Session) -> float:
    """How long a reload takes here, in seconds: the better of two, as the machine may be busy with others."""
    taken = []
    for _ in range(2):
        journal = decode_journal(encode_journal(session.journal))
        begin = time.perf_counter()
        Session.load(type(session.game), journal)
        taken.append(time.perf_counter() - begin)
    return min(taken)


# -- the suite ------------------------------------------------------------------------------------------------------


def _seeds(tested: int, soaked: int) -> list[Any]:
    return [pytest.param(seed, marks=[] if seed < tested else pytest.mark.soak) for seed in range(soaked)]


class Conformance:
    """What every game must pass. A subclass named Test... sets `contender`, and its own path for other processes."""

    contender: ClassVar[Contender]
    contender_path: ClassVar[str]

    @pytest.mark.parametrize("seed", _seeds(TESTED, SOAKED))
    def test_a_whole_game(self, seed: int) -> None:
        """It ends; on the way everything can be shown, nothing illegal is accepted, and back and forth is the same."""
        spectator = random.Random(f"spectator {seed}")
        for session in self.contender.play(seed):
            can_be_shown(session)
            chosen = spectator.random()
            walked = len(session.journal.tree.path())
            if session.question is not None and chosen < 0.15:
                refuses_what_is_illegal(session)
            elif chosen < 0.2 and walked:
                undo_and_redo_is_the_identity(session, spectator.randint(1, min(walked, 12)))
            elif chosen < 0.25:
                save_and_load_is_the_identity(session, derived=True)
        assert session.game.over()
        save_and_load_is_the_identity(session, derived=False)
        for_players(word for note in session.log for word in words_of(note))

    def test_undo_of_a_whole_game(self) -> None:
        """Back to the very start, across every boundary, and forth again."""
        *_, session = self.contender.play(0)
        start = self.contender.open(0)
        before, walked = place(session), len(session.journal.tree.path())
        session.undo(walked)
        same("at the start", place(start), place(session))
        for _ in range(walked):
            session.redo()
        same("at the end", before, place(session))

    @pytest.mark.parametrize("seed", range(STORED))
    def test_a_game_on_the_disk(self, seed: int, tmp_path: Path) -> None:
        """Closed and opened again now and then, it is the game that was played in memory."""
        path, rng = tmp_path / "save.ember", random.Random(f"players {seed}")
        session = self.contender.open(seed, journal=lambda meta: create(path, meta))
        for count in range(self.contender.bound):
            if session.question is None:
                break
            self.contender.step(session, rng, seed)
            if count % 40 == 7:
                copied, dice = save_and_load_is_the_identity(session, derived=True), session.rng
                session.close()
                session = Session.load(self.contender.game, open_journal(path), rng=dice)
                same("from the disk", place(copied), place(session))
                assert [note.text for note in session.log] == [note.text for note in copied.log]
        assert session.game.over()
        session.close()

    def test_reload_is_quick_at_the_longest_tail(self, show: Callable[[str], None]) -> None:
        """Where most entries have to be played again, a reload stays under half a second."""
        seeds = range(8)
        tails = {seed: max(session.longest_tail for session in self.contender.play(seed)) for seed in seeds}
        seed = max(tails, key=lambda one: tails[one])
        for session in self.contender.play(seed):
            if session.longest_tail == tails[seed]:
                break
        taken = reload_seconds(session)
        show(f"{self.contender.game.name}: longest tail {tails[seed]} entries, reloaded in {1000 * taken:.0f} ms")
        assert isinstance(session.journal, MemoryJournal)
        assert taken < RELOAD_SECONDS

    @pytest.mark.parametrize(
        "seeds",
        [
            pytest.param(f"0:{TESTED}", id="tested"),
            pytest.param(f"{TESTED}:{SOAKED}", id="soak", marks=pytest.mark.soak),
        ],
    )
    def test_hash_seeds_change_nothing(self, seeds: str) -> None:
        """Played and replayed under two PYTHONHASHSEEDs, every game is the same to the last byte."""
        first, second = (replayed(self.contender_path, seeds, hash_seed) for hash_seed in ("1", "2"))
        differing = [one.split()[0] for one, other in zip(first, second, strict=True) if one != other]
        assert not differing, f"games of these seeds depend on the hash seed: {', '.join(differing)}"
        assert len(first) == len(range(*map(int, seeds.split(":"))))


def replayed(contender_path: str, seeds: str, hash_seed: str) -> list[str]:
    """One line a game, from another process: what `tests.games.replay` prints."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.games.replay", contender_path, seeds],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
