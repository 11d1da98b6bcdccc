"""Chromium as people use it, started with Playwright."""

from contextlib import suppress
from typing import Any

from playwright.sync_api import Browser, BrowserType, Error
from tests.support.patience import HANG

_STARTS = 5


def launched(kind: BrowserType, path: str, *arguments: str, **options: Any) -> Browser:
    """Start Chromium. If it crashes while it starts, start it again: the tests are about what it shows."""
    for _ in range(_STARTS - 1):
        with suppress(Error):
            return _launched(kind, path, *arguments, **options)
    return _launched(kind, path, *arguments, **options)


def _launched(kind: BrowserType, path: str, *arguments: str, **options: Any) -> Browser:
    return kind.launch(executable_path=path, args=["--no-sandbox", *arguments], timeout=HANG * 1000, **options)
