"""What a site remembers of its pages between crawls."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from wavecrawl.domain.crawl.job import CrawlId, Validators
from wavecrawl.domain.crawl.site_changes import SiteChanges
from wavecrawl.domain.recrawl.history import LastmodTrust, PageHistory


class Lastmod(NamedTuple):
    """The date of a page in a sitemap or feed."""

    key: str  # url key
    lastmod: str  # W3C date or date and time


class PageMemories(Protocol):
    """Page memories by site (that of `crawl`) and url key. Contract: tests/contract/test_page_memories.py.

    Media URLs are remembered in the same way, in memories of their own: `remember` takes files of the table `media`.
    """

    def any(self, crawl: CrawlId) -> bool:
        """Return whether the site may remember a page."""
        ...

    def validators(self, crawl: CrawlId, keys: Sequence[str]) -> Mapping[str, Validators]:
        """Return the validators and hashes of the pages that have any, by url key.

        They are those from before the crawl, or newer ones.
        """
        ...

    def remember(self, crawl: CrawlId, pages: Sequence[Path], *, without: Collection[str] = ()) -> None:
        """Add the pages of a crawl, except `without`: files of the table `pages` (`ports.parts`), in any order.

        A page that is remembered as of a later request stays as it is. So a repeat changes nothing, and files may
        overlap or come late. An interrupted call leaves some pages remembered and some not; a repeat completes it.
        Raise StoreBusyError if other processes write the same memory all the time.
        """
        ...

    def conclude(
        self,
        crawl: CrawlId,
        urls: Sequence[Path],
        lastmods: Iterable[Lastmod],
        *,
        since: float,
        ended_at: float,
        is_whole: bool,
    ) -> None:
        """Add what only a whole crawl shows. Its pages must be remembered already; a repeat changes nothing.

        `since`: the Unix seconds from which on requests may belong to the crawl.
        `urls`: files of the table `urls`. `lastmods`: the dates of sitemaps and feeds. If the crawl requested a page,
        its date is remembered, and whether a newer one came with a change.
        `is_whole`: whether the crawl requested all pages that it found. Pages that it did not find are marked as
        deleted, unless a page could not be read that was read before: it may lead to them.
        Raise StoreBusyError if other processes write the same memory all the time.
        """
        ...

    def histories(self, crawl: CrawlId, *, failures: int = 0) -> Iterator[PageHistory]:
        """Yield what is known of each page, by depth and URL; deleted pages have a date.

        `failures`: yield only pages that failed in at least this many crawls in a row.
        """
        ...

    def lastmod_trust(self, crawl: CrawlId) -> LastmodTrust:
        """Return how often newer dates in sitemaps and feeds came with a change."""
        ...

    def changes(
        self, crawl: CrawlId, pages: Sequence[Path], *, since: float, ledger: Path | None = None
    ) -> SiteChanges:
        """Compare the pages of a crawl with those of earlier crawls. Its pages must be remembered already.

        `since`: the Unix seconds from which on requests may belong to the crawl.
        `ledger`: the `ledger.csv` of the crawl before. Pages that a limit kept it from reading are not new. A file
        that cannot be read counts as empty.
        """
        ...

    def forget(self, crawl: CrawlId, key: str, *, now: float) -> None:
        """Forget a page as of `now`, in Unix seconds; the next crawl fetches it like a new one."""
        ...
