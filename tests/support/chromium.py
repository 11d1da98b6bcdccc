"""Chromium for tests: without it they are skipped, and fail in CI."""

import os
from typing import Any

import pytest

from wavecrawl.adapters.browser.chromium import ChromiumBrowser
from wavecrawl.adapters.browser.executable import find_chromium
from wavecrawl.domain.rendering.settings import RenderSettings
from wavecrawl.errors import BrowserMissingError


def executable() -> str:
    """Return the path of Chromium."""
    try:
        return find_chromium()
    except BrowserMissingError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))


def chromium(**arguments: Any) -> ChromiumBrowser:
    """Return a browser of the product. It starts Chromium with its first page."""
    defaults = {
        "settings": RenderSettings(settle=0.5, timeout=200.0),
        "user_agent": "wavecrawl/test",
        "executable": executable(),
    }
    return ChromiumBrowser(**{**defaults, **arguments})
