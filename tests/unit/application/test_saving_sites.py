"""Sites are created, updated and deleted, and their schedules follow."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.sites import OPERATED, OWN, WEEKLY, SiteDesk, site_desk
from tests.support.some_ports import some_ports

from wavecrawl.adapters.embedded.sites import SqliteSites
from wavecrawl.application.sites import change_site, create_site, delete_site, renew_schedules
from wavecrawl.bootstrap.local_settings import LocalSettings
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.tenant_settings import TenantSettings
from wavecrawl.errors import (
    ConflictError,
    InvalidSettingsError,
    InvalidUrlError,
    NotFoundError,
    OutdatedError,
    PlanLimitError,
    StoreBusyError,
)
from wavecrawl.ports.sites import SiteRow, Sites
from wavecrawl.ports.tenants import TenantRow

MONTHLY = Schedule(frequency=Frequency.MONTHLY)


@pytest.fixture(name="desk")
def a_desk(tmp_path: Path) -> Iterator[SiteDesk]:
    with site_desk(tmp_path) as opened:
        yield opened


def change(desk: SiteDesk, site: SiteRow, sites: Sites | None = None) -> SiteRow:
    return change_site(site, desk.site_ports(sites), OPERATED)


def delete(desk: SiteDesk, site: str) -> None:
    delete_site(OWN, site, desk.site_ports())


def test_a_new_site_is_stored_under_its_hosts_name_and_scheduled(desk: SiteDesk) -> None:
    site = desk.save("https://Example.com")
    assert site.site.startswith("example.com-")
    assert (site.version, site.created_at, site.changed_at) == (1, desk.clock.time, desk.clock.time)
    assert desk.sites.read(OWN, site.site) == site
    assert desk.scheduled() == {site.site: WEEKLY}


def test_a_url_is_saved_once(desk: SiteDesk) -> None:
    site = desk.save("https://example.com/")
    with pytest.raises(ConflictError, match=site.site):
        desk.save("https://EXAMPLE.com", schedule=MONTHLY)
    assert desk.scheduled() == {site.site: WEEKLY}


@pytest.mark.parametrize(
    ("url", "schedule", "error"),
    [
        ("ftp://example.com/", WEEKLY, InvalidUrlError),
        ("https://example.com/", Schedule(frequency=Frequency.CRON, cron="never"), InvalidSettingsError),
    ],
)
def test_what_does_not_hold_is_not_saved(desk: SiteDesk, url: str, schedule: Schedule, error: type[Exception]) -> None:
    with pytest.raises(error):
        desk.save(url, schedule=schedule)
    assert desk.sites.of_tenant(OWN, limit=9) == []
    assert desk.scheduled() == {}


def test_a_site_may_not_ask_for_more_than_its_tenants_plan(desk: SiteDesk) -> None:
    desk.tenants.create(TenantRow(tenant="t", name="t", plan=Plan.FREE))
    site = desk.save(tenant="t")
    with pytest.raises(PlanLimitError, match="50 pages"):
        change(desk, replace(site, settings=CrawlSettings(max_pages=51)))
    unnamed = change(desk, replace(site, settings=CrawlSettings(max_pages=1_000), named=frozenset()))
    assert unnamed.version == 2


def test_a_tenant_saves_no_more_sites_than_its_plan_has(desk: SiteDesk) -> None:
    desk.tenants.create(TenantRow(tenant="t", name="t", plan=Plan.FREE))
    sites = [desk.save(f"https://{number}.example/", tenant="t") for number in range(5)]
    with pytest.raises(PlanLimitError, match="plan free allows 5 saved sites") as caught:
        desk.save("https://5.example/", tenant="t")
    assert (caught.value.plan, caught.value.limit, caught.value.ceiling) == ("free", "max_sites", 5)
    assert len(desk.scheduled()) == 5
    with pytest.raises(ConflictError, match=sites[0].site):
        desk.save("https://0.example/", tenant="t")
    assert change(desk, replace(sites[0], name="Changed")).version == 2
    delete_site("t", sites[0].site, desk.site_ports())
    assert desk.save("https://5.example/", tenant="t").version == 1


def test_the_deployments_own_tenant_saves_as_many_sites_as_it_likes(desk: SiteDesk) -> None:
    assert len({desk.save(f"https://{number}.example/").site for number in range(9)}) == 9


def test_a_change_of_schedule_takes_effect_at_once(desk: SiteDesk) -> None:
    site = desk.save()
    desk.clock.time += 60.0
    changed = change(desk, replace(site, name="New", schedule=MONTHLY))
    assert (changed.version, changed.changed_at) == (2, desk.clock.time)
    assert desk.sites.read(OWN, site.site) == changed
    assert desk.scheduled() == {site.site: MONTHLY}
    change(desk, replace(changed, schedule=Schedule()))
    assert desk.scheduled() == {}


def test_a_change_of_an_outdated_version_is_refused(desk: SiteDesk) -> None:
    site = desk.save()
    change(desk, replace(site, schedule=MONTHLY))
    with pytest.raises(OutdatedError, match="get it again"):
        change(desk, replace(site, name="Late"))
    assert desk.scheduled() == {site.site: MONTHLY}


def test_saving_again_restores_a_lost_schedule(desk: SiteDesk) -> None:
    site = desk.save()
    desk.schedules.remove(OWN, site.site)
    change(desk, site)
    assert desk.scheduled() == {site.site: WEEKLY}


class Meanwhile:
    """Sites that another writer changes after each write, before the next read."""

    def __init__(self, sites: SqliteSites, *changes: SiteRow | None) -> None:
        self._sites = sites
        self._changes = list(changes)

    def __getattr__(self, name: str) -> object:
        return getattr(self._sites, name)

    def read(self, tenant: str, site: str) -> SiteRow | None:
        if self._changes:
            changed = self._changes.pop(0)
            if changed is None:
                self._sites.delete(tenant, site)
            else:
                self._sites.update(changed)
        return self._sites.read(tenant, site)


def test_of_two_changes_at_once_the_later_ones_schedule_stays(desk: SiteDesk) -> None:
    site = desk.save()
    quicker = replace(site, schedule=MONTHLY, version=3)
    sites = Meanwhile(desk.sites, quicker)
    change(desk, replace(site, name="Mine"), sites)  # type: ignore[arg-type]  # other attributes are the real one's
    assert desk.scheduled() == {site.site: MONTHLY}


def test_a_site_that_is_deleted_while_it_is_changed_has_no_schedule(desk: SiteDesk) -> None:
    site = desk.save()
    change(desk, replace(site, schedule=MONTHLY), Meanwhile(desk.sites, None))  # type: ignore[arg-type]  # as above
    assert desk.scheduled() == {}


def test_a_site_that_never_holds_still_is_said_to_be_busy(desk: SiteDesk) -> None:
    site = desk.save()
    changes = [replace(site, version=version) for version in range(3, 20)]
    with pytest.raises(StoreBusyError, match="again and again"):
        change(desk, site, Meanwhile(desk.sites, *changes))  # type: ignore[arg-type]  # as above


def test_a_deleted_site_is_started_by_nothing(desk: SiteDesk) -> None:
    site = desk.save()
    delete(desk, site.site)
    assert (desk.sites.read(OWN, site.site), desk.scheduled()) == (None, {})
    with pytest.raises(NotFoundError, match=site.site):
        delete(desk, site.site)


def test_a_site_with_a_cost_limit_is_refused_where_crawls_cost_nothing(desk: SiteDesk) -> None:
    site = desk.save("https://example.com")
    limited = replace(site, settings=CrawlSettings(budget_usd=0.5))
    with pytest.raises(InvalidSettingsError, match="budget_usd"):
        change_site(limited, desk.site_ports(), LocalSettings(tenant=OWN))
    assert change(desk, limited).settings.budget_usd == 0.5


def tenant_with(desk: SiteDesk, schedule: Schedule) -> TenantRow:
    """Store the default schedule of the tenant of all sites."""
    before = desk.tenants.read(OWN)
    row = TenantRow(
        tenant=OWN,
        name=OWN,
        plan=Plan.UNLIMITED,
        settings=TenantSettings(schedule=schedule),
        version=before.version + 1 if before else 1,
    )
    assert desk.tenants.update(row) if before else desk.tenants.create(row)
    return row


def inheriting(desk: SiteDesk, url: str = "https://example.com/", sites: Sites | None = None) -> SiteRow:
    """Save a site that has no schedule of its own."""
    new = SiteRow(tenant=OWN, site="", url=url, name="", settings=CrawlSettings(), inherits_schedule=True)
    return create_site(new, desk.site_ports(sites), OPERATED)


def test_a_site_without_a_schedule_of_its_own_has_each_default_of_its_tenant(desk: SiteDesk) -> None:
    tenant_with(desk, WEEKLY)
    site, own = inheriting(desk), desk.save("https://own.example/", schedule=WEEKLY)
    assert site.schedule == WEEKLY
    renew_schedules(tenant_with(desk, MONTHLY), desk.site_ports())
    assert desk.scheduled() == {site.site: MONTHLY, own.site: WEEKLY}
    stored = desk.sites.read(OWN, site.site)
    assert stored is not None
    assert (stored.schedule, stored.version) == (MONTHLY, 2)
    assert change(desk, replace(stored, name="New")).schedule == MONTHLY
    renew_schedules(tenant_with(desk, Schedule()), desk.site_ports())
    assert desk.scheduled() == {own.site: WEEKLY}


def test_a_site_takes_the_default_again(desk: SiteDesk) -> None:
    tenant_with(desk, MONTHLY)
    assert change(desk, replace(desk.save(), inherits_schedule=True)).schedule == MONTHLY


def test_a_default_that_changes_while_a_site_is_saved_applies(desk: SiteDesk) -> None:
    tenant_with(desk, WEEKLY)

    class Slow(Meanwhile):
        """The default changes while a site is stored; its request does not see the site yet."""

        def create(self, site: SiteRow, *, most: int | None = None) -> bool:
            renew_schedules(tenant_with(desk, MONTHLY), desk.site_ports())
            return self._sites.create(site, most=most)

    site = inheriting(desk, sites=Slow(desk.sites))  # type: ignore[arg-type]  # other attributes are the real one's
    assert (site.schedule, desk.scheduled()) == (MONTHLY, {site.site: MONTHLY})


def test_a_renewal_that_failed_is_repeated(desk: SiteDesk) -> None:
    tenant_with(desk, WEEKLY)
    sites = [inheriting(desk, f"https://{number}.example/") for number in range(3)]
    latest = tenant_with(desk, MONTHLY)

    class Failing:
        """A scheduler that is down."""

        def put(self, tenant: str, site: str, schedule: Schedule) -> None:
            raise StoreBusyError(f"cannot put {tenant} {site} {schedule.frequency}")

    down = some_ports(sites=desk.sites, schedules=Failing(), tenants=desk.tenants, clock=desk.clock)
    with pytest.raises(StoreBusyError, match="cannot put"):
        renew_schedules(latest, down)
    renew_schedules(latest, desk.site_ports())
    assert desk.scheduled() == {site.site: MONTHLY for site in sites}


def test_more_sites_than_one_request_can_renew_are_renewed_by_its_repeats(desk: SiteDesk) -> None:
    tenant_with(desk, WEEKLY)
    for number in range(5):
        inheriting(desk, f"https://{number}.example/")
    latest = tenant_with(desk, MONTHLY)

    class Slow(Meanwhile):
        """Each site takes 6 seconds, so that 3 fit into the 15 seconds of a request."""

        def update(self, site: SiteRow) -> bool:
            desk.clock.time += 6.0
            return self._sites.update(site)

    with pytest.raises(StoreBusyError, match="send the request again"):
        renew_schedules(latest, desk.site_ports(Slow(desk.sites)))  # type: ignore[arg-type]  # as above
    assert sorted(one.frequency for one in desk.scheduled().values()) == ["monthly"] * 3 + ["weekly"] * 2
    renew_schedules(latest, desk.site_ports(Slow(desk.sites)))  # type: ignore[arg-type]  # as above
    assert set(desk.scheduled().values()) == {MONTHLY}


@pytest.mark.parametrize("inherits", [True, False])
def test_a_site_that_is_changed_during_the_renewal_keeps_what_it_was_given(desk: SiteDesk, *, inherits: bool) -> None:
    tenant_with(desk, WEEKLY)
    site = inheriting(desk)
    daily = Schedule(frequency=Frequency.CRON, cron="0 3 * * *")

    class Contested(Meanwhile):
        """Another request changes the site after the renewal has read it."""

        def of_tenant(self, tenant: str, *, limit: int, after: str = "") -> list[SiteRow]:
            read = self._sites.of_tenant(tenant, limit=limit, after=after)
            for one in read:
                other = replace(one, name="Other", schedule=daily, inherits_schedule=inherits)
                change_site(other, desk.site_ports(), OPERATED)
            return read

    latest = tenant_with(desk, MONTHLY)
    renew_schedules(latest, desk.site_ports(Contested(desk.sites)))  # type: ignore[arg-type]  # as above
    stored = desk.sites.read(OWN, site.site)
    assert stored is not None
    assert stored.name == "Other"
    assert {site.site: stored.schedule} == desk.scheduled() == {site.site: MONTHLY if inherits else daily}


def test_a_site_that_is_deleted_during_the_renewal_has_no_schedule(desk: SiteDesk) -> None:
    tenant_with(desk, WEEKLY)
    site = inheriting(desk)

    class Deleted(Meanwhile):
        def update(self, new: SiteRow) -> bool:
            delete(desk, new.site)
            return self._sites.update(new)

    latest = tenant_with(desk, MONTHLY)
    renew_schedules(latest, desk.site_ports(Deleted(desk.sites)))  # type: ignore[arg-type]  # as above
    assert (desk.sites.read(OWN, site.site), desk.scheduled()) == (None, {})


def test_a_renewal_ends_if_the_site_never_holds_still(desk: SiteDesk) -> None:
    tenant_with(desk, WEEKLY)
    inheriting(desk)

    class Refusing(Meanwhile):
        def update(self, new: SiteRow) -> bool:  # noqa: ARG002 - another request is always faster
            return False

    latest = tenant_with(desk, MONTHLY)
    with pytest.raises(StoreBusyError, match="again and again"):
        renew_schedules(latest, desk.site_ports(Refusing(desk.sites)))  # type: ignore[arg-type]  # as above
