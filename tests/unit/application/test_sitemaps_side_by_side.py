"""Many sitemap files: they are read side by side, within the crawl's time and requests, and listed in order."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from threading import Barrier, Lock

import pytest
from msgspec.structs import replace
from tests.support.canned import Canned, answer
from tests.support.patience import HANG
from tests.support.still_clock import StillClock

from wavecrawl.application.crawl_events import Announcer
from wavecrawl.application.open_crawl import open_crawl
from wavecrawl.application.read_sitemaps import SitemapReader
from wavecrawl.application.request_budget import left_for_sitemaps, load_sitemap_requests
from wavecrawl.application.site_rules import site_rules
from wavecrawl.application.sitemap_listing import SitemapListing
from wavecrawl.application.sitemap_requests import (
    NO_LIMITS,
    REQUESTS_ARE_USED_UP,
    TIME_IS_OVER,
    ReadingLimits,
    wait_notes,
)
from wavecrawl.bootstrap import local
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest
from wavecrawl.domain.politeness.host_state import Feedback
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.politeness.waits import Wait, WaitReason
from wavecrawl.domain.politeness.windows import Turns
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
    waits: list[Wait] = field(default_factory=list)

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
            note_wait=self.note,
        )

    def note(self, wait: Wait) -> None:
        wait_notes(self.row.id, self.store.waves, self.store.objects)(wait)
        self.waits.append(wait)

    def read(self, limits: ReadingLimits = NO_LIMITS) -> SitemapListing:
        read = self.reader.read(limits)
        assert isinstance(read, SitemapListing)
        return read


def test_files_are_read_side_by_side_and_listed_in_order(store: LocalStore, clock: StillClock) -> None:
    site = Site(store, clock)
    together, named = Barrier(5), set(FILES)  # a request ends only when five are open
    site.client.meanwhile = lambda request: together.wait(timeout=HANG) if request.url in named else None
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


def test_the_watchers_of_a_crawl_on_one_machine_hear_of_each_wait(
    store: LocalStore, clock: StillClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Site(store, clock, robots="Crawl-delay: 10")
    monkeypatch.setattr(store, "clock", clock)
    rules = site_rules(site.row, client=site.client, cache=store.robots, clock=clock)
    heard: list[Wait] = []
    site.reader = local._sitemap_reader(store, site.row, rules, site.client, heard.append)
    site.read()
    assert {wait.reason for wait in heard} == {WaitReason.CRAWL_DELAY}
    assert len(heard) == 21, "for each of 22 requests but the first"
    row = store.waves.read(site.row.id, 1)
    assert row is not None
    assert row.wait == heard[-1]


def test_each_wait_for_a_file_has_its_reason(store: LocalStore, clock: StillClock) -> None:
    site = Site(store, clock, robots="Crawl-delay: 10")
    began = clock.now()
    busy = answer(503, headers=(("Retry-After", "600"),))
    site.client.answers[FILES[0]] = [busy, urlset(0)]
    assert len(site.read().files) == 20
    delay = Wait(reason=WaitReason.CRAWL_DELAY, host="site.example", seconds=10.0, for_sitemaps=True)
    *delays, again = site.waits
    assert len(site.client.requests) == 23, "the files, two at well-known paths, and the first file again"
    assert [replace(wait, until=0.0) for wait in delays] == [delay] * 21
    assert site.waits[0].until == pytest.approx(began + 10.5)
    assert again == Wait(reason=WaitReason.RETRY, host="site.example", until=again.until, for_sitemaps=True)
    assert again.until == pytest.approx(began + 600.0)
    assert store.waves.progress(site.row.id).wait == site.waits[-1]


def test_a_wait_for_other_crawls_and_for_a_pause_is_named(store: LocalStore, clock: StillClock) -> None:
    site = Site(store, clock, CrawlSettings())
    now = clock.now()
    store.hosts.reserve("site.example", Turns(holder="another", count=200, interval=0.1), now=now)
    site.read()
    others = Wait(reason=WaitReason.OTHER_CRAWLS, host="site.example", until=now + 20.0, for_sitemaps=True)
    assert site.waits == [others]
    paused = Site(store, clock, CrawlSettings(max_pages=7))
    asked = Feedback(outcomes="r", retry_after=60.0, retry_from=clock.now(), ended_at=clock.now(), of="another/1")
    store.hosts.report("site.example", asked, holder="another", now=clock.now())
    paused.read()
    assert [(wait.reason, wait.until, wait.seconds) for wait in paused.waits] == [
        (WaitReason.RETRY_AFTER, asked.retry_from + 60.0, 60.0)
    ]


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
