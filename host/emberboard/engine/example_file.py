"""Worked examples as files: the envelope of `docs/examples.md` read from YAML, every step with its file and line.

What stands under `setup` and in the paths is each game's own; this module knows only the envelope.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from emberboard.engine.content import decode, line_of, read_yaml
from emberboard.engine.errors import ContentError
from emberboard.engine.question import Json

STEP_WORDS = (
    "start",
    "ask",
    "answer",
    "take",
    "roll",
    "draw",
    "refuse",
    "until",
    "undo",
    "redo",
    "reload",
    "expect",
    "why",
    "adjust",
    "correct",
    "pass",
    "hold",
    "note",
    "log",
    "state",
)
_EXAMPLE_KEYS = (
    *("id", "game", "title", "rules", "flags", "setup", "script", "expect", "cases", "section", "notes"),
    *("versions", "snapshot", "sensors"),
)
_CHECKING = ("expect", "ask", "refuse", "why", "log", "state")
_CASE_KEYS = ("title", "flags", "setup", "script", "expect", "notes")


class Place(msgspec.Struct, frozen=True):
    """Where in a file something stands: the keys and indexes that lead to it. Its line is looked up when asked for."""

    file: str
    trail: tuple[str | int, ...] = ()

    @property
    def line(self) -> int:
        """The 1-based line, or that of the nearest place above it."""
        return line_of(Path(self.file), self.trail)

    def inner(self, *more: str | int) -> Place:
        """A place inside this one."""
        return Place(self.file, (*self.trail, *more))

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Sensed(msgspec.Struct, frozen=True):
    """What a sensor, key or reader said: when (ms, of any clock), and what in words."""

    at: int
    text: str


class ScriptStep(msgspec.Struct, frozen=True):
    """One step of a script: its word, its value, for `start` also its arguments, and where it stands."""

    word: str
    value: Json
    place: Place
    args: dict[str, Json] = {}

    def words(self) -> str:
        """The step as it was written, on one line."""
        value = self.value if isinstance(self.value, str) else msgspec.json.encode(self.value).decode()
        return f"{self.word}: {value}"


class Case(msgspec.Struct, frozen=True):
    """One run of an example on a fresh session: its setup, and the script with what is expected at its end.

    `setups` are the places where the setup is written: the case's own first, then the common one.
    """

    title: str
    setup: dict[str, Json]
    script: tuple[ScriptStep, ...]
    place: Place
    setups: tuple[Place, ...] = ()

    def setup_place(self, field: str) -> Place:
        """Where the dotted `field` of the setup is written, or the nearest place around it."""
        steps = [int(part) if part.isdigit() else part for part in field.split(".") if part]
        for place in self.setups:
            inner = place.inner(*steps)
            if steps and inner.line != place.line:
                return inner
        return self.setups[0] if self.setups else self.place


class Example(msgspec.Struct, frozen=True):
    """One worked example: what it is of, the rules it proves, and its cases (one, untitled, when none are written).

    `snapshot` is a whole state to begin from instead of what the setup gives; `versions` say with what it was written.
    """

    id: str
    game: str
    title: str
    rules: tuple[str, ...]
    cases: tuple[Case, ...]
    place: Place
    snapshot: dict[str, Json] | None = None
    versions: dict[str, str] = {}


def nearest(word: object, known: Iterable[object], count: int = 3) -> str:
    """Words for "did you mean": the nearest of the known names, or all of them when they are few."""
    names = list(dict.fromkeys(str(name) for name in known))
    if not names:
        return "there are none"
    close = difflib.get_close_matches(str(word), names, n=count, cutoff=0.55)
    if close:
        return f"nearest: {', '.join(close)}"
    shown = names[:12]
    return f"known: {', '.join(shown)}{' ...' if len(names) > len(shown) else ''}"


def load_examples(path: Path) -> list[Example]:
    """The examples of one file, which holds one or a list of them. Raises ContentError with file, line and field."""
    document, top = read_yaml(path), Place(str(path))
    items = [(item, top.inner(index)) for index, item in enumerate(document)] if isinstance(document, list) else None
    found = [_example(item, place) for item, place in (items if items is not None else [(document, top)])]
    if not found:
        raise ContentError("holds no example", file=str(path), line=1)
    seen: dict[str, Example] = {}
    for example in found:
        if example.id in seen:
            message = f"{example.id!r} is already the id of the example in line {seen[example.id].place.line}"
            raise ContentError(message, file=str(path), line=example.place.line, field="id")
        seen[example.id] = example
    return found


class _Reader:
    """Checks the shape of one mapping and names file, line and field where it is wrong."""

    def __init__(self, value: Json, place: Place, what: str) -> None:
        if not isinstance(value, dict):
            raise ContentError(f"expected {what} as a mapping, found {value!r}", file=place.file, line=place.line)
        self.value, self.place, self.what = value, place, what

    def wrong(self, field: str, message: str) -> ContentError:
        place = self.place.inner(field)
        return ContentError(message, file=place.file, line=place.line, field=field)

    def only(self, known: Sequence[str]) -> None:
        for key in self.value:
            if key not in known:
                raise self.wrong(str(key), f"{self.what} has no such key; {nearest(key, known)}")

    def text(self, key: str, default: str | None = None) -> str:
        found = self.value.get(key, default)
        if not isinstance(found, str) or (default is None and not found):
            raise self.wrong(key, f"expected text, found {found!r}")
        return found

    def mapping(self, key: str) -> dict[str, Json]:
        found = self.value.get(key)
        if found is None:
            return {}
        if not isinstance(found, dict):
            raise self.wrong(key, f"expected a mapping, found {found!r}")
        return found

    def sequence(self, key: str) -> list[Json]:
        found = self.value.get(key)
        if found is None:
            return []
        if not isinstance(found, list):
            raise self.wrong(key, f"expected a list, found {found!r}")
        return found

    def sensors(self) -> None:
        """Check the shape of what sensors said. It is for people, and nothing runs it."""
        decode(self.sequence("sensors"), list[Sensed], Path(self.place.file), (*self.place.trail, "sensors"))

    def setup(self) -> dict[str, Json]:
        """The setup written here, with the flags beside it."""
        flags = self.mapping("flags")
        return _merged(self.mapping("setup"), {"flags": flags} if flags else {})

    def setup_places(self) -> tuple[Place, ...]:
        return (self.place.inner("setup"),) if "setup" in self.value else ()


def _example(value: Json, place: Place) -> Example:
    read = _Reader(value, place, "a worked example")
    read.only(_EXAMPLE_KEYS)
    identity, game, title = read.text("id"), read.text("game"), read.text("title", "")
    rules = tuple(str(rule) for rule in read.sequence("rules"))
    script, ends = _script(read), _end(read)
    listed = read.sequence("cases")
    if "cases" in read.value and not listed:
        raise read.wrong("cases", "expected a list of cases, found none")
    cases = [Case("", read.setup(), (*script, *ends), place, read.setup_places())] if not listed else []
    for index, item in enumerate(listed):
        inner = _Reader(item, place.inner("cases", index), "a case")
        inner.only(_CASE_KEYS)
        steps = (*script, *_script(inner), *ends, *_end(inner))
        places = (*inner.setup_places(), *read.setup_places())
        cases.append(Case(inner.text("title"), _merged(read.setup(), inner.setup()), steps, inner.place, places))
    for case in cases:
        if not any(step.word in _CHECKING for step in case.script):
            message = f"{case.title or identity!r} checks nothing: add one of {', '.join(_CHECKING)}"
            raise ContentError(message, file=place.file, line=case.place.inner("script").line, field="script")
    read.sensors()
    snapshot = read.mapping("snapshot") if "snapshot" in read.value else None
    versions = {key: str(value) for key, value in read.mapping("versions").items()}
    return Example(identity, game, title, rules, tuple(cases), place, snapshot, versions)


def _merged(common: Mapping[str, Json], own: Mapping[str, Json]) -> dict[str, Json]:
    """`own` over `common`: mappings key by key, everything else replaced."""
    merged = dict(common)
    for key, value in own.items():
        before = merged.get(key)
        merged[key] = _merged(before, value) if isinstance(before, dict) and isinstance(value, dict) else value
    return merged


def _script(read: _Reader) -> tuple[ScriptStep, ...]:
    steps: list[ScriptStep] = []
    for index, item in enumerate(read.sequence("script")):
        inner = _Reader(item, read.place.inner("script", index), "a step")
        words = [key for key in inner.value if key != "with"]
        for key in words:
            if key not in STEP_WORDS:
                raise inner.wrong(str(key), f"there is no such step; {nearest(key, STEP_WORDS)}")
        if len(words) != 1:
            said = ", ".join(words) or "nothing"
            raise inner.wrong("", f"a step has one word, found {said}: begin each step with its own dash")
        word = words[0]
        if "with" in inner.value and word != "start":
            raise inner.wrong("with", "only `start` takes `with`")
        steps.append(ScriptStep(word, inner.value[word], inner.place.inner(word), inner.mapping("with")))
    return tuple(steps)


def _end(read: _Reader) -> tuple[ScriptStep, ...]:
    if "expect" not in read.value:
        return ()
    return (ScriptStep("expect", read.mapping("expect"), read.place.inner("expect")),)
