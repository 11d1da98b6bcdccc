"""Screenshots of the dashboard: `python -m tests.browser.screenshots FOLDER [--all]`.

Without `--all`, only those that the documentation shows. With it, each view, at two widths and in both themes.
"""

import argparse
import re
import tempfile
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from PIL import Image
from playwright.sync_api import expect
from tests.browser.dashboard_views import VIEWS, View
from tests.support.dashboard import Visitor, chromium_for_people, visitor
from tests.support.serving import Served, served

from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer

_WIDTHS: Final = (1280, 390)
_POLITE: Final = {"polite": {"interval": 0.0}}
_HISTORY: Final = (60, 80, 75, 110, 120)  # page limits, so that the history is no flat line
_SITUATIONS: Final = ("sign-in", "live", "lost")
"""What is no view of its own: signed out, a crawl that runs, and no connection."""

_RUNNING: Final = ("sites", "live")
"""Where a running crawl is seen."""

_SHOWN: Final = {
    "sites-1280-light": "dashboard-sites",
    "live-1280-light": "dashboard-live",
    "crawl-pages-1280-dark": "dashboard-pages",
    "crawl-pages-page-1280-light": "dashboard-page",
    "crawl-graph-1280-light": "dashboard-graph",
    "crawl-issues-1280-light": "dashboard-issues",
    "crawl-390-dark": "dashboard-phone",
}
"""The screenshots of the documentation, by view, width and theme."""


def main() -> None:
    """Write the screenshots."""
    options = argparse.ArgumentParser(description="Write screenshots of the dashboard.")
    options.add_argument("folder", type=Path)
    options.add_argument("--all", action="store_true", help="each view, at two widths and in both themes")
    given = options.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as data,
        SiteServer(demo_site()) as quick,
        SiteServer(demo_site(), latency=0.2) as slow,
        served(Path(data)) as service,
        chromium_for_people() as browser,
    ):
        finished = _history(service, quick)
        hook = {"url": "https://chat.example.com/hooks/crawls", "description": "Team chat"}
        webhook = service.ask("POST", "/v1/webhooks", hook).json()["webhook"]
        service.ask("POST", "/v1/admin/tenants", {"tenant": "acme", "name": "Acme Ltd", "plan": "starter"})
        service.ask("POST", "/v1/admin/tenants/acme/keys", {"name": "Reports"})
        for name, width, dark in _wanted(everything=given.all):
            running = _started(service, slow) if name in _RUNNING else ""
            with visitor(browser, f"{service.url}/#key={service.key}", width=width, dark=dark) as person:
                _open(person, service, name, finished=finished, running=running, webhook=webhook)
                shown = f"{name}-{width}-{'dark' if dark else 'light'}"
                file = given.folder / f"{shown if given.all else _SHOWN[shown]}.png"
                if given.all:  # in a window as high as the view: what stays at its end does not cover its middle
                    height = person.page.evaluate("document.documentElement.scrollHeight")
                    person.page.set_viewport_size({"width": width, "height": height})
                _save(person.page.screenshot(), file)
            if running:
                service.ask("POST", f"/v1/crawls/{running}/cancel")
                service.wait_for(running)


def _save(screenshot: bytes, file: Path) -> None:
    """Write a screenshot with few colours, which takes a third of the bytes."""
    image = Image.open(BytesIO(screenshot)).convert("RGB")
    image.quantize(128, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(file, optimize=True)


def _wanted(*, everything: bool) -> Iterator[tuple[str, int, bool]]:
    """Yield the name of each picture's view, its width, and whether its theme is dark."""
    if not everything:
        for shown in _SHOWN:
            view, columns, theme = shown.rsplit("-", 2)
            yield view, int(columns), theme == "dark"
        return
    for name in (*_SITUATIONS, *map(_name_of, VIEWS)):
        for width in _WIDTHS:
            yield from ((name, width, False), (name, width, True))


def _name_of(view: View) -> str:
    """Return a name for the files of a view, such as "crawl-issues" for "crawls/{crawl}/issues"."""
    words = re.sub(r"^(site|crawl)s/(?={)|[{}]", "", view.path)
    return re.sub(r"[^a-z_]+", "-", words).strip("-") or "sites"


def _history(service: Served, site: SiteServer) -> str:
    """Crawl a site several times; return its last crawl."""
    schedule = {"frequency": "weekly", "timezone": "Europe/Berlin"}
    body = {"url": site.url, "name": "Tideline Instruments", "settings": _POLITE, "schedule": schedule}
    made = service.ask("POST", "/v1/sites", body).json()["site"]
    crawl = ""
    for pages in _HISTORY:
        settings = {**_POLITE, "max_pages": pages}
        service.ask("PATCH", f"/v1/sites/{made}", {"settings": settings})
        crawl = service.ask("POST", f"/v1/sites/{made}/crawls").json()["crawl"]
        service.wait_for(crawl)
    return crawl


def _started(service: Served, site: SiteServer) -> str:
    """Start a crawl that takes a while; return it."""
    sites: list[Mapping[str, Any]] = service.ask("GET", "/v1/sites").json()["sites"]
    known = next((one["site"] for one in sites if one["url"] == site.url), None)
    if known is None:
        settings = {"max_pages": 100, "polite": {"interval": 0.5, "in_flight": 2}}
        body = {"url": site.url, "name": "Station archive", "settings": settings}
        known = service.ask("POST", "/v1/sites", body).json()["site"]
    crawl: str = service.ask("POST", f"/v1/sites/{known}/crawls").json()["crawl"]
    return crawl


def _open(person: Visitor, service: Served, name: str, *, finished: str, running: str, webhook: str) -> None:
    """Show a view, and wait until it is complete."""
    page = person.page
    pages = service.ask("GET", f"/v1/crawls/{finished}/pages").json()["pages"]
    products = next(one["key"] for one in pages if one["title"] == "Products")
    site = service.ask("GET", f"/v1/crawls/{finished}").json()["site"]
    of = {"site": site, "crawl": finished, "page": products, "webhook": webhook}
    places = {_name_of(view): (view.path.format(**of), view.shown) for view in VIEWS}
    places |= {"live": (f"crawls/{running}", "#responses"), "lost": ("", "[role=alert]")}
    page.locator(".sparkline").first.wait_for()
    if name == "sign-in":
        person.click("button", "Sign out", exact=False)
        page.locator(".sign-in form").wait_for()
        return
    if name == "lost":
        page.route("**/v1/**", lambda route: route.abort())
    path, shown = places[name]
    if name == "lost":
        person.page.goto(f"{service.url}/#/sites/new")
    page.goto(f"{service.url}/#/{path}")
    page.locator(shown).first.wait_for()
    expect(page.locator(".skeleton")).to_have_count(0)
    page.wait_for_timeout(700)  # for pictures and charts


if __name__ == "__main__":
    main()
