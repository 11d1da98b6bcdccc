"""The brand in the record of the root, and the stylesheets that are requested for it."""

import pytest
from msgspec import structs
from tests.support.canned import Canned, answer, redirect
from tests.support.still_clock import StillClock

from wavecrawl.application.fetch_page import PageFetcher
from wavecrawl.application.site_rules import site_rules
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.brand.brand import Brand
from wavecrawl.domain.brand.settings import BrandSettings
from wavecrawl.domain.crawl.job import CrawlId, JobItem
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.fetching.exchange import Exchange, TransportFault
from wavecrawl.domain.urls.url import Identity
from wavecrawl.ports.crawls import CrawlRow

SITE = "https://site.example"
CSS = (("Content-Type", "text/css"),)
ROBOTS = answer(200, "User-agent: *\nDisallow: /private/", (("Content-Type", "text/plain"),))
LINKS = "".join(f"<link rel=stylesheet href=/{name}.css>" for name in ("private/x", "gone", "a", "b", "c"))
PAGE = answer(200, f"<title>Home</title>{LINKS}<body style='color:#123456'><p>words")
STYLES = {
    "private/x": answer(200, ":root{--primary:#ff0000}", CSS),
    "gone": answer(404, ":root{--primary:#ff0000}", CSS),
    "a": answer(200, ":root{--primary:#aa0000}", CSS),
    "b": answer(fault=TransportFault.TIMEOUT),
    "c": answer(200, ":root{--accent:#0000aa}", CSS),
}


def fetched(
    store: LocalStore, clock: StillClock, *, path: str = "/", brand: BrandSettings | None = None, late: bool = False,
    page: Exchange = PAGE,
) -> tuple[PageRecord, Canned]:  # fmt: skip
    settings = CrawlSettings(brand=brand or BrandSettings(stylesheets=5))
    row = CrawlRow(id=CrawlId(tenant="t", site="s", crawl="c"), start_url=SITE, root_url=f"{SITE}/", settings=settings)
    client = Canned(
        {f"{SITE}/robots.txt": [ROBOTS], f"{SITE}/": [page], f"{SITE}/other": [page]}
        | {f"{SITE}/{name}.css": [given] for name, given in STYLES.items()}
    )
    rules = site_rules(row, client=client, cache=store.robots, clock=clock)
    fetcher = PageFetcher(
        client=client,
        links=rules.links,
        media=rules.media,
        robots=rules.robots,
        archive=store.archive,
        settings=settings,
        root=rules.root.key,
    )
    url = Identity().page_url(SITE + path)
    done = fetcher.fetch(JobItem(url=url.url, key=url.key, depth=0, tries=1), next_start=lambda: not late)
    assert [exchange.url for exchange in done.exchanges] == [url.url]  # stylesheets are not archived
    return done.record, client


def colours(brand: Brand | None) -> list[str | None]:
    assert brand is not None
    return [one.hex if one else None for one in (brand.primary, brand.accent, brand.text)]


def stylesheets(client: Canned) -> list[str]:
    return [url.removeprefix(SITE) for url in client.requested if url.endswith(".css")]


def test_stylesheets_that_robots_txt_allows_are_read(store: LocalStore, clock: StillClock) -> None:
    record, client = fetched(store, clock)
    assert colours(record.brand) == ["#aa0000", "#0000aa", "#123456"]
    assert stylesheets(client) == ["/gone.css", "/a.css", "/b.css", "/c.css"]


def test_at_most_as_many_stylesheets_as_set_are_requested(store: LocalStore, clock: StillClock) -> None:
    record, client = fetched(store, clock, brand=BrandSettings(stylesheets=3))
    assert colours(record.brand) == ["#aa0000", None, "#123456"]
    assert stylesheets(client) == ["/gone.css", "/a.css"]


def test_without_stylesheets_the_page_alone_is_read(store: LocalStore, clock: StillClock) -> None:
    link = answer(200, "<link rel=icon href=/i.png>" + PAGE.body.decode())
    record, client = fetched(store, clock, brand=BrandSettings(stylesheets=0), page=link)
    assert colours(record.brand) == [None, None, "#123456"]
    assert client.requested == [f"{SITE}/"]


def test_no_stylesheet_is_requested_when_it_is_too_late_for_the_worker(store: LocalStore, clock: StillClock) -> None:
    record, client = fetched(store, clock, late=True)
    assert (record.brand, stylesheets(client)) == (None, [])


@pytest.mark.parametrize(
    ("path", "brand", "page"),
    [
        ("/other", BrandSettings(), PAGE),
        ("/", BrandSettings(enabled=False), PAGE),
        ("/", BrandSettings(), answer(404)),
        ("/", BrandSettings(), redirect("/elsewhere")),
        ("/", BrandSettings(), answer(200, "{}", (("Content-Type", "application/json"),))),
    ],
)
def test_only_the_root_as_html_has_a_brand(
    store: LocalStore, clock: StillClock, path: str, brand: BrandSettings, page: Exchange
) -> None:
    record, client = fetched(store, clock, path=path, brand=brand, page=page)
    assert (record.brand, stylesheets(client)) == (None, [])


def test_a_page_in_another_encoding_is_read(store: LocalStore, clock: StillClock) -> None:
    text = "<meta charset=iso-8859-1><nav><img alt='Brändlogo' src=/lögo.png></nav>"
    body = text.encode("iso-8859-1")
    page = structs.replace(PAGE, headers=(("Content-Type", "text/html"),), body=body, raw_body=body)
    record, _ = fetched(store, clock, page=page)
    assert record.brand is not None
    assert record.brand.logo is not None
    assert record.brand.logo.url == f"{SITE}/l%C3%B6go.png"
