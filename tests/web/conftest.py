"""One Chromium for each module, whose driver owns the thread's event loop meanwhile; hosts are each test's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.web.browsers import open_browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's Chromium, without a window."""
    with sync_playwright() as playwright:
        one = open_browser(playwright)
        yield one
        one.close()
