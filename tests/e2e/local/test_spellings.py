"""A crawl of pages whose links and canonical links spell the same URL in several ways."""

import re
from pathlib import Path

from tests.support.crawling import QUICK, crawl_inline

from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.pages.page import LinkKind

TOKEN = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"


def site() -> Site:
    hrefs = ("/story?ref=nav", "/story", "/~ann", "/%7eann", "/news?sid=1", "/news?sid=2", f"/news?sid={TOKEN}")
    canonical = Link(to="/story", kind=LinkKind.CANONICAL)
    return Site(
        pages=(
            Page(path="/", title="Root", text=("Many stories.",), links=tuple(Link(to=href) for href in hrefs)),
            Page(path="/story?ref=nav", title="Story", text=("A long story.",), links=(canonical,)),
            Page(path="/~ann", title="Ann", text=("The page of Ann.",)),
            Page(path="/news?sid=1", title="First", text=("The first news.",)),
            Page(path="/news?sid=2", title="Second", text=("The second news.",)),
            Page(path="/news", title="News", text=("All of the news.",)),
        )
    )


def test_each_page_is_requested_once_in_its_first_spelling(tmp_path: Path) -> None:
    with SiteServer(site()) as server:
        done = crawl_inline(server.url, tmp_path, QUICK)
        ledger = {row["url"].removeprefix(server.origin): row["state"] for row in done.ledger()}
        locs = re.findall("<loc>([^<]*)</loc>", (done.exports / "sitemap.xml").read_text())
        listed = {loc.removeprefix(server.origin) for loc in locs}
    assert ledger == dict.fromkeys(("/", "/story?ref=nav", "/~ann", "/news?sid=1", "/news?sid=2", "/news"), "fetched")
    assert listed == {"/", "/story", "/~ann", "/news?sid=1", "/news?sid=2", "/news"}


def test_a_query_is_requested_in_the_encoding_of_its_page(tmp_path: Path) -> None:
    cat = "\u043a\u043e\u0442"
    body = f"<meta charset=windows-1251><a href='/search?q={cat}'>{cat}</a>".encode("cp1251")
    pages = (
        Page(path="/", body=body, header_charset=""),
        Page(path="/search?q=%EA%EE%F2", title="Found", text=("A.",)),
    )
    with SiteServer(Site(pages=pages)) as server:
        done = crawl_inline(server.url, tmp_path, QUICK)
        states = {row["url"].removeprefix(server.origin): row["state"] for row in done.ledger()}
    assert states == {"/": "fetched", "/search?q=%EA%EE%F2": "fetched"}
