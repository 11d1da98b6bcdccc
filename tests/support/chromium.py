"""Chromium for tests: without it they are skipped, in CI they fail."""

import os
from typing import Any

import pytest

from wavecrawl.adapters.browser.chromium import ChromiumBrowser
from wavecrawl.domain.rendering.settings import RenderSettings
from wavecrawl.errors import BrowserMissingError


def chromium(**arguments: Any) -> ChromiumBrowser:
    """Return a browser that starts Chromium with its first page."""
    try:
        return ChromiumBrowser(**{"settings": RenderSettings(settle=0.5), "user_agent": "wavecrawl/test", **arguments})
    except BrowserMissingError as error:
        if "CI" in os.environ:
            raise
        pytest.skip(str(error))
