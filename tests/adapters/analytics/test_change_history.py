"""The history of changes in a page memory: observations, failures, deleted pages, dates of sitemaps."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.page_memories import Page, memory_rows, write_pages, write_urls

from wavecrawl.adapters.analytics.page_memories import ParquetPageMemories
from wavecrawl.adapters.embedded.memory_files import FolderMemoryFiles
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.site_changes import requests_since
from wavecrawl.domain.recrawl.history import LastmodTrust, Observation
from wavecrawl.errors import StoreBusyError
from wavecrawl.ports.page_memories import Lastmod

CRAWL = CrawlId(tenant="t", site="example.com", crawl="c1")
KEY = "a" * 32
PAGE = Page(key=KEY, text_hash="t1", link_hash="l1", fetched_at=100.0, depth=2)


class Site:
    """A site whose crawls meet pages."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files = FolderMemoryFiles(root)
        self.memories = ParquetPageMemories(self.files, lambda: root)
        self._written = 0

    def meet(self, *pages: Page) -> None:
        self._written += 1
        self.memories.remember(CRAWL, [write_pages(self.root / f"{self._written}.parquet", pages)])

    def conclude(
        self,
        urls: Sequence[tuple[str, str, int]],
        *,
        started_at: float,
        lastmods: Sequence[Lastmod] = (),
        is_whole: bool = True,
    ) -> None:
        """End a crawl that met these URLs: key, state, part."""
        path = write_urls(self.root / "urls.parquet", urls)
        self.memories.conclude(
            CRAWL, [path], lastmods, since=requests_since(started_at, 0.0), ended_at=started_at + 50, is_whole=is_whole
        )

    @property
    def rows(self) -> list[dict[str, Any]]:
        return memory_rows(self.root, CRAWL)

    @property
    def deleted(self) -> dict[str, float]:
        return {row["key"][0]: row["deleted_at"] for row in self.rows}


@pytest.fixture(name="site")
def a_site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_text_and_links_change_apart(site: Site) -> None:
    site.meet(PAGE)
    site.meet(replace(PAGE, text_hash="t2", fetched_at=200.0))
    site.meet(replace(PAGE, state="unchanged", text_hash="t2", fetched_at=300.0))
    site.meet(replace(PAGE, text_hash="t2", link_hash="l2", fetched_at=400.0, depth=3))
    (page,) = site.memories.histories(CRAWL)
    assert page.observations == (
        Observation(at=100.0, text=False, links=False),
        Observation(at=200.0, text=True, links=False),
        Observation(at=300.0, text=False, links=False),
        Observation(at=400.0, text=False, links=True),
    )
    assert (page.key, page.depth, page.last_seen, page.failures) == (KEY, 3, 400.0, 0)


def test_a_page_without_text_changes_with_its_body(site: Site) -> None:
    for number, body in enumerate("aab"):
        site.meet(Page(key=KEY, body_hash=body, fetched_at=100.0 + number))
    (page,) = site.memories.histories(CRAWL)
    assert [one.text for one in page.observations] == [False, False, True]


def test_the_last_sixteen_observations_are_kept(site: Site) -> None:
    for number in range(18):
        site.meet(replace(PAGE, fetched_at=100.0 + number))
    (page,) = site.memories.histories(CRAWL)
    assert [one.at for one in page.observations] == [102.0 + number for number in range(16)]


def test_failures_in_a_row_are_counted_and_the_text_stays(site: Site) -> None:
    site.meet(PAGE)
    for number, state in enumerate(("failed", "http_error", "forbidden"), 1):
        site.meet(Page(key=KEY, state=state, fetched_at=100.0 + number))
    assert [(row["failures"], row["text_hash"], row["state"]) for row in site.rows] == [(3, "t1", "forbidden")]
    site.meet(replace(PAGE, state="unchanged", fetched_at=200.0))
    assert [row["failures"] for row in site.rows] == [0]


def test_a_gone_page_is_deleted_as_of_the_first_crawl_that_missed_it(site: Site) -> None:
    site.meet(PAGE)
    for number in range(1, 3):
        site.meet(Page(key=KEY, state="not_found", fetched_at=100.0 + number))
    assert site.deleted == {"a": 101.0}
    assert [page.deleted_at for page in site.memories.histories(CRAWL)] == [101.0]
    site.meet(Page(key=KEY, state="failed", fetched_at=200.0))
    assert site.deleted == {"a": 101.0}
    assert [row["text_hash"] for row in site.rows] == ["t1"]
    site.meet(replace(PAGE, fetched_at=300.0))
    assert site.deleted == {"a": 0.0}


B = replace(PAGE, key="b" * 32, fetched_at=1_010.0)
READ = (B.key, "fetched", 1)


@pytest.mark.parametrize(
    ("urls", "is_whole", "since"),
    [
        ([READ], True, 999.0),
        ([READ], False, 0.0),  # the crawl was stopped, or did not request everything
        ([READ, (KEY, "skipped", 1)], True, 0.0),  # still linked
        ([(B.key, "failed", 2), READ], True, 0.0),  # it may lead to others; the last part counts
        ([READ, ("c" * 32, "failed", 2)], True, 999.0),  # this one never led anywhere
    ],
)
def test_a_page_that_nothing_leads_to_is_deleted(
    site: Site, urls: list[tuple[str, str, int]], *, is_whole: bool, since: float
) -> None:
    site.meet(PAGE, B)
    for _ in range(2):  # as after a crash
        site.conclude(urls, started_at=1_000.0, is_whole=is_whole)
        assert site.deleted == {"a": since, "b": 0.0}


def test_a_later_crawl_is_not_undone_by_a_late_repeat(site: Site) -> None:
    site.meet(PAGE, B)
    site.meet(replace(PAGE, fetched_at=2_000.0))  # found again
    site.conclude([READ], started_at=1_000.0, lastmods=[Lastmod(KEY, "2026-01-01")])
    assert site.deleted == {"a": 0.0, "b": 0.0}
    assert site.rows[0]["lastmod"] == ""


def test_newer_dates_are_right_if_the_page_had_changed(site: Site) -> None:
    def crawl(at: float, date: str, **changes: str) -> None:
        site.meet(replace(PAGE, fetched_at=at, **changes))  # type: ignore[arg-type] # names of texts
        for _ in range(2):  # as after a crash
            site.conclude([(KEY, "fetched", 1)], started_at=at, lastmods=[Lastmod(KEY, date)])

    crawl(1_000.0, "2026-01-01")
    assert site.memories.lastmod_trust(CRAWL) == LastmodTrust()
    crawl(2_000.0, "2026-01-01", text_hash="t2")
    assert site.memories.lastmod_trust(CRAWL) == LastmodTrust()
    crawl(3_000.0, "2026-01-03", text_hash="t2")
    assert site.memories.lastmod_trust(CRAWL) == LastmodTrust(dates=1, right=0)
    crawl(4_000.0, "2026-01-04", text_hash="t2", link_hash="l2")
    assert site.memories.lastmod_trust(CRAWL) == LastmodTrust(dates=2, right=1)
    (page,) = site.memories.histories(CRAWL)
    assert page.lastmod == "2026-01-04"


def test_a_date_counts_only_if_the_page_was_requested(site: Site) -> None:
    site.meet(PAGE)
    site.conclude([(KEY, "skipped", 1)], started_at=1_000.0, lastmods=[Lastmod(KEY, "2026-01-01")])
    assert [row["lastmod"] for row in site.rows] == [""]


def test_nothing_is_concluded_without_pages(site: Site) -> None:
    site.conclude([READ], started_at=1_000.0)
    assert not site.memories.any(CRAWL)
    assert list(site.memories.histories(CRAWL)) == []
    assert site.memories.lastmod_trust(CRAWL) == LastmodTrust()


def test_a_memory_that_another_process_writes_is_read_again(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.meet(PAGE, B)
    replaced: Callable[..., bool] = site.files.replace
    overtaken: list[str] = []

    def replace_late(crawl: CrawlId, name: str, path: Path, *, version: str) -> bool:
        if not overtaken:
            overtaken.append(name)
            monkeypatch.setattr(site.files, "replace", replaced)
            site.meet(replace(PAGE, fetched_at=1_020.0))
        return replaced(crawl, name, path, version=version)

    monkeypatch.setattr(site.files, "replace", replace_late)
    site.conclude([READ], started_at=1_000.0)
    assert overtaken
    assert site.deleted == {"a": 0.0, "b": 0.0}
    monkeypatch.setattr(site.files, "replace", lambda *_, **__: False)
    with pytest.raises(StoreBusyError):
        site.conclude([READ], started_at=3_000.0, lastmods=[Lastmod(KEY, "2026-01-01")])
