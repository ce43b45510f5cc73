"""What every test has: evidence for the rule catalogues, and pytest's own test bench for testing it."""

from __future__ import annotations

pytest_plugins = ("pytester", "tests.evidence")
