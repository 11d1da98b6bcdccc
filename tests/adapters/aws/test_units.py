"""The cost of each operation, as billed by the emulator. docs/costs.md is based on these figures."""

from pathlib import Path

import pytest
from msgspec import structs
from tests.adapters.aws.conftest import Cloud
from tests.support.emulator import new_queue

from wavecrawl.adapters.aws.archive import S3Archive
from wavecrawl.adapters.aws.batches import DynamoBatches
from wavecrawl.adapters.aws.claims import DynamoClaims
from wavecrawl.adapters.aws.crawls import DynamoCrawls
from wavecrawl.adapters.aws.host_gate import DynamoHostGate
from wavecrawl.adapters.aws.objects import S3Objects
from wavecrawl.adapters.aws.queue import SqsJobQueue
from wavecrawl.adapters.aws.rate_limits import DynamoRateLimits
from wavecrawl.adapters.aws.waves import DynamoWaves
from wavecrawl.adapters.clock import SystemClock
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import BatchId, BatchJob, BatchKind, CrawlId, JobItem
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.domain.politeness.windows import Turns
from wavecrawl.ports.batches import BatchSums, Lease
from wavecrawl.ports.claims import Claimant
from wavecrawl.ports.crawls import CrawlRow

SUMS = BatchSums(
    records=100, fetched=99, bytes=123_456_789, faults=1,
    usage=Usage(
        lambda_requests=1.0, lambda_gb_seconds=3.123456789, queue_requests=3.0, write_units=101.0, read_units=52.5,
        puts=2.0, gets=1.0,
    ),
)  # fmt: skip


def keys(count: int) -> list[str]:
    return [f"{n:x}".rjust(2, "0") * 16 for n in range(count)]


def lease(cloud: Cloud, batch: BatchId) -> Lease:
    found = DynamoBatches(cloud.table).lease(batch, owner="f" * 32, now=1_790_000_000.123456, seconds=360.0)
    assert found is not None
    return found


def test_a_request_costs_one_write_unit_also_of_a_tenant_with_many_keys(cloud: Cloud) -> None:
    limits = DynamoRateLimits(cloud.table)
    for number in range(90):
        key = f"{number % 45:012x}"
        turn = limits.take("a-tenant-of-some-name", key, limit=600, of_all=1_800, window=60.0, now=1_795_255_240.0)
        assert turn.allowed
    assert cloud.meter.take() == Usage(write_units=90.0)


def test_a_lease_costs_one_write_unit(cloud: Cloud, batch: BatchId) -> None:
    lease(cloud, batch)
    assert cloud.meter.take() == Usage(write_units=1.0)


def test_a_lease_that_is_not_had_costs_one_write_unit(cloud: Cloud, batch: BatchId) -> None:
    lease(cloud, batch)
    cloud.meter.take()
    assert DynamoBatches(cloud.table).lease(batch, owner="w2", now=1_790_000_000.0, seconds=360.0) is None
    assert cloud.meter.take() == Usage(write_units=1.0)


def test_a_claim_costs_one_write_unit_won_or_lost(cloud: Cloud, crawl: CrawlId) -> None:
    claims, by = DynamoClaims(cloud.table), Claimant(wave=123_456, batch=789, attempt=3)
    assert claims.claim(crawl, "f" * 32, by)
    assert cloud.meter.take() == Usage(write_units=1.0)
    assert not claims.claim(crawl, "f" * 32, by)
    assert cloud.meter.take() == Usage(write_units=1.0)


def test_a_completion_costs_four_units_and_bills_itself(cloud: Cloud, batch: BatchId) -> None:
    waves = DynamoWaves(cloud.table)
    waves.create(batch.crawl, batch.wave, planned=200)
    mine = lease(cloud, batch)
    cloud.meter.take()
    assert DynamoBatches(cloud.table).complete(mine, SUMS)
    assert cloud.meter.take() == Usage()
    row = waves.read(batch.crawl, batch.wave)
    assert row is not None
    assert row.sums == structs.replace(SUMS, usage=SUMS.usage + Usage(write_units=4.0))


def test_a_progress_note_costs_one_write_unit(cloud: Cloud, batch: BatchId) -> None:
    mine = lease(cloud, batch)
    cloud.meter.take()
    DynamoBatches(cloud.table).note_records(mine, 100)
    assert cloud.meter.take() == Usage(write_units=1.0)


def test_a_completion_that_fails_bills_the_meter(cloud: Cloud, batch: BatchId) -> None:
    mine = lease(cloud, batch)
    DynamoBatches(cloud.table).complete(mine, SUMS)
    cloud.meter.take()
    assert not DynamoBatches(cloud.table).complete(mine, SUMS)
    assert cloud.meter.take() == Usage(write_units=4.0)


def test_a_wave_is_read_with_two_units(cloud: Cloud, batch: BatchId) -> None:
    waves = DynamoWaves(cloud.table)
    waves.create(batch.crawl, batch.wave, planned=200)
    waves.store_token(batch.crawl, batch.wave, "t" * 900)
    assert cloud.meter.take() == Usage(write_units=2.0)
    waves.read(batch.crawl, batch.wave)
    assert cloud.meter.take() == Usage(read_units=2.0)


@pytest.mark.parametrize("urls", [25, 100])
def test_a_batch_costs_five_write_units_besides_its_pages(cloud: Cloud, batch: BatchId, urls: int) -> None:
    waves, claims = DynamoWaves(cloud.table), DynamoClaims(cloud.table)
    waves.create(batch.crawl, batch.wave, planned=1)
    waves.store_token(batch.crawl, batch.wave, "t" * 900)
    mine = lease(cloud, batch)
    for key in keys(urls):
        claims.claim(batch.crawl, key, Claimant(wave=batch.wave, batch=batch.batch, attempt=1))
    DynamoBatches(cloud.table).complete(mine, BatchSums(records=urls, usage=cloud.meter.take()))
    row = waves.read(batch.crawl, batch.wave)
    assert row is not None
    total = row.sums.usage + cloud.meter.take()
    assert total.write_units == urls + 7.0  # claims, 4 completion, 1 lease, 2 for the wave itself
    assert total.write_units / urls <= 1.5


def test_a_window_of_a_host_costs_one_unit_each_way(cloud: Cloud) -> None:
    hosts = DynamoHostGate(cloud.table)
    hosts.reserve("www.example.com", Turns(holder="a", count=10, interval=0.5), now=100.0)
    assert cloud.meter.take() == Usage(write_units=1.0, read_units=1.0)


def test_a_crawl_is_started_with_twelve_units(cloud: Cloud, crawl: CrawlId) -> None:
    row = CrawlRow(id=crawl, start_url="https://www.example.com/", root_url="", settings=CrawlSettings())
    DynamoCrawls(cloud.table).create(row)
    assert cloud.meter.take() == Usage(write_units=12.0)


def test_a_batch_in_the_archive_is_two_puts(cloud: Cloud, batch: BatchId, tmp_path: Path) -> None:
    archive = S3Archive(cloud.clients.s3, cloud.bucket, scratch=tmp_path)
    attempt = archive.open(batch, attempt=1)
    for key in keys(25):
        attempt.add(PageRecord(key=key, url="https://example.com/", depth=1, state=UrlState.FETCHED), [])
    attempt.commit()
    assert cloud.meter.take() == Usage(puts=2.0)
    assert len(list(archive.records(batch, attempt=1, shape=PageRecord))) == 25
    assert cloud.meter.take() == Usage(gets=1.0)


def test_objects_are_counted_by_class(cloud: Cloud, crawl: CrawlId) -> None:
    objects = S3Objects(cloud.clients.s3, cloud.bucket)
    objects.put_new(crawl, "a", b"1")
    objects.put_new(crawl, "a", b"1")
    objects.get(crawl, "a")
    objects.get(crawl, "b")
    assert cloud.meter.take() == Usage(puts=2.0, gets=2.0)


@pytest.mark.parametrize(("path", "requests"), [(10, 1.0), (2_000, 7.0)])
def test_messages_are_counted_by_64_kib(cloud: Cloud, batch: BatchId, path: int, requests: float) -> None:
    items = tuple(JobItem(url=f"https://e.example/{'x' * path}", key=key, depth=1, tries=1) for key in keys(25))
    job = BatchJob(
        id=batch, kind=BatchKind.FETCH, host="e.example", items=items, starts_at=0.0,
        pace=Pace(interval=0.04, in_flight=5),
    )  # fmt: skip
    SqsJobQueue(cloud.clients.sqs, new_queue(cloud.clients), SystemClock()).send([job] * 7)
    assert cloud.meter.take().queue_requests - 1.0 == requests  # one request created the queue
