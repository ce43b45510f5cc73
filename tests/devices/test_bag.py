"""The bag: phases, reconciliation, its file, and `emberboard bag` as a person types it, on a PN532 behind a PTY."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emberboard.devices.bag import AlreadyIn, AlreadyOut, Bag, Moved, NotMeantIn, Phase, Unknown
from emberboard.devices.tag_file import load_tags, save_tags
from emberboard.engine.errors import ContentError
from emberboard.virtual.pn532 import PtyPn532
from tests.devices.key_rigs import ROOT, SMALL

TAGS = {"00000001": "white", "00000002": "white", "00000003": "black", "00000004": "dual"}
STRANGE = "FFFFFFFF"


def filled() -> Bag:
    bag = Bag(TAGS)
    for tag in TAGS:
        assert bag.shown(tag, Phase.IN) == Moved(tag, TAGS[tag], Phase.IN)
    return bag


def test_a_draw_takes_a_token_out_and_a_second_look_says_so() -> None:
    bag = filled()
    assert bag.shown("00000001", Phase.OUT) == Moved("00000001", "white", Phase.OUT)
    assert bag.shown("00000001", Phase.OUT) == AlreadyOut("00000001", "white")
    assert bag.shown(STRANGE, Phase.OUT) == Unknown(STRANGE)
    assert bag.counted() == {"white": 1, "black": 1, "dual": 1}


def test_the_phase_decides_whether_a_tag_goes_in_or_out() -> None:
    bag = filled()
    moved = bag.shown("00000003", Phase.OUT)
    assert isinstance(moved, Moved)
    assert bag.shown("00000003", Phase.IN) == Moved("00000003", "black", Phase.IN)
    assert bag.shown("00000003", Phase.IN) == AlreadyIn("00000003", "black")


def test_filling_stops_at_what_the_state_says() -> None:
    bag = Bag(TAGS)
    should = {"white": 1, "black": 1}
    bag.shown("00000001", Phase.IN, should)
    assert bag.shown("00000002", Phase.IN, should) == NotMeantIn("00000002", "white", 1)
    assert bag.shown("00000004", Phase.IN, should) == NotMeantIn("00000004", "dual", 0)
    assert bag.reconcile(should).words() == "Put into the bag: 1 black."


def test_reconciliation_names_missing_surplus_and_what_no_tag_is_left_for() -> None:
    bag = filled()
    bag.shown("00000001", Phase.OUT)
    found = bag.reconcile({"white": 3, "dual": 0, "black": 1})
    assert (found.missing, found.surplus, found.unregistered) == ({"white": 2}, {"dual": 1}, {"white": 1})
    assert (found.out, found.inside) == (("00000001",), ("00000004",))
    assert not found.agrees
    assert "Put into the bag: 2 white. Take out of the bag: 1 dual." in found.words()
    assert bag.assume({"white": 3, "black": 1}) == {"white": 1}
    assert bag.counted() == {"white": 2, "black": 1}


@given(st.lists(st.tuples(st.sampled_from([*TAGS, STRANGE]), st.sampled_from(Phase)), max_size=60))
def test_tokens_are_never_lost_or_doubled_and_undo_goes_all_the_way_back(steps: list[tuple[str, Phase]]) -> None:
    bag, moves, model = Bag(TAGS), [], set()
    for tag, phase in steps:
        found = bag.shown(tag, phase)
        if isinstance(found, Moved):
            moves.append(found)
            model ^= {tag}
        assert bag.inside == model
        assert bag.inside <= set(TAGS)
        held = bag.counted()
        found_now = bag.reconcile(Counter(TAGS.values()))
        for kind, count in Counter(TAGS.values()).items():
            assert held[kind] + found_now.missing.get(kind, 0) == count
    for moved in reversed(moves):
        bag.take_back(moved)
    assert not bag.inside


def test_the_file_comes_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "bag.yaml"
    assert load_tags(path) == {}
    # All digits, or digits around an E: without quotes YAML would make numbers of these.
    odd = {"12345678": "white", "1234E567": "hero: one", "04112233445566": "#5"}
    save_tags(path, odd)
    assert load_tags(path) == odd
    save_tags(path, {})
    assert load_tags(path) == {}
    assert [one.name for one in path.parent.iterdir()] == ["bag.yaml"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('tags:\n  - {tag: "0000000G", kind: white}\n', ":2: tags.0.tag: "),
        ("tags:\n  - {tag: 12345678, kind: white}\n", ":2: tags.0.tag: Expected `str`, got `int`"),
        ('tags:\n  - {tag: "00000001", kind: a}\n  - {tag: "00000001", kind: b}\n', ":3: tags.1.tag: .*is a already"),
    ],
)
def test_a_wrong_file_is_named_by_line_and_field(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bag.yaml"
    path.write_text(text)
    with pytest.raises(ContentError, match=words):
        load_tags(path)


class Typed:
    """`emberboard bag ...` in a process, its reader a PTY."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pty = PtyPn532(folder / "reader")
        text = SMALL.read_text().replace("/dev/ttyAMA5, pins: [12, 13]", str((folder / "reader").readlink()))
        self.table = folder / "table.yaml"
        self.table.write_text(text)
        self.process: subprocess.Popen[str] | None = None
        self.lines: queue.SimpleQueue[str] = queue.SimpleQueue()

    def run(self, *words: str) -> None:
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-c", "from emberboard.cli.main import main; main()", "bag", *words),
                *("--table", str(self.table), "--tags", str(self.folder / "bag.yaml"), "--idle", "3"),
            ],
            cwd=ROOT,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "EMBERBOARD_HOME": str(self.folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        threading.Thread(target=self._read, args=(self.process,), daemon=True).start()

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.lines.put(line)

    def until(self, words: str) -> str:
        """Read lines until one has these words; that line."""
        said = []
        try:
            while words not in (line := self.lines.get(timeout=15)):
                said.append(line)
        except queue.Empty:
            pytest.fail(f"never said {words!r}, but: {''.join(said)}")
        return line

    def show(self, tag: str, words: str) -> None:
        self.pty.present(tag)
        self.until(words)
        self.pty.remove(tag)

    def ended(self) -> int:
        assert self.process is not None
        return self.process.wait(timeout=20)

    def close(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.pty.stop()


@pytest.fixture
def typed(tmp_path: Path) -> Iterator[Typed]:
    made = Typed(tmp_path)
    yield made
    made.close()


@pytest.mark.slow
def test_register_check_and_count_at_the_command_line(typed: Typed) -> None:
    typed.run("register", "white", "--count", "2")
    typed.until("Reading: PN532 firmware 1.6")
    typed.show("00000001", "00000001: white.")
    typed.show("00000002", "00000002: white.")
    typed.until("2 new, 2 white in all")
    assert typed.ended() == 0

    typed.run("register", "black", "--count", "1")
    typed.show("00000003", "00000003: black.")
    assert typed.ended() == 0
    assert load_tags(typed.folder / "bag.yaml") == {"00000001": "white", "00000002": "white", "00000003": "black"}

    typed.run("check")
    typed.show("00000003", "00000003: black.")
    typed.show("FFFFFFFF", "FFFFFFFF: unknown")
    assert typed.ended() == 1

    typed.run("count")
    typed.show("00000001", "1/3: white.")
    typed.show("00000003", "2/3: black.")
    typed.until("white: 1 of 2.")
    typed.until("Missing: white with tag 00000002.")
    assert typed.ended() == 1


def test_a_reader_that_is_not_there_ends_the_command_with_the_fix(typed: Typed) -> None:
    typed.pty.unplug()
    typed.run("register", "white")
    typed.until("there is no such port")
    assert typed.ended() == 1
