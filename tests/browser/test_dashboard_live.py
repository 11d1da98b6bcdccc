"""A running crawl in the dashboard: events and their fallback, cancel and resume, media, the size of the first view."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.support.campaign import slow
from tests.support.dashboard import visitor
from tests.support.media_site import GIF, MediaSite, html
from tests.support.serving import Served, served

from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer

FIRST_VIEW = 150_000  # bytes over the wire
SLOW = {"max_pages": 60, "polite": {"interval": 0.3, "in_flight": 1, "adapt": False}}


@pytest.fixture(name="site", scope="module")
def a_site() -> Iterator[SiteServer]:
    with SiteServer(demo_site()) as server:
        yield server


@pytest.fixture(name="service", scope="module")
def a_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("live")) as service:
        yield service


def started(service: Served, url: str, settings: object) -> str:
    crawl: str = service.ask("POST", "/v1/crawls", {"url": url, "settings": settings}).json()["crawl"]
    return crawl


def sees_pages(page: Page, *, limit: int) -> None:
    page.get_by_text(re.compile(rf"Crawled [1-9]\d*/{limit} pages")).first.wait_for()


def test_a_crawl_is_watched_cancelled_and_resumed(desktop: Browser, service: Served, site: SiteServer) -> None:
    crawl = started(service, site.url, SLOW)
    so_far = {"statuses": {"200": 7, "404": 2, "no answer": 1}, "reasons": {"timeout": 1}}
    with visitor(desktop, f"{service.url}/#key={service.key}") as person:
        person.page.route("**/statistics", lambda route: route.fulfill(json=so_far))
        person.page.get_by_role("cell", name="running").wait_for()
        person.page.goto(f"{service.url}/#/crawls/{crawl}")
        sees_pages(person.page, limit=60)
        person.page.locator(".wave:nth-child(2)").wait_for()
        responses = person.page.get_by_role("region", name="Responses so far").get_by_role("listitem")
        expect(responses).to_have_text(["2xx successful7", "4xx refused or not found2", "no response1"])
        errors = person.page.get_by_role("region", name="Errors by kind").get_by_role("listitem")
        expect(errors).to_have_text(["status 4042", "timeout1"])
        person.page.unroute("**/statistics")
        assert person.accessibility_problems() == []
        person.click("button", "Cancel")
        person.click("button", "Resume")
        person.page.get_by_role("button", name="Cancel").wait_for()
        assert service.ask("GET", f"/v1/crawls/{crawl}").json()["status"] in ("queued", "running")
        sees_pages(person.page, limit=60)
        person.click("button", "Cancel")
        person.page.get_by_role("button", name="Resume").wait_for()
        assert service.wait_for(crawl)["status"] == "cancelled"
        person.sees("URLs by state")
        assert person.errors == []


@slow
def test_without_a_stream_of_events_the_progress_is_polled(desktop: Browser, service: Served, site: SiteServer) -> None:
    crawl = started(service, f"{site.url}?polled", {"max_pages": 30, "polite": {"interval": 0.0}})
    with visitor(desktop, f"{service.url}/#key={service.key}") as person:
        person.page.route("**/events", lambda route: route.fulfill(content_type="text/html", body="<p>a proxy</p>"))
        person.page.goto(f"{service.url}/#/crawls/{crawl}")
        person.sees("Crawled 30/30 pages")
        person.sees("URLs by state")
        assert person.errors == []


@slow
def test_images_and_duplicates_are_counted(desktop: Browser, service: Served) -> None:
    images = {f"/{name}.gif": ("image/gif", GIF + number) for name, number in (("a", b"1"), ("b", b"2"), ("c", b"2"))}
    with MediaSite({"/": html("".join(f"<img src={path}>" for path in images)), **images}) as site:
        settings = {"max_pages": 5, "polite": {"interval": 0.0}, "media": {"include": ["images"]}}
        crawl = started(service, site.url, settings)
        with visitor(desktop, f"{service.url}/#key={service.key}") as person:
            person.page.goto(f"{service.url}/#/crawls/{crawl}")
            person.sees("Crawled 1/5 pages, 3 images (1 duplicate skipped)")
            assert person.errors == []


@slow
def test_limits_that_cut_the_crawl_are_named_as_in_the_report(desktop: Browser, service: Served) -> None:
    pages = {f"/{number}": html(f"<p>Page {number}.</p>") for number in range(4)}
    with MediaSite({"/": html("".join(f"<a href={path}>more</a>" for path in pages)), **pages}) as site:
        crawl = started(service, site.url, {"max_pages": 2, "polite": {"interval": 0.0}})
        assert service.wait_for(crawl)["status"] == "completed"
    (limit,) = service.ask("GET", f"/v1/crawls/{crawl}/statistics").json()["limits"]
    assert (limit["reason"], limit["urls"]) == ("max_pages", 3)
    with visitor(desktop, f"{service.url}/#key={service.key}", width=390) as person:
        person.page.goto(f"{service.url}/#/crawls/{crawl}")
        banner = person.page.get_by_role("note", name="Limits").inner_text()
        assert "This crawl did not read the whole site." in banner
        said = "the crawl reached its limit of pages. Raise the setting max_pages (option --max-pages)."
        assert f"3 known URLs unread: {said}" in banner
        assert person.accessibility_problems() == []
        assert person.is_wider_than_its_window() is False
        assert person.errors == []


def test_the_first_view_is_small(desktop: Browser, service: Served) -> None:
    with visitor(desktop, "about:blank") as person:
        network = person.page.context.new_cdp_session(person.page)
        network.send("Network.enable")
        sizes: list[float] = []
        network.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
        person.page.goto(f"{service.url}/#key={service.key}")
        person.page.get_by_role("heading", level=1).wait_for()
        person.page.wait_for_load_state("networkidle")
        assert len(sizes) > 5
        assert sum(sizes) < FIRST_VIEW
