"""URLs beyond `max_url_length` are in all results, cut, with their length and hash, and are never requested."""

import csv
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import duckdb
import pytest
from msgspec.structs import replace
from tests.support.crawling import QUICK, Done, crawl_inline
from tests.support.fake_media import MemoryAssets

from wavecrawl.application.explain_url import explain_url
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.model import Link, Page, Site, SitemapEntry, SitemapFile
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.settings import Discovery
from wavecrawl.domain.media.settings import MediaGroup, MediaSettings
from wavecrawl.domain.pages.page import LinkKind

LONGEST = 200  # characters
LONG = "/long" * 1_000
LONGER = f"{LONG}/er"  # begins like `LONG`
MOVED = "/moved-to" * 1_000
LISTED = "/listed" * 1_000
OTHER = "https://other.example/" + "o" * 100_000
IMAGE = "/image" * 1_000 + ".png"
SETTINGS = replace(QUICK, max_url_length=LONGEST, media=MediaSettings(include=(MediaGroup.IMAGES,)))


def site() -> Site:
    links = (Link(to=LONG), Link(to=LONGER), Link(to=OTHER), Link(to="/moved"), Link(to="/copy"))
    canonical = Link(to=f"{LONG}/canonical", kind=LinkKind.CANONICAL)
    picture = b"<p>A picture.</p><img src='" + IMAGE.encode() + b"'>"
    return Site(
        pages=(
            Page(path="/", title="Root", text=("Long links.",), links=(*links, Link(to="/picture"))),
            Page(path="/moved", status=301, redirect=MOVED),
            Page(path="/copy", title="Copy", text=("A copy.",), links=(canonical,)),
            Page(path="/picture", body=picture),
        ),
        sitemaps=(SitemapFile(path="/sitemap.xml", entries=(SitemapEntry(to=LISTED),)),),
    )


@dataclass(frozen=True, slots=True)
class Crawled:
    """Two crawls of the site; the pages of the second are unchanged."""

    origin: str
    folder: Path
    first: Done
    second: Done

    def cut(self, path: str) -> str:
        """Return a URL of the site as it is kept."""
        return cut(path if path.startswith("https:") else self.origin + path)


def cut(url: str) -> str:
    key = blake2b(f"{url}?".encode(), digest_size=16).hexdigest()  # the identity has an empty query
    return f"{url[:LONGEST]}#cut:{len(url)}:{key}"


@pytest.fixture(name="crawled", scope="module")
def a_crawl_and_a_recrawl(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    folder = tmp_path_factory.mktemp("long")
    with SiteServer(site()) as server:
        first, second = (crawl_inline(server.url, folder, SETTINGS, assets=MemoryAssets()) for _ in range(2))
        return Crawled(server.origin, folder, first, second)


@pytest.mark.parametrize("which", ["first", "second"])
def test_the_ledger_has_long_urls_with_reason_and_length(crawled: Crawled, which: str) -> None:
    done: Done = getattr(crawled, which)
    rows = {row["url"]: (row["state"], row["reason"]) for row in done.ledger() if "#" in row["url"]}
    assert rows == {
        crawled.cut(LONG): ("skipped", "url_too_long"),
        crawled.cut(LONGER): ("skipped", "url_too_long"),
        crawled.cut(OTHER): ("skipped", "out_of_scope"),
        crawled.cut(MOVED): ("skipped", "url_too_long"),
        crawled.cut(LISTED): ("skipped", "url_too_long"),
        crawled.cut(f"{LONG}/canonical"): ("skipped", "url_too_long"),
    }
    details = {row["detail"] for row in done.ledger() if row["url"] == crawled.cut(LONG)}
    length = len(crawled.origin + LONG)
    assert details == {f"it has {length:,} characters, of which 200 are kept"}


@pytest.mark.parametrize("which", ["first", "second"])
def test_links_and_redirects_lead_to_long_urls(crawled: Crawled, which: str) -> None:
    done: Done = getattr(crawled, which)
    edges = {(source.removeprefix(crawled.origin), target) for source, target, _, _ in done.edges() if "#" in target}
    assert edges == {
        ("/", crawled.cut(LONG)),
        ("/", crawled.cut(LONGER)),
        ("/", crawled.cut(OTHER)),
        ("/moved", crawled.cut(MOVED)),
        ("/copy", crawled.cut(f"{LONG}/canonical")),
    }


def test_no_result_has_a_whole_long_url(crawled: Crawled) -> None:
    most = LONGEST + len("#cut:100000:") + 32
    for done in (crawled.first, crawled.second):
        tables = [done.exports / name for name in ("ledger.csv", "issues.csv", "media.csv", "pages.csv")]
        cells = [cell for path in tables for row in csv.reader(path.read_text().splitlines()) for cell in row]
        assert max(map(len, cells)) <= 2 * most  # the detail of an issue may name a URL
        records = (
            duckdb.connect().execute("SELECT * FROM read_json(?)", [str(done.folder / "records" / "*.gz")]).fetchall()
        )
        assert records
        assert max(len(str(value)) for row in records for value in row if isinstance(value, str)) <= most
    media = crawled.first.exports / "media.csv"
    assert crawled.cut(IMAGE) in media.read_text()


def test_a_long_url_is_explained_whole_or_cut(crawled: Crawled) -> None:
    store = LocalStore(crawled.folder)
    for url in (crawled.origin + LONG, crawled.cut(LONG)):
        lines = dict(explain_url(url, crawled.first.row, store).lines(scored=False))
        assert lines["URL"] == crawled.cut(LONG)
        assert "max_url_length" in lines["because"]
    store.close()


def test_a_listed_url_that_is_too_long_is_skipped(tmp_path: Path) -> None:
    with SiteServer(site()) as server:
        settings = replace(QUICK, max_url_length=LONGEST, discovery=Discovery.LIST)
        done = crawl_inline(server.url, tmp_path, replace(settings, urls=(server.origin + LONG, server.url)))
        rows = [(row["url"], row["state"], row["reason"]) for row in done.ledger()][:2]
    assert rows == [(cut(server.origin + LONG), "skipped", "url_too_long"), (server.url, "fetched", "")]
