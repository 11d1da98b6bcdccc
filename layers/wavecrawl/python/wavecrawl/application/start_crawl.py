"""Start a crawl: check what was asked for, take the site's lock, write the crawl down."""

from wavecrawl.domain.job import CrawlId
from wavecrawl.domain.settings import CrawlSettings, Discovery
from wavecrawl.domain.url import Identity
from wavecrawl.errors import ConflictError
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.crawls import CrawlRow, Crawls


def start_crawl(id_: CrawlId, start_url: str, settings: CrawlSettings, *, crawls: Crawls, clock: Clock) -> CrawlRow:
    """Return the crawl as stored.

    Raise InvalidUrlError or InvalidSettingsError where the input does not hold, ConflictError where the site is being
    crawled already; nothing is stored then.
    """
    identity = Identity(tracking_parameters=settings.tracking_parameters)
    root = identity.page_url(start_url)
    if settings.discovery is Discovery.LIST:
        for url in settings.urls:
            identity.page_url(url)
    crawl = CrawlRow(id=id_, start_url=start_url, root_url="", settings=settings.validated(), started_at=clock.now())
    running = crawls.create(crawl)
    if running is not None:
        raise ConflictError(f"{root.host} is being crawled already, by crawl {running}. Wait for it, or cancel it")
    return crawl
