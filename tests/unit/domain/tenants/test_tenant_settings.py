import pytest

from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.tenant_settings import TenantSettings
from wavecrawl.errors import InvalidSettingsError


@pytest.mark.parametrize(
    ("plan", "pages"),
    [
        (Plan.FREE, None),
        (Plan.FREE, 10),
        (Plan.FREE, 500),
        (Plan.PRO, 1_000),
        (Plan.PREMIUM, 25_000),
        (Plan.UNLIMITED, 3_000_000),
    ],
)
def test_a_tenants_page_limit_holds_within_the_bounds(plan: Plan, pages: int | None) -> None:
    settings = TenantSettings(max_pages=pages)
    assert settings.validated(plan) is settings


@pytest.mark.parametrize(
    ("plan", "pages", "most"),
    [
        (Plan.FREE, 9, "500"),
        (Plan.FREE, 501, "500"),
        (Plan.PRO, 1_001, "1,000"),
        (Plan.UNLIMITED, 100_000_001, "100,000,000"),
    ],
)
def test_a_page_limit_out_of_bounds_is_refused(plan: Plan, pages: int, most: str) -> None:
    with pytest.raises(InvalidSettingsError, match=f"^max_pages must be between 10 and {most}: {pages}$"):
        TenantSettings(max_pages=pages).validated(plan)


def test_every_problem_is_named() -> None:
    settings = TenantSettings(max_pages=1, schedule=Schedule(frequency=Frequency.CRON, cron="61 * * * *"))
    with pytest.raises(InvalidSettingsError) as caught:
        settings.validated(Plan.PRO)
    assert [problem.split()[0] for problem in caught.value.problems] == ["max_pages", "schedule.cron"]
