"""Erasure: what is stored of a crawl beside its own row goes away."""

from typing import Protocol

from wavecrawl.domain.crawl.job import CrawlId


class Erasure(Protocol):
    """Erases crawls. Contract: tests/contract/test_erasure.py."""

    def erase(self, crawl: CrawlId) -> None:
        """Delete every object and every working row of a crawl that has ended.

        Doing so again goes on where it broke off. What the site remembers of its pages stays; where it points at
        objects that are gone, the next crawl asks for the page as if for the first time.
        """
        ...
