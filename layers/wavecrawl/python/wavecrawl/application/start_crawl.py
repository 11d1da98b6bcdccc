"""Start a crawl: check what was asked for, take the site's lock, write the crawl down."""

from datetime import UTC, datetime
from hashlib import blake2b

from wavecrawl.domain.job import CrawlId
from wavecrawl.domain.settings import CrawlSettings, Discovery
from wavecrawl.domain.url import Identity
from wavecrawl.errors import CorruptDataError, CrawlRunningError
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.crawls import CrawlRow, Crawls


def site_of(url: str, settings: CrawlSettings) -> str:
    """Return the name of the site whose root is `url`: its host, and enough of a hash to tell roots apart.

    Raise InvalidUrlError where the URL cannot be crawled.
    """
    root = Identity(tracking_parameters=settings.tracking_parameters).page_url(url)
    digest = blake2b(root.key.encode(), digest_size=4).hexdigest()
    return f"{root.host.strip('[]').replace(':', '_')}-{digest}"


def crawl_id_at(now: float, suffix: str) -> str:
    """Return a crawl's id: ids sort by the second they were made in, `suffix` tells those of one second apart."""
    return f"{datetime.fromtimestamp(now, tz=UTC):%Y%m%d-%H%M%S}-{suffix}"


def start_crawl(id_: CrawlId, start_url: str, settings: CrawlSettings, *, crawls: Crawls, clock: Clock) -> CrawlRow:
    """Return the crawl as stored; where this very crawl was started before, as it stands now.

    Raise InvalidUrlError or InvalidSettingsError where the input does not hold, CrawlRunningError where another crawl
    of the site is under way; nothing is stored then.
    """
    identity = Identity(tracking_parameters=settings.tracking_parameters)
    root = identity.page_url(start_url)
    if settings.discovery is Discovery.LIST:
        for url in settings.urls:
            identity.page_url(url)
    crawl = CrawlRow(id=id_, start_url=start_url, root_url="", settings=settings.validated(), started_at=clock.now())
    running = crawls.create(crawl)
    if running is None:
        return crawl
    if running != id_.crawl:
        message = f"{root.host} is being crawled already, by crawl {running}. Wait for it, or cancel it"
        raise CrawlRunningError(message, crawl=running)
    known = crawls.read(id_)
    if known is None:
        raise CorruptDataError(f"the site of {root.host} is locked by crawl {running}, which does not exist")
    return known
