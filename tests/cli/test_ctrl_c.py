"""Ctrl-C at a real terminal: it reaches every process of the table, and nobody sees more than a line."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pexpect
import pytest

EMBERBOARD = str(Path(sys.executable).with_name("emberboard"))
pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("command", "ready", "last", "status"),
    [
        (["play", "--no-open"], "Ctrl-C closes it", "Closed. `emberboard play` goes on where you stopped.", 0),
        (["demo"], "Round 1", "Stopped. The same seed plays the same fight again.", 130),
    ],
)
def test_it_ends_the_whole_table_without_a_traceback(
    tmp_path: Path, command: list[str], ready: str, last: str, status: int
) -> None:
    environment = {**os.environ, "EMBERBOARD_HOME": str(tmp_path)}
    at = pexpect.spawn(EMBERBOARD, command, env=environment, encoding="utf-8", timeout=60)
    at.expect(ready)
    at.sendintr()
    at.expect(pexpect.EOF)
    at.close()
    assert "Traceback" not in at.before and at.before.strip().splitlines()[-1].removeprefix("^C") == last, at.before
    assert at.exitstatus == status
