"""The memory of a site's pages, across crawls."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.memory import PageMemory


class PageMemories(Protocol):
    """Pages by url key, per site (`crawl` names the site). Contract: tests/contract/test_page_memories.py."""

    def any(self, crawl: CrawlId) -> bool:
        """Tell whether the site remembers any page."""
        ...

    def read(self, crawl: CrawlId, keys: Sequence[str]) -> dict[str, PageMemory]:
        """Return the memories that exist, by url key."""
        ...

    def write(self, crawl: CrawlId, memories: Iterable[PageMemory]) -> None:
        """Store memories, replacing older ones."""
        ...

    def forget(self, crawl: CrawlId, key: str) -> None:
        """Forget a page; its next crawl reads it as if for the first time."""
        ...
