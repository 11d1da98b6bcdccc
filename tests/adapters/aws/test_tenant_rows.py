"""Tenants and quotas under lost responses, and if all transactions change the same row."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any

import pytest
from botocore.exceptions import ClientError
from msgspec.structs import replace
from tests.adapters.aws.conftest import Cloud
from tests.adapters.aws.faulty import Faulty, sent_twice
from tests.support.emulator import CREDENTIALS, emulated_clients, new_table

from wavecrawl.adapters.aws.api_keys import DynamoApiKeys
from wavecrawl.adapters.aws.crawls import DynamoCrawls
from wavecrawl.adapters.aws.names import crawl_row
from wavecrawl.adapters.aws.rate_limits import DynamoRateLimits
from wavecrawl.adapters.aws.repeats import DynamoRepeats
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.tenants import DynamoTenants
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.role import Role
from wavecrawl.ports.api_keys import ApiKeyRow
from wavecrawl.ports.crawls import CrawlRow, Quota, UsedUp
from wavecrawl.ports.repeats import Hold
from wavecrawl.ports.tenants import TenantRow

MONTH = "2026-11"
ACME = TenantRow(tenant="acme", name="Acme", plan=Plan.FREE)

Treat = Callable[[str, Callable[[], Any], dict[str, Any]], Any]


def treated(cloud: Cloud, treat: Treat) -> Table:
    client: Any = Faulty(cloud.clients.dynamodb, treat)
    return Table(client, cloud.table_name, sleep=lambda _: None)


def row(number: int) -> CrawlRow:
    id_ = CrawlId(tenant="t", site=f"{number}.example", crawl=f"c{number}")
    return CrawlRow(id=id_, start_url="https://example.com/", root_url="", settings=CrawlSettings())


def test_a_deletion_that_broke_off_does_not_end_the_list(cloud: Cloud) -> None:
    table = treated(cloud, lambda _, call, __: call())
    crawls = DynamoCrawls(table)
    for number in range(1, 6):
        crawls.create(row(number))
    for number in (4, 5):  # their deletion was interrupted before the tenant's list was updated
        table.delete(crawl_row(row(number).id))
    assert [one.id.crawl for one in crawls.of_tenant("t", limit=2)] == ["c3", "c2"]
    assert [one.id.crawl for one in crawls.of_tenant("t", limit=9)] == ["c3", "c2", "c1"]


class OneAtATime:
    """A table that admits one transaction at a time and reports a conflict to all others, as DynamoDB does."""

    def __init__(self) -> None:
        self.conflicts = 0
        self._busy = Lock()

    def __call__(self, name: str, call: Callable[[], Any], request: dict[str, Any]) -> Any:
        if name != "transact_write_items":
            return call()
        if not self._busy.acquire(blocking=False):
            self.conflicts += 1
            reasons = [{"Code": "None"} for _ in request["TransactItems"][1:]]
            answer: Any = {
                "Error": {"Code": "TransactionCanceledException", "Message": ""},
                "CancellationReasons": [*reasons, {"Code": "TransactionConflict"}],
            }
            raise ClientError(answer, name)
        try:
            return call()
        finally:
            self._busy.release()


def test_a_start_that_was_sent_twice_counts_once(cloud: Cloud) -> None:
    crawls = DynamoCrawls(treated(cloud, sent_twice))
    assert crawls.create(row(1), quota=Quota(month=MONTH, limit=1)) is None
    assert DynamoTenants(cloud.table).crawls_in("t", MONTH) == 1


def test_a_change_of_a_tenant_that_was_sent_twice_is_made(cloud: Cloud) -> None:
    tenants = DynamoTenants(treated(cloud, sent_twice))
    assert tenants.create(ACME)
    assert tenants.update(replace(ACME, plan=Plan.PRO, version=2))


def test_a_request_that_was_claimed_twice_is_ours(cloud: Cloud) -> None:
    repeats = DynamoRepeats(treated(cloud, sent_twice))
    assert isinstance(repeats.begin("t", "k", fingerprint="f", now=1.0, seconds=30.0), Hold)


def test_turns_expire_with_their_window(cloud: Cloud) -> None:
    DynamoRateLimits(cloud.table).take("t", "k", limit=1, of_all=1, window=60.0, now=1_000.0)
    (stored,) = cloud.table.query("RATE#t", "WINDOW#")
    assert stored["expires_at"] == 4620


def test_an_ended_key_is_not_deleted_by_the_table(cloud: Cloud) -> None:
    keys = DynamoApiKeys(cloud.table)
    keys.create(ApiKeyRow(id="k", digest="d", tenant="t", role=Role.READ, name="n", created_at=1.0, expires_at=2.0))
    assert "expires_at" not in (cloud.table.get(("KEY#d", "KEY")) or {})


def test_fifty_starts_that_get_in_each_others_way_all_end_right(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    name = new_table(emulated_clients())
    narrow = OneAtATime()
    workers = []
    for number in range(5):
        client: Any = Faulty(emulated_clients(number).dynamodb, narrow)
        workers.append(DynamoCrawls(Table(client, name)))
    quota = Quota(month=MONTH, limit=20)
    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda n: workers[n % 5].create(row(n), quota=quota), range(50)))
    assert answers.count(None) == 20
    assert answers.count(UsedUp(quota=quota)) == 30
    assert DynamoTenants(Table(emulated_clients().dynamodb, name)).crawls_in("t", MONTH) == 20
    assert narrow.conflicts > 50
