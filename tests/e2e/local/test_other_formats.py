"""A blog whose pages declare feeds, oEmbed and versions for other devices, and have links of users and advertisers."""

import csv
from collections import Counter
from pathlib import Path

import duckdb
import pytest
from msgspec.structs import replace
from tests.support.crawling import QUICK, Done, crawl_inline

from wavecrawl.adapters.spreadsheets.inlinks import write_inlinks
from wavecrawl.demo.model import Page, Site
from wavecrawl.demo.server import SiteServer

POSTS = 12
FEED = "application/rss+xml"
HEAD = """
<link rel=alternate type=application/rss+xml href=/feed/>
<link rel=alternate type=application/rss+xml href={path}feed/>
<link rel=alternate type=application/json+oembed href="/wp-json/oembed?url={path}">
<link rel=alternate type=application/json href="/wp-json/wp/v2{path}">
<link rel=shortlink href="/?p=1"><link rel=EditURI href=/xmlrpc.php?rsd><link rel="https://api.w.org/" href=/wp-json/>
"""


def page(path: str, body: str, head: str = "") -> Page:
    html = f"<title>{path}</title>{HEAD.format(path=path)}{head}<p>The text of {path}.</p>{body}"
    return Page(path=path, body=html.encode(), content_type="text/html; charset=utf-8")


def feed(path: str, *urls: str) -> Page:
    items = "".join(f"<item><link>{url}</link></item>" for url in urls)
    return Page(path=path, body=f"<rss><channel>{items}</channel></rss>".encode(), content_type=FEED)


def blog() -> Site:
    posts = [page(f"/post-{i}/", f'<a href="/post-{i + 1}/">on</a>') for i in range(1, POSTS)]
    links = (
        "<a href=/post-1/>posts</a><a rel=ugc href=/comment>c</a><a rel='sponsored noopener' href=/partner>p</a>"
        "<a rel='ugc nofollow' href=/spam>s</a><a rel='ugc sponsored' href=/both>b</a>"
    )
    head = (
        "<link rel=alternate hreflang=de href=/de><link rel=amphtml href=/amp>"
        "<link rel=alternate media='(max-width: 640px)' href=/mobile>"
    )
    others = [page(path, "") for path in ("/comment", "/partner", "/both", "/de", "/amp", "/mobile", "/only-in-feed")]
    return Site(
        pages=(
            page("/", links, head),
            *posts,
            page(f"/post-{POSTS}/", ""),
            *others,
            feed("/feed/", "/only-in-feed", "/post-1/", "/post-2/#comment-1"),
        )
    )


@pytest.fixture(name="crawled", scope="module")
def a_crawl(tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, dict[str, int], str]:
    with SiteServer(blog()) as server:
        done = crawl_inline(server.url, tmp_path_factory.mktemp("blog"), replace(QUICK, max_depth=50))
        return done, Counter(one.path for one in server.log), server.origin


def test_other_formats_are_not_requested_and_the_feed_of_the_site_once(
    crawled: tuple[Done, dict[str, int], str],
) -> None:
    _, requests, _ = crawled
    assert [path for path in requests if "feed" in path or "wp-json" in path or "xmlrpc" in path] == [
        "/feed/",
        "/only-in-feed",
    ]
    assert requests["/feed/"] == 1
    assert {"/de", "/amp", "/mobile"} <= requests.keys()


def test_the_ledger_names_why_they_are_not_requested(crawled: tuple[Done, dict[str, int], str]) -> None:
    done, _, origin = crawled
    ledger = {row["url"].removeprefix(origin): row for row in done.ledger()}
    assert (ledger["/feed/"]["state"], ledger["/feed/"]["reason"]) == ("skipped", "feed")
    assert ledger["/post-1/feed/"]["reason"] == "feed"
    assert ledger["/wp-json/oembed?url=/post-1/"]["reason"] == "data"
    assert ledger["/only-in-feed"]["found_by"] == "feed"


def test_a_page_that_only_a_feed_lists_is_read_and_no_orphan(crawled: tuple[Done, dict[str, int], str]) -> None:
    done, _, origin = crawled
    pages = {row["url"].removeprefix(origin): row for row in done.pages()}
    assert len(pages) == POSTS + 8
    assert pages["/only-in-feed"]["state"] == "fetched"
    assert (pages["/only-in-feed"]["orphan"], pages["/only-in-feed"]["in_sitemap"]) == ("", False)


def test_qualified_links_are_followed_and_differ_from_nofollow(
    crawled: tuple[Done, dict[str, int], str], tmp_path: Path
) -> None:
    done, requests, origin = crawled
    assert {"/comment", "/partner", "/both"} <= requests.keys()
    assert "/spam" not in requests
    query = "SELECT target, nofollow, rel FROM read_parquet(?) WHERE rel <> '' ORDER BY target"
    found = duckdb.connect().execute(query, [str(done.exports / "edges.parquet")]).fetchall()
    expected = [
        (f"{origin}/both", False, "ugc sponsored"),
        (f"{origin}/comment", False, "ugc"),
        (f"{origin}/partner", False, "sponsored"),
        (f"{origin}/spam", True, "ugc"),
    ]
    assert found == expected
    with write_inlinks(done.exports, tmp_path).open(encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["rel"]]
    assert [(row["target"], row["rel"]) for row in rows] == [(target, rel) for target, _, rel in expected]
