"""Open a crawl: follow the redirects of its start URL to find its root URL, which defines the scope."""

from collections.abc import Callable
from itertools import accumulate
from math import inf
from typing import Final

from msgspec.structs import replace

from wavecrawl.application.crawl_events import Announcer, start_event
from wavecrawl.application.crawl_limits import CrawlLimits
from wavecrawl.application.robots_gate import RobotsGate
from wavecrawl.application.root_failure import root_failure
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.fetching.cookies import Cookies, cookie_headers, cookies_after
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest, TransportFault
from wavecrawl.domain.fetching.limits import FetchLimits
from wavecrawl.domain.fetching.outcome import location_of
from wavecrawl.domain.politeness.robots import Unreachable
from wavecrawl.domain.urls.url import Identity, origin_of, resolve
from wavecrawl.errors import InvalidUrlError, RootFailedError, RootUnreachableError
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.crawls import CrawlRow, Crawls
from wavecrawl.ports.page_client import PageClient
from wavecrawl.ports.robots_cache import RobotsCache

ROOT_WAITS: Final = (15.0, 30.0, 60.0, 120.0, 240.0)
"""Seconds between the tries to open a crawl whose root's robots.txt cannot be fetched.

The same for all crawls.
"""

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
    """Return the crawl with its root URL, and announce its start. Idempotent.

    Raise RootFailedError if the root's server cannot be reached. Raise RootUnreachableError if its robots.txt cannot be
    fetched for another reason: the caller tries again after each of `ROOT_WAITS`. A cancelled crawl does not wait. If
    the crawl's time could be over before the next try, RootFailedError is raised instead.
    """
    if not crawl.root_url:
        crawl = _open(crawl, crawls=crawls, client=client, cache=cache, clock=clock)
    announcer.announce(start_event(crawl))
    return crawl


def _open(crawl: CrawlRow, *, crawls: Crawls, client: PageClient, cache: RobotsCache, clock: Clock) -> CrawlRow:
    settings = crawl.settings
    robots = RobotsGate(client=client, cache=cache, clock=clock, settings=settings)
    ends_at = CrawlLimits(crawl, inf).ends_at
    root, sent = _resolve_root(crawl.start_url, settings, robots, client, lambda: clock.now() < ends_at)
    trouble = robots.trouble(root)
    if trouble is not None and not crawl.cancel_asked:
        raise _failure(root, trouble, may_wait=_next_try(crawl, clock.now()) < ends_at)
    crawls.settle_root(crawl.id, root, requests=sent)
    return replace(crawl, root_url=root, opening_requests=sent)


def _next_try(crawl: CrawlRow, now: float) -> float:
    """Return when the next try to open a crawl is at the latest, in Unix seconds.

    The number of earlier tries is not known, but their waits have taken no longer than the crawl.
    """
    elapsed = now - crawl.started_at - crawl.waited
    waited = sum(total <= elapsed for total in accumulate(ROOT_WAITS))
    return now + ROOT_WAITS[min(waited, len(ROOT_WAITS) - 1)]


def _failure(root: str, trouble: Unreachable, *, may_wait: bool) -> RootFailedError | RootUnreachableError:
    if trouble.fault is not None and (trouble.lasting or trouble.fault is TransportFault.CONNECT):
        return RootFailedError(root_failure(root, Reason(trouble.fault.value), trouble.problem))
    error = RootUnreachableError if may_wait else RootFailedError
    return error(root_failure(root, Reason.ROBOTS_UNREACHABLE, trouble.problem))


def _resolve_root(
    start_url: str, settings: CrawlSettings, robots: RobotsGate, client: PageClient, has_time: Callable[[], bool]
) -> tuple[str, int]:
    """Return the URL that the start URL redirects to in the end, and how many requests that took.

    The robots.txt of each origin counts, except that of the root: it is counted with the first request for a page.
    Return the last URL that robots.txt allows, or the start URL if there are too many redirects or they take too long.
    """
    identity = Identity.of(settings)
    start = url = identity.page_url(start_url).url
    cookies: Cookies = ()
    sent, origins = 0, set[str]()

    def ended_at(root: str) -> tuple[str, int]:
        return root, sent + len(origins - {origin_of(root)})

    for _ in range(settings.max_redirects + 1):
        if not has_time():
            return ended_at(start)
        if not settings.follow_redirects:
            return ended_at(url)
        origins.add(origin_of(url))
        if robots.reason_against(url):
            return ended_at(url)
        exchange, looks = _look(url, cookies, settings, client)
        sent += looks
        cookies = cookies_after(cookies, exchange)
        location = location_of(exchange)
        if not location:
            return ended_at(url)
        target = resolve(location, url)
        try:
            url = identity.page_url(target or location).url
        except InvalidUrlError:
            return ended_at(url)
    return ended_at(start)


def _look(url: str, cookies: Cookies, settings: CrawlSettings, client: PageClient) -> tuple[Exchange, int]:
    """Request the headers alone; return them and the number of requests.

    If the server refuses HEAD, request the page and ignore its body.
    """
    headers = cookie_headers(cookies, url)
    exchange = client.fetch(FetchRequest(url=url, method="HEAD", headers=headers, limits=settings.limits))
    if exchange.fault is None and exchange.status is not None and exchange.status < 400:  # noqa: PLR2004 - no error
        return exchange, 1
    brief = FetchLimits(timeout=settings.limits.timeout, max_bytes=_GLANCE, max_decoded_bytes=_GLANCE)
    return client.fetch(FetchRequest(url=url, headers=headers, limits=brief)), 2
