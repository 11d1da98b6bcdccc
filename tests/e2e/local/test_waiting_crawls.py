"""A crawl that waits for its host ends when it is cancelled or its time is over."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.crawling import QUICK

from wavecrawl.bootstrap.local import Watchers, run_local_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.model import Site
from wavecrawl.demo.patterns import page
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus

SLOW = replace(QUICK, polite=replace(QUICK.polite, interval=200.0))
PAGES = tuple(page(path, "/a", "/b", "/c") for path in ("/", "/a", "/b", "/c"))


@pytest.mark.parametrize(
    ("settings", "status", "reason"),
    [
        (SLOW, CrawlStatus.CANCELLED, "cancelled"),
        (replace(SLOW, max_seconds=2.0), CrawlStatus.COMPLETED, "time_limit"),
    ],
    ids=["cancelled", "time is over"],
)
def test_a_crawl_that_waits_for_its_host_ends(
    tmp_path: Path, settings: CrawlSettings, status: CrawlStatus, reason: str
) -> None:
    store = LocalStore(tmp_path)
    with SiteServer(Site(pages=PAGES)) as server:
        row = store.start(server.url, settings)

        def fetched(_: object) -> None:
            if status is CrawlStatus.CANCELLED:
                store.crawls.ask_to_cancel(row.id)

        watchers = Watchers(on_progress=lambda _: None, on_tally=fetched, poll=lambda: None)
        _, summary = run_local_crawl(store, row, workers=2, watchers=watchers)
    ended = store.crawls.read(row.id)
    store.close()
    assert ended is not None
    assert summary is not None
    assert (ended.status, summary.stopped) == (status, reason)
    assert summary.pages <= 1
