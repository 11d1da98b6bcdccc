import pytest
from msgspec import structs

from wavecrawl.domain.crawl.bill import PRICES, UNITS, Usage, pages_within, priced

MILLION = 1_000_000.0


def test_usage_adds_up_unit_by_unit() -> None:
    total = Usage(puts=1.0, gets=2.0) + Usage(gets=0.5, transitions=3.0)
    assert total == Usage(puts=1.0, gets=2.5, transitions=3.0)
    assert Usage() + total == total + Usage() == total
    assert not Usage()
    assert total


@pytest.mark.parametrize(
    ("usage", "dollars", "service"),
    [
        (Usage(lambda_gb_seconds=MILLION), 13.3334, "Lambda"),
        (Usage(lambda_x86_gb_seconds=MILLION), 16.6667, "Lambda"),
        (Usage(lambda_requests=MILLION), 0.20, "Lambda"),
        (Usage(queue_requests=MILLION), 0.40, "SQS"),
        (Usage(write_units=MILLION), 0.625, "DynamoDB"),
        (Usage(read_units=MILLION), 0.125, "DynamoDB"),
        (Usage(puts=1_000.0), 0.005, "S3"),
        (Usage(gets=1_000.0), 0.0004, "S3"),
        (Usage(transitions=1_000.0), 0.025, "Step Functions"),
        (Usage(api_requests=MILLION), 1.0, "API Gateway"),
        (Usage(gigabytes_out=1.0), 0.09, "Data transfer"),
    ],
)
def test_each_unit_has_its_price(usage: Usage, dollars: float, service: str) -> None:
    bill = priced(usage)
    assert bill.total == pytest.approx(dollars)
    assert {name: cost for name, cost in bill.services.items() if cost} == {service: pytest.approx(dollars)}
    assert bill.per_million_pages == 0.0


def test_time_on_both_processors_is_one_line_of_the_bill() -> None:
    bill = priced(Usage(lambda_gb_seconds=MILLION, lambda_x86_gb_seconds=MILLION, lambda_requests=MILLION))
    assert bill.services["Lambda"] == pytest.approx(13.3334 + 16.6667 + 0.20)


def test_every_unit_is_priced_from_a_named_source() -> None:
    assert tuple(PRICES) == UNITS == tuple(structs.asdict(Usage()))
    assert all(price.source.startswith("https://aws.amazon.com/") for price in PRICES.values())


def test_a_bill_is_stated_per_million_pages() -> None:
    bill = priced(Usage(write_units=2_400.0, puts=100.0), pages=1_000)
    assert bill.services["DynamoDB"] == pytest.approx(0.0015)
    assert bill.per_million_pages == pytest.approx((0.0015 + 0.0005) / 1_000 * 1e6)


def test_a_budget_pays_for_pages_at_the_price_of_those_before() -> None:
    hundred = Usage(write_units=MILLION)  # 0.625 dollars for 100 pages
    assert pages_within(1.25, usage=hundred, pages=100) == 100
    assert pages_within(0.625, usage=hundred, pages=100) == 0
    assert pages_within(0.1, usage=hundred, pages=100) == 0


def test_a_budget_lasts_where_nothing_is_billed() -> None:
    assert [pages_within(3e-3, usage=Usage(), pages=pages) for pages in (49, 50, 1_000_000)] == [1_000] * 3


def test_a_budget_without_pages_goes_by_the_typical_page() -> None:
    assert pages_within(3e-3, usage=Usage(), pages=0) == 1_000
    dear = Usage(write_units=1_600.0)  # 0.001 dollars for 2 pages, most of it for the start
    assert pages_within(0.002, usage=dear, pages=2) == 50
