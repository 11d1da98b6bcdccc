"""The function start_site on its sample events, over moto."""

from dataclasses import replace
from typing import Any

import pytest
from tests.support.functions import Context, Deployment, event

from wavecrawl.adapters.aws.schedules import schedule_name
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.errors import InvalidInputError
from wavecrawl.ports.sites import SiteRow

DUE, REQUESTED = event("start_site"), event("start_site_eventbridge")
SITE = SiteRow(
    tenant="default",
    site=DUE["site"],
    url="https://site.example/",
    name="",
    settings=CrawlSettings(max_pages=7),
    schedule=Schedule(frequency=Frequency.WEEKLY),
)


@pytest.fixture(name="function")
def the_function(stack: Deployment) -> Any:
    return stack.load("start_site")


def finish(function: Any, site: SiteRow = SITE) -> None:
    """End all crawls of the site."""
    for row in function.cloud.crawls.of_tenant(site.tenant, limit=100):
        function.cloud.crawls.finish(row.id, status=CrawlStatus.COMPLETED, now=1.0)


@pytest.mark.parametrize("asked", [DUE, REQUESTED], ids=["schedule", "event"])
def test_a_message_starts_the_sites_crawl_once(
    stack: Deployment, function: Any, context: Context, asked: dict[str, Any]
) -> None:
    function.cloud.sites.create(SITE)
    first = function.handler(asked, context)
    finish(function)
    assert function.handler(asked, context) == first
    (row,) = function.cloud.crawls.of_tenant("default", limit=9)
    assert (row.id.crawl, row.id.site, row.start_url) == (first["crawl"], SITE.site, SITE.url)
    assert (row.settings.max_pages, row.settings.contact) == (7, "https://crawler.example/about")
    assert stack.executions() == [first["crawl"]]


def test_the_next_time_starts_another_crawl(stack: Deployment, function: Any, context: Context) -> None:
    function.cloud.sites.create(SITE)
    function.handler(DUE, context)
    finish(function)
    function.handler(DUE | {"due": "2026-11-29T00:00:00Z"}, context)
    assert len(stack.executions()) == 2


def test_a_site_that_is_being_crawled_is_skipped(stack: Deployment, function: Any, context: Context) -> None:
    function.cloud.sites.create(SITE)
    first = function.handler(DUE, context)
    second = function.handler(REQUESTED, context)
    assert second["skipped"] == "the site is being crawled"
    assert stack.executions() == [first["crawl"]]


def test_a_schedule_of_a_site_that_is_gone_is_removed(stack: Deployment, function: Any, context: Context) -> None:
    function.cloud.schedules.put("default", SITE.site, SITE.schedule)
    assert function.handler(DUE, context)["skipped"] == "there is no such site"
    found = stack.clients.scheduler.list_schedules()["Schedules"]
    assert schedule_name("default", SITE.site) not in [one["Name"] for one in found]


def test_an_event_may_name_a_tenant(stack: Deployment, function: Any, context: Context) -> None:
    function.cloud.sites.create(SITE)
    asked = REQUESTED | {"detail": {"tenant": "other", "site": SITE.site}}
    assert function.handler(asked, context)["skipped"] == "there is no such site"
    assert stack.executions() == []


def test_an_event_starts_a_site_without_a_schedule(stack: Deployment, function: Any, context: Context) -> None:
    function.cloud.sites.create(replace(SITE, schedule=Schedule()))
    assert function.handler(DUE, context)["skipped"] == "the site no longer has a schedule"
    assert function.handler(REQUESTED, context)["skipped"] == ""
    assert len(stack.executions()) == 1


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"tenant": "default", "site": "s"},
        {"tenant": "default", "site": 7, "due": "now"},
        REQUESTED | {"detail": {}},
        REQUESTED | {"detail-type": "crawl.completed"},
    ],
)
def test_what_is_neither_is_an_error(function: Any, context: Context, asked: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match=r"neither a site that is due nor crawl\.requested"):
        function.handler(asked, context)
