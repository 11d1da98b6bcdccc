from collections.abc import Iterator
from pathlib import Path

import pytest

from wavecrawl.adapters.embedded.crawls import SqliteCrawls
from wavecrawl.adapters.embedded.database import Database
from wavecrawl.application.crawls import list_crawls
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.ports.crawls import CrawlRow


@pytest.fixture(name="crawls")
def some_crawls(tmp_path: Path) -> Iterator[SqliteCrawls]:
    """250 crawls of two sites. Every hundredth failed."""
    database = Database(tmp_path / "test.sqlite")
    crawls = SqliteCrawls(database)
    for number in range(250):
        id_ = CrawlId(tenant="t", site=f"s{number % 2}", crawl=f"c{number:03d}")
        assert crawls.create(CrawlRow(id=id_, start_url="u", root_url="", settings=CrawlSettings())) is None
        failed = number % 100 == 0
        crawls.finish(id_, status=CrawlStatus.FAILED if failed else CrawlStatus.COMPLETED, now=1.0)
    yield crawls
    database.close()


def names(
    crawls: SqliteCrawls, *, site: str = "", status: CrawlStatus | None = None, limit: int = 2
) -> list[list[str]]:
    """Return the names on each page."""
    pages, before = [], ""
    while True:
        page = list_crawls(crawls, "t", site=site, status=status, limit=limit, before=before)
        pages.append([row.id.crawl for row in page.crawls])
        before = page.following
        if not before:
            return pages


def test_a_status_is_found_wherever_it_is(crawls: SqliteCrawls) -> None:
    assert names(crawls, status=CrawlStatus.FAILED) == [["c200", "c100"], ["c000"]]


def test_a_status_that_no_crawl_has(crawls: SqliteCrawls) -> None:
    assert names(crawls, status=CrawlStatus.RUNNING) == [[]]


def test_crawls_of_one_site(crawls: SqliteCrawls) -> None:
    assert names(crawls, site="s1", limit=100) == [
        [f"c{number:03d}" for number in range(249, 49, -2)],
        [f"c{number:03d}" for number in range(49, 0, -2)],
    ]
    assert names(crawls, site="s1", status=CrawlStatus.FAILED) == [[]]
    assert names(crawls, site="none") == [[]]


def test_a_list_reads_a_limited_number_of_crawls_per_request(
    crawls: SqliteCrawls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wavecrawl.application.crawls._ROWS_PER_READ", 10)
    page = list_crawls(crawls, "t", status=CrawlStatus.FAILED, limit=5)
    assert ([row.id.crawl for row in page.crawls], page.following) == (["c200"], "c150")
