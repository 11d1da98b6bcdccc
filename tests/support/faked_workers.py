"""Worker processes whose browser is the fake one: a substitute for `bootstrap.worker.build_worker`."""

from tests.support.shell_site import shop_browser

from wavecrawl.adapters.embedded.worker import Reporter, Work
from wavecrawl.bootstrap import browsers, worker
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.ports.browser import Browser


def build_faked_worker(reporter: Reporter, owner: str, root: str, crawl_id: CrawlId) -> Work:
    """Return the work of a process that renders the shop of `shell_site`."""
    browsers.chromium = _fake
    return worker.build_worker(reporter, owner, root, crawl_id)


def _fake(settings: CrawlSettings) -> Browser:  # noqa: ARG001 - the signature of `chromium`
    return shop_browser()
