"""Worker processes whose browser is the fake one: a substitute for `bootstrap.worker.build_worker`."""

import os
from itertools import count
from typing import Any

from tests.support.fake_browser import FakeBrowser
from tests.support.shell_site import shop_browser

from wavecrawl.adapters.embedded.worker import Reporter, Work
from wavecrawl.bootstrap import browsers, worker
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import TransientError
from wavecrawl.ports.browser import Browser, RenderedPage, RenderRequest


def build_faked_worker(reporter: Reporter, owner: str, root: str, crawl_id: CrawlId) -> Work:
    """Return the work of a process that renders the shop of `shell_site`."""
    browsers.chromium = _fake
    return worker.build_worker(reporter, owner, root, crawl_id)


def build_failing_worker(reporter: Reporter, owner: str, root: str, crawl_id: CrawlId) -> Work:
    """Return the same work, with a browser that often cannot be started, and that sometimes ends the process."""
    browsers.chromium = _failing
    return worker.build_worker(reporter, owner, root, crawl_id)


def _failing(*_: Any, **__: Any) -> Browser:
    calls = count(1)
    shop = shop_browser()

    def scripts(request: RenderRequest) -> RenderedPage:
        number = next(calls)
        if number % 5 == 0:
            os._exit(9)
        if number % 3 == 0:
            raise TransientError("the browser cannot be started now")
        return shop.render(request)

    return FakeBrowser(scripts)


def _fake(*_: Any, **__: Any) -> Browser:
    return shop_browser()
