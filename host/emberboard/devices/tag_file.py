"""The file that says which tag is which kind of token: one line a tag, by hand or by `emberboard bag register`.

    tags:
      - {tag: "04A1B2C3", kind: white}
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from emberboard.engine.content import decode, line_of, read_yaml
from emberboard.engine.errors import ContentError

Uid = Annotated[str, Meta(pattern="^([0-9A-F]{8}|[0-9A-F]{14}|[0-9A-F]{20})$")]
Kind = Annotated[str, Meta(min_length=1, max_length=40, pattern="^[^\"\\\\\n]+$")]


class _Tagged(Struct, frozen=True, forbid_unknown_fields=True):
    tag: Uid
    kind: Kind


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    tags: tuple[_Tagged, ...] = ()


def load_tags(path: Path) -> dict[str, str]:
    """Kind by tag, in the file's order; empty when there is no file yet.

    Raises ContentError with file, line and field: a tag is 8, 14 or 20 hex digits in quotes and stands there once.
    """
    if not path.exists():
        return {}
    found: dict[str, str] = {}
    for index, one in enumerate(decode(read_yaml(path), _File, path).tags):
        if one.tag in found:
            where = ("tags", index, "tag")
            raise ContentError(
                f"the tag {one.tag} is {found[one.tag]} already; a tag is one token",
                file=str(path),
                line=line_of(path, where),
                field=".".join(map(str, where)),
            )
        found[one.tag] = one.kind
    return found


def save_tags(path: Path, tags: Mapping[str, str]) -> None:
    """Write the file anew, whole or not at all. Raises ContentError for what could not be read back, OSError."""
    decode({"tags": [{"tag": tag, "kind": kind} for tag, kind in tags.items()]}, _File)
    lines = [f'  - {{tag: "{tag}", kind: "{kind}"}}' for tag, kind in tags.items()]
    head = ["# The tokens of the bag: which tag is which kind.", "tags:" if lines else "tags: []"]
    text = "\n".join([*head, *lines, ""])
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.draft")
    with draft.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
