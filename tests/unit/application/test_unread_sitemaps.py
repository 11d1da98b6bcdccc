"""Sitemaps that cannot be read: which of them exist, how often they are requested, and what the listing says."""

import gzip
from collections.abc import Callable

import pytest
from msgspec import structs
from msgspec.structs import replace
from tests.support.canned import Canned, answer, redirect
from tests.support.still_clock import StillClock

from wavecrawl.application.crawl_events import Announcer
from wavecrawl.application.earlier_sitemaps import EarlierSitemaps
from wavecrawl.application.open_crawl import open_crawl
from wavecrawl.application.read_sitemaps import SitemapReader, Unfinished
from wavecrawl.application.site_rules import site_rules
from wavecrawl.application.sitemap_listing import SitemapListing, load_listing, store_listing
from wavecrawl.application.sitemap_requests import NO_LIMITS, ReadingLimits
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.fetching.exchange import Exchange, TransportFault
from wavecrawl.domain.graph.completeness import SiteBlocker, unread_sitemap
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.sitemaps.settings import SitemapSettings
from wavecrawl.ports.crawls import CrawlRow

SITE = "https://site.example"
DEFAULT, DEFAULT_INDEX = f"{SITE}/sitemap.xml", f"{SITE}/sitemap_index.xml"
XML = (("Content-Type", "application/xml"),)
SETTINGS = CrawlSettings(retry_base=0.0, polite=PoliteSettings(interval=0.0))
LOGIN = answer(200, "<html><body><form><input type=password></form></body></html>")
NEVER: Callable[[str], bool] = lambda _: False  # noqa: E731 - a value
ALWAYS: Callable[[str], bool] = lambda _: True  # noqa: E731 - a value


def listed(kind: str, entry: str, *urls: str) -> str:
    entries = "".join(f"<{entry}><loc>{url}</loc></{entry}>" for url in urls)
    return f'<{kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</{kind}>'


def urlset(*paths: str) -> Exchange:
    return answer(200, listed("urlset", "url", *(f"{SITE}{path}" for path in paths)), XML)


def index(*paths: str) -> Exchange:
    return answer(200, listed("sitemapindex", "sitemap", *(f"{SITE}{path}" for path in paths)), XML)


class Site:
    """A site whose files are given, and a crawl that reads its sitemaps."""

    def __init__(
        self,
        store: LocalStore,
        clock: StillClock,
        files: dict[str, list[Exchange]],
        *,
        robots: str = "",
        settings: CrawlSettings = SETTINGS,
        earlier: Callable[[str], bool] = NEVER,
    ) -> None:
        self.store, self.clock, self.earlier = store, clock, earlier
        robots_txt = answer(200, f"User-agent: *\n{robots}", (("Content-Type", "text/plain"),))
        self.client = Canned({f"{SITE}{path}": answers for path, answers in files.items()})
        self.client.answers[f"{SITE}/robots.txt"] = [robots_txt]
        self.row: CrawlRow = open_crawl(
            store.start(f"{SITE}/", settings),
            crawls=store.crawls,
            client=self.client,
            cache=store.robots,
            clock=clock,
            announcer=Announcer(log=store.event_log, events=store.events),
        )
        self.client.requests.clear()

    @property
    def reader(self) -> SitemapReader:
        """The reader of a new invocation, without state in memory."""
        return SitemapReader(
            self.row.id,
            site_rules(self.row, client=self.client, cache=self.store.robots, clock=self.clock),
            client=self.client,
            objects=self.store.objects,
            hosts=self.store.hosts,
            clock=self.clock,
            earlier=self.earlier,
        )

    def read(self, limits: ReadingLimits = NO_LIMITS) -> SitemapListing:
        read = self.reader.read(limits)
        assert isinstance(read, SitemapListing)
        return read


def blockers(listing: SitemapListing) -> list[tuple[str, str, str]]:
    """Return subject, reason and kind of each blocker."""
    found = [(one.subject.removeprefix(SITE), one.blocker.why, one.blocker.kind.value) for one in listing.blockers]
    assert all(one.blocker.way == "sitemap" for one in listing.blockers)
    return found


def notices(listing: SitemapListing) -> dict[str, str]:
    return {one.subject.removeprefix(SITE): one.message for one in listing.notices}


@pytest.mark.parametrize(
    "response",
    [
        answer(404),
        answer(410),
        answer(403),
        answer(200, "<!doctype html><title>Shop</title>"),
        answer(200, '{"error": "no route"}'),
        answer(200, ""),
    ],
    ids=["404", "410", "403", "html", "json", "empty"],
)
def test_a_default_sitemap_that_nothing_shows_to_exist_is_none(
    store: LocalStore, clock: StillClock, response: Exchange
) -> None:
    site = Site(store, clock, {"/sitemap.xml": [response]})
    assert site.read() == SitemapListing()
    assert sorted(site.client.requested) == sorted([DEFAULT, DEFAULT_INDEX]), "side by side"


@pytest.mark.parametrize(
    ("response", "blocker", "requests"),
    [
        (answer(503), ("not read (HTTP 503)", "incomplete"), 3),
        (answer(500), ("not read (HTTP 500)", "incomplete"), 3),
        (answer(429), ("not read (HTTP 429)", "incomplete"), 3),
        (answer(fault=TransportFault.TIMEOUT), ("not read (timeout)", "incomplete"), 3),
        (answer(fault=TransportFault.RESET), ("not read (reset)", "incomplete"), 3),
        (answer(400), ("not read (HTTP 400)", "incomplete"), 1),
        (answer(401), ("not read (forbidden)", "barred"), 1),
        (redirect("/sitemap.xml"), ("not read (redirects)", "incomplete"), 6),
    ],
    ids=["503", "500", "429", "timeout", "reset", "400", "401", "redirects"],
)
def test_a_default_sitemap_that_fails_is_retried_and_then_reported(
    store: LocalStore, clock: StillClock, response: Exchange, blocker: tuple[str, str], requests: int
) -> None:
    site = Site(store, clock, {"/sitemap.xml": [response]})
    listing = site.read()
    assert blockers(listing) == [("/sitemap.xml", *blocker)]
    assert list(notices(listing)) == ["/sitemap.xml"]
    assert site.client.requested.count(DEFAULT) == requests


def test_a_notice_says_what_happened_and_what_to_do(store: LocalStore, clock: StillClock) -> None:
    listing = Site(store, clock, {"/sitemap.xml": [answer(503)]}).read()
    assert notices(listing)["/sitemap.xml"] == (
        "not read: HTTP 503; pages that only this sitemap lists may be missing; start another crawl when it can be read"
    )


def test_a_sitemap_that_recovers_is_read_without_a_notice(store: LocalStore, clock: StillClock) -> None:
    site = Site(store, clock, {"/sitemap.xml": [answer(503), answer(fault=TransportFault.RESET), urlset("/a")]})
    listing = site.read()
    assert [entry.url for entry in listing.entries] == [f"{SITE}/a"]
    assert (listing.notices, listing.blockers) == ((), ())


@pytest.mark.parametrize("retries", [0, 1])
def test_a_sitemap_is_retried_as_often_as_a_page(store: LocalStore, clock: StillClock, retries: int) -> None:
    site = Site(store, clock, {"/sitemap.xml": [answer(503)]}, settings=replace(SETTINGS, max_retries=retries))
    site.read()
    assert site.client.requested.count(DEFAULT) == 1 + retries


@pytest.mark.parametrize(
    ("responses", "why"),
    [
        ([answer(403)], "forbidden"),
        ([answer(200, "<!doctype html><title>Down</title>")], "no sitemap"),
        ([redirect("/login")], "no sitemap"),
    ],
    ids=["403", "html", "login"],
)
def test_a_default_sitemap_that_an_earlier_crawl_read_is_not_none(
    store: LocalStore, clock: StillClock, responses: list[Exchange], why: str
) -> None:
    files = {"/sitemap.xml": responses, "/login": [LOGIN]}
    listing = Site(store, clock, files, earlier=ALWAYS).read()
    assert blockers(listing)[0] == ("/sitemap.xml", f"not read ({why})", "incomplete")
    assert "/sitemap.xml" in notices(listing)


@pytest.mark.parametrize("status", [404, 410])
def test_a_sitemap_that_is_gone_is_none_even_if_an_earlier_crawl_read_it(
    store: LocalStore, clock: StillClock, status: int
) -> None:
    assert Site(store, clock, {"/sitemap.xml": [answer(status)]}, earlier=ALWAYS).read() == SitemapListing()


@pytest.mark.parametrize(
    ("response", "blocker", "requests"),
    [
        (answer(404), None, 1),
        (answer(403), ("not read (forbidden)", "barred"), 1),
        (answer(500), ("not read (HTTP 500)", "incomplete"), 3),
        (LOGIN, ("not read (no sitemap)", "incomplete"), 1),
    ],
    ids=["404", "403", "500", "html"],
)
def test_a_sitemap_that_robots_txt_names_is_reported_in_any_case(
    store: LocalStore, clock: StillClock, response: Exchange, blocker: tuple[str, str] | None, requests: int
) -> None:
    site = Site(store, clock, {"/map.xml": [response]}, robots=f"Sitemap: {SITE}/map.xml")
    listing = site.read()
    assert blockers(listing) == ([] if blocker is None else [("/map.xml", *blocker)])
    assert list(notices(listing)) == ["/map.xml"]
    assert site.client.requested.count(f"{SITE}/map.xml") == requests


def test_what_robots_txt_disallows_is_barred(store: LocalStore, clock: StillClock) -> None:
    named = Site(store, clock, {}, robots=f"Disallow: /*.xml\nSitemap: {SITE}/map.xml").read()
    assert blockers(named) == [("/map.xml", "not read (robots)", "barred")]
    assert "robots.txt disallows it; allow it there" in notices(named)["/map.xml"]


def test_a_sitemap_that_robots_txt_has_come_to_disallow_is_a_gap(store: LocalStore, clock: StillClock) -> None:
    robots = f"Disallow: /sitemap\nSitemap: {SITE}/map.xml"
    files = {"/map.xml": [urlset("/a")]}
    assert blockers(Site(store, clock, files, robots=robots).read()) == []
    known = Site(store, clock, files, robots=robots, earlier=lambda url: url == DEFAULT).read()
    assert blockers(known) == [("/sitemap.xml", "not read (robots)", "incomplete")]


def test_a_default_sitemap_that_robots_txt_disallows_may_be_the_only_one(store: LocalStore, clock: StillClock) -> None:
    site = Site(store, clock, {}, robots="Disallow: /sitemap")
    assert blockers(site.read()) == [
        ("/sitemap.xml", "not read (robots)", "barred"),
        ("/sitemap_index.xml", "not read (robots)", "barred"),
    ]
    assert site.client.requested == []


def test_a_part_that_asks_for_a_delay_is_read_after_the_others(store: LocalStore, clock: StillClock) -> None:
    files = {
        "/sitemap.xml": [index("/one.xml", "/two.xml")],
        "/one.xml": [answer(429, "", (("Retry-After", "40"),)), urlset("/a")],
        "/two.xml": [urlset("/b")],
    }
    site = Site(store, clock, files)
    now = clock.now()
    first = site.reader.read(ReadingLimits(max_wait=1.0))
    assert first == Unfinished(resume_at=now + 40.0)
    assert clock.slept == [] or max(clock.slept) <= 1.0
    assert site.client.requested.count(f"{SITE}/two.xml") == 1
    assert site.reader.read(ReadingLimits(max_wait=1.0)) == first  # too early: nothing is requested
    assert site.client.requested.count(f"{SITE}/one.xml") == 1
    clock.time = now + 40.0
    listing = site.read(ReadingLimits(max_wait=1.0))
    assert sorted(entry.url for entry in listing.entries) == [f"{SITE}/a", f"{SITE}/b"]
    assert (listing.notices, listing.blockers) == ((), ())
    assert site.client.requested.count(f"{SITE}/two.xml") == 1


def test_a_retry_does_not_outlast_the_crawl(store: LocalStore, clock: StillClock) -> None:
    site = Site(store, clock, {"/sitemap.xml": [answer(503, "", (("Retry-After", "100"),))]})
    end = clock.now() + 10.0
    assert site.reader.read(ReadingLimits(max_wait=1.0, crawl_ends_at=end)) == Unfinished(resume_at=end)
    clock.time = end
    listing = site.read(ReadingLimits(max_wait=1.0, crawl_ends_at=end))
    assert blockers(listing) == [("/sitemap.xml", "not read (time)", "incomplete")]


def test_a_crawl_without_time_for_sitemaps_has_not_found_that_there_are_none(
    store: LocalStore, clock: StillClock
) -> None:
    listing = Site(store, clock, {}).read(ReadingLimits(crawl_ends_at=clock.now()))
    assert [why for _, why, _ in blockers(listing)] == ["not read (time)"] * 2


@pytest.mark.parametrize(
    ("response", "why"),
    [
        (structs.replace(urlset("/a"), body=gzip.compress(urlset("/a", "/b").body)[:-12]), "damaged"),
        (structs.replace(urlset("/a"), body=urlset("/a", "/b").body[:-40]), "damaged"),
        (structs.replace(urlset("/a"), truncated=True), "sitemaps.max_bytes"),
    ],
    ids=["gzip", "xml", "limit"],
)
def test_a_file_whose_end_is_missing_is_read_in_part(
    store: LocalStore, clock: StillClock, response: Exchange, why: str
) -> None:
    listing = Site(store, clock, {"/sitemap.xml": [response]}).read()
    assert blockers(listing) == [("/sitemap.xml", f"read in part ({why})", "incomplete")]
    assert listing.entries[0].url == f"{SITE}/a"
    assert notices(listing)


def test_an_index_below_too_many_others_is_read_in_part(store: LocalStore, clock: StillClock) -> None:
    files = {
        "/sitemap.xml": [index("/1.xml")],
        "/1.xml": [index("/sitemap.xml", "/2.xml")],
        "/2.xml": [urlset("/a")],
    }
    settings = replace(SETTINGS, sitemaps=SitemapSettings(max_depth=1))
    listing = Site(store, clock, files, settings=settings).read()
    assert blockers(listing) == [("/1.xml", "read in part (sitemaps.max_depth)", "incomplete")]
    assert "raise the setting sitemaps.max_depth" in notices(listing)["/1.xml"]
    deeper = replace(SETTINGS, sitemaps=SitemapSettings(max_depth=2))
    whole = Site(store, clock, files | {"/2.xml": [index("/1.xml")]}, settings=deeper).read()
    assert blockers(whole) == []  # its only file was read


def test_files_that_a_limit_left_out_are_blockers(store: LocalStore, clock: StillClock) -> None:
    files = {"/sitemap.xml": [index("/1.xml", "/2.xml")], "/1.xml": [urlset("/a")], "/2.xml": [urlset("/b")]}
    listed_urls = replace(SETTINGS, sitemaps=SitemapSettings(max_listed=1))
    found = blockers(Site(store, clock, files, settings=listed_urls).read())
    assert found == [("/2.xml", "not read (sitemaps.max_listed)", "incomplete")]
    most_files = replace(SETTINGS, sitemaps=SitemapSettings(max_files=2))
    found = blockers(Site(store, clock, files, settings=most_files).read())
    assert found == [("sitemaps.max_files", "not read (sitemaps.max_files)", "incomplete")]
    most_urls = replace(SETTINGS, sitemaps=SitemapSettings(max_urls=1))
    long = {"/sitemap.xml": [urlset("/a", "/b")]}
    found = blockers(Site(store, clock, long, settings=most_urls).read())
    assert found == [("/sitemap.xml", "read in part (sitemaps.max_urls)", "incomplete")]


def test_a_short_look_finds_none_only_if_there_is_none(store: LocalStore, clock: StillClock) -> None:
    none = Site(store, clock, {"/sitemap.xml": [answer(403)]})
    assert none.reader.finds_none(NO_LIMITS)
    assert load_listing(store.objects, none.row.id) == SitemapListing()

    failing = Site(store, clock, {"/sitemap.xml": [answer(503), urlset("/a")]})
    assert not failing.reader.finds_none(NO_LIMITS)
    assert [entry.url for entry in failing.read().entries] == [f"{SITE}/a"]
    assert failing.client.requested.count(DEFAULT) == 2


def test_the_last_crawl_that_could_tell_says_whether_there_was_a_sitemap(store: LocalStore, clock: StillClock) -> None:
    def crawl(listing: SitemapListing | None) -> EarlierSitemaps:
        row = store.start(f"{SITE}/", SETTINGS)
        if listing is not None:
            store_listing(store.objects, row.id, listing)
        clock.time += 60.0
        return EarlierSitemaps(row.id, store.crawls, store.objects)

    read = SitemapListing(files=(DEFAULT,))
    failed = SitemapListing(blockers=(SiteBlocker(subject=DEFAULT, blocker=unread_sitemap("HTTP 503")),))
    first = crawl(read)
    assert not first(DEFAULT)
    second = crawl(failed)
    assert second(DEFAULT)
    third = crawl(None)  # it was cancelled before it looked for sitemaps
    assert third(DEFAULT)
    assert not third(DEFAULT_INDEX)
    fourth = crawl(SitemapListing())
    assert fourth(DEFAULT)
    fifth = crawl(failed)
    assert not fifth(DEFAULT)
    for row in store.crawls.of_site(fifth._crawl.tenant, fifth._crawl.site, limit=1):
        (store.folder(row.id) / "sitemaps" / "listing.msgpack").write_bytes(b"damaged")
    assert not crawl(None)(DEFAULT)
