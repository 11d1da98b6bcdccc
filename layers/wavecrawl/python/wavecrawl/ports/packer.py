"""Packing a crawl: everything its servers said in one file, for replay tools and archives (spec [39])."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from wavecrawl.domain.job import BatchId
from wavecrawl.ports.analytics import CrawlFacts, ReadPages


class Packer(Protocol):
    """Makes crawl.wacz. Contract: tests/results/test_wacz.py."""

    def size(self, batches: Sequence[tuple[BatchId, int]]) -> int:
        """Return about how many bytes the package of these (batch, attempt) would have; cheap."""
        ...

    def pack(self, batches: Sequence[tuple[BatchId, int]], crawl: CrawlFacts, folder: Path, pages: ReadPages) -> None:
        """Write the package into a folder, whole or not at all; `pages` are asked for when all else is packed.

        Raise a WavecrawlError where it cannot be made.
        """
        ...
