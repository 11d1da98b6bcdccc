"""The content of pages and its deletion, in finished crawls and in a running crawl."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree

import pytest
from msgspec.structs import replace
from tests.support.crawling import Done, crawl_inline

from wavecrawl.application.explain_url import explain_url
from wavecrawl.application.pages import find_record, hide_page, page_content
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.states import CrawlStatus, UrlState
from wavecrawl.errors import ConflictError, NotFoundError
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.results import PageFilter, PageQuery

LIMIT = 1_000_000
PAGES = (
    Page(path="/", title="Home", text=("Welcome.",), links=(Link(to="/same"), Link(to="/packed"), Link(to="/lost"))),
    Page(path="/same", title="Same", text=("Always the same.",), etag='"1"'),
    Page(path="/packed", title="Packed", text=("Sent as gzip.",), coding="gzip"),
    Page(path="/lost", title="Lost", text=("Nothing here.",), status=404),
)


@dataclass(frozen=True, kw_only=True)
class Crawls:
    """Two finished crawls of one site."""

    store: LocalStore
    first: CrawlRow
    second: CrawlRow
    keys: dict[str, str]  # by path

    def hide(self, crawl: CrawlRow, path: str) -> None:
        """Delete a page."""
        hide_page(crawl, self.keys[path], self.store)

    def body(self, crawl: CrawlRow, path: str) -> str:
        """Return the content of a page."""
        return page_content(crawl, self.keys[path], self.store, limit=LIMIT).response.body.decode()


@pytest.fixture(name="crawled", scope="module")
def two_crawls(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Done], str]:
    """The folder of two crawls, the crawls, and the origin of their site."""
    folder = tmp_path_factory.mktemp("crawled")
    with SiteServer(Site(pages=PAGES)) as server:
        return folder, [crawl_inline(server.url, folder) for _ in range(2)], server.origin


@pytest.fixture(name="crawls")
def copied_crawls(crawled: tuple[Path, list[Done], str], tmp_path: Path) -> Iterator[Crawls]:
    """A copy of the crawls, which a test may change."""
    folder, done, origin = crawled
    copytree(folder, tmp_path, dirs_exist_ok=True)
    store = LocalStore(tmp_path)
    rows = [store.crawls.read(one.row.id) for one in done]
    assert rows[0] is not None
    assert rows[1] is not None
    keys = {page["url"].removeprefix(origin): page["key"] for page in done[0].pages()}
    yield Crawls(store=store, first=rows[0], second=rows[1], keys=keys)
    store.close()


def running(crawl: CrawlRow) -> CrawlRow:
    """Return the crawl as it was before its end, without results."""
    return replace(crawl, status=CrawlStatus.RUNNING)


def test_the_content_is_what_the_server_sent_decoded(crawls: Crawls) -> None:
    assert "Sent as gzip." in crawls.body(crawls.first, "/packed")
    found = page_content(crawls.first, crawls.keys["/packed"], crawls.store, limit=LIMIT)
    assert (found.record.state, found.response.status, found.response.crawl) == (UrlState.FETCHED, 200, crawls.first.id)


def test_pages_with_errors_have_content_too(crawls: Crawls) -> None:
    found = page_content(crawls.first, crawls.keys["/lost"], crawls.store, limit=LIMIT)
    assert (found.record.state, found.response.status) == (UrlState.NOT_FOUND, 404)


def test_the_content_of_an_unchanged_page_comes_from_the_crawl_that_read_it(crawls: Crawls) -> None:
    found = page_content(crawls.second, crawls.keys["/same"], crawls.store, limit=LIMIT)
    assert found.record.state is UrlState.UNCHANGED
    assert found.response.crawl == crawls.first.id
    assert b"Always the same." in found.response.body


def test_where_that_crawl_is_deleted_there_is_no_content(crawls: Crawls) -> None:
    for path in crawls.store.folder(crawls.first.id).rglob("*.gz"):
        path.unlink()
    with pytest.raises(NotFoundError, match="the earlier crawl that fetched it is deleted"):
        crawls.body(crawls.second, "/same")


def test_where_the_page_was_deleted_from_that_crawl_there_is_no_content(crawls: Crawls) -> None:
    crawls.hide(crawls.first, "/same")
    with pytest.raises(NotFoundError, match="was deleted from crawl"):
        crawls.body(crawls.second, "/same")


def test_while_a_crawl_runs_its_claims_lead_to_pages(crawls: Crawls) -> None:
    assert "Welcome." in crawls.body(running(crawls.first), "/")
    with pytest.raises(NotFoundError):
        find_record(running(crawls.first), "0" * 32, crawls.store)


def test_a_page_whose_batch_is_not_done_is_not_there_yet(crawls: Crawls) -> None:
    crawls.store.database.change("UPDATE batch SET done = 0 WHERE crawl = ?", str(crawls.first.id))
    with pytest.raises(NotFoundError):
        find_record(running(crawls.first), crawls.keys["/"], crawls.store)


def test_a_deleted_page_is_hidden_and_forgotten(crawls: Crawls) -> None:
    key = crawls.keys["/same"]
    assert crawls.store.memories.validators(replace(crawls.first.id, crawl="new"), [key])
    crawls.hide(crawls.second, "/same")
    assert crawls.store.memories.validators(replace(crawls.first.id, crawl="newer"), [key]) == {}
    with pytest.raises(NotFoundError):
        crawls.body(crawls.second, "/same")
    with pytest.raises(NotFoundError):
        crawls.hide(crawls.second, "/same")
    assert "Always the same." in crawls.body(crawls.first, "/same")


def test_pages_of_a_running_crawl_are_not_deleted(crawls: Crawls) -> None:
    with pytest.raises(ConflictError):
        crawls.hide(running(crawls.first), "/same")
    assert crawls.store.hidden.of(crawls.first.id) == frozenset()


def test_a_deleted_page_is_counted_off_and_explained_as_deleted(crawls: Crawls) -> None:
    before = crawls.store.results.statistics(crawls.first.id)
    for path in ("/same", "/lost"):
        crawls.hide(crawls.first, path)
    now = crawls.store.results.statistics(crawls.first.id)
    assert (before.pages, before.urls, now.pages, now.urls) == (3, 4, 2, 2)
    assert (before.states, now.states) == ({"fetched": 3, "not_found": 1}, {"fetched": 2})
    assert (before.statuses, now.statuses) == ({"200": 3, "404": 1}, {"200": 2})
    assert (before.depths, now.depths) == ({"0": 1, "1": 2}, {"0": 1, "1": 1})
    assert (before.content_types, now.content_types) == ({"text/html": 3}, {"text/html": 2})
    assert now.bytes == sum(
        row.bytes for row in crawls.store.results.pages(crawls.first.id, PageQuery(limit=9, filter=PageFilter())).rows
    )
    kinds = ("missing_description", "dead_end", "broken_link", "missing_csp")
    assert [before.issues[kind] for kind in kinds] == [3, 2, 1, 1]
    assert [now.issues.get(kind, 0) for kind in kinds] == [2, 1, 0, 1]  # the last one is of the site
    found = explain_url(f"{crawls.first.root_url}same", crawls.first, crawls.store)
    assert (found.deleted, found.ledger, found.record) == (True, None, None)
    lines = dict(found.lines(scored=False))
    assert (lines["state"], lines["because"]) == ("deleted", "the page was deleted from this crawl")
    other = explain_url(f"{crawls.first.root_url}same", crawls.second, crawls.store)
    assert (other.deleted, dict(other.lines(scored=False))["state"]) == (False, "unchanged")
