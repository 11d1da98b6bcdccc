"""The facts of a crawl that its results contain."""

from typing import Any

import msgspec

from wavecrawl import __version__
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.urls.url import Identity
from wavecrawl.ports.analytics import CrawlFacts
from wavecrawl.ports.crawls import CrawlRow


def facts_of(
    crawl: CrawlRow, *, status: CrawlStatus, stopped: str, finished_at: float, usage: Usage | None = None
) -> CrawlFacts:
    """Return the facts of a crawl. `finished_at`: Unix seconds; of a running crawl, now."""
    settings: dict[str, Any] = msgspec.to_builtins(crawl.settings)
    del settings["urls"]  # stored elsewhere (`application.url_list`); the ledger names them
    return CrawlFacts(
        crawl=crawl.id.crawl,
        site=crawl.id.site,
        root_url=crawl.root_url or crawl.start_url,
        root_key=root_key(crawl),
        status=status.value,
        stopped=stopped,
        started_at=crawl.started_at,
        finished_at=finished_at,
        settings=settings,
        version=__version__,
        follow_nofollow=crawl.settings.follow_nofollow,
        usage=usage or Usage(),
    )


def root_key(crawl: CrawlRow) -> str:
    """Return the url key of the crawl's root."""
    identity = Identity(tracking_parameters=crawl.settings.tracking_parameters)
    return identity.page_url(crawl.root_url or crawl.start_url).key
