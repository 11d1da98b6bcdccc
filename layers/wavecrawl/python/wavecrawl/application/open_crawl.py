"""Open a crawl: follow the redirects of its start URL to find its root URL, which defines the scope."""

from dataclasses import replace

from wavecrawl.application.crawl_events import Announcer, start_event
from wavecrawl.application.robots_gate import RobotsGate
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest
from wavecrawl.domain.fetching.limits import FetchLimits
from wavecrawl.domain.fetching.outcome import REDIRECTS
from wavecrawl.domain.urls.url import Identity, resolve
from wavecrawl.errors import InvalidUrlError
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.crawls import CrawlRow, Crawls
from wavecrawl.ports.page_client import PageClient
from wavecrawl.ports.robots_cache import RobotsCache

_GLANCE = 1024  # bytes of the body, if the server refuses HEAD


def open_crawl(
    crawl: CrawlRow,
    *,
    crawls: Crawls,
    client: PageClient,
    cache: RobotsCache,
    clock: Clock,
    announcer: Announcer,
) -> CrawlRow:
    """Return the crawl with its root URL, and announce its start. Idempotent."""
    if not crawl.root_url:
        crawl = _open(crawl, crawls=crawls, client=client, cache=cache, clock=clock)
    announcer.announce(start_event(crawl))
    return crawl


def _open(crawl: CrawlRow, *, crawls: Crawls, client: PageClient, cache: RobotsCache, clock: Clock) -> CrawlRow:
    settings = crawl.settings
    robots = RobotsGate(client=client, cache=cache, clock=clock, settings=settings)
    root = _resolve_root(crawl.start_url, settings, robots, client)
    robots.trouble(root)  # reads the file ahead
    crawls.settle_root(crawl.id, root)
    return replace(crawl, root_url=root)


def _resolve_root(start_url: str, settings: CrawlSettings, robots: RobotsGate, client: PageClient) -> str:
    """Return the URL that the start URL redirects to in the end.

    Return the last URL that robots.txt allows, or the start URL if there are too many redirects.
    """
    identity = Identity(tracking_parameters=settings.tracking_parameters)
    start = url = identity.page_url(start_url).url
    for _ in range(settings.max_redirects + 1):
        if not settings.follow_redirects or robots.reason_against(url):
            return url
        exchange = _look(url, settings, client)
        location = exchange.header("Location")
        if exchange.fault or exchange.status not in REDIRECTS or not location:
            return url
        target = resolve(location, url)
        try:
            url = identity.page_url(target or location).url
        except InvalidUrlError:
            return url
    return start


def _look(url: str, settings: CrawlSettings, client: PageClient) -> Exchange:
    """Request the headers alone. If the server refuses HEAD, request the page and ignore its body."""
    exchange = client.fetch(FetchRequest(url=url, method="HEAD", limits=settings.limits))
    if exchange.fault is None and exchange.status is not None and exchange.status < 400:  # noqa: PLR2004 - no error
        return exchange
    brief = FetchLimits(timeout=settings.limits.timeout, max_bytes=_GLANCE, max_decoded_bytes=_GLANCE)
    return client.fetch(FetchRequest(url=url, limits=brief))
