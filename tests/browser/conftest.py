"""Browsers for tests: one that all tests of a process share, and browsers of their own for tests that end them."""

from asyncio import Semaphore
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser
from tests.browser.pages import SETTINGS
from tests.support.chromium import chromium
from tests.support.dashboard import chromium_for_people

from wavecrawl.adapters.browser.chromium import ChromiumBrowser
from wavecrawl.adapters.http.addresses import AddressPolicy
from wavecrawl.adapters.http.connections import Dialer
from wavecrawl.adapters.http.resolver import Lookup, Resolver, system_lookup
from wavecrawl.domain.rendering.settings import RenderSettings

Open = Callable[..., ChromiumBrowser]


@pytest.fixture(name="desktop", scope="module")
def a_browser_for_the_dashboard() -> Iterator[Browser]:
    with chromium_for_people() as browser:
        yield browser


@pytest.fixture(name="shared", scope="session")
def the_browser_of_this_process() -> Iterator[ChromiumBrowser]:
    browser = chromium(settings=SETTINGS)
    yield browser
    browser.close()


@pytest.fixture(name="opened")
def the_shared_browser_with_other_settings(shared: ChromiumBrowser) -> Open:
    """Return a function that sets up the shared browser. A new Chromium would take a second for each test."""

    def set_up(
        *, settings: RenderSettings = SETTINGS, allowed: Iterable[str] = (), lookup: Lookup = system_lookup
    ) -> ChromiumBrowser:
        pool = shared._pool
        pool._settings = settings
        pool._slots = Semaphore(settings.in_flight)
        pool._proxy._dialer = Dialer(resolver=Resolver(lookup=lookup), policy=AddressPolicy(allowed))
        return shared

    return set_up


@pytest.fixture(name="browser")
def a_browser(opened: Open) -> ChromiumBrowser:
    return opened()


@pytest.fixture(name="fresh")
def browsers_that_are_closed() -> Iterator[Open]:
    """Return a function that makes browsers, for tests that end them or start them in another way."""
    made: list[ChromiumBrowser] = []

    def open_one(**arguments: Any) -> ChromiumBrowser:
        made.append(chromium(**{"settings": SETTINGS, **arguments}))
        return made[-1]

    yield open_one
    for browser in made:
        browser.close()
