"""Checks with real worker processes: a kill while URLs are checked, and other numbers of workers, change nothing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.support.campaign import CAMPAIGN, slow
from tests.support.killed_crawls import kill_at, run
from tests.support.paused_site import PausedSite

from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer

OPTIONS = [
    "--check-external", "--allow-address", "127.0.0.0/8", "--interval", "0", "--in-flight", "2", "--no-adapt",
    "--wacz-mb", "0",
]  # fmt: skip
URLS = 12  # of the other site; every third is broken
WHILE_CHECKING = 8  # requests to the other site: some URLs are checked then, others are not


def other_site() -> Site:
    pages = (
        Page(path=f"/{number}", title="A page", text=("Text.",), status=404 if number % 3 == 0 else 200)
        for number in range(URLS)
    )
    return Site(pages=(Page(path="/", title="Another site", text=("Text.",)), *pages), name="Another site")


@pytest.fixture(name="other")
def the_other_site() -> Iterator[PausedSite]:
    with PausedSite(other_site()) as server:
        yield server


@pytest.fixture(name="url")
def the_url_of_a_site(other: PausedSite) -> Iterator[str]:
    links = tuple(Link(to=f"{other.origin}/{number}", text=str(number)) for number in range(URLS))
    root = Page(path="/", title="Links", text=("All links.",), links=links)
    with SiteServer(Site(pages=(root,), name="Links")) as server:
        yield server.url


def results(printed: dict[str, Any]) -> list[tuple[Any, ...]]:
    exports = Path(printed["results"])
    columns = "* EXCLUDE (fetched_at, response_ms)"
    checks = duckdb.connect().read_parquet(str(exports / "checks.parquet")).project(columns).fetchall()
    return [*checks, *duckdb.connect().read_csv(str(exports / "issues.csv")).fetchall()]


@slow
def test_a_crawl_that_is_killed_while_it_checks_urls_is_resumed(other: PausedSite, url: str, tmp_path: Path) -> None:
    calm = results(run("crawl", url, "--data", str(tmp_path / "calm"), *OPTIONS, "--workers", "1"))
    assert [row[2] for row in calm[:URLS]] == ["not_found"] * 4 + ["fetched"] * 8
    other.forget()

    data = str(tmp_path / "killed")
    kill_at(other, WHILE_CHECKING, "crawl", url, "--data", data, *OPTIONS, "--workers", "2")
    assert 0 < len({one.path for one in other.log if one.method == "HEAD"}) < URLS
    assert results(run("resume", "--data", data, "--workers", "2")) == calm
    heads = [one.path for one in other.log if one.method == "HEAD"]
    assert len(set(heads)) == URLS
    assert len(heads) <= URLS + 2 * 2  # those in flight when it was killed


@pytest.mark.parametrize("workers", [2, 4] if CAMPAIGN else [4])
@slow
def test_the_number_of_workers_changes_nothing(url: str, tmp_path: Path, workers: int) -> None:
    one = run("crawl", url, "--data", str(tmp_path / "one"), *OPTIONS, "--workers", "1")
    more = run("crawl", url, "--data", str(tmp_path / "more"), *OPTIONS, "--workers", str(workers))
    assert results(more) == results(one)
