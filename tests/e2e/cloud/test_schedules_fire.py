"""Schedules of the deployed service: EventBridge Scheduler invokes the function, which starts the crawl."""

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace
from tests.support.cloud import Service
from tests.support.emulator import CREDENTIALS
from tests.support.functions import environment_of
from tests.support.patience import eventually
from tests.support.plain_site import plain_site

from wavecrawl.adapters.aws.schedules import schedule_name
from wavecrawl.application.sites import change_site, create_site, delete_site
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.ports.sites import SiteRow

WEEKLY = Schedule(frequency=Frequency.WEEKLY)
EVERY_MINUTE = Schedule(frequency=Frequency.CRON, cron="* * * * *")
QUICK = CrawlSettings(polite=PoliteSettings(interval=0.0, adapt=False))


class Desk:
    """The stores of the deployment, configured as for the API."""

    def __init__(self, service: Service) -> None:
        functions = service.deployment.client("lambda")
        configuration = functions.get_function_configuration(FunctionName=service.deployment.function("api"))
        self.cloud = Cloud(CloudSettings.from_env(configuration["Environment"]["Variables"]))
        self.scheduler = service.deployment.client("scheduler")

    def save(self, url: str, schedule: Schedule = WEEKLY) -> SiteRow:
        """Save a site."""
        new = SiteRow(tenant="default", site="", url=url, name="", settings=QUICK, schedule=schedule)
        return create_site(new, self.cloud, self.cloud.settings)

    def change(self, site: SiteRow, schedule: Schedule) -> SiteRow:
        """Change a site's schedule."""
        return change_site(replace(site, schedule=schedule), self.cloud, self.cloud.settings)

    def delete(self, site: SiteRow) -> None:
        """Delete a site."""
        delete_site("default", site.site, self.cloud)

    def reschedule(self, site: SiteRow, expression: str) -> None:
        """Give a site's schedule an expression that the API does not accept. The rest of the schedule stays."""
        group = self.cloud.settings.schedule_group
        put = self.scheduler.get_schedule(Name=schedule_name("default", site.site), GroupName=group)
        kept = {name: put[name] for name in ("Name", "GroupName", "FlexibleTimeWindow", "Target")}
        self.scheduler.update_schedule(**kept, ScheduleExpression=expression)

    def scheduled(self, sites: list[SiteRow]) -> set[str]:
        """Return which of the sites have a schedule."""
        group = self.cloud.settings.schedule_group
        pages = self.scheduler.get_paginator("list_schedules").paginate(GroupName=group)
        names = {one["Name"] for page in pages for one in page["Schedules"]}
        return {site.site for site in sites if schedule_name("default", site.site) in names}

    def crawls(self, site: SiteRow) -> list[str]:
        """Return the crawls of a site."""
        return [row.id.crawl for row in self.cloud.crawls.of_tenant("default", limit=100) if row.id.site == site.site]

    def first_crawl(self, site: SiteRow) -> str:
        """Wait until a site is crawled."""
        assert eventually(lambda: self.crawls(site), poll=0.5), f"no crawl of {site.url} was started"
        return self.crawls(site)[-1]


@pytest.fixture(name="desk")
def the_desk(service: Service) -> Iterator[Desk]:
    with environment_of({**CREDENTIALS, "AWS_ENDPOINT_URL": service.deployment.endpoint}):
        desk = Desk(service)
        yield desk
        desk.cloud.clients.close()


def minute() -> int:
    """Return how many minutes have begun since 1970."""
    return int(time.time() // 60)


def servers(stack: ExitStack, count: int) -> list[str]:
    """Serve `count` sites. Return their URLs."""
    sites = [SiteServer(plain_site(pages=3, body_bytes=500, links_per_page=2)) for _ in range(count)]
    return [stack.enter_context(site).url for site in sites]


def test_schedules_of_every_kind_start_their_sites_and_changes_take_effect_at_once(
    service: Service, desk: Desk
) -> None:
    with ExitStack() as stack:
        at, rate, cron, manual = sites = [desk.save(url) for url in servers(stack, 4)]
        assert desk.scheduled(sites) == {site.site for site in sites}
        soon = datetime.now(tz=UTC) + timedelta(seconds=5)
        desk.reschedule(at, f"at({soon:%Y-%m-%dT%H:%M:%S})")
        desk.reschedule(rate, "rate(1 minute)")
        cron = desk.change(cron, EVERY_MINUTE)
        begun = minute()
        manual = desk.change(desk.change(manual, EVERY_MINUTE), Schedule())
        meanwhile = minute() - begun  # nearly always 0
        started = {site.url: desk.first_crawl(site) for site in (at, rate, cron)}
        for crawl in started.values():
            shown = service.wait_for(crawl)
            assert (shown["status"], shown["counters"]["fetched"]) == ("completed", 3)
        assert len(desk.crawls(manual)) <= meanwhile
        for site in sites:
            desk.delete(site)
        assert desk.scheduled(sites) == set()


def test_an_event_on_the_bus_starts_a_saved_site(service: Service, desk: Desk) -> None:
    with ExitStack() as stack:
        site = desk.save(servers(stack, 1)[0], Schedule())
        service.deployment.client("events").put_events(
            Entries=[
                {
                    "Source": "crawler.example",
                    "DetailType": "crawl.requested",
                    "Detail": json.dumps({"site": site.site}),
                    "EventBusName": service.deployment.outputs["BusName"],
                }
            ]
        )
        assert service.wait_for(desk.first_crawl(site))["status"] == "completed"
        desk.delete(site)
