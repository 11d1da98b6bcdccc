"""The spending in AWS. One machine has none."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.contract.stores import ADAPTERS

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.spending import NoSpending

MONTH = "2026-11"


@pytest.fixture(params=sorted(name for name in ADAPTERS if name.startswith("aws")), name="ports")
def ports_in_aws(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ports]:
    with ADAPTERS[request.param](tmp_path) as opener:
        yield opener()


def test_costs_are_added_up_by_tenant_and_for_all(ports: Ports, crawl: CrawlId) -> None:
    ports.spending.charge(crawl, 0.25, month=MONTH)
    ports.spending.charge(replace(crawl, tenant="u"), 0.5, month=MONTH)
    assert ports.spending.spent(MONTH, crawl.tenant) == 0.25
    assert ports.spending.spent(MONTH, "u") == 0.5
    assert ports.spending.spent(MONTH) == 0.75
    assert ports.spending.spent("2026-12") == ports.spending.spent(MONTH, "nobody") == 0.0


def test_a_crawl_is_charged_with_what_it_cost_since_the_last_time(ports: Ports, crawl: CrawlId) -> None:
    for usd in (0.25, 0.25, 0.75, 0.5):  # a repeat, a rise, and a late report of less
        ports.spending.charge(crawl, usd, month=MONTH)
    assert ports.spending.spent(MONTH) == 0.75
    ports.spending.charge(crawl, 1.0, month="2026-12")
    assert (ports.spending.spent(MONTH), ports.spending.spent("2026-12")) == (0.75, 0.25)


def test_the_sum_of_a_month_is_beside_the_number_of_its_crawls(ports: Ports, crawl: CrawlId) -> None:
    ports.spending.charge(crawl, 0.25, month=MONTH)
    assert ports.tenants.crawls_in(crawl.tenant, MONTH) == 0


def test_one_machine_spends_nothing(crawl: CrawlId) -> None:
    spending = NoSpending()
    spending.charge(crawl, 1.0, month=MONTH)
    assert spending.spent(MONTH) == spending.spent(MONTH, crawl.tenant) == 0.0
