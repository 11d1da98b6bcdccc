"""history.csv: how often pages changed, and when they are due."""

import csv
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.page_memories import Page, write_pages

from wavecrawl.adapters.analytics.page_memories import ParquetPageMemories
from wavecrawl.adapters.embedded.memory_files import FolderMemoryFiles
from wavecrawl.application.change_history import NAME, write_history
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.recrawl.settings import RecrawlSettings

CRAWL = CrawlId(tenant="t", site="example.com", crawl="c1")
DAY = 86_400.0
START = 1_767_225_600.0  # 2026-01-01


@pytest.fixture(name="rows")
def history_rows(tmp_path: Path) -> list[dict[str, str]]:
    """Return the rows after four crawls, a day apart: one page changes each time, one never, one is gone at last."""
    memories = ParquetPageMemories(FolderMemoryFiles(tmp_path), lambda: tmp_path)
    for day, state in enumerate(("fetched", "fetched", "fetched", "not_found")):
        pages = [
            Page(key="a" * 32, url="https://example.com/news/1", text_hash=f"{day}", link_hash=f"{day // 2}", depth=1),
            Page(key="b" * 32, url="https://example.com/about", text_hash="t", depth=0),
            Page(key="c" * 32, url="https://example.com/old", text_hash="t", state=state),
            Page(key="d" * 32, url="https://example.com/broken", state="http_error", batch=""),
        ]
        seen = [replace(page, fetched_at=START + day * DAY) for page in pages]
        memories.remember(CRAWL, [write_pages(tmp_path / f"{day}.parquet", seen)])
    write_history(CRAWL, RecrawlSettings(), memories, tmp_path)
    with (tmp_path / NAME).open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_each_page_has_its_history(rows: list[dict[str, str]]) -> None:
    assert [row["url"].rpartition("/")[2] for row in rows] == ["about", "broken", "1", "old"]  # by depth and URL
    about, broken, news, old = rows
    shown = ("first_seen", "last_seen", "last_changed", "observations", "text_changes", "link_changes", "deleted")
    assert [news[name] for name in shown] == [
        "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z", "2026-01-04T00:00:00Z", "4", "3", "1", "",
    ]  # fmt: skip
    assert news["template"] == "https://example.com/news/{n}"
    assert (about["observations"], about["text_changes"], about["last_changed"]) == ("4", "0", "2026-01-01T00:00:00Z")
    assert (broken["failures"], broken["last_changed"]) == ("4", "")
    assert (old["deleted"], old["due"]) == ("2026-01-04T00:00:00Z", "")


def test_a_page_that_changes_is_due_sooner(rows: list[dict[str, str]]) -> None:
    about, _, news, _ = rows
    assert float(news["changes_per_day"]) > float(about["changes_per_day"]) > 0
    assert float(news["template_changes_per_day"]) > float(about["template_changes_per_day"])
    assert 0 < float(news["interval_days"]) < float(about["interval_days"])
    assert "2026-01-04" < news["due"] < about["due"]
