"""Paths into a game's state and what a worked example may expect there.

A path is dotted: keys of mappings, fields of structs, and of lists an index or the `id`, `name` or `letter` of an
element. An expected value is a literal, `absent`, or a mapping of `min`, `max`, `one_of`, `contains`, `lacks`, `count`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from emberboard.engine.errors import EmberboardError
from emberboard.engine.example_file import nearest
from emberboard.engine.question import Json

ABSENT = "absent"
_NAMES = ("id", "name", "letter")
_MATCHERS = ("min", "max", "one_of", "contains", "lacks", "count")


class UnknownPath(EmberboardError, LookupError):
    """A path that leads nowhere: the piece that is not there, and the nearest names. `last` when only its end is."""

    def __init__(self, path: str, piece: str, above: str, near: str, *, last: bool) -> None:
        where = f"in {above}" if above else "at the top"
        super().__init__(f"the path {path} leads nowhere: {where} there is no {piece!r}; {near}")
        self.last = last


def resolve(path: str, *roots: object) -> Json:
    """The plain value at `path` in the first root that has it. Raises UnknownPath."""
    missed: list[UnknownPath] = []
    for root in roots:
        try:
            return _walk(path, root)
        except UnknownPath as error:
            missed.append(error)
    raise next((error for error in missed if error.last), missed[0])


def lookup(path: str, expected: Json, *roots: object) -> tuple[bool, Json]:
    """Whether what stands at `path` is what is expected, and what stands there. Raises UnknownPath."""
    try:
        found = resolve(path, *roots)
    except UnknownPath as error:
        if expected == ABSENT and error.last:
            return True, None
        raise
    return (found is None if expected == ABSENT else matches(expected, found)), found


def _walk(path: str, root: object) -> Json:
    pieces = str(path).split(".")
    node = root
    at = 0
    while at < len(pieces):
        for width in range(1, len(pieces) - at + 1):
            piece = ".".join(pieces[at : at + width])
            found = list(_child(node, piece))
            if found:
                node, at = found[0], at + width
                break
        else:
            last = at == len(pieces) - 1
            raise UnknownPath(path, pieces[at], ".".join(pieces[:at]), nearest(pieces[at], _known(node)), last=last)
    return msgspec.to_builtins(node, enc_hook=str)


def _child(node: Any, piece: str) -> Iterator[Any]:
    if isinstance(node, Mapping):
        yield from (value for key, value in node.items() if str(key) == piece)
    elif isinstance(node, msgspec.Struct):
        if piece in node.__struct_fields__:
            yield getattr(node, piece)
    elif isinstance(node, Sequence) and not isinstance(node, (str, bytes)):
        if piece.isdigit() and int(piece) < len(node):
            yield node[int(piece)]
        for name in _NAMES:
            yield from (item for item in node if name_of(item, name) == piece)


def name_of(item: object, name: str) -> str | None:
    """What a list element is called by one of its naming fields."""
    found = item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)
    return found if isinstance(found, str) and found else None


def _known(node: Any) -> list[str]:
    if isinstance(node, Mapping):
        return [str(key) for key in node]
    if isinstance(node, msgspec.Struct):
        return list(node.__struct_fields__)
    if isinstance(node, Sequence) and not isinstance(node, (str, bytes)):
        return [name_of(item, n) or "" for item in node for n in _NAMES if name_of(item, n)] or [
            str(index) for index in range(len(node))
        ]
    return []


def is_matcher(expected: Json) -> bool:
    """Whether this is a mapping of matchers and not a literal."""
    return isinstance(expected, dict) and bool(expected) and all(key in _MATCHERS for key in expected)


def matches(expected: Json, found: Json) -> bool:
    """Whether `found` is what is expected; a literal must be equal, and true is not 1."""
    if not is_matcher(expected):
        return _equal(expected, found)
    return all(_holds(word, value, found) for word, value in expected.items())


def _holds(word: str, value: Json, found: Json) -> bool:
    number = isinstance(found, (int, float)) and not isinstance(found, bool)
    match word:
        case "min":
            return number and found >= value
        case "max":
            return number and found <= value
        case "one_of":
            return any(_equal(one, found) for one in value)
        case "contains":
            return _contains(found, value)
        case "lacks":
            return isinstance(found, (list, dict, str)) and not _contains_any(found, value)
        case "count":
            return isinstance(found, (list, dict)) and matches(value, len(found))
    return False


def _contains(found: Json, value: Json) -> bool:
    if isinstance(value, list) and not _has(found, value):
        return bool(value) and all(_has(found, one) for one in value)
    return _has(found, value)


def _contains_any(found: Json, value: Json) -> bool:
    return _has(found, value) or (isinstance(value, list) and any(_has(found, one) for one in value))


def _has(found: Json, value: Json) -> bool:
    if isinstance(found, str):
        return isinstance(value, str) and value in found
    if isinstance(found, dict):
        return any(str(key) == str(value) for key in found)
    if not isinstance(found, list):
        return False
    return any(_equal(value, item) or any(name_of(item, name) == value for name in _NAMES) for item in found)


def _equal(expected: Json, found: Json) -> bool:
    if isinstance(expected, bool) or isinstance(found, bool):
        return expected is found
    if isinstance(expected, dict) and isinstance(found, dict):
        mine, theirs = {str(k): v for k, v in expected.items()}, {str(k): v for k, v in found.items()}
        return mine.keys() == theirs.keys() and all(_equal(value, theirs[key]) for key, value in mine.items())
    if isinstance(expected, (list, tuple)) and isinstance(found, (list, tuple)):
        return len(expected) == len(found) and all(map(_equal, expected, found))
    return bool(expected == found)


def in_words(expected: Json) -> str:
    """An expected or found value for a person."""
    if is_matcher(expected):
        said = {"min": "at least", "max": "at most", "one_of": "one of", "count": "a count of"}
        return " and ".join(f"{said.get(word, word)} {in_words(value)}" for word, value in expected.items())
    if isinstance(expected, str):
        return expected
    return msgspec.json.encode(expected).decode()
