"""All views in Chromium, over a real documentation site and a hostile site."""

from html import escape
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Request
from tests.browser.dashboard_views import VIEWS
from tests.browser.test_dashboard import HOSTILE, SCRIPT
from tests.browser.test_dashboard_media import picture
from tests.support.campaign import slow
from tests.support.dashboard import visitor
from tests.support.docs_sites import SITES
from tests.support.documents import pdf_with
from tests.support.folder_server import FolderServer
from tests.support.media_site import MediaSite, html
from tests.support.serving import Served, served

from wavecrawl.demo.server import SiteServer

pytestmark = slow  # a crawl of a large site
BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029")
SHOWN = """() => document.title + document.body.innerText +
    [...document.querySelectorAll("[title], [aria-label], [alt]")]
        .map(one => ["title", "aria-label", "alt"].map(name => one.getAttribute(name) ?? "").join()).join()"""
NAME = SCRIPT + "\u202e" + "x" * 40
AS_TEXT = escape(NAME, quote=True)
MEDIA: dict[str, tuple[str, bytes] | int | str] = {
    "/": html(
        f"<title>{AS_TEXT}</title><h1>{AS_TEXT}</h1><h2 id='{AS_TEXT}'>{AS_TEXT}</h2><p>{AS_TEXT * 9}</p>"
        f"<img src='/%3Cscript%3E.png' alt='{AS_TEXT}'><a href='/sheet.pdf'>{AS_TEXT}</a>"
        f"<a href='/%22onmouseover=%22alert(1)'>{AS_TEXT}</a><a href='javascript:document.title=1'>{AS_TEXT}</a>"
    ),
    "/%3Cscript%3E.png": picture("red"),
    "/sheet.pdf": ("application/pdf", pdf_with([SCRIPT], title=SCRIPT)),
}


def look_at_each_view(desktop: Browser, service: Served, url: str, name: str, *media: str) -> None:
    """Crawl a site, open each view; nothing may run, leave the origin or be too wide.

    `name` is the name of the site, a webhook, a tenant and a key.
    """
    settings = {"max_pages": 600, "polite": {"interval": 0.0}, "media": {"include": media}}
    site = service.ask("POST", "/v1/sites", {"url": url, "name": name, "settings": settings}).json()["site"]
    crawl = service.ask("POST", f"/v1/sites/{site}/crawls").json()["crawl"]
    assert service.wait_for(crawl)["status"] == "completed"
    page = service.ask("GET", f"/v1/crawls/{crawl}/pages").json()["pages"][0]["key"]
    short = name.replace("\u202e", "")[:80]  # names of tenants and keys may not change the direction of text
    hook = {"url": "http://127.0.0.1:9/hook?<script>", "description": name}
    webhook = service.ask("POST", "/v1/webhooks", hook).json()["webhook"]
    assert service.ask("POST", "/v1/admin/tenants", {"tenant": "acme", "name": short, "plan": "starter"}).ok
    for keys in ("/v1/keys", "/v1/admin/tenants/acme/keys"):
        assert service.ask("POST", keys, {"name": short}).ok
    left: list[str] = []

    def note(request: Request) -> None:
        if not request.url.startswith((service.url, "data:", "blob:")):
            left.append(request.url)

    with visitor(desktop, f"{service.url}/#key={service.key}", offline_ok=True) as person:
        person.page.on("request", note)
        person.page.locator(".site-card").first.wait_for()
        for view in VIEWS:
            path = view.path.format(site=site, crawl=crawl, page=page, webhook=webhook)
            person.page.goto(f"{service.url}/#/{path}")
            person.page.get_by_role("heading", level=1).wait_for()
            person.page.wait_for_load_state("networkidle")
            assert (path, person.is_wider_than_its_window()) == (path, False)
            assert (path, person.page.title().endswith("wavecrawl")) == (path, True)
            assert (path, person.page.locator("main script").count()) == (path, 0)
            assert (path, set(person.page.evaluate(SHOWN)) & BIDI) == (path, set())
        person.page.goto(f"{service.url}/#/operator/acme")
        person.sees(name[:40])
        if media:
            person.page.goto(f"{service.url}/#/crawls/{crawl}/media")
            person.page.locator(".media-card").first.click()
            person.page.get_by_role("dialog").get_by_text(name[:40]).first.wait_for()
            assert person.is_wider_than_its_window() is False
        assert (left, person.errors) == ([], [])


def test_each_view_shows_a_documentation_site(desktop: Browser, tmp_path: Path) -> None:
    docs = SITES[0]
    if not docs.there:
        pytest.skip(f"{docs.package} is not installed")
    with FolderServer(docs.folder) as site, served(tmp_path) as service:
        look_at_each_view(desktop, service, f"{site.origin}/", docs.package)


def test_hostile_texts_do_nothing_in_any_view(desktop: Browser, tmp_path: Path) -> None:
    with SiteServer(HOSTILE) as site, served(tmp_path) as service:
        look_at_each_view(desktop, service, site.url, NAME)


def test_hostile_headings_media_and_documents_do_nothing_in_any_view(desktop: Browser, tmp_path: Path) -> None:
    with MediaSite(MEDIA) as site, served(tmp_path) as service:
        look_at_each_view(desktop, service, site.url, NAME, "images", "documents")
