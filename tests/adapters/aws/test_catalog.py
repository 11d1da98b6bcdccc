"""Crawls in Glue's Data Catalog, and the pages that are left out there."""

import logging
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError
from tests.adapters.aws.conftest import Cloud
from tests.support.emulator import new_database

from wavecrawl.adapters.aws.catalog import GlueCatalog
from wavecrawl.adapters.aws.erasure import AwsErasure
from wavecrawl.adapters.aws.hidden_pages import DynamoHiddenPages
from wavecrawl.adapters.aws.objects import Bucket
from wavecrawl.adapters.aws.parts import S3Parts
from wavecrawl.adapters.clock import SystemClock
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import PermanentError
from wavecrawl.ports.parts import Table, file_of


@pytest.fixture
def database(cloud: Cloud) -> str:
    return new_database(cloud.clients, cloud.bucket)


@pytest.fixture
def catalog(cloud: Cloud, database: str) -> GlueCatalog:
    return GlueCatalog(lambda: cloud.clients.glue, database=database, bucket=cloud.bucket)


def partitions(cloud: Cloud, database: str, table: Table) -> list[Any]:
    found = cloud.clients.glue.get_partitions(DatabaseName=database, TableName=table.value)
    return list(found["Partitions"])


def test_the_tables_in_which_a_crawl_has_rows_are_registered_once(
    cloud: Cloud, database: str, catalog: GlueCatalog, crawl: CrawlId, tmp_path: Path
) -> None:
    parts = S3Parts(Bucket(cloud.clients.s3, cloud.bucket), catalog, scratch=tmp_path / "scratch")
    tables = [Table.URLS]
    for number, more in ((3, Table.PAGES), (5, Table.EDGES), (7, Table.PAGES)):
        tables.append(more)
        (tmp_path / file_of(Table.URLS)).write_bytes(b"rows")
        (tmp_path / file_of(more)).write_bytes(b"rows")
        parts.store(crawl, number, tmp_path)
    values = ["default", "www.example.com-1a2b3c4d", "20261121-101500-a1b2c3"]
    below = "tenant=default/site=www.example.com-1a2b3c4d/crawl=20261121-101500-a1b2c3/"
    assert {table: stored(partitions(cloud, database, table)) for table in Table} == {
        table: [(values, f"s3://{cloud.bucket}/tables/{table}/{below}")] if table in tables else [] for table in Table
    }


def stored(found: list[Any]) -> list[tuple[list[str], str]]:
    return [(one["Values"], one["StorageDescriptor"]["Location"]) for one in found]


def test_a_crawl_is_registered_before_its_part_exists(
    cloud: Cloud, crawl: CrawlId, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that dies between the two is repeated, as the part is not stored."""
    (tmp_path / file_of(Table.URLS)).write_bytes(b"rows")
    missing = GlueCatalog(lambda: cloud.clients.glue, database="gone", bucket=cloud.bucket)
    parts = S3Parts(Bucket(cloud.clients.s3, cloud.bucket), missing, scratch=tmp_path / "scratch")
    fail(monkeypatch, cloud, "EntityNotFoundException")
    with pytest.raises(PermanentError, match=r"registering crawl .* in table gone\.urls"):
        parts.store(crawl, 1, tmp_path)
    assert parts.numbers(crawl) == []


def test_a_deleted_crawl_is_dropped_with_its_files(
    cloud: Cloud, database: str, catalog: GlueCatalog, crawl: CrawlId
) -> None:
    bucket = Bucket(cloud.clients.s3, cloud.bucket)
    catalog.add(crawl, [Table.PAGES, Table.URLS])
    DynamoHiddenPages(cloud.table, bucket).hide(crawl, "k", now=1.0)
    erasure = AwsErasure(cloud.table, bucket, catalog, SystemClock())
    for _ in range(2):
        erasure.erase(crawl)
        assert [partitions(cloud, database, table) for table in Table] == [[] for _ in Table]
        assert list(bucket.sizes("tables/")) == []


def test_a_deleted_page_is_named_for_sql(cloud: Cloud, crawl: CrawlId) -> None:
    bucket = Bucket(cloud.clients.s3, cloud.bucket)
    hidden = DynamoHiddenPages(cloud.table, bucket)
    assert [hidden.hide(crawl, "0123", now=1.0), hidden.hide(crawl, "0123", now=2.0)] == [True, False]
    ((name, _),) = bucket.sizes("tables/hidden/")
    assert bucket.get(name) == b"default\twww.example.com-1a2b3c4d\t20261121-101500-a1b2c3\t0123\n"


def test_a_crawl_goes_on_if_the_catalog_denies_access(
    cloud: Cloud,
    catalog: GlueCatalog,
    crawl: CrawlId,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    fail(monkeypatch, cloud, "AccessDeniedException")
    with caplog.at_level(logging.WARNING):
        catalog.add(crawl, [Table.PAGES, Table.URLS])
    assert len(caplog.records) == 2
    assert "is not registered in table" in caplog.text


def test_without_a_database_nothing_is_registered(crawl: CrawlId) -> None:
    def no_client() -> Any:
        raise AssertionError("a client was created")

    catalog = GlueCatalog(no_client, database="", bucket="b")
    catalog.add(crawl, [*Table])
    catalog.remove(crawl)


def fail(monkeypatch: pytest.MonkeyPatch, cloud: Cloud, code: str) -> None:
    def failing(**_: Any) -> Any:
        raise ClientError({"Error": {"Code": code, "Message": "no"}}, "CreatePartition")

    monkeypatch.setattr(cloud.clients.glue, "create_partition", failing)
