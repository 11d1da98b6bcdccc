"""Crawls of one site that are made, deleted, pruned and rebuilt in any order: the results of each stay as they were.

A later crawl does not store unchanged pages again, so its records refer to what earlier crawls stored.
"""

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from contextlib import closing
from dataclasses import dataclass, field
from gzip import decompress
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile

import duckdb
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from msgspec.structs import replace
from tests.support.campaign import examples, slow
from tests.support.crawling import ALL_FILES, Done, build_results, crawl_inline
from tests.support.fake_browser import FakeBrowser

from wavecrawl.application.crawls import delete_crawls
from wavecrawl.application.pages import hide_page, page_content
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.rendering.settings import RenderMode, RenderSettings, Screenshots
from wavecrawl.ports.crawls import CrawlRow

PATHS = ("/", "/a", "/b", "/c")
PLAIN = replace(ALL_FILES, complete_wacz=True)
RENDERED = replace(PLAIN, render=RenderSettings(mode=RenderMode.ALWAYS, screenshots=Screenshots.ALL))

Contents = Mapping[str, Any]

_DB = duckdb.connect()  # to make one for each file would take most of the time


@dataclass
class Crawled:
    """A crawl that was not deleted, and its results as they were at its end."""

    done: Done
    contents: Contents
    hidden: set[str] = field(default_factory=set)  # url keys


class Lifetimes(RuleBasedStateMachine):
    """One site and its crawls."""

    def __init__(self) -> None:
        super().__init__()
        self.crawls: list[Crawled] = []
        self.versions = dict.fromkeys(PATHS, 0)
        self.new = count(1)
        self.hidden: set[str] = set()  # url keys of pages that were deleted from any crawl
        self.hidden_urls: set[str] = set()  # the URLs of these pages

    @initialize()
    def begin(self) -> None:
        self.folder = TemporaryDirectory(prefix="lifetimes-")
        self.data = Path(self.folder.name)
        with SiteServer(Site(pages=())) as server:
            self.port = server.port
        self.crawl(rendered=True)
        self.versions["/a"] = next(self.new)
        self.crawl(rendered=False)

    def teardown(self) -> None:
        self.folder.cleanup()

    @rule(path=st.sampled_from(PATHS), rendered=st.booleans())
    def crawl_after_a_change(self, path: str, rendered: bool) -> None:  # noqa: FBT001 - a rule
        self.versions[path] = next(self.new)
        self.crawl(rendered=rendered)

    @rule(rendered=st.booleans())
    def crawl_again(self, rendered: bool) -> None:  # noqa: FBT001 - a rule
        self.crawl(rendered=rendered)

    def crawl(self, *, rendered: bool) -> None:
        with SiteServer(self.site(), port=self.port) as server:
            options = RENDERED if rendered else PLAIN
            done = crawl_inline(server.url, self.data, options, browser=FakeBrowser() if rendered else None)
        self.crawls.append(Crawled(done, contents_of(done)))

    def site(self) -> Site:
        pages = []
        for path in PATHS:
            text = f"Version {self.versions[path]} of {path}."
            links = tuple(Link(to=one) for one in PATHS if one != path)
            etag = (
                f'"{self.versions[path]}"' if path != "/b" else ""
            )  # b: the hash of its body shows that it is the same
            pages.append(Page(path=path, title=text, text=(text,), links=links, etag=etag))
        return Site(pages=tuple(pages))

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        if self.crawls:
            self.remove([data.draw(st.sampled_from(range(len(self.crawls))))])

    @rule(keep=st.integers(1, 2))
    def prune(self, keep: int) -> None:
        self.remove(list(range(len(self.crawls) - keep)))

    def remove(self, places: list[int]) -> None:
        with closing(LocalStore(self.data)) as store:
            delete_crawls([row_of(self.crawls[place], store) for place in places], store)
        self.crawls = [one for place, one in enumerate(self.crawls) if place not in places]

    @rule()
    def rebuild(self) -> None:
        with closing(LocalStore(self.data)) as store:
            for crawl in self.crawls:
                build_results(store, row_of(crawl, store), rebuild=True)

    @rule(data=st.data(), path=st.sampled_from(PATHS))
    def delete_a_page(self, data: st.DataObject, path: str) -> None:
        if not self.crawls:
            return
        crawl = data.draw(st.sampled_from(self.crawls))
        key, url = next((page["key"], page["url"]) for page in crawl.done.pages() if page["url"].endswith(path))
        if key not in crawl.hidden:
            with closing(LocalStore(self.data)) as store:
                hide_page(row_of(crawl, store), key, store)
            crawl.hidden.add(key)
            self.hidden.add(key)
            self.hidden_urls.add(url)

    @invariant()
    def check(self) -> None:
        self.results_are_as_they_were()
        self.pages_have_their_content()
        self.nothing_is_left_of_a_site_without_crawls()

    def results_are_as_they_were(self) -> None:
        for crawl in self.crawls:
            now, before = contents_of(crawl.done), crawl.contents
            if self.hidden_urls:  # the screenshots of deleted pages are in no report that is made again
                now, before = (without_screenshots_of(self.hidden_urls, one) for one in (now, before))
            assert now == before

    def pages_have_their_content(self) -> None:
        with closing(LocalStore(self.data)) as store:
            for crawl in self.crawls:
                row = row_of(crawl, store)
                for page in crawl.done.pages():
                    if page["key"] not in self.hidden:  # deleted from a crawl: perhaps from the one that stored it
                        assert page["title"] in body(store, row, page["key"])
                        name = page["screenshot"]
                        assert not name or store.screenshots.get(name)

    def nothing_is_left_of_a_site_without_crawls(self) -> None:
        if not self.crawls:
            left = [
                path for path in (self.data / "tenants").rglob("*") if path.is_file() and "memory" not in path.parts
            ]
            assert not left


def row_of(crawl: Crawled, store: LocalStore) -> CrawlRow:
    row = store.crawls.read(crawl.done.row.id)
    assert row is not None
    return row


def body(store: LocalStore, crawl: CrawlRow, key: str) -> str:
    return page_content(crawl, key, store, limit=1_000_000).response.body.decode()


def contents_of(done: Done) -> Contents:
    """Return the content of all results and the figures of a crawl."""
    with closing(LocalStore(done.folder.parents[5])) as store:
        row = store.crawls.read(done.row.id)
    assert row is not None
    return {path.name: _content(path) for path in sorted(done.exports.iterdir())} | {"outcome": row.outcome}


def without_screenshots_of(urls: AbstractSet[str], contents: Contents) -> Contents:
    """Return the content of all results, that of the report without the screenshots of some pages.

    The number of screenshots is left out too, and so is a section that has none.
    """
    named = tuple(f'href="{url}"' for url in urls)

    def kept(figure: re.Match[str]) -> str:
        return "" if any(one in figure[0] for one in named) else figure[0]

    def shortened(section: re.Match[str]) -> str:
        text = re.sub(r"<figure>.*?</figure>", kept, section[0], flags=re.DOTALL)
        return re.sub(r"Shows \d+ of \d+ screenshots\. ", "", text) if "<figure>" in text else ""

    section = re.compile(r'<section id="screenshots">.*?</section>', re.DOTALL)
    report, count = section.subn(shortened, contents["report.html"])
    assert count <= 1
    return {**contents, "report.html": report}


def _content(path: Path) -> Any:
    match path.suffixes[-1]:
        case ".parquet":
            return _DB.execute("SELECT * FROM read_parquet(?)", [str(path)]).fetchall()
        case ".gz":
            return decompress(path.read_bytes())
        case ".wacz":
            with ZipFile(path) as package:
                return sorted(package.namelist()), package.read("pages/pages.jsonl")
        case _:
            return path.read_text(encoding="utf-8")


@slow
def test_results_stay_as_they_were_whatever_is_deleted_and_rebuilt() -> None:
    run_state_machine_as_test(
        Lifetimes,
        settings=settings(
            max_examples=examples(2, long=10),  # each crawls several times: half a minute of CPU time
            stateful_step_count=examples(6, long=20),
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.parametrize("deleted", [pytest.param([1], marks=slow), [0, 1]])
def test_the_last_of_three_crawls_stays_as_it_was(deleted: list[int]) -> None:
    site = Lifetimes()
    site.begin()
    site.versions["/c"] = next(site.new)
    site.crawl(rendered=True)
    site.remove(deleted)
    site.check()
    site.rebuild()
    site.check()
    site.crawl(rendered=False)
    site.rebuild()
    site.check()
    site.remove(list(range(len(site.crawls))))
    site.check()
    site.teardown()
