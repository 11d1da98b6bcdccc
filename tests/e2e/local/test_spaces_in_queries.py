"""Pages with a space in their query: `?q=a+b` and `?q=a%20b` are one page, which earlier versions took for two."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from msgspec.structs import replace
from tests.support.crawling import QUICK, Done, crawl_inline

from wavecrawl.adapters.memory_files import memory_prefix
from wavecrawl.application.explain_url import explain_url
from wavecrawl.application.pages import page_content
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.urls import url as urls
from wavecrawl.domain.urls.earlier_keys import earlier_key
from wavecrawl.domain.urls.url import Identity

PLUS, ESCAPED, SIGN = "/s?q=a+b", "/t?q=c%20d", "/s?q=a%2Bb"
OTHERS = {PLUS: "/s?q=a%20b", ESCAPED: "/t?q=c+d"}


def page(path: str, *links: str) -> Page:
    name = f"Page {path.replace('+', ' ').replace('%20', ' ')}"
    etag = f'"{name} {links}"'
    return Page(
        path=path, title=name, text=(f"{name} has a text.",), links=tuple(Link(to=to) for to in links), etag=etag
    )


def site(*links: str) -> Site:
    return Site(pages=(page("/", *links), *map(page, links)))


class Twice:
    """A site that was crawled by an earlier version, then by this one."""

    def __init__(self, folder: Path, first: Done, second: Done, origin: str) -> None:
        self.store = LocalStore(folder)
        self.first = first
        self.second = second
        self.origin = origin

    def states(self, done: Done) -> dict[str, str]:
        """Return the states of URLs by path."""
        return {row["url"].removeprefix(self.origin): row["state"] for row in done.ledger()}


def as_earlier(url: str, folder: Path) -> Done:
    """Crawl as an earlier version: `+` stays as it is in keys, and the memory lacks the column of this version."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(urls, "as_spaces", lambda query: query)
        urls._cached.cache_clear()
        done = crawl_inline(url, folder)
    urls._cached.cache_clear()
    (memory,) = (folder / memory_prefix(done.row.id)).glob("*.parquet")
    with duckdb.connect() as db:
        db.execute("CREATE TABLE old AS SELECT * EXCLUDE (spaces) FROM read_parquet($1)", [str(memory)])
        db.execute(f"COPY old TO '{memory}' (FORMAT parquet)")
    return done


@pytest.fixture(name="twice", scope="module")
def a_site_crawled_twice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Twice]:
    folder = tmp_path_factory.mktemp("data")
    with SiteServer(site(PLUS, ESCAPED, SIGN)) as server:
        first, port, origin = as_earlier(server.url, folder), server.port, server.origin
    with SiteServer(site(OTHERS[PLUS], OTHERS[ESCAPED], SIGN), port=port) as server:
        second = crawl_inline(server.url, folder, replace(QUICK, files_at_once=()))
    twice = Twice(folder, first, second, origin)
    yield twice
    twice.store.close()


def test_each_page_is_requested_once_as_its_first_link_has_it(tmp_path: Path) -> None:
    links = (PLUS, OTHERS[PLUS], OTHERS[ESCAPED], ESCAPED, SIGN)
    with SiteServer(Site(pages=(page("/", *links), page(PLUS), page(OTHERS[ESCAPED]), page(SIGN)))) as server:
        done = crawl_inline(server.url, tmp_path)
        requested = [one.path for one in server.log if "?" in one.path]
    assert sorted(requested) == sorted([PLUS, OTHERS[ESCAPED], SIGN])
    assert {row["state"] for row in done.ledger()} == {"fetched"}
    assert len(done.ledger()) == 4


def test_a_recrawl_finds_the_pages_of_an_earlier_version(twice: Twice) -> None:
    assert twice.states(twice.first) == dict.fromkeys(("/", PLUS, ESCAPED, SIGN), "fetched")
    keys = {row["url"]: row["key"] for row in twice.first.ledger()}
    now = Identity().page_url(twice.origin + PLUS).key
    assert keys[twice.origin + PLUS] == earlier_key(now, twice.origin + PLUS) != now
    assert twice.states(twice.second) == {
        "/": "fetched",  # it has other links
        OTHERS[PLUS]: "unchanged",  # the response is that of the record of the first crawl
        OTHERS[ESCAPED]: "unchanged",
        SIGN: "unchanged",
    }
    known = list(twice.store.memories.histories(twice.second.row.id))
    assert {one.key for one in known} == {row["key"] for row in twice.second.ledger()}
    assert [len(one.observations) for one in known] == [2] * 4
    titles = {line["url"].removeprefix(twice.origin): line["title"] for line in twice.second.pages()}
    assert titles[OTHERS[PLUS]] == "Page /s?q=a b"


def test_the_crawls_have_no_new_and_no_gone_pages(twice: Twice) -> None:
    for crawls in ((twice.first, twice.second), (twice.second, twice.first)):
        counts = twice.store.results.compare(*(done.row.id for done in crawls))
        assert {kind: counts.kinds[kind] for kind in ("new", "gone", "moved")} == {"new": 0, "gone": 0, "moved": 0}
    own = twice.store.results.compare(twice.first.row.id, twice.first.row.id)
    assert set(own.kinds.values()) == {0}


def test_the_earlier_crawl_can_still_be_shown(twice: Twice) -> None:
    found = explain_url(twice.origin + PLUS, twice.first.row, twice.store)
    assert found.ledger is not None
    assert found.record is not None
    assert found.record.url == twice.origin + PLUS
    content = page_content(twice.first.row, found.key, twice.store, limit=10_000)
    assert b"Page /s?q=a b" in content.response.body
