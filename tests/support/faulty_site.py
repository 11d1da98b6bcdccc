"""A small site whose parts fail for a while, as a page client and a browser without sockets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import time
from unittest.mock import patch

import msgspec
from tests.support.canned import saved
from tests.support.crawling import QUICK, Done, crawl_inline
from tests.support.fake_browser import FakeBrowser

from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest, TransportFault
from wavecrawl.ports.browser import RenderedPage, RenderRequest

ORIGIN = "http://127.0.0.1:9"  # nothing listens there
SITEMAPS = {
    "none": (),
    "default": ("/sitemap.xml",),
    "named": ("/map.xml",),
    "index": ("/map.xml", "/part-0.xml", "/part-1.xml"),
}
"""Where the sitemap is -> its files."""

LOGIN = "/login"
"""A page that nothing links to. As a fault, it is a temporary redirect to this page."""

FAULTS = ("500", "503", "429", "timeout", "reset", "cut")
"""What happens to a request, again and again while a crawl runs."""

EMPTY = "empty"
"""A further fault, of anything but robots.txt: a response without content, as of a script that ends too early."""

NO_ENTRIES = "no entries"
"""A further fault of a sitemap: it is a sitemap, and lists nothing."""

JSON_ERROR = "json"
"""A further fault of a page: status 200 with an error as JSON."""

_SHELL = (
    "<!doctype html><html lang=en><head><title>Shop</title></head><body>"
    "<noscript>This page does not work without scripts.</noscript><div id=root></div>"
    "<script src=/runtime.js></script><script src=/app.js></script></body></html>"
)
_NAMES = "abcdefghijklmnopqrstuvwxyz"


def path_of(page: int) -> str:
    """Return the path of a page; page 0 is the start page."""
    return f"/{_NAMES[page]}-page" if page else "/"


def page_of(url: str) -> str:
    """Return the path of a URL of the site."""
    return url.removeprefix(ORIGIN)


class SiteShape(msgspec.Struct, frozen=True):
    """A site as a graph: page n links to `links[n]`. Scripts fill `shells`: the links of these are in the DOM only."""

    links: tuple[tuple[int, ...], ...]
    listed: frozenset[int] = frozenset()  # the pages in sitemaps
    sitemap: str = "none"
    shells: frozenset[int] = frozenset()
    denied: frozenset[int] = frozenset()  # by robots.txt

    @property
    def paths(self) -> tuple[str, ...]:
        """What can fail: pages, robots.txt, sitemaps, and the data of shells."""
        pages = [path_of(page) for page in range(len(self.links))]
        data = [f"{path_of(page)}.data" for page in sorted(self.shells)]
        return (*pages, "/robots.txt", *SITEMAPS[self.sitemap], *data)


@dataclass(slots=True)
class FaultySite:
    """`ports.page_client.PageClient`, and a browser, of a site."""

    shape: SiteShape
    faults: Mapping[str, str] = field(default_factory=dict)  # path -> fault

    def fetch(self, request: FetchRequest) -> Exchange:
        """Return the response, or what is left of it."""
        path = page_of(request.url)
        sent = self._response(path)
        fault = self.faults.get(path, "")
        if fault.isdigit():
            sent = Exchange(url="", status=int(fault), headers=(("Content-Type", "text/html"),), body=b"Sorry")
        elif fault.startswith("/"):
            sent = Exchange(url="", status=302, headers=(("Location", fault),))
        elif fault == "cut":
            half = sent.body[: len(sent.body) // 2]
            sent = Exchange(
                url="", status=sent.status, headers=sent.headers, body=half, raw_body=half, fault=TransportFault.RESET
            )
        elif fault == EMPTY:
            sent = Exchange(url="", status=200, headers=sent.headers)
        elif fault == NO_ENTRIES:
            sent = _ok("application/xml", _listed("urlset", "url", ()))
        elif fault == JSON_ERROR:
            sent = _ok("application/json", '{"error": "no database"}')
        elif fault:
            sent = Exchange(url="", fault=TransportFault(fault), fault_detail=fault)
        return Exchange(
            url=request.url,
            method=request.method,
            status=sent.status,
            headers=sent.headers,
            body=sent.body,
            raw_body=sent.body,
            fault=sent.fault,
            fault_detail=sent.fault_detail,
            started_at=time(),
        )

    def download(self, request: FetchRequest, path: Path) -> Exchange:
        """Return the response with its body in a file."""
        return saved(self.fetch(request), path)

    def close(self) -> None:
        """Do nothing; there is nothing to close."""

    def dom(self, request: RenderRequest) -> RenderedPage:
        """Return the page that scripts make; without their data it stays as it is."""
        path = page_of(request.url)
        number = next((page for page in self.shape.shells if path_of(page) == path), None)
        if number is None or f"{path}.data" in self.faults:
            return RenderedPage(html=request.body.decode(), url=request.url)
        return RenderedPage(html=self._html(number), url=request.url)

    def _response(self, path: str) -> Exchange:
        for page in range(len(self.shape.links)):
            if path == path_of(page):
                return _ok("text/html", _SHELL if page in self.shape.shells else self._html(page))
        if path == LOGIN:
            return _ok(
                "text/html", "<html><head><title>Log in</title></head><body><p>Name and password</p></body></html>"
            )
        if path == "/robots.txt":
            named = "" if self.shape.sitemap not in ("named", "index") else f"Sitemap: {ORIGIN}/map.xml\n"
            rules = "".join(f"Disallow: {path_of(page)}\n" for page in sorted(self.shape.denied))
            return _ok("text/plain", f"User-agent: *\n{rules}{named}")
        files = SITEMAPS[self.shape.sitemap]
        if path not in files:
            return Exchange(url="", status=404, headers=(("Content-Type", "text/html"),))
        if path == "/map.xml" and len(files) > 1:
            return _ok("application/xml", _listed("sitemapindex", "sitemap", files[1:]))
        listed = sorted(self.shape.listed)
        if len(files) > 1:
            listed = listed[int(path[-5]) :: 2]
        return _ok("application/xml", _listed("urlset", "url", [path_of(page) for page in listed]))

    def _html(self, page: int) -> str:
        words = " ".join(f"{_NAMES[page]}word{_NAMES[number]}" for number in range(20))
        links = "".join(f"<p><a href='{path_of(to)}'>to {_NAMES[to]}</a></p>" for to in self.shape.links[page])
        head = f"<html><head><title>Page {_NAMES[page]}</title></head>"
        return f"{head}<body><div id=root><p>{words}</p>{links}</div></body></html>"


def _ok(content_type: str, text: str) -> Exchange:
    return Exchange(url="", status=200, headers=(("Content-Type", content_type),), body=text.encode())


def _listed(kind: str, entry: str, paths: Sequence[str]) -> str:
    entries = "".join(f"<{entry}><loc>{ORIGIN}{path}</loc></{entry}>" for path in paths)
    return f'<{kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</{kind}>'


def crawl_faulty(site: FaultySite, folder: Path, settings: CrawlSettings = QUICK) -> Done:
    """Crawl a site to its results."""
    with (
        patch("wavecrawl.bootstrap.local.crawl_client", lambda *_: site),
        patch("wavecrawl.bootstrap.worker.crawl_client", lambda *_: site),
        patch("wavecrawl.adapters.embedded.local_crawl.ROOT_WAITS", ()),
        patch("wavecrawl.application.robots_gate.RETRY_AFTER", 0.0),
    ):
        return crawl_inline(f"{ORIGIN}/", folder, settings, browser=FakeBrowser(site.dom))
