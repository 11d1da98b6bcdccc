"""Parts: the columnar tables of a crawl, from which its results and queries derive.

A part is written once, and named by the last wave that it covers: part n covers the waves after the part before it, up
to n. The parts up to n are the crawl as of wave n.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.ledger import UrlChange
from wavecrawl.domain.crawl.record import PageRecord


class Table(StrEnum):
    """The tables of a part.

    - `pages`: the terminal page records, in order of wave, batch and position
    - `edges`: their links, one row each, in page order. A redirect is in its page's row
    - `urls`: the URLs that changed, as they are at the end of the part, in order of discovery
    - `texts`: the main texts of the pages, and the texts of documents, in pieces
    - `media`: the media URLs that changed, as they are at the end of the part, with their assets
    - `media_uses`: what pages use, one row for each page and media URL, in page order
    - `checks`: the checked URLs that changed, as they are at the end of the part
    - `resource_uses`: what pages and checked stylesheets load, one row for each of them and resource, in page order

    A URL can have more than one terminal record if an earlier one was damaged when the planner read it. The first one
    counts (`fetched_at`). `key` and `wave` identify a record; its links have them as `source_key` and `wave`.
    """

    PAGES = "pages"
    EDGES = "edges"
    TEXTS = "texts"
    MEDIA = "media"
    MEDIA_USES = "media_uses"
    CHECKS = "checks"
    RESOURCE_USES = "resource_uses"
    URLS = "urls"  # stored last: a part exists if this table does


def file_of(table: Table) -> str:
    """Return the name of a table's file in the folder of a new part."""
    return f"{table.value}.parquet"


class Parts(Protocol):
    """The stored parts of crawls. Contract: tests/contract/test_parts.py. `ports.erasure` deletes them."""

    def numbers(self, crawl: CrawlId) -> list[int]:
        """Return the numbers of the stored parts, in order."""
        ...

    def store(self, crawl: CrawlId, number: int, folder: Path) -> None:
        """Store a part: the files of `folder`, named by `file_of`. A stored part of this number is replaced."""
        ...

    def files(self, crawl: CrawlId, table: Table, numbers: Sequence[int]) -> list[Path]:
        """Return local files with a table of these parts, in this order. A part without rows of it has none."""
        ...


class Folds(Protocol):
    """Requests to fold waves into parts while the crawl goes on."""

    def request(self, crawl: CrawlId, number: int) -> None:
        """Request that part `number` is stored soon. If it never is, a later part or the crawl's end makes it."""
        ...


class NoFolds:
    """`Folds` of crawls whose parts are made when they end."""

    def request(self, crawl: CrawlId, number: int) -> None:
        """Do nothing."""


class PartWriter(Protocol):
    """Writes parts."""

    def write(
        self,
        number: int,
        records: Sequence[Path],
        changes: Iterable[UrlChange],
        folder: Path,
        *,
        contents: Callable[[Sequence[str]], Mapping[str, PageRecord]] = lambda _: {},
        media: Iterable[UrlChange] = (),
        may_lack: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """Write the tables of part `number` into an empty folder.

        `media`: the changes of media URLs and checked URLs.

        `records` are gzipped JSON Lines of PageRecord, named by batch and attempt, in gather order. `contents` returns
        the records at places (`ports.archive.Archive.contents`): that of an unchanged page refers to one of an earlier
        crawl. If that no longer exists, and `may_lack` returns True for the url key of the page, the rows of the page
        have no content. A table without rows has no file, except `urls`. The same input always gives the same rows in
        the same order. The memory needed does not depend on the size of the part, except for the keys of its pages, its
        media and checked URLs. Raise CorruptDataError if the record of a fetched page is missing, or the content of an
        unchanged one.
        """
        ...
