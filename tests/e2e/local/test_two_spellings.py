"""A crawl of a site whose pages have two spellings: with and without a slash at the end of the path."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.crawling import ALL_FILES, Done, crawl_inline, table

from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.model import Link, OtherSpelling, Page, Site, SitemapEntry, SitemapFile
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.pages.page import LinkKind

SECTION = ("/docs/s0", "/docs/s1", "/docs/s2")
SAME, MISSING = OtherSpelling.SAME, OtherSpelling.MISSING


def page(path: str, *links: str, canonical: str = "", other: OtherSpelling = OtherSpelling.REDIRECT) -> Page:
    declared = (Link(to=canonical, kind=LinkKind.CANONICAL),) if canonical else ()
    name = path.replace("/", " slash ")
    return Page(
        path=path,
        title=f"Title of {name}",
        text=(f"{name} {name} has enough words of its own: {' '.join(f'{name}{n}' for n in range(9))}.",),
        links=(*declared, *(Link(to=link, text=link) for link in links)),
        other=other,
    )


PAGES = (
    page("/", "/docs", "/about", "/team", "/both", "/declared", "/two", "/list"),
    page("/docs/", *SECTION, other=MISSING),
    *(page(path) for path in SECTION),
    page("/about/"),
    page("/team"),
    page("/both", "/both/more", other=SAME),
    page("/both/more"),
    page("/declared", canonical="/declared/"),
    page("/two", canonical="/two/"),
    page("/two/"),
    page("/named/", canonical="/named", other=SAME),
    page("/list", "/docs/", "/about/", "/team/", "/both/", "/two/", "/named/", "/named"),
    page("/lone/"),
)
LISTED = ("/docs", "/about", "/both/", "/lone")


class Crawled:
    """A crawl of the site, with the paths in its results."""

    def __init__(self, done: Done, server: SiteServer) -> None:
        self.done = done
        self.requested = [one.path for one in server.log if one.method == "GET"]
        self._origin = server.origin

    def path(self, url: str) -> str:
        return url.removeprefix(self._origin)

    def rows(self, name: str) -> list[dict[str, str]]:
        return table(self.done.exports / name)

    def issues(self, kind: str) -> list[tuple[str, str]]:
        return sorted(
            (self.path(row["url"]), self.path(row["related"])) for row in self.rows("issues.csv") if row["kind"] == kind
        )


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    sitemap = SitemapFile(path="/sitemap.xml", entries=tuple(SitemapEntry(to=to) for to in LISTED))
    with SiteServer(Site(pages=PAGES, sitemaps=(sitemap,))) as server:
        yield Crawled(crawl_inline(server.url, tmp_path_factory.mktemp("data"), ALL_FILES), server)


def test_each_spelling_that_is_linked_or_listed_is_requested_once(crawl: Crawled) -> None:
    pages = sorted(path for path in crawl.requested if not path.endswith((".txt", ".xml")))
    linked = {link.to for one in PAGES for link in one.links if link.kind is LinkKind.ANCHOR}
    ends = {"/about/", "/lone/"}  # of redirects
    assert pages == sorted({"/", *linked, *LISTED, *ends})
    assert "/declared/" not in pages
    assert set(SECTION) <= set(pages)


def test_the_ledger_says_how_each_spelling_ended(crawl: Crawled) -> None:
    states = {crawl.path(row["url"]): row["state"] for row in crawl.rows("ledger.csv")}
    assert {path: states[path] for path in ("/docs", "/docs/", "/about", "/about/", "/team", "/team/")} == {
        "/docs": "not_found",
        "/docs/": "fetched",
        "/about": "redirected",
        "/about/": "fetched",
        "/team": "fetched",
        "/team/": "redirected",
    }
    assert states["/both"] == states["/both/"] == states["/two"] == states["/two/"] == "fetched"


def test_links_and_sitemap_entries_are_judged_by_their_own_spelling(crawl: Crawled) -> None:
    assert crawl.issues("broken_link") == [("/docs", "/")]
    assert crawl.issues("link_to_redirect") == [("/about", "/"), ("/team/", "/list")]
    assert [url for url, _ in crawl.issues("error_in_sitemap")] == ["/docs"]
    assert [url for url, _ in crawl.issues("redirect_in_sitemap")] == ["/about", "/lone"]


def test_a_page_counts_once(crawl: Crawled) -> None:
    rows = {crawl.path(row["url"]): row for row in crawl.rows("pages.csv")}
    read = sorted(path for path, row in rows.items() if row["state"] == "fetched")
    pages = ["/", "/docs/", *SECTION, "/about/", "/team", "/both", "/both/more", "/declared", "/two", "/two/"]
    assert read == sorted([*pages, "/named", "/list", "/lone/"])
    assert crawl.done.summary.pages == len(read)
    assert [row for row in crawl.rows("duplicates.csv") if row["kind"] != "review"] == []
    assert crawl.issues("duplicate_title") == crawl.issues("duplicate_content") == []
    assert (rows["/both"]["in_links"], rows["/both"]["out_links"]) == ("2", "1")
    assert rows["/both"]["in_sitemap"] == rows["/about/"]["in_sitemap"] == "true"


def test_the_sitemap_has_each_page_in_a_spelling_that_works(crawl: Crawled) -> None:
    locs = re.findall("<loc>([^<]*)</loc>", (crawl.done.exports / "sitemap.xml").read_text())
    pages = ["/", "/docs/", *SECTION, "/about/", "/team", "/both", "/both/more", "/declared/", "/two/"]
    assert sorted(map(crawl.path, locs)) == sorted([*pages, "/named", "/list", "/lone/"])


def test_a_page_that_declares_its_other_spelling_is_the_page_itself_unless_that_is_another_one(crawl: Crawled) -> None:
    rows = {crawl.path(row["url"]): row["not_indexable"] for row in crawl.rows("pages.csv")}
    assert (rows["/declared"], rows["/named"], rows["/two"], rows["/two/"]) == ("", "", "canonical_elsewhere", "")


def test_a_page_that_a_sitemap_lists_in_another_spelling_only_is_an_orphan(crawl: Crawled) -> None:
    assert [crawl.path(row["url"]) for row in crawl.rows("orphans.csv")] == ["/lone/"]


def test_a_page_that_is_linked_in_its_other_spelling_now_is_neither_new_nor_gone(tmp_path: Path) -> None:
    port, crawls = 0, []
    for link in ("/x", "/x/"):
        pages = page("/", link), page("/x", other=SAME)
        with SiteServer(Site(pages=pages), port=port) as server:
            port = int(server.url.rpartition(":")[2].strip("/"))
            crawls.append(crawl_inline(server.url, tmp_path, ALL_FILES))
    store = LocalStore(tmp_path)
    try:
        kinds = store.results.compare(crawls[0].row.id, crawls[1].row.id).kinds
        outcome = store.crawls.read(crawls[1].row.id)
    finally:
        store.close()
    assert {kind for kind in ("new", "gone", "moved", "not_seen", "changed") if kinds[kind]} <= {"changed"}
    assert outcome is not None
    assert outcome.outcome is not None
    assert (outcome.outcome.new, outcome.outcome.gone) == (0, 0)
