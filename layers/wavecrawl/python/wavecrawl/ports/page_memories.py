"""What a site remembers of its pages between crawls."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from wavecrawl.domain.crawl.job import CrawlId, Validators
from wavecrawl.domain.crawl.site_changes import SiteChanges


class PageMemories(Protocol):
    """Page memories by site (that of `crawl`) and url key. Contract: tests/contract/test_page_memories.py."""

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

    def changes(self, crawl: CrawlId, pages: Sequence[Path], *, started_at: float) -> SiteChanges:
        """Compare the pages of a crawl with those of earlier crawls. Its pages must be remembered already."""
        ...

    def forget(self, crawl: CrawlId, key: str, *, now: float) -> None:
        """Forget a page as of `now`, in Unix seconds; the next crawl fetches it like a new one."""
        ...
