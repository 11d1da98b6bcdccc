"""A server for hostile pages, and a reader that fetches one page as a worker does."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from msgspec import structs
from msgspec.structs import replace
from tests.adapters.http.loopback import Peer, Server, Talk, page, serving
from tests.support.hostile.addresses import lookup
from tests.support.hostile.transport import LIMITS
from tests.support.still_clock import StillClock

from wavecrawl.adapters.http.client import RequestsPageClient
from wavecrawl.application.check_url import UrlChecker
from wavecrawl.application.fetch_page import PageFetcher, no_wait
from wavecrawl.application.outside_requests import OutsideRequests
from wavecrawl.application.read_sitemaps import SitemapReader, Unfinished
from wavecrawl.application.site_rules import SiteRules, site_rules
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.checks.settings import CheckSettings
from wavecrawl.domain.crawl.job import CrawlId, JobItem
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest
from wavecrawl.domain.fetching.limits import FetchLimits
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.sitemaps.settings import SitemapSettings
from wavecrawl.domain.urls.url import origin_of
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.page_client import PageClient

SETTINGS = CrawlSettings(
    allowed_addresses=("127.0.0.1/32",),
    limits=FetchLimits(max_bytes=200_000, max_decoded_bytes=400_000),
    polite=PoliteSettings(interval=0.0, adapt=False),
    max_retries=0,
    max_links=500,
)
"""Limits that hostile pages exceed quickly; only the time is as long as a busy machine may need."""

BRIEF = 0.25
"""Seconds of a request that must end by its time limit."""

LONGER = 15.0
"""The same if a busy machine does not get so far in `BRIEF` seconds."""

PATIENT = 60.0
"""Seconds of any other request, even on a busy machine."""

CRAWL = CrawlId(tenant="t", site="s", crawl="c")


@dataclass(frozen=True, slots=True)
class Hurried:
    """A page client with a time limit of its own, as that of requests for robots.txt is no setting."""

    client: PageClient
    timeout: float

    def fetch(self, request: FetchRequest) -> Exchange:
        """Fetch with the time limit."""
        return self.client.fetch(structs.replace(request, limits=replace(request.limits, timeout=self.timeout)))

    def download(self, request: FetchRequest, path: Path) -> Exchange:
        """Download with the limits of the request."""
        return self.client.download(request, path)

    def close(self) -> None:
        """Leave the client to its owner."""


class _Turn(Peer):
    """A connection whose first request has been read already, and is the only one."""

    def __init__(self, peer: Peer, head: bytes) -> None:
        super().__init__(peer.server, peer.sock, peer.number)
        self._heads = [head]

    def request(self) -> bytes:
        return self._heads.pop() if self._heads else b""


def routed(talks: Mapping[str, Talk]) -> Talk:
    """Serve each path by its own talk, with or without a slash at its end."""

    def talk(peer: Peer) -> None:
        head = peer.request()
        if head:
            path = head.split(b" ")[1].partition(b"?")[0].decode("latin-1").rstrip("/")
            talks.get(path, not_found)(_Turn(peer, head))

    return talk


def not_found(peer: Peer) -> None:
    """Respond that there is nothing, which allows everything if it is a robots.txt."""
    peer.request()
    peer.say(page(b"", status="404 Not Found"))


@contextmanager
def serving_hostile(talks: Mapping[str, Talk]) -> Iterator[Server]:
    """Run a server for the talks by path."""
    with serving(routed(talks)) as server:
        yield server


@contextmanager
def _opened(
    start: str, folder: Path, settings: CrawlSettings
) -> Iterator[tuple[LocalStore, SiteRules, RequestsPageClient]]:
    """Open a store in `folder`, and the rules and the client of a crawl whose time stands still."""
    row = CrawlRow(id=CRAWL, start_url=start, root_url=start, settings=settings)
    store = LocalStore(folder)
    client = RequestsPageClient(user_agent="wavecrawl/test", allowed=settings.allowed_addresses, lookup=lookup)
    try:
        hurried = Hurried(client, settings.limits.timeout)
        yield store, site_rules(row, client=hurried, cache=store.robots, clock=StillClock()), client
    finally:
        client.close()
        store.close()


def fetch(url: str, *, timeout: float = PATIENT) -> Exchange:
    """Request a URL with the limits of the table of transports."""
    client = RequestsPageClient(user_agent="wavecrawl/test", allowed=SETTINGS.allowed_addresses)
    try:
        return client.fetch(FetchRequest(url=url, limits=replace(LIMITS, timeout=timeout)))
    finally:
        client.close()


def read_page(url: str, folder: Path, *, timeout: float = PATIENT) -> PageRecord:
    """Fetch and parse the page at `url`."""
    settings = replace(SETTINGS, limits=replace(SETTINGS.limits, timeout=timeout))
    with _opened(_root_of(url), folder, settings) as (store, rules, client):
        fetcher = PageFetcher(
            client=client,
            links=rules.links,
            media=rules.media,
            robots=rules.robots,
            archive=store.archive,
            settings=settings,
        )
        page_url = rules.identity.page_url(url)
        return fetcher.fetch(JobItem(url=page_url.url, key=page_url.key, depth=1, tries=1)).record


def read_robots(site: str, folder: Path, *, timeout: float = PATIENT) -> tuple[str, float | None]:
    """Return the reason against requesting /private/x of a site, and the delay that its robots.txt requires."""
    settings = replace(SETTINGS, limits=replace(SETTINGS.limits, timeout=timeout))
    with _opened(f"{site}/", folder, settings) as (_, rules, _):
        return str(rules.robots.reason_against(f"{site}/private/x")), rules.robots.crawl_delay(site)


def read_sitemap(url: str, folder: Path, *, timeout: float = PATIENT) -> tuple[int, list[str]]:
    """Return the number of different URLs of the sitemap at `url`, and the notices about it."""
    bounds = SitemapSettings(timeout=timeout, max_urls=100, max_bytes=300_000, max_files=20)
    with _opened(_root_of(url), folder, replace(SETTINGS, sitemaps=bounds)) as (store, rules, client):
        reader = SitemapReader(
            CRAWL, rules, client=client, objects=store.objects, hosts=store.hosts, clock=StillClock()
        )
        listing = reader.read()
    if isinstance(listing, Unfinished):
        raise AssertionError("no limit of the reader was set")  # noqa: TRY004 - an outcome, not a wrong argument
    return len(listing.entries), [notice.message for notice in listing.notices if notice.subject == url]


def check(url: str, folder: Path, *, timeout: float = PATIENT) -> PageRecord:
    """Check a URL, and follow its redirects to any host, whatever robots.txt says."""
    settings = replace(
        SETTINGS,
        polite=replace(SETTINGS.polite, obey_robots=False),
        checks=CheckSettings(external=True, timeout=timeout),
    )
    with _opened(_root_of(url), folder, settings) as (_, rules, client):
        requests = OutsideRequests(robots=rules.robots, clock=StillClock(), settings=settings)
        checker = UrlChecker(client=client, requests=requests, settings=settings)
        target = rules.identity.page_url(url)
        return checker.check(JobItem(url=target.url, key=target.key, depth=1, tries=1), no_wait)


def _root_of(url: str) -> str:
    return f"{origin_of(url)}/"
