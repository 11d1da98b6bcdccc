"""Contexts of the browser: each page has one of its own, with a right of its own to use the proxy."""

from typing import Final, Literal

from playwright.async_api import Browser, BrowserContext

from wavecrawl.adapters.browser.page_gate import PageGate
from wavecrawl.domain.fetching.accepted_languages import first_language

_LANGUAGE: Final = "en-US"


async def open_context(
    browser: Browser,
    gate: PageGate,
    *,
    proxy: str,
    user_agent: str,
    size: tuple[int, int],
    accept_language: str = "",
    service_workers: Literal["allow", "block"] = "block",
) -> BrowserContext:
    """Open a context whose requests all go through the proxy.

    Args:
        browser: that it is opened in.
        gate: what the proxy lets the context through by.
        proxy: URL of the proxy.
        user_agent: product, version and contact of the crawler.
        size: width and height of the window in pixels.
        accept_language: value of the header; its first language is that of the browser. "": en-US.
        service_workers: whether pages may have them.
    """
    width, height = size
    return await browser.new_context(
        proxy={
            "server": proxy,
            "username": gate.user,
            "password": gate.password,
            "bypass": "<-loopback>",  # also loopback goes through the proxy
        },
        user_agent=_agent(browser, user_agent),
        viewport={"width": width, "height": height},
        screen={"width": width, "height": height},
        locale=first_language(accept_language) or _LANGUAGE,
        extra_http_headers={"Accept-Language": accept_language} if accept_language else {},
        timezone_id="UTC",
        color_scheme="light",
        reduced_motion="reduce",
        accept_downloads=False,
        service_workers=service_workers,
        permissions=[],
    )


def _agent(browser: Browser, user_agent: str) -> str:
    """Return a User-Agent that names the crawler, in the form that scripts expect of Chromium."""
    major = browser.version.partition(".")[0]
    return (
        f"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; {user_agent}) "
        f"Chrome/{major}.0.0.0 Safari/537.36"
    )
