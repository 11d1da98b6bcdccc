"""Read the brand of a site from its home page, and request the stylesheets that it needs."""

from collections.abc import Iterable, Iterator

from wavecrawl.application.fetched_page import NextStart
from wavecrawl.application.robots_gate import RobotsGate
from wavecrawl.domain.brand.brand import Brand
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.fetching.exchange import FetchRequest
from wavecrawl.domain.fetching.limits import FetchLimits
from wavecrawl.domain.urls.url import origin_of
from wavecrawl.ports.page_client import PageClient

LARGEST = 1024 * 1024
"""Bytes of a stylesheet that are read."""

_OK = 200


def read_brand(
    html: bytes | str,
    *,
    url: str,
    client: PageClient,
    robots: RobotsGate,
    settings: CrawlSettings,
    next_start: NextStart,
) -> Brand | None:
    """Return the brand of a home page that was requested from `url`; None if nothing of it was found.

    Stylesheets that robots.txt denies, that cannot be fetched, or for which there is no time are left out.
    `next_start` is called before each request. Bytes of the page are UTF-8.
    """
    from wavecrawl.domain.brand.extraction import brand_of, stylesheets_of  # noqa: PLC0415 - for one page of a crawl

    if isinstance(html, bytes):
        html = html.decode("utf-8", "replace")
    most = settings.brand.stylesheets
    urls = stylesheets_of(html, url=url)[:most] if most else ()
    allowed = _allowed(urls, url, robots, next_start)
    return brand_of(html, url=url, stylesheets=_stylesheets(allowed, client, settings, next_start))


def _allowed(urls: Iterable[str], page: str, robots: RobotsGate, next_start: NextStart) -> Iterator[str]:
    """Yield the stylesheets that robots.txt allows. That of another host than the page's is a request, too."""
    origins = {origin_of(page)}
    for url in urls:
        if origin_of(url) not in origins and not next_start():
            return
        origins.add(origin_of(url))
        if not robots.reason_against(url):
            yield url


def _stylesheets(
    urls: Iterable[str], client: PageClient, settings: CrawlSettings, next_start: NextStart
) -> Iterator[str]:
    limits = FetchLimits(timeout=settings.limits.timeout, max_bytes=LARGEST, max_decoded_bytes=LARGEST)
    for url in urls:
        if not next_start():
            return
        exchange = client.fetch(FetchRequest(url=url, limits=limits))
        if exchange.fault is None and exchange.status == _OK:
            yield exchange.body.decode("utf-8", "replace")
