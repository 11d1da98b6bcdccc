"""Screenshots of pages, one per page and crawl."""

from typing import Protocol

from wavecrawl.domain.crawl.job import CrawlId


class Screenshots(Protocol):
    """The screenshots of crawls. Contract: tests/contract/test_screenshots.py. `ports.erasure` deletes them.

    The name of a screenshot contains tenant, site and crawl. An unchanged page has the name of an earlier crawl's.
    """

    def put(self, crawl: CrawlId, key: str, jpeg: bytes) -> str:
        """Store the screenshot of the page with a url key, replacing an earlier one; return its name for `get`."""
        ...

    def get(self, name: str) -> bytes | None:
        """Return a screenshot as JPEG, None if it no longer exists."""
        ...

    def delete(self, crawl: CrawlId, key: str) -> None:
        """Delete the screenshot that a crawl made of the page with a url key, if there is one."""
        ...

    def size(self, crawl: CrawlId, *, most: int) -> int:
        """Return the bytes of all screenshots that a crawl made; stop counting beyond `most`."""
        ...

    def signed_url(self, crawl: CrawlId, name: str) -> str | None:
        """Return a URL that downloads a screenshot without an API key, valid for `ports.exports.LIFETIME`.

        Return None if it no longer exists, or if it is not one of the crawl's site.
        """
        ...
