"""Hidden pages: deleted pages of a crawl. Their records are kept but not shown."""

from typing import Protocol

from wavecrawl.domain.crawl.job import CrawlId


class HiddenPages(Protocol):
    """Url keys of hidden pages by crawl. Contract: tests/contract/test_hidden_pages.py."""

    def hide(self, crawl: CrawlId, key: str, *, now: float) -> bool:
        """Hide a page; return False if it was already hidden."""
        ...

    def of(self, crawl: CrawlId) -> frozenset[str]:
        """Return the keys of all hidden pages of a crawl."""
        ...
