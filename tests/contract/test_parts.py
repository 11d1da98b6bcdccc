"""Parts are stored whole, listed in order, and deleted with their crawl."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.parts import Table, file_of


def a_part(folder: Path, content: str, *tables: Table) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables or tuple(Table):
        (folder / file_of(table)).write_text(f"{content} {table.value}")
    return folder


def contents(stores: Ports, crawl: CrawlId, table: Table, *numbers: int) -> list[str]:
    return [path.read_text() for path in stores.parts.files(crawl, table, numbers)]


def test_parts_are_listed_in_order(stores: Ports, crawl: CrawlId, tmp_path: Path) -> None:
    assert stores.parts.numbers(crawl) == []
    for number in (12, 0, 1_000_000, 7):
        stores.parts.store(crawl, number, a_part(tmp_path / "new" / str(number), f"{number}"))
    assert stores.parts.numbers(crawl) == [0, 7, 12, 1_000_000]


def test_the_files_of_a_table_are_in_the_order_of_the_parts(stores: Ports, crawl: CrawlId, tmp_path: Path) -> None:
    stores.parts.store(crawl, 3, a_part(tmp_path / "a", "first"))
    stores.parts.store(crawl, 9, a_part(tmp_path / "b", "second", Table.URLS))
    stores.parts.store(crawl, 11, a_part(tmp_path / "c", "third"))
    assert contents(stores, crawl, Table.URLS, 3, 9, 11) == ["first urls", "second urls", "third urls"]
    assert contents(stores, crawl, Table.PAGES, 11, 9, 3) == ["third pages", "first pages"]
    assert contents(stores, crawl, Table.TEXTS, 9) == []


def test_a_part_without_its_urls_does_not_exist_yet(stores: Ports, crawl: CrawlId, tmp_path: Path) -> None:
    stores.parts.store(crawl, 1, a_part(tmp_path / "a", "cut", Table.PAGES, Table.EDGES, Table.TEXTS))
    assert stores.parts.numbers(crawl) == []


def test_a_part_replaces_the_one_of_its_number(stores: Ports, crawl: CrawlId, tmp_path: Path) -> None:
    for content in ("old", "new"):
        stores.parts.store(crawl, 1, a_part(tmp_path / content, content))
    assert stores.parts.numbers(crawl) == [1]
    assert contents(stores, crawl, Table.EDGES, 1) == ["new edges"]


def test_another_crawl_has_its_own(stores: Ports, crawl: CrawlId, tmp_path: Path) -> None:
    others = [replace(crawl, crawl="c11"), replace(crawl, tenant="u"), replace(crawl, site="other.example")]
    for one in (crawl, *others):
        stores.parts.store(one, 1, a_part(tmp_path / str(one), str(one)))
    stores.erasure.erase(crawl)
    assert stores.parts.numbers(crawl) == []
    for one in others:
        assert contents(stores, one, Table.PAGES, 1) == [f"{one} pages"]


@pytest.mark.parametrize("table", Table)
def test_an_erased_crawl_has_no_files(stores: Ports, crawl: CrawlId, tmp_path: Path, table: Table) -> None:
    stores.parts.store(crawl, 1, a_part(tmp_path / "a", "x"))
    stores.erasure.erase(crawl)
    assert stores.parts.files(crawl, table, [1]) == []
