"""The function start_site on its sample events, over moto."""

from typing import Any

import pytest
from msgspec.structs import replace
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
    assert row.triggered_by == ("schedule" if asked is DUE else "event")
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
    assert function.handler(DUE, context)["skipped"] == "there is no such site or tenant"
    found = stack.clients.scheduler.list_schedules()["Schedules"]
    assert schedule_name("default", SITE.site) not in [one["Name"] for one in found]


def requested(detail: dict[str, Any], number: int = 1) -> dict[str, Any]:
    return REQUESTED | {"id": f"event-{number}", "detail": detail}


def test_an_event_may_request_a_url_with_settings(stack: Deployment, function: Any, context: Context) -> None:
    asked = requested({"url": "https://new.example/", "settings": {"max_pages": 3, "polite": {"interval": 2}}})
    first = function.handler(asked, context)
    assert (first["skipped"], function.handler(asked, context)) == ("", first), "one crawl for each event"
    (row,) = function.cloud.crawls.of_tenant("default", limit=9)
    assert (row.id.crawl, row.start_url) == (first["crawl"], "https://new.example/")
    assert row.triggered_by == "event"
    assert (row.settings.max_pages, row.settings.polite.interval) == (3, 2.0)
    assert row.settings.contact == "https://crawler.example/about"
    assert stack.executions() == [first["crawl"]]


def test_a_url_that_is_being_crawled_is_skipped(stack: Deployment, function: Any, context: Context) -> None:
    first = function.handler(requested({"url": "https://new.example/"}), context)
    second = function.handler(requested({"url": "https://new.example/"}, 2), context)
    assert second["skipped"] == "the site is being crawled"
    assert stack.executions() == [first["crawl"]]


@pytest.mark.parametrize(
    ("detail", "message"),
    [
        ({}, "must name either a site, or a url"),
        ({"site": "s", "url": "https://new.example/"}, "must name either a site, or a url"),
        ({"site": "s", "settings": {}}, "must name either a site, or a url"),
        ({"url": "ftp://new.example/"}, "ftp"),
        ({"url": "https://new.example/", "settings": {"contact": "me"}}, "contact can be set by the operator"),
        ({"url": "https://new.example/", "settings": {"max_pages": "many"}}, "max_pages must be a whole number"),
    ],
)
def test_an_event_that_requests_no_valid_crawl_is_skipped_with_the_reason_in_the_log(
    function: Any, context: Context, detail: dict[str, Any], message: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The sender's mistake fails no function, and leaves nothing among the events that were lost."""
    answer = {"crawl": "", "skipped": "the URL or the settings are not valid"}
    assert function.handler(requested(detail), context) == answer
    (written,) = [record for record in caplog.records if record.levelname == "WARNING"]
    assert message in vars(written)["error"]
    assert function.cloud.crawls.of_tenant("default", limit=9) == []


def test_an_event_may_name_a_tenant(stack: Deployment, function: Any, context: Context) -> None:
    function.cloud.sites.create(SITE)
    asked = REQUESTED | {"detail": {"tenant": "other", "site": SITE.site}}
    assert function.handler(asked, context)["skipped"] == "there is no such site or tenant"
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
        REQUESTED | {"detail-type": "crawl.completed"},
    ],
)
def test_what_is_neither_is_an_error(function: Any, context: Context, asked: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match=r"neither a site that is due nor crawl\.requested"):
        function.handler(asked, context)
