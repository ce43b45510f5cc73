"""A pytest plugin that writes down which test or worked example proves which rule.

`@pytest.mark.rules("EV-ROLL-05")` says that a test reproduces the rule's check with the check's own numbers through the
real procedures. At the end of a run `build/evidence/<game>.json` maps ids to proofs. Only a test that passed counts;
one that failed or was skipped loses its proofs. A full run (all of `testpaths`, nothing chosen or left out) begins anew
and has to agree with `tests/unproven.txt`, the rules in scope that nothing proves yet.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

from emberboard.engine.catalogue import Balance, Catalogue, Evidence, balance, load_catalogue, read_evidence
from emberboard.engine.errors import ContentError
from emberboard.games import registry

_FULL_MARKS = ("", "not soak")


class Recorder:
    """What the tests of one run prove. On an xdist worker it only marks the tests; the controller writes."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        games = str(config.getini("evidence_games"))
        folders = [config.rootpath / games] if games else [registry.folder(name) for name in registry.names()]
        self.catalogues = [load_catalogue(folder) for folder in folders]
        self.folder = config.rootpath / str(config.getini("evidence_dir"))
        self.unproven = config.rootpath / str(config.getini("evidence_unproven"))
        self.claims: dict[str, tuple[str, list[str]]] = {}
        self.passed: set[str] = set()
        self.seen: set[str] = set()
        self.lines: list[str] = []

    def claim(self, item: pytest.Item) -> None:
        """Note on the test what it is to prove: its reports carry that, from a worker too."""
        for mark in item.iter_markers("rules"):
            proof = str(mark.kwargs.get("by") or item.nodeid)
            item.user_properties.append(("rules", [proof, *map(str, mark.args)]))

    def unknown(self, item: pytest.Item) -> str:
        """Words for the first id that no catalogue has; worked examples say it themselves, with their line."""
        ids = [str(rule) for mark in item.iter_markers("rules") if "by" not in mark.kwargs for rule in mark.args]
        for rule in ids:
            if all(rule not in catalogue.rules for catalogue in self.catalogues):
                return _not_there(rule, self.catalogues)
        return ""

    def take(self, report: pytest.TestReport) -> None:
        """Take in one phase of one test."""
        for name, value in report.user_properties:
            if name == "rules" and isinstance(value, (list, tuple)):
                self.claims[f"{report.nodeid} {value[0]}"] = (report.nodeid, list(value))
        self.seen.add(report.nodeid)
        if not report.passed or hasattr(report, "wasxfail"):
            self.passed.discard(report.nodeid)
        elif report.when == "call":
            self.passed.add(report.nodeid)

    def write(self, *, full: bool, shrink: bool) -> bool:
        """Write the evidence of every game; whether a full run and the list of unproven rules agree."""
        self.folder.mkdir(parents=True, exist_ok=True)
        even = True
        for catalogue in self.catalogues:
            path = self.folder / f"{catalogue.game}.json"
            evidence = self._merged(catalogue, {} if full else self._before(path))
            fresh = path.with_suffix(f".{os.getpid()}.tmp")
            fresh.write_bytes(msgspec.json.format(msgspec.json.encode(evidence), indent=1))
            fresh.replace(path)
            proven = sum(1 for rule in catalogue.required() if evidence.get(rule))
            self.lines.append(f"{catalogue.game}: {proven} of {len(catalogue.required())} rules in scope are proven")
            if full:
                even &= self._compare(catalogue, evidence, shrink)
        return even

    def _before(self, path: Path) -> Evidence:
        if not path.exists():
            return {}
        try:
            return read_evidence(path)
        except ContentError as error:
            self.lines.append(f"begun anew, because {error}")
            return {}

    def _merged(self, catalogue: Catalogue, before: Evidence) -> Evidence:
        gone = {proof for _, (proof, *_) in self.claims.values()} | self.seen
        found = {rule: {proof for proof in proofs if proof not in gone} for rule, proofs in before.items()}
        for nodeid, (proof, *rules) in self.claims.values():
            if nodeid in self.passed:
                for rule in rules:
                    found.setdefault(rule, set()).add(proof)
        return {rule: sorted(found[rule]) for rule in catalogue.rules if found.get(rule)}

    def _compare(self, catalogue: Catalogue, evidence: Evidence, shrink: bool) -> bool:
        listed = read_list(self.unproven, catalogue)
        found = balance(catalogue, evidence, listed)
        if shrink and not found.missing:
            gone = {*found.stale, *found.unknown}
            text = self.unproven.read_text(encoding="utf-8").splitlines(keepends=True)
            self.unproven.write_text("".join(line for line in text if line.strip() not in gone), encoding="utf-8")
            return True
        self.lines += _words(found, self.unproven)
        return found.even


def read_list(path: Path, catalogue: Catalogue) -> list[str]:
    """The ids of one game that stand in the list of unproven rules, one a line."""
    if not path.exists():
        return []
    prefix = next(iter(catalogue.rules)).split("-")[0] + "-"
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line.startswith(prefix)]


def _words(found: Balance, path: Path) -> list[str]:
    lines = []
    if found.stale:
        lines.append(f"proven, so take it off {path.name} (pytest --shrink-unproven does): {', '.join(found.stale)}")
    if found.missing:
        lines.append(f"in scope and without a proof: {', '.join(found.missing)}")
    if found.unknown:
        lines.append(f"in {path.name}, yet not a rule in scope: {', '.join(found.unknown)}")
    return lines


def _not_there(rule: str, catalogues: Iterable[Catalogue]) -> str:
    words = []
    for catalogue in catalogues:
        try:
            catalogue.check([rule])
        except ContentError as error:
            words.append(error.message)
    return "; ".join(words) or "there is no rule catalogue"


_RECORDER = pytest.StashKey[Recorder]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where catalogues, evidence and the list of unproven rules lie."""
    parser.addini("evidence_games", "one folder with a rules.yaml, in place of the games of the package", default="")
    parser.addini("evidence_dir", "where evidence is written", default="build/evidence")
    parser.addini("evidence_unproven", "the list of rules in scope without a proof", default="tests/unproven.txt")
    parser.addoption(
        "--shrink-unproven",
        action="store_true",
        help="after a full run, take proven rules off the list of unproven ones",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known and begin to record."""
    config.addinivalue_line("markers", "rules(*ids, by=name): this test proves these rules of a game's catalogue")
    config.stash[_RECORDER] = Recorder(config)


def pytest_itemcollected(item: pytest.Item) -> None:
    """A test was found."""
    item.config.stash[_RECORDER].claim(item)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Refuse a test that cites a rule which does not exist."""
    unknown = item.config.stash[_RECORDER].unknown(item)
    if unknown:
        pytest.fail(f"{item.name} cites {unknown}", pytrace=False)


class _Listener:
    """Hears the reports of one run; registered where they all come together."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.recorder.take(report)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Listen, except on an xdist worker: the controller hears its reports too."""
    if not hasattr(session.config, "workerinput"):
        session.config.pluginmanager.register(_Listener(session.config.stash[_RECORDER]), "evidence-listener")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Write the evidence; a full run also has to agree with the list of unproven rules."""
    config = session.config
    if hasattr(config, "workerinput") or config.option.collectonly:
        return
    recorder = config.stash[_RECORDER]
    if not recorder.seen:
        return
    full = _is_full(config) and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    shrink = bool(config.getoption("--shrink-unproven"))
    if not recorder.write(full=full, shrink=shrink) and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _is_full(config: pytest.Config) -> bool:
    everything = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    chosen = config.option.keyword or getattr(config.option, "lf", False) or config.option.deselect
    return everything and not chosen and config.option.markexpr in _FULL_MARKS and not config.option.ignore


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how many rules are proven, and where the list of unproven ones is wrong."""
    lines = config.stash[_RECORDER].lines
    if lines:
        terminalreporter.section("evidence")
        for line in lines:
            terminalreporter.write_line(line)
