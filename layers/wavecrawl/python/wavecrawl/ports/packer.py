"""Packing a crawl: everything its servers said in one file, for replay tools and archives (spec [39])."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from wavecrawl.domain.crawl.job import BatchId
from wavecrawl.ports.analytics import CrawlFacts, ReadPage


class Packer(Protocol):
    """Makes crawl.wacz. Contract: tests/adapters/analytics/test_wacz.py."""

    def size(self, batches: Sequence[tuple[BatchId, int]]) -> int:
        """Return about how many bytes the package of these (batch, attempt) would have; cheap."""
        ...

    def pack(
        self, batches: Sequence[tuple[BatchId, int]], crawl: CrawlFacts, folder: Path, pages: Iterable[ReadPage]
    ) -> None:
        """Write the package into a folder, whole or not at all; `pages` are those whose content is in it.

        Raise a WavecrawlError where it cannot be made.
        """
        ...
