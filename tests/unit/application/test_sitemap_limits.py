"""Sitemaps of a host that asks for a delay: no function sleeps for it, and no file is requested twice."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace
from tests.support.canned import Canned, answer, redirect
from tests.support.still_clock import StillClock

from wavecrawl.adapters.embedded.folder import FolderObjects
from wavecrawl.application import read_sitemaps
from wavecrawl.application.crawl_events import Announcer
from wavecrawl.application.open_crawl import open_crawl
from wavecrawl.application.read_sitemaps import SitemapReader, Unfinished
from wavecrawl.application.site_rules import site_rules
from wavecrawl.application.sitemap_listing import SitemapListing, load_listing
from wavecrawl.application.sitemap_requests import NO_LIMITS, TIME_IS_OVER, ReadingLimits
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.fetching.exchange import Exchange
from wavecrawl.domain.politeness.pace import DRIFT
from wavecrawl.domain.politeness.windows import Turns
from wavecrawl.domain.sitemaps.settings import SitemapSettings
from wavecrawl.errors import CorruptDataError
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
    """A site with an index of two sitemaps. One of them redirects."""

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

    def read(self, limits: ReadingLimits) -> SitemapListing | Unfinished:
        """Read as a new invocation without state in memory does."""
        rules = site_rules(self.row, client=self.client, cache=self.store.robots, clock=self.clock)
        self.clock.slept.clear()
        before = len(self.client.requested)
        reader = SitemapReader(
            self.row.id,
            rules,
            client=self.client,
            objects=self.store.objects,
            hosts=self.store.hosts,
            clock=self.clock,
        )
        read = reader.read(limits)
        self.starts += [self.clock.now()] * (len(self.client.requested) - before)
        return read


@pytest.fixture
def site(store: LocalStore, clock: StillClock) -> Site:
    return Site(store, clock)


def test_waits_are_limited_and_each_file_is_requested_once(site: Site) -> None:
    read = site.read(ReadingLimits(max_wait=1.0))
    while isinstance(read, Unfinished):
        assert sum(site.clock.slept) <= 1.0
        site.clock.time = read.resume_at
        read = site.read(ReadingLimits(max_wait=1.0))
    assert site.client.requested == [*ASKED, f"{SITE}/here.xml"]
    assert all(later - sooner >= DELAY for sooner, later in zip(site.starts, site.starts[1:], strict=False))
    assert [entry.url for entry in read.entries] == [f"{SITE}/a", f"{SITE}/b"]
    assert load_listing(site.store.objects, site.row.id) == read


def test_a_read_before_the_reserved_slot_is_postponed_again(site: Site) -> None:
    first = site.read(ReadingLimits(max_wait=1.0))
    again = site.read(ReadingLimits(max_wait=1.0))
    assert isinstance(first, Unfinished)
    assert again == first
    assert len(site.client.requested) == 1


def test_a_reserved_slot_is_kept_until_its_owner_is_late(site: Site) -> None:
    later = site.read(ReadingLimits(max_wait=1.0))
    assert isinstance(later, Unfinished)
    others = site.store.hosts.reserve(
        HOST, Turns(holder="another crawl", count=100, interval=1.0), now=site.clock.now()
    )
    assert others.opens_at == later.resume_at + (1 + DRIFT) * DELAY
    site.clock.time = later.resume_at + 1.0
    site.read(ReadingLimits(max_wait=1.0))
    assert len(site.client.requested) == 2

    site.clock.time = others.opens_at + 100.0 + DELAY + 1.0  # long after the slot reserved behind the other requests
    missed = site.store.hosts.reserve(HOST, Turns(holder="another crawl", count=7, interval=1.0), now=site.clock.now())
    assert site.read(ReadingLimits(max_wait=1.0)) == Unfinished(resume_at=missed.opens_at + 7.0)
    assert len(site.client.requested) == 2


def test_no_file_is_asked_for_that_could_outlast_its_worker(site: Site) -> None:
    now = site.clock.now()
    assert site.read(ReadingLimits(deadline=now + 4.9)) == Unfinished(resume_at=now)
    assert site.client.requested == []


def test_a_crawl_whose_time_is_over_is_content_with_what_was_read(site: Site) -> None:
    site.read(ReadingLimits(max_wait=1.0))
    read = site.read(ReadingLimits(max_wait=1.0, crawl_ends_at=site.clock.now()))
    assert isinstance(read, SitemapListing)
    assert read.files == (ASKED[0],)
    assert [(notice.subject, notice.message) for notice in read.notices] == [(ASKED[1], TIME_IS_OVER)]


def test_sitemaps_that_name_nothing_lead_on_only_where_some_are_unread(store: LocalStore, clock: StillClock) -> None:
    assert not SitemapListing(files=(ASKED[0],)).leads_on
    unread = Site(store, clock).read(ReadingLimits(crawl_ends_at=clock.now()))
    assert isinstance(unread, SitemapListing)
    assert unread.entries == ()
    assert unread.leads_on


@pytest.mark.parametrize(
    ("file", "incomplete"),
    [
        (answer(200, listed("urlset", "url", f"{SITE}/a"), XML), False),
        (answer(404), False),
        (answer(503), True),
        (answer(200, listed("urlset", "url", *(f"{SITE}/{number}" for number in range(4))), XML), True),
    ],
)
def test_pages_are_not_gone_because_a_sitemap_was_not_read(
    site: Site,
    file: Exchange,
    incomplete: bool,  # noqa: FBT001 - a case
) -> None:
    site.row = replace(site.row, settings=replace(site.row.settings, sitemaps=SitemapSettings(max_urls=3)))
    site.client.answers[ASKED[3]] = [file]
    read = site.read(NO_LIMITS)
    assert isinstance(read, SitemapListing)
    assert bool(read.blockers) is incomplete


def test_the_number_of_listed_urls_is_limited(site: Site) -> None:
    site.row = replace(site.row, settings=replace(site.row.settings, sitemaps=SitemapSettings(max_listed=1)))
    read = site.read(NO_LIMITS)
    assert isinstance(read, SitemapListing)
    assert [entry.url for entry in read.entries] == [f"{SITE}/a"]
    assert [notice.subject for notice in read.notices] == ["sitemaps.max_listed"]
    assert read.blockers
    assert site.client.requested == ASKED[:4]


class Counted:
    """Objects with a count of reads."""

    def __init__(self, objects: FolderObjects) -> None:
        self._objects = objects
        self.reads = 0

    def get(self, crawl: CrawlId, name: str) -> bytes | None:
        self.reads += 1
        return self._objects.get(crawl, name)

    def get_many(self, crawl: CrawlId, names: Sequence[str]) -> Iterator[bytes | None]:
        self.reads += len(names)
        return self._objects.get_many(crawl, names)

    def put(self, crawl: CrawlId, name: str, data: bytes) -> None:
        self._objects.put(crawl, name, data)

    def put_new(self, crawl: CrawlId, name: str, data: bytes) -> bool:
        return self._objects.put_new(crawl, name, data)


def test_a_round_does_not_look_at_what_earlier_rounds_read(
    site: Site, store: LocalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [f"{SITE}/{number}.xml" for number in range(40)]
    site.client.answers[ASKED[0]] = [answer(200, listed("sitemapindex", "sitemap", *files), XML)]
    for number, file in enumerate(files):
        site.client.answers[file] = [answer(200, listed("urlset", "url", f"{SITE}/{number}"), XML)]
    counted = Counted(store.objects)
    monkeypatch.setattr(store, "objects", counted)
    most, read = 0, site.read(ReadingLimits(max_wait=1.0))
    while isinstance(read, Unfinished):
        site.clock.time = read.resume_at
        counted.reads = 0
        read = site.read(ReadingLimits(max_wait=1.0))
        most = max(most, counted.reads if isinstance(read, Unfinished) else 0)
    assert len(read.entries) == 40
    assert most < 10


def test_who_has_no_time_to_list_what_was_read_leaves_that_to_the_next_round(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_sitemaps, "_LOAD_TIME", 100.0)
    now = site.clock.now()
    read: SitemapListing | Unfinished = Unfinished(resume_at=now)
    while isinstance(read, Unfinished) and len(site.client.requested) < 6:
        site.clock.time = max(site.clock.time, read.resume_at)
        read = site.read(ReadingLimits(max_wait=1.0, deadline=site.clock.time + 300.0))
    assert isinstance(read, Unfinished)
    read = site.read(ReadingLimits(deadline=site.clock.time + 1_000.0))
    assert isinstance(read, SitemapListing)
    assert [entry.url for entry in read.entries] == [f"{SITE}/a", f"{SITE}/b"]
    assert len(site.client.requested) == 6


def test_what_was_read_and_is_gone_is_called_corrupt(site: Site) -> None:
    site.read(ReadingLimits(max_wait=1.0))
    folder = site.store.folder(site.row.id) / "sitemaps"
    (stored,) = (path for path in folder.iterdir() if path.stem not in ("reservation", "walk"))
    stored.unlink()
    with pytest.raises(CorruptDataError, match=r"index\.xml .* is missing"):
        site.read(ReadingLimits(crawl_ends_at=site.clock.now()))
