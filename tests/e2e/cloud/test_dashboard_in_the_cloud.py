"""The dashboard of the deployed template."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from playwright.sync_api import expect
from tests.browser.dashboard_views import VIEWS
from tests.support.cloud import Service
from tests.support.dashboard import Visitor, chromium_for_people, visitor

from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer

SETTINGS = {"max_pages": 300, "polite": {"interval": 0.0}}
NOT_HERE = ("operator", "settings", "sites/")
"""Beginnings of views that need a saved site, a webhook or a tenant, or that ask nothing of AWS."""


@contextmanager
def visited(service: Service) -> Iterator[Visitor]:
    emulator = urlsplit(service.deployment.endpoint).netloc
    with (
        chromium_for_people(f"--host-resolver-rules=MAP * {emulator}") as browser,
        visitor(browser, f"http://{service.host}/#key={service.key}") as person,
    ):
        yield person


def test_the_stack_serves_the_dashboard(service: Service) -> None:
    page = service.request("GET", "/")
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert f"connect-src 'self' {service.deployment.endpoint};" in page.headers["content-security-policy"]
    with visited(service) as person:
        title = person.page.get_by_role("heading", level=1)
        expect(title).to_have_text(re.compile("^(Sites|Crawl your first site)$"))
        person.click("button", "Sign out", exact=False)
        person.sees("Sign in to wavecrawl")
        assert person.errors == []


def test_the_views_of_a_crawl_show_what_the_stack_stores(service: Service) -> None:
    with SiteServer(demo_site()) as site:
        crawl = service.start(site.url, SETTINGS)
        assert service.wait_for(crawl)["status"] == "completed"
    (page,) = service.api("GET", f"/v1/crawls/{crawl}/pages?limit=1")["pages"]
    views = [view for view in VIEWS if "{crawl}" in view.path and not view.path.startswith(NOT_HERE)]
    views = [view for view in views if "changes" not in view.path]  # there is one crawl only
    assert len(views) > 12
    with visited(service) as person:
        person.page.locator("main").first.wait_for()
        for view in views:
            path = view.path.format(crawl=crawl, page=page["key"], site="", webhook="")
            person.page.evaluate("path => { location.hash = path }", f"#/{path}")
            shown = view.shown if view.shown != "#changes" else "#raw"
            expect(person.page.locator(shown).first, path).to_be_visible()
            assert person.page.get_by_role("alert").count() == 0, path
        assert person.errors == []
