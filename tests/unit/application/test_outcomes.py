"""The figures of a crawl's results are stored with the crawl."""

from pathlib import Path

from msgspec.structs import replace
from tests.support.crawling import QUICK, crawl_inline
from tests.support.page_memories import move_back

from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.outcome import CrawlOutcome
from wavecrawl.ports.crawls import CrawlRow


def site(*, about: str, links: tuple[str, ...], pages: tuple[str, ...]) -> Site:
    root = Page(path="/", title="Home", links=tuple(Link(to=path) for path in links))
    others = (Page(path=path, title=path, text=(about, path)) for path in pages)
    return Site(pages=(root, *others))


def outcomes(folder: Path, *crawls: CrawlRow) -> list[CrawlOutcome]:
    """Return the stored outcomes of crawls, without the statistics, which have tests of their own."""
    store = LocalStore(folder)
    rows = [store.crawls.read(crawl.id) for crawl in crawls]
    store.close()
    return [replace(row.outcome, statistics=None) for row in rows if row is not None and row.outcome is not None]


def test_the_outcome_of_a_crawl_counts_errors_and_changes_since_earlier_crawls(tmp_path: Path) -> None:
    before = site(about="One text.", links=("/a", "/b", "/c", "/lost"), pages=("/a", "/b", "/c"))
    after = site(about="Another text.", links=("/a", "/b", "/c", "/d", "/lost"), pages=("/a", "/b", "/d"))
    with SiteServer(before) as server:
        first = crawl_inline(server.url, tmp_path).row
    move_back(tmp_path, first.id, seconds=100.0)
    with SiteServer(after, port=server.port) as server:
        second = crawl_inline(server.url, tmp_path).row
    found = outcomes(tmp_path, first, second)
    assert found == [
        CrawlOutcome(pages=4, errors=1),  # /lost
        CrawlOutcome(pages=4, errors=2, new=1, changed=3, gone=1),  # /d; /, /a and /b; /c
    ]


def test_pages_that_an_earlier_crawl_knew_but_did_not_read_are_not_new(tmp_path: Path) -> None:
    links = ("/a", "/b", "/c")
    with SiteServer(site(about="One text.", links=links, pages=links)) as server:
        first = crawl_inline(server.url, tmp_path, replace(QUICK, max_pages=2)).row  # / and /a
    move_back(tmp_path, first.id, seconds=100.0)
    with SiteServer(site(about="One text.", links=(*links, "/d"), pages=(*links, "/d")), port=server.port) as server:
        second = crawl_inline(server.url, tmp_path)
    found = outcomes(tmp_path, first, second.row)
    assert found == [
        CrawlOutcome(pages=2, errors=0, limits=frozenset({"max_pages"})),
        CrawlOutcome(pages=5, errors=0, new=1, changed=1, gone=0),  # /d; /
    ]
    report = (second.exports / "report.html").read_text(encoding="utf-8")
    assert "1 new page, 1 page with a changed main text, 0 pages gone." in report
    assert "The crawl before stopped at a limit (max_pages)" in report
