"""Lost responses, throttled tables and conflicting transactions."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace
from tests.adapters.aws.conftest import Cloud
from tests.adapters.aws.faulty import Faulty, Lost, Partial, Refused, StillAtIt, sent_twice

from wavecrawl.adapters.aws.batches import DynamoBatches
from wavecrawl.adapters.aws.claims import DynamoClaims
from wavecrawl.adapters.aws.crawls import DynamoCrawls
from wavecrawl.adapters.aws.host_gate import DynamoHostGate
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.waves import DynamoWaves
from wavecrawl.adapters.aws.writes import NewRow
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.politeness.windows import Turns
from wavecrawl.errors import NotFoundError, PermanentError, StoreBusyError, ThrottledError
from wavecrawl.ports.batches import BatchSums, Lease
from wavecrawl.ports.claims import Claimant
from wavecrawl.ports.crawls import CrawlRow

FIRST = Claimant(wave=1, batch=2, attempt=1)
SUMS = BatchSums(records=3, fetched=2, bytes=100, faults=1)
CONFLICT = {"CancellationReasons": [{"Code": "None"}, {"Code": "TransactionConflict"}]}

Treat = Callable[[str, Callable[[], Any], dict[str, Any]], Any]


def faulty(cloud: Cloud, treat: Treat, naps: list[float] | None = None) -> Table:
    client: Any = Faulty(cloud.clients.dynamodb, treat)
    return Table(client, cloud.table_name, sleep=([] if naps is None else naps).append)


def leased(table: Table, batch: BatchId, owner: str = "w", now: float = 100.0) -> Lease:
    DynamoWaves(table).create(batch.crawl, batch.wave, planned=100)  # completing a batch needs its wave
    found = DynamoBatches(table).lease(batch, owner=owner, now=now, seconds=60.0)
    assert found is not None
    return found


def completed_batches(cloud: Cloud, batch: BatchId) -> int:
    row = DynamoWaves(cloud.table).read(batch.crawl, batch.wave)
    return 0 if row is None else row.done


def test_a_claim_that_was_sent_twice_is_ours(cloud: Cloud, crawl: CrawlId) -> None:
    claims = DynamoClaims(faulty(cloud, sent_twice))
    assert claims.claim(crawl, "k", FIRST)
    assert not claims.claim(crawl, "k", FIRST)


def test_a_lease_that_was_sent_twice_is_one_attempt(cloud: Cloud, batch: BatchId) -> None:
    found = leased(faulty(cloud, sent_twice), batch)
    assert found == Lease(id=batch, attempt=1, owner="w", expires_at=160.0)


def test_a_completion_that_was_sent_twice_counts_once(cloud: Cloud, batch: BatchId) -> None:
    mine = leased(cloud.table, batch)
    assert DynamoBatches(faulty(cloud, sent_twice)).complete(mine, SUMS)
    assert completed_batches(cloud, batch) == 1


def test_a_crawl_that_was_created_twice_by_the_network_exists_once(cloud: Cloud, crawl: CrawlId) -> None:
    row = CrawlRow(id=crawl, start_url="https://example.com/", root_url="", settings=CrawlSettings())
    assert DynamoCrawls(faulty(cloud, sent_twice)).create(row) is None
    assert DynamoCrawls(cloud.table).create(row) == crawl.crawl


def test_a_window_that_was_reserved_twice_by_the_network_is_one(cloud: Cloud) -> None:
    hosts = DynamoHostGate(faulty(cloud, sent_twice))
    window = hosts.reserve("h", Turns(holder="a", count=10, interval=1.0), now=100.0)
    (held,) = DynamoHostGate(cloud.table).read("h").windows
    assert (window.opens_at, held.opens_at, held.closes_at) == (100.0, 100.0, 110.0)


def test_a_completion_whose_answer_is_lost_for_good_is_looked_up(cloud: Cloud, batch: BatchId) -> None:
    mine = leased(cloud.table, batch)
    lost = Lost("transact_write_items", times=1, done=True)
    assert DynamoBatches(faulty(cloud, lost)).complete(mine, SUMS)
    assert completed_batches(cloud, batch) == 1


def test_a_completion_that_never_arrived_is_an_error(cloud: Cloud, batch: BatchId) -> None:
    mine = leased(cloud.table, batch)
    lost = Lost("transact_write_items", times=1, done=False)
    with pytest.raises(StoreBusyError):
        DynamoBatches(faulty(cloud, lost)).complete(mine, SUMS)
    assert completed_batches(cloud, batch) == 0


def test_another_workers_completion_is_not_mistaken_for_ours(cloud: Cloud, batch: BatchId) -> None:
    zombie = leased(cloud.table, batch)
    DynamoBatches(cloud.table).complete(leased(cloud.table, batch, "heir", 200.0), SUMS)
    lost = Lost("transact_write_items", times=1, done=False)
    with pytest.raises(StoreBusyError):
        DynamoBatches(faulty(cloud, lost)).complete(zombie, SUMS)
    assert not DynamoBatches(cloud.table).complete(zombie, SUMS)


def test_a_completion_of_an_attempt_of_the_same_worker_is_not_taken_for_this_one(cloud: Cloud, batch: BatchId) -> None:
    older = leased(cloud.table, batch, "w")
    DynamoBatches(cloud.table).complete(leased(cloud.table, batch, "w", 200.0), SUMS)
    lost = Lost("transact_write_items", times=1, done=False)
    with pytest.raises(StoreBusyError):
        DynamoBatches(faulty(cloud, lost)).complete(older, SUMS)


def test_a_completion_that_is_still_under_way_is_waited_for(cloud: Cloud, batch: BatchId) -> None:
    mine = leased(cloud.table, batch)
    assert DynamoBatches(faulty(cloud, StillAtIt())).complete(mine, SUMS)
    assert completed_batches(cloud, batch) == 1


@pytest.mark.parametrize(
    ("code", "details"),
    [("TransactionCanceledException", CONFLICT), ("TransactionInProgressException", {})],
)
def test_transactions_in_the_way_are_waited_for(
    cloud: Cloud, batch: BatchId, code: str, details: dict[str, object]
) -> None:
    naps: list[float] = []
    mine = leased(cloud.table, batch)
    refused = Refused("transact_write_items", code, times=5, **details)
    assert DynamoBatches(faulty(cloud, refused, naps)).complete(mine, SUMS)
    assert len(naps) == 5
    assert all(0.0 <= nap <= 0.1 * 2.0**n for n, nap in enumerate(naps))
    assert completed_batches(cloud, batch) == 1


def test_a_transaction_on_a_row_delays_other_writes_to_it(cloud: Cloud, batch: BatchId) -> None:
    naps: list[float] = []
    table = faulty(cloud, Refused("update_item", "TransactionConflictException", times=3), naps)
    DynamoWaves(table).add_usage(batch.crawl, batch.wave, Usage(puts=1.0))
    row = DynamoWaves(cloud.table).read(batch.crawl, batch.wave)
    assert row is not None
    assert (row.sums.usage, len(naps)) == (Usage(puts=1.0), 3)


def test_a_transaction_that_never_gets_through_is_an_error(cloud: Cloud, batch: BatchId) -> None:
    mine = leased(cloud.table, batch)
    refused = Refused("transact_write_items", "TransactionCanceledException", times=1_000, **CONFLICT)
    with pytest.raises(StoreBusyError, match="conflicts with"):
        DynamoBatches(faulty(cloud, refused)).complete(mine, SUMS)


def test_a_row_that_transactions_never_leave_is_an_error(cloud: Cloud, batch: BatchId) -> None:
    table = faulty(cloud, Refused("update_item", "TransactionConflictException", times=1_000))
    with pytest.raises(StoreBusyError, match="conflicts with"):
        DynamoWaves(table).create(batch.crawl, batch.wave, planned=1)


@pytest.mark.parametrize(
    ("code", "details"),
    [
        ("ValidationException", {}),
        ("TransactionCanceledException", {"CancellationReasons": [{"Code": "ValidationError"}]}),
    ],
)
def test_a_transaction_that_cannot_be_is_not_repeated(
    cloud: Cloud, batch: BatchId, code: str, details: dict[str, object]
) -> None:
    naps: list[float] = []
    refused = Refused("transact_write_items", code, times=1, **details)
    with pytest.raises(PermanentError):
        DynamoBatches(faulty(cloud, refused, naps)).complete(leased(cloud.table, batch), SUMS)
    assert naps == []


def by_threes(name: str, call: Callable[[], Any], request: dict[str, Any]) -> Any:
    if name == "query":
        request["Limit"] = 3
    return call()


def test_long_answers_come_in_pages(cloud: Cloud, batch: BatchId) -> None:
    batches = [replace(batch, batch=number) for number in range(10)]
    for one in batches:
        leased(cloud.table, one)
    rows = DynamoBatches(faulty(cloud, by_threes)).of_wave(batch.crawl, batch.wave)
    assert [row.id for row in rows] == batches


def stored_rows(cloud: Cloud, count: int) -> list[tuple[str, str]]:
    keys = [("FAULTS", f"ROW#{n:03d}") for n in range(count)]
    for key in keys:
        cloud.table.put(NewRow(key=key, row={"number": 1}))
    return keys


def test_rows_that_throttling_leaves_undeleted_are_deleted_again(cloud: Cloud) -> None:
    partial, keys = Partial(times=3), stored_rows(cloud, 20)
    faulty(cloud, partial).delete_many(keys)
    assert partial.sizes == [20, 19, 18, 17]
    assert cloud.table.get_many(keys) == []


def test_rows_that_throttling_leaves_unread_are_read_again(cloud: Cloud) -> None:
    partial, keys = Partial(times=3), stored_rows(cloud, 20)
    found = faulty(cloud, partial).get_many(keys)
    assert sorted(row["sk"] for row in found) == [key for _, key in keys]
    assert partial.sizes == [20, 19, 18, 17]


def test_rows_that_are_never_deleted_are_an_error_not_a_loss(cloud: Cloud) -> None:
    naps: list[float] = []
    table, keys = faulty(cloud, Partial(times=1_000), naps), stored_rows(cloud, 25)
    with pytest.raises(ThrottledError, match="unwritten"):
        table.delete_many(keys[:20])
    with pytest.raises(ThrottledError, match="unread"):
        table.get_many(keys)
    assert len(naps) == 22


@pytest.mark.parametrize(
    ("code", "status", "error"),
    [
        ("ProvisionedThroughputExceededException", 400, ThrottledError),
        ("ThrottlingException", 400, ThrottledError),
        ("RequestLimitExceeded", 400, ThrottledError),
        ("InternalServerError", 500, StoreBusyError),
        ("ExpiredTokenException", 400, StoreBusyError),
        ("ResourceNotFoundException", 400, NotFoundError),
        ("AccessDeniedException", 400, PermanentError),
        ("ValidationException", 400, PermanentError),
    ],
)
def test_errors_of_aws_are_translated(
    cloud: Cloud, crawl: CrawlId, code: str, status: int, error: type[Exception]
) -> None:
    refused = Refused("put_item", code, times=1, ResponseMetadata={"HTTPStatusCode": status})
    with pytest.raises(error, match=cloud.table_name):
        DynamoClaims(faulty(cloud, refused)).claim(crawl, "k", FIRST)


def test_a_claim_outlives_the_crawl_by_weeks(cloud: Cloud, crawl: CrawlId) -> None:
    DynamoClaims(cloud.table, now=lambda: 1_790_000_000.5).claim(crawl, "abc", FIRST)
    row = cloud.table.get((f"CRAWL#{crawl}#a", "CLAIM#abc"))
    assert row is not None
    assert row["expires_at"] == 1_790_000_000 + 30 * 86_400


def test_tenants_and_sites_share_no_row(cloud: Cloud, crawl: CrawlId) -> None:
    assert DynamoClaims(cloud.table).claim(crawl, "k", FIRST)
    for other in (replace(crawl, tenant="u"), replace(crawl, site="s"), replace(crawl, crawl="c")):
        assert DynamoClaims(cloud.table).claim(other, "k", FIRST)
