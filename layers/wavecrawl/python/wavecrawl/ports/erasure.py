"""Erasure: deletes the stored data of a crawl, except its own row."""

from typing import Protocol

from wavecrawl.domain.crawl.job import CrawlId


class Erasure(Protocol):
    """Erases crawls. Contract: tests/contract/test_erasure.py."""

    def erase(self, crawl: CrawlId) -> None:
        """Delete all objects and working rows of an ended crawl.

        A repeated call continues an interrupted one. The site's page memory stays; if it refers to deleted objects,
        the next crawl fetches those pages without conditional requests. Raise ConflictError without a change if a
        worker may still store objects of the crawl.
        """
        ...
