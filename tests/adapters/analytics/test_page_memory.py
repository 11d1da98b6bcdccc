"""What the memory of a page says after the crawls that met it."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest
from msgspec.structs import replace
from tests.support.campaign import slow
from tests.support.page_memories import Page, memory_rows, write_pages

from wavecrawl.adapters.analytics.memory_tables import MemoryTables
from wavecrawl.adapters.analytics.page_memories import ParquetPageMemories
from wavecrawl.adapters.embedded.memory_files import FolderMemoryFiles
from wavecrawl.adapters.memory_files import memory_prefix
from wavecrawl.domain.crawl.job import LONGEST_VALIDATOR, CrawlId
from wavecrawl.domain.crawl.site_changes import SiteChanges, TextDates, requests_since
from wavecrawl.errors import CorruptDataError, StoreBusyError

FIRST = CrawlId(tenant="t", site="example.com", crawl="c1")
SECOND, THIRD = replace(FIRST, crawl="c2"), replace(FIRST, crawl="c3")
KEY = "a" * 32
FETCHED = Page(
    key=KEY, etag='"1"', last_modified="yesterday", text_hash="h1", simhash=-7, title="T", batch="000001-0000-1",
    fetched_at=50.0,
)  # fmt: skip
KNOWN = {
    "key": KEY, "url": "https://example.com/", "state": "fetched", "etag": '"1"', "last_modified": "yesterday",
    "body_hash": "", "text_hash": "h1", "simhash": -7, "title": "T", "crawl": "c1", "batch": "000001-0000-1",
    "first_seen": 50.0, "last_seen": 50.0, "last_changed": 50.0, "state_since": 50.0,
}  # fmt: skip
GONE = Page(key=KEY, state="not_found", fetched_at=90.0)


class Site:
    """A site whose crawls meet pages."""

    def __init__(self, root: Path, *, rows_per_file: int = 1_000) -> None:
        self.root = root
        self.memories = ParquetPageMemories(FolderMemoryFiles(root), lambda: root, rows_per_file=rows_per_file)

    def meet(self, crawl: CrawlId, *pages: Page) -> Path:
        file = write_pages(self.root / f"{crawl.crawl}-{len(list(self.root.iterdir()))}.parquet", pages)
        self.memories.remember(crawl, [file])
        return file

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [{name: row[name] for name in KNOWN} for row in memory_rows(self.root, FIRST)]

    @property
    def files(self) -> set[str]:
        return {path.name for path in (self.root / memory_prefix(FIRST)).glob("*.parquet")}


@pytest.fixture(name="site")
def a_site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_a_new_page_is_remembered(site: Site) -> None:
    site.meet(FIRST, FETCHED)
    assert site.rows == [KNOWN]


def test_the_same_text_again_keeps_the_day_it_changed(site: Site) -> None:
    site.meet(FIRST, FETCHED)
    site.meet(SECOND, replace(FETCHED, fetched_at=90.0, batch="000002-0000-1"))
    assert site.rows == [KNOWN | {"last_seen": 90.0, "crawl": "c2", "batch": "000002-0000-1"}]


def test_another_text_changes_the_day(site: Site) -> None:
    site.meet(FIRST, FETCHED)
    site.meet(SECOND, replace(FETCHED, fetched_at=90.0, text_hash="h2"))
    assert site.rows == [KNOWN | {"text_hash": "h2", "last_seen": 90.0, "last_changed": 90.0, "crawl": "c2"}]


def test_a_page_that_arrives_in_part_keeps_what_is_remembered_of_the_whole(site: Site) -> None:
    site.meet(FIRST, FETCHED)
    part = replace(FETCHED, etag="", text_hash="half", truncated_reason="disconnect", fetched_at=90.0)
    site.meet(SECOND, replace(part, batch="000002-0000-1"))
    assert site.rows == [KNOWN | {"last_seen": 90.0}]
    (row,) = memory_rows(site.root, FIRST)
    assert [one["at"] for one in row["observations"]] == [50.0]


def test_a_page_that_is_cut_at_the_limit_of_its_size_is_remembered_as_it_is(site: Site) -> None:
    site.meet(FIRST, FETCHED)
    site.meet(SECOND, replace(FETCHED, text_hash="h2", truncated_reason="length", fetched_at=90.0))
    assert [row["text_hash"] for row in site.rows] == ["h2"]


def test_an_unchanged_page_keeps_its_record(site: Site) -> None:
    site.meet(FIRST, FETCHED)
    site.meet(SECOND, replace(FETCHED, state="unchanged", fetched_at=90.0, batch="000002-0000-1"))
    assert site.rows == [KNOWN | {"last_seen": 90.0}]


def test_an_error_keeps_the_last_good_text(site: Site) -> None:
    site.meet(FIRST, FETCHED)
    site.meet(SECOND, GONE)
    site.meet(THIRD, replace(GONE, fetched_at=120.0))
    assert site.rows == [KNOWN | {"state": "not_found", "last_seen": 120.0, "state_since": 90.0}]


def test_an_unchanged_page_that_was_gone_is_back(site: Site) -> None:
    site.meet(FIRST, FETCHED)
    site.meet(SECOND, GONE)
    site.meet(THIRD, replace(FETCHED, state="unchanged", fetched_at=120.0))
    assert site.rows == [KNOWN | {"last_seen": 120.0, "state_since": 120.0}]


def test_an_error_of_an_unknown_page_is_remembered(site: Site) -> None:
    site.meet(FIRST, replace(GONE, url="https://example.com/old"))
    site.meet(SECOND, replace(FETCHED, fetched_at=120.0, text_hash=""))
    (row,) = site.rows
    assert (row["url"], row["state"], row["first_seen"]) == ("https://example.com/", "fetched", 90.0)
    assert (row["last_changed"], row["batch"]) == (120.0, "000001-0000-1")


def test_an_unchanged_page_without_memory_is_remembered_with_its_own_record(site: Site) -> None:
    site.meet(FIRST, replace(FETCHED, state="unchanged"))
    assert site.rows == [KNOWN]


def test_of_two_records_of_a_page_the_later_counts(site: Site) -> None:
    site.meet(FIRST, replace(FETCHED, fetched_at=40.0, title="old"), FETCHED)
    assert site.rows == [KNOWN]


def test_a_validator_that_is_too_long_for_a_message_is_not_used(site: Site) -> None:
    long = "e" * (LONGEST_VALIDATOR + 1)
    site.meet(FIRST, replace(FETCHED, etag=long), replace(FETCHED, key="b" * 32, etag=long, last_modified=long))
    found = site.memories.validators(SECOND, [KEY, "b" * 32])
    assert {key: (one.etag, one.last_modified) for key, one in found.items()} == {KEY: ("", "yesterday")}


BEFORE, NOW, STARTED = 500.0, 1_100.0, 1_000.0
OLD = Page(key="0", text_hash="h", fetched_at=BEFORE)
MET = Page(key="1", text_hash="h", fetched_at=NOW)
EARLIER = replace(MET, fetched_at=BEFORE)
TEXTS = {"0": TextDates("1970-01-01", changed=False)}
GONE_NOW = replace(MET, state="not_found")


@pytest.mark.parametrize(
    ("before", "now", "changes"),
    [
        ([], MET, SiteChanges(new=1)),
        ([EARLIER], replace(MET, text_hash="h2"), SiteChanges(changed=1)),
        ([EARLIER], GONE_NOW, SiteChanges(gone=1)),
        ([EARLIER], replace(MET, state="redirected", reason="status", status=308), SiteChanges(gone=1)),
        ([EARLIER], replace(MET, state="redirected", reason="status", status=302), SiteChanges()),
        ([EARLIER, replace(EARLIER, state="not_found", fetched_at=600.0)], GONE_NOW, SiteChanges()),
        ([replace(EARLIER, state="http_error")], GONE_NOW, SiteChanges()),  # never existed
        ([], GONE_NOW, SiteChanges()),  # a broken link, seen for the first time
        ([], replace(MET, fetched_at=STARTED - 0.5), SiteChanges(new=1)),  # clocks differ slightly
        ([EARLIER], replace(MET, state="forbidden"), SiteChanges()),
    ],
)  # fmt: skip
def test_pages_that_differ_are_counted(site: Site, before: list[Page], now: Page, changes: SiteChanges) -> None:
    for page in (OLD, *before):
        site.meet(FIRST, page)
    pages = site.meet(SECOND, replace(OLD, fetched_at=NOW), now)
    found = site.memories.changes(SECOND, [pages], since=requests_since(STARTED, 0.0))
    assert dataclasses.replace(found, texts={}) == changes  # noqa: TID251 - it is a dataclass


def test_pages_that_this_crawl_did_not_meet_are_not_counted(site: Site) -> None:
    site.meet(FIRST, OLD, EARLIER)
    site.meet(FIRST, replace(EARLIER, key="2", state="not_found"))
    pages = site.meet(SECOND, replace(OLD, fetched_at=NOW))
    assert site.memories.changes(SECOND, [pages], since=requests_since(STARTED, 0.0)) == SiteChanges(texts=TEXTS)


def test_a_first_crawl_compares_with_nothing(site: Site) -> None:
    pages = site.meet(FIRST, MET, replace(MET, key="2", state="not_found"))
    assert site.memories.changes(FIRST, [pages], since=requests_since(STARTED, 0.0)) == SiteChanges()


@slow
def test_a_large_memory_is_divided_by_the_digits_of_the_keys(tmp_path: Path) -> None:
    site = Site(tmp_path, rows_per_file=10)
    pages = [replace(FETCHED, key=f"{n % 16:x}{n:031x}") for n in range(200)]
    site.meet(FIRST, *pages[:9])
    assert site.files == {"all.parquet"}
    site.meet(FIRST, *pages[:100])
    assert site.files == {f"{digit:x}.parquet" for digit in range(16)}
    site.meet(SECOND, *pages)
    assert site.files == {f"{n % 16:x}{0:x}.parquet" for n in range(16)}
    assert [row["key"] for row in site.rows] == sorted(page.key for page in pages)
    assert {row["crawl"] for row in site.rows} == {"c1", "c2"}
    assert len(site.memories.validators(THIRD, [page.key for page in pages])) == 200


def test_a_memory_stays_divided(tmp_path: Path) -> None:
    Site(tmp_path, rows_per_file=1).meet(FIRST, replace(FETCHED, key="1"), replace(FETCHED, key="2"))
    site = Site(tmp_path)
    site.meet(SECOND, replace(FETCHED, key="3"))
    assert site.files == {"1.parquet", "2.parquet", "3.parquet"}


def test_a_repeat_writes_nothing(site: Site) -> None:
    site.meet(FIRST, FETCHED)
    (path,) = (site.root / memory_prefix(FIRST)).glob("*.parquet")
    written = path.stat().st_mtime_ns
    site.meet(FIRST, FETCHED)
    assert path.stat().st_mtime_ns == written


def test_the_validators_of_two_crawls_are_kept(site: Site) -> None:
    site.meet(FIRST, FETCHED)
    crawls = [replace(FIRST, crawl=f"n{n}") for n in range(4)]
    for crawl in (*crawls, crawls[0], crawls[0]):
        assert site.memories.validators(crawl, [KEY]).keys() == {KEY}
    kept = list(site.root.glob("memory-*/validators-*/*.parquet"))
    assert len(kept) == 2


def test_a_damaged_file_of_a_divided_memory_loses_its_own_pages_only(tmp_path: Path) -> None:
    one, two = replace(FETCHED, key="1" * 32), replace(FETCHED, key="2" * 32)
    Site(tmp_path, rows_per_file=1).meet(FIRST, one, two)
    site = Site(tmp_path)
    path = site.root / memory_prefix(FIRST) / "1.parquet"
    path.write_bytes(b"damaged")
    assert list(site.memories.validators(SECOND, [one.key, two.key])) == [two.key]
    site.meet(SECOND, two)  # nothing of the damaged file: it is replaced too, so that one crawl alone reports it
    assert site.memories.damaged(SECOND) == ["1.parquet"]
    site.meet(THIRD, one)
    assert site.memories.damaged(THIRD) == []
    assert sorted(row["key"] for row in site.rows) == [one.key, two.key]


@pytest.mark.parametrize(
    "error",
    [
        duckdb.OutOfMemoryException("Out of Memory Error: failed to allocate 1 MB"),
        duckdb.IOException('IO Error: Cannot open file "all.parquet": Too many open files'),
        duckdb.IOException('IO Error: Cannot open file "all.parquet": Permission denied'),
        duckdb.IOException('IO Error: Could not read from file "all.parquet": Input/output error'),
    ],
)
def test_a_lack_of_memory_or_access_replaces_no_file(
    site: Site, monkeypatch: pytest.MonkeyPatch, error: duckdb.Error
) -> None:
    site.meet(FIRST, FETCHED)

    rows = MemoryTables._rows

    def fail(tables: MemoryTables, query: str, *more: Any) -> Any:
        if "read_parquet" in query:
            raise error
        return rows(tables, query, *more)

    later = Site(site.root)
    with monkeypatch.context() as patch:
        patch.setattr(MemoryTables, "_rows", fail)
        with pytest.raises(CorruptDataError, match=re.escape(str(error))):
            later.meet(SECOND, replace(FETCHED, key="2" * 32))
    assert later.memories.damaged(SECOND) == []
    later.meet(SECOND, replace(FETCHED, key="2" * 32))
    assert sorted(row["key"] for row in later.rows) == sorted([FETCHED.key, "2" * 32])


class Contested(FolderMemoryFiles):
    """Files that another process replaces all the time."""

    def replace(self, crawl: CrawlId, name: str, path: Path, *, version: str) -> bool:  # noqa: ARG002
        return False


def test_a_memory_that_others_write_all_the_time_is_reported(tmp_path: Path) -> None:
    pages = write_pages(tmp_path / "1.parquet", [FETCHED])
    memories = ParquetPageMemories(Contested(tmp_path), lambda: tmp_path)
    with pytest.raises(StoreBusyError, match="others were writing it in every attempt"):
        memories.remember(FIRST, [pages])


def test_temporary_files_are_deleted_with_the_memories(site: Site) -> None:
    site.meet(FIRST, FETCHED)
    assert site.memories.validators(SECOND, [KEY])
    assert list(site.root.glob("memory-*"))
    del site.memories
    assert not list(site.root.glob("memory-*"))
