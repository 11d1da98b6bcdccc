"""The work before the first wave: redirects of the root, robots.txt, sitemaps."""

from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from msgspec import structs
from msgspec.structs import replace
from tests.support.canned import HTML, Canned, answer, redirect
from tests.support.no_events import NoEvents
from tests.support.still_clock import StillClock

from wavecrawl.application.crawl_events import Announcer
from wavecrawl.application.open_crawl import ROOT_WAITS, open_crawl
from wavecrawl.application.read_sitemaps import SitemapReader
from wavecrawl.application.site_rules import site_rules
from wavecrawl.application.sitemap_listing import SitemapListing, load_listing
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest, TransportFault
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.sitemaps.settings import SitemapSettings
from wavecrawl.errors import CorruptDataError, RootFailedError, RootUnreachableError
from wavecrawl.ports.crawls import CrawlRow


@dataclass(slots=True)
class Slow(Canned):
    """A client whose requests take 4 seconds each."""

    clock: StillClock = field(default_factory=StillClock)

    def fetch(self, request: FetchRequest) -> Exchange:
        self.clock.sleep(4.0)
        return Canned.fetch(self, request)


SITE = "https://site.example"
TEXT = (("Content-Type", "text/plain"),)
XML = (("Content-Type", "application/xml"),)
UNPACED = PoliteSettings(interval=0.0)


def opened(store: LocalStore, clock: StillClock, client: Canned, settings: CrawlSettings | None = None) -> CrawlRow:
    row = store.start(f"{SITE}/", settings or CrawlSettings(polite=UNPACED))
    return reopened(row, store, clock, client)


def reopened(row: CrawlRow, store: LocalStore, clock: StillClock, client: Canned) -> CrawlRow:
    announcer = Announcer(log=store.event_log, events=NoEvents())
    return open_crawl(row, crawls=store.crawls, client=client, cache=store.robots, clock=clock, announcer=announcer)


def urlset(*urls: str) -> str:
    entries = "".join(f"<url><loc>{url}</loc><lastmod>2026-01-02</lastmod></url>" for url in urls)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'


def read(store: LocalStore, clock: StillClock, client: Canned, settings: CrawlSettings | None = None) -> SitemapListing:
    row = opened(store, clock, client, settings)
    rules = site_rules(row, client=client, cache=store.robots, clock=clock)
    reader = SitemapReader(row.id, rules, client=client, objects=store.objects, hosts=store.hosts, clock=clock)
    listing = reader.read()
    assert isinstance(listing, SitemapListing)
    return listing


def test_the_roots_redirects_are_settled_before_the_scope(store: LocalStore, clock: StillClock) -> None:
    client = Canned(
        {f"{SITE}/": [redirect("https://www.site.example/")], "https://www.site.example/": [redirect("/en/"), answer()]}
    )
    client.answers["https://www.site.example/en/"] = [answer(200, "<p>x")]
    row = opened(store, clock, client)
    assert row.root_url == "https://www.site.example/en/"
    sent = [request.url for request in client.requests]
    assert (len(sent), row.opening_requests) == (5, 4), "the robots.txt of the root is counted with its first page"
    again = reopened(row, store, clock, Canned())
    assert again.root_url == row.root_url


@pytest.mark.parametrize(
    "client",
    [
        Canned({f"{SITE}/": [answer(405), answer(200, "<p>x")]}),  # HEAD is not supported
        Canned({f"{SITE}/": [answer(fault=TransportFault.TIMEOUT)]}),
        Canned({f"{SITE}/": [redirect("mailto:x@site.example")]}),
        Canned({f"{SITE}/": [redirect("/")]}),  # a redirect loop
        Canned({f"{SITE}/robots.txt": [answer(200, "User-agent: *\nDisallow: /", TEXT)]}),
    ],
    ids=["no HEAD", "no answer", "no page", "loop", "denied"],
)
def test_a_root_that_leads_nowhere_stays(store: LocalStore, clock: StillClock, client: Canned) -> None:
    assert opened(store, clock, client).root_url == f"{SITE}/"


ROBOTS = f"{SITE}/robots.txt"


@pytest.mark.parametrize(
    ("fault", "advice"),
    [
        (TransportFault.DNS, "Check the host name."),
        (TransportFault.CONNECT, "Start another crawl when the server responds."),
        (
            TransportFault.TLS,
            r"Correct the server's certificate, .* trust its authority \(--ca-file FILE\), or start at",
        ),
        (TransportFault.BLOCKED_ADDRESS, "To crawl a network that is not public, .* allowed_addresses"),
        (TransportFault.URL, "Check the URL."),
    ],
)
def test_a_root_whose_server_cannot_be_reached_fails_and_says_why(
    store: LocalStore, clock: StillClock, fault: TransportFault, advice: str
) -> None:
    broken = structs.replace(answer(fault=fault), fault_detail="what happened")
    with pytest.raises(RootFailedError, match=f"^{SITE}/ cannot be crawled: what happened. {advice}"):
        opened(store, clock, Canned({ROBOTS: [broken]}))


def test_the_failure_names_the_url_that_the_start_url_redirects_to(store: LocalStore, clock: StillClock) -> None:
    moved = "https://www.site.example"
    client = Canned(
        {f"{SITE}/": [redirect(f"{moved}/")], f"{moved}/robots.txt": [answer(fault=TransportFault.CONNECT)]}
    )
    with pytest.raises(RootFailedError, match=f"^{moved}/ cannot be crawled: no response"):
        opened(store, clock, client)


@pytest.mark.parametrize("broken", [answer(503), answer(429), answer(fault=TransportFault.TIMEOUT)])
def test_a_root_whose_robots_txt_cannot_be_fetched_now_is_opened_later(
    store: LocalStore, clock: StillClock, broken: Exchange
) -> None:
    client = Canned({ROBOTS: [broken, broken, broken, answer(404)]})
    row = store.start(f"{SITE}/", CrawlSettings(polite=UNPACED))
    with pytest.raises(RootUnreachableError, match=r"its robots\.txt cannot be fetched"):
        reopened(row, store, clock, client)
    assert reopened(row, store, clock, client).root_url == f"{SITE}/"


def test_a_cancelled_crawl_does_not_wait_for_its_root(store: LocalStore, clock: StillClock) -> None:
    row = store.start(f"{SITE}/", CrawlSettings(polite=UNPACED))
    store.crawls.ask_to_cancel(row.id)
    row = store.crawls.read(row.id) or row
    assert reopened(row, store, clock, Canned({ROBOTS: [answer(503)]})).root_url == f"{SITE}/"


@pytest.mark.parametrize(
    ("elapsed", "max_seconds", "waits"),
    [
        (0, 30, True),
        (0, 16, False),
        (10, 30, True),
        (20, 60, True),
        (20, 50, False),
        (230, 400, False),
        (230, 480, True),
    ],
)
def test_a_crawl_waits_for_its_root_only_if_its_time_is_long_enough(
    store: LocalStore, clock: StillClock, elapsed: int, max_seconds: int, *, waits: bool
) -> None:
    row = store.start(f"{SITE}/", CrawlSettings(polite=UNPACED, max_seconds=max_seconds))
    row = replace(row, started_at=clock.now() - elapsed)
    client = Canned({ROBOTS: [answer(503)]})
    with pytest.raises(RootUnreachableError if waits else RootFailedError, match=r"its robots\.txt cannot be fetched"):
        reopened(row, store, StillClock(clock.now()), client)


def test_redirects_of_the_root_are_not_followed_after_the_crawls_time(store: LocalStore, clock: StillClock) -> None:
    row = replace(store.start(f"{SITE}/", CrawlSettings(polite=UNPACED, max_seconds=10)), started_at=clock.now())
    hop = [f"https://h{number}.example/" for number in range(5)]
    client = Slow(
        {f"{SITE}/": [redirect(hop[0])], **{url: [redirect(after)] for url, after in pairwise(hop)}}, clock=clock
    )
    assert reopened(row, store, clock, client).root_url == f"{SITE}/"
    assert [url for url in client.requested if not url.endswith("/robots.txt")] == [f"{SITE}/", hop[0]]


def test_each_wait_for_the_root_is_twice_the_one_before() -> None:
    assert all(second == 2 * first for first, second in pairwise(ROOT_WAITS))


SET = ("Set-Cookie", "ok=1; Path=/")


def cookies_sent(client: Canned, url: str) -> list[str]:
    return [dict(request.headers).get("Cookie", "") for request in client.requests if request.url == url]


def test_redirects_of_the_root_carry_their_cookies(store: LocalStore, clock: StillClock) -> None:
    client = Canned({f"{SITE}/": [redirect("/consent"), answer()], f"{SITE}/consent": [redirect("/en/", 302, SET)]})
    client.answers[f"{SITE}/en/"] = [answer()]
    assert opened(store, clock, client).root_url == f"{SITE}/en/"
    assert cookies_sent(client, f"{SITE}/en/") == ["ok=1"]


def test_redirects_of_a_sitemap_carry_their_cookies(store: LocalStore, clock: StillClock) -> None:
    file = f"{SITE}/sitemap.xml"
    client = Canned({file: [redirect("/consent"), answer(200, urlset(f"{SITE}/a"), XML)]})
    client.answers[f"{SITE}/consent"] = [redirect("/sitemap.xml", 302, SET)]
    assert [entry.url for entry in read(store, clock, client).entries] == [f"{SITE}/a"]
    assert cookies_sent(client, file) == ["", "ok=1"]


@pytest.mark.parametrize("fault", [TransportFault.RESET, TransportFault.TIMEOUT])
def test_a_sitemap_that_arrives_in_part_is_read_as_far_as_it_arrived(
    store: LocalStore, clock: StillClock, fault: TransportFault
) -> None:
    body = urlset(f"{SITE}/a", f"{SITE}/b").partition(f"<url><loc>{SITE}/b")[0]
    cut = structs.replace(answer(200, body, XML), fault=fault, fault_detail="reset")
    listing = read(store, clock, Canned({f"{SITE}/sitemap.xml": [cut]}))
    assert [entry.url for entry in listing.entries] == [f"{SITE}/a"]
    assert "read in part: reset; start another crawl to read all of it" in {one.message for one in listing.notices}
    assert listing.blockers


def test_a_root_is_not_moved_where_redirects_are_not_followed(store: LocalStore, clock: StillClock) -> None:
    client = Canned({f"{SITE}/": [redirect("/en/")]})
    assert opened(store, clock, client, CrawlSettings(follow_redirects=False)).root_url == f"{SITE}/"


def test_sitemaps_are_looked_for_where_they_usually_are(store: LocalStore, clock: StillClock) -> None:
    client = Canned({f"{SITE}/sitemap.xml": [answer(200, urlset(f"{SITE}/a", "https://else.example/b"), XML)]})
    listing = read(store, clock, client)
    assert [(entry.url, entry.lastmod, entry.skip) for entry in listing.entries] == [
        (f"{SITE}/a", "2026-01-02", Reason.NONE),
        ("https://else.example/b", "2026-01-02", Reason.OUT_OF_SCOPE),
    ]
    assert f"{SITE}/sitemap_index.xml" not in client.requested
    missing = Canned({})
    read(store, clock, missing)
    assert missing.requested[-2:] == [f"{SITE}/sitemap.xml", f"{SITE}/sitemap_index.xml"]


def test_a_sitemap_that_is_cut_at_its_size_says_so(store: LocalStore, clock: StillClock) -> None:
    cut = structs.replace(answer(200, urlset(f"{SITE}/a")[:-9], XML), truncated=True)
    settings = CrawlSettings(polite=UNPACED, sitemaps=SitemapSettings(max_bytes=1_000))
    listing = read(store, clock, Canned({f"{SITE}/sitemap.xml": [cut]}), settings)
    assert [entry.url for entry in listing.entries] == [f"{SITE}/a"]
    assert listing.notices[0].message == "cut after 1,000 bytes; raise sitemaps.max_bytes"


def test_a_sitemap_is_read_through_redirects_and_only_once(store: LocalStore, clock: StillClock) -> None:
    robots = answer(200, f"Sitemap: {SITE}/map\nSitemap: {SITE}/map", TEXT)
    client = Canned(
        {
            f"{SITE}/robots.txt": [robots],
            f"{SITE}/map": [redirect("/map.xml")],
            f"{SITE}/map.xml": [answer(200, urlset(f"{SITE}/a"), XML)],
        }
    )
    listing = read(store, clock, client)
    assert [entry.url for entry in listing.entries] == [f"{SITE}/a"]
    assert client.requested.count(f"{SITE}/map.xml") == 1


def test_what_is_wrong_with_a_sitemap_is_noted(store: LocalStore, clock: StillClock) -> None:
    names = ("gone.xml", "denied.xml", "loop.xml", "broken.xml", "slow.xml")
    robots = "User-agent: *\nDisallow: /denied\n" + "".join(f"Sitemap: {SITE}/{name}\n" for name in names)
    client = Canned(
        {
            f"{SITE}/robots.txt": [answer(200, robots, TEXT)],
            f"{SITE}/loop.xml": [redirect("/loop.xml")],
            f"{SITE}/broken.xml": [answer(200, urlset(f"{SITE}/a")[: -len("</urlset>")], XML)],
            f"{SITE}/slow.xml": [answer(fault=TransportFault.TIMEOUT)],
        }
    )
    listing = read(store, clock, client)
    said = {notice.subject.rpartition("/")[2]: notice.message for notice in listing.notices}
    assert set(said) == set(names)
    assert "404" in said["gone.xml"]
    assert "robots.txt disallows it" in said["denied.xml"]
    assert "too many redirects" in said["loop.xml"]
    assert [entry.url for entry in listing.entries] == [f"{SITE}/a"]


def test_the_number_of_sitemap_files_is_limited(store: LocalStore, clock: StillClock) -> None:
    robots = "".join(f"Sitemap: {SITE}/{n}.xml\n" for n in range(9))
    client = Canned({f"{SITE}/robots.txt": [answer(200, robots, TEXT)]})
    for n in range(9):
        client.answers[f"{SITE}/{n}.xml"] = [answer(200, urlset(f"{SITE}/page-{n}"), XML)]
    settings = CrawlSettings(polite=UNPACED, sitemaps=SitemapSettings(max_files=4))
    assert len(read(store, clock, client, settings).entries) == 4


def test_a_listing_is_stored_and_read_back(store: LocalStore, clock: StillClock) -> None:
    client = Canned({f"{SITE}/sitemap.xml": [answer(200, urlset(f"{SITE}/a"), HTML)]})
    listing = read(store, clock, client)
    row = store.find(None)
    assert load_listing(store.objects, row.id) == listing
    store.objects.put(row.id, "sitemaps/listing.msgpack", b"broken")
    with pytest.raises(CorruptDataError, match="sitemap listing"):
        load_listing(store.objects, row.id)
