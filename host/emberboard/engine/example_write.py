"""A session's questions and inputs written as the steps of a worked example, and a whole example as YAML.

The mirror of `example_file` and `example_question`: what is written here is read there as the same.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

from emberboard.engine.errors import Refused
from emberboard.engine.example_match import ABSENT
from emberboard.engine.example_question import kind_of, options_of, wanted_dice
from emberboard.engine.journal import Entry
from emberboard.engine.question import Choose, Draw, Json, Number, Order, Path, Place, Question, Roll

_FLOW = 100
"""Characters of JSON up to which a mapping or list stands on one line."""
_NAME = 20
_WIDE = 1_000_000
_PLAIN = re.compile(r"[A-Za-z](?:[A-Za-z0-9 _.'/-]*[A-Za-z0-9.'/-])?")
# What one or the other version of YAML takes for something else than text.
_NOT_TEXT = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "none"})


def asked(question: Question | None) -> Json:
    """The question as an `ask` step that only the very same question passes; `nothing` for none."""
    if question is None:
        return "nothing"
    spec: dict[str, Json] = {
        "kind": kind_of(question),
        "name": question.name,
        "who": question.who.seats[0] if question.who.mode == "one" else question.who.mode,
        "prompt": question.prompt,
    }
    match question:
        case Choose() | Order() | Place() | Path():
            spec["options"] = [option.id for option in options_of(question)]
        case Roll():
            spec["dice"] = wanted_dice(question)
        case Draw():
            spec["contents"] = dict(question.contents)
        case Number():
            spec |= {"low": question.low, "high": question.high}
        case _:
            pass
    if question.offers:
        spec["offers"] = [offer.id for offer in question.offers]
    return {**spec, "hash": question.hash}


def step_of(entry: Entry, question: Question | None) -> dict[str, Json]:
    """The input as a step; `question` is the one that it answered. Raises Refused for one that no step can say."""
    value = entry.value
    match entry.kind:
        case "answer" if isinstance(question, Roll):
            if question.who.mode == "each":
                raise Refused(f"{question.prompt!r} was rolled by each seat singly, which no step can say")
            return {"roll": _dice(question, value)}
        case "answer" if isinstance(question, Draw):
            return {"draw": value}
        case "answer":
            return {"answer": {entry.seat: value} if entry.seat else value}
        case "take":
            return {"take": {entry.seat: value}}
        case "pass":
            return {"pass": {"seat": entry.seat, "until": value} if value else {"seat": entry.seat}}
        case "hold":
            return {"hold": entry.seat}
        case "adjust":
            return {"adjust": value}
        case "start":
            return {"start": value["procedure"], "with": value["args"]}


def _dice(question: Roll, value: Json) -> dict[str, dict[str, list[Json]]]:
    rolled: dict[str, dict[str, list[Json]]] = {}
    for wanted, faces in zip(question.dice, value):
        rolled.setdefault(wanted.owner, {}).setdefault(wanted.key, []).extend(faces)
    return rolled


def changes(before: Json, after: Json, trail: tuple[str, ...] = ()) -> Iterator[tuple[str, Json]]:
    """What differs between two plain states, as paths and what an `expect` step would expect there."""
    if before == after:
        return
    if isinstance(after, dict) and (isinstance(before, dict) or after):
        earlier = before if isinstance(before, dict) else {}
        for key, value in after.items():
            yield from changes(earlier.get(key, _MISSING), value, (*trail, str(key)))
        for key in earlier:
            if key not in after:
                yield ".".join((*trail, str(key))), ABSENT
    elif isinstance(after, list) and isinstance(before, list) and len(after) == len(before):
        for index, (old, new) in enumerate(zip(before, after)):
            yield from changes(old, new, (*trail, str(index)))
    else:
        yield ".".join(trail), ABSENT if after is None else after


_MISSING = object()


def as_yaml(document: Mapping[str, Json]) -> str:
    """Plain data as YAML: short things on one line, texts of several lines as blocks."""
    yaml = YAML(typ="rt")
    yaml.width = _WIDE
    yaml.allow_unicode = True
    out = io.StringIO()
    yaml.dump(_laid_out(dict(document)), out)
    return out.getvalue()


def _laid_out(value: Json) -> Any:
    if isinstance(value, str):
        return _text(value)
    if not isinstance(value, (dict, list, tuple)):
        return value
    laid: Any
    if isinstance(value, dict):
        laid = CommentedMap((_text(str(key)), _laid_out(inner)) for key, inner in value.items())
    else:
        laid = CommentedSeq(_laid_out(inner) for inner in value)
    if len(msgspec.json.encode(value)) <= _FLOW or _is_row(value):
        laid.fa.set_flow_style()
    return laid


def _is_row(value: Json) -> bool:
    """Whether this is a list of short names or numbers, which reads best on one line however many there are."""
    return isinstance(value, (list, tuple)) and all(
        not isinstance(item, (dict, list, tuple)) and len(str(item)) <= _NAME for item in value
    )


def _text(value: str) -> Any:
    lines = value.split("\n")
    if len(lines) > 1 and not value.startswith(" ") and all(line.isprintable() for line in lines):
        return LiteralScalarString(value)
    if _PLAIN.fullmatch(value) and value.lower() not in _NOT_TEXT:
        return value
    return DoubleQuotedScalarString(value)
