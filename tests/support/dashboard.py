"""The built dashboard, and a browser that looks at it. Without either, tests are skipped; in CI they fail."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright
from tests.support.chromium import executable
from tests.support.launching import launched
from tests.support.patience import HANG

from wavecrawl.api.dashboard import BUNDLE

_AXE = Path(__file__).parents[2] / "dashboard" / "node_modules" / "axe-core" / "axe.min.js"
_RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
_PATIENCE = HANG * 1000 / 10  # milliseconds until a wait in the browser fails

expect.set_options(timeout=_PATIENCE)


def must_be_built() -> None:
    """Skip the test if the dashboard is not built here, or fail it in CI."""
    if (BUNDLE / "index.html").is_file() and _AXE.is_file():
        return
    missing = "the dashboard is not built: run `make dashboard`, which needs Node.js"
    if os.environ.get("CI"):
        pytest.fail(missing)
    pytest.skip(missing)


@contextmanager
def chromium_for_people(*arguments: str) -> Iterator[Browser]:
    """Start Chromium as people use it, without the proxy and the rules of the crawler's browser."""
    must_be_built()
    with sync_playwright() as playwright:
        browser = launched(playwright.chromium, executable(), *arguments)
        yield browser
        browser.close()


@dataclass(slots=True, kw_only=True)
class Visitor:
    """A person with a browser window. `clicks` counts what they click; `errors` has what the console reports."""

    page: Page
    clicks: int = 0
    errors: list[str] = field(default_factory=list)

    def click(self, role: Any, name: str, *, exact: bool = True) -> None:
        """Click a button, link or other control by its name."""
        self.page.get_by_role(role, name=name, exact=exact).first.click()
        self.clicks += 1

    def sees(self, text: str) -> None:
        """Wait until a text is visible."""
        self.page.get_by_text(text).first.wait_for()

    def accessibility_problems(self) -> list[str]:
        """Return the findings of axe-core for the page as it is."""
        self.page.evaluate(_AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate("rules => axe.run({runOnly: {type: 'tag', values: rules}})", list(_RULES))
        return [f"{one['id']}: {node['html']}" for one in found["violations"] for node in one["nodes"]]

    def is_wider_than_its_window(self) -> bool:
        """Return whether the page must be scrolled sideways (WCAG 1.4.10)."""
        wider: bool = self.page.evaluate("document.documentElement.scrollWidth > innerWidth")
        return wider


@contextmanager
def visitor(
    browser: Browser, url: str, *, width: int = 1280, dark: bool = False, offline_ok: bool = False
) -> Iterator[Visitor]:
    """Open a page in a window of its own. `offline_ok`: errors of the network are expected."""
    context = browser.new_context(
        viewport={"width": width, "height": 860}, color_scheme="dark" if dark else "light", accept_downloads=True
    )
    context.set_default_timeout(_PATIENCE)
    found = Visitor(page=context.new_page())

    def note(message: ConsoleMessage) -> None:
        if message.type == "error" and not (offline_ok and "Failed to load resource" in message.text):
            found.errors.append(message.text)

    found.page.on("console", note)
    found.page.on("pageerror", lambda error: found.errors.append(str(error)))
    found.page.goto(url)
    yield found
    context.close()
