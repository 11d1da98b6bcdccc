"""An unchanged page costs a small record that refers to the earlier one, with or without validators."""

import gzip
from pathlib import Path
from shutil import copytree
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.support.campaign import slow
from tests.support.crawling import QUICK, Done, build_results, crawl_inline
from tests.support.plain_site import plain_site
from warcio.archiveiterator import ArchiveIterator

from wavecrawl.adapters.batch_objects import place_of
from wavecrawl.application.pages import page_content
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.settings import CrawlSettings, ScopeSettings

TIMES = {"state", "revalidated", "response_time", "elapsed", "fetched_at", "changed_on"}
PAGES = (
    Page(path="/", title="Home", text=("Welcome.",), links=(Link(to="/tagged"), Link(to="/plain"), Link(to="/file"))),
    Page(path="/tagged", title="Tagged", text=("Has an ETag.",), etag='"1"', links=(Link(to="/deep"),)),
    Page(path="/plain", title="Plain", text=("Has none.",), headers=(("X-Robots-Tag", "noarchive"),)),
    Page(path="/file", content_type="text/csv", body=b"a,b\n1,2\n"),
    Page(path="/deep", title="Deep", text=("Only an unchanged page leads here.",)),
)


def content(done: Done) -> dict[str, dict[str, Any]]:
    """Return what the pages of a crawl have, without what each request has of its own."""
    return {
        str(page["url"]): {name: value for name, value in page.items() if name not in TIMES} for page in done.pages()
    }


def states(done: Done) -> dict[str, str]:
    return {page["url"].rpartition("/")[2]: page["state"] for page in done.pages()}


def record_bytes(done: Done) -> float:
    """Return the mean size of a crawl's records."""
    files = list((done.folder / "records").iterdir())
    return sum(path.stat().st_size for path in files) / sum(len(gzip.open(path).readlines()) for path in files)


class Crawled(msgspec.Struct, frozen=True, kw_only=True):
    """Crawls of `PAGES`, by a server that has ended."""

    folder: Path
    port: int
    done: tuple[Done, ...]

    def again(self, folder: Path, *, pages: tuple[Page, ...] = PAGES, settings: CrawlSettings = QUICK) -> Done:
        """Crawl the site once more, in a folder with the earlier crawls."""
        with SiteServer(Site(pages=pages), port=self.port) as server:
            return crawl_inline(server.url, folder, settings)


@pytest.fixture(name="once", scope="module")
def crawled_once(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    folder = tmp_path_factory.mktemp("once")
    with SiteServer(Site(pages=PAGES)) as server:
        return Crawled(folder=folder, port=server.port, done=(crawl_inline(server.url, folder),))


@pytest.fixture(name="thrice", scope="module")
def crawled_three_times(once: Crawled, tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    folder = tmp_path_factory.mktemp("thrice")
    copytree(once.folder, folder, dirs_exist_ok=True)
    return replace(once, folder=folder, done=(*once.done, *(once.again(folder) for _ in range(2))))


@pytest.fixture(name="copied")
def a_copy_of_the_first_crawl(once: Crawled, tmp_path: Path) -> Path:
    """The folder of a crawl, which a test may change."""
    copytree(once.folder, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_a_second_crawl_of_the_same_site_has_the_same_results(thrice: Crawled) -> None:
    first, second, third = thrice.done
    assert set(states(first).values()) == {"fetched"}
    assert set(states(second).values()) == set(states(third).values()) == {"unchanged"}
    assert content(first) == content(second) == content(third)
    assert {page["url"].rpartition("/")[2] for page in second.pages() if page["revalidated"]} == {"tagged"}
    assert [edge[:2] for edge in first.edges()] == [edge[:2] for edge in second.edges()]


def test_an_unchanged_page_costs_little(tmp_path: Path) -> None:
    with SiteServer(plain_site(200)) as server:
        first, second = (crawl_inline(server.url, tmp_path) for _ in range(2))
    assert second.summary.states == {"unchanged": 200}
    assert record_bytes(second) <= 200 < record_bytes(first)
    stored = [sum(path.stat().st_size for path in (one.folder / "warc").iterdir()) for one in (first, second)]
    assert stored[1] < stored[0] / 4  # heads only


def headers(done: Done) -> dict[str, dict[str, str]]:
    """Return the WARC headers of a crawl's responses and revisits, by the end of their URL."""
    found = {}
    for path in (done.folder / "warc").iterdir():
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type in ("response", "revisit"):
                    fields = dict(record.rec_headers.headers)
                    found[fields["WARC-Target-URI"].rpartition("/")[2]] = fields
    return found


def test_the_warc_refers_to_the_response_with_the_body(thrice: Crawled) -> None:
    """WARC 1.1, 6.7.2 and 6.7.3."""
    stored, _, revisits = map(headers, thrice.done)
    assert stored.keys() == revisits.keys() == {"", "tagged", "plain", "file", "deep"}
    for name, reduced in {"tagged": None, "plain": "length"}.items():
        fields = revisits[name]
        assert (fields["WARC-Type"], fields.get("WARC-Truncated")) == ("revisit", reduced)
        assert fields["WARC-Refers-To-Target-URI"] == stored[name]["WARC-Target-URI"]
        assert fields["WARC-Refers-To-Date"] == stored[name]["WARC-Date"]
    assert revisits["plain"]["WARC-Payload-Digest"] == stored["plain"]["WARC-Payload-Digest"]


@slow
def test_results_are_the_same_when_they_are_built_again(once: Crawled, copied: Path) -> None:
    second = once.again(copied)
    before = content(second)
    store = LocalStore(copied)
    again = build_results(store, second.row, rebuild=True)
    store.close()
    assert content(again) == before


def test_a_page_whose_earlier_crawl_was_deleted_is_read_again(once: Crawled, copied: Path) -> None:
    archived = list((copied / "tenants").rglob("*.gz"))
    assert archived
    for path in archived:
        path.unlink()
    second = once.again(copied)
    assert set(states(second).values()) == {"fetched"}
    assert states(second).keys() == {"", "tagged", "plain", "file", "deep"}


def test_other_settings_are_applied_to_the_links_of_unchanged_pages(once: Crawled, copied: Path) -> None:
    second = once.again(copied, settings=replace(QUICK, scope=ScopeSettings(exclude=("/deep",))))
    assert states(second) == {"": "unchanged", "tagged": "unchanged", "plain": "unchanged", "file": "unchanged"}
    reasons = {row["url"].rpartition("/")[2]: row["reason"] for row in second.ledger()}
    assert reasons["deep"] == "excluded"


@pytest.mark.parametrize(
    "changes",
    [
        {"text": ("Other text.",)},
        {"headers": (("X-Robots-Tag", "noindex"),)},
        {"header_charset": "cp1252"},
    ],
)
def test_a_page_that_differs_in_text_or_headers_is_read(once: Crawled, copied: Path, changes: dict[str, Any]) -> None:
    changed = tuple(replace(page, **changes) if page.path == "/plain" else page for page in PAGES)
    second = once.again(copied, pages=changed)
    assert states(second) | {"plain": "unchanged"} == dict.fromkeys(states(second), "unchanged")
    assert states(second)["plain"] == "fetched"


@slow
def test_the_body_of_a_page_without_validators_comes_from_the_crawl_that_stored_it(thrice: Crawled) -> None:
    first, second, _ = thrice.done
    store = LocalStore(thrice.folder)
    try:
        key = next(page["key"] for page in second.pages() if page["url"].endswith("/plain"))
        row = store.crawls.read(second.row.id)
        assert row is not None
        found = page_content(row, key, store, limit=10_000)
        assert b"Has none." in found.response.body
        assert found.response.crawl == first.row.id
        batch, attempt = store.results.batch_of(row.id, key) or (None, 0)
        assert batch is not None
        own = store.archive.response_at(place_of(batch, attempt=attempt, key=key), limit=10_000)
        assert own is not None
        assert (own.status, own.body) == (200, b"")
    finally:
        store.close()
