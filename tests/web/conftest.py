"""One Chromium for each module, whose driver owns the thread's event loop meanwhile; hosts are each test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from emberboard.devices.table_file import table_named
from emberboard.store.saves import HOME
from emberboard.virtual.table import VirtualTable
from tests.web.browsers import open_browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's Chromium, without a window."""
    with sync_playwright() as playwright:
        one = open_browser(playwright)
        yield one
        one.close()


@pytest.fixture(scope="module")
def works() -> Iterator[VirtualTable]:
    """A virtual table for all tests of a module."""
    with VirtualTable(table_named("2x2")) as table:
        yield table


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where Emberboard keeps its files in this test."""
    monkeypatch.setenv(HOME, str(tmp_path))
    return tmp_path
