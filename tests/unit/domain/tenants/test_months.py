from datetime import UTC, datetime

import pytest

from wavecrawl.domain.tenants.months import end_of_month, month_of, months_until


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("now", "month", "end"),
    [
        ("2026-11-01T00:00:00", "2026-11", "2026-12-01T00:00:00"),
        ("2026-12-31T23:59:59", "2026-12", "2027-01-01T00:00:00"),
        ("2028-02-29T12:00:00", "2028-02", "2028-03-01T00:00:00"),
    ],
)
def test_months_are_those_of_the_calendar(now: str, month: str, end: str) -> None:
    assert month_of(at(now)) == month
    assert end_of_month(at(now)) == at(end)


def test_months_are_counted_back_over_the_end_of_a_year() -> None:
    assert months_until(at("2027-02-28T23:59:59"), 4) == ["2027-02", "2027-01", "2026-12", "2026-11"]
