"""The monthly quota is exact under parallel requests."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import replace

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.crawls import CrawlRow, Quota, UsedUp

MONTH = "2026-11"
TWO = Quota(month=MONTH, limit=2)


def row(tenant: str, number: int) -> CrawlRow:
    id_ = CrawlId(tenant=tenant, site=f"{number}.example", crawl=f"c{number}")
    return CrawlRow(id=id_, start_url="https://example.com/", root_url="", settings=CrawlSettings(), started_at=5.0)


def test_a_month_is_used_up_by_its_crawls(stores: Ports) -> None:
    assert [stores.crawls.create(row("t", number), quota=TWO) for number in range(3)] == [None, None, UsedUp(quota=TWO)]
    assert stores.tenants.crawls_in("t", MONTH) == 2
    assert stores.crawls.read(row("t", 2).id) is None
    assert stores.crawls.find("t", "c2") is None


def test_what_is_refused_leaves_the_site_free(stores: Ports) -> None:
    for number in range(3):
        stores.crawls.create(row("t", number), quota=TWO)
    assert stores.crawls.create(row("t", 2), quota=Quota(month="2026-12", limit=2)) is None


def test_months_and_tenants_count_apart(stores: Ports) -> None:
    one = Quota(month=MONTH, limit=1)
    assert stores.crawls.create(row("t", 0), quota=one) is None
    assert stores.crawls.create(row("u", 0), quota=one) is None
    assert stores.crawls.create(row("t", 1), quota=Quota(month="2026-12", limit=1)) is None
    assert [stores.tenants.crawls_in("t", month) for month in (MONTH, "2026-12", "2027-01")] == [1, 1, 0]


def test_a_crawl_that_another_one_keeps_off_is_not_counted(stores: Ports) -> None:
    stores.crawls.create(row("t", 0), quota=TWO)
    second = replace(row("t", 0), id=replace(row("t", 0).id, crawl="c9"))
    assert stores.crawls.create(second, quota=TWO) == "c0"
    assert stores.tenants.crawls_in("t", MONTH) == 1


@pytest.mark.parametrize("ended", [False, True])
def test_asking_for_the_same_crawl_again_is_not_counted(stores: Ports, ended: bool) -> None:  # noqa: FBT001
    once = Quota(month=MONTH, limit=1)
    stores.crawls.create(row("t", 0), quota=once)
    if ended:
        stores.crawls.finish(row("t", 0).id, status=CrawlStatus.COMPLETED, now=9.0)
    assert stores.crawls.create(row("t", 0), quota=once) == "c0"
    assert stores.tenants.crawls_in("t", MONTH) == 1


def test_a_running_crawl_is_reported_before_the_quota(stores: Ports) -> None:
    once = Quota(month=MONTH, limit=1)
    stores.crawls.create(row("t", 0), quota=once)
    second = replace(row("t", 0), id=replace(row("t", 0).id, crawl="c9"))
    assert stores.crawls.create(second, quota=once) == "c0"


def test_without_a_limit_crawls_are_counted_all_the_same(stores: Ports) -> None:
    for number in range(3):
        assert stores.crawls.create(row("t", number), quota=Quota(month=MONTH, limit=None)) is None
    assert stores.tenants.crawls_in("t", MONTH) == 3


def test_without_a_quota_nothing_is_counted(stores: Ports) -> None:
    stores.crawls.create(row("t", 0))
    assert stores.tenants.crawls_in("t", MONTH) == 0


def test_of_fifty_starts_at_once_as_many_pass_as_are_left(another: Callable[[], Ports]) -> None:
    workers = [another() for _ in range(5)]
    twenty = Quota(month=MONTH, limit=20)
    with ThreadPoolExecutor(50) as pool:
        jobs = [pool.submit(workers[n % 5].crawls.create, row("t", n), quota=twenty) for n in range(50)]
        answers = [job.result() for job in jobs]
    assert answers.count(None) == 20
    assert answers.count(UsedUp(quota=twenty)) == 30
    assert workers[0].tenants.crawls_in("t", MONTH) == 20
    assert len(workers[0].crawls.of_tenant("t", limit=99)) == 20


def test_of_fifty_starts_of_one_site_at_once_one_is_counted(another: Callable[[], Ports]) -> None:
    workers = [another() for _ in range(5)]
    rows = [replace(row("t", 0), id=replace(row("t", 0).id, crawl=f"c{n}")) for n in range(50)]
    quota = Quota(month=MONTH, limit=40)
    with ThreadPoolExecutor(50) as pool:
        jobs = [pool.submit(workers[n % 5].crawls.create, rows[n], quota=quota) for n in range(50)]
        answers = [job.result() for job in jobs]
    assert answers.count(None) == 1
    assert workers[0].tenants.crawls_in("t", MONTH) == 1
