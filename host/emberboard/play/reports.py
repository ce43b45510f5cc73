"""Reports of what broke, for those who mend it; players are told where they lie."""

from __future__ import annotations

import traceback
from datetime import datetime
from pathlib import Path

from emberboard.store.saves import folder


def reports_folder() -> Path:
    """Where reports are written. It need not be there yet."""
    return folder() / "reports"


def report_error(error: BaseException, about: str) -> str:
    """Write a report of something that nobody foresaw, and say so in words for players."""
    report = write_report("".join(traceback.format_exception(error)), about)
    return f"Something broke that should not have: {type(error).__name__}. {report}"


def write_report(report: str, about: str) -> str:
    """Write a report and say in words where it lies, or that it could not be written."""
    # Its import is slow, and reports are rare.
    from importlib.metadata import version

    now = datetime.now().astimezone()
    path = reports_folder() / f"{now:%Y-%m-%d-%H%M%S-%f}.txt"
    text = f"Emberboard {version('emberboard')}, {now.isoformat(timespec='seconds')}\n{about}\n\n{report}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        return f"A report could not be written to {path}: {error}."
    return f"A report of it is in {path}."
