"""The limits of a plan, checked when a crawl is requested."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.some_ports import some_ports
from tests.support.still_clock import StillClock

from wavecrawl.adapters.embedded.crawls import SqliteCrawls
from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.folder import FolderObjects
from wavecrawl.adapters.embedded.tenants import SqliteTenants
from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.application.request_crawl import CrawlRequest, request_crawl
from wavecrawl.application.tenants import TenantChange, TenantUsage, change_tenant, create_tenant, usage_of
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.tenants.months import months_until
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.tenant_settings import TenantSettings
from wavecrawl.errors import (
    ConflictError,
    ForbiddenError,
    InvalidInputError,
    InvalidSettingsError,
    NotFoundError,
    PlanLimitError,
    QuotaExceededError,
)
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.spending import NoSpending
from wavecrawl.ports.tenants import TenantRow

NOVEMBER_30 = 1_795_996_800.0  # 2026-11-30T00:00:00Z
DECEMBER = NOVEMBER_30 + 86_400.0


class Desk:
    """The ports for requesting crawls: a still clock and a launcher that records crawls."""

    def __init__(self, folder: Path) -> None:
        self.database = Database(folder / "db.sqlite")
        self.crawls = SqliteCrawls(self.database)
        self.objects = FolderObjects(folder)
        self.tenants = SqliteTenants(self.database)
        self.clock = StillClock(NOVEMBER_30)
        self.launched: list[str] = []

    def launch(self, crawl: CrawlId) -> None:
        self.launched.append(crawl.crawl)

    def ask(self, number: int, *, tenant: str = "acme", pages: int = 50, named: bool = True, **limits: Any) -> CrawlRow:
        id_ = CrawlId(tenant=tenant, site=f"s{number}", crawl=f"c{number}")
        settings = CrawlSettings(max_pages=pages, **limits)
        names = frozenset({"max_pages", *limits}) if named else frozenset()
        request = CrawlRequest(url=f"https://{number}.example/", settings=settings, named=names)
        ports = some_ports(
            crawls=self.crawls, objects=self.objects, launcher=self, clock=self.clock, tenants=self.tenants
        )
        return request_crawl(id_, request, ports, OperatorSettings(tenant="own"))

    def book(self, plan: Plan, pages: int | None = None) -> None:
        create_tenant("acme", name="", plan=plan, tenants=self.tenants, now=NOVEMBER_30)
        self.change(settings=TenantSettings(max_pages=pages))

    def change(self, tenant: str = "acme", **what: object) -> TenantRow:
        change = TenantChange(**what)  # type: ignore[arg-type]  # as the tests name them
        return change_tenant(tenant, change, tenants=self.tenants, own="own", now=NOVEMBER_30)


@pytest.fixture(name="desk")
def a_desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.database.close()


def test_more_pages_than_the_plan_has_are_refused_by_name(desk: Desk) -> None:
    desk.book(Plan.FREE)
    with pytest.raises(PlanLimitError, match=r"plan free allows 50 pages per crawl, not 51") as caught:
        desk.ask(1, pages=51)
    error = caught.value
    assert (error.plan, error.limit, error.ceiling, desk.launched) == ("free", "max_pages", 50, [])
    assert desk.tenants.crawls_in("acme", "2026-11") == 0
    assert desk.ask(1, pages=50).settings.max_pages == 50


@pytest.mark.parametrize(
    ("asked", "message", "allowed"),
    [
        ({"max_tries": 501}, "plan free allows 500 tries per crawl, not 501; set max_tries", {"max_tries": 500}),
        (
            {"budget_usd": 0.06},
            r"plan free allows 0\.05 dollars per crawl, not 0\.06",
            {"budget_usd": 0.05},
        ),
    ],
)
def test_more_tries_or_dollars_than_the_plan_has_are_refused_by_name(
    desk: Desk, asked: dict[str, Any], message: str, allowed: dict[str, Any]
) -> None:
    desk.book(Plan.FREE)
    with pytest.raises(PlanLimitError, match=message) as caught:
        desk.ask(1, **asked)
    assert ({caught.value.limit: caught.value.ceiling}, desk.launched) == (allowed, [])
    desk.ask(1, **allowed)
    assert desk.launched == ["c1"]


def test_who_names_no_tries_and_no_dollars_gets_those_of_the_plan(desk: Desk) -> None:
    desk.book(Plan.PRO)
    settings = desk.ask(1).settings
    assert (settings.max_pages, settings.max_tries, settings.budget_usd) == (50, 10_000, 1.0)
    fewer = desk.ask(2, max_tries=70, budget_usd=0.5).settings
    assert (fewer.max_tries, fewer.budget_usd) == (70, 0.5)
    free = desk.ask(3, tenant="own").settings
    assert (free.max_tries, free.budget_usd) == (0, 0.0)


@pytest.mark.parametrize(
    ("plan", "own", "pages"),
    [
        (Plan.FREE, None, 50),
        (Plan.FREE, 20, 20),
        (Plan.FREE, 300, 50),
        (Plan.PRO, None, 1_000),
        (Plan.ADVANCED, None, 1_000),
        (Plan.ADVANCED, 3_000, 3_000),
        (Plan.UNLIMITED, None, 1_000),
    ],
)
def test_who_names_no_pages_gets_the_tenants_as_far_as_the_plan_goes(
    desk: Desk, plan: Plan, own: int | None, pages: int
) -> None:
    desk.book(plan, own)
    assert desk.ask(1, pages=1_000, named=False).settings.max_pages == pages


def test_a_used_up_month_is_refused_until_the_next(desk: Desk) -> None:
    desk.book(Plan.FREE)
    for number in range(5):
        desk.ask(number)
    with pytest.raises(QuotaExceededError, match=r"the quota of 5 crawls in 2026-11 is used up") as caught:
        desk.ask(5)
    assert (caught.value.resets_at, caught.value.wait) == (DECEMBER, 86_400.0)
    assert desk.launched == ["c0", "c1", "c2", "c3", "c4"]
    desk.clock.time = DECEMBER
    desk.ask(5)
    assert [desk.tenants.crawls_in("acme", month) for month in ("2026-11", "2026-12")] == [5, 1]


def test_a_better_plan_counts_at_once(desk: Desk) -> None:
    desk.book(Plan.FREE)
    for number in range(5):
        desk.ask(number)
    desk.change(plan=Plan.STARTER)
    desk.ask(5, pages=200)
    assert usage_of("acme", tenants=desk.tenants, spending=NoSpending(), own="own", now=NOVEMBER_30) == TenantUsage(
        tenant="acme",
        plan=Plan.STARTER,
        month="2026-11",
        crawls=6,
        months={**dict.fromkeys(months_until(NOVEMBER_30, 12), 0), "2026-11": 6},
        crawls_a_month=20,
        max_pages=200,
        max_tries=2_000,
        max_requests=2_000,
        spent_usd=0.0,
        budget_usd_a_month=None,
        budget_usd=0.2,
        max_sites=20,
        max_list_urls=4_000,
        maximums={
            "polite.in_flight": 10,
            "limits.max_bytes": 10 * 1024**2,
            "limits.max_decoded_bytes": 20 * 1024**2,
            "max_links": 100_000,
            "render.max_crawl_bytes": 2_000_000_000,
            "max_frontier": 100_000,
            "sitemaps.max_files": 1_000,
            "sitemaps.max_listed": 50_000,
            "checks.max_urls": 2_000,
            "media.max_assets": 2_000,
            "archive.max_resources": 2_000,
        },
        resets_at=DECEMBER,
    )


def test_the_deployments_own_tenant_has_no_bounds_unless_given_some(desk: Desk) -> None:
    for number in range(6):
        desk.ask(number, tenant="own", pages=1_000_000)
    assert desk.tenants.crawls_in("own", "2026-11") == 6
    assert desk.change("own", plan=Plan.FREE) == desk.tenants.read("own")
    with pytest.raises(QuotaExceededError):
        desk.ask(6, tenant="own")


def test_a_disabled_tenant_starts_nothing(desk: Desk) -> None:
    desk.book(Plan.PRO)
    desk.change(disabled=True)
    with pytest.raises(ForbiddenError, match="tenant acme is disabled"):
        desk.ask(1)
    assert desk.launched == []


def test_a_missing_tenant_cannot_crawl(desk: Desk) -> None:
    with pytest.raises(NotFoundError, match="there is no tenant acme"):
        desk.ask(1)


@pytest.mark.parametrize("id_", ["", "a/b", "a#b", "a" * 3_000])
def test_what_is_no_id_is_not_looked_up(desk: Desk, id_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk.tenants, "read", lambda _: 1 / 0)
    with pytest.raises(NotFoundError, match="there is no tenant"):
        usage_of(id_, tenants=desk.tenants, spending=NoSpending(), own="own", now=NOVEMBER_30)


@pytest.mark.parametrize("id_", ["", "-a", "A", "a/b", "a#b", "a" * 64, "ä"])
def test_ids_of_tenants_fit_keys_and_paths(desk: Desk, id_: str) -> None:
    with pytest.raises(InvalidInputError, match="tenant: must be 1 to 63"):
        create_tenant(id_, name="n", plan=Plan.FREE, tenants=desk.tenants, now=0.0)


def test_an_id_is_given_once(desk: Desk) -> None:
    desk.book(Plan.FREE)
    with pytest.raises(ConflictError, match="tenant acme already exists"):
        create_tenant("acme", name="n", plan=Plan.PRO, tenants=desk.tenants, now=0.0)


def test_a_tenants_name_is_for_people(desk: Desk) -> None:
    with pytest.raises(InvalidInputError, match="name: must be"):
        create_tenant("b", name="line\nbreak", plan=Plan.PRO, tenants=desk.tenants, now=0.0)


def test_settings_must_fit_the_plan(desk: Desk) -> None:
    desk.book(Plan.FREE)
    with pytest.raises(InvalidSettingsError, match="max_pages must be between 10 and 500"):
        desk.change(settings=TenantSettings(max_pages=600))
    assert desk.change(plan=Plan.PRO, settings=TenantSettings(max_pages=600)).settings.max_pages == 600


def test_a_change_leaves_the_rest_as_it_is(desk: Desk) -> None:
    desk.book(Plan.PRO, 700)
    row = desk.change(name="Acme West")
    assert row == TenantRow(
        tenant="acme",
        name="Acme West",
        plan=Plan.PRO,
        settings=TenantSettings(max_pages=700),
        created_at=NOVEMBER_30,
        version=3,
    )
    assert desk.tenants.read("acme") == row


def test_an_update_after_a_concurrent_one_is_refused(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.book(Plan.PRO)
    stale = desk.tenants.read("acme")
    desk.change(name="first")
    monkeypatch.setattr(desk.tenants, "read", lambda _: stale)
    with pytest.raises(ConflictError, match="changed by another request"):
        desk.change(name="second")
