"""Runs worked examples through a game's real procedures and questions, on a fresh session each.

A result is data; a failure says which step stood where, what was expected, what was found, and which explained
numbers the log held by then.
"""

from __future__ import annotations

import inspect
import random
import traceback
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import msgspec

from emberboard.engine.errors import ContentError, EmberboardError, Refused
from emberboard.engine.example_file import Case, Example, Place, ScriptStep, load_examples, nearest
from emberboard.engine.example_log import check_log
from emberboard.engine.example_match import UnknownPath, in_words, lookup, matches
from emberboard.engine.example_open import SNAPSHOT, opened, place_of, versions_words
from emberboard.engine.example_question import (
    Mismatch,
    answer_value,
    asked_words,
    check_question,
    dice_value,
    find_named,
    nearest_named,
    options_of,
)
from emberboard.engine.game import Game
from emberboard.engine.journal import ROOT, Entry
from emberboard.engine.journal_bytes import decode_journal, encode_journal
from emberboard.engine.question import GO_ON, Draw, Json, Question, Roll, Window
from emberboard.engine.session import Session
from emberboard.engine.stats import Contribution, Explained

Games = Mapping[str, type[Game[Any]]]
RuleIds = Mapping[str, Collection[str]]
_BOUND = 2000
"""Inputs after which `until` gives up: more than the longest fight takes."""
_NUMBERS_SHOWN = 12
_STEP_SHOWN = 300


class Failure(msgspec.Struct, frozen=True):
    """Why an example failed: the step as written and where, expected and found in words, the numbers of the log.

    `under` is the last `note` before the step; `versions` with what the example was written, where that is not what
    runs it; `report` a traceback when the rules themselves raised.
    """

    place: str
    step: str
    expected: str
    found: str
    case: str = ""
    numbers: tuple[str, ...] = ()
    report: str = ""
    under: str = ""
    versions: str = ""

    def words(self) -> str:
        """The difference for a person, on several lines."""
        lines = [f"{self.place}: {self.step}"]
        if self.case:
            lines.append(f"  case:     {self.case}")
        if self.under:
            lines.append(f"  at:       {self.under}")
        lines += [f"  expected: {self.expected}", f"  found:    {self.found}"]
        if self.versions:
            lines.append(f"  versions: {self.versions}")
        if self.numbers:
            lines.append("  explained numbers so far:")
            lines += [f"    {number}" for number in self.numbers]
        if self.report:
            lines += ["  report:", *(f"    {line}" for line in self.report.rstrip().splitlines())]
        return "\n".join(lines)


class ExampleResult(msgspec.Struct, frozen=True):
    """What became of one worked example."""

    id: str
    title: str
    rules: tuple[str, ...]
    passed: bool
    failure: Failure | None = None
    game: str = ""
    place: str = ""


def run_file(path: Path, games: Games, rule_ids: RuleIds | None = None) -> list[ExampleResult]:
    """Run every example of one file. Raises ContentError for a file that cannot be read."""
    return [run_example(example, games, rule_ids) for example in load_examples(path)]


def run_example(example: Example, games: Games, rule_ids: RuleIds | None = None) -> ExampleResult:
    """Run one example, each of its cases on a fresh in-memory session; the first failure is the result.

    `games` maps names to game classes; `rule_ids` maps a game's name to the ids of its catalogue, and where it does
    the ids that the example names are checked against it.
    """
    failure = _first_failure(example, games, (rule_ids or {}).get(example.game))
    place = example.place.file if failure is None else str(example.place)
    return ExampleResult(example.id, example.title, example.rules, failure is None, failure, example.game, place)


def _first_failure(example: Example, games: Games, rule_ids: Collection[str] | None) -> Failure | None:
    game = games.get(example.game)
    if game is None:
        found = f"there is no such game; {nearest(example.game, games)}"
        return Failure(str(example.place.inner("game")), f"game: {example.game}", "a game that is installed", found)
    if rule_ids is not None:
        for index, rule in enumerate(example.rules):
            if rule not in rule_ids:
                place = example.place.inner("rules", index)
                return Failure(str(place), f"rules: {rule}", "a rule of the catalogue", _no_rule(rule, rule_ids))
    for case in example.cases:
        failure = _run_case(example, case, game, rule_ids)
        if failure is not None:
            return failure
    return None


def _no_rule(rule: str, rule_ids: Collection[str]) -> str:
    return f"{rule} is not in it; {nearest(rule, rule_ids)}"


def _run_case(example: Example, case: Case, game: type[Game[Any]], rule_ids: Collection[str] | None) -> Failure | None:
    rng = random.Random(f"{example.game} {example.id} {case.title}")
    versions = versions_words(example, game.rules_version)
    try:
        session = opened(example, case, game, rng)
    except EmberboardError as error:
        field = error.field if isinstance(error, ContentError) else ""
        said = error.message if isinstance(error, ContentError) else str(error)
        step = field if field.startswith(SNAPSHOT) else f"setup: {field}" if field else "setup"
        place = str(place_of(example, case, field))
        return Failure(place, step, "a setup that can be played", said, case.title, versions=versions)
    except Exception:  # noqa: BLE001 - whatever a game's rules raise is this example's failure, not the checker's end
        found, report = "the rules broke while the game was set up", traceback.format_exc()
        place = str(place_of(example, case, "" if example.snapshot is None else SNAPSHOT))
        return Failure(
            place, "setup", "a setup that can be played", found, case.title, report=report, versions=versions
        )
    run = _Run(session, rule_ids, versions_words(example, game.rules_version, session.game.content_version))
    for scripted in case.script:
        failure = run.step(scripted, case.title)
        if failure is not None:
            return failure
    return None


class _Run:
    """One case in progress."""

    def __init__(self, session: Session, rule_ids: Collection[str] | None, versions: str) -> None:
        self.session = session
        self.rule_ids = rule_ids
        self.versions = versions
        self.under = ""
        self._steps: dict[str, Callable[[ScriptStep], None]] = {
            "start": self._start,
            "ask": lambda step: check_question(self.session.question, step.value),
            "answer": lambda step: self._answer(step.value),
            "take": lambda step: self._take(step.value),
            "roll": lambda step: self._roll(step.value),
            "draw": self._draw,
            "refuse": self._refuse,
            "until": self._until,
            "undo": lambda step: self._do("undo", lambda: self.session.undo(_count(step.value))),
            "redo": self._redo,
            "reload": self._reload,
            "expect": self._expect,
            "why": self._why,
            "adjust": self._adjust,
            "correct": self._correct,
            "pass": self._pass,
            "hold": lambda step: self._do("a hold", lambda: self.session.hold(str(step.value))),
            "note": self._note,
            "log": lambda step: check_log(self.session.news(), step.value),
            "state": self._state,
        }

    def step(self, step: ScriptStep, case: str) -> Failure | None:
        """Carry out one step; what was wrong, or None."""
        report = ""
        try:
            self._steps[step.word](step)
        except Mismatch as error:
            expected, found = error.expected, error.found
            place: Place = step.place.inner(*error.trail)
            report = self.session.trouble.report if self.session.trouble is not None else ""
        except EmberboardError as error:
            expected, found, place = "a step that the rules can carry out", str(error), step.place
        except Exception as error:  # noqa: BLE001 - whatever rules raise is this example's failure, not the checker's end
            expected, place = "a step that the rules can carry out", step.place
            found, report = f"the rules broke: {type(error).__name__}: {error}", traceback.format_exc()
        else:
            return None
        numbers = tuple(number.words() for number in self._numbers())
        return Failure(
            str(place),
            _short(step),
            expected,
            found,
            case,
            numbers[-_NUMBERS_SHOWN:],
            report,
            self.under,
            self.versions,
        )

    def _numbers(self) -> list[Explained]:
        return [number for note in self.session.log for number in note.numbers]

    # -- inputs -------------------------------------------------------------------------------------------------

    def _do(self, what: str, act: Callable[[], object]) -> None:
        """Give an input; a refusal, or rules that broke under it, is a mismatch."""
        try:
            act()
        except Refused as error:
            raise Mismatch(f"{what} to be legal", f"refused: {error}. {_now(self.session.question)}") from error
        self._no_trouble(what)

    def _no_trouble(self, what: str) -> None:
        if self.session.trouble is not None:
            raise Mismatch(f"{what} to be applied", self.session.trouble.words)

    def _pending(self, wanted: str) -> Question:
        if self.session.question is None:
            raise Mismatch(f"a question for {wanted}", "nothing is asked")
        return self.session.question

    def _start(self, step: ScriptStep) -> None:
        self._startable(step.value, step.args)
        self._do(f"{step.value} to begin", lambda: self.session.start(step.value, step.args))

    def _startable(self, procedure: Json, args: Mapping[str, Json]) -> None:
        if self.session.question is not None:
            raise Mismatch(
                f"nothing unanswered before {procedure} begins", f"still asked: {asked_words(self.session.question)}"
            )
        procedures = self.session.game.procedures
        if procedure not in procedures:
            known = nearest(procedure, procedures)
            raise Mismatch(f"a procedure of {self.session.game.name}", f"there is no {procedure!r}; {known}")
        signature = inspect.signature(procedures[procedure])
        try:
            signature.bind(self.session.game, **args)
        except TypeError as error:
            takes = ", ".join(list(signature.parameters)[1:]) or "none"
            raise Mismatch(f"the arguments of {procedure}: {takes}", f"{error}") from error

    def _answer(self, value: Json) -> None:
        pending = self._pending(f"the answer {in_words(value)}")
        if isinstance(pending, (Roll, Draw)):
            word = "roll" if isinstance(pending, Roll) else "draw"
            raise Mismatch(
                f"a decision to answer with {in_words(value)}",
                f"chance is asked for: write a `{word}` step (or let `until` decide). {_now(pending)}",
            )
        for seat, word in self._by_seat(pending, value).items():
            self._do_answer(seat, word)

    def _by_seat(self, pending: Question, value: Json) -> dict[str, Json]:
        if not isinstance(value, dict):
            return {"": value}
        for seat in value:
            if seat not in pending.who.seats:
                raise Mismatch(
                    f"a seat that may answer, {seat}", f"{_now(pending)}; {nearest(seat, pending.who.seats)}"
                )
        return value

    def _do_answer(self, seat: str, word: Json) -> None:
        pending = self._pending(f"the answer {in_words(word)}")
        try:
            self.session.answer(pending.id, answer_value(pending, word), seat=seat, source="scripted")
        except Refused as error:
            options = options_of(pending)
            near = ""
            if options and not isinstance(word, list) and find_named(options, word) is None:
                near = f" ({nearest_named(options, word)})"
            raise Mismatch(
                f"{in_words(word)} to be a legal answer", f"refused: {error}{near}. {_now(pending)}"
            ) from error
        self._no_trouble(f"the answer {in_words(word)}")

    def _take(self, value: Json) -> None:
        pending = self._pending(f"the offer {in_words(value)}")
        seat, word = next(iter(value.items())) if isinstance(value, dict) and len(value) == 1 else ("", value)
        offers = [offer for offer in pending.offers if not seat or offer.seat == seat]
        named = find_named(offers, word)
        if named is None:
            raise Mismatch(
                f"the offer {in_words(word)}", f"it is not offered; {nearest_named(offers, word)}. {_now(pending)}"
            )
        self._do(
            f"the offer {in_words(word)}", lambda: self.session.take(pending.id, named, seat=seat, source="scripted")
        )

    def _roll(self, value: Json) -> None:
        pending = self._pending("dice")
        faces = dice_value(pending, value)
        self._do("the roll", lambda: self.session.answer(pending.id, faces, source="scripted"))
        self._not_kept(faces)

    def _draw(self, step: ScriptStep) -> None:
        for word in step.value if isinstance(step.value, list) else [step.value]:
            self._draw_one(str(word))

    def _draw_one(self, word: str) -> None:
        pending = self._pending(f"a draw of {word}")
        if not isinstance(pending, Draw):
            raise Mismatch(f"a draw of {word}", asked_words(pending))
        if word not in pending.contents:
            raise Mismatch(f"{word} to be in {pending.pile}", f"it is not; {nearest(word, pending.contents)}")
        self._do(f"the draw of {word}", lambda: self.session.answer(pending.id, word, source="scripted"))
        self._not_kept(word)

    def _not_kept(self, scripted: Json) -> None:
        entry = self.session.journal.tree.entries[self.session.head]
        if entry.source == "kept" and entry.value != scripted:
            raise Mismatch(
                f"the scripted {in_words(scripted)}",
                f"{in_words(entry.value)}: chance is kept over an undo, so script what it showed before",
            )

    def _redo(self, step: ScriptStep) -> None:
        for _ in range(_count(step.value)):
            self._do("redo", self.session.redo)

    def _adjust(self, step: ScriptStep) -> None:
        self._do("the adjustment", lambda: self.session.adjust(step.value))

    def _pass(self, step: ScriptStep) -> None:
        value = _fields(step.value, ("seat", "until"))
        self._do("a pass", lambda: self.session.pass_ahead(str(value["seat"]), str(value.get("until") or "")))

    def _correct(self, step: ScriptStep) -> None:
        value = _fields(step.value, ("entry_back", "value", "kept", "dropped"))
        path = [entry for entry in self.session.journal.tree.path() if not entry.failed]
        back = _count(value.get("entry_back", 1))
        if back > len(path):
            raise Mismatch(f"an entry {back} back", f"there are only {len(path)}")
        entry = path[-back]
        asked = self.session.fork(entry.parent).question
        if asked is None:
            raise Mismatch("an entry that answered a question", _entry_words(entry))
        meant = dice_value(asked, value["value"]) if isinstance(asked, Roll) else answer_value(asked, value["value"])
        done: list[Any] = []
        self._do("the correction", lambda: done.append(self.session.correct(entry.id, meant)))
        told = {"kept": done[0].kept, "dropped": len(done[0].dropped)}
        for field, count in told.items():
            if field in value and value[field] != count:
                dropped = f" ({'; '.join(done[0].dropped)})" if done[0].dropped else ""
                raise Mismatch(f"{value[field]} {field}", f"{count} {field}{dropped}", field)

    def _refuse(self, step: ScriptStep) -> None:
        value = _fields(step.value, ("answer", "take", "start", "roll", "draw", "adjust", "with", "because"))
        words = [word for word in value if word not in ("with", "because")]
        if len(words) != 1:
            raise Mismatch("one of answer, take, start, roll, draw, adjust", ", ".join(words) or "none")
        act = self._refusable(words[0], value[words[0]], value.get("with") or {})
        before = (self.session.state_hash(), self.session.head, self._question_id())
        try:
            act()
        except Refused as error:
            reason = str(error)
        else:
            self._no_trouble(f"{words[0]} to be refused at the door")
            raise Mismatch(
                f"{words[0]} {in_words(value[words[0]])} to be refused", f"accepted. {_now(self.session.question)}"
            )
        if (self.session.state_hash(), self.session.head, self._question_id()) != before:
            raise Mismatch("a refusal that changes nothing", f"refused ({reason}), yet state or question changed")
        because = value.get("because")
        if because is not None and str(because).casefold() not in reason.casefold():
            raise Mismatch(f"refused because {because}", f"refused because {reason}", "because")

    def _refusable(self, word: str, value: Json, args: Mapping[str, Json]) -> Callable[[], object]:
        """The input that is to be refused; what would be refused only for being misplaced is a mismatch."""
        session = self.session
        if word == "start":
            self._startable(value, args)
            return lambda: session.start(value, args)
        if word == "adjust":
            return lambda: session.adjust(value)
        pending = self._pending(f"{word} {in_words(value)}")
        if (word == "roll", word == "draw") != (
            isinstance(pending, Roll),
            isinstance(pending, Draw),
        ) and word != "take":
            raise Mismatch(f"a question that `{word}` could answer", asked_words(pending))
        if word == "take":
            named = find_named(pending.offers, value)
            return lambda: session.take(pending.id, str(value) if named is None else named)
        if word == "roll":
            faces = dice_value(pending, value)
            return lambda: session.answer(pending.id, faces, source="scripted")
        if word == "draw":
            return lambda: session.answer(pending.id, value, source="scripted")
        by_seat = self._by_seat(pending, value)
        if len(by_seat) != 1:
            raise Mismatch("one answer to be refused", in_words(value))
        seat, meant = next(iter(by_seat.items()))
        return lambda: session.answer(pending.id, answer_value(pending, meant), seat=seat, source="scripted")

    def _question_id(self) -> str:
        return self.session.question.id if self.session.question is not None else ""

    # -- letting the table play ----------------------------------------------------------------------------------

    def _until(self, step: ScriptStep) -> None:
        wanted = _fields(step.value, None)
        found = ""
        for _ in range(_BOUND):
            found = self._unmet(wanted)
            if not found:
                return
            self._let_play(wanted, found)
        raise Mismatch(in_words(wanted), f"after {_BOUND} inputs still {found}")

    def _unmet(self, wanted: Mapping[str, Json]) -> str:
        """What does not hold yet, in words; empty when all does."""
        for path, expected in wanted.items():
            try:
                if path == "ask":
                    check_question(self.session.question, expected)
                else:
                    self._compare(path, expected)
            except Mismatch as error:
                return f"{path}: {error.found}"
        return ""

    def _let_play(self, wanted: Mapping[str, Json], unmet: str) -> None:
        pending = self.session.question
        if pending is None:
            raise Mismatch(in_words(dict(wanted)), f"nothing more is asked, and {unmet}")
        if pending.chance:
            self._do("the roll", lambda: self.session.roll(pending.id))
        elif isinstance(pending, Window):
            seat = next(iter(self.session.holding()), "")
            self._do(GO_ON, lambda: self.session.answer(pending.id, GO_ON, seat=seat, source="scripted"))
        elif pending.default is None:
            raise Mismatch(
                in_words(dict(wanted)), f"a question without a default answer came first. {_now(pending)}; {unmet}"
            )
        elif pending.who.mode == "each":
            for seat in self.session.waiting():
                own = pending.default.get(seat) if isinstance(pending.default, dict) else pending.default
                self._do_answer(seat, own)
        else:
            self._do_answer("", pending.default)

    # -- saving ---------------------------------------------------------------------------------------------------

    def _reload(self, step: ScriptStep) -> None:
        if step.value is not True:
            raise Mismatch("`reload: true`", in_words(step.value))
        before, asked = self.session.state_hash(), msgspec.to_builtins(self.session.question)
        saved = encode_journal(self.session.journal)
        self.session = Session.load(type(self.session.game), decode_journal(saved), rng=self.session.rng)
        if self.session.state_hash() != before:
            raise Mismatch("the same state after a reload", "another state")
        if msgspec.to_builtins(self.session.question) != asked:
            raise Mismatch(f"the same question after a reload: {in_words(asked)}", _now(self.session.question))

    # -- looking --------------------------------------------------------------------------------------------------

    def _note(self, step: ScriptStep) -> None:
        self.under = str(step.value)

    def _state(self, step: ScriptStep) -> None:
        found = self.session.state_hash()
        if step.value != found:
            raise Mismatch(f"the state {step.value}", f"{found}: something differs that no step above looks at")

    def _expect(self, step: ScriptStep) -> None:
        for path, expected in _fields(step.value, None).items():
            self._compare(path, expected)

    def _compare(self, path: str, expected: Json) -> None:
        game = self.session.game
        try:
            fits, found = lookup(path, expected, game.view(), game.state)
        except UnknownPath as error:
            raise Mismatch(f"{path}: {in_words(expected)}", str(error), path) from error
        if not fits:
            raise Mismatch(f"{path}: {in_words(expected)}", f"{path}: {in_words(found)}", path)

    def _why(self, step: ScriptStep) -> None:
        value = _fields(step.value, ("stat", "subject", "value", "contributions", "lacks"))
        stat, subject = value.get("stat"), value.get("subject")
        numbers = [one for one in self._numbers() if one.stat == stat and (subject is None or one.subject == subject)]
        if not numbers:
            known = [one.stat for one in self._numbers()]
            of = f" of {subject}" if subject is not None else ""
            raise Mismatch(f"an explained {stat}{of}", f"the log has none; {nearest(stat, known)}", "stat")
        last = numbers[-1]
        if "value" in value and not matches(value["value"], last.value):
            raise Mismatch(f"{stat} {in_words(value['value'])}", last.words(), "value")
        left = list(last.contributions)
        for wanted in value.get("contributions") or []:
            self._known_rule(wanted)
            fitting = [part for part in left if _fits(part, wanted)]
            if not fitting:
                raise Mismatch(f"in {stat}: {in_words(wanted)}", last.words(), "contributions")
            left.remove(fitting[0])
        for unwanted in value.get("lacks") or []:
            self._known_rule(unwanted)
            if any(_fits(part, unwanted) for part in last.contributions):
                raise Mismatch(f"in {stat} nothing like {in_words(unwanted)}", last.words(), "lacks")

    def _known_rule(self, wanted: Json) -> None:
        rule = _fields(wanted, ("step", "source", "rule", "delta")).get("rule")
        if rule is not None and self.rule_ids is not None and rule not in self.rule_ids:
            raise Mismatch("a rule of the catalogue", _no_rule(rule, self.rule_ids))


def _fits(part: Contribution, wanted: Mapping[str, Json]) -> bool:
    return all(matches(value, getattr(part, field)) for field, value in wanted.items())


def _fields(value: Json, known: Collection[str] | None) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise Mismatch("a mapping", in_words(value))
    for key in value:
        if known is not None and key not in known:
            raise Mismatch(f"one of {', '.join(known)}", f"{key!r}; {nearest(key, known)}", str(key))
    return value


def _short(step: ScriptStep) -> str:
    words = step.words()
    return words if len(words) <= _STEP_SHOWN else f"{words[:_STEP_SHOWN]} ..."


def _count(value: Json) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise Mismatch("a number of 1 or more", in_words(value))
    return value


def _now(question: Question | None) -> str:
    return "Nothing is asked" if question is None else f"Asked is: {asked_words(question)}"


def _entry_words(entry: Entry) -> str:
    return f"entry {entry.id} is a {entry.kind}" if entry.id != ROOT else "the start"
