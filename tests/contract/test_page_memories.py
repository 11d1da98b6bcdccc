from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.page_memories import Page, write_pages

from wavecrawl.adapters.aws.memory_files import S3MemoryFiles
from wavecrawl.adapters.embedded.memory_files import FolderMemoryFiles
from wavecrawl.adapters.memory_files import MemoryFiles
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import CrawlId, Validators
from wavecrawl.domain.crawl.site_changes import SiteChanges, TextDates
from wavecrawl.ports.all_ports import Ports

A, B = "a" * 32, "b" * 32
PAGE = Page(key=A, etag='"1"', batch="000012-0003-2", text_hash="h1")
PLACE = f"tenants/t/sites/example.com/crawls/c1/records/000012-0003-2.jsonl.gz#{A}"
SAME = Validators(etag='"1"', record=PLACE)


@pytest.fixture(name="crawl")
def a_crawl() -> CrawlId:
    return CrawlId(tenant="t", site="example.com", crawl="c1")


@pytest.fixture(name="later")
def a_later_crawl(crawl: CrawlId) -> CrawlId:
    return replace(crawl, crawl="c2")


def known(stores: Ports, crawl: CrawlId) -> dict[str, Validators]:
    """Return what a crawl that begins now knows."""
    return dict(stores.memories.validators(replace(crawl, crawl=f"{crawl.crawl}-new"), [A, B, "c" * 32]))


def test_a_later_crawl_knows_the_validators_and_the_record(stores: Ports, crawl: CrawlId, tmp_path: Path) -> None:
    pages = [PAGE, Page(key=B, last_modified="yesterday"), Page(key="c" * 32)]
    stores.memories.remember(crawl, [write_pages(tmp_path / "1", pages)])
    place = PLACE.replace("000012-0003-2", "000001-0000-1").replace(A, B)
    assert known(stores, crawl) == {A: SAME, B: Validators(last_modified="yesterday", record=place)}


def test_a_memory_belongs_to_its_site(stores: Ports, crawl: CrawlId, tmp_path: Path) -> None:
    assert not stores.memories.any(crawl)
    stores.memories.remember(crawl, [write_pages(tmp_path / "1", [PAGE])])
    for other in (replace(crawl, site="other.example"), replace(crawl, tenant="u")):
        assert not stores.memories.any(other)
        assert stores.memories.validators(other, [A]) == {}
    assert stores.memories.any(replace(crawl, crawl="c2"))


def test_a_site_without_pages_remembers_nothing(stores: Ports, crawl: CrawlId) -> None:
    stores.memories.remember(crawl, [])
    assert not stores.memories.any(crawl)


def test_the_latest_request_counts_in_any_order(stores: Ports, crawl: CrawlId, later: CrawlId, tmp_path: Path) -> None:
    old = write_pages(tmp_path / "1", [PAGE, Page(key=B, etag='"b"')])
    new = write_pages(tmp_path / "2", [replace(PAGE, etag='"2"', fetched_at=200.0)])
    stores.memories.remember(crawl, [old])
    stores.memories.remember(later, [new])
    first = known(stores, crawl)
    assert (first[A].etag, first[B].etag) == ('"2"', '"b"')
    stores.memories.remember(crawl, [old])
    stores.memories.remember(later, [new, new])
    assert known(stores, later) == first


def test_a_forgotten_page_is_fetched_like_a_new_one(
    stores: Ports, crawl: CrawlId, later: CrawlId, tmp_path: Path
) -> None:
    pages = write_pages(tmp_path / "1", [PAGE, Page(key=B, etag='"b"')])
    stores.memories.remember(crawl, [pages])
    stores.memories.forget(crawl, A, now=150.0)
    stores.memories.forget(crawl, "c" * 32, now=150.0)  # never known
    assert known(stores, crawl).keys() == {B}
    stores.memories.remember(crawl, [pages])
    assert known(stores, later).keys() == {B}
    stores.memories.remember(crawl, [pages], without={A})  # the mark is gone by now
    again = replace(later, crawl="c3")
    assert known(stores, again).keys() == {B}
    back = write_pages(tmp_path / "2", [replace(PAGE, fetched_at=200.0)])
    stores.memories.remember(again, [back])
    assert stores.memories.changes(again, [back], since=190.0) == SiteChanges()
    assert known(stores, replace(crawl, crawl="c4")).keys() == {A, B}


def test_a_crawl_without_pages_shows_no_changes(stores: Ports, crawl: CrawlId, later: CrawlId, tmp_path: Path) -> None:
    stores.memories.remember(crawl, [write_pages(tmp_path / "1", [PAGE])])
    stores.memories.remember(later, [])
    assert stores.memories.changes(later, [], since=190.0) == SiteChanges()


def test_a_crawl_is_compared_with_those_before_it(
    stores: Ports, crawl: CrawlId, later: CrawlId, tmp_path: Path
) -> None:
    before = [PAGE, Page(key=B, text_hash="b"), Page(key="d" * 32, text_hash="d")]
    stores.memories.remember(crawl, [write_pages(tmp_path / "1", before)])
    after = [
        replace(PAGE, text_hash="h2", fetched_at=200_000.0),
        Page(key=B, state="not_found", fetched_at=200_000.0),
        Page(key="c" * 32, text_hash="c", fetched_at=200_000.0),
        Page(key="d" * 32, state="unchanged", fetched_at=200_000.0),
    ]
    pages = write_pages(tmp_path / "2", after)
    for _ in range(2):  # as after a crash
        stores.memories.remember(later, [pages])
        changes = stores.memories.changes(later, [pages], since=190_000.0)
        texts = {
            A: TextDates("1970-01-03", changed=True, before="1970-01-01"),
            "d" * 32: TextDates("1970-01-01", changed=False),
        }
        assert changes == SiteChanges(new=1, changed=1, gone=1, texts=texts)
        assert changes.seen_at == 200_000
    ledger = tmp_path / "ledger.csv"
    ledger.write_text(f"reason,key\nmax_pages,{'c' * 32}\n", encoding="utf-8")
    assert stores.memories.changes(later, [pages], since=190_000.0, ledger=ledger).new == 0
    ledger.write_text(f"reason,key\nexcluded,{'c' * 32}\n", encoding="utf-8")
    assert stores.memories.changes(later, [pages], since=190_000.0, ledger=ledger).new == 1
    ledger.write_bytes(b"damaged")
    assert stores.memories.changes(later, [pages], since=190_000.0, ledger=ledger).new == 1


@pytest.mark.parametrize("how", ["empty", "cut off", "overwritten"])
def test_a_damaged_file_is_left_out_named_and_replaced(
    stores: Ports, crawl: CrawlId, later: CrawlId, tmp_path: Path, how: str
) -> None:
    """Otherwise no crawl of the site could be planned any more."""
    many = [Page(key=f"{number:032x}", etag=f'"{number}"') for number in range(2_000)]
    stores.memories.remember(crawl, [write_pages(tmp_path / "1", [PAGE, *many])])
    spoil(stores, crawl, tmp_path, how)
    assert list(stores.memories.histories(later)) == []
    assert known(stores, crawl) == {}
    assert stores.memories.damaged(later) == []
    stores.memories.remember(later, [write_pages(tmp_path / "2", [Page(key=B, etag='"b"')])])
    assert stores.memories.damaged(later) == ["all.parquet"]
    assert list(known(stores, later)) == [B]
    last = replace(crawl, crawl="c3")
    stores.memories.remember(last, [write_pages(tmp_path / "3", [PAGE])])
    assert sorted(known(stores, last)) == [A, B]
    assert stores.memories.damaged(last) == []


def spoil(stores: Ports, crawl: CrawlId, folder: Path, how: str) -> None:
    """Damage the only file of a site's memory."""
    if isinstance(stores, LocalStore):
        files: MemoryFiles = FolderMemoryFiles(stores.root)
    else:
        assert isinstance(stores, Cloud)
        files = S3MemoryFiles(stores.bucket)
    copy = files.copy(crawl, "all.parquet", folder)
    assert copy is not None
    data = copy.path.read_bytes()
    middle = len(data) // 4
    spoiled = {
        "empty": b"",
        "cut off": data[: len(data) // 2],
        "overwritten": data[:middle] + b"\0" * middle + data[2 * middle :],
    }
    path = folder / "spoiled"
    path.write_bytes(spoiled[how])
    assert files.replace(crawl, "all.parquet", path, version=copy.version)
