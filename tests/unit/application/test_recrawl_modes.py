"""Which known pages a crawl requests, by mode."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.campaign import slow
from tests.support.crawling import QUICK, Done, crawl_inline, table
from tests.support.page_memories import memory_rows, move_back

from wavecrawl.demo.model import Link, Page, Site, SitemapEntry, SitemapFile
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery
from wavecrawl.domain.recrawl.settings import Mode, RecrawlSettings
from wavecrawl.errors import InvalidSettingsError

DAY = 86_400.0
HOME = Page(path="/", title="Home", text=("Welcome.",), links=(Link(to="/a"), Link(to="/b")))
A = Page(path="/a", title="A", text=("First.",), links=(Link(to="/c"),))
B = Page(path="/b", title="B", text=("Second.",))
C = Page(path="/c", title="C", text=("Third.",))
NEW = Page(path="/new", title="New", text=("New.",))
DUE = replace(QUICK, mode=Mode.DUE_ONLY)
CHANGED = replace(QUICK, mode=Mode.CHANGED_ONLY)


class Again:
    """A site that is crawled again after changes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.port = 0

    def crawl(self, *pages: Page, settings: CrawlSettings = QUICK, dates: dict[str, str] | None = None) -> Done:
        entries = tuple(SitemapEntry(to=path, lastmod=date) for path, date in (dates or {}).items())
        sitemaps = (SitemapFile(path="/sitemap.xml", entries=entries),) if entries else ()
        with SiteServer(Site(pages=pages, sitemaps=sitemaps), port=self.port) as server:
            self.port = server.port
            return crawl_inline(server.url, self.root, settings)

    def later(self, done: Done, days: float) -> None:
        """Let some days pass."""
        move_back(self.root, done.row.id, seconds=days * DAY)


@pytest.fixture(name="site")
def a_site(tmp_path: Path) -> Again:
    return Again(tmp_path)


def states(done: Done) -> dict[str, str]:
    """Return the state of each URL that was not skipped by its path."""
    return {_path(row["url"]): row["state"] for row in done.ledger() if row["state"] != "skipped"}


def skipped(done: Done) -> dict[str, str]:
    return {_path(row["url"]): row["reason"] for row in done.ledger() if row["state"] == "skipped"}


def _path(url: str) -> str:
    return f"/{url.split('/', 3)[3]}"


def test_pages_that_are_not_due_are_not_requested(site: Again) -> None:
    first = site.crawl(HOME, A, B, C)
    second = site.crawl(HOME, A, B, C, settings=DUE)
    assert states(second) == {"/": "unchanged"}  # the root is always requested
    assert skipped(second) == {"/a": "not_due", "/b": "not_due", "/c": "not_due"}
    assert second.summary.pages == 1
    seen = {row["url"]: row["last_seen"] for row in memory_rows(site.root, first.row.id)}
    assert len(seen) == 4  # none is deleted
    assert {row["deleted_at"] for row in memory_rows(site.root, first.row.id)} == {0.0}


def test_due_pages_are_requested_and_what_they_newly_link_to(site: Again) -> None:
    first = site.crawl(HOME, A, B, C)
    site.later(first, 8)
    changed = replace(A, text=("Other.",), links=(Link(to="/c"), Link(to="/new")))
    second = site.crawl(HOME, changed, B, C, NEW, settings=DUE)
    assert states(second) == {
        "/": "unchanged", "/a": "fetched", "/b": "unchanged", "/c": "unchanged", "/new": "fetched",
    }  # fmt: skip
    assert {page["url"].rpartition("/")[2]: page["depth"] for page in second.pages()} == {
        "": 0, "a": 1, "b": 1, "c": 2, "new": 2,
    }  # fmt: skip
    parents = {_path(row["url"]): row["parent"] for row in second.ledger()}
    assert parents["/new"].endswith("/a")


@slow
def test_pages_that_change_often_are_due_sooner(site: Again) -> None:
    for number in range(6):
        done = site.crawl(HOME, replace(A, text=(f"Version {number}.",)), B, C)
        site.later(done, 3)
    site.later(done, 2)
    due = site.crawl(HOME, replace(A, text=("Newest.",)), B, C, settings=DUE)
    assert states(due) == {"/": "unchanged", "/a": "fetched"}


def test_a_first_crawl_requests_everything_in_every_mode(site: Again) -> None:
    assert states(site.crawl(HOME, A, B, C, settings=DUE)) == dict.fromkeys(("/", "/a", "/b", "/c"), "fetched")


def test_newer_dates_of_the_sitemap_make_pages_due(site: Again) -> None:
    site.crawl(HOME, A, B, C, dates={"/a": "2020-01-01", "/b": "2020-01-01"})
    pages = (HOME, replace(A, text=("Other.",)), B, C, NEW)
    dates = {"/a": "2999-01-01", "/b": "2020-01-01", "/new": "2020-01-01"}
    second = site.crawl(*pages, settings=CHANGED, dates=dates)
    assert second.row.settings.discovery is Discovery.SITEMAP_FIRST
    assert states(second) == {"/": "unchanged", "/a": "fetched", "/new": "fetched"}
    assert skipped(second) == {"/b": "not_due", "/c": "not_due"}
    third = site.crawl(*pages, settings=replace(CHANGED, mode=Mode.DUE_ONLY), dates=dates | {"/b": "2999-01-01"})
    assert states(third) == {"/": "unchanged"}


@slow
def test_dates_that_were_wrong_are_not_trusted(site: Again) -> None:
    strict = replace(CHANGED, recrawl=RecrawlSettings(min_lastmod_trust=0.49))
    site.crawl(HOME, A, B, C, dates={"/a": "2020-01-01"})
    second = site.crawl(HOME, A, B, C, settings=strict, dates={"/a": "2999-01-01"})
    assert states(second)["/a"] == "unchanged"  # the date was wrong
    third = site.crawl(HOME, A, B, C, settings=strict, dates={"/a": "2999-01-02"})
    assert skipped(third)["/a"] == "not_due"


@slow
def test_a_page_that_failed_in_three_crawls_is_in_quarantine(site: Again) -> None:
    broken = replace(B, status=500)
    settings = replace(QUICK, max_retries=0)
    for _ in range(3):
        done = site.crawl(HOME, A, broken, C, settings=settings)
        assert states(done)["/b"] == "http_error"
    site.later(done, 29)
    due = site.crawl(HOME, A, broken, C, settings=replace(DUE, max_retries=0))
    assert skipped(due) == {"/b": "quarantined"}
    (why,) = (row["detail"] for row in due.ledger() if row["state"] == "skipped")
    assert why.startswith("due on 2")
    site.later(due, 1)
    assert states(site.crawl(HOME, A, broken, C, settings=replace(DUE, max_retries=0)))["/b"] == "http_error"
    for mode in (DUE, QUICK):
        assert skipped(site.crawl(HOME, A, B, C, settings=mode))["/b"] == "quarantined"
    without = replace(QUICK, recrawl=RecrawlSettings(quarantine_after=0))
    assert states(site.crawl(HOME, A, B, C, settings=without))["/b"] == "fetched"


@slow
def test_a_full_crawl_requests_a_quarantined_page_when_it_is_due_or_listed(site: Again) -> None:
    settings = replace(QUICK, max_retries=0, recrawl=RecrawlSettings(quarantine_after=1))
    site.crawl(HOME, A, replace(B, status=500), C, settings=settings)
    second = site.crawl(HOME, A, B, C, settings=settings)
    assert skipped(second) == {"/b": "quarantined"}
    assert second.summary.pages == 3
    listed = replace(settings, discovery=Discovery.LIST, urls=(f"http://127.0.0.1:{site.port}/b",))
    assert states(site.crawl(HOME, A, replace(B, status=500), C, settings=listed)) == {"/b": "http_error"}
    site.later(second, 31)
    assert states(site.crawl(HOME, A, B, C, settings=settings))["/b"] == "fetched"
    assert states(site.crawl(HOME, A, B, C, settings=settings))["/b"] == "unchanged"


@slow
def test_no_page_is_quarantined_if_the_whole_site_failed(site: Again) -> None:
    settings = replace(QUICK, max_retries=0, recrawl=RecrawlSettings(quarantine_after=1))
    home = replace(HOME, links=(Link(to="/a"), Link(to="/b"), Link(to="/c")))
    down = [replace(page, status=503) for page in (A, B, C)]
    for _ in range(2):
        site.crawl(home, *down, settings=settings)
    due = site.crawl(home, A, B, C, settings=replace(settings, mode=Mode.DUE_ONLY))
    assert set(skipped(due).values()) == {"not_due"}
    assert set(states(site.crawl(home, A, B, C, settings=settings)).values()) == {"fetched", "unchanged"}


def test_a_page_that_nothing_links_to_any_more_is_deleted_but_not_forgotten(site: Again) -> None:
    first = site.crawl(HOME, A, B, C)
    site.later(first, 1)
    done = site.crawl(HOME, replace(A, links=()), B, C)
    rows = {_path(row["url"]): row for row in memory_rows(site.root, done.row.id)}
    assert {path for path, row in rows.items() if row["deleted_at"]} == {"/c"}
    assert rows["/c"]["title"] == "C"
    assert not (first.exports / "history.csv").exists()
    assert {_path(row["url"]): bool(row["deleted"]) for row in table(done.exports / "history.csv")} == {
        "/": False, "/a": False, "/b": False, "/c": True,
    }  # fmt: skip
    due = site.crawl(HOME, replace(A, links=()), B, C, settings=DUE)
    assert "/c" not in {**states(due), **skipped(due)}


@slow
def test_pages_outside_of_the_scope_or_too_deep_are_not_seeds(site: Again) -> None:
    first = site.crawl(HOME, A, B, C)
    site.later(first, 100)
    scope = replace(DUE.scope, exclude=("/b",))
    due = site.crawl(HOME, A, B, C, settings=replace(DUE, scope=scope, max_depth=1))
    assert states(due) == {"/": "unchanged", "/a": "unchanged"}
    assert skipped(due) == {"/b": "excluded", "/c": "max_depth"}


@pytest.mark.parametrize("discovery", [Discovery.LIST, Discovery.SITEMAP_ONLY])
def test_modes_need_links(discovery: Discovery) -> None:
    with pytest.raises(InvalidSettingsError, match="follows links"):
        replace(DUE, discovery=discovery, urls=("https://example.com/",) * (discovery is Discovery.LIST)).validated()


def test_intervals_must_be_in_order() -> None:
    with pytest.raises(InvalidSettingsError, match="min_interval"):
        replace(QUICK, recrawl=RecrawlSettings(min_interval=10.0, max_interval=5.0)).validated()
