"""Pages with long texts: parts and results are made in little memory."""

import gzip
import json
from pathlib import Path
from random import Random

import msgspec
from tests.support.campaign import slow

from wavecrawl.adapters.analytics.build import DuckDbAnalytics
from wavecrawl.adapters.analytics.part_writer import DuckDbPartWriter
from wavecrawl.domain.crawl.ledger import FoundBy, Phase, UrlChange
from wavecrawl.domain.crawl.record import PageRecord, Reason
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.pages.page import PageFacts
from wavecrawl.ports.analytics import AnalyticsInputs, CrawlFacts
from wavecrawl.ports.parts import Table, file_of

PAGES = 15
LENGTH = 5_000_000  # characters
MEMORY_MB = 300  # of DuckDB


@slow  # 75 MB of texts
def test_long_texts_are_exported_whole(tmp_path: Path) -> None:
    texts = [text_of(number) for number in range(PAGES)]
    records = tmp_path / "000001-000000-1.jsonl.gz"
    with gzip.open(records, "wb", compresslevel=1) as file:
        file.writelines(msgspec.json.encode(record_of(*page)) + b"\n" for page in enumerate(texts))
    part = tmp_path / "part"
    part.mkdir()
    DuckDbPartWriter().write(1, [records], [change_of(number) for number in range(PAGES)], part)
    files = {table: [part / file_of(table)] for table in Table if (part / file_of(table)).is_file()}
    inputs = AnalyticsInputs(parts=files, sitemap=(), notices=(), crawl=facts(), folder=tmp_path / "exports")
    summary = DuckDbAnalytics(memory_mb=MEMORY_MB).build(inputs)
    assert (summary.notices, summary.pages) == ((), PAGES)
    with gzip.open(tmp_path / "exports" / "pages.jsonl.gz") as file:
        found = {page["key"]: page["text"] for page in map(json.loads, file)}
    assert list(found) == [key_of(number) for number in range(PAGES)]
    assert [found[key_of(number)] == text for number, text in enumerate(texts)] == [True] * PAGES


def text_of(number: int) -> str:
    """Return words; their number makes two pieces of any page different."""
    return Random(number).randbytes(LENGTH // 2).hex(" ", 4)[:LENGTH].strip()


def url_of(number: int) -> str:
    """Return the URL of a page; page 0 is the root."""
    return f"https://example.com/{number or ''}"


def key_of(number: int) -> str:
    """Return the url key of a page."""
    return f"{number:032x}"


def record_of(number: int, text: str) -> PageRecord:
    """Return the record of a page."""
    return PageRecord(
        key=key_of(number),
        url=url_of(number),
        depth=0,
        state=UrlState.FETCHED,
        status=200,
        is_html=True,
        facts=PageFacts(text=text, word_count=LENGTH // 8, text_hash=key_of(number)),
    )


def change_of(number: int) -> UrlChange:
    """Return the change of a page's URL."""
    return UrlChange(
        id=number,
        url=url_of(number),
        key=key_of(number),
        state=UrlState.FETCHED,
        reason=Reason.NONE,
        detail="",
        depth=0,
        parent=None,
        found_by=FoundBy.LIST,
        phase=Phase.BFS,
        found_in=1,
        found_at=1.0,
        tries=1,
        batch_wave=1,
        batch=0,
    )


def facts() -> CrawlFacts:
    """Return the facts of a crawl of a list of URLs."""
    return CrawlFacts(
        crawl="c",
        site="s",
        root_url=url_of(0),
        root_key=key_of(0),
        status="completed",
        stopped="",
        started_at=1.0,
        finished_at=2.0,
        settings={**msgspec.to_builtins(CrawlSettings()), "discovery": "list"},
        version="1",
        follow_nofollow=False,
    )
