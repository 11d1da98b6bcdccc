"""Exports: the files of a crawl's results, and how people get them (spec [39])."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from wavecrawl.domain.crawl.job import CrawlId

LIFETIME = 3600
"""Seconds a signed URL is good for. One of S3 ends earlier where the credentials that signed it do."""

_TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".gz": "application/gzip",
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".parquet": "application/vnd.apache.parquet",
    ".wacz": "application/wacz",
    ".xml": "application/xml",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """One file of a crawl's results."""

    name: str  # below exports/
    bytes: int
    content_type: str


def content_type_of(name: str) -> str:
    """Return the media type of an exported file."""
    return _TYPES.get(Path(name).suffix, "application/octet-stream")


def saved_as(crawl: CrawlId, name: str) -> str:
    """Return the name that a download is saved under: it says what it is of."""
    return f"{crawl.site}-{crawl.crawl}-{name.replace('/', '-')}"


class Exports(Protocol):
    """The exports of each crawl. Contract: tests/contract/test_exports.py."""

    def of(self, crawl: CrawlId) -> list[Export]:
        """Return the files there are, by name."""
        ...

    def signed_url(self, crawl: CrawlId, export: Export) -> str:
        """Return a URL that downloads a file, valid for `LIFETIME`; whoever has it needs no key."""
        ...
