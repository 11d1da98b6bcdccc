"""Crawls of saved sites: started on request, by a schedule, or not at all."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.sites import OPERATED, OWN, SiteDesk, site_desk

from wavecrawl.application.start_site import Skip, start_scheduled, start_site, try_start_site
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.errors import CrawlRunningError, NotDeployedError, NotFoundError, StoreBusyError
from wavecrawl.ports.sites import SiteRow
from wavecrawl.ports.tenants import TenantRow


@pytest.fixture(name="desk")
def a_desk(tmp_path: Path) -> Iterator[SiteDesk]:
    with site_desk(tmp_path) as opened:
        yield opened


def crawl_of(site: SiteRow, crawl: str = "c1") -> CrawlId:
    return CrawlId(tenant=site.tenant, site=site.site, crawl=crawl)


def finish(desk: SiteDesk, crawl: CrawlId) -> None:
    desk.crawls.finish(crawl, status=CrawlStatus.COMPLETED, now=desk.clock.time)


def test_a_site_is_crawled_with_its_own_settings_and_the_operators(desk: SiteDesk) -> None:
    site = desk.save()
    row = start_site(crawl_of(site), desk.ports, OPERATED)
    assert desk.crawls.read(crawl_of(site)) == row
    assert (row.start_url, row.settings.max_pages) == ("https://example.com/", 7)
    assert (row.settings.contact, row.settings.waves.lease) == ("https://crawler.example/", 60.0)
    assert row.settings.allowed_addresses == ("127.0.0.0/8",)
    assert desk.launches.crawls == [crawl_of(site)]


def test_a_missing_site_cannot_be_started(desk: SiteDesk) -> None:
    with pytest.raises(NotFoundError, match="there is no site s"):
        start_site(CrawlId(tenant=OWN, site="s", crawl="c1"), desk.ports, OPERATED)


def test_a_failed_start_reports_its_reason(desk: SiteDesk) -> None:
    site = desk.save()
    start_site(crawl_of(site), desk.ports, OPERATED)
    with pytest.raises(CrawlRunningError):
        start_site(crawl_of(site, "c2"), desk.ports, OPERATED)


def test_a_site_that_is_due_is_started_once_for_each_id(desk: SiteDesk) -> None:
    site = desk.save()
    assert start_scheduled(crawl_of(site), desk.ports, OPERATED) is None
    finish(desk, crawl_of(site))
    assert start_scheduled(crawl_of(site), desk.ports, OPERATED) is None
    assert [row.id.crawl for row in desk.crawls.of_tenant(OWN, limit=9)] == ["c1"]


def test_a_site_that_is_being_crawled_is_left_out(desk: SiteDesk) -> None:
    site = desk.save()
    start_scheduled(crawl_of(site), desk.ports, OPERATED)
    assert start_scheduled(crawl_of(site, "c2"), desk.ports, OPERATED) is Skip.RUNNING
    assert desk.crawls.read(crawl_of(site, "c2")) is None


def test_a_used_up_month_is_no_error(desk: SiteDesk) -> None:
    desk.tenants.create(TenantRow(tenant="t", name="t", plan=Plan.FREE))
    site = desk.save(tenant="t")
    skips = []
    for number in range(6):
        skips.append(start_scheduled(crawl_of(site, f"c{number}"), desk.ports, OPERATED))
        finish(desk, crawl_of(site, f"c{number}"))
    assert skips == [None] * 5 + [Skip.USED_UP]


def test_a_plan_that_shrank_starts_nothing_beyond_it(desk: SiteDesk) -> None:
    desk.tenants.create(TenantRow(tenant="t", name="t", plan=Plan.FREE))
    site = desk.save(tenant="t")
    desk.sites.update(replace(site, settings=CrawlSettings(max_pages=51), version=2))
    assert start_scheduled(crawl_of(site), desk.ports, OPERATED) is Skip.BEYOND_PLAN


def test_a_disabled_tenants_sites_rest(desk: SiteDesk) -> None:
    tenant = TenantRow(tenant="t", name="t", plan=Plan.PRO)
    desk.tenants.create(tenant)
    site = desk.save(tenant="t")
    assert desk.tenants.update(replace(tenant, disabled=True, version=tenant.version + 1))
    assert start_scheduled(crawl_of(site), desk.ports, OPERATED) is Skip.DISABLED


def test_settings_that_no_longer_hold_are_left_out(desk: SiteDesk) -> None:
    site = desk.save()
    desk.sites.update(replace(site, url="ftp://example.com/", version=2))
    assert start_scheduled(crawl_of(site), desk.ports, OPERATED) is Skip.REFUSED


def test_an_outdated_schedule_is_skipped_and_removed(desk: SiteDesk) -> None:
    site = desk.save()
    desk.sites.update(replace(site, schedule=Schedule(), version=2))
    assert start_scheduled(crawl_of(site), desk.ports, OPERATED) is Skip.UNSCHEDULED
    assert desk.scheduled() == {}
    other = desk.save("https://other.example/")
    desk.sites.delete(OWN, other.site)
    assert start_scheduled(crawl_of(other), desk.ports, OPERATED) is Skip.UNKNOWN
    assert desk.scheduled() == {}


def test_an_event_starts_sites_that_have_no_schedule(desk: SiteDesk) -> None:
    site = desk.save(schedule=Schedule())
    assert try_start_site(crawl_of(site), desk.ports, OPERATED) is None
    assert try_start_site(CrawlId(tenant=OWN, site="s", crawl="c"), desk.ports, OPERATED) is Skip.UNKNOWN
    assert desk.launches.crawls == [crawl_of(site)]


def test_a_missing_store_is_no_missing_site(desk: SiteDesk) -> None:
    site = desk.save()
    desk.launches.error = NotDeployedError("the table is not deployed")
    with pytest.raises(NotDeployedError):
        try_start_site(crawl_of(site), desk.ports, OPERATED)


def test_what_may_work_later_is_an_error_to_try_again(desk: SiteDesk) -> None:
    site = desk.save()
    desk.launches.error = StoreBusyError("not now")
    with pytest.raises(StoreBusyError):
        start_scheduled(crawl_of(site), desk.ports, OPERATED)
