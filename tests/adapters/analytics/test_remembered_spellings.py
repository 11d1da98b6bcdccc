"""What a site remembers of a page serves both spellings of its URL, also if an earlier version remembered it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest
from msgspec.structs import replace
from tests.support.page_memories import Page, memory_rows, write_pages

from wavecrawl.adapters.memory_files import memory_prefix
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.urls.spellings import other_spelling
from wavecrawl.domain.urls.url import Identity

FIRST = CrawlId(tenant="t", site="example.com", crawl="c1")
SECOND = replace(FIRST, crawl="c2")
BATCH = "000001-0000-1"


def key_of(path: str) -> str:
    return Identity().page_url(f"https://example.com{path}").key


def page(path: str, text: str = "", *, state: str = "fetched", at: float = 100.0) -> Page:
    return Page(
        key=key_of(path),
        url=f"https://example.com{path}",
        state=state,
        reason="status" if state in ("not_found", "redirected") else "",
        status={"not_found": 404, "redirected": 301}.get(state, 200),
        text_hash=text,
        etag=f'"{text}"' if text else "",
        batch=BATCH,
        fetched_at=at,
    )


@dataclass(frozen=True, slots=True)
class Site:
    """The memory of a site, after a crawl by an earlier version or by this one."""

    folder: Path
    store: LocalStore

    def remember(self, crawl: CrawlId, *pages: Page) -> list[Path]:
        files = [write_pages(self.folder / f"{crawl.crawl}.parquet", pages)]
        self.store.memories.remember(crawl, files)
        return files

    def age(self) -> None:
        """Let the files be those of the version before: with one key for both spellings, and without new columns."""
        for path in (self.folder / memory_prefix(FIRST)).glob("*.parquet"):
            without = "* EXCLUDE (slash, seen_in, parent, reach)"
            key = f"if(url LIKE '%_/' AND url <> 'https://example.com/', {_OTHER}, key) AS key"
            with duckdb.connect() as db:
                query = f"SELECT {without} REPLACE ({key}) FROM read_parquet($1)"  # noqa: S608 - constants
                db.execute(f"CREATE TABLE old AS {query}", [str(path)])
                db.execute(f"COPY old TO '{path}' (FORMAT parquet)")

    def urls(self) -> dict[str, str]:
        """Return the state of each remembered URL. Each has the key of its spelling."""
        rows = memory_rows(self.folder, FIRST)
        assert all(row["key"] == Identity().page_url(row["url"]).key for row in rows)
        return {row["url"].removeprefix("https://example.com"): row["state"] for row in rows}


_OTHER = "left(key, 31) || translate(right(key, 1), '0123456789abcdef', '1032547698badcfe')"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    store = LocalStore(tmp_path)
    yield Site(tmp_path, store)
    store.close()


def test_a_change_of_the_identity_changes_no_page(site: Site) -> None:
    site.remember(FIRST, page("/", "r"), page("/x/", "x"), page("/y", "y"), page("/z", "z"))
    site.age()
    assert memory_rows(site.folder, FIRST)[0].keys().isdisjoint({"slash"})
    assert site.store.memories.validators(SECOND, [key_of("/x/")])[key_of("/x/")].etag == '"x"'
    files = site.remember(
        SECOND,
        page("/", "r", at=200.0),
        page("/x", state="not_found", at=200.0),  # a wrong link, which the version before did not request
        page("/x/", "x", at=200.0),
        page("/y", state="redirected", at=200.0),  # the version before followed it to /y/
        page("/y/", "y", at=200.0),
        page("/z/", "z", at=200.0),  # now the first link that is found has this spelling
    )
    changes = site.store.memories.changes(SECOND, files, since=190.0)
    assert (changes.new, changes.changed, changes.gone) == (0, 0, 0)
    assert site.urls() == {
        "/": "fetched",
        "/x": "not_found",
        "/x/": "fetched",
        "/y": "redirected",
        "/y/": "fetched",
        "/z/": "fetched",
    }
    rows = {row["url"]: row for row in memory_rows(site.folder, FIRST)}
    for path in ("/x/", "/y/", "/z/"):
        row = rows[f"https://example.com{path}"]
        assert (row["first_seen"], len(row["observations"]), row["deleted_at"]) == (100.0, 2, 0.0)


def test_a_second_spelling_with_the_same_text_is_no_new_page(site: Site) -> None:
    site.remember(FIRST, page("/", "r"), page("/x", "x"), page("/w", "w"))
    both = page("/x", "x", at=200.0), page("/x/", "x", at=200.0)
    files = site.remember(
        SECOND, page("/", "r", at=200.0), *both, page("/w", "w", at=200.0), page("/w/", "v", at=200.0)
    )
    changes = site.store.memories.changes(SECOND, files, since=190.0)
    assert (changes.new, changes.changed, changes.gone) == (1, 0, 0)  # /w/, which has another text


def test_validators_serve_the_spelling_that_redirects(site: Site) -> None:
    site.remember(FIRST, page("/x", state="redirected"), page("/x/", "x"))
    found = site.store.memories.validators(SECOND, [key_of("/x"), key_of("/x/"), key_of("/none")])
    assert {key: one.etag for key, one in found.items()} == {key_of("/x"): '"x"', key_of("/x/"): '"x"'}
    assert {one.record for one in found.values()} == {
        f"tenants/t/sites/example.com/crawls/c1/records/{BATCH}.jsonl.gz#{other_spelling(key_of('/x'))}"
    }
