"""With CI=true a required part that is skipped fails the run; only a real table may be missing."""

from __future__ import annotations

from pathlib import Path

import pytest

SKIPS = "import pytest\n\n\ndef test_it():\n    pytest.skip({reason!r})\n"
CONFTEST = "from tests.conftest import pytest_sessionfinish  # noqa: F401\n"


@pytest.mark.parametrize(
    ("ci", "reason", "fails"),
    [
        ("true", "no compiler", True),
        ("true", "no real table: EMBERBOARD_HIL names no file", False),
        ("", "no compiler", False),
    ],
)
def test_a_skipped_part_fails_in_ci(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, ci: str, reason: str, fails: bool
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(SKIPS.format(reason=reason))
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    assert (result.ret != 0) is fails
    result.assert_outcomes(skipped=1)
