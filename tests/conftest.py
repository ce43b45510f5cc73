"""What every test has: evidence for the rule catalogues, pytest's own test bench, and lines shown after the run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest_plugins = ("pytester", "tests.evidence")


@pytest.fixture
def show(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Show a line after the run, also when the test ran on a worker and passed: measured numbers, longest tails."""
    return lambda line: record_property("shown", line)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests wanted shown."""
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    properties = [pair for report in reports for pair in getattr(report, "user_properties", ())]
    lines = dict.fromkeys(str(value) for name, value in properties if name == "shown")
    if lines:
        terminalreporter.section("measured")
        for line in lines:
            terminalreporter.write_line(line)
