"""Five crawls of one site whose figures are compared: a first one, a recrawl, one with a limit, a list, one more."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace
from tests.support.crawling import QUICK
from tests.support.fake_browser import FakeBrowser

from wavecrawl.demo.model import Link, Page, Robots, Site, SitemapEntry, SitemapFile
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.settings import Discovery
from wavecrawl.domain.rendering.settings import RenderSettings, Screenshots

Made = TypeVar("Made")
FIVE = ("first", "recrawl", "capped", "list", "orphans")
COPY = " ".join(f"copied{number} words of a text" for number in range(30))
NEARLY = COPY.replace("copied7", "other")


NAMES = "/a /b /copy /copy2 /nearly /old /older /gone /gone2 /secret /private /file".split()
PAGES = (
    Page(path="/", title="Home", text=("Welcome.",), links=tuple(Link(to=name) for name in NAMES), etag='"home"'),
    Page(path="/a", title="A", text=("First text.",), etag='"a"',
         links=tuple(Link(to=to) for to in ("/old", "/a", "https://other.example/", "/b", "/x.png"))),
    Page(path="/b", title="B", text=("Second text.",), links=(Link(to="/older"),), etag='"b"'),
    Page(path="/copy", title="Copy", text=(COPY,), etag='"c"'),
    Page(path="/copy2", title="Copy 2", text=(COPY,), etag='"d"'),
    Page(path="/nearly", title="Nearly", text=(NEARLY,), etag='"e"'),
    Page(path="/old", status=301, redirect="/b"),
    Page(path="/older", status=301, redirect="/old"),
    Page(path="/gone", status=404, content_type="text/plain", body=b"no"),
    Page(path="/gone2", status=410, content_type="text/plain", body=b"no"),
    Page(path="/secret", status=403, content_type="text/plain", body=b"no"),
    Page(path="/file", content_type="text/csv", body=b"a,b\n1,2\n"),
    Page(path="/lost", title="Lost", text=("Only listed.",), etag='"l"'),
)  # fmt: skip
SITE = Site(
    pages=PAGES,
    robots=Robots(disallow=("/private",)),
    sitemaps=(SitemapFile(path="/sitemap.xml", entries=(SitemapEntry(to="/"), SitemapEntry(to="/lost"))),),
)
NEW = {
    "/b": Page(path="/b", title="B", text=("Another text.",), links=(Link(to="/older"), Link(to="/new")), etag='"2"'),
    "/copy": Page(path="/copy", title="Copy", text=(COPY,), description="Only the description is new.", etag='"2"'),
    "/nearly": Page(path="/nearly", status=404, content_type="text/plain", body=b"no"),
    "/new": Page(path="/new", title="New", text=("New.",)),
}
"""The pages of the recrawl that differ."""
CHANGED = replace(SITE, pages=tuple({**{page.path: page for page in PAGES}, **NEW}.values()))
ONCE = replace(QUICK, polite=replace(QUICK.polite, max_robots_waits=0))
SHOTS = replace(QUICK, render=RenderSettings(screenshots=Screenshots.ALL))


def five_crawls(make: Callable[..., Made], folder_of: Callable[[str], Path]) -> Mapping[str, Made]:
    """Return the crawls by name. `make` crawls a URL into a folder with settings; a browser may be given.

    `folder_of`: the data folder of a crawl; the recrawl has that of the first one.
    """
    with SiteServer(SITE) as closed:
        pass
    with SiteServer(SITE) as server:
        port = int(server.origin.rpartition(":")[2])
        first = make(server.url, folder_of("first"), SHOTS, browser=FakeBrowser())
        capped = make(server.url, folder_of("capped"), replace(QUICK, max_pages=3))
        paths = [server.url, f"{server.origin}/gone", f"{server.origin}/private"]
        urls = (*paths, "http://10.0.0.1/page", f"{closed.origin}/page")
        listed = make(server.url, folder_of("list"), replace(ONCE, discovery=Discovery.LIST, urls=urls))
        orphans = make(server.url, folder_of("orphans"), QUICK)
    with SiteServer(CHANGED, port=port) as server:
        again = make(server.url, folder_of("first"), SHOTS, browser=FakeBrowser())
    return {"first": first, "recrawl": again, "capped": capped, "list": listed, "orphans": orphans}
