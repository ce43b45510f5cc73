"""A real host process that serves the page, and the real Chromium that shows it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WITHIN_S = 60.0
BUILD = Path(__file__).resolve().parents[2] / "build"
LAPTOP, TABLET, PHONE = (1280, 800), (820, 1180), (390, 844)


@dataclass
class Host:
    """`emberboard play` in a process of its own: where its page is, and what it said."""

    process: subprocess.Popen[str]
    url: str
    said: list[str]

    def end(self) -> int:
        """Stop it as Ctrl-C does: its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(30)

    def kill(self) -> None:
        """Pull the plug."""
        self.process.kill()
        self.process.wait(30)


@contextmanager
def host(home: Path, *args: str, port: int = 0) -> Iterator[Host]:
    """A host that keeps its saves under `home`; ended at the end."""
    command = [str(Path(sys.executable).with_name("emberboard")), "play", "--no-open", "--port", str(port), *args]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "EMBERBOARD_HOME": str(home), "PYTHONUNBUFFERED": "1"},
    )
    lines: Queue[str] = Queue()
    reader = Thread(target=_read, args=(process, lines), daemon=True)
    reader.start()
    said: list[str] = []
    try:
        yield Host(process, _url(lines, said), said)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise


def _read(process: subprocess.Popen[str], lines: Queue[str]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        lines.put(line.rstrip("\n"))
    lines.put("")


def _url(lines: Queue[str], said: list[str]) -> str:
    while True:
        try:
            said.append(lines.get(timeout=WITHIN_S))
        except Empty:
            raise AssertionError(f"the host did not say where its page is; it said {said}") from None
        found = re.search(r"table is at (http://\S+)", said[-1])
        if found:
            return found.group(1)
        if said[-1] == "":
            raise AssertionError(f"the host ended; it said {said}")


def open_browser(playwright: Playwright) -> Browser:
    """The system's Chromium."""
    if not CHROMIUM:
        pytest.skip("no Chromium here: 'apt install chromium'")
    return playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))


def visit(browser: Browser, url: str, size: tuple[int, int] = LAPTOP, **more: object) -> Page:
    """A fresh browser context at an address; what the page's scripts complain of is kept in `page.complaints`."""
    context: BrowserContext = browser.new_context(viewport={"width": size[0], "height": size[1]}, **more)  # type: ignore[arg-type]
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    page.complaints = complaints  # type: ignore[attr-defined]
    page.set_default_timeout(20_000)
    page.goto(url)
    return page


def snap(page: Page, name: str) -> None:
    """A screenshot under build/screenshots/."""
    page.screenshot(path=BUILD / "screenshots" / f"{name}.png")
