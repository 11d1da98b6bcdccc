"""Read the brand of a site from its home page, and request the stylesheets that it needs."""

from collections.abc import Iterator

from wavecrawl.application.fetched_page import NextStart
from wavecrawl.application.robots_gate import RobotsGate
from wavecrawl.domain.brand.brand import Brand
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.fetching.exchange import FetchRequest
from wavecrawl.domain.fetching.limits import FetchLimits
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
    return brand_of(html, url=url, stylesheets=_stylesheets(urls, client, robots, settings, next_start))


def _stylesheets(
    urls: tuple[str, ...], client: PageClient, robots: RobotsGate, settings: CrawlSettings, next_start: NextStart
) -> Iterator[str]:
    limits = FetchLimits(timeout=settings.limits.timeout, max_bytes=LARGEST, max_decoded_bytes=LARGEST)
    for url in urls:
        if robots.reason_against(url):
            continue
        if not next_start():
            return
        exchange = client.fetch(FetchRequest(url=url, limits=limits))
        if exchange.fault is None and exchange.status == _OK:
            yield exchange.body.decode("utf-8", "replace")
