"""The change history of a site's pages as a file: how often they changed, and when they are due."""

import csv
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.recrawl.history import ChangeRates, PageHistory
from wavecrawl.domain.recrawl.settings import RecrawlSettings
from wavecrawl.domain.urls.templates import template_of
from wavecrawl.ports.page_memories import PageMemories

NAME = "history.csv"

_DAY = 86_400.0
_COLUMNS = (
    "url", "depth", "first_seen", "last_seen", "last_changed", "observations", "text_changes", "link_changes",
    "failures", "lastmod", "changes_per_day", "template", "template_changes_per_day", "interval_days", "due",
    "deleted", "key",
)  # fmt: skip


def write_history(crawl: CrawlId, settings: RecrawlSettings, memories: PageMemories, folder: Path) -> Path:
    """Write history.csv: all pages that the site knows, by depth and URL; deleted pages have no due date."""
    rates = ChangeRates(settings=settings)
    rates.add(memories.histories(crawl))
    with (folder / NAME).open(  # Excel needs the mark of UTF-8
        "w", encoding="utf-8-sig", newline=""
    ) as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(_COLUMNS)
        rows.writerows(tuple(_row(page, rates)) for page in memories.histories(crawl))
    return folder / NAME


def _row(page: PageHistory, rates: ChangeRates) -> Iterator[str | int]:
    """Yield the values of a page, in the order of the columns."""
    yield page.url
    yield page.depth
    yield from map(_date, (page.first_seen, page.last_seen, page.last_changed))
    yield len(page.observations)
    yield sum(one.text for one in page.observations)
    yield sum(one.links for one in page.observations)
    yield page.failures
    yield page.lastmod
    yield f"{rates.rate(page) * _DAY:.6f}"
    yield template_of(page.url)
    yield f"{rates.expected(page.url) * _DAY:.6f}"
    yield f"{rates.interval(page) / _DAY:.2f}"
    yield "" if page.deleted_at else _date(rates.next_due(page))
    yield _date(page.deleted_at)
    yield page.key


def _date(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}" if seconds else ""
