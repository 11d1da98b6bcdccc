"""The packer: all responses and screenshots of a crawl in one file, for replay tools and archives."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from wavecrawl.domain.crawl.job import BatchId
from wavecrawl.ports.analytics import CrawlFacts, ReadPage


class Gone(msgspec.Struct, frozen=True, kw_only=True):
    """What a package lacks because it is no longer stored: numbers."""

    pages: int = 0  # unchanged ones, and resources
    screenshots: int = 0
    assets: int = 0


class Packer(Protocol):
    """Creates crawl.wacz. Contract: tests/adapters/analytics/test_wacz.py."""

    def size(self, batches: Sequence[tuple[BatchId, int]], *, most: int) -> int:
        """Return the approximate bytes of the package of these (batch, attempt); a cheap call.

        A package of more than `most` bytes may be reported as smaller, but not as smaller than that.
        """
        ...

    def pack(
        self,
        batches: Sequence[tuple[BatchId, int]],
        crawl: CrawlFacts,
        folder: Path,
        pages: Iterable[ReadPage],
        *,
        most: int,
    ) -> Gone:
        """Write the package into a folder atomically; `pages` are those whose content is in it.

        Raise a WavecrawlError if the package cannot be created, or would have more than `most` bytes.
        """
        ...
