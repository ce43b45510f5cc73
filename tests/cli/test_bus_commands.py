"""The doctor and the list of boards, before real firmware processes: each fault is recognised and its fix named."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from emberboard.cli.bus_commands import check_boards
from emberboard.cli.main import app
from emberboard.devices.table_file import WIRING, read_table
from emberboard.engine.errors import Refused
from emberboard.link.wire import Wire
from emberboard.virtual.boards import VirtualBoards

FILE = read_table(WIRING / "2x2.yaml")


@pytest.mark.slow
def test_boards_that_answer_and_boards_that_do_not() -> None:
    with VirtualBoards(4) as boards:
        assert [(one.device, one.well) for one in check_boards(FILE, [boards.port])] == [("segment A", True)]
        boards.unplug(2)
        (finding,) = check_boards(FILE, [boards.port])
        assert not finding.well and finding.words.startswith("3 of 4 boards answer: check power and plugs")
        for board in (0, 1, 3):
            boards.unplug(board)
        (finding,) = check_boards(FILE, [boards.port])
        assert finding.words == "0 of 4 boards answer: check the cable from the host."


@pytest.mark.slow
def test_a_bus_that_is_in_use_or_not_there_says_the_fix() -> None:
    with VirtualBoards(1) as boards, Wire([boards.port], 5):
        (finding,) = check_boards(FILE, [boards.port])
        assert not finding.well and "in use by another program" in finding.words
    refused = CliRunner().invoke(app, ["boards", "2x2"])
    assert isinstance(refused.exception, Refused) and "/dev/ttyAMA0" in str(refused.exception)
    (finding,) = check_boards(FILE, ["/dev/ttyNONE"])
    assert not finding.well and "is the adapter plugged in" in finding.words


@pytest.mark.slow
def test_the_commands(tmp_path: Path) -> None:
    with VirtualBoards(4) as virtual:
        text = (WIRING / "2x2.yaml").read_text().replace("port: /dev/ttyAMA0", f"port: {virtual.port}")
        file = tmp_path / "table.yaml"
        file.write_text(text.replace("    pins: [14, 15]            # TX, RX\n", ""))
        listed = CliRunner().invoke(app, ["boards", str(file)])
        assert listed.exit_code == 0 and "4 of 4 boards answer." in listed.output, listed.output
        assert all(virtual.uid(board) in listed.output for board in range(4))
        traced = CliRunner().invoke(app, ["boards", str(file), "--trace"])
        ways = {line.split()[2] for line in traced.output.splitlines() if line.startswith("A ")}
        assert ways == {"<", ">"}, traced.output
        seen = CliRunner().invoke(app, ["doctor", str(file)])
        assert "well   segment A: all 4 boards answer" in seen.output, seen.output
        assert seen.exit_code == 1 and "FAULT  reader bag" in seen.output, "this machine has no reader at that port"
