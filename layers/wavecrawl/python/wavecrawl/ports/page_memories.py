"""What a site remembers of its pages between crawls."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from wavecrawl.domain.crawl.job import CrawlId, Validators
from wavecrawl.domain.crawl.site_changes import SiteChanges
from wavecrawl.domain.graph.completeness import SiteBlocker
from wavecrawl.domain.recrawl.history import LastmodTrust, PageHistory
from wavecrawl.domain.recrawl.reach import Reach
from wavecrawl.ports.analytics import CrawlFacts
from wavecrawl.ports.parts import Table


class Lastmod(NamedTuple):
    """The date of a page in a sitemap or feed."""

    key: str  # url key
    lastmod: str  # W3C date or date and time


class CrawlEnd(msgspec.Struct, frozen=True, kw_only=True):
    """An ended crawl: what shows whether pages that it did not find are gone."""

    facts: CrawlFacts
    blockers: Sequence[SiteBlocker]  # what it did not read, other than URLs
    since: float  # Unix seconds from which on requests may belong to it
    reach: Reach
    sees_all: bool  # whether it ended as planned, and requests all pages that it finds
    earlier_reach: str = ""  # the stored reach of the crawl before, for pages whose row is of an earlier version
    earlier_since: float = 0.0  # Unix seconds from which on requests may belong to that crawl


class Conclusion(msgspec.Struct, frozen=True, kw_only=True):
    """What an ended crawl shows."""

    proves_absence: bool = False  # whether what no page names any more is gone


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
        parts: Mapping[Table, Sequence[Path]],
        end: CrawlEnd,
        *,
        lastmods: Iterable[Lastmod] = (),
        proof: bool = True,
    ) -> Conclusion:
        """Add what only a whole crawl shows. Its pages must be remembered already; a repeat changes nothing.

        `parts`: the files of its tables. `lastmods`: the dates of sitemaps and feeds. If the crawl requested a page,
        its date is remembered, and whether a newer one came with a change. `proof`: whether the caller needs to know if
        the crawl proves absence; if not, the result may be False although it does.

        Pages that a rule in robots.txt disallows now are marked as deleted. So are pages that the crawl did not find,
        if it could find them and has no gap (`domain.graph.completeness`), unless they were found on a page that it
        did not read, or below such a page.
        Raise StoreBusyError if other processes write the same memory all the time.
        """
        ...

    def deleted(self, crawl: CrawlId) -> Iterator[str]:
        """Yield the url keys of deleted pages."""
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

    def damaged(self, crawl: CrawlId) -> list[str]:
        """Return the names of files that the crawl could not read, left out, and replaced when it added its pages."""
        ...

    def forget(self, crawl: CrawlId, key: str, *, now: float) -> None:
        """Forget a page as of `now`, in Unix seconds; the next crawl fetches it like a new one."""
        ...
