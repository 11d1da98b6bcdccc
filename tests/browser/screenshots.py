"""Screenshots of the dashboard: `python -m tests.browser.screenshots FOLDER [--all]`.

Without `--all`, only those that the documentation shows. With it, each view, at two widths and in both themes.
"""

import argparse
import tempfile
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from PIL import Image
from tests.support.dashboard import Visitor, chromium_for_people, visitor
from tests.support.serving import Served, served

from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer

_WIDTHS: Final = (1280, 390)
_POLITE: Final = {"polite": {"interval": 0.0}}
_HISTORY: Final = (60, 80, 75, 110, 120)  # page limits, so that the history is no flat line
_VIEWS: Final = (
    "sign-in", "sites", "add", "site", "live", "crawl", "pages", "urls", "page", "graph", "issues", "explain", "lost",
)  # fmt: skip
_SHOWN: Final = {
    "sites-1280-light": "dashboard-sites",
    "live-1280-light": "dashboard-live",
    "pages-1280-dark": "dashboard-pages",
    "page-1280-light": "dashboard-page",
    "graph-1280-light": "dashboard-graph",
    "issues-1280-light": "dashboard-issues",
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
        for name, width, dark in _wanted(everything=given.all):
            running = _started(service, slow)
            with visitor(browser, f"{service.url}/#key={service.key}", width=width, dark=dark) as person:
                _open(person, service, name, finished=finished, running=running)
                shown = f"{name}-{width}-{'dark' if dark else 'light'}"
                file = given.folder / f"{shown if given.all else _SHOWN[shown]}.png"
                _save(person.page.screenshot(full_page=given.all and name != "pages"), file)
            service.ask("POST", f"/v1/crawls/{running}/cancel")
            service.wait_for(running)


def _save(screenshot: bytes, file: Path) -> None:
    """Write a screenshot with few colours, which takes a third of the bytes."""
    image = Image.open(BytesIO(screenshot)).convert("RGB")
    image.quantize(128, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(file, optimize=True)


def _wanted(*, everything: bool) -> Iterator[tuple[str, int, bool]]:
    for view in _VIEWS:
        for width in _WIDTHS:
            for dark in (False, True):
                if everything or f"{view}-{width}-{'dark' if dark else 'light'}" in _SHOWN:
                    yield view, width, dark


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
        settings = {"max_pages": 100, "polite": {"interval": 0.2, "in_flight": 2}}
        body = {"url": site.url, "name": "Station archive", "settings": settings}
        known = service.ask("POST", "/v1/sites", body).json()["site"]
    crawl: str = service.ask("POST", f"/v1/sites/{known}/crawls").json()["crawl"]
    return crawl


def _open(person: Visitor, service: Served, name: str, *, finished: str, running: str) -> None:
    """Show a view, and wait until it is complete."""
    page = person.page
    pages = service.ask("GET", f"/v1/crawls/{finished}/pages").json()["pages"]
    products = next(one["key"] for one in pages if one["title"] == "Products")
    site = service.ask("GET", f"/v1/crawls/{finished}").json()["site"]
    places = {
        "sites": ("", ".sparkline"),
        "add": ("sites/new", "form"),
        "site": (f"sites/{site}", ".plain-table"),
        "live": (f"crawls/{running}", ".wave:nth-child(3)"),
        "crawl": (f"crawls/{finished}", "#states"),
        "pages": (f"crawls/{finished}/pages", ".grid-body a"),
        "urls": (f"crawls/{finished}/pages?list=urls&state=skipped", ".grid-body a"),
        "page": (f"crawls/{finished}/pages/{products}", "#changes"),
        "graph": (f"crawls/{finished}/graph", ".graph-summary"),
        "issues": (f"crawls/{finished}/issues", ".issue-kind"),
        "explain": (f"crawls/{finished}/explain?url=/search", "#why"),
        "lost": ("", "[role=alert]"),
    }
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
    page.wait_for_timeout(9_000 if name == "live" else 700)  # for the chart, and for what is loaded last


if __name__ == "__main__":
    main()
