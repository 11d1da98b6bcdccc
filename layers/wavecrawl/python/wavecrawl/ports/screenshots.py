"""Screenshots of pages, one per page and crawl."""

from typing import Protocol

from wavecrawl.domain.crawl.job import CrawlId


class Screenshots(Protocol):
    """The screenshots of crawls. Contract: tests/contract/test_screenshots.py. `ports.erasure` deletes them."""

    def put(self, crawl: CrawlId, key: str, jpeg: bytes) -> str:
        """Store the screenshot of the page with a url key, replacing an earlier one; return its name for `get`."""
        ...

    def get(self, name: str) -> bytes | None:
        """Return a screenshot as JPEG, None if it no longer exists."""
        ...
