"""The memory of a site's pages between crawls."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.memory import PageMemory


class PageMemories(Protocol):
    """Page memories by site (that of `crawl`) and url key. Contract: tests/contract/test_page_memories.py."""

    def any(self, crawl: CrawlId) -> bool:
        """Return whether the site has any page memory."""
        ...

    def read(self, crawl: CrawlId, keys: Sequence[str]) -> dict[str, PageMemory]:
        """Return the existing memories by url key."""
        ...

    def write(self, crawl: CrawlId, memories: Iterable[PageMemory]) -> None:
        """Store memories; replace existing ones."""
        ...

    def forget(self, crawl: CrawlId, key: str) -> None:
        """Delete the memory of a page; the next crawl fetches the page like a new one."""
        ...
