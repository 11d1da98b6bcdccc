"""A site whose pages are named like files, beside real files."""

from collections import Counter
from pathlib import Path

import pytest
from tests.support.crawling import QUICK, Done, crawl_inline, with_changes
from tests.support.fake_media import MemoryAssets

from wavecrawl.demo.model import Link, Page, Site, SitemapEntry, SitemapFile
from wavecrawl.demo.patterns import redirect
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.media.settings import MediaGroup

HIDDEN = "/blog/only-listed.js"
PAGES = (
    "/blog/intro-to-node.js", "/blog/vue.js", "/paper.pdf?view=html", "/wiki/File:Logo.png", "/learn/v1.2.zip/",
    "/reports/annual.pdf", "/logos/new.svg", "/moved/here.zip",
)  # fmt: skip
FILES = tuple(f"/img/{name}.png" for name in "abcdefghij")


def page(path: str) -> Page:
    return Page(path=path, title=path, text=(f"The text of {path}.",))


def site() -> Site:
    links = tuple(Link(to=path) for path in (*PAGES[:-1], "/old", *FILES, "/big/film.mp4"))
    listed = (HIDDEN, "/blog/vue.js", "/img/b.png")
    return Site(
        pages=(
            Page(path="/", title="Root", text=("Links.",), links=links),
            *map(page, (*PAGES, HIDDEN)),
            redirect("/old", PAGES[-1]),
            *(Page(path=path, body=b"\x89PNG\r\n", content_type="image/png") for path in FILES),
            Page(path="/big/film.mp4", body=bytes(1_000_000), content_type="video/mp4"),
        ),
        sitemaps=(SitemapFile(path="/sitemap.xml", entries=tuple(SitemapEntry(to=path) for path in listed)),),
    )


@pytest.fixture(name="crawled", scope="module")
def a_crawl(tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Counter[str], str]:
    with SiteServer(site()) as server:
        done = crawl_inline(server.url, tmp_path_factory.mktemp("files"), QUICK)
        return done, Counter(one.path for one in server.log), server.origin


def test_pages_are_read_and_files_are_requested_once_per_family(crawled: tuple[Done, Counter[str], str]) -> None:
    done, requests, origin = crawled
    read = {row["url"].removeprefix(origin) for row in done.pages() if row["state"] == "fetched"}
    assert read == {"/", *PAGES, HIDDEN}
    assert requests["/big/film.mp4"] == 1
    assert [path for path in FILES if requests[path]] == ["/img/a.png", "/img/b.png"]  # the second is in the sitemap
    assert max(requests[path] for path in (*PAGES, *FILES)) == 1


def test_the_ledger_has_the_evidence(crawled: tuple[Done, Counter[str], str]) -> None:
    done, _, origin = crawled
    ledger = {row["url"].removeprefix(origin): row for row in done.ledger()}
    assert {path: (ledger[path]["state"], ledger[path]["reason"]) for path in FILES} == dict.fromkeys(
        FILES, ("skipped", "asset")
    )
    assert ledger["/img/a.png"]["detail"] == "its response is image/png"
    assert ledger["/big/film.mp4"]["detail"] == "its response is video/mp4"
    assert ledger["/img/c.png"]["detail"] == f"like {origin}/img/a.png: its response is image/png"


def test_links_to_them_are_links_to_pages(crawled: tuple[Done, Counter[str], str]) -> None:
    done, _, origin = crawled
    pages = {row["url"].removeprefix(origin): row for row in done.pages()}
    assert {path: (pages[path]["in_links"], pages[path]["orphan"]) for path in PAGES} == dict.fromkeys(PAGES, (1, ""))
    assert pages["/old"]["redirect_to"] == f"{origin}{PAGES[-1]}"
    assert not {*FILES, "/big/film.mp4"} & pages.keys()
    assert (pages[HIDDEN]["in_links"], pages[HIDDEN]["orphan"]) == (0, "orphan")


@pytest.mark.parametrize("changes", [{"checks.resources": True}, {"media.include": (MediaGroup.DOCUMENTS,)}])
def test_they_are_read_by_crawls_that_check_or_store_files(changes: dict[str, object], tmp_path: Path) -> None:
    with SiteServer(site()) as server:
        done = crawl_inline(server.url, tmp_path, with_changes(QUICK, changes), assets=MemoryAssets())
        requests = Counter(one.path for one in server.log)
    read = {row["url"].removeprefix(server.origin) for row in done.pages() if row["state"] == "fetched"}
    assert read == {"/", *PAGES, HIDDEN}
    assert max(requests[path] for path in (*PAGES, *FILES)) == 1
    assert [one for one in done.summary.notices if "named like a file" in one.message] == []
    assert done.summary.media == {}  # a page that is named like a document is none


def test_a_page_beside_files_of_the_same_name_is_a_notice(tmp_path: Path) -> None:
    names = ("/doc/1.pdf", "/doc/2.pdf", "/doc/3.pdf")
    pages = (Page(path="/", title="Root", text=("Links.",), links=tuple(Link(to=one) for one in names)),)
    file = Page(path=names[0], body=b"%PDF-1.7", content_type="application/pdf")
    with SiteServer(Site(pages=(*pages, file, *map(page, names[1:])))) as server:
        done = crawl_inline(server.url, tmp_path, with_changes(QUICK, {"checks.resources": True}))
    (notice,) = (one for one in done.summary.notices if "named like a file" in one.message)
    assert notice.subject == f"{server.origin}/doc/2.pdf"
    assert notice.message == (
        "named like a file, but its response is a page, and 1 more like it; not read, as no other URL of its folder "
        "that was tried is a page. To have it read, list it in a sitemap"
    )


def test_a_crawl_without_such_pages_has_no_notice(crawled: tuple[Done, Counter[str], str]) -> None:
    assert [one for one in crawled[0].summary.notices if "named like a file" in one.message] == []
