"""Many sitemap files: they are read side by side, within the crawl's time and requests, and listed in order."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from threading import Barrier, Lock

import pytest
from tests.support.canned import Canned, answer
from tests.support.still_clock import StillClock

from wavecrawl.application.crawl_events import Announcer
from wavecrawl.application.open_crawl import open_crawl
from wavecrawl.application.read_sitemaps import SitemapReader
from wavecrawl.application.request_budget import left_for_sitemaps, load_sitemap_requests
from wavecrawl.application.site_rules import site_rules
from wavecrawl.application.sitemap_listing import SitemapListing
from wavecrawl.application.sitemap_requests import NO_LIMITS, REQUESTS_ARE_USED_UP, TIME_IS_OVER, ReadingLimits
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.sitemaps.settings import SitemapSettings
from wavecrawl.ports.crawls import CrawlRow

SITE = "https://site.example"
FILES = [f"{SITE}/{number}.xml" for number in range(20)]
XML = (("Content-Type", "application/xml"),)
TEXT = (("Content-Type", "text/plain"),)


def urlset(number: int) -> Exchange:
    return answer(200, f"<urlset><url><loc>{SITE}/page-{number}</loc></url></urlset>", XML)


@dataclass(slots=True)
class Watched(Canned):
    """Counts the files that are requested at the same time, and calls `meanwhile` during each request."""

    meanwhile: Callable[[FetchRequest], object] = lambda _: None
    open: int = 0
    most: int = 0
    lock: Lock = field(default_factory=Lock)

    def fetch(self, request: FetchRequest) -> Exchange:
        if not request.url.endswith(".xml"):
            return Canned.fetch(self, request)
        with self.lock:
            self.open += 1
            self.most = max(self.most, self.open)
        self.meanwhile(request)
        with self.lock:
            self.open -= 1
            return Canned.fetch(self, request)


@dataclass(slots=True)
class Site:
    """A site whose robots.txt names all files, and a crawl of it."""

    store: LocalStore
    clock: StillClock
    settings: CrawlSettings = field(default_factory=lambda: CrawlSettings(polite=PoliteSettings(interval=0.0)))
    robots: str = ""
    client: Watched = field(init=False)
    reader: SitemapReader = field(init=False)
    row: CrawlRow = field(init=False)

    def __post_init__(self) -> None:
        names = "".join(f"Sitemap: {url}\n" for url in FILES)
        files = {url: [urlset(number)] for number, url in enumerate(FILES)}
        robots = [answer(200, f"User-agent: *\n{self.robots}\n{names}", TEXT)]
        self.client = Watched({f"{SITE}/robots.txt": robots, **files})
        self.row = open_crawl(
            self.store.start(f"{SITE}/", self.settings),
            crawls=self.store.crawls,
            client=self.client,
            cache=self.store.robots,
            clock=self.clock,
            announcer=Announcer(log=self.store.event_log, events=self.store.events),
        )
        self.client.requests.clear()
        self.reader = SitemapReader(
            self.row.id,
            site_rules(self.row, client=self.client, cache=self.store.robots, clock=self.clock),
            client=self.client,
            objects=self.store.objects,
            hosts=self.store.hosts,
            clock=self.clock,
        )

    def read(self, limits: ReadingLimits = NO_LIMITS) -> SitemapListing:
        read = self.reader.read(limits)
        assert isinstance(read, SitemapListing)
        return read


def test_files_are_read_side_by_side_and_listed_in_order(store: LocalStore, clock: StillClock) -> None:
    site = Site(store, clock)
    together, named = Barrier(5), set(FILES)  # a request ends only when five are open
    site.client.meanwhile = lambda request: together.wait(timeout=60.0) if request.url in named else None
    listing = site.read()
    assert site.client.most == 5
    assert listing.files == tuple(FILES)
    assert [entry.url for entry in listing.entries] == [f"{SITE}/page-{number}" for number in range(20)]


@pytest.mark.parametrize(
    ("polite", "robots"), [(PoliteSettings(in_flight=1), ""), (PoliteSettings(), "Crawl-delay: 10")]
)
def test_no_more_files_are_requested_together_than_the_pace_permits(
    store: LocalStore, clock: StillClock, polite: PoliteSettings, robots: str
) -> None:
    site = Site(store, clock, CrawlSettings(polite=polite), robots)
    starts: list[float] = []
    site.client.meanwhile = lambda _: starts.append(clock.now())
    assert len(site.read().files) == 20
    assert site.client.most == 1
    least = 10.0 if robots else polite.interval
    assert min(later - sooner for sooner, later in pairwise(starts)) >= least - 1e-6


def test_slow_files_end_with_the_time_of_the_crawl(store: LocalStore, clock: StillClock) -> None:
    settings = CrawlSettings(polite=PoliteSettings(in_flight=1), sitemaps=SitemapSettings(timeout=60.0))
    site = Site(store, clock, settings)
    ends_at = clock.now() + 100.0

    def respond_late(request: FetchRequest) -> None:
        assert clock.now() + request.limits.timeout <= ends_at + 1.0, "no request outlasts the crawl"
        clock.time += min(30.0, request.limits.timeout)

    site.client.meanwhile = respond_late
    listing = site.read(ReadingLimits(crawl_ends_at=ends_at))
    assert clock.now() <= ends_at + 1.0
    assert 0 < len(listing.files) < 20
    assert [notice.message for notice in listing.notices] == [TIME_IS_OVER]
    assert listing.cut_short


def test_files_beyond_the_limit_of_requests_are_not_read_and_reported(store: LocalStore, clock: StillClock) -> None:
    settings = CrawlSettings(max_requests=12, polite=PoliteSettings(interval=0.0))
    site = Site(store, clock, settings)
    left = left_for_sitemaps(site.row, store.objects)
    assert left == 9, "robots.txt, and HEAD and GET of the root"
    listing = site.read(ReadingLimits(max_requests=left))
    assert len(site.client.requests) == load_sitemap_requests(store.objects, site.row.id).count == 9
    assert listing.files == tuple(FILES[:9])
    assert [(one.subject, one.message) for one in listing.notices] == [(FILES[9], REQUESTS_ARE_USED_UP)]
    unread = {(one.blocker.why, one.blocker.kind.value) for one in listing.blockers}
    assert unread == {("not read (max_requests)", "incomplete")}
