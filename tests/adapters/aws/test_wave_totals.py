"""The sums of a crawl's waves are read from a bounded number of rows, and stay exact."""

import pytest
from msgspec.structs import replace
from tests.adapters.aws.conftest import Cloud
from tests.support.some_ports import some_ports

from wavecrawl.adapters.aws.batches import DynamoBatches
from wavecrawl.adapters.aws.names import ALL_WAVES, OF_A_TOTAL, total_row, wave_row, work_partition
from wavecrawl.adapters.aws.spending import DynamoSpending
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.waves import CLOSED_TOGETHER, DynamoWaves
from wavecrawl.adapters.aws.writes import Change
from wavecrawl.application.operator_controls import charge_month
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.errors import StoreBusyError
from wavecrawl.ports.batches import BatchSums, Lease

SUMS = BatchSums(records=100, fetched=90, bytes=10**9, faults=3, usage=Usage(gets=2.0, lambda_gb_seconds=0.123456789))


def leased(cloud: Cloud, crawl: CrawlId, wave: int) -> Lease:
    id_ = BatchId(crawl=crawl, wave=wave, batch=0)
    mine = DynamoBatches(cloud.table).lease(id_, owner="w", now=100.0, seconds=60.0)
    assert mine is not None
    return mine


def run_waves(cloud: Cloud, crawl: CrawlId, numbers: range) -> None:
    for number in numbers:
        DynamoWaves(cloud.table).create(crawl, number, planned=1)
        assert DynamoBatches(cloud.table).complete(leased(cloud, crawl, number), SUMS)


def _stored(crawl: CrawlId, wave: int) -> Change:
    return Change(key=wave_row(crawl, wave), set={"planned": 1, "done": 1}, add={"fetched": 10})


def totals(cloud: Cloud, crawl: CrawlId) -> list[str]:
    rows = cloud.table.query(work_partition(crawl), ALL_WAVES)
    return [row["sk"] for row in rows if row["sk"].endswith(OF_A_TOTAL)]


def test_a_look_at_a_crawl_costs_as_much_after_many_waves_as_after_few(cloud: Cloud, crawl: CrawlId) -> None:
    waves, costs = DynamoWaves(cloud.table), []
    for first, after in ((1, 30), (30, 90)):
        run_waves(cloud, crawl, range(first, after))
        cloud.meter.take()
        assert waves.progress(crawl).records == 100 * (after - 1)
        costs.append(cloud.meter.take().read_units)
    assert costs[1] <= costs[0] + 0.5
    assert costs[1] <= 2.0
    assert len(totals(cloud, crawl)) == 89 // CLOSED_TOGETHER


def test_a_limit_of_the_months_costs_reads_as_much_after_many_waves_as_after_few(cloud: Cloud, crawl: CrawlId) -> None:
    """The crawl is charged at each wave, so that a limit can end it."""
    ports, costs = some_ports(waves=DynamoWaves(cloud.table), spending=DynamoSpending(cloud.table)), []
    for first, after in ((1, 30), (30, 90)):
        run_waves(cloud, crawl, range(first, after))
        cloud.meter.take()
        charge_month(crawl, ports, now=0.0)
        costs.append(cloud.meter.take().read_units)
    assert costs[1] <= costs[0] + 1.0
    assert costs[1] <= 5.0
    of_completions = 4 * 0.625e-6  # write units of each, which it counts itself
    expected = 89 * (2 * 0.4e-6 + 0.123456789 * 0.0000133334 + of_completions)
    assert DynamoSpending(cloud.table).spent("1970-01", crawl.tenant) == pytest.approx(expected)


def test_a_crawl_of_few_waves_pays_nothing_for_totals(cloud: Cloud, crawl: CrawlId) -> None:
    waves = DynamoWaves(cloud.table)
    for number in range(1, CLOSED_TOGETHER + 1):
        waves.create(crawl, number, planned=1)
    assert cloud.meter.take() == Usage(write_units=float(CLOSED_TOGETHER))


def test_rows_of_totals_and_of_waves_stay_below_a_kilobyte(cloud: Cloud, crawl: CrawlId) -> None:
    """Otherwise a completion would cost two write units more."""
    run_waves(cloud, crawl, range(1, 30))
    cloud.meter.take()
    DynamoWaves(cloud.table).add_usage(crawl, 29, Usage(puts=1.0))
    assert cloud.meter.take() == Usage(write_units=1.0)
    cloud.table.get(total_row(crawl, 20))
    assert cloud.meter.take() == Usage(read_units=1.0)


def test_a_batch_of_a_closed_wave_cannot_be_counted(cloud: Cloud, crawl: CrawlId) -> None:
    """Its wave is over, so it was completed or closed: the sums in the totals would miss it."""
    waves, batches = DynamoWaves(cloud.table), DynamoBatches(cloud.table)
    waves.create(crawl, 1, planned=1)
    late = leased(cloud, crawl, 1)
    run_waves(cloud, crawl, range(2, CLOSED_TOGETHER + 2))
    before = waves.progress(crawl)
    assert not batches.complete(late, SUMS)
    assert not batches.close(late.id)
    assert waves.progress(crawl) == before


@pytest.mark.parametrize("after", [0, 7, CLOSED_TOGETHER])
def test_totals_that_were_interrupted_are_made_by_the_next_wave(
    cloud: Cloud, crawl: CrawlId, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    run_waves(cloud, crawl, range(1, CLOSED_TOGETHER + 1))
    waves = DynamoWaves(cloud.table)
    real, left = Table.update, [after]

    def fails(table: Table, change: object) -> object:
        if not left[0]:
            raise StoreBusyError("not now")
        left[0] -= 1
        return real(table, change)  # type: ignore[arg-type]  # the change that was given

    with monkeypatch.context() as broken:
        broken.setattr(Table, "update", fails)
        broken.setattr(Table, "put", fails)
        with pytest.raises(StoreBusyError):
            waves.create(crawl, CLOSED_TOGETHER + 1, planned=1)
    assert totals(cloud, crawl) == []
    assert waves.progress(crawl).records == 100 * CLOSED_TOGETHER
    waves.add_usage(crawl, 3, Usage(puts=1.0))  # before the totals are there, perhaps to a closed wave
    run_waves(cloud, crawl, range(CLOSED_TOGETHER + 1, CLOSED_TOGETHER + 3))
    assert len(totals(cloud, crawl)) == 1
    progress = waves.progress(crawl)
    assert (progress.records, progress.usage.puts) == (100 * (CLOSED_TOGETHER + 2), 1.0)


def test_waves_that_a_version_before_has_stored_are_summed(cloud: Cloud, crawl: CrawlId) -> None:
    """They have no totals. The next wave closes all of them."""
    waves = DynamoWaves(cloud.table)
    for number in range(1, 60):
        cloud.table.update(_stored(crawl, number))
    assert waves.progress(crawl).fetched == 59 * 10
    assert waves.last(crawl) == 59
    waves.create(crawl, 60, planned=1)
    assert totals(cloud, crawl) == [total_row(crawl, 59)[1]]
    assert (waves.progress(crawl).fetched, waves.progress(crawl).batches) == (59 * 10, 60)
    assert waves.last(replace(crawl, crawl="another")) == 0
