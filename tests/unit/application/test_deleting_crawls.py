"""Crawls are deleted and their results made again, while other crawls of the site refer to them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree, rmtree

import pytest
from msgspec.structs import replace
from tests.support.crawling import ALL_FILES, Done, build_results, crawl_inline

from wavecrawl.adapters.embedded.erasure import LocalErasure
from wavecrawl.adapters.embedded.lock import run_lock
from wavecrawl.adapters.gzip_members import compressed, decompressed
from wavecrawl.application.crawls import delete_crawl, delete_crawls
from wavecrawl.application.pages import hide_page, page_content
from wavecrawl.application.references import references_of
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.references import NO_REFERENCES
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.urls.spellings import other_spelling
from wavecrawl.errors import ConflictError, CorruptDataError, CrawlRunningError, NotFoundError
from wavecrawl.ports.crawls import CrawlRow

HOME = Page(path="/", title="Home", text=("Welcome.",), links=(Link(to="/a"), Link(to="/b")), etag='"1"')
PAGES = (HOME, *(Page(path=path, title=f"Page {path}", text=(f"Text of {path}.",)) for path in ("/a", "/b")))
LIMIT = 100_000


@dataclass(frozen=True, kw_only=True)
class Crawls:
    """Two finished crawls of one site, the second with a new page."""

    store: LocalStore
    first: CrawlRow
    second: CrawlRow
    keys: dict[str, str]  # by path

    @property
    def exports(self) -> dict[str, bytes]:
        """The results of the second crawl."""
        return {path.name: path.read_bytes() for path in self.store.results_folder(self.second.id).iterdir()}

    def records(self, crawl: CrawlRow) -> bytes:
        """Return what is left of the records and responses of a crawl."""
        return b"".join(path.read_bytes() for path in self.store.folder(crawl.id).rglob("*.gz"))

    def body(self, path: str) -> str:
        """Return the content of a page of the second crawl."""
        return page_content(self.second, self.keys[path], self.store, limit=LIMIT).response.body.decode()


@pytest.fixture(name="crawled", scope="module")
def two_crawls(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Done], str]:
    folder = tmp_path_factory.mktemp("crawled")
    with SiteServer(Site(pages=PAGES)) as server:
        first = crawl_inline(server.url, folder, ALL_FILES)
    new = Page(path="/new", title="New", text=("A new page.",))
    changed = replace(HOME, etag='"2"', links=(*HOME.links, Link(to="/new")))
    with SiteServer(Site(pages=(*PAGES[1:], changed, new)), port=server.port) as server:
        return folder, [first, crawl_inline(server.url, folder, ALL_FILES)], server.origin


@pytest.fixture(name="crawls")
def copied_crawls(crawled: tuple[Path, list[Done], str], tmp_path: Path) -> Iterator[Crawls]:
    """A copy of the crawls, which a test may change."""
    folder, done, origin = crawled
    copytree(folder, tmp_path, dirs_exist_ok=True)
    store = LocalStore(tmp_path)
    first, second = (row_of(store, one.row) for one in done)
    keys = {page["url"].removeprefix(origin): page["key"] for page in done[1].pages()}
    yield Crawls(store=store, first=first, second=second, keys=keys)
    store.close()


def row_of(store: LocalStore, crawl: CrawlRow) -> CrawlRow:
    row = store.crawls.read(crawl.id)
    assert row is not None
    return row


def test_what_a_later_crawl_needs_is_kept_and_nothing_else(crawls: Crawls) -> None:
    before = crawls.exports
    delete_crawl(crawls.first, crawls.store)
    assert {path.parent.name for path in crawls.store.folder(crawls.first.id).rglob("*.*")} == {"records", "warc"}
    assert [crawls.body(path).count("Text of") for path in ("/a", "/b")] == [1, 1]
    build_results(crawls.store, crawls.second, rebuild=True)
    now = crawls.exports
    for name in ("pages.jsonl.gz", "pages.csv", "sitemap.xml", "report.html", "history.csv", "issues.csv"):
        assert now[name] == before[name]
    assert row_of(crawls.store, crawls.second).outcome == crawls.second.outcome
    delete_crawl(crawls.second, crawls.store)
    assert crawls.store.erasure.remains(*crawls.first.id.owned_site) == []
    assert not crawls.store.folder(crawls.first.id).exists()


def test_a_record_of_an_earlier_version_stays_that_has_the_key_of_the_other_spelling(crawls: Crawls) -> None:
    key = crawls.keys["/a"]
    (place,) = (one for one in references_of(crawls.second, crawls.store).places if one.endswith(f"#{key}"))
    records = crawls.store.root / place.partition("#")[0]
    text = decompressed(records.read_bytes()).decode()
    assert text.count(f'{{"key":"{key}"') == 1
    records.write_bytes(compressed(text.replace(f'{{"key":"{key}"', f'{{"key":"{other_spelling(key)}"').encode()))
    assert "Text of /a" in crawls.body("/a")
    delete_crawl(crawls.first, crawls.store)
    assert [crawls.body(path).count("Text of") for path in ("/a", "/b")] == [1, 1]
    build_results(crawls.store, crawls.second, rebuild=True)


def test_crawls_that_are_deleted_together_need_nothing_of_each_other(crawls: Crawls) -> None:
    delete_crawls([crawls.first, crawls.second], crawls.store)
    assert crawls.store.erasure.remains(*crawls.first.id.owned_site) == []
    assert list(crawls.store.crawls.newest_first()) == []


def test_the_references_of_a_crawl_without_results_are_those_of_its_records(crawls: Crawls) -> None:
    stored = references_of(crawls.second, crawls.store)
    assert {place.rpartition("#")[2] for place in stored.places} == {crawls.keys["/a"], crawls.keys["/b"]}
    (crawls.store.folder(crawls.second.id) / "references-0.msgpack").unlink()
    assert references_of(crawls.second, crawls.store) == stored
    assert references_of(replace(crawls.second, resumes=1), crawls.store) == stored
    assert references_of(crawls.first, crawls.store) == NO_REFERENCES
    for path in (crawls.store.folder(crawls.second.id) / "records").iterdir():
        path.write_bytes(b"damaged")
    assert references_of(crawls.second, crawls.store) == NO_REFERENCES


def test_while_another_crawl_of_the_site_has_not_ended_none_is_deleted(crawls: Crawls) -> None:
    running = crawls.store.start(crawls.first.start_url, ALL_FILES)
    for deleted in ([crawls.first], [crawls.first, crawls.second]):
        with pytest.raises(CrawlRunningError, match=f"crawl {running.id.crawl} of the site is running") as caught:
            delete_crawls(deleted, crawls.store)
        assert caught.value.crawl == running.id.crawl
    with pytest.raises(ConflictError, match="cancel it"):
        delete_crawls([crawls.first, running], crawls.store)
    assert len(crawls.store.crawls.newest_first()) == 3
    crawls.store.crawls.finish(running.id, status=CrawlStatus.CANCELLED, now=crawls.store.clock.now())
    delete_crawl(crawls.first, crawls.store)


def test_if_a_crawl_cannot_be_deleted_what_it_refers_to_stays(crawls: Crawls) -> None:
    crawls.store.erasure = LocalErasure(crawls.store.database, crawls.store.root, patience=0.0)
    results_are_made = run_lock(crawls.store.folder(crawls.second.id), patience=0.0)
    for deleted in ([crawls.first, crawls.second], [crawls.second]):
        with pytest.raises(ConflictError, match="are being made"):
            delete_crawls(deleted, crawls.store)
        assert "Text of /a" in crawls.body("/a")
        delete_crawls([crawl for crawl in [crawls.first] if crawls.store.crawls.read(crawl.id)], crawls.store)
    results_are_made.release()
    delete_crawl(crawls.second, crawls.store)
    assert crawls.store.erasure.remains(*crawls.first.id.owned_site) == []


def test_results_are_not_made_again_without_what_they_need(crawls: Crawls) -> None:
    before = crawls.exports
    rmtree(crawls.store.folder(crawls.first.id) / "records")  # as an earlier version deleted it
    place = rf"\S+/{crawls.first.id.crawl}/records/\S+"
    with pytest.raises(CorruptDataError, match=rf"content of the unchanged page \S+/[ab] is missing: {place} does not"):
        build_results(crawls.store, crawls.second, rebuild=True)
    assert crawls.exports == before


def test_what_the_first_results_found_is_kept_when_a_page_is_deleted(crawls: Crawls) -> None:
    outcome = crawls.second.outcome
    assert outcome is not None
    assert (outcome.new, outcome.changed, outcome.gone) == (1, 1, 0)
    for path in ("/a", "/new"):
        hide_page(crawls.second, crawls.keys[path], crawls.store)
    build_results(crawls.store, crawls.second, rebuild=True)
    now = row_of(crawls.store, crawls.second).outcome
    assert now is not None
    assert (now.new, now.changed, now.gone) == (1, 1, 0)


def test_a_page_that_was_deleted_everywhere_is_not_kept(crawls: Crawls) -> None:
    for crawl in (crawls.first, crawls.second):
        hide_page(crawl, crawls.keys["/a"], crawls.store)
    delete_crawl(crawls.first, crawls.store)
    left = references_of(crawls.second, crawls.store)
    assert [place.rpartition("#")[2] for place in left.places] == [crawls.keys["/b"]]
    places = [crawls.store.archive.place(row.id, attempt=row.done_attempt, key=crawls.keys["/a"])
              for row in crawls.store.batches.of_crawl(crawls.second.id)]  # fmt: skip
    found = [record for record in map(LocalStore(crawls.store.root).archive.record_at, places) if record]
    assert [LocalStore(crawls.store.root).archive.record_at(record.body_at) for record in found] == [None]
    assert "Text of /b" in crawls.body("/b")
    build_results(crawls.store, crawls.second, rebuild=True)  # it is complete without that page's content


def test_a_page_that_was_deleted_from_the_crawl_that_read_it_keeps_its_record_only(crawls: Crawls) -> None:
    hide_page(crawls.first, crawls.keys["/a"], crawls.store)
    before = crawls.exports
    delete_crawl(crawls.first, crawls.store)
    with pytest.raises(NotFoundError):
        crawls.body("/a")
    build_results(crawls.store, crawls.second, rebuild=True)
    assert crawls.exports["pages.jsonl.gz"] == before["pages.jsonl.gz"]
