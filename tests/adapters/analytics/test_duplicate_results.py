"""Duplicates in the results: pages, duplicates.csv, summary, sitemap, API."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace
from tests.adapters.analytics.results_service import ResultsService
from tests.support.crawling import ALL_FILES, Done, crawl_inline, table

from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.objectives import ObjectiveSettings
from wavecrawl.domain.crawl.states import CrawlStatus

_WORDS = [f"word{number}" for number in range(2_000)]
_RANDOM = Random(16)
_SAME, _OTHER = (" ".join(_RANDOM.sample(_WORDS, 600)) for _ in range(2))
_NEARLY = _SAME.replace(" ", " changed ", 1)
_SIMILAR = " ".join(["different"] * 12 + _SAME.split()[45:] + _RANDOM.sample(_WORDS, 45))
_SITE = Site(
    pages=(
        Page(
            path="/",
            title="Home",
            text=("Welcome.",),
            links=tuple(Link(to=to) for to in ("/print", "/same", "/nearly", "/similar", "/other")),
        ),
        Page(path="/print", title="Same", text=(_SAME,), headers=(("Link", '</same>; rel="canonical"'),)),
        Page(path="/same", title="Same", text=(_SAME,)),
        Page(path="/nearly", title="Nearly", text=(_NEARLY,)),
        Page(path="/similar", title="Similar", text=(_SIMILAR,)),
        Page(path="/other", title="Other", text=(_OTHER,)),
    )
)

_SETTINGS = replace(ALL_FILES, objectives=ObjectiveSettings(density=0.6, discard_rate=0.4))


class Results:
    """A crawl with duplicates, and the API over it."""

    def __init__(self, service: ResultsService, done: Done) -> None:
        self.service = service
        self.done = done
        self.pages = {page["url"].rpartition("/")[2].title() or "Home": page for page in done.pages()}

    def get(self, path: str, **query: str) -> Any:
        """Get a resource of the crawl."""
        return self.service.ask("GET", f"/v1/crawls/{self.done.row.id.crawl}/{path}", query=query)

    def listed(self, **query: str) -> list[str]:
        """Return the last parts of the URLs of duplicates."""
        found: list[str] = []
        while True:
            body = self.get("duplicates", **query).body
            found += [one["url"].rpartition("/")[2] for one in body["duplicates"]]
            if body["next_cursor"] is None:
                return found
            query["cursor"] = body["next_cursor"]


@pytest.fixture(scope="module", name="crawled")
def _crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    folder = tmp_path_factory.mktemp("duplicates")
    with SiteServer(_SITE) as server:
        return folder, crawl_inline(server.url, folder, _SETTINGS)


@pytest.fixture(name="results")
def _results(crawled: tuple[Path, Done]) -> Iterator[Results]:
    folder, done = crawled
    service = ResultsService(folder)
    yield Results(service, done)
    service.close()


def test_pages_name_the_page_that_is_kept(results: Results) -> None:
    pages, kept = results.pages, results.pages["Same"]["url"]
    found = {title: (page["duplicate_of"], page["near_duplicate_of"]) for title, page in pages.items()}
    assert found == {
        "Home": ("", ""),
        "Print": (kept, ""),
        "Same": ("", ""),
        "Nearly": (kept, ""),
        "Similar": ("", kept),
        "Other": ("", ""),
    }
    assert pages["Print"]["similarity"] == 1
    assert pages["Nearly"]["similarity"] > 0.92
    assert 0.85 < pages["Similar"]["similarity"] <= 0.92
    assert pages["Same"].get("similarity") is None


def test_the_duplicate_map_lists_each_of_them(results: Results) -> None:
    rows = table(results.done.exports / "duplicates.csv")
    pages, kept = results.pages, results.pages["Same"]
    assert [(row["url"], row["duplicate_of"], row["kind"], row["cluster"]) for row in rows] == [
        (pages["Print"]["url"], kept["url"], "exact", kept["key"]),
        (pages["Nearly"]["url"], kept["url"], "near", kept["key"]),
        (pages["Similar"]["url"], kept["url"], "review", ""),
    ]
    assert [float(row["similarity"]) for row in rows] == [
        round(pages[title]["similarity"], 4) for title in ("Print", "Nearly", "Similar")
    ]


def test_the_api_lists_duplicates(results: Results) -> None:
    body = results.get("duplicates").body
    kept = results.pages["Same"]
    assert body["total"] == 3
    assert body["duplicates"][0] == {
        "key": results.pages["Print"]["key"],
        "url": results.pages["Print"]["url"],
        "duplicate_of": kept["url"],
        "similarity": 1.0,
        "kind": "exact",
        "cluster": kept["key"],
        "words": results.pages["Print"]["words"],
    }
    assert results.listed(limit="1") == ["print", "nearly", "similar"]
    assert results.listed(kind="review") == ["similar"]
    assert results.listed(cluster=kept["key"], limit="1") == ["print", "nearly"]
    assert results.listed(cluster="0" * 32) == []


def test_a_crawl_without_results_has_no_list_of_duplicates(results: Results) -> None:
    crawls, row = results.service.store.crawls._crawls, results.done.row
    crawls.put(replace(row, status=CrawlStatus.RUNNING))
    assert results.get("duplicates").status == 409
    crawls.put(replace(row, status=CrawlStatus.COMPLETED))


def test_pages_can_be_listed_without_duplicates(results: Results) -> None:
    names = {
        flag: {page["url"].rpartition("/")[2] for page in results.get("pages", duplicate=flag).body["pages"]}
        for flag in ("true", "false")
    }
    assert names == {"true": {"print", "nearly"}, "false": {"", "same", "similar", "other"}}


def test_summary_report_and_statistics_count_them(results: Results) -> None:
    counted = {"exact": 1, "near": 1, "review": 1}
    assert results.done.summary.duplicates == counted
    assert results.get("statistics").body["duplicates"] == counted
    report = (results.done.exports / "report.html").read_text(encoding="utf-8")
    assert "Pages with the same text as another page: 1. With nearly the same text: 1." in report


def test_the_sitemap_lists_a_text_once_and_near_duplicates(results: Results) -> None:
    sitemap = (results.done.exports / "sitemap.xml").read_text(encoding="utf-8")
    assert "/nearly<" in sitemap
    assert "/print<" not in sitemap


def test_objectives_are_measured(results: Results) -> None:
    words = {title: page["words"] for title, page in results.pages.items()}
    content = words["Same"] + words["Similar"] + words["Other"]
    assert (words["Home"] < 50, content) == (True, 1_815)  # the home page is too short
    assert sum(words.values()) == 3_038
    found = {one.name.value: (one.value, one.target, one.met) for one in results.done.summary.objectives}
    assert found == {
        "coverage": (None, None, None),  # no documentation
        "density": (0.5974, 0.6, False),  # 1,815 / 3,038
        "staleness": (None, None, None),
        "discard_rate": (0.3333, 0.4, True),  # print, nearly
        "change_yield": (None, None, None),
    }
    listed = results.get("statistics").body["objectives"]
    assert {one["name"]: (one["value"], one["target"], one["met"]) for one in listed} == found
    report = (results.done.exports / "report.html").read_text(encoding="utf-8")
    assert "<td>density</td><td>0.5974</td><td>0.6</td><td>missed</td>" in report
