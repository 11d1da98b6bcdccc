"""Exports: the files of a crawl's results and their download URLs."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from wavecrawl.domain.crawl.job import CrawlId

LIFETIME = 3600
"""Seconds for which a signed URL is valid; in S3, shorter if the credentials that signed it expire earlier."""

_TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".gz": "application/gzip",
    ".html": "text/html; charset=utf-8",
    ".jpg": "image/jpeg",
    ".json": "application/json",
    ".parquet": "application/vnd.apache.parquet",
    ".txt": "text/plain; charset=utf-8",
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
    """Return the file name for a download, with the site and the crawl."""
    return f"{crawl.site}-{crawl.crawl}-{name.replace('/', '-')}"


class Exports(Protocol):
    """The exports of each crawl. Contract: tests/contract/test_exports.py."""

    def of(self, crawl: CrawlId) -> list[Export]:
        """Return the files by name."""
        ...

    def signed_url(self, crawl: CrawlId, export: Export) -> str:
        """Return a download URL of a file, valid for `LIFETIME` and without an API key."""
        ...
