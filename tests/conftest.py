"""What every test has: evidence for the rule catalogues, pytest's own test bench, and lines shown after the run.

With CI=true a skipped test fails the run, unless it waits for a real table (EMBERBOARD_HIL).
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

pytest_plugins = ("pytester", "tests.evidence")


AREAS = ("web/", "firmware/", "faults/", "cli/", "devices/", "link/test_wire")
IN_REAL_TIME = tuple(f"tests/{area}" for area in AREAS)
"""Where real processes, browsers and terminals run against the clock: a machine may starve them."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What runs in real time is tried once more when it fails; the summary counts such tries (`rerun`)."""
    for item in items:
        if item.nodeid.startswith(IN_REAL_TIME):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture
def show(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Show a line after the run, also when the test ran on a worker and passed: measured numbers, longest tails."""
    return lambda line: record_property("shown", line)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests wanted shown, and which were tried once more."""
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    properties = [pair for report in reports for pair in getattr(report, "user_properties", ())]
    lines = dict.fromkeys(str(value) for name, value in properties if name == "shown")
    if lines:
        terminalreporter.section("measured")
        for line in lines:
            terminalreporter.write_line(line)
    again = dict.fromkeys(report.nodeid for report in terminalreporter.stats.get("rerun", ()))
    if again:
        terminalreporter.section("tried once more")
        for name in again:
            terminalreporter.write_line(name)


def skipped_in_ci(config: pytest.Config) -> list[str]:
    """Tests that were skipped although CI is to run every required part, each with its reason."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    at_a_table = bool(os.environ.get("EMBERBOARD_HIL"))  # a person is there, and leaves out what hands cannot do
    if os.environ.get("CI") != "true" or at_a_table or reporter is None or hasattr(config, "workerinput"):
        return []
    found = [(report.nodeid, str(report.longrepr)) for report in reporter.stats.get("skipped", [])]
    return [f"{name}: {reason}" for name, reason in found if ALLOWED_SKIP not in reason]


ALLOWED_SKIP = "no real table"


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a CI run in which a required part was skipped."""
    skipped = skipped_in_ci(session.config)
    if skipped:
        print("\nCI runs every required part, but these were skipped:", *skipped, sep="\n  ")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
