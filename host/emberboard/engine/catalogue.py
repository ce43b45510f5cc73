"""A game's rule catalogue: every rule with its id and its check, which of them are to be proven now, and what proves
them.

`rules.yaml` lists `{id, section, rule, check, ruling}`; `open_rules.yaml` beside it says which areas are in scope and
which rules of them wait, with a reason each. Evidence is a JSON file that maps ids to proofs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from emberboard.engine.content import decode, decode_list, line_of, read_yaml
from emberboard.engine.errors import ContentError
from emberboard.engine.example_file import nearest

Evidence = dict[str, list[str]]
"""What proves each rule: ids mapped to test node ids and worked examples' ids."""


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One rule in our own words. `check` is what shows it, `ruling` what we decided where the book is silent."""

    id: str
    section: str
    rule: str
    check: str
    ruling: str = ""

    @property
    def area(self) -> str:
        """The middle of the id: ROLL of EV-ROLL-05."""
        return self.id.split("-")[1] if self.id.count("-") == 2 else ""


class Waiting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule that is not to be proven yet, and why."""

    id: str
    reason: str


class Scope(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which rules are to be proven: whole `areas` but for those `open`; all other areas wait for `beyond`."""

    areas: tuple[str, ...]
    beyond: str
    open: tuple[Waiting, ...] = ()


class Catalogue(msgspec.Struct, frozen=True):
    """The rules of one game by id, in the order of the book, and for those not to be proven yet the reason."""

    game: str
    rules: dict[str, Rule]
    open: dict[str, str]

    def required(self) -> list[str]:
        """The ids that must be proven now."""
        return [rule for rule in self.rules if rule not in self.open]

    def check(self, ids: Iterable[str]) -> None:
        """Raises ContentError for an id that is not in the catalogue, with the nearest that are."""
        for rule in ids:
            if rule not in self.rules:
                raise ContentError(f"{self.game} has no rule {rule}; {nearest(rule, self.rules)}", field="rules")


class Status(msgspec.Struct, frozen=True):
    """One rule and what proves it. `open` is why it waits, or None when it is to be proven now."""

    id: str
    section: str
    rule: str
    proven: bool
    by: list[str]
    open: str | None


def load_catalogue(folder: Path) -> Catalogue:
    """The catalogue in a game's folder. Raises ContentError with file and line for a file that is wrong."""
    path, scope_path = folder / "rules.yaml", folder / "open_rules.yaml"
    plain = read_yaml(path)
    if not isinstance(plain, dict) or "rules" not in plain:
        raise ContentError("expected a mapping with `rules`", file=str(path), line=1)
    rules = decode_list(plain["rules"], Rule, path, "rules")
    waiting: dict[str, str] = {}
    if scope_path.exists():
        scope = decode(read_yaml(scope_path), Scope, scope_path)
        waiting = _waiting(scope, rules, scope_path)
    return Catalogue(folder.name, rules, waiting)


def _waiting(scope: Scope, rules: Mapping[str, Rule], path: Path) -> dict[str, str]:
    areas = {rule.area for rule in rules.values()}
    for index, area in enumerate(scope.areas):
        if area not in areas:
            line = line_of(path, ("areas", index))
            raise ContentError(f"no rule is of area {area}; {nearest(area, areas)}", file=str(path), line=line)
    reasons = {one.id: one.reason for one in scope.open}
    for index, one in enumerate(scope.open):
        if one.id not in rules or rules[one.id].area not in scope.areas:
            line = line_of(path, ("open", index))
            raise ContentError(
                f"{one.id} is no rule of an area in scope; {nearest(one.id, rules)}",
                file=str(path),
                line=line,
                field=f"open.{index}.id",
            )
    return {
        rule.id: reasons.get(rule.id, scope.beyond)
        for rule in rules.values()
        if rule.id in reasons or rule.area not in scope.areas
    }


def read_evidence(path: Path) -> Evidence:
    """The evidence in a file that a run of the tests wrote. Raises ContentError when it is damaged."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Evidence)
    except msgspec.MsgspecError as error:
        message = f"holds no evidence: {error}; run `make test` to write it anew"
        raise ContentError(message, file=str(path)) from error


def statuses(catalogue: Catalogue, evidence: Evidence) -> list[Status]:
    """Every rule in order with what proves it."""
    return [
        Status(
            rule.id,
            rule.section,
            rule.rule,
            bool(evidence.get(rule.id)),
            evidence.get(rule.id, []),
            catalogue.open.get(rule.id),
        )
        for rule in catalogue.rules.values()
    ]


class Balance(msgspec.Struct, frozen=True):
    """Where the list of unproven rules and the evidence disagree."""

    stale: tuple[str, ...]
    missing: tuple[str, ...]
    unknown: tuple[str, ...]

    @property
    def even(self) -> bool:
        """Whether they agree."""
        return not (self.stale or self.missing or self.unknown)


def balance(catalogue: Catalogue, evidence: Evidence, unproven: Iterable[str]) -> Balance:
    """Compare: `stale` is listed as unproven and proven, `missing` is neither, `unknown` need not be listed at all."""
    listed = list(unproven)
    required = catalogue.required()
    return Balance(
        stale=tuple(rule for rule in listed if evidence.get(rule)),
        missing=tuple(rule for rule in required if not evidence.get(rule) and rule not in listed),
        unknown=tuple(rule for rule in listed if rule not in required),
    )
