"""The real program at a pseudo-terminal: what a group does in an evening, and what goes wrong in one."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

EMBERBOARD = [sys.executable, "-c", "from emberboard.cli.main import main; main()"]
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r")
PATIENCE = 60


def _plain(raw: str) -> str:
    """What was shown without colours, blanks and line ends joined."""
    return " ".join(_ESCAPES.sub("", raw).split())


class AtTerminal:
    """The program, and what it has shown since the last line that was typed."""

    def __init__(self, home: Path, *args: str, size: tuple[int, int] = (50, 100)) -> None:
        self.home = home
        env = dict(os.environ, EMBERBOARD_HOME=str(home), TERM="xterm-256color", COLUMNS="", LINES="")
        env = {name: value for name, value in env.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
        command, *given = EMBERBOARD
        self.program = pexpect.spawn(
            command, [*given, *args], env=env, dimensions=size, encoding="utf-8", timeout=PATIENCE
        )
        self.seen = ""

    def until(self, words: str) -> str:
        """Read until the words (a pattern) are shown; what was shown, without colours, blanks joined."""
        self.program.expect(words)
        raw = self.program.before + self.program.after
        self.seen = _plain(raw)
        return self.seen

    def types(self, line: str, until: str = r"> \Z") -> str:
        self.program.sendline(line)
        return self.until(until)

    def ends(self) -> int:
        """The exit status."""
        self.program.expect(pexpect.EOF)
        self.seen = _plain(self.program.before)
        self.program.close()
        return int(self.program.exitstatus if self.program.exitstatus is not None else -self.program.signalstatus)


Start = Callable[..., AtTerminal]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start the program at a terminal, with this test's own files."""
    running: list[AtTerminal] = []

    def started(*args: str, size: tuple[int, int] = (50, 100)) -> AtTerminal:
        running.append(AtTerminal(tmp_path, *args, size=size))
        return running[-1]

    yield started
    for one in running:
        one.program.close(force=True)


def run(home: Path, *args: str, **more: str) -> subprocess.CompletedProcess[str]:
    env = dict(os.environ, EMBERBOARD_HOME=str(home), **more)
    return subprocess.run(
        [*EMBERBOARD, *args], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE
    )


def new_fight(start: Start, *by: str) -> AtTerminal:
    """Three players, each with the suggested Character; dice and tokens by hand unless said otherwise."""
    at = start("play", "--ui", "terminal")
    at.until(r"Which scenario \[1\]> ")
    at.types("", r"How many players, 1 to 5> ")
    assert "Expected 1 to 5" in at.types("nine", r"How many players, 1 to 5> ")
    at.types("3", r"Name of player 1 \[Player 1\]> ")
    at.types("Ada", r"Name of player 2 .*> ")
    assert "ada is taken already" in at.types("ada", r"Name of player 2 .*> ")
    at.types("Ben", r"Name of player 3 .*> ")
    at.types("Cleo", r"Ada plays \[1\]> ")
    at.types("", r"Ben plays \[2\]> ")
    assert "Malah is taken already" in at.types("malah", r"Ben plays \[2\]> ")
    at.types("", r"Cleo plays \[3\]> ")
    at.types("oswin", r"Dice: .*\[1\]> ")
    at.types(by[0] if by else "", r"Tokens: .*\[1\]> ")
    at.types(by[1] if len(by) > 1 else "", r"token> ")
    return at


def question_shown(seen: str) -> str:
    """The question and its answers as they stand on the screen, from the last rule line to the keys."""
    return seen[seen.rindex("━━ ") : seen.rindex("u undo")]


@pytest.mark.slow
def test_an_evening(start: Start) -> None:
    at = new_fight(start)
    assert "The fight begins" in at.seen
    assert "In the bag: 3 white, 3 black, 1 dual." in at.seen
    assert "!! 'green' is not in the bag. Expected white or black or dual, or r." in at.types("green", "token> ")
    at.types("white", "the group> ")
    assert "is no answer here" in at.types("dragon", "the group> ")
    at.types("oswin", "Cleo> ")
    at.types("1", "Cleo> ")
    assert "cannot be reached" in at.types("11,9", "Cleo> ")
    assert "an Enemy is there" in at.types("4,5", "Cleo> ")
    assert "Oswin moves 2 to 3,8." in at.types("3,8", "Cleo> ")
    at.types("lantern", "Cleo> ")
    at.types("1", "the group> ")
    at.types("g", r"Oswin: 4 D12> ")
    assert "a d12 of Oswin cannot show '13'; it shows 1 to 12" in at.types("13 1 1 1", r"Oswin: 4 D12> ")
    at.types("12 9 3 4", r"Oswin: one D8 \(DIV\)> ")
    seen = at.types("7", "Cleo> ")
    assert "Goon A is defeated" in seen and "damage 4 = +5 Lantern Flare (EV-CARD-07), -1 armor (EV-ARMOR-01)" in seen
    assert "EV-ARMOR-01 (Armor) Every amount of damage" in at.types("?", "Cleo> ")
    assert "Taken back: 12 9 3 4 / 7" in at.types("u", "the group> ")
    assert "Done again" in at.types("y", "Cleo> ")
    at.types("x", "Enter: none\\)> ")
    at.types("1", "leave it\\)> ")
    at.types("2 2 2 2", "leave it\\)> ")
    seen = at.types("8", "Cleo> ")
    assert "Corrected." in seen and "0 Successes at Difficulty 8: failure." in seen
    assert "By agreement: Malah has 5 HP." in at.types("a malah hp 5", "Cleo> ")
    assert "there is nobody called 'zork'" in at.types("a zork hp 5", "Cleo> ")
    seen = at.types("m", "Cleo> ")
    before = question_shown(seen)

    at.program.sendintr()
    assert at.ends() == 0
    assert "goes on where you stopped" in at.seen and "Traceback" not in at.seen

    again = start("play", "--ui", "terminal")
    seen = again.until(r"Go on with \[1\]> ")
    assert "There is an unfinished fight" in seen and "Ada, Ben, Cleo" in seen
    seen = again.types("", "Cleo> ")
    assert question_shown(seen) == before
    assert "On with the fight, where you stopped." in seen
    again.program.sendeof()
    assert again.ends() == 0


@pytest.mark.slow
def test_killed_in_mid_question_it_goes_on_at_the_same_one(start: Start) -> None:
    at = new_fight(start, "2", "2")
    seen = at.types("white", "the group> ")
    before = question_shown(seen)
    at.program.kill(signal.SIGKILL)
    at.ends()
    again = start("play", "--ui", "terminal", "--resume", "20")
    assert question_shown(again.until("the group> ")) == before
    again.types("oswin", "Cleo> ")
    assert "the program draws" in again.types("end", "token> "), "the choice of who draws was forgotten"
    again.types("", "> ")


@pytest.mark.slow
def test_ctrl_c_while_a_fight_is_set_up(start: Start) -> None:
    at = start("play", "--ui", "terminal")
    at.until(r"Which scenario \[1\]> ")
    at.program.sendintr()
    assert at.ends() == 0 and "Traceback" not in at.seen
    assert not list(at.home.glob("saves/*.ember"))


@pytest.mark.slow
def test_one_player_is_offered_two_characters_and_can_go_back(start: Start) -> None:
    at = start("play", "--ui", "terminal", "--new", size=(24, 80))
    at.until(r"Which scenario \[1\]> ")
    at.types("", r"How many players, 1 to 5> ")
    at.types("2", r"Name of player 1 .*> ")
    at.types("b", r"How many players, 1 to 5> ")
    at.types("1", r"Name of player 1 .*> ")
    assert "Alone one plays best with two" in at.types("Solo", r"Solo plays \[1 2\]> ")
    at.types("", r"Dice: .*> ")
    at.types("2", r"Tokens: .*> ")
    assert "(Solo)" in at.types("2", r"token> ")
    assert at.program.isalive()
    at.types("", "> ")


@pytest.mark.slow
def test_a_second_program_on_the_same_save(start: Start) -> None:
    at = new_fight(start)
    second = start("play", "--ui", "terminal", "--resume", "20")
    assert second.ends() == 1
    assert re.search(r"is open in another process \(number \d+\)\. Close the game there", second.seen)
    assert "Traceback" not in second.seen
    at.types("w", "the group> ")


@pytest.mark.slow
def test_a_damaged_save_is_recovered_by_agreement(start: Start) -> None:
    at = new_fight(start, "2", "2")
    at.types("white", "> ")
    at.types("1", "> ")
    at.types("q", "goes on where you stopped")
    at.ends()
    (save,) = at.home.glob("saves/*.ember")
    with contextlib.closing(sqlite3.connect(save)) as db, db:
        db.execute("UPDATE operation SET crc = crc + 1 WHERE number = 2")
    damaged = save.read_bytes()

    refuses = start("play", "--ui", "terminal", "--resume", save.stem)
    seen = refuses.until("yes or no> ")
    assert "is damaged" in seen and "Recover it? The damaged file is kept beside it." in seen
    assert "Lost would be: operation 2 (answer malah)" in seen
    refuses.types("perhaps", "yes or no> ")
    refuses.program.sendline("no")
    assert refuses.ends() == 1
    assert save.read_bytes() == damaged, "a no changes nothing"

    agrees = start("play", "--ui", "terminal")
    assert "damaged:" in agrees.until(r"Go on with \[1\]> ")
    agrees.types("1", "yes or no> ")
    assert "Which Character acts?" in agrees.types("yes", "the group> ")
    assert list(at.home.glob("saves/*.damaged-1.ember"))


def test_without_a_terminal(tmp_path: Path) -> None:
    done = run(tmp_path, "play", "--ui", "terminal")
    assert done.returncode == 2
    assert done.stdout == "" and len(done.stderr.splitlines()) == 1
    assert "no terminal" in done.stderr and "emberboard play --autoplay" in done.stderr


@pytest.mark.slow
def test_help_and_going_on_are_quick(start: Start, tmp_path: Path, show: Callable[[str], None]) -> None:
    at = new_fight(start, "2", "2")
    at.types("q", "goes on where you stopped")
    at.ends()
    helped = min(_seconds(lambda: run(tmp_path, "--help")) for _ in range(3))

    def resumed() -> None:
        again = start("play", "--ui", "terminal", "--resume", "20")
        again.until("token> ")
        again.types("q", "stopped")
        again.ends()

    went_on = min(_seconds(resumed) for _ in range(3))
    show(
        f"terminal: --help in {helped:.2f} s, going on with a fight in {went_on:.2f} s from the shell (at most 2 and 4)"
    )
    assert helped < 3 and went_on < 6


def _seconds(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def test_help_imports_nothing_heavy() -> None:
    heavy = "('shapely', 'icepool', 'ruamel.yaml', 'numpy', 'sqlite3', 'rich.console')"
    code = f"import sys\nfrom emberboard.cli.main import app\nprint([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout.strip() in ("[]", "['rich.console']")
