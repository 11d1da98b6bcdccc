"""The views of a crawl in Chromium, over a real documentation site and a hostile site."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Request
from tests.browser.dashboard_views import VIEWS
from tests.browser.test_dashboard import HOSTILE, SCRIPT
from tests.support.campaign import ALL
from tests.support.dashboard import visitor
from tests.support.docs_sites import SITES
from tests.support.folder_server import FolderServer
from tests.support.serving import Served, served

from wavecrawl.demo.server import SiteServer

pytestmark = pytest.mark.skipif(not ALL, reason="runs in CI: a crawl of a large site")
OF_A_CRAWL = [view for view in VIEWS if view.path.startswith("crawls/{crawl}")]


def look_at_each_view(desktop: Browser, service: Served, url: str, name: str) -> None:
    """Crawl a site, open each view of the crawl; nothing may run, leave the origin or be too wide."""
    settings = {"max_pages": 600, "polite": {"interval": 0.0}}
    site = service.ask("POST", "/v1/sites", {"url": url, "name": name, "settings": settings}).json()["site"]
    crawl = service.ask("POST", f"/v1/sites/{site}/crawls").json()["crawl"]
    assert service.wait_for(crawl)["status"] == "completed"
    page = service.ask("GET", f"/v1/crawls/{crawl}/pages").json()["pages"][0]["key"]
    left: list[str] = []

    def note(request: Request) -> None:
        if not request.url.startswith((service.url, "data:", "blob:")):
            left.append(request.url)

    with visitor(desktop, f"{service.url}/#key={service.key}") as person:
        person.page.on("request", note)
        person.page.locator(".site-card").first.wait_for()
        assert len(OF_A_CRAWL) >= 5
        for view in OF_A_CRAWL:
            path = view.path.format(site=site, crawl=crawl, page=page)
            person.page.goto(f"{service.url}/#/{path}")
            person.page.get_by_role("heading", level=1).wait_for()
            person.page.wait_for_load_state("networkidle")
            assert (path, person.is_wider_than_its_window()) == (path, False)
            assert (path, person.page.title().endswith("wavecrawl")) == (path, True)
            assert (path, person.page.locator("main script").count()) == (path, 0)
        assert (left, person.errors) == ([], [])


def test_each_view_shows_a_documentation_site(desktop: Browser, tmp_path: Path) -> None:
    docs = SITES[0]
    if not docs.there:
        pytest.skip(f"{docs.package} is not installed")
    with FolderServer(docs.folder) as site, served(tmp_path) as service:
        look_at_each_view(desktop, service, f"{site.origin}/", docs.package)


def test_hostile_texts_do_nothing_in_any_view(desktop: Browser, tmp_path: Path) -> None:
    with SiteServer(HOSTILE) as site, served(tmp_path) as service:
        look_at_each_view(desktop, service, site.url, SCRIPT + "\u202e" + "x" * 40)
