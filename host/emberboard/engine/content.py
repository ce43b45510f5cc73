"""Content is data: YAML files read into typed structs, with errors that name file, line and field."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError

from emberboard.engine.errors import ContentError
from emberboard.engine.question import Json

T = TypeVar("T")
_STEP = re.compile(r"\.([^.\[\]`]+)|\[(\d+)\]|\[(\.\.\.)\]")


def read_yaml(path: Path) -> Json:
    """The plain data of a YAML file. Raises ContentError with file and line when it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ContentError(f"cannot be read: {error}", file=str(path)) from error
    try:
        return YAML(typ="safe").load(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark
        raise ContentError(str(error.problem or error), file=str(path), line=mark.line + 1 if mark else 0) from error


def decode(plain: Json, kind: type[T], path: Path | None = None, at: Sequence[str | int] = ()) -> T:
    """Plain data as `kind`. Raises ContentError naming file, line and field of what does not fit.

    `at` is where `plain` stands inside the file, as keys and indexes from its top.
    """
    try:
        return msgspec.convert(plain, type=kind)
    except msgspec.ValidationError as error:
        message, _, where = str(error).partition(" - at ")
        steps = [*at, *_steps(where.strip("`"))]
        field = ".".join(str(step) for step in steps) or "(top)"
        line = line_of(path, steps) if path is not None else 0
        raise ContentError(message, file=str(path or ""), line=line, field=field) from error


def _steps(where: str) -> list[str | int]:
    found: list[str | int] = []
    for name, index, _any in _STEP.findall(where):
        if name:
            found.append(name)
        elif index:
            found.append(int(index))
    return found


@lru_cache(maxsize=8)
def _marked(path: Path, stamp: int) -> Any:
    """The document with its line marks; read again when the file has changed (`stamp`)."""
    return YAML(typ="rt").load(path.read_text(encoding="utf-8"))


def line_of(path: Path, steps: Sequence[str | int]) -> int:
    """The 1-based line of the field at `steps`, or of the nearest place above it that can be found; 0 for none."""
    try:
        node = _marked(path, path.stat().st_mtime_ns)
    except (OSError, MarkedYAMLError):
        return 0
    line = 1
    for step in steps:
        try:
            keyed: Any = node
            where = keyed.lc.key(step) if isinstance(node, Mapping) else keyed.lc.item(step)
            node = node[step]
        except (AttributeError, KeyError, IndexError, TypeError):
            break
        line = where[0] + 1
    return line


def decode_list(plain: Json, kind: type[T], path: Path | None, section: str) -> dict[str, T]:
    """A section that lists structs with an `id`, as a mapping by id. Raises ContentError for a double or missing id."""
    if not isinstance(plain, list):
        raise ContentError("expected a list", file=str(path or ""), field=section)
    found: dict[str, T] = {}
    for index, item in enumerate(plain):
        one = decode(item, kind, path, (section, index))
        name = str(getattr(one, "id", ""))
        if not name or name in found:
            why = f"the id {name!r} stands twice" if name else "an id is missing"
            line = line_of(path, (section, index)) if path is not None else 0
            raise ContentError(why, file=str(path or ""), line=line, field=f"{section}.{index}.id")
        found[name] = one
    return found
