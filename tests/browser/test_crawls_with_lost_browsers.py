"""A crawl whose browser is killed and stopped has the result of any other."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.browser.test_lost_browsers import pids
from tests.support.campaign import CAMPAIGN, slow
from tests.support.chromium import chromium
from tests.support.comparing import fingerprint
from tests.support.crawling import ALL_FILES, crawl_inline
from tests.support.shell_site import scripted_site, shop_browser

from wavecrawl.demo.reply import Reply
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.rendering.settings import RenderSettings

RENDER = RenderSettings(learn_after=1, sample_every=0, settle=100.0, timeout=200.0)
SETTINGS = replace(ALL_FILES, max_depth=25 if CAMPAIGN else 3, render=RENDER)
HARMS = [{2: signal.SIGKILL, 4: signal.SIGSTOP}]  # by number of the request
if CAMPAIGN:
    HARMS = [dict.fromkeys(range(2, 100, 4), sent) for sent in (signal.SIGKILL, signal.SIGSTOP)]


class Shop(SiteServer):
    """The site. It calls `before` with the number of the request, from 1, before it responds to /app.js."""

    def __init__(self) -> None:
        super().__init__(scripted_site())
        self.before: Callable[[int], None] = lambda _: None
        self.requests = 0

    def _finder(self) -> Callable[[str], Reply | None]:
        find = super()._finder()

        def finding(path: str) -> Reply | None:
            if path == "/app.js":
                self.requests += 1
                self.before(self.requests)
            return find(path)

        return finding


@slow  # browsers that are killed and waited for
@pytest.mark.parametrize("harms", HARMS, ids=lambda one: " ".join(sorted({sent.name for sent in one.values()})))
def test_a_browser_that_is_lost_now_and_then_changes_no_result(
    tmp_path: Path, harms: dict[int, signal.Signals]
) -> None:
    """The fake browser makes the same pages as the scripts do, and shows what is expected."""
    with Shop() as server:
        calm = crawl_inline(server.url, tmp_path / "calm", SETTINGS, browser=shop_browser())
        expected = fingerprint(calm.exports, server.origin)
        assert expected["pages.csv"]
        assert calm.summary.rendered > 3
        server.forget()
        browser = chromium(settings=SETTINGS.render, allowed=(f"127.0.0.1:{server.port}",))
        harmed: list[int] = []

        def harm(number: int) -> None:
            if number in harms:
                harmed.extend(pids(browser)[:1])
                os.kill(harmed[-1], harms[number])

        server.before = harm
        try:
            done = crawl_inline(server.url, tmp_path / "harmed", SETTINGS, browser=browser)
        finally:
            browser.close()
        assert len(harmed) > 1
        assert fingerprint(done.exports, server.origin) == expected
