"""Browsers that are closed at the end of each module."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.browser.pages import SETTINGS
from tests.support.chromium import chromium

from wavecrawl.adapters.browser.chromium import ChromiumBrowser

Open = Callable[..., ChromiumBrowser]


@pytest.fixture(name="opened", scope="module")
def browsers_that_are_closed() -> Iterator[Open]:
    """Return a function that makes browsers."""
    made: list[ChromiumBrowser] = []

    def open_one(**arguments: Any) -> ChromiumBrowser:
        made.append(chromium(**{"settings": SETTINGS, **arguments}))
        return made[-1]

    yield open_one
    for browser in made:
        browser.close()


@pytest.fixture(name="browser", scope="module")
def a_browser(opened: Open) -> ChromiumBrowser:
    return opened()
