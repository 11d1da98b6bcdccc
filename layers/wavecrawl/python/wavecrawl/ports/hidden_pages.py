"""Hidden pages: pages of a crawl that somebody deleted. Their records stay where they are, and are shown no more."""

from typing import Protocol

from wavecrawl.domain.crawl.job import CrawlId


class HiddenPages(Protocol):
    """Url keys by crawl. Contract: tests/contract/test_hidden_pages.py."""

    def hide(self, crawl: CrawlId, key: str, *, now: float) -> bool:
        """Hide a page; return False where it was hidden already."""
        ...

    def of(self, crawl: CrawlId) -> frozenset[str]:
        """Return the keys of all hidden pages of a crawl."""
        ...
