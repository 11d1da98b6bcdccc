"""Sitemaps of a host that asks for patience: nobody waits in a function, and nothing is asked for twice."""

from dataclasses import dataclass, field

import pytest
from tests.application.conftest import StillClock
from tests.support.canned import Canned, answer, redirect

from wavecrawl.application.announce import Announcer
from wavecrawl.application.open_crawl import open_crawl
from wavecrawl.application.read_sitemaps import TIME_IS_OVER, Later, Patience, SitemapReader
from wavecrawl.application.site_rules import site_rules
from wavecrawl.application.sitemap_listing import SitemapListing, load_listing
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.settings import CrawlSettings, SitemapSettings
from wavecrawl.ports.crawls import CrawlRow

SITE = "https://site.example"
HOST = "site.example"
DELAY = 30.0
ROBOTS = f"User-agent: *\nCrawl-delay: {DELAY:.0f}\nSitemap: {SITE}/index.xml"
XML = (("Content-Type", "application/xml"),)
ASKED = [f"{SITE}/{name}" for name in ("index.xml", "sitemap.xml", "sitemap_index.xml", "one.xml", "moved.xml")]


def listed(kind: str, entry: str, *urls: str) -> str:
    entries = "".join(f"<{entry}><loc>{url}</loc></{entry}>" for url in urls)
    return f'<{kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</{kind}>'


@dataclass(slots=True)
class Site:
    """A site with an index of two sitemaps, one of which has moved."""

    store: LocalStore
    clock: StillClock
    client: Canned = field(init=False)
    row: CrawlRow = field(init=False)
    starts: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.client = Canned(
            {
                f"{SITE}/robots.txt": [answer(200, ROBOTS, (("Content-Type", "text/plain"),))],
                ASKED[0]: [answer(200, listed("sitemapindex", "sitemap", *ASKED[3:]), XML)],
                ASKED[3]: [answer(200, listed("urlset", "url", f"{SITE}/a"), XML)],
                ASKED[4]: [redirect("/here.xml")],
                f"{SITE}/here.xml": [answer(200, listed("urlset", "url", f"{SITE}/b"), XML)],
            }
        )
        settings = CrawlSettings(sitemaps=SitemapSettings(timeout=5.0))
        row = self.store.start(f"{SITE}/", settings)
        self.row = open_crawl(
            row,
            crawls=self.store.crawls,
            client=self.client,
            cache=self.store.robots,
            clock=self.clock,
            announcer=Announcer(log=self.store.event_log, events=self.store.events),
        )
        self.client.requests.clear()

    def read(self, patience: Patience) -> SitemapListing | Later:
        """Read as a new invocation does, which knows nothing."""
        rules = site_rules(self.row, client=self.client, cache=self.store.robots, clock=self.clock)
        self.clock.slept.clear()
        before = len(self.client.asked)
        reader = SitemapReader(
            self.row.id,
            rules,
            client=self.client,
            objects=self.store.objects,
            hosts=self.store.hosts,
            clock=self.clock,
        )
        read = reader.read(patience)
        self.starts += [self.clock.now()] * (len(self.client.asked) - before)
        return read


@pytest.fixture
def site(store: LocalStore, clock: StillClock) -> Site:
    return Site(store, clock)


def test_nobody_waits_longer_than_told_and_each_file_is_asked_for_once(site: Site) -> None:
    read = site.read(Patience(seconds=1.0))
    while isinstance(read, Later):
        assert sum(site.clock.slept) <= 1.0
        site.clock.time = read.at
        read = site.read(Patience(seconds=1.0))
    assert site.client.asked == [*ASKED, f"{SITE}/here.xml"]
    assert all(later - sooner >= DELAY for sooner, later in zip(site.starts, site.starts[1:], strict=False))
    assert [entry.url for entry in read.entries] == [f"{SITE}/a", f"{SITE}/b"]
    assert load_listing(site.store.objects, site.row.id) == read


def test_who_comes_before_the_turn_is_sent_away_again(site: Site) -> None:
    first = site.read(Patience(seconds=1.0))
    again = site.read(Patience(seconds=1.0))
    assert isinstance(first, Later)
    assert again == first
    assert len(site.client.asked) == 1


def test_a_turn_is_kept_against_others_and_lost_by_who_comes_too_late(site: Site) -> None:
    later = site.read(Patience(seconds=1.0))
    assert isinstance(later, Later)
    others = site.store.hosts.reserve(HOST, holder="another crawl", count=100, interval=1.0, now=site.clock.now())
    assert others.opens_at == later.at + DELAY
    site.clock.time = later.at + 1.0
    site.read(Patience(seconds=1.0))
    assert len(site.client.asked) == 2

    site.clock.time = others.opens_at + 100.0 + DELAY + 1.0  # long after the turn that was reserved behind the others
    missed = site.store.hosts.reserve(HOST, holder="another crawl", count=7, interval=1.0, now=site.clock.now())
    assert site.read(Patience(seconds=1.0)) == Later(at=missed.opens_at + 7.0)
    assert len(site.client.asked) == 2


def test_no_file_is_asked_for_that_could_outlast_its_worker(site: Site) -> None:
    now = site.clock.now()
    assert site.read(Patience(until=now + 4.9)) == Later(at=now)
    assert site.client.asked == []


def test_a_crawl_whose_time_is_over_is_content_with_what_was_read(site: Site) -> None:
    site.read(Patience(seconds=1.0))
    read = site.read(Patience(seconds=1.0, ends_at=site.clock.now()))
    assert isinstance(read, SitemapListing)
    assert [(notice.subject, notice.message) for notice in read.notices] == [(ASKED[0], TIME_IS_OVER)]
