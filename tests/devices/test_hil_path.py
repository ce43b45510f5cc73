"""The way to a real table, walked without one: the contract by hand, in a terminal, with a robot for a hand.

`EMBERBOARD_HIL` names a table, pytest runs in a terminal of its own on the installed drivers, and says what to press,
lay down or look at; the robot reads that and does it on the preloaded GPIO chip and the PN532 behind a PTY. So the
suite that a builder runs in front of the table is known to work before there is one.
"""

from __future__ import annotations

import io
import re
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pexpect
import pytest

from emberboard.devices.table_file import read_table
from emberboard.virtual.keys import ShiftChain
from emberboard.virtual.pn532 import PtyPn532
from tests.devices.gpiochip import GpioChip
from tests.devices.key_rigs import ROOT, SMALL, wires
from tests.devices.test_reader import LONG, ONE, OTHER

END = r"(\d+ (?:passed|failed|skipped)[^\r\n]*)\r?\n"


def walk(suite: str, environment: Mapping[str, str], robot: Mapping[str, Callable[[str], str | None]]) -> str:
    """Run a suite's real-table cases in a terminal; `robot` does what each prompt says, and may answer. Its summary."""
    terminal = pexpect.spawn(
        sys.executable,
        ["-m", "pytest", f"tests/devices/{suite}", "-k", "[table", "--color=no", "-p", "no:cacheprovider"],
        cwd=str(ROOT),
        env=dict(environment),
        timeout=60,
        encoding="utf-8",
    )
    said = io.StringIO()
    terminal.logfile_read = said
    prompts = [*robot, END]
    while (at := terminal.expect(prompts)) < len(robot):
        answer = robot[prompts[at]](terminal.match.group(1))
        if answer is not None:
            terminal.sendline(answer)
    summary: str = terminal.match.group(1)
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0, said.getvalue()
    return summary


@pytest.mark.slow
def test_the_contract_of_keys_by_hand_in_a_terminal(chip: GpioChip) -> None:
    table = read_table(SMALL)
    where, chain = wires(table), ShiftChain(table.lights.data, table.lights.clock, table.lights.latch)
    done, looked = set(), []

    def press(key: str) -> None:
        done.add(key)
        chip.contact(*where[key], True)

    def tap(key: str) -> None:
        press(key)
        threading.Event().wait(0.1)
        chip.contact(*where[key], False)

    def look(names: str) -> str:
        looked.append(names)
        wanted = {name for name in names.split(", ") if name != "none"}
        patience = time.monotonic() + 2  # an eye is slower than the thread that drives the lights
        while True:
            for _ns, line, level in chip.edges():
                chain.drive(line, level)
            if chain.lit == wanted or time.monotonic() > patience:
                return "y" if chain.lit == wanted else "n"
            threading.Event().wait(0.02)

    summary = walk(
        "test_keys.py",
        {**chip.environment(), "EMBERBOARD_HIL": str(SMALL)},
        {
            r"Press and hold ([^\r\n]+)\.\r?\n": press,
            r"Let go of ([^\r\n]+)\.\r?\n": lambda key: chip.contact(*where[key], False),
            r"Tap ([^\r\n]+) briefly\.\r?\n": tap,
            r"Are exactly these lit: ([^?]*)\? \[y/n\] ": look,
        },
    )
    # All but the three that no hand can do; those are said to be skipped.
    assert re.match(r"6 passed, 3 skipped", summary)
    assert {"seat 5 no", "Undo", "OK", "+10"} <= done
    assert len(looked) == 3


@pytest.mark.slow
def test_the_contract_of_the_reader_by_hand_in_a_terminal(tmp_path: Path, chip: GpioChip) -> None:
    pty = PtyPn532(tmp_path / "reader")
    table = tmp_path / "table.yaml"
    table.write_text(SMALL.read_text().replace("/dev/ttyAMA5, pins: [12, 13]", str(pty.port.readlink())))
    tags = {tag[-2:]: tag for tag in (ONE, OTHER, LONG)}
    summary = walk(
        "test_reader.py",
        {**chip.environment(), "EMBERBOARD_HIL": str(table)},
        {
            r"Lay tag (..) on the reader": lambda tag: pty.present(tags[tag]),
            r"Take tag (..) away": lambda tag: pty.remove(tags[tag]),
        },
    )
    pty.stop()
    assert re.match(r"4 passed, 2 skipped", summary)
