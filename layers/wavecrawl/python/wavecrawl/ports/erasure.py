"""Erasure: deletes the stored data of a crawl, except its own row."""

from typing import Protocol

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.references import NO_REFERENCES, References


class Erasure(Protocol):
    """Erases crawls. Contract: tests/contract/test_erasure.py."""

    def erase(self, crawl: CrawlId, *, keep: References = NO_REFERENCES) -> None:
        """Delete all objects and working rows of an ended crawl, except what other crawls refer to (`keep`).

        Of a batch, only the records in `keep` stay, with their responses; those of pages that were deleted from the
        crawl stay without. If anything stays, the crawl still counts these pages as hidden.

        A repeated call continues an interrupted one. The site's page memory stays; if it refers to deleted objects,
        the next crawl fetches those pages without conditional requests. Raise ConflictError without a change if a
        worker may still store objects of the crawl.
        """
        ...

    def remains(self, tenant: str, site: str) -> list[CrawlId]:
        """Return the crawls of a site that have objects, also deleted ones of which something was kept."""
        ...
